"""Layers of networks: convolutions, poolings, normalisation, losses. Channels are the last axis."""

from __future__ import annotations

from typing import Any

import autograph as tf

from .table import Attributes, Unread, Value, op


def _check_channels(a: Attributes, *formats: str) -> None:
    found = a.get("data_format", formats[0])
    if found not in formats:
        raise Unread(f"the order of axes {found}")


def _padding(a: Attributes) -> Any:
    padding = a.get("padding")
    if padding != "EXPLICIT":
        return padding
    pairs = a.get("explicit_paddings")
    return [[pairs[2 * i], pairs[2 * i + 1]] for i in range(len(pairs) // 2)]


@op("BiasAdd")
def _bias_add(a: Attributes, x: Value, bias: Value) -> Any:
    _check_channels(a, "NHWC")
    return x + bias


@op("Conv2D")
def _conv2d(a: Attributes, x: Value, filters: Value) -> Any:
    _check_channels(a, "NHWC")
    return tf.nn.conv2d(x, filters, a.get("strides")[1:3], _padding(a), dilations=a.get("dilations", [1] * 4)[1:3])


@op("Conv3D")
def _conv3d(a: Attributes, x: Value, filters: Value) -> Any:
    _check_channels(a, "NDHWC")
    return tf.nn.conv3d(x, filters, a.get("strides"), a.get("padding"), dilations=a.get("dilations", [1] * 5))


@op("DepthwiseConv2dNative")
def _depthwise(a: Attributes, x: Value, filters: Value) -> Any:
    _check_channels(a, "NHWC")
    dilations = a.get("dilations", [1] * 4)[1:3]
    return tf.nn.depthwise_conv2d(x, filters, a.get("strides"), _padding(a), dilations=dilations)


@op("Conv2DBackpropInput")
def _conv2d_transpose(a: Attributes, shape: Value, filters: Value, x: Value) -> Any:
    _check_channels(a, "NHWC")
    dilations = a.get("dilations", [1] * 4)[1:3]
    return tf.nn.conv2d_transpose(x, filters, shape, a.get("strides")[1:3], _padding(a), dilations=dilations)


@op("MaxPool")
def _max_pool(a: Attributes, x: Value) -> Any:
    _check_channels(a, "NHWC")
    return tf.nn.max_pool2d(x, a.get("ksize")[1:3], a.get("strides")[1:3], _padding(a))


@op("AvgPool")
def _avg_pool(a: Attributes, x: Value) -> Any:
    _check_channels(a, "NHWC")
    return tf.nn.avg_pool2d(x, a.get("ksize")[1:3], a.get("strides")[1:3], a.get("padding"))


@op("FusedBatchNormV3")
def _batch_norm(a: Attributes, x: Value, scale: Value, offset: Value, mean: Value, variance: Value) -> Any:
    _check_channels(a, "NHWC")
    if a.get("is_training", True):
        raise Unread("it is for training")
    factor = scale * tf.math.rsqrt(variance + tf.constant(a.get("epsilon", 1e-4), variance.dtype))
    return tf.cast(tf.cast(x, factor.dtype) * factor + (offset - mean * factor), x.dtype), mean, variance


@op("SparseSoftmaxCrossEntropyWithLogits")
def _sparse_cross_entropy(a: Attributes, logits: Value, labels: Value) -> Any:
    return tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits)


@op("SoftmaxCrossEntropyWithLogits")
def _cross_entropy(a: Attributes, logits: Value, labels: Value) -> Any:
    return tf.nn.softmax_cross_entropy_with_logits(labels, logits)
