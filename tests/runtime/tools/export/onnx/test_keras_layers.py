"""Every layer of Keras's, with random weights and batches of any size: onnxruntime gives what `predict` does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

import autograph as tf
from autograph.errors import SavingError
from tests.runtime.tools.export.onnx.common import check_same, run_model

layers = tf.keras.layers
RANDOM = np.random.default_rng(5)


def numbers(*shape: int) -> Any:
    return RANDOM.normal(size=shape).astype(np.float32)


VECTORS, SEQUENCES, IMAGES, VOLUMES = numbers(2, 4), numbers(2, 5, 3), numbers(2, 6, 5, 4), numbers(2, 4, 5, 3, 2)
FRAMES = numbers(2, 3, 4, 5, 2)
WORDS = np.array([[1, 4, 0], [2, 2, 5]], np.int32)
CASES: dict[str, tuple[Any, ...]] = {
    "Activation": (lambda: layers.Activation("gelu"), VECTORS),
    "ActivityRegularization": (lambda: layers.ActivityRegularization(0.1), VECTORS),
    "Add": (lambda: layers.Add(), VECTORS, VECTORS + 1),
    "AdaptiveAveragePooling1D": (lambda: layers.AdaptiveAveragePooling1D(2), SEQUENCES),
    "AdaptiveAveragePooling2D": (lambda: layers.AdaptiveAveragePooling2D((2, 3)), IMAGES),
    "AdaptiveAveragePooling3D": (lambda: layers.AdaptiveAveragePooling3D(2), VOLUMES),
    "AdaptiveMaxPooling1D": (lambda: layers.AdaptiveMaxPooling1D(2), SEQUENCES),
    "AdaptiveMaxPooling2D": (lambda: layers.AdaptiveMaxPooling2D((2, 3)), IMAGES),
    "AdaptiveMaxPooling3D": (lambda: layers.AdaptiveMaxPooling3D(2), VOLUMES),
    "AdditiveAttention": (lambda: layers.AdditiveAttention(), SEQUENCES, SEQUENCES + 1),
    "AlphaDropout": (lambda: layers.AlphaDropout(0.5), VECTORS),
    "Attention": (lambda: layers.Attention(use_scale=True), SEQUENCES, SEQUENCES + 1),
    "Average": (lambda: layers.Average(), VECTORS, VECTORS + 1),
    "AveragePooling1D": (lambda: layers.AveragePooling1D(2, padding="same"), SEQUENCES),
    "AveragePooling2D": (lambda: layers.AveragePooling2D((3, 2), padding="same"), IMAGES),
    "AveragePooling3D": (lambda: layers.AveragePooling3D(2), VOLUMES),
    "BatchNormalization": (lambda: layers.BatchNormalization(), IMAGES),
    "Bidirectional": (lambda: layers.Bidirectional(layers.LSTM(3, return_sequences=True)), SEQUENCES),
    "CategoryEncoding": (lambda: layers.CategoryEncoding(6, output_mode="multi_hot"), WORDS),
    "CenterCrop": (lambda: layers.CenterCrop(3, 2), IMAGES),
    "Concatenate": (lambda: layers.Concatenate(), VECTORS, VECTORS + 1),
    "Conv1D": (lambda: layers.Conv1D(3, 3, padding="causal", dilation_rate=2), SEQUENCES),
    "Conv1DTranspose": (lambda: layers.Conv1DTranspose(3, 3, strides=2, padding="same"), SEQUENCES),
    "Conv2D": (lambda: layers.Conv2D(6, 3, strides=2, padding="same", activation="relu", groups=2), IMAGES),
    "Conv2DTranspose": (lambda: layers.Conv2DTranspose(3, 3, strides=2), IMAGES),
    "Conv3D": (lambda: layers.Conv3D(3, 2), VOLUMES),
    "Conv3DTranspose": (lambda: layers.Conv3DTranspose(3, 2, strides=2), VOLUMES),
    "ConvLSTM1D": (lambda: layers.ConvLSTM1D(2, 2, return_sequences=True), FRAMES[..., 0]),
    "ConvLSTM2D": (lambda: layers.ConvLSTM2D(2, 2), FRAMES),
    "ConvLSTM3D": (lambda: layers.ConvLSTM3D(2, 2), FRAMES[..., None]),
    "Cropping1D": (lambda: layers.Cropping1D((1, 2)), SEQUENCES),
    "Cropping2D": (lambda: layers.Cropping2D(((1, 2), (0, 1))), IMAGES),
    "Cropping3D": (lambda: layers.Cropping3D(1), VOLUMES),
    "Dense": (lambda: layers.Dense(3, activation="sigmoid"), VECTORS),
    "DepthwiseConv1D": (lambda: layers.DepthwiseConv1D(3, depth_multiplier=2), SEQUENCES),
    "DepthwiseConv2D": (lambda: layers.DepthwiseConv2D(3, padding="same", depth_multiplier=2), IMAGES),
    "Discretization": (lambda: layers.Discretization(bin_boundaries=[-1.0, 0.0, 0.5]), VECTORS),
    "Dot": (lambda: layers.Dot(axes=1, normalize=True), VECTORS, VECTORS + 1),
    "Dropout": (lambda: layers.Dropout(0.5), VECTORS),
    "ELU": (lambda: layers.ELU(), VECTORS),
    "EinsumDense": (lambda: layers.EinsumDense("ab,bc->ac", output_shape=3, bias_axes="c"), VECTORS),
    "Embedding": (lambda: layers.Embedding(6, 3, mask_zero=True), WORDS),
    "Flatten": (lambda: layers.Flatten(), IMAGES),
    "GRU": (lambda: layers.GRU(3, return_sequences=True, reset_after=False), SEQUENCES),
    "GaussianDropout": (lambda: layers.GaussianDropout(0.5), VECTORS),
    "GaussianNoise": (lambda: layers.GaussianNoise(0.5), VECTORS),
    "GlobalAveragePooling1D": (lambda: layers.GlobalAveragePooling1D(), SEQUENCES),
    "GlobalAveragePooling2D": (lambda: layers.GlobalAveragePooling2D(), IMAGES),
    "GlobalAveragePooling3D": (lambda: layers.GlobalAveragePooling3D(keepdims=True), VOLUMES),
    "GlobalMaxPooling1D": (lambda: layers.GlobalMaxPooling1D(), SEQUENCES),
    "GlobalMaxPooling2D": (lambda: layers.GlobalMaxPooling2D(), IMAGES),
    "GlobalMaxPooling3D": (lambda: layers.GlobalMaxPooling3D(), VOLUMES),
    "GroupQueryAttention": (
        lambda: lambda pair: layers.GroupQueryAttention(3, 4, 2)(*pair), SEQUENCES, SEQUENCES + 1
    ),
    "GroupNormalization": (lambda: layers.GroupNormalization(2), IMAGES),
    "Identity": (lambda: layers.Identity(), VECTORS),
    "LSTM": (lambda: layers.LSTM(3, return_sequences=True), SEQUENCES),
    "Lambda": (lambda: layers.Lambda(lambda x: x * 2), VECTORS),
    "LayerNormalization": (lambda: layers.LayerNormalization(), SEQUENCES),
    "LeakyReLU": (lambda: layers.LeakyReLU(), VECTORS),
    "Masking": (lambda: tf.keras.Sequential([layers.Masking(), layers.LSTM(3)]), SEQUENCES),
    "MaxPooling1D": (lambda: layers.MaxPooling1D(2, padding="same"), SEQUENCES),
    "MaxPooling2D": (lambda: layers.MaxPooling2D((3, 2), padding="same"), IMAGES),
    "MaxPooling3D": (lambda: layers.MaxPooling3D(2), VOLUMES),
    "Maximum": (lambda: layers.Maximum(), VECTORS, -VECTORS),
    "Minimum": (lambda: layers.Minimum(), VECTORS, -VECTORS),
    "MultiHeadAttention": (lambda: lambda pair: layers.MultiHeadAttention(2, 3)(*pair), SEQUENCES, SEQUENCES + 1),
    "Multiply": (lambda: layers.Multiply(), VECTORS, VECTORS + 1),
    "Normalization": (lambda: layers.Normalization(mean=1.0, variance=2.0), VECTORS),
    "PReLU": (lambda: layers.PReLU(shared_axes=[1, 2]), IMAGES),
    "Permute": (lambda: layers.Permute((2, 1)), SEQUENCES),
    "RMSNormalization": (lambda: layers.RMSNormalization(), SEQUENCES),
    "RNN": (lambda: layers.RNN(layers.StackedRNNCells([layers.GRUCell(3), layers.LSTMCell(2)])), SEQUENCES),
    "RandomBrightness": (lambda: layers.RandomBrightness(0.2), IMAGES),
    "RandomContrast": (lambda: layers.RandomContrast(0.2), IMAGES),
    "RandomCrop": (lambda: layers.RandomCrop(3, 3), IMAGES),
    "RandomFlip": (lambda: layers.RandomFlip(), IMAGES),
    "RandomRotation": (lambda: layers.RandomRotation(0.2), IMAGES),
    "RandomTranslation": (lambda: layers.RandomTranslation(0.2, 0.2), IMAGES),
    "RandomZoom": (lambda: layers.RandomZoom(0.2), IMAGES),
    "ReLU": (lambda: layers.ReLU(max_value=1.0, negative_slope=0.1, threshold=0.2), VECTORS),
    "RepeatVector": (lambda: layers.RepeatVector(3), VECTORS),
    "Rescaling": (lambda: layers.Rescaling(0.5, 1.0), IMAGES),
    "Reshape": (lambda: layers.Reshape((2, -1)), VECTORS),
    "Resizing": (lambda: layers.Resizing(4, 7), IMAGES),
    "ReversibleEmbedding": (lambda: layers.ReversibleEmbedding(6, 3), WORDS),
    "SeparableConv1D": (lambda: layers.SeparableConv1D(3, 3), SEQUENCES),
    "SeparableConv2D": (lambda: layers.SeparableConv2D(3, 3), IMAGES),
    "SimpleRNN": (lambda: layers.SimpleRNN(3), SEQUENCES),
    "Softmax": (lambda: layers.Softmax(), VECTORS),
    "SpatialDropout1D": (lambda: layers.SpatialDropout1D(0.5), SEQUENCES),
    "SpatialDropout2D": (lambda: layers.SpatialDropout2D(0.5), IMAGES),
    "SpatialDropout3D": (lambda: layers.SpatialDropout3D(0.5), VOLUMES),
    "SpectralNormalization": (lambda: layers.SpectralNormalization(layers.Dense(3)), VECTORS),
    "Subtract": (lambda: layers.Subtract(), VECTORS, VECTORS + 1),
    "ThresholdedReLU": (lambda: layers.ThresholdedReLU(0.5), VECTORS),
    "TimeDistributed": (lambda: layers.TimeDistributed(layers.Dense(3)), SEQUENCES),
    "UnitNormalization": (lambda: layers.UnitNormalization(), VECTORS),
    "UpSampling1D": (lambda: layers.UpSampling1D(2), SEQUENCES),
    "UpSampling2D": (lambda: layers.UpSampling2D((2, 3)), IMAGES),
    "UpSampling3D": (lambda: layers.UpSampling3D(2), VOLUMES),
    "ZeroPadding1D": (lambda: layers.ZeroPadding1D(1), SEQUENCES),
    "ZeroPadding2D": (lambda: layers.ZeroPadding2D(((1, 2), (0, 1))), IMAGES),
    "ZeroPadding3D": (lambda: layers.ZeroPadding3D(1), VOLUMES),
    "IntegerLookup": (lambda: layers.IntegerLookup(vocabulary=[1, 2, 4]), WORDS),
}  # fmt: skip
OF_TEXT = {"Hashing", "StringLookup", "TextVectorization"}
"""Layers that look at text, which is refused."""
PARTS = {
    "Input", "InputLayer", "InputSpec", "Layer", "Wrapper", "GRUCell", "LSTMCell", "SimpleRNNCell", "StackedRNNCells",
}  # fmt: skip
"""What is no layer by itself."""


def model_of(make: Any, inputs: tuple[Any, ...]) -> Any:
    given = [tf.keras.Input(x.shape[1:], dtype=x.dtype.name) for x in inputs]
    model = tf.keras.Model(given, make()(given[0] if len(given) == 1 else given))
    model.set_weights([np.abs(numbers(*each.shape)) * 0.4 + 0.1 if each.dtype.is_floating else each.numpy()
                       for each in model.weights])  # fmt: skip
    return model


@pytest.mark.parametrize("name", CASES)
def test_a_layer(name: str, tmp_path: Path) -> None:
    make, *inputs = CASES[name]
    model = model_of(make, tuple(inputs))
    path = tmp_path / "model.onnx"
    model.export(path, format="onnx")
    names = [value.name for value in onnx.load(path).graph.input]
    for count in (2, 1):
        given = [x[:count] for x in inputs]
        expected = model(given if len(given) > 1 else given[0], training=False)
        results = run_model(path, dict(zip(names, given, strict=True)))
        for one, other in zip(tf.nest.flatten(expected), results, strict=True):
            check_same(one.numpy(), other, rtol=1e-5, atol=1e-5)


def test_all_layers_are_tried() -> None:
    names = {name for name in dir(layers) if name[0].isupper()}
    tried = {getattr(layers, name) for name in CASES}
    assert {name for name in names - OF_TEXT - PARTS if getattr(layers, name) not in tried} == set()


@pytest.mark.parametrize("make", [
    lambda: layers.StringLookup(vocabulary=["a", "b"]), lambda: layers.Hashing(3),
    lambda: layers.TextVectorization(vocabulary=["a", "b"]),
])  # fmt: skip
def test_layers_of_text_are_refused(make: Any, tmp_path: Path) -> None:
    given = tf.keras.Input((1,), dtype="string")
    with pytest.raises(SavingError, match="can't be exported to ONNX"):
        tf.keras.Model(given, make()(given)).export(tmp_path / "model.onnx", format="onnx")
