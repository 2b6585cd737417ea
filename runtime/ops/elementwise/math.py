"""Elementwise arithmetic, analysis, rounding, comparison and logic: `tf.math` and the operators of tensors.

Two-argument functions broadcast. Dtypes follow NumPy, also where TensorFlow refuses: `exp` of integers is float64,
an int32 and a float32 tensor add up to float64. Python numbers are weak: `float32_tensor * 2` stays float32; NumPy's
scalars and arrays take the tensor's dtype (see `tensors.promotion`). Tensors of booleans are no numbers. Integer
arithmetic wraps around; division rounds down and the remainder takes the sign of the divisor, as in Python; a division
of integers by zero gives 0, as in NumPy (TensorFlow raises).
"""

from __future__ import annotations

import math as _math
from typing import Any

import numpy as np

from autograph.errors import InvalidArgumentError

from ...ir import records, totality
from ...ir.identities import (
    absorbing,
    already,
    by_reciprocal,
    idempotent,
    neutral,
    not_not,
    opposite,
    own_inverse,
    to_square,
    without_sign,
)
from ...ir.kinds import kinds
from ...ir.op import FUNCTIONS, NOT_DIFFERENTIABLE, OPS, Op, op
from ...ir.python_math import Fails, PythonMath
from ...ir.raising import DIVISION, POWER, SHIFT
from ...ir.work import Work
from ...tensors.likes import TensorLike
from ...tensors.tensor import EagerTensor, Tensor
from ..declare import Function, binary, sum_to, unary
from ..infer import elementwise, reals_to_float, to_float
from ..kernels import common as kernels
from ..kernels import samples, special
from ..kernels.integers import loud
from .elementwise import cast, cast_like, zeros

# Arithmetic.


def _sign_gradient(g: Tensor, out: Tensor, x: Tensor) -> Any:
    """Zero for real numbers; a complex sign turns as the number moves around 0."""
    if not x.dtype.is_complex:
        return zeros(x)
    outwards = OPS["cast"](OPS["real"](g * out), dtype=x.dtype)  # `g` comes conjugated
    return (g - OPS["conjugate"](out) * outwards) / OPS["cast"](absolute(x), dtype=x.dtype)


negative: Function = unary("negative", np.negative, "`-x`.", samples.numbers, lambda g, out, x: -g, expression="-{}",
                 numeric=True, native=True, tensorflow_name="Neg", identities=(own_inverse,),
                 public="negative math.negative")
absolute: Function = unary("abs", np.absolute, "The absolute value; real for complex `x`.", samples.numbers,
                 lambda g, out, x: g * sign(x), op_name="absolute", expression="abs({})", numeric=True,
                 native=True, tensorflow_name="Abs", identities=(already, without_sign), public="abs math.abs",
                 python=PythonMath("fabs", Fails.NEVER))
sign: Function = unary("sign", np.sign, "-1, 0 or 1, by the sign of `x`.", samples.numbers, _sign_gradient, native=True,
    public="sign math.sign")
square: Function = unary("square", np.square, "`x * x`.", samples.numbers, lambda g, out, x: g * (x * 2), numeric=True,
    native=True, public="square math.square")
sqrt: Function = unary("sqrt", np.sqrt, "The square root; NaN for negative real `x`.", samples.analytic,
             lambda g, out, x: g * 0.5 / out, native=True, public="sqrt math.sqrt",
             python=PythonMath("sqrt", Fails.WHERE_INFINITE))
rsqrt: Function = unary("rsqrt", kernels.rsqrt, "One over the square root.", samples.unit_interval,
              lambda g, out, x: g * -0.5 * out / x, infer=to_float, native=True, public="math.rsqrt")
cbrt: Function = unary("cbrt", np.cbrt, "The real cube root.", samples.floats, lambda g, out,
    x: g / (3.0 * square(out)), work=Work.LONG, native=True, python=PythonMath("cbrt", Fails.NEVER))
reciprocal: Function = unary("reciprocal", loud(np.reciprocal, "reciprocal"),
    "`1 / x`, within the dtype: 0 for integers above 1.",
                   samples.floats, lambda g, out, x: -g * square(out), fresh=True,
                   infer=elementwise(np.reciprocal, booleans=False), numpy_names=("reciprocal",), numeric=True,
                   total=None, warns=True, native=True, public="math.reciprocal")

add: Function = binary("add", np.add, "`x + y`; strings are joined.", samples.sum_pairs, lambda g, out, x,
    y: (sum_to(g, x), sum_to(g, y)),
             strings=True, expression="{} + {}", numeric=True, native=True, tensorflow_name="AddV2",
             identities=(neutral(0, True, "biu"), neutral(0, True, "f", negative_zero=True)), public="add math.add")
subtract: Function = binary("subtract", np.subtract, "`x - y`.", samples.number_pairs,
                  lambda g, out, x, y: (sum_to(g, x), sum_to(-g, y)), expression="{} - {}", numeric=True,
                  native=True, tensorflow_name="Sub", identities=(neutral(0, False, "iuf"),),
                  public="subtract math.subtract")
multiply: Function = binary("multiply", np.multiply, "`x * y`.", samples.number_pairs,
                  lambda g, out, x, y: (sum_to(g * y, x), sum_to(g * x, y)), expression="{} * {}", numeric=True,
                  native=True, tensorflow_name="Mul", identities=(neutral(1, True, "biuf"),),
                  public="multiply math.multiply")
divide: Function = binary("divide", np.divide, "`x / y`, a float also for integers: float64, of 8 and 16 bits float32.",
                samples.number_pairs, lambda g, out, x, y: (sum_to(g / y, x), sum_to(-g * out / y, y)),
                expression="{} / {}", numeric=True, widens=True, native=True, quiet=DIVISION, tensorflow_name="RealDiv",
                identities=(neutral(1, False, "f"), by_reciprocal),
                public="divide realdiv truediv math.divide math.truediv")
floordiv: Function = binary("floordiv", loud(np.floor_divide, "floor_divide"),
    "`x // y`, rounded down.", samples.real_pairs, NOT_DIFFERENTIABLE,
    op_name="floor_divide", expression="{} // {}", divides=True, quiet=DIVISION, fresh=True,
    infer=elementwise(np.floor_divide, booleans=False), numpy_names=("floor_divide",), numeric=True,
    total=totality.division, warns=True, native=True, tensorflow_name="FloorDiv", identities=(neutral(1, False, "iu"),),
    public="math.floordiv")
floormod: Function = binary("floormod", loud(np.remainder, "remainder"),
    "`x % y`, with the sign of `y`.", samples.real_pairs,
                  lambda g, out, x, y: (sum_to(g, x), sum_to(-g * floor(x / y), y)), op_name="remainder",
                  expression="{} % {}", divides=True, fresh=True, infer=elementwise(np.remainder, booleans=False),
                  numpy_names=("remainder", "mod"), numeric=True, total=totality.division, quiet=DIVISION,
                  work=Work.LONG, warns=True, native=True, tensorflow_name="FloorMod", public="math.floormod math.mod")
truncatediv: Function = binary("truncatediv", loud(kernels.truncate_divide, "truncatediv"),
    "`x / y` rounded towards zero, as in C.",
                     samples.integer_pairs, NOT_DIFFERENTIABLE, infer=elementwise(np.floor_divide, booleans=False),
                     numeric=True, total=totality.division, warns=True, native=True, public="truncatediv")
truncatemod: Function = binary("truncatemod", loud(np.fmod, "fmod"),
    "The remainder of `truncatediv`, with the sign of `x`.",
                     samples.real_pairs, lambda g, out, x, y: (sum_to(g, x), sum_to(-g * trunc(x / y), y)),
                     op_name="fmod", fresh=True, infer=elementwise(np.fmod, booleans=False), numpy_names=("fmod",),
                     numeric=True, total=totality.division, work=Work.LONG, warns=True, native=True,
                     public="truncatemod", python=PythonMath("fmod", Fails.WHERE_INFINITE))
power: Function = binary("pow", np.power, "`x ** y`; integers to negative integer powers raise.", samples.power_pairs,
               lambda g, out, x, y: (sum_to(g * y * power(x, y - 1), x), sum_to(g * out * _safe_log(x), y)),
               op_name="power", expression="{} ** {}", numeric=True, total=totality.power,
               work=Work.LONG, raises=(InvalidArgumentError,), quiet=POWER, native=True, tensorflow_name="Pow",
               identities=(neutral(1, False, "iuf"), to_square), public="pow math.pow",
               python=PythonMath("pow", Fails.WHERE_TOO_LARGE))
maximum: Function = binary("maximum", np.maximum, "The larger one; NaN if either is NaN.", samples.order_numbers,
                 lambda g, out, x, y: (sum_to(g * cast_like(greater_equal(x, y), g), x),
                                       sum_to(g * cast_like(less(x, y), g), y)), native=True, identities=(idempotent,),
                                       public="maximum math.maximum")
minimum: Function = binary("minimum", np.minimum, "The smaller one; NaN if either is NaN.", samples.order_numbers,
                 lambda g, out, x, y: (sum_to(g * cast_like(less_equal(x, y), g), x),
                                       sum_to(g * cast_like(greater(x, y), g), y)), native=True,
                                       identities=(idempotent,), public="minimum math.minimum")
fmax: Function = binary("fmax", np.fmax, "The larger one; a NaN loses.", samples.order_numbers,
                        lambda g, out, x, y: _chosen(g, x, y, logical_or(greater_equal(x, y), is_nan(y))), native=True)
fmin: Function = binary("fmin", np.fmin, "The smaller one; a NaN loses.", samples.order_numbers,
                        lambda g, out, x, y: _chosen(g, x, y, logical_or(less_equal(x, y), is_nan(y))), native=True)
squared_difference: Function = binary(
    "squared_difference", lambda x, y: np.square(np.subtract(x, y)), "`(x - y) ** 2`.", samples.number_pairs,
    lambda g, out, x, y: (sum_to(g * 2 * (x - y), x), sum_to(g * 2 * (y - x), y)),
    infer=elementwise(np.subtract, booleans=False), numeric=True, native=True, public="math.squared_difference")
divide_no_nan: Function = binary(
    "divide_no_nan", kernels.divide_no_nan, "`x / y`, and 0 where `y` is 0.", samples.special_pairs,
    lambda g, out, x, y: (sum_to(divide_no_nan(g, y), x), sum_to(divide_no_nan(-g * out, y), y)),
    infer=elementwise(np.divide, booleans=False), numeric=True, native=True, public="math.divide_no_nan")
multiply_no_nan: Function = binary(
    "multiply_no_nan", kernels.multiply_no_nan, "`x * y`, and 0 where `y` is 0 even if `x` is not finite.",
    samples.special_pairs, lambda g, out, x, y: (sum_to(multiply_no_nan(g, y), x), sum_to(multiply_no_nan(x, g), y)),
    infer=elementwise(np.multiply, booleans=False), numeric=True, native=True, public="math.multiply_no_nan")
xlogy: Function = binary("xlogy", kernels.xlogy, "`x * log(y)`, and 0 where `x` is 0.", samples.float_pairs,
               lambda g, out, x, y: (sum_to(g * xlogy(_nonzero(x), y), x), sum_to(g * xdivy(x, y), y)), infer=to_float,
               work=Work.LONG, native=True, public="math.xlogy")
xlog1py: Function = binary("xlog1py", kernels.xlog1py, "`x * log(1 + y)`, and 0 where `x` is 0.", samples.float_pairs,
                 lambda g, out, x, y: (sum_to(g * xlog1py(_nonzero(x), y), x), sum_to(g * xdivy(x, y + 1), y)),
                 infer=to_float, work=Work.LONG, native=True, public="math.xlog1py")
xdivy: Function = binary("xdivy", kernels.xdivy, "`x / y`, and 0 where `x` is 0.", samples.float_pairs,
               lambda g, out, x, y: (sum_to(g * xdivy(_nonzero(x), y), x), sum_to(-g * xdivy(out, y), y)),
               infer=elementwise(np.divide), native=True, public="math.xdivy")
gcd: Function = binary("gcd", np.gcd, "The greatest common divisor.", samples.integer_pairs, NOT_DIFFERENTIABLE)
lcm: Function = binary("lcm", np.lcm, "The least common multiple.", samples.integer_pairs, NOT_DIFFERENTIABLE)

# Exponentials and logarithms.

exp: Function = unary("exp", np.exp, "e to the power of `x`.", samples.analytic, lambda g, out, x: g * out,
    work=Work.LONG, native=True, public="exp math.exp", python=PythonMath("exp", Fails.WHERE_TOO_LARGE))
exp2: Function = unary("exp2", np.exp2, "2 to the power of `x`.", samples.analytic, lambda g, out,
    x: g * out * _math.log(2), work=Work.LONG, native=True, public="math.exp2",
    python=PythonMath("exp2", Fails.WHERE_TOO_LARGE))
expm1: Function = unary("expm1", np.expm1, "`exp(x) - 1`, exact near zero.", samples.analytic, lambda g, out,
    x: g * (out + 1), work=Work.LONG, native=True, public="math.expm1",
    python=PythonMath("expm1", Fails.WHERE_TOO_LARGE))
log: Function = unary("log", np.log, "The natural logarithm.", samples.analytic, lambda g, out, x: g / x,
    work=Work.LONG, native=True, public="math.log")
log2: Function = unary("log2", np.log2, "The logarithm of base 2.", samples.analytic,
             lambda g, out, x: g / (x * _math.log(2)), work=Work.LONG, native=True,
             python=PythonMath("log2", Fails.WHERE_INFINITE))
log10: Function = unary("log10", np.log10, "The logarithm of base 10.", samples.analytic,
              lambda g, out, x: g / (x * _math.log(10)), work=Work.LONG, native=True,
              python=PythonMath("log10", Fails.WHERE_INFINITE))
log1p: Function = unary("log1p", np.log1p, "`log(1 + x)`, exact near zero.", samples.analytic, lambda g, out,
    x: g / (x + 1), work=Work.LONG, native=True, public="math.log1p", python=PythonMath("log1p", Fails.WHERE_INFINITE))
logaddexp: Function = binary("logaddexp", np.logaddexp, "`log(exp(x) + exp(y))` without overflow.",
    samples.special_pairs,
                   lambda g, out, x, y: (sum_to(g * exp(x - out), x), sum_to(g * exp(y - out), y)),
                   work=Work.LONG, native=True)

# Trigonometric and hyperbolic functions.

sin: Function = unary("sin", np.sin, "The sine.", samples.analytic, lambda g, out, x: g * cos(x),
    work=Work.LONG, native=True, public="sin math.sin", python=PythonMath("sin", Fails.WHERE_INFINITE))
cos: Function = unary("cos", np.cos, "The cosine.", samples.analytic, lambda g, out, x: -g * sin(x),
    work=Work.LONG, native=True, public="cos math.cos", python=PythonMath("cos", Fails.WHERE_INFINITE))
tan: Function = unary("tan", np.tan, "The tangent.", samples.analytic, lambda g, out, x: g * (square(out) + 1),
    work=Work.LONG, native=True, public="tan math.tan", python=PythonMath("tan", Fails.WHERE_INFINITE))
asin: Function = unary("asin", np.arcsin, "The inverse sine.", samples.analytic, lambda g, out,
    x: g * rsqrt(1 - square(x)), op_name="arcsin", work=Work.LONG, native=True, public="asin math.asin",
    python=PythonMath("asin", Fails.WHERE_INFINITE))
acos: Function = unary("acos", np.arccos, "The inverse cosine.", samples.analytic, lambda g, out,
    x: -g * rsqrt(1 - square(x)), op_name="arccos", work=Work.LONG, native=True, public="acos math.acos",
    python=PythonMath("acos", Fails.WHERE_INFINITE))
atan: Function = unary("atan", np.arctan, "The inverse tangent.", samples.analytic, lambda g, out,
    x: g / (square(x) + 1), op_name="arctan", work=Work.LONG, native=True, public="atan math.atan",
    python=PythonMath("atan", Fails.NEVER))
sinh: Function = unary("sinh", np.sinh, "The hyperbolic sine.", samples.analytic, lambda g, out, x: g * cosh(x),
    work=Work.LONG, native=True, public="sinh math.sinh", python=PythonMath("sinh", Fails.WHERE_TOO_LARGE))
cosh: Function = unary("cosh", np.cosh, "The hyperbolic cosine.", samples.analytic, lambda g, out, x: g * sinh(x),
    work=Work.LONG, native=True, public="cosh math.cosh", python=PythonMath("cosh", Fails.WHERE_TOO_LARGE))
tanh: Function = unary("tanh", np.tanh, "The hyperbolic tangent.", samples.analytic, lambda g, out,
    x: g * (1 - square(out)), work=Work.LONG, native=True, public="tanh math.tanh nn.tanh",
    python=PythonMath("tanh", Fails.NEVER))
asinh: Function = unary("asinh", np.arcsinh, "The inverse hyperbolic sine.", samples.analytic,
              lambda g, out, x: g * rsqrt(square(x) + 1), op_name="arcsinh", work=Work.LONG, native=True,
              public="asinh math.asinh", python=PythonMath("asinh", Fails.NEVER))
acosh: Function = unary("acosh", np.arccosh, "The inverse hyperbolic cosine.", samples.above_one,
              lambda g, out, x: g / sinh(out), op_name="arccosh", work=Work.LONG, native=True,
              public="acosh math.acosh", python=PythonMath("acosh", Fails.WHERE_INFINITE))
atanh: Function = unary("atanh", np.arctanh, "The inverse hyperbolic tangent.", samples.analytic,
              lambda g, out, x: g / (1 - square(x)), op_name="arctanh", work=Work.LONG, native=True,
              public="atanh math.atanh", python=PythonMath("atanh", Fails.WHERE_INFINITE))
atan2: Function = binary("atan2", np.arctan2, "The angle of the point (`y`, `x`) to the first axis.",
    samples.special_pairs,
               lambda g, out, y, x: (sum_to(g * x / (square(x) + square(y)), y),
                                     sum_to(-g * y / (square(x) + square(y)), x)), op_name="arctan2",
               parameters="y x", work=Work.LONG, native=True, tensorflow_name="Atan2", public="atan2 math.atan2",
               python=PythonMath("atan2", Fails.NEVER))
hypot: Function = binary("hypot", np.hypot, "`sqrt(x * x + y * y)` without overflow.", samples.special_pairs,
               lambda g, out, x, y: (sum_to(g * x / out, x), sum_to(g * y / out, y)), native=True,
               python=PythonMath("hypot", Fails.WHERE_TOO_LARGE))
deg2rad: Function = unary("deg2rad", np.deg2rad, "Degrees to radians.", samples.floats,
                lambda g, out, x: g * (_math.pi / 180), native=True, python=PythonMath("radians", Fails.NEVER))
rad2deg: Function = unary("rad2deg", np.rad2deg, "Radians to degrees.", samples.floats,
                lambda g, out, x: g * (180 / _math.pi), native=True, python=PythonMath("degrees", Fails.NEVER))

# Rounding and floating-point structure.

floor: Function = unary("floor", np.floor, "Rounded down.", samples.reals, NOT_DIFFERENTIABLE, native=True,
    public="floor math.floor")
ceil: Function = unary("ceil", np.ceil, "Rounded up.", samples.reals, NOT_DIFFERENTIABLE, native=True,
    public="math.ceil")
trunc: Function = unary("trunc", np.trunc, "Rounded towards zero.", samples.reals, NOT_DIFFERENTIABLE, native=True)
rint: Function = unary("rint", np.rint, "Rounded to the nearest whole number, halves to even; a float.", samples.reals,
    NOT_DIFFERENTIABLE, native=True, public="math.rint")
nextafter: Function = binary("nextafter", np.nextafter, "The next number after `x1` towards `x2`.",
    samples.special_pairs, NOT_DIFFERENTIABLE, parameters="x1 x2", work=Work.LONG, native=True, public="math.nextafter")
copysign: Function = binary("copysign", np.copysign, "`x` with the sign of `y`.", samples.special_pairs,
                  lambda g, out, x, y: (sum_to(g * copysign(sign(x), x * y), x), None), native=True,
                  python=PythonMath("copysign", Fails.NEVER))
heaviside: Function = binary("heaviside", np.heaviside, "0 for `x < 0`, 1 for `x > 0`, `y` at 0.",
    samples.special_pairs, NOT_DIFFERENTIABLE)
is_nan: Function = unary("is_nan", np.isnan, "Whether `x` is NaN.", samples.numbers,
    NOT_DIFFERENTIABLE, op_name="isnan", native=True, tensorflow_name="IsNan", public="math.is_nan")
is_inf: Function = unary("is_inf", np.isinf, "Whether `x` is infinite.", samples.numbers,
    NOT_DIFFERENTIABLE, op_name="isinf", native=True, tensorflow_name="IsInf", public="math.is_inf")
is_finite: Function = unary("is_finite", np.isfinite, "Whether `x` is neither infinite nor NaN.", samples.numbers,
    NOT_DIFFERENTIABLE, op_name="isfinite", native=True, tensorflow_name="IsFinite", public="math.is_finite")
signbit: Function = unary("signbit", np.signbit, "Whether the sign is negative, also of -0.0.", samples.reals,
    NOT_DIFFERENTIABLE, native=True)

# Comparison: booleans, for strings as well.

equal: Function = binary("equal", np.equal, "`x == y`, element by element.", samples.equality_pairs, NOT_DIFFERENTIABLE,
    strings=True, expression="{} == {}", native=True, public="equal math.equal")
not_equal: Function = binary("not_equal", np.not_equal, "`x != y`.", samples.equality_pairs,
    NOT_DIFFERENTIABLE, strings=True,
    expression="{} != {}", native=True, public="not_equal math.not_equal")
less: Function = binary("less", np.less, "`x < y`.", samples.order_pairs,
    NOT_DIFFERENTIABLE, strings=True, expression="{} < {}", native=True, public="less math.less")
less_equal: Function = binary("less_equal", np.less_equal, "`x <= y`.", samples.order_pairs,
    NOT_DIFFERENTIABLE, strings=True,
    expression="{} <= {}", native=True, public="less_equal math.less_equal")
greater: Function = binary("greater", np.greater, "`x > y`.", samples.order_pairs, NOT_DIFFERENTIABLE, strings=True,
    expression="{} > {}", native=True, public="greater math.greater")
greater_equal: Function = binary("greater_equal", np.greater_equal, "`x >= y`.", samples.order_pairs,
    NOT_DIFFERENTIABLE,
    strings=True, expression="{} >= {}", native=True, public="greater_equal math.greater_equal")

# Logic (numbers count as true unless zero) and bits.

logical_and: Function = binary("logical_and", np.logical_and, "True where both are.", samples.boolean_pairs,
    NOT_DIFFERENTIABLE, native=True, identities=(neutral(1, True, "b"), absorbing(0, "b"), idempotent),
    public="logical_and math.logical_and")
logical_or: Function = binary("logical_or", np.logical_or, "True where one is.", samples.boolean_pairs,
    NOT_DIFFERENTIABLE, native=True, identities=(neutral(0, True, "b"), absorbing(1, "b"), idempotent),
    public="logical_or math.logical_or")
logical_xor: Function = binary("logical_xor", np.logical_xor, "True where just one is.", samples.boolean_pairs,
    NOT_DIFFERENTIABLE, native=True, identities=(neutral(0, True, "b"),), public="math.logical_xor")
_OPPOSITE = opposite(
    {records.equal: records.not_equal, records.not_equal: records.equal},
    {records.less: records.greater_equal, records.greater_equal: records.less,
     records.greater: records.less_equal, records.less_equal: records.greater},
)
logical_not: Function = unary("logical_not", np.logical_not, "True where `x` is not.", samples.booleans,
    NOT_DIFFERENTIABLE, native=True, identities=(not_not, _OPPOSITE), public="logical_not math.logical_not")
bitwise_and: Function = binary("bitwise_and", np.bitwise_and, "`x & y`.", samples.bit_pairs,
    NOT_DIFFERENTIABLE, expression="{} & {}", native=True,
    identities=(idempotent, neutral(1, True, "b"), neutral(-1, True, "i"), absorbing(0, "biu")),
    public="bitwise.bitwise_and")
bitwise_or: Function = binary("bitwise_or", np.bitwise_or, "`x | y`.", samples.bit_pairs,
    NOT_DIFFERENTIABLE, expression="{} | {}", native=True,
    identities=(idempotent, neutral(0, True, "biu"), absorbing(1, "b")), public="bitwise.bitwise_or")
bitwise_xor: Function = binary("bitwise_xor", np.bitwise_xor, "`x ^ y`.", samples.bit_pairs,
    NOT_DIFFERENTIABLE, expression="{} ^ {}", native=True, identities=(neutral(0, True, "biu"),),
    public="bitwise.bitwise_xor")
invert: Function = unary("invert", np.invert, "`~x`.", samples.bits, NOT_DIFFERENTIABLE, expression="~{}", native=True,
    identities=(own_inverse,), public="bitwise.invert")
left_shift: Function = binary("left_shift", np.left_shift, "`x << y`.", samples.shift_pairs, NOT_DIFFERENTIABLE,
    expression="{} << {}", numeric=True, native=True, quiet=SHIFT, identities=(neutral(0, False, "iu"),),
    public="bitwise.left_shift")
right_shift: Function = binary("right_shift", np.right_shift, "`x >> y`, keeping the sign.", samples.shift_pairs,
    NOT_DIFFERENTIABLE,
    expression="{} >> {}", numeric=True, native=True, quiet=SHIFT, identities=(neutral(0, False, "iu"),),
    public="bitwise.right_shift")

# Special functions.

erf: Function = unary("erf", kernels.erf, "The error function.", samples.floats,
            lambda g, out, x: g * (2 / _math.sqrt(_math.pi)) * exp(-square(x)), infer=to_float,
            work=Work.LONG, native=True, public="math.erf", python=PythonMath("erf", Fails.NEVER))
erfc: Function = unary("erfc", kernels.erfc, "One minus the error function.", samples.floats,
             lambda g, out, x: g * (-2 / _math.sqrt(_math.pi)) * exp(-square(x)), infer=to_float,
             work=Work.LONG, native=True, public="math.erfc", python=PythonMath("erfc", Fails.NEVER))
lgamma: Function = unary("lgamma", kernels.lgamma, "The logarithm of the absolute value of the gamma function.",
    samples.floats,
               lambda g, out, x: g * digamma(x), infer=to_float, public="math.lgamma",
               python=PythonMath("lgamma", Fails.WHERE_INFINITE))
digamma: Function = unary("digamma", kernels.digamma, "The derivative of `lgamma`.", samples.floats,
                          lambda g, out, x: g * polygamma_op(x, order=1), infer=to_float, public="math.digamma")
sinc: Function = unary("sinc", kernels.sinc, "`sin(pi x) / (pi x)`, and 1 at 0.", samples.floats,
                       lambda g, out, x: g * _sinc_slope(x, out), infer=to_float)
i0: Function = unary("bessel_i0", kernels.bessel_i0, "The modified Bessel function of order 0.", samples.floats,
                     lambda g, out, x: g * i1(x), infer=to_float, op_name="i0", total=None, public="math.bessel_i0")
i1: Function = unary("bessel_i1", special.bessel_i1, "The modified Bessel function of order 1.", samples.floats,
                     lambda g, out, x: g * _i1_slope(x, out), infer=reals_to_float, op_name="i1", total=None,
                     public="math.bessel_i1")
polygamma_op: Op = op(
    "polygamma", infer=reals_to_float, numpy=special.polygamma,
    gradient=lambda g, out, x, order: (g * polygamma_op(x, order=order + 1),),
    samples=lambda: [(x, {"order": n}) for x, _ in samples.floats() for n in (1, 2)],
    doc="The derivative of `digamma`, of a positive order.", attributes=kinds("order"),
)


erfinv: Function = unary("erfinv", special.erfinv, "The inverse of the error function; infinite at -1 and 1.",
                         lambda: [*samples.unit_interval(), samples.sample([-1.0, 1.0, 0.0, -0.999999, 2.0])],
                         lambda g, out, x: g * (_math.sqrt(_math.pi) / 2) * exp(square(out)), infer=reals_to_float,
                         total=None, public="math.erfinv")


def polygamma(a: int, x: TensorLike, name: str | None = None) -> Tensor:
    """The derivative of order `a` (a Python int) of `digamma`; of order 0, `digamma` itself."""
    return digamma(x, name) if a == 0 else polygamma_op(x, order=int(a), name=name)


# What gradients share.


def _where(condition: object, x: TensorLike, y: TensorLike) -> Any:
    return OPS["where"](condition, x, y)


def _chosen(g: Tensor, x: Tensor, y: Tensor, first: object) -> tuple[Any, Any]:
    """The gradient for the one of two numbers that was chosen."""
    zero = zeros(g)
    return sum_to(_where(first, g, zero), x), sum_to(_where(first, zero, g), y)


def _nonzero(x: Tensor) -> Any:
    return cast_like(not_equal(x, 0), x)


def _safe_log(x: Any) -> Any:
    """The logarithm where it is finite (of positive or complex numbers), 0 elsewhere."""
    good = not_equal(x, 0) if x.dtype.is_complex else greater(x, 0)
    return _where(good, log(_where(good, x, 1)), 0)


def _sinc_slope(x: Any, out: Tensor) -> Any:
    """The derivative of `sinc`: its Taylor series near 0, where the quotient loses precision."""
    small = absolute(x) < 0.1
    square_ = square(_where(small, x, 0) * _math.pi)
    series = 1 - square_ / 10 * (1 - square_ / 28 * (1 - square_ / 54 * (1 - square_ / 88)))
    safe = _where(small, 1, x)
    return _where(small, x * (-(_math.pi**2) / 3) * series, (cos(safe * _math.pi) - sinc(safe)) / safe)


def _i1_slope(x: TensorLike, out: Tensor) -> Any:
    zero = equal(x, 0)
    return i0(x) - _where(zero, 0.5, out / _where(zero, 1, x))


@FUNCTIONS.give
def round_to(x: TensorLike, digits: int | None = None) -> Any:
    """What `round(x, digits)` means for a tensor: to whole numbers as integers, or to decimal places."""
    rounded = OPS["round"](x, decimals=0 if digits is None else digits)
    if digits is not None or not rounded.dtype.is_floating:
        return rounded
    if isinstance(rounded, EagerTensor):
        _require_integers(rounded.numpy())
    return cast(rounded, "int64")


def _require_integers(numbers: Any) -> None:
    """Raises what `round` of a Python float does, where there is no int64."""
    if np.isnan(numbers).any():
        raise ValueError("cannot convert float NaN to integer")
    if np.isinf(numbers).any():
        raise OverflowError("cannot convert float infinity to integer")
    if (abs(numbers) >= 2.0**63).any():
        raise OverflowError("float too large to convert to int64; use tf.round(x), which stays a float")


__all__ = ["polygamma", *[name for name, value in list(globals().items()) if hasattr(value, "op")]]
