"""Written by `python -m tests.stubs`."""

from . import math as math
from . import linalg as linalg
from . import nn as nn
from . import random as random
from . import strings as strings
from . import image as image
from . import signal as signal
from . import io as io
from . import autodiff as autodiff
from . import train as train
from . import export as export
from . import saved_model as saved_model
from . import dtypes as dtypes
from . import bitwise as bitwise
from . import compat as compat
from . import config as config
from . import data as data
from . import debugging as debugging
from . import distribute as distribute
from . import errors as errors
from . import experimental as experimental
from . import initializers as initializers
from . import keras as keras
from . import losses as losses
from . import metrics as metrics
from . import nest as nest
from . import optimizers as optimizers
from . import profiler as profiler
from . import summary as summary
from . import test as test
from . import version as version
from .runtime.state.debugging import Assert as Assert
from .runtime.functions.concrete import ConcreteFunction as ConcreteFunction
from .runtime.base.dtypes import DType as DType
from .runtime.gradient import GradientTape as GradientTape
from .runtime.ir.graph import Graph as Graph
from .runtime.tensors.indexed_slices import IndexedSlices as IndexedSlices
from .runtime.state.module import Module as Module
from .runtime.tensors.tensor import Tensor as Tensor
from .runtime.state.tensor_array import TensorArray as TensorArray
from .runtime.state.tensor_array import TensorArraySpec as TensorArraySpec
from .runtime.base.shapes import TensorShape as TensorShape
from .runtime.tensors.spec import TensorSpec as TensorSpec
from .runtime.gradient import UnconnectedGradients as UnconnectedGradients
from .runtime.state.variable import Variable as Variable
from .runtime.state.aggregation import VariableAggregation as VariableAggregation
from .runtime.state.aggregation import VariableSynchronization as VariableSynchronization
from .runtime.ops.elementwise.elementwise import add_n as add_n
from .runtime.ops.reduce.reduce import argmax as argmax
from .runtime.ops.reduce.reduce import argmin as argmin
from .runtime.ops.shape.sort import argsort as argsort
from .runtime.base.dtypes import as_dtype as as_dtype
from .runtime.ops.text.strings import as_string as as_string
from .runtime.state.debugging import assert_equal as assert_equal
from .runtime.state.debugging import assert_greater as assert_greater
from .runtime.state.debugging import assert_less as assert_less
from .runtime.state.debugging import assert_rank as assert_rank
from .runtime.ops.elementwise.elementwise import bitcast as bitcast
from .runtime.base.dtypes import bool_ as bool
from .runtime.ops.shape.gather import boolean_mask as boolean_mask
from .runtime.ops.combined import broadcast_dynamic_shape as broadcast_dynamic_shape
from .runtime.ops.combined import broadcast_static_shape as broadcast_static_shape
from .runtime.ops.shape.shape import broadcast_to as broadcast_to
from .operators.staging.functional import case as case
from .runtime.ops.elementwise.elementwise import cast as cast
from .runtime.ops.combined import clip_by_global_norm as clip_by_global_norm
from .runtime.ops.combined import clip_by_norm as clip_by_norm
from .runtime.ops.elementwise.elementwise import clip_by_value as clip_by_value
from .runtime.ops.elementwise.elementwise import complex as complex
from .runtime.base.dtypes import complex128 as complex128
from .runtime.base.dtypes import complex64 as complex64
from .runtime.ops.shape.joining import concat as concat
from .operators.staging.functional import cond as cond
from .runtime.tensors.convert import constant as constant
from .keras.initializers import Constant as constant_initializer
from .runtime.state.dependencies import control_dependencies as control_dependencies
from .api import convert as convert
from .runtime.tensors.convert import as_tensor as convert_to_tensor
from .runtime.ops.reduce.cumulative import cumsum as cumsum
from .runtime.gradient import custom_gradient as custom_gradient
from .runtime.state.placement import device as device
from .api import do_not_convert as do_not_convert
from .runtime.base.dtypes import float64 as double
from .runtime.ops.combined import dynamic_partition as dynamic_partition
from .runtime.ops.shape.blocks import dynamic_stitch as dynamic_stitch
from .runtime.ops.linalg.matrix_functions import eig as eig
from .runtime.ops.linalg.matrix_functions import eigvals as eigvals
from .runtime.ops.linalg.linalg import einsum as einsum
from .runtime.ops.shape.shape import ensure_shape as ensure_shape
from .runtime.tensors.trace import executing_eagerly as executing_eagerly
from .runtime.ops.shape.shape import expand_dims as expand_dims
from .runtime.ops.shape.create import eye as eye
from .runtime.ops.shape.create import fill as fill
from .runtime.base.dtypes import float16 as float16
from .runtime.base.dtypes import float32 as float32
from .runtime.base.dtypes import float64 as float64
from .operators.staging.folds import foldl as foldl
from .operators.staging.folds import foldr as foldr
from .connect import function as function
from .runtime.ops.shape.gather import gather as gather
from .runtime.ops.shape.gather import gather_nd as gather_nd
from .runtime.tensors.trace import get_current_name_scope as get_current_name_scope
from .runtime.tensors.trace import static_value as get_static_value
from .runtime.gradient import grad_pass_through as grad_pass_through
from .runtime.gradient import gradients as gradients
from .runtime.state.dependencies import group as group
from .runtime.base.dtypes import float16 as half
from .runtime.gradient import hessians as hessians
from .runtime.ops.reduce.statistics import histogram_fixed_width as histogram_fixed_width
from .runtime.ops.reduce.statistics import histogram_fixed_width_bins as histogram_fixed_width_bins
from .runtime.ops.control import identity as identity
from .runtime.ops.combined import identity_n as identity_n
from .runtime.state.dependencies import init_scope as init_scope
from .runtime.tensors.trace import inside_function as inside_function
from .runtime.base.dtypes import int16 as int16
from .runtime.base.dtypes import int32 as int32
from .runtime.base.dtypes import int64 as int64
from .runtime.base.dtypes import int8 as int8
from .runtime.tensors.trace import is_symbolic_tensor as is_symbolic_tensor
from .runtime.state.variable import is_tensor as is_tensor
from .runtime.ops.shape.create import linspace as linspace
from .operators.staging.folds import map_fn as map_fn
from .runtime.ops.linalg.linalg import matmul as matmul
from .runtime.ops.shape.create import meshgrid as meshgrid
from .runtime.tensors.trace import name_scope as name_scope
from .runtime.state.dependencies import no_op as no_op
from .runtime.ops.reduce.cumulative import norm as norm
from .runtime.ops.host.host import numpy_function as numpy_function
from .runtime.ops.shape.create import one_hot as one_hot
from .runtime.ops.shape.create import ones as ones
from .keras.initializers import Ones as ones_initializer
from .runtime.ops.shape.create import ones_like as ones_like
from .runtime.ops.shape.joining import pad as pad
from .runtime.ops.host.host import print as print
from .runtime.ops.host.host import py_function as py_function
from .keras.initializers import RandomNormal as random_normal_initializer
from .keras.initializers import RandomUniform as random_uniform_initializer
from .runtime.ops.shape.create import range as range
from .runtime.ops.shape.shape import rank as rank
from .runtime.ops.reduce.reduce import reduce_mean as reduce_mean
from .runtime.ops.reduce.reduce import reduce_prod as reduce_prod
from .runtime.ops.reduce.reduce import reduce_sum as reduce_sum
from .runtime.ops.shape.joining import repeat as repeat
from .runtime.ops.shape.shape import reshape as reshape
from .runtime.ops.shape.shape import reverse as reverse
from .runtime.ops.shape.blocks import reverse_sequence as reverse_sequence
from .runtime.ops.shape.shape import roll as roll
from .runtime.ops.elementwise.elementwise import round as round
from .runtime.ops.elementwise.elementwise import saturate_cast as saturate_cast
from .runtime.ops.combined import scalar_mul as scalar_mul
from .operators.staging.folds import scan as scan
from .runtime.ops.shape.scatter import scatter_nd as scatter_nd
from .runtime.ops.shape.sort import searchsorted as searchsorted
from .runtime.ops.shape.sort import sequence_mask as sequence_mask
from .api import set_verbosity as set_verbosity
from .runtime.ops.shape.shape import shape as shape
from .runtime.ops.shape.shape import shape_n as shape_n
from .runtime.ops.shape.shape import size as size
from .runtime.ops.shape.gather import slice as slice
from .runtime.ops.shape.sort import sort as sort
from .runtime.ops.shape.joining import split as split
from .runtime.ops.shape.shape import squeeze as squeeze
from .runtime.ops.shape.joining import stack as stack
from .runtime.base.dtypes import string as string
from .operators.staging.functional import switch_case as switch_case
from .runtime.ops.linalg.linalg import tensordot as tensordot
from .runtime.ops.shape.joining import tile as tile
from .runtime.ops.host.host import timestamp as timestamp
from .api import to_code as to_code
from .api import to_graph as to_graph
from .api import trace as trace
from .runtime.ops.shape.shape import transpose as transpose
from .runtime.state.dependencies import tuple_ as tuple
from .runtime.base.dtypes import uint16 as uint16
from .runtime.base.dtypes import uint32 as uint32
from .runtime.base.dtypes import uint64 as uint64
from .runtime.base.dtypes import uint8 as uint8
from .runtime.ops.shape.sort import unique as unique
from .runtime.ops.shape.sort import unique_with_counts as unique_with_counts
from .runtime.ops.combined import unravel_index as unravel_index
from .runtime.ops.shape.joining import unstack as unstack
from .runtime.base.dtypes import variant as variant
from .operators.staging.folds import vectorized_map as vectorized_map
from .runtime.ops.elementwise.elementwise import where as where
from .operators.staging.functional import while_loop as while_loop
from .runtime.ops.shape.create import zeros as zeros
from .keras.initializers import Zeros as zeros_initializer
from .runtime.ops.shape.create import zeros_like as zeros_like
import builtins as _builtins
from typing import Any as _Any
from .runtime.ops.reduce.reduce import Axis as _Axis
from .runtime.tensors.tensor import Tensor as _Tensor
from .runtime.tensors.likes import DTypeLike as _DTypeLike
from .runtime.tensors.likes import Ints as _Ints
from .runtime.tensors.likes import PaddingLike as _PaddingLike
from .runtime.tensors.likes import ShapeLike as _ShapeLike
from .runtime.tensors.likes import TensorLike as _TensorLike
def abs(x: _TensorLike, name: str | None = None) -> _Tensor: ...
def acos(x: _TensorLike, name: str | None = None) -> _Tensor: ...
def acosh(x: _TensorLike, name: str | None = None) -> _Tensor: ...
def add(x: _TensorLike, y: _TensorLike, name: str | None = None) -> _Tensor: ...
def asin(x: _TensorLike, name: str | None = None) -> _Tensor: ...
def asinh(x: _TensorLike, name: str | None = None) -> _Tensor: ...
def atan(x: _TensorLike, name: str | None = None) -> _Tensor: ...
def atan2(y: _TensorLike, x: _TensorLike, name: str | None = None) -> _Tensor: ...
def atanh(x: _TensorLike, name: str | None = None) -> _Tensor: ...
def cos(x: _TensorLike, name: str | None = None) -> _Tensor: ...
def cosh(x: _TensorLike, name: str | None = None) -> _Tensor: ...
def divide(x: _TensorLike, y: _TensorLike, name: str | None = None) -> _Tensor: ...
def equal(x: _TensorLike, y: _TensorLike, name: str | None = None) -> _Tensor: ...
def exp(x: _TensorLike, name: str | None = None) -> _Tensor: ...
def floor(x: _TensorLike, name: str | None = None) -> _Tensor: ...
def greater(x: _TensorLike, y: _TensorLike, name: str | None = None) -> _Tensor: ...
def greater_equal(x: _TensorLike, y: _TensorLike, name: str | None = None) -> _Tensor: ...
def less(x: _TensorLike, y: _TensorLike, name: str | None = None) -> _Tensor: ...
def less_equal(x: _TensorLike, y: _TensorLike, name: str | None = None) -> _Tensor: ...
def logical_and(x: _TensorLike, y: _TensorLike, name: str | None = None) -> _Tensor: ...
def logical_not(x: _TensorLike, name: str | None = None) -> _Tensor: ...
def logical_or(x: _TensorLike, y: _TensorLike, name: str | None = None) -> _Tensor: ...
def maximum(x: _TensorLike, y: _TensorLike, name: str | None = None) -> _Tensor: ...
def minimum(x: _TensorLike, y: _TensorLike, name: str | None = None) -> _Tensor: ...
def multiply(x: _TensorLike, y: _TensorLike, name: str | None = None) -> _Tensor: ...
def negative(x: _TensorLike, name: str | None = None) -> _Tensor: ...
def not_equal(x: _TensorLike, y: _TensorLike, name: str | None = None) -> _Tensor: ...
def pow(x: _TensorLike, y: _TensorLike, name: str | None = None) -> _Tensor: ...
def realdiv(x: _TensorLike, y: _TensorLike, name: str | None = None) -> _Tensor: ...
def reduce_all(input_tensor: _TensorLike, axis: _Axis = None, keepdims: _builtins.bool = False, name: str | None = None) -> _Tensor: ...
def reduce_any(input_tensor: _TensorLike, axis: _Axis = None, keepdims: _builtins.bool = False, name: str | None = None) -> _Tensor: ...
def reduce_logsumexp(input_tensor: _TensorLike, axis: _Axis = None, keepdims: _builtins.bool = False, name: str | None = None) -> _Tensor: ...
def reduce_max(input_tensor: _TensorLike, axis: _Axis = None, keepdims: _builtins.bool = False, name: str | None = None) -> _Tensor: ...
def reduce_min(input_tensor: _TensorLike, axis: _Axis = None, keepdims: _builtins.bool = False, name: str | None = None) -> _Tensor: ...
def sigmoid(x: _TensorLike, name: str | None = None) -> _Tensor: ...
def sign(x: _TensorLike, name: str | None = None) -> _Tensor: ...
def sin(x: _TensorLike, name: str | None = None) -> _Tensor: ...
def sinh(x: _TensorLike, name: str | None = None) -> _Tensor: ...
def sqrt(x: _TensorLike, name: str | None = None) -> _Tensor: ...
def square(x: _TensorLike, name: str | None = None) -> _Tensor: ...
def stop_gradient(input: _TensorLike, name: str | None = None) -> _Tensor: ...
def subtract(x: _TensorLike, y: _TensorLike, name: str | None = None) -> _Tensor: ...
def tan(x: _TensorLike, name: str | None = None) -> _Tensor: ...
def tanh(x: _TensorLike, name: str | None = None) -> _Tensor: ...
def tensor_scatter_nd_add(tensor: _Any, indices: _TensorLike, updates: _Any, name: str | None = None) -> _Tensor: ...
def tensor_scatter_nd_max(tensor: _Any, indices: _TensorLike, updates: _Any, name: str | None = None) -> _Tensor: ...
def tensor_scatter_nd_min(tensor: _Any, indices: _TensorLike, updates: _Any, name: str | None = None) -> _Tensor: ...
def tensor_scatter_nd_sub(tensor: _Any, indices: _TensorLike, updates: _Any, name: str | None = None) -> _Tensor: ...
def tensor_scatter_nd_update(tensor: _Any, indices: _TensorLike, updates: _Any, name: str | None = None) -> _Tensor: ...
def truediv(x: _TensorLike, y: _TensorLike, name: str | None = None) -> _Tensor: ...
def truncatediv(x: _TensorLike, y: _TensorLike, name: str | None = None) -> _Tensor: ...
def truncatemod(x: _TensorLike, y: _TensorLike, name: str | None = None) -> _Tensor: ...
import autograph as autograph
newaxis: None
__version__: str
