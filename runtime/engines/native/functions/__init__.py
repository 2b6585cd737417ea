"""Elementary functions written in branch-free IR, so that LLVM can vectorise loops that call them.

=======================  ====================================================================  =====================
function                 method                                                                error (ulps), at most
=======================  ====================================================================  =====================
exp, exp2                ``2**k * exp(r)`` with ``|r| <= log(2)/2`` and the Taylor series      2
expm1, tanh, sinh, cosh  ``q = (exp(r) - 1) * 2**(k-2) + (2**(k-2) - 1/4)`` by the same        2, 3, 3, 2
                         reduction; ``4*q``, ``q / (q + 1/2)``, ``2 * (q + q/(4*q + 1))``
log                      ``k*log(2) + log(m)`` with ``sqrt(1/2) <= m < sqrt(2)``, by the       1
                         series of ``log((1+s)/(1-s))``; float32 by a polynomial
log2, log10              the same, ``log(m)`` and ``1/log(base)`` in two parts each            1
log1p                    the logarithm of the rounded sum and what its rounding left out       1
arcsinh, arccosh         ``log1p`` of what keeps all digits near the zero of the function      3
arctanh                  ``log1p(2*x / (1-x)) / 2``                                            3
logaddexp                the larger one plus ``log1p(exp(-abs(x-y)))``                         3, of ``x-y`` too
power                    ``2**(y * log2(x))``, the logarithm and the product in two parts       2 (float32: 1)
cbrt                     a polynomial for the mantissa, a step of Halley's method              1
hypot                    the root of the sum of squares, scaled; float32 in float64            2 (float32: 1)
sin, cos                 ``x - k*(pi/2)``, pi/2 in three parts; Taylor series up to pi/4       2
tan                      their quotient                                                        4
arctan, arctan2          ``pi/4 + arctan((x-1)/(x+1))``, ``pi/2 - arctan(1/x)``; a polynomial  2, 3
                         up to tan(pi/8)
arcsin, arccos           a polynomial up to 1/2; above, by way of ``sqrt((1-x)/2)``            2
erf                      ``x * P(x²)`` up to 1; above, ``1 - erfc(x)`` (float32: a polynomial)  2
erfc                     ``exp(-x²) * P((x-c)/(x+c)) / (1+2*x)`` from 1/2 on, x² in two parts  4
=======================  ====================================================================  =====================

The bounds, for float32 and float64, are tested against float64, long double or series of many digits. NaN, infinities,
zeros of both signs and subnormal numbers give what they give in NumPy. ``sin``, ``cos`` and ``tan`` of more than a
million, and ``power`` where no instruction multiplies and adds at once, are calls of the C library (see library.py).

The reductions are those of W. J. Cody and W. Waite, "Software Manual for the Elementary Functions" (1980): a constant
in parts, the first of which are exact when they are multiplied with an integer. ``log1p`` is W. Kahan's; the form of
``erfc`` is that of M. M. Shepherd and J. G. Laframboise, Mathematics of Computation 36 (1981); all polynomials that are
no Taylor series interpolate the function at Chebyshev nodes, computed with 70 digits.
"""

from __future__ import annotations

from .circular import arccos, arcsin, arctan, arctan2, cos, sin, tan
from .errors import erf, erfc
from .exponentials import cosh, exp, exp2, expm1, sinh, tanh
from .formats import Format
from .library import unless_far
from .logarithms import arccosh, arcsinh, arctanh, log, log1p, log1p_of_exp, log2, log10, logaddexp
from .powers import cbrt, hypot, power

__all__ = [
    "Format", "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctan2", "arctanh", "cbrt", "cos", "cosh", "erf",
    "erfc", "exp", "exp2", "expm1", "hypot", "log", "log1p", "log1p_of_exp", "log2", "log10", "logaddexp", "power",
    "sin", "sinh", "tan", "tanh", "unless_far",
]  # fmt: skip
