"""Special functions, by the formulas of our kernels: see `ops.kernels`, which names their sources. In float64."""

from __future__ import annotations

import math
from collections.abc import Sequence

from .....base.dtypes import float32, float64
from .....ir.graph import Node
from .....ir.op import OPS, lowers
from .....ops.kernels import common, special
from ..lowering import Lowering
from ..supported import ENGINE
from ..values import Value
from .analysis import in_double, log1p
from .elementwise import dtype_of, filled, is_nan, with_sign


def _exp(x: Value) -> Value:
    return x.here.add("Exp", x)


def _log(x: Value) -> Value:
    return x.here.add("Log", x)


def _sqrt(x: Value) -> Value:
    return x.here.add("Sqrt", x)


def _polynomial(coefficients: Sequence[float], x: Value) -> Value:
    """By Horner's rule, the highest power first."""
    result: Value = filled(x, coefficients[0])
    for each in coefficients[1:]:
        result = result * x + each
    return result


def _quotient(coefficients: tuple[Sequence[float], Sequence[float]], x: Value) -> Value:
    return _polynomial(coefficients[0], x) / _polynomial(coefficients[1], x)


def _at_least(x: Value, least: float) -> Value:
    return x.here.add("Max", x, x.here.constant(least, x.dtype))


def _at_most(x: Value, most: float) -> Value:
    return x.here.add("Min", x, x.here.constant(most, x.dtype))


# Error functions


def _erfc_of_positive(x: Value) -> Value:
    bounded = _at_least(x, 1.0)
    inverse = 1 / (bounded * bounded)
    large = (1 / math.sqrt(math.pi) - inverse * _quotient(common.ERFC_LARGE, inverse)) / bounded
    middle = _quotient(common.ERFC_MIDDLE, _at_most(x, 4.0))
    size = _at_most(x, 30.0)
    high = size.cast(float32).cast(float64)
    exponential = _exp(-(high * high)) * _exp((high - size) * (high + size))
    return exponential * x.here.where(x > 4, large, middle)


def _near(x: Value) -> Value:
    small = _at_most(abs(x), 0.5)
    return x * _quotient(common.ERF_SMALL, small * small)


def erf(x: Value) -> Value:
    """The error function of float64."""
    size = abs(x)
    far = with_sign(1 - _erfc_of_positive(_at_least(size, 0.46875)), x)
    result = x.here.where(size <= 0.46875, _near(x), far)
    return x.here.where(is_nan(x), x, result)


def erfc(x: Value) -> Value:
    """One minus the error function."""
    here, size = x.here, abs(x)
    tail = _erfc_of_positive(_at_least(size, 0.46875))
    result = here.where(size <= 0.46875, 1 - _near(x), here.where(x > 0, tail, 2 - tail))
    return here.where(is_nan(x), x, result)


@lowers(ENGINE, OPS["erf"])
def _erf(here: Lowering, node: Node, x: Value) -> Value:
    """As an operator for short floats."""
    x = x.cast(dtype_of(node))
    return erf(x) if x.dtype is float64 else here.add("Erf", x)


in_double(erfc, "erfc")


def _erfinv(x: Value) -> Value:
    here, size = x.here, abs(x)
    inner = here.where(size < 1, size, 0.5)
    w = -_log((1 - inner) * (1 + inner))
    far = _polynomial(special.FAR, _sqrt(_at_least(w, 5)) - 3)
    root = here.where(w < 5, _polynomial(special.NEAR, w - 2.5), far) * inner
    for _ in range(3):
        miss = here.where(inner > 0.5, (1 - inner) - erfc(root), erf(root) - inner)
        root = root - miss * (math.sqrt(math.pi) / 2) * _exp(root * root)
    result = here.where(size < 1, root, here.where(size.equals(1), math.inf, filled(x, math.nan)))
    return with_sign(result, x)


def _erfcinv(x: Value) -> Value:
    """By so many steps as the slowest numbers take."""
    here = x.here
    low = here.add("Min", x, 2 - x)
    inside = here.where((low > 0) & (low < 2), low, 0.5)
    root = _sqrt(_at_least(-_log(inside * math.sqrt(math.pi)), 0.0))
    wanted = _log(inside)
    for _ in range(8):
        value = _at_least(erfc(root), 1e-320)
        slope = value * (math.sqrt(math.pi) / 2) * _exp(_at_most(root * root, 709.0))
        root = root + (_log(value) - wanted) * slope
    result = here.where(x > 1, -root, root)
    result = here.where(low > 0.5, _erfinv(1 - _at_most(_at_least(x, 0.5), 1.5)), result)
    result = here.where(x.equals(2), -math.inf, here.where(x.equals(1), 0.0, result))
    result = here.where(x.equals(0), math.inf, result)
    return here.where((x < 0) | (x > 2) | is_nan(x), math.nan, result)


in_double(_erfinv, "erfinv")
in_double(_erfcinv, "erfcinv")
in_double(lambda x: -math.sqrt(2) * _erfcinv(2 * x), "ndtri")


def _logit(p: Value) -> Value:
    return p.here.where(p < 0.25, _log(p / (1 - p)), log1p((2 * p - 1) / (1 - p)))


def _sinc(x: Value) -> Value:
    here = x.here
    angle = math.pi * here.where(x.equals(0), 1.0e-20, x)
    return here.add("Sin", angle) / angle


in_double(_logit, "logit")
in_double(_sinc, "sinc")

# Gamma functions


def _lgamma(x: Value) -> Value:
    here = x.here
    reflected = x < 0.5
    z = here.where(reflected, 1 - x, x) - 1
    series: Value = filled(x, common.LANCZOS[0])
    for i, c in enumerate(common.LANCZOS[1:], 1):
        series = series + c / (z + i)
    t = z + 7.5
    value = 0.5 * math.log(2 * math.pi) + (z + 0.5) * _log(t) - t + _log(series)
    value = here.where(z.equals(math.inf), math.inf, value)
    sine = here.add("Sin", math.pi * (x - here.add("Floor", x)))
    reflection = math.log(math.pi) - _log(abs(sine)) - value
    exact = here.where(x.equals(1) | x.equals(2), 0.0, here.where(reflected, reflection, value))
    return here.where(x.equals(-math.inf), math.inf, exact)


def _digamma(x: Value) -> Value:
    here = x.here
    pole = (x <= 0) & x.equals(here.add("Floor", x))
    reflected = x < 0.5
    z = here.where(reflected, 1 - x, x)
    shift: Value = filled(x, 0.0)
    for _ in range(8):
        low = z < 8
        shift = shift - here.where(low, 1 / z, 0.0)
        z = here.where(low, z + 1, z)
    inverse = 1 / (z * z)
    tail = inverse * (1 / 12 - inverse * (1 / 120 - inverse * (1 / 252 - inverse * (1 / 240 - inverse / 132))))
    value = _log(z) - 0.5 / z - tail + shift
    angle = math.pi * here.where(pole, 0.25, x)
    value = here.where(reflected, value - math.pi / (here.add("Sin", angle) / here.add("Cos", angle)), value)
    return here.where(pole, math.nan, value)


in_double(_lgamma, "lgamma")
in_double(_digamma, "digamma")

# Bessel functions


def _tail(size: Value, order: int) -> Value:
    """The asymptotic series, without the exponential."""
    terms = [1.0]
    for k in range(1, 25):
        terms.append(terms[-1] * -(4 * order - (2 * k - 1) ** 2) / (8 * k))
    large = _at_least(size, 30.0)
    return _polynomial(terms[::-1], 1 / large) / _sqrt(2 * math.pi * large)


def _series(size: Value, order: int) -> Value:
    small = _at_most(size, 30.0) / 2
    powers = [1.0]
    for k in range(1, 80):
        powers.append(powers[-1] / (k * (k + order)))
    result = _polynomial(powers[::-1], small * small)
    return small * result if order else result


def _bessel(x: Value, order: int, is_scaled: bool) -> Value:
    here, size = x.here, abs(x)
    near, far = _series(size, order), _tail(size, order)
    if is_scaled:
        near = near * _exp(-_at_most(size, 30.0))
    else:
        far = far * _exp(_at_least(size, 30.0))
    result = here.where(size <= 30, near, far)
    result = here.where(is_nan(x), x, result)
    return here.where(x < 0, -result, result) if order else result


in_double(lambda x: _bessel(x, 0, False), "i0")
in_double(lambda x: _bessel(x, 1, False), "i1")
in_double(lambda x: _bessel(x, 0, True), "bessel_i0e")
in_double(lambda x: _bessel(x, 1, True), "bessel_i1e")
