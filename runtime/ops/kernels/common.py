"""NumPy kernels that are more than one NumPy call.

Every kernel takes arrays and attributes and returns an array (or a NumPy scalar for no dimensions), in the
dtype that the op's inference promises.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from autograph.errors import InvalidArgumentError

from ...base.dtypes import DType
from .integers import float_to_integer

Array = Any


def as_string(value: Array) -> Array:
    """NumPy gives plain ``bytes`` for 0-d object arrays: make them arrays again, so that no NUL byte gets lost."""
    if type(value) is np.ndarray:
        return value
    array = np.empty((), object)
    array[()] = value
    return array


def rsqrt(x: Array) -> Array:
    return np.reciprocal(np.sqrt(x))


def round_half_to_even(x: Array, decimals: int = 0) -> Array:
    """`np.round`, which for whole numbers and no decimals is the identity."""
    if decimals == 0:
        return x if x.dtype.kind in "iu" else np.rint(x)
    return np.round(x, decimals)


def truncate_divide(x: Array, y: Array) -> Array:
    """Division that rounds towards zero, exact for integers of any size."""
    if np.result_type(x, y).kind not in "iub":
        return np.trunc(np.divide(x, y))
    quotient = np.floor_divide(x, y)
    inexact = (quotient < 0) & (quotient * y != x)
    return quotient + inexact.astype(quotient.dtype)


def divide_no_nan(x: Array, y: Array) -> Array:
    """`x / y`, and zero where `y` is zero."""
    zero = np.equal(y, 0)
    result = np.divide(x, np.where(zero, np.ones((), y.dtype), y))
    return np.where(zero, np.zeros((), result.dtype), result)


def multiply_no_nan(x: Array, y: Array) -> Array:
    """`x * y`, and zero where `y` is zero even if `x` is infinite or not a number."""
    result = np.multiply(x, y)
    return np.where(np.equal(y, 0), np.zeros((), result.dtype), result)


def xlogy(x: Array, y: Array) -> Array:
    """`x * log(y)`, and zero where `x` is zero."""
    result = np.multiply(x, np.log(y))
    return np.where(np.equal(x, 0), np.zeros((), result.dtype), result)


def xlog1py(x: Array, y: Array) -> Array:
    """`x * log1p(y)`, and zero where `x` is zero."""
    result = np.multiply(x, np.log1p(y))
    return np.where(np.equal(x, 0), np.zeros((), result.dtype), result)


def xdivy(x: Array, y: Array) -> Array:
    """`x / y`, and zero where `x` is zero."""
    result = np.divide(x, y)
    return np.where(np.equal(x, 0), np.zeros((), result.dtype), result)


def clip(x: Array, low: Array, high: Array) -> Array:
    return np.minimum(np.maximum(x, low), high)


def cast(x: Array, dtype: DType) -> Array:
    """`x` in another dtype, as C converts it: fractions are cut off, integers wrap around."""
    target, source = dtype.numpy, x.dtype
    assert (source.kind == "O") is (target.kind == "O"), "inference has refused it"
    if source.kind == "c" and target.kind not in "cb":
        x = x.real
    if x.dtype.kind == "f" and target.kind in "iu":
        return float_to_integer(x, target)
    return x.astype(target, copy=False)


def add_n(*values: Array) -> Array:
    """The sum of arrays of one shape and dtype, with one array for the result."""
    if len(values) == 1:
        return values[0]
    total = np.add(values[0], values[1])
    for value in values[2:]:
        total = np.add(total, value, out=total) if isinstance(total, np.ndarray) else np.add(total, value)
    return total


def float_type(dtype: Any) -> Any:
    """The floating dtype in which NumPy computes `exp` and the like of `dtype`."""
    dtype = np.dtype(dtype)
    return dtype if dtype.kind in "fc" else np.exp.resolve_dtypes((dtype, None))[1]


# Cody's rational approximations: W. J. Cody, "Rational Chebyshev approximations for the error function",
# Mathematics of Computation 23 (1969). Three ranges of |x|, each a quotient of polynomials.
ERF_SMALL = (
    (1.85777706184603153e-1, 3.16112374387056560e0, 1.13864154151050156e2, 3.77485237685302021e2,
     3.20937758913846947e3),
    (1.0, 2.36012909523441209e1, 2.44024637934444173e2, 1.28261652607737228e3, 2.84423683343917062e3),
)
ERFC_MIDDLE = (
    (2.15311535474403846e-8, 5.64188496988670089e-1, 8.88314979438837594e0, 6.61191906371416295e1,
     2.98635138197400131e2, 8.81952221241769090e2, 1.71204761263407058e3, 2.05107837782607147e3,
     1.23033935479799725e3),
    (1.0, 1.57449261107098347e1, 1.17693950891312499e2, 5.37181101862009858e2, 1.62138957456669019e3,
     3.29079923573345963e3, 4.36261909014324716e3, 3.43936767414372164e3, 1.23033935480374942e3),
)
ERFC_LARGE = (
    (1.63153871373020978e-2, 3.05326634961232344e-1, 3.60344899949804439e-1, 1.25781726111229246e-1,
     1.60837851487422766e-2, 6.58749161529837803e-4),
    (1.0, 2.56852019228982242e0, 1.87295284992346047e0, 5.27905102951428412e-1, 6.05183413124413191e-2,
     2.33520497626869185e-3),
)


def _quotient(coefficients: tuple[tuple[float, ...], tuple[float, ...]], x: Array) -> Array:
    return np.polyval(coefficients[0], x) / np.polyval(coefficients[1], x)


def _erfc_of_positive(x: Array) -> Array:
    """`erfc` for float64 `x >= 0.46875`."""
    inverse = 1 / np.square(np.maximum(x, 1.0))
    large = (1 / math.sqrt(math.pi) - inverse * _quotient(ERFC_LARGE, inverse)) / np.maximum(x, 1.0)
    middle = _quotient(ERFC_MIDDLE, np.minimum(x, 4.0))
    # x² in two parts, the first of which is exact: what is rounded away of it would be seen in large exponentials
    size = np.minimum(x, 30.0)
    high = size.astype(np.float32).astype(np.float64)
    exponential = np.exp(-np.square(high)) * np.exp((high - size) * (high + size))
    return exponential * np.where(x > 4, large, middle)


def erf(x: Array) -> Array:
    """The error function, to about 1e-15."""
    result = float_type(x.dtype)
    x = x.astype(np.float64)
    size = np.abs(x)
    small = np.minimum(size, 0.5)
    near = x * _quotient(ERF_SMALL, np.square(small))
    far = np.copysign(1 - _erfc_of_positive(np.maximum(size, 0.46875)), x)
    return np.where(np.isnan(x), x, np.where(size <= 0.46875, near, far)).astype(result)


def erfc(x: Array) -> Array:
    """One minus the error function, without loss of digits for large `x`."""
    result = float_type(x.dtype)
    x = x.astype(np.float64)
    size = np.abs(x)
    tail = _erfc_of_positive(np.maximum(size, 0.46875))
    near = 1 - x * _quotient(ERF_SMALL, np.square(np.minimum(size, 0.5)))
    return np.where(np.isnan(x), x, np.where(size <= 0.46875, near, np.where(x > 0, tail, 2 - tail))).astype(result)


# Lanczos' approximation with g = 7 and nine terms (coefficients by P. Godfrey), good to about 1e-15.
LANCZOS = (
    0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
    12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
)


def lgamma(x: Array) -> Array:
    """The logarithm of the absolute value of the gamma function."""
    result = float_type(x.dtype)
    x = np.asarray(x, np.float64)
    reflected = x < 0.5
    z = np.where(reflected, 1 - x, x) - 1
    series = LANCZOS[0] + sum(c / (z + i) for i, c in enumerate(LANCZOS[1:], 1))
    t = z + 7.5
    value = 0.5 * math.log(2 * math.pi) + (z + 0.5) * np.log(t) - t + np.log(series)
    value = np.where(np.isposinf(z), np.inf, value)
    reflection = math.log(math.pi) - np.log(np.abs(np.sin(math.pi * (x - np.floor(x))))) - value
    exact = np.where((x == 1) | (x == 2), 0.0, np.where(reflected, reflection, value))
    return np.where(np.isneginf(x), np.inf, exact).astype(result)


def digamma(x: Array) -> Array:
    """The derivative of `lgamma`: recurrence up to 6, then the asymptotic series (Bernardo, AS 103)."""
    result = float_type(x.dtype)
    x = np.asarray(x, np.float64)
    pole = (x <= 0) & (x == np.floor(x))
    reflected = x < 0.5
    z = np.where(reflected, 1 - x, x)
    shift = np.zeros_like(z)
    for _ in range(8):
        low = z < 8
        shift = shift - np.where(low, 1 / z, 0.0)
        z = np.where(low, z + 1, z)
    inverse = 1 / np.square(z)
    tail = inverse * (1 / 12 - inverse * (1 / 120 - inverse * (1 / 252 - inverse * (1 / 240 - inverse / 132))))
    value = np.log(z) - 0.5 / z - tail + shift
    value = np.where(reflected, value - math.pi / np.tan(math.pi * np.where(pole, 0.25, x)), value)
    return np.where(pole, np.nan, value).astype(result)


def softmax(x: Array, axis: int = -1) -> Array:
    """`exp(x) / sum(exp(x))`, shifted by the maximum so that nothing overflows."""
    if x.size == 0:
        return x
    shifted = np.exp(x - np.max(x, axis=axis, keepdims=True))
    return np.divide(shifted, np.sum(shifted, axis=axis, keepdims=True), dtype=x.dtype)


def log_softmax(x: Array, axis: int = -1) -> Array:
    """The logarithm of `softmax`, without forming it."""
    if x.size == 0:
        return x
    shifted = x - np.max(x, axis=axis, keepdims=True)
    return shifted - np.log(np.sum(np.exp(shifted), axis=axis, keepdims=True))


def sigmoid(x: Array) -> Array:
    """`1 / (1 + exp(-x))`; for large negative `x` the exponential overflows to the right result, zero."""
    one = np.ones((), float_type(x.dtype))
    return np.divide(one, one + np.exp(np.negative(x, dtype=one.dtype)))


def softplus(x: Array) -> Array:
    """`log(1 + exp(x))` without overflow."""
    return np.logaddexp(x, np.zeros((), x.dtype))


def relu(x: Array) -> Array:
    return np.maximum(x, np.zeros((), x.dtype))


def check_labels(labels: Array, classes: int) -> None:
    """Raise when a label does not lie in `[0, classes)`."""
    if labels.size and (labels.min() < 0 or labels.max() >= classes):
        bad = labels[(labels < 0) | (labels >= classes)].flat[0]
        raise InvalidArgumentError(f"the label {bad} lies outside the valid range [0, {classes})")


def sparse_softmax_cross_entropy(labels: Array, logits: Array) -> Array:
    """Minus the log-probability of the labelled class, per row."""
    check_labels(labels, logits.shape[-1])
    picked = np.take_along_axis(log_softmax(logits), labels[..., None].astype(np.intp), axis=-1)
    return np.negative(picked[..., 0])


def softmax_cross_entropy(labels: Array, logits: Array) -> Array:
    return np.negative(np.sum(labels * log_softmax(logits), axis=-1))


def sigmoid_cross_entropy(labels: Array, logits: Array) -> Array:
    """`max(x, 0) - x * z + log(1 + exp(-abs(x)))`, stable for both signs."""
    return relu(logits) - logits * labels + np.log1p(np.exp(-np.abs(logits)))


def sinc(x: Array) -> Array:
    """`sin(pi x) / (pi x)`, and one at zero."""
    return np.asarray(np.sinc(x.astype(float_type(x.dtype))), dtype=float_type(x.dtype))


def bessel_i0(x: Array) -> Array:
    """The modified Bessel function of order zero."""
    return np.asarray(np.i0(x.astype(np.float64)), dtype=float_type(x.dtype)).reshape(x.shape)
