"""What Keras's layers and autograph's are compared by; with TensorFlow `python -m` writes what Keras gave."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

FOUR = ((2, 3, 4, 5), (2, 3, 4, 5))
MASK = np.array([[True, False, True], [True, True, False]])
SEEN = np.tril(np.ones((2, 3, 4, 4))) > 0
# (how the layer is made, the shapes of its inputs, further arguments of the call)
CALLS: list[tuple[str, tuple[tuple[int, ...], ...], dict[str, Any]]] = [
    *[(f"UpSampling2D((2, 3), interpolation='{name}')", ((1, 2, 3, 2),), {})
      for name in ("bilinear", "bicubic", "lanczos3", "lanczos5", "nearest", "Bilinear", "area")],
    ("UpSampling2D(2, 'channels_first', 'bilinear')", ((1, 2, 3, 2),), {}),
    *[(f"MultiHeadAttention(2, 3, attention_axes={axes})", FOUR, {}) for axes in (None, 1, (1, 2), (2,))],
    ("MultiHeadAttention(2, 3, 2, attention_axes=(1, 3))", ((1, 2, 2, 3, 4), (1, 2, 2, 3, 4)), {}),
    ("MultiHeadAttention(2, 3, attention_axes=2, output_shape=(2, 2))", FOUR, {}),
    ("MultiHeadAttention(2, 3)", ((2, 3, 5), (2, 4, 5)), {"return_attention_scores": True}),
    ("MultiHeadAttention(2, 3, attention_axes=2)", FOUR, {"return_attention_scores": True}),
    ("MultiHeadAttention(2, 3)", ((1, 2, 2, 5), (1, 2, 2, 5)), {"return_attention_scores": True}),
    ("MultiHeadAttention(2, 3, attention_axes=(2,))", FOUR, {"attention_mask": SEEN}),
    ("MultiHeadAttention(2, 3)", ((2, 3, 5), (2, 3, 5)), {"use_causal_mask": True}),
    ("ConvLSTM1D(2, 3)", ((2, 3, 5, 2),), {}),
    ("ConvLSTM1D(2, 3, padding='same', return_sequences=True, strides=2)", ((2, 3, 5, 2),), {}),
    ("ConvLSTM2D(2, (2, 3), return_state=True)", ((2, 3, 4, 5, 2),), {}),
    ("ConvLSTM2D(2, 3, padding='same', return_sequences=True, activation='relu', recurrent_activation='hard_sigmoid', "
     "use_bias=False)", ((1, 3, 4, 4, 1),), {}),
    ("ConvLSTM2D(2, 2, go_backwards=True, return_sequences=True, dilation_rate=2)", ((1, 3, 5, 4, 1),), {}),
    ("ConvLSTM2D(2, 2, data_format='channels_first', return_sequences=True)", ((1, 3, 2, 4, 4),), {}),
    ("ConvLSTM2D(2, 2, return_sequences=True)", ((2, 3, 4, 4, 1),), {"mask": MASK}),
    ("ConvLSTM3D(2, 2)", ((1, 2, 3, 3, 3, 1),), {}),
    ("ThresholdedReLU(0.5)", ((2, 5),), {}), ("ThresholdedReLU()", ((2, 5),), {}),
    *[(f"Adaptive{kind}Pooling{len(shape) - 2}D(3)", (shape,), {}) for kind in ("Average", "Max")
      for shape in ((1, 7, 2), (1, 5, 7, 2), (1, 4, 5, 3, 1))],
    ("AdaptiveAveragePooling2D((2, 4), 'channels_first')", ((1, 2, 5, 7),), {}),
    ("GroupQueryAttention(4, 6, 2)", ((2, 3, 5), (2, 4, 5)), {"return_attention_scores": True}),
    ("GroupQueryAttention(4, 6, 2, use_bias=False)", ((2, 3, 5), (2, 3, 5)), {"use_causal_mask": True}),
]  # fmt: skip


def inputs_of(shapes: tuple[tuple[int, ...], ...]) -> list[Any]:
    """Arrays of some shapes."""
    return [(np.cos if i == 0 else np.sin)(np.arange(np.prod(shape))).reshape(shape).astype(np.float32)
            for i, shape in enumerate(shapes)]  # fmt: skip


def fill(layer: Any) -> None:
    """Gives all weights numbers."""
    for i, weight in enumerate(layer.weights):
        numbers = np.sin(np.arange(int(np.prod(weight.shape))) * (i + 1) + i) * 0.4
        weight.assign(numbers.reshape(weight.shape).astype(np.float32))


def result(layer: Any, shapes: Any, options: dict[str, Any], call: Any = None) -> dict[str, Any]:
    """The outputs of a layer with known weights, these, and its configuration."""
    inputs = inputs_of(shapes)
    layer(*inputs, **options)
    fill(layer)
    found = (call or layer)(*inputs, **options)
    outputs = found if isinstance(found, (tuple, list)) else [found]
    config = {key: value for key, value in layer.get_config().items() if key != "name"}
    return {"outputs": [[list(each.shape), np.asarray(each).astype(float).reshape(-1).round(5).tolist()]
                        for each in outputs],
            "weights": [[w.name, list(w.shape)] for w in layer.weights],
            "config": json.loads(json.dumps(config))}  # fmt: skip


if __name__ == "__main__":
    from tensorflow.keras import layers

    found = [result(eval(f"layers.{make}", {"layers": layers}), shapes, options) for make, shapes, options in CALLS]
    text = json.dumps(found).replace('}, {"outputs', '},\n{"outputs')
    (Path(__file__).parent / "layers.json").write_text(text + "\n")
