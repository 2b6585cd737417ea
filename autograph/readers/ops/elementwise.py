"""Arithmetic, comparisons, functions of numbers, reductions, products."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import autograph as tf
from autograph.runtime.base import dtypes

from .table import OPS, Attributes, Form, Unread, Value, known, op, same

same("""
    Abs=abs Acos=acos Acosh=acosh Add=add AddV2=add Asin=asin Asinh=asinh Atan=atan Atan2=atan2 Atanh=atanh 
    Ceil=math.ceil Cos=cos Cosh=cosh Digamma=math.digamma DivNoNan=math.divide_no_nan Elu=nn.elu Equal=equal
    Erf=math.erf Erfc=math.erfc Exp=exp
    Expm1=math.expm1 Floor=floor FloorDiv=math.floordiv FloorMod=math.floormod Greater=greater
    GreaterEqual=greater_equal Inv=math.reciprocal IsFinite=math.is_finite IsInf=math.is_inf IsNan=math.is_nan
    Less=less LessEqual=less_equal Lgamma=math.lgamma Log=math.log Log1p=math.log1p LogicalAnd=logical_and
    LogicalNot=logical_not LogicalOr=logical_or Maximum=maximum Minimum=minimum Mul=multiply
    MulNoNan=math.multiply_no_nan Neg=negative NotEqual=not_equal
    Pow=pow RealDiv=divide Reciprocal=math.reciprocal Relu=nn.relu
    Relu6=nn.relu6 Rint=math.rint Round=round Rsqrt=math.rsqrt Selu=nn.selu Sigmoid=sigmoid Sign=sign Sin=sin Sinh=sinh
    Softplus=nn.softplus Softsign=nn.softsign Sqrt=sqrt Square=square SquaredDifference=math.squared_difference
    Sub=subtract Tan=tan Tanh=tanh TruncateDiv=truncatediv TruncateMod=truncatemod Xlogy=math.xlogy Xdivy=math.xdivy
    BitwiseAnd=bitwise.bitwise_and BitwiseOr=bitwise.bitwise_or BitwiseXor=bitwise.bitwise_xor Invert=bitwise.invert
    LeftShift=bitwise.left_shift RightShift=bitwise.right_shift ClipByValue=clip_by_value Complex=complex
    Softmax=nn.softmax LogSoftmax=nn.log_softmax StopGradient=stop_gradient ZerosLike=zeros_like OnesLike=ones_like
    SelectV2=where
    """)  # fmt: skip


@op("AddN")
def _add_n(a: Attributes, *x: Value) -> Any:
    return tf.add_n(list(x))


@op("Identity Snapshot PreventGradient")
def _identity(a: Attributes, x: Value) -> Any:
    return x


@op("IdentityN")
def _identity_n(a: Attributes, *x: Value) -> Any:
    return x


@op("Div")
def _div(a: Attributes, x: Value, y: Value) -> Any:
    return tf.truncatediv(x, y) if x.dtype.is_integer else tf.divide(x, y)


@op("Select")
def _select(a: Attributes, condition: Value, x: Value, y: Value) -> Any:
    rank, other = condition.shape.rank, x.shape.rank
    if rank is None or other is None:
        raise Unread("the number of dimensions is known only when it runs")
    if rank == 1 and other > 1:
        condition = tf.reshape(condition, [-1, *[1] * (other - 1)])
    return tf.where(condition, x, y)


@op("LeakyRelu")
def _leaky_relu(a: Attributes, x: Value) -> Any:
    return tf.nn.leaky_relu(x, a.get("alpha", 0.2))


@op("Cast")
def _cast(a: Attributes, x: Value) -> Any:
    if a.get("Truncate", False):
        raise Unread("floats that are cut off")
    return tf.cast(x, a.dtype("DstT"))


@op("Bitcast")
def _bitcast(a: Attributes, x: Value) -> Any:
    return tf.bitcast(x, a.dtype("type"))


# Reductions


def _reduction(function: Callable[..., Any]) -> Form:
    def run(a: Attributes, x: Value, axis: Value) -> Any:
        axes = known(axis, "the axis")
        return x if axes == [] else function(x, axes, a.get("keep_dims", False))

    return Form(run)


for _kind in ("Sum", "Mean", "Max", "Min", "Prod", "All", "Any"):
    OPS[_kind] = _reduction(getattr(tf, f"reduce_{_kind.lower()}"))


@op("ArgMax")
def _argmax(a: Attributes, x: Value, axis: Value) -> Any:
    return tf.argmax(x, known(axis, "the axis"), a.dtype("output_type", dtypes.int64))


@op("ArgMin")
def _argmin(a: Attributes, x: Value, axis: Value) -> Any:
    return tf.argmin(x, known(axis, "the axis"), a.dtype("output_type", dtypes.int64))


@op("Cumsum")
def _cumsum(a: Attributes, x: Value, axis: Value) -> Any:
    return tf.cumsum(x, known(axis, "the axis"), a.get("exclusive", False), a.get("reverse", False))


@op("Cumprod")
def _cumprod(a: Attributes, x: Value, axis: Value) -> Any:
    return tf.math.cumprod(x, known(axis, "the axis"), a.get("exclusive", False), a.get("reverse", False))


@op("L2Loss")
def _l2_loss(a: Attributes, x: Value) -> Any:
    return tf.reduce_sum(x * x) / tf.constant(2, x.dtype)


# Products


@op("MatMul")
def _matmul(a: Attributes, x: Value, y: Value) -> Any:
    return tf.matmul(x, y, a.get("transpose_a", False), a.get("transpose_b", False))


@op("BatchMatMul BatchMatMulV2")
def _batch_matmul(a: Attributes, x: Value, y: Value) -> Any:
    return tf.matmul(x, y, adjoint_a=a.get("adj_x", False), adjoint_b=a.get("adj_y", False))


@op("Einsum")
def _einsum(a: Attributes, *x: Value) -> Any:
    return tf.einsum(a.get("equation"), *x)
