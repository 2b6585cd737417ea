"""Kernels of special functions that NumPy lacks and gradients need."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...base.dtypes import Array
from . import common as kernels

# B(2k) / (2k)!, of the Euler-Maclaurin formula.
BERNOULLI = [1 / 12, -1 / 720, 1 / 30240, -1 / 1209600, 1 / 47900160, -691 / 1307674368000, 1 / 74724249600]
_SHIFT = 12.0
_MOST_STEPS = 10_000


def as_float(x: Array) -> tuple[Any, Any]:
    """The numbers as float64, and the dtype of the result."""
    array = np.asarray(x)
    return array.astype(np.float64), array.dtype if array.dtype.kind == "f" else np.exp(array.reshape(-1)[:0]).dtype


def polygamma(x: Array, order: int) -> Any:
    """The derivative of a positive order of digamma, through Hurwitz' zeta function.

    Abramowitz & Stegun, 6.4.10 and 23.2: a sum of powers up to numbers beyond 12, and Euler-Maclaurin for the rest.
    NaN for numbers below -10000, infinite (of order 1) or NaN at the poles.
    """
    z, dtype = as_float(x)
    z = np.atleast_1d(z).copy()
    power = order + 1
    total = np.zeros_like(z)
    for _ in range(_MOST_STEPS):
        low = z < _SHIFT
        if not low.any():
            break
        total[low] += z[low] ** -power
        z[low] += 1
    else:
        z[z < _SHIFT] = np.nan
    total += z ** (1 - power) / (power - 1) + 0.5 * z**-power
    factor = float(power)
    for k, coefficient in enumerate(BERNOULLI):
        total += coefficient * factor * z ** (-power - 2 * k - 1)
        factor *= (power + 2 * k + 1) * (power + 2 * k + 2)
    result = (-1) ** (order + 1) * math.factorial(order) * total
    return result.reshape(np.shape(x)).astype(dtype)


def logit(x: Array) -> Any:
    """The logarithm of ``x / (1 - x)``; from 1/4 on by what that is above 1, which is exact near 1/2."""
    p, dtype = as_float(x)
    return np.where(p < 0.25, np.log(p / (1 - p)), np.log1p((2 * p - 1) / (1 - p))).astype(dtype)


# M. Giles, "Approximating the erfinv function" (2010), for single precision: in w - 2.5, and in sqrt(w) - 3.
NEAR = (2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06, 0.00021858087, -0.00125372503,
         -0.00417768164, 0.246640727, 1.50140941)  # fmt: skip
FAR = (-0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773, -0.0076224613, 0.00943887047,
        1.00167406, 2.83297682)  # fmt: skip


def erfinv(x: Array) -> Any:
    """The inverse of erf, by a polynomial and Newton steps; infinite at -1 and 1, NaN beyond."""
    values, dtype = as_float(x)
    size = np.abs(values).astype(np.float64)
    inner = np.where(size < 1, size, 0.5)
    w = -np.log((1 - inner) * (1 + inner))
    root = np.where(w < 5, np.polyval(NEAR, w - 2.5), np.polyval(FAR, np.sqrt(np.maximum(w, 5)) - 3)) * inner
    for _ in range(3):
        miss = np.where(inner > 0.5, (1 - inner) - kernels.erfc(root), kernels.erf(root) - inner)
        root = root - miss * (math.sqrt(math.pi) / 2) * np.exp(root * root)
    result = np.where(size < 1, root, np.where(size == 1, np.inf, np.nan))
    return np.copysign(result, values).astype(dtype)


def bessel_i1(x: Array) -> Any:
    """The modified Bessel function of order 1: its power series, and beyond 30 the asymptotic one.

    Abramowitz & Stegun, 9.6.10 and 9.7.1.
    """
    z, dtype = as_float(x)
    size = np.abs(z)
    small, large = np.minimum(size, 30.0), np.maximum(size, 30.0)
    term = small / 2
    series = term.copy()
    for k in range(1, 80):
        term = term * (small / 2) ** 2 / (k * (k + 1))
        series = series + term
    term = np.ones_like(large)
    tail = term.copy()
    for k in range(1, 25):
        term = term * -(4 - (2 * k - 1) ** 2) / (k * 8 * large)
        tail = tail + term
    tail = tail * np.exp(large) / np.sqrt(2 * math.pi * large)
    return np.asarray(np.copysign(np.where(size <= 30, series, tail), z)).astype(dtype)
