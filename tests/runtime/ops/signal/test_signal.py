"""Signals: TensorFlow's numbers and gradients, graphs with unknown sizes, and what undoes what."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autograph as tf
from autograph.errors import InvalidArgumentError, InvalidTypeError

from .data import calls

GOLDEN = json.loads((Path(__file__).parent / "data" / "signal.json").read_text())
S = tf.signal


def assert_close(found: Any, expected: Any) -> None:
    assert found[:2] == expected[:2]
    np.testing.assert_allclose(found[2], expected[2], rtol=1e-4, atol=2e-5)


@pytest.mark.parametrize("number", range(len(calls.CALLS)), ids=[f"{call} {shape}" for call, shape, _ in calls.CALLS])
def test_values_and_gradients_are_tensorflows(number: int) -> None:
    value, gradient = calls.result(tf, *calls.CALLS[number])
    assert_close(value, GOLDEN["calls"][number][0])
    assert gradient is not None
    if GOLDEN["calls"][number][1] is not None:
        assert_close(gradient, GOLDEN["calls"][number][1])


@pytest.mark.parametrize("number", range(len(calls.CONSTANTS)), ids=calls.CONSTANTS)
def test_constants_are_tensorflows(number: int) -> None:
    names = {"S": S, "tf": tf, "np": np}
    assert_close(calls.plain(eval(calls.CONSTANTS[number], names)), GOLDEN["constants"][number])


@pytest.mark.parametrize("call, shape, is_complex", calls.CALLS)
def test_graphs_with_unknown_sizes(call: str, shape: tuple[int, ...], is_complex: bool) -> None:
    if "dct" in call and "n=" not in call or "mfcc" in call:
        pytest.skip("needs to know the length")
    x = calls.input_of(shape, is_complex)
    function = tf.function(lambda x: eval(call, {"S": S, "tf": tf, "x": x}))
    staged = function.get_concrete_function(tf.TensorSpec([None] * len(shape), x.dtype))
    found, expected = staged(x), eval(call, {"S": S, "tf": tf, "x": tf.constant(x)})
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)

    def gradient(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = eval(call, {"S": S, "tf": tf, "x": x})
            total = tf.reduce_sum(tf.math.real(y) * 3 + tf.math.imag(y) if y.dtype.is_complex else y * y)
        return tape.gradient(total, x)

    one = tf.function(gradient).get_concrete_function(tf.TensorSpec([None] * len(shape), x.dtype))(x)
    np.testing.assert_allclose(one, gradient(tf.constant(x)), rtol=1e-4, atol=1e-5)


def test_what_undoes_what() -> None:
    x = tf.constant(calls.REAL[:48].reshape(2, 24))
    np.testing.assert_allclose(S.irfft(S.rfft(x)), x, atol=1e-6)
    np.testing.assert_allclose(S.idct(S.dct(x, norm="ortho"), norm="ortho"), x, atol=1e-6)
    np.testing.assert_array_equal(S.ifftshift(S.fftshift(x)), x)
    again = S.inverse_stft(S.stft(x, 8, 2), 8, 2, window_fn=S.inverse_stft_window_fn(2))
    np.testing.assert_allclose(again[:, 6:-6], x[:, 6:-6], atol=1e-5)


def test_mel_spectrograms_in_a_graph() -> None:
    """What guides do with sound."""

    @tf.function(input_signature=[tf.TensorSpec((None, None), tf.float32)])
    def coefficients(sound):
        spectra = tf.abs(S.stft(sound, 16, 8, 16))
        mel = tf.tensordot(spectra, S.linear_to_mel_weight_matrix(6, 9), 1)
        return S.mfccs_from_log_mel_spectrograms(tf.math.log(mel + 1e-6))[..., :4]

    assert coefficients(calls.REAL.reshape(1, 60)).shape == (1, 6, 4)


@pytest.mark.parametrize(
    "call, text",
    [("S.fft(tf.constant([1.0]))", "tf.signal.rfft for real ones"), ("S.rfft(tf.constant([1]))", "int32"),
     ("S.irfft(tf.constant([1.0]))", "transformed back, not float32"), ("S.rfft(tf.zeros((2, 0)))", "not empty"),
     ("S.irfft(tf.constant([1j], tf.complex64))", "has no length"), ("S.rfft(1.0)", "rank"),
     ("S.rfft([1.0], [1, 2])", "fft_length has 1 numbers"), ("S.frame(1.0, 2, 1)", "rank"),
     ("S.frame([1.0], 0, 1)", "frame_length is above 0"), ("S.overlap_and_add([1.0], 1)", "rank of at least 2"),
     ("S.dct([1.0], 5)", "Types I, II, III and IV"), ("S.dct([1.0], 1)", "greater than one"),
     ("S.dct([1, 2])", "float32 and float64"), ("S.dct([1.0], norm='x')", "Unknown normalization"),
     ("S.hann_window(3, dtype=tf.int32)", "floating dtype"),
     ("S.linear_to_mel_weight_matrix(upper_edge_hertz=9000.0)", "Nyquist"),
     ("S.linear_to_mel_weight_matrix(0)", "num_mel_bins must be positive")],
)  # fmt: skip
def test_what_is_refused(call: str, text: str) -> None:
    with pytest.raises(InvalidArgumentError, match=text):
        eval(call)


def test_lengths_that_only_the_run_knows_are_refused() -> None:
    with pytest.raises(InvalidTypeError, match="fft_length is known only when the graph runs"):
        tf.function(lambda x, n: S.rfft(x, [n]))(tf.zeros(4), tf.constant(3))
