"""Written by `python -m tests.stubs`."""

from .runtime.ops.linalg.convolution import atrous_conv2d as atrous_conv2d
from .runtime.ops.reduce.pooling import avg_pool as avg_pool
from .runtime.ops.reduce.pooling import avg_pool1d as avg_pool1d
from .runtime.ops.reduce.pooling import avg_pool2d as avg_pool2d
from .runtime.ops.reduce.pooling import avg_pool3d as avg_pool3d
from .runtime.ops.elementwise.nn import batch_normalization as batch_normalization
from .runtime.ops.elementwise.nn import bias_add as bias_add
from .runtime.ops.reduce.statistics import compute_average_loss as compute_average_loss
from .runtime.ops.linalg.convolution import conv1d as conv1d
from .runtime.ops.linalg.convolution import conv1d_transpose as conv1d_transpose
from .runtime.ops.linalg.convolution import conv2d as conv2d
from .runtime.ops.linalg.convolution import conv2d_transpose as conv2d_transpose
from .runtime.ops.linalg.convolution import conv3d as conv3d
from .runtime.ops.linalg.convolution import conv3d_transpose as conv3d_transpose
from .runtime.ops.linalg.convolution import conv_transpose as conv_transpose
from .runtime.ops.linalg.convolution import convolution as convolution
from .runtime.ops.combined import crelu as crelu
from .runtime.ops.reduce.ctc import ctc_loss as ctc_loss
from .runtime.ops.shape.blocks import depth_to_space as depth_to_space
from .runtime.ops.linalg.convolution import depthwise_conv2d as depthwise_conv2d
from .runtime.ops.elementwise.dropout import dropout as dropout
from .runtime.ops.elementwise.nn import elu as elu
from .runtime.ops.combined import embedding_lookup as embedding_lookup
from .runtime.ops.elementwise.nn import gelu as gelu
from .runtime.ops.shape.sort import in_top_k as in_top_k
from .runtime.ops.elementwise.nn import l2_loss as l2_loss
from .runtime.ops.elementwise.nn import l2_normalize as l2_normalize
from .runtime.ops.elementwise.nn import leaky_relu as leaky_relu
from .runtime.ops.elementwise.nn import local_response_normalization as local_response_normalization
from .runtime.ops.reduce.statistics import log_poisson_loss as log_poisson_loss
from .runtime.ops.elementwise.nn import log_softmax as log_softmax
from .runtime.ops.elementwise.nn import lrn as lrn
from .runtime.ops.reduce.pooling import max_pool as max_pool
from .runtime.ops.reduce.pooling import max_pool1d as max_pool1d
from .runtime.ops.reduce.pooling import max_pool2d as max_pool2d
from .runtime.ops.reduce.pooling import max_pool3d as max_pool3d
from .runtime.ops.elementwise.nn import moments as moments
from .runtime.ops.reduce.statistics import normalize_moments as normalize_moments
from .runtime.ops.reduce.pooling import pool as pool
from .runtime.ops.elementwise.nn import relu6 as relu6
from .runtime.ops.reduce.statistics import scale_regularization_loss as scale_regularization_loss
from .runtime.ops.elementwise.nn import selu as selu
from .runtime.ops.linalg.convolution import separable_conv2d as separable_conv2d
from .runtime.ops.elementwise.nn import sigmoid_cross_entropy_with_logits as sigmoid_cross_entropy_with_logits
from .runtime.ops.elementwise.nn import silu as silu
from .runtime.ops.elementwise.nn import softmax as softmax
from .runtime.ops.elementwise.nn import softmax_cross_entropy_with_logits as softmax_cross_entropy_with_logits
from .runtime.ops.elementwise.nn import softsign as softsign
from .runtime.ops.shape.blocks import space_to_depth as space_to_depth
from .runtime.ops.elementwise.nn import sparse_softmax_cross_entropy_with_logits as sparse_softmax_cross_entropy_with_logits
from .runtime.ops.elementwise.dropout import stateless_dropout as stateless_dropout
from .runtime.ops.reduce.statistics import sufficient_statistics as sufficient_statistics
from .runtime.ops.elementwise.nn import swish as swish
from .runtime.ops.shape.sort import top_k as top_k
from .runtime.ops.combined import weighted_cross_entropy_with_logits as weighted_cross_entropy_with_logits
from .runtime.ops.reduce.statistics import weighted_moments as weighted_moments
from .runtime.ops.reduce.reduce import zero_fraction as zero_fraction
import builtins as _builtins
from typing import Any as _Any
from .runtime.ops.reduce.reduce import Axis as _Axis
from .runtime.tensors.tensor import Tensor as _Tensor
from .runtime.tensors.likes import DTypeLike as _DTypeLike
from .runtime.tensors.likes import Ints as _Ints
from .runtime.tensors.likes import PaddingLike as _PaddingLike
from .runtime.tensors.likes import ShapeLike as _ShapeLike
from .runtime.tensors.likes import TensorLike as _TensorLike
def relu(features: _TensorLike, name: str | None = None) -> _Tensor: ...
def sigmoid(x: _TensorLike, name: str | None = None) -> _Tensor: ...
def softplus(features: _TensorLike, name: str | None = None) -> _Tensor: ...
def tanh(x: _TensorLike, name: str | None = None) -> _Tensor: ...
