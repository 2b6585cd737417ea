"""What TensorFlow and autograph are compared by; with TensorFlow `python -m` writes what it gave."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

REAL = np.cos(np.arange(60) * 1.3).astype(np.float32)
COMPLEX = (REAL + 1j * np.sin(np.arange(60))).astype(np.complex64)
# (the call, the shape of x, whether that is complex)
CALLS: list[tuple[str, tuple[int, ...], bool]] = [
    ("S.fft(x)", (3, 7), True), ("S.ifft(x)", (3, 8), True), ("S.fft2d(x)", (2, 3, 4), True),
    ("S.ifft2d(x)", (2, 3, 5), True), ("S.fft3d(x)", (2, 3, 4), True), ("S.ifft3d(x)", (2, 2, 3, 3), True),
    ("S.rfft(x)", (3, 7), False), ("S.rfft(x)", (3, 8), False), ("S.rfft2d(x)", (2, 3, 4), False),
    ("S.rfft2d(x)", (2, 3, 5), False), ("S.rfft3d(x)", (2, 3, 4), False), ("S.irfft(x)", (3, 7), True),
    ("S.irfft(x)", (3, 2), True), ("S.irfft2d(x)", (2, 3, 4), True), ("S.irfft3d(x)", (2, 3, 4), True),
    *[(f"S.{name}(x, [{length}])", (2, 7), name == "irfft") for name in ("rfft", "irfft") for length in (4, 5, 8, 15)],
    ("S.rfft2d(x, [4, 3])", (2, 3, 4), False), ("S.irfft2d(x, [4, 5])", (2, 3, 4), True),
    ("S.frame(x, 4, 3)", (12,), False), ("S.frame(x, 4, 3, pad_end=True, pad_value=9.0)", (2, 12), False),
    ("S.frame(x, 2, 1, axis=1)", (2, 4, 3), False), ("S.frame(x, 9, 1)", (5,), False),
    ("S.frame(x, 3, 5, True)", (7,), False), ("S.overlap_and_add(x, 2)", (2, 3, 4), False),
    ("S.overlap_and_add(x, 5)", (3, 4), False), ("S.overlap_and_add(x, 1)", (2, 2, 3, 4), False),
    ("S.stft(x, 8, 3)", (2, 20), False), ("S.stft(x, 6, 3, 10, S.hamming_window, True)", (20,), False),
    ("S.stft(x, 6, 3, 5, None)", (20,), False), ("S.inverse_stft(x, 8, 3)", (2, 3, 5), True),
    ("S.inverse_stft(x, 6, 2, 8, S.inverse_stft_window_fn(2))", (3, 5), True),
    ("S.inverse_stft(x, 10, 2, 8, None)", (3, 5), True),
    *[(f"S.{name}(x, {kind})", (2, 6), False) for name in ("dct", "idct") for kind in (1, 2, 3, 4)],
    *[(f"S.{name}(x, {kind}, norm='ortho')", (2, 6), False) for name in ("dct", "idct") for kind in (2, 3, 4)],
    ("S.dct(x, n=4)", (6,), False), ("S.dct(x, n=8)", (6,), False),
    ("S.mfccs_from_log_mel_spectrograms(x)", (2, 3, 4), False), ("S.fftshift(x)", (3, 5), False),
    ("S.ifftshift(x)", (3, 5), False), ("S.fftshift(x, [1])", (3, 5), False),
]  # fmt: skip
CONSTANTS = [
    *[f"S.{name}_window({length}{periodic})" for name in ("hann", "hamming") for length in (1, 2, 5, 8)
      for periodic in ("", ", periodic=False")],
    *[f"S.vorbis_window({length})" for length in (1, 5, 8)], "S.hann_window(6, dtype=tf.float64)",
    "S.linear_to_mel_weight_matrix()", "S.linear_to_mel_weight_matrix(5, 17, 16000, 20.0, 7000.0, tf.float64)",
    "S.rfft([1, 2, 3])", "S.fft(np.arange(4.0))", "S.rfft(np.arange(5.0))", "S.fft(np.arange(4) * 1j)",
]  # fmt: skip


def plain(value: Any) -> Any:
    """Dtype, shape and elements; complex ones as pairs."""
    array = np.asarray(value)
    parts = np.stack([array.real, array.imag], -1) if array.dtype.kind == "c" else array
    return [array.dtype.name, list(array.shape), parts.astype(float).round(6).reshape(-1).tolist()]


def input_of(shape: tuple[int, ...], is_complex: bool) -> Any:
    return (COMPLEX if is_complex else REAL)[: int(np.prod(shape))].reshape(shape)


def loss(tf: Any, y: Any) -> Any:
    """A number that depends on all parts of a result."""
    weights = tf.constant(np.cos(np.arange(int(np.prod(y.shape)))).reshape(y.shape).astype(np.float32))
    return tf.reduce_sum(weights * (tf.math.real(y) + 2 * tf.math.imag(y) if y.dtype.is_complex else y))


def result(tf: Any, call: str, shape: tuple[int, ...], is_complex: bool) -> list[Any]:
    """The value of a call, and the gradient; None where there is none."""
    x = tf.constant(input_of(shape, is_complex))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = eval(call, {"S": tf.signal, "tf": tf, "x": x})
        total = loss(tf, y)
    try:
        return [plain(y), plain(tape.gradient(total, x))]
    except Exception:  # TensorFlow has some wrong gradients, and lacks some
        return [plain(y), None]


if __name__ == "__main__":
    import tensorflow

    names = {"S": tensorflow.signal, "tf": tensorflow, "np": np}
    found = {"calls": [result(tensorflow, *call) for call in CALLS],
             "constants": [plain(eval(call, names)) for call in CONSTANTS]}  # fmt: skip
    (Path(__file__).parent / "signal.json").write_text(json.dumps(found).replace("]]], [[", "]]],\n[[") + "\n")
