"""What layers compute, next to the numbers that Keras computes of the same weights and inputs.

The file ``data/keras_numbers.json`` holds Keras's. It is written, where TensorFlow is installed, by

    python -m tests.keras.numbers
"""

from __future__ import annotations

import json
import pathlib
from collections.abc import Callable
from typing import Any

import numpy as np

FILE = pathlib.Path(__file__).parent / "data" / "keras_numbers.json"


def wave(*shape: int, seed: float = 0.0) -> np.ndarray[Any, Any]:
    """Numbers between -1 and 1 that need no generator."""
    return np.sin(np.arange(np.prod(shape)) * 0.7 + seed).reshape(shape).astype(np.float32)


MASK = np.array([[True, True, True, False, False], [False, True, False, True, True]])
SEQUENCES = wave(2, 5, 3)
IMAGES = wave(2, 6, 5, 4)
VOLUMES = wave(1, 4, 5, 3, 2)


def fill(layer: Any) -> None:
    """Weights that depend on their shapes alone; positive ones for variances."""
    layer.set_weights([
        wave(*variable.shape, seed=number) * 0.5 + (1.5 if "variance" in variable.name else 0.0)
        for number, variable in enumerate(layer.weights)
    ])  # fmt: skip


def outputs(make: Callable[[Any], Any], layers: Any, *inputs: Any, repeat: int = 1, **kwargs: Any) -> list[Any]:
    """The results of the last of some calls, flat, of a new layer with `fill`ed weights."""
    layer = make(layers)
    given = inputs[0] if len(inputs) == 1 else list(inputs)
    layer(given, **kwargs)
    fill(layer)
    if getattr(layer, "stateful", False):
        layer.reset_state()
    for _ in range(repeat):
        result = layer(given, **kwargs)
    return [np.asarray(each).tolist() for each in _flat(result)]


def _flat(value: Any) -> list[Any]:
    return [leaf for each in value for leaf in _flat(each)] if isinstance(value, (list, tuple)) else [value]


Case = tuple[Callable[[Any], Any], tuple[Any, ...], dict[str, Any]]
CASES: dict[str, Case] = {}


def case(name: str, make: Callable[[Any], Any], *inputs: Any, **kwargs: Any) -> None:
    CASES[name] = make, inputs, kwargs


for _name in ("SimpleRNN", "LSTM", "GRU"):
    for _sequences in (False, True):
        def _rnn(layers: Any, name: str = _name, sequences: bool = _sequences, **settings: Any) -> Any:
            return getattr(layers, name)(3, return_sequences=sequences, **settings)

        _kind = f"{_name} {'sequences' if _sequences else 'last'}"
        case(f"{_kind} states", lambda layers, rnn=_rnn: rnn(layers, return_state=True), SEQUENCES)
        case(f"{_kind} masked", lambda layers, rnn=_rnn: rnn(layers, return_state=True), SEQUENCES, mask=MASK)
        case(f"{_kind} zeros for mask", lambda layers, rnn=_rnn: rnn(layers, zero_output_for_mask=True), SEQUENCES,
             mask=MASK)  # fmt: skip
        case(f"{_kind} backwards", lambda layers, rnn=_rnn: rnn(layers, go_backwards=True), SEQUENCES)
        case(f"{_kind} backwards masked", lambda layers, rnn=_rnn: rnn(layers, go_backwards=True), SEQUENCES, mask=MASK)
        case(f"{_kind} stateful", lambda layers, rnn=_rnn: rnn(layers, stateful=True), SEQUENCES, repeat=3)
        case(f"{_kind} unrolled", lambda layers, rnn=_rnn: rnn(layers, unroll=True), SEQUENCES, mask=MASK)
        for _mode in ("concat", "sum", "mul", "ave", None):
            case(f"Bidirectional {_kind} {_mode}",
                 lambda layers, rnn=_rnn, mode=_mode: layers.Bidirectional(rnn(layers), merge_mode=mode),
                 SEQUENCES)  # fmt: skip
        case(f"Bidirectional {_kind} masked",
             lambda layers, rnn=_rnn: layers.Bidirectional(rnn(layers, return_state=True)), SEQUENCES,
             mask=MASK)  # fmt: skip

case("GRU before", lambda layers: layers.GRU(3, reset_after=False), SEQUENCES)
case("stacked", lambda layers: layers.RNN([layers.GRUCell(3), layers.LSTMCell(2)], return_state=True), SEQUENCES)
case("stacked masked", lambda layers: layers.RNN([layers.SimpleRNNCell(3), layers.SimpleRNNCell(2)],
                                                  return_sequences=True), SEQUENCES, mask=MASK)  # fmt: skip
case("Bidirectional stateful", lambda layers: layers.Bidirectional(layers.LSTM(2, stateful=True)), SEQUENCES, repeat=2)
case("TimeDistributed Dense", lambda layers: layers.TimeDistributed(layers.Dense(4)), SEQUENCES)
case("TimeDistributed Conv2D", lambda layers: layers.TimeDistributed(layers.Conv2D(2, 2)), wave(2, 3, 4, 4, 1))
case("TimeDistributed LSTM", lambda layers: layers.TimeDistributed(layers.LSTM(2)), wave(2, 3, 4, 2))
case("TimeDistributed BatchNormalization", lambda layers: layers.TimeDistributed(layers.BatchNormalization()),
     SEQUENCES, training=True)  # fmt: skip

case("Conv1D", lambda layers: layers.Conv1D(3, 2, strides=2, activation="tanh"), SEQUENCES)
case("Conv1D causal", lambda layers: layers.Conv1D(3, 2, padding="causal", dilation_rate=2), SEQUENCES)
case("Conv1D same", lambda layers: layers.Conv1D(3, 4, padding="same"), SEQUENCES)
case("Conv2D groups", lambda layers: layers.Conv2D(4, (2, 3), groups=2, padding="same", strides=2), IMAGES)
case("Conv3D", lambda layers: layers.Conv3D(2, 2, strides=(1, 2, 1), padding="same"), VOLUMES)
for _padding in ("valid", "same"):
    for _strides in (1, 2, 3):
        case(f"Conv2DTranspose {_padding} {_strides}",
             lambda layers, p=_padding, s=_strides: layers.Conv2DTranspose(3, (2, 3), s, padding=p),
             IMAGES)  # fmt: skip
        case(f"Conv1DTranspose {_padding} {_strides}",
             lambda layers, p=_padding, s=_strides: layers.Conv1DTranspose(3, 2, s, padding=p), SEQUENCES)  # fmt: skip
    case(f"Conv2DTranspose {_padding} more",
         lambda layers, p=_padding: layers.Conv2DTranspose(3, 3, 2, padding=p, output_padding=1), IMAGES)  # fmt: skip
case("Conv3DTranspose", lambda layers: layers.Conv3DTranspose(2, 2, 2), VOLUMES)
case("DepthwiseConv2D", lambda layers: layers.DepthwiseConv2D(3, depth_multiplier=2, padding="same"), IMAGES)
case("DepthwiseConv1D", lambda layers: layers.DepthwiseConv1D(2, depth_multiplier=2, strides=2), SEQUENCES)
case("SeparableConv2D", lambda layers: layers.SeparableConv2D(3, 2, depth_multiplier=2, strides=2), IMAGES)
case("SeparableConv1D", lambda layers: layers.SeparableConv1D(3, 2, padding="same"), SEQUENCES)

for _kind in ("Max", "Average"):
    case(f"{_kind}Pooling1D", lambda layers, k=_kind: getattr(layers, f"{k}Pooling1D")(2, padding="same"), SEQUENCES)
    case(f"{_kind}Pooling2D", lambda layers, k=_kind: getattr(layers, f"{k}Pooling2D")(3, 2, padding="same"), IMAGES)
    case(f"{_kind}Pooling3D", lambda layers, k=_kind: getattr(layers, f"{k}Pooling3D")(2), VOLUMES)
    case(f"Global{_kind}Pooling1D", lambda layers, k=_kind: getattr(layers, f"Global{k}Pooling1D")(), SEQUENCES)
    case(f"Global{_kind}Pooling3D", lambda layers, k=_kind: getattr(layers, f"Global{k}Pooling3D")(keepdims=True),
         VOLUMES)  # fmt: skip
case("GlobalAveragePooling1D masked", lambda layers: layers.GlobalAveragePooling1D(), SEQUENCES, mask=MASK)

case("Softmax", lambda layers: layers.Softmax(1), SEQUENCES)
case("Softmax masked", lambda layers: layers.Softmax(), SEQUENCES,
     mask=np.array([[[True, False, True]] * 5, [[False, False, False]] * 5]))  # fmt: skip
case("LeakyReLU", lambda layers: layers.LeakyReLU(), SEQUENCES)
case("ELU", lambda layers: layers.ELU(0.5), SEQUENCES)
case("PReLU", lambda layers: layers.PReLU(), SEQUENCES)
case("PReLU shared", lambda layers: layers.PReLU(shared_axes=[1, 2]), IMAGES)
case("Identity", lambda layers: layers.Identity(), SEQUENCES)

case("ZeroPadding1D", lambda layers: layers.ZeroPadding1D((1, 2)), SEQUENCES)
case("ZeroPadding3D", lambda layers: layers.ZeroPadding3D((1, 0, 2)), VOLUMES)
case("Cropping1D", lambda layers: layers.Cropping1D((1, 2)), SEQUENCES)
case("Cropping2D", lambda layers: layers.Cropping2D(((1, 0), (2, 1))), IMAGES)
case("Cropping3D", lambda layers: layers.Cropping3D(1), VOLUMES)
case("UpSampling1D", lambda layers: layers.UpSampling1D(3), SEQUENCES)
case("UpSampling3D", lambda layers: layers.UpSampling3D(2), VOLUMES)

case("GroupNormalization", lambda layers: layers.GroupNormalization(2), IMAGES)
case("GroupNormalization of each", lambda layers: layers.GroupNormalization(-1, axis=1), IMAGES)
case("RMSNormalization", lambda layers: layers.RMSNormalization(), SEQUENCES)
case("UnitNormalization", lambda layers: layers.UnitNormalization([1, 2]), SEQUENCES)

case("Attention", lambda layers: layers.Attention(), wave(2, 4, 3), wave(2, 5, 3, seed=1))
case("Attention scaled", lambda layers: layers.Attention(use_scale=True), wave(2, 4, 3), wave(2, 5, 3, seed=1),
     mask=[None, MASK], return_attention_scores=True)  # fmt: skip
case("Attention concat", lambda layers: layers.Attention(score_mode="concat", use_scale=True), wave(2, 4, 3),
     wave(2, 5, 3, seed=1), wave(2, 5, 3, seed=2))  # fmt: skip
case("Attention causal", lambda layers: layers.Attention(), wave(2, 5, 3), wave(2, 5, 3, seed=1), use_causal_mask=True,
     mask=[MASK, MASK])  # fmt: skip
case("AdditiveAttention", lambda layers: layers.AdditiveAttention(), wave(2, 4, 3), wave(2, 5, 3, seed=1))
case("EinsumDense", lambda layers: layers.EinsumDense("abc,cde->abde", (None, 2, 3), bias_axes="de"), SEQUENCES)
case("EinsumDense front", lambda layers: layers.EinsumDense("...x,xy->...y", 4, bias_axes="y", activation="relu"),
     IMAGES)  # fmt: skip
case("EinsumDense between", lambda layers: layers.EinsumDense("abc,bd->adc", (4, 3), bias_axes="d"), SEQUENCES)


def attention(layers: Any, **settings: Any) -> Any:
    """A `MultiHeadAttention` that is called with a list, as the others are."""
    inner = layers.MultiHeadAttention(2, 3, **settings)

    class Called(layers.Layer):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.inner = inner

        def build(self, shapes: Any) -> None:
            self.inner.build(*shapes)

        def call(
            self, inputs: Any, return_attention_scores: bool = False, use_causal_mask: bool = False,
            attention_mask: Any = None
        ) -> Any:  # fmt: skip
            return self.inner(
                *inputs, return_attention_scores=return_attention_scores, use_causal_mask=use_causal_mask,
                attention_mask=attention_mask,
            )  # fmt: skip

    return Called()


case("MultiHeadAttention", lambda layers: attention(layers), wave(2, 4, 3), wave(2, 5, 3, seed=1),
     return_attention_scores=True)  # fmt: skip
case("MultiHeadAttention sizes", lambda layers: attention(layers, value_dim=2, output_shape=5, use_bias=False),
     wave(2, 4, 3), wave(2, 5, 2, seed=1), wave(2, 5, 4, seed=1))  # fmt: skip
case("MultiHeadAttention masks", lambda layers: attention(layers), wave(2, 5, 3), wave(2, 5, 3, seed=1),
     use_causal_mask=True, attention_mask=np.broadcast_to(MASK[:, None, :], (2, 5, 5)))  # fmt: skip
case("MultiHeadAttention nothing seen", lambda layers: attention(layers), wave(2, 5, 3), wave(2, 5, 3, seed=1),
     attention_mask=np.zeros((2, 5, 5), bool) | MASK[:, :, None])  # fmt: skip

if __name__ == "__main__":
    import tensorflow as tf

    lines = []
    for name, (make, inputs, given) in CASES.items():
        found = [np.round(each, 6).tolist() for each in outputs(make, tf.keras.layers, *inputs, **given)]
        lines.append(f" {json.dumps(name)}: {json.dumps(found)}")
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n")
