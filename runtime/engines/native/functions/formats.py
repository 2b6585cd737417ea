"""Arithmetic in one floating-point type, as the elementary functions need it: polynomials, powers of two, bits."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ....base.dtypes import DType, bool_, float32, float64, int32, int64
from ..emit.emitter import Emitter, type_of

__all__ = ["Format"]


class Format:
    """A floating-point type, and shorthands for instructions on registers of it.

    Attributes
    ----------
    single: whether it is float32. integer: the integers of the same size. mantissa, bias: of its layout.
    tiny: a number so small that ``f(x)`` is `x` itself for the functions with ``f(x) = x + O(x**2)``.
    """

    def __init__(self, e: Emitter, dtype: DType) -> None:
        self.e, self.dtype = e, dtype
        self.single = dtype is float32
        self.integer = int32 if self.single else int64
        self.mantissa, self.bias = (23, 127) if self.single else (52, 1023)
        self.tiny = 2.0 ** -(self.mantissa + 3)
        self.kind, self.integers = type_of(dtype), type_of(self.integer)
        self._magic = 1.5 * 2.0**self.mantissa  # what is added to it is rounded, and stands in the lowest bits

    def number(self, value: float) -> str:
        return self.e.number(np.float32(value) if self.single else value, self.dtype)

    def wide(self) -> Format:
        """float64, to compute with more digits than a float32 has."""
        return Format(self.e, float64)

    # Arithmetic

    def add(self, x: str, y: str) -> str:
        return self.e.arithmetic("add", self.dtype, x, y)

    def sub(self, x: str, y: str) -> str:
        return self.e.arithmetic("sub", self.dtype, x, y)

    def mul(self, x: str, y: str) -> str:
        return self.e.arithmetic("mul", self.dtype, x, y)

    def div(self, x: str, y: str) -> str:
        return self.e.binary("fdiv", self.dtype, x, y)

    def mul_add(self, x: str, y: str, z: str) -> str:
        """``x * y + z``, rounded once or twice."""
        return self.e.intrinsic("fmuladd", self.dtype, x, y, z)

    def fused(self, x: str, y: str, z: str) -> str:
        """``x * y + z``, rounded once: slow where `machine.fuses` says no."""
        return self.e.intrinsic("fma", self.dtype, x, y, z)

    def negative(self, x: str) -> str:
        return self.e.let(f"fneg {self.kind} {x}")

    def sqrt(self, x: str) -> str:
        return self.e.intrinsic("sqrt", self.dtype, x)

    def size(self, x: str) -> str:
        return self.e.intrinsic("fabs", self.dtype, x)

    def with_sign(self, size: str, sign: str) -> str:
        return self.e.intrinsic("copysign", self.dtype, size, sign)

    def polynomial(self, x: str, coefficients: Sequence[float]) -> str:
        """Horner's scheme; the highest power first."""
        total = self.number(coefficients[0])
        for coefficient in coefficients[1:]:
            total = self.mul_add(total, x, self.number(coefficient))
        return total

    # Conditions

    def compare(self, which: str, x: str, y: float) -> str:
        """``lt le gt ge eq``; false for NaN."""
        return self.e.compare(which, self.dtype, x, self.number(y))

    def below_or_nan(self, x: str, y: float) -> str:
        return self.e.let(f"fcmp ult {self.kind} {x}, {self.number(y)}")

    def choose(self, condition: str, x: str, y: str) -> str:
        return self.e.select(condition, self.dtype, x, y)

    def is_nan(self, x: str) -> str:
        return self.e.is_nan(self.dtype, x)

    def both(self, x: str, y: str) -> str:
        return self.e.binary("and", bool_, x, y)

    def clamped(self, x: str, low: float, high: float) -> str:
        """`x` within limits; NaN becomes the lower one."""
        x = self.choose(self.compare("ge", x, low), x, self.number(low))
        return self.at_most(x, high)

    def at_most(self, x: str, high: float) -> str:
        """The smaller one; NaN becomes the limit."""
        return self.choose(self.compare("le", x, high), x, self.number(high))

    # Bits

    def bits(self, x: str) -> str:
        return self.e.let(f"bitcast {self.kind} {x} to {self.integers}")

    def of_bits(self, x: str) -> str:
        return self.e.let(f"bitcast {self.integers} {x} to {self.kind}")

    def whole(self, instruction: str, x: str, y: str | int) -> str:
        """An instruction on integers of the same size."""
        return self.e.let(f"{instruction} {self.integers} {x}, {y}")

    def cut(self, x: str, bits: int) -> str:
        """`x` without its lowest bits."""
        return self.of_bits(self.whole("and", self.bits(x), -(1 << bits)))

    def nearest(self, x: str, factor: float = 1.0) -> tuple[str, str]:
        """``x * factor`` rounded, as a float, and as an integer of which the lowest bits alone are right.

        For less than ``2**22`` (float32), ``2**51`` (float64). Vectors have instructions for it on all machines.
        """
        magic = self.number(self._magic)
        sum = self.mul_add(x, self.number(factor), magic) if factor != 1.0 else self.add(x, magic)
        return self.sub(sum, magic), self.bits(sum)

    def of_integer(self, k: str) -> str:
        """An integer of few bits as a float."""
        magic = self.number(self._magic)
        known = int(np.float32(self._magic).view(np.int32) if self.single else np.float64(self._magic).view(np.int64))
        return self.sub(self.of_bits(self.whole("add", k, known)), magic)

    def power_of_two(self, k: str) -> str:
        """``2**k`` for an integer register whose lowest bits are a normal exponent."""
        return self.of_bits(self.whole("shl", self.whole("add", k, self.bias), self.mantissa))

    def scaled(self, x: str, k: str) -> str:
        """``x * 2**k``, in two steps, for results that are subnormal or infinite."""
        half = self.whole("ashr", k, 1)
        return self.mul(self.mul(x, self.power_of_two(half)), self.power_of_two(self.whole("sub", k, half)))

    # Answers for particular arguments

    def unless_tiny(self, x: str, result: str) -> str:
        """A result, or `x` itself where that is tiny, a zero of either sign, or NaN."""
        return self.choose(self.below_or_nan(self.size(x), self.tiny), x, result)

    def where(self, x: str, which: str, value: float, answer: float, otherwise: str) -> str:
        """A known answer where a comparison of `x` with a number holds."""
        return self.choose(self.compare(which, x, value), self.number(answer), otherwise)

    def unless_same(self, x: str, result: str) -> str:
        """A result, or `x` itself where that is NaN or positive infinity."""
        return self.choose(self.e.either(self.is_nan(x), self.compare("eq", x, math.inf)), x, result)
