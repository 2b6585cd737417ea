"""Division, remainders and powers.

Integers divided by zero give 0, and the smallest by -1 wraps around, as in NumPy: a runtime may end the process there.
"""

from __future__ import annotations

from collections.abc import Callable

from .....base.dtypes import bool_
from .....ir import records
from .....ir.graph import Node
from .....ir.op import lowers
from ..lowering import Lowering, NotExported
from ..supported import ENGINE
from ..values import Value
from .elementwise import filled, in_result_dtype, trunc, with_sign

Function = Callable[..., Value]


def _safely(x: Value, y: Value) -> tuple[Value, Value, Value]:
    """A divisor with which integers can be divided, and where it has been 0, or -1."""
    zero, minus = y.equals(0), y.equals(-1) if y.dtype.kind == "i" else y.here.constant(False, bool_)
    return y.here.where(zero | minus, 1, y), zero, minus


def truncated(x: Value, y: Value) -> Value:
    """The quotient of integers, rounded towards zero; 0 for a divisor of zero, and what wraps around for -1."""
    here = x.here
    divisor, zero, minus = _safely(x, y)
    result = here.add("Div", x, divisor)
    if y.dtype.kind == "i":
        result = here.where(minus, here.constant(0, x.dtype) - x, result)
    return here.where(zero, 0, result)


def rest(x: Value, y: Value) -> Value:
    """The remainder of integers with the sign of the dividend; 0 for a divisor of zero."""
    return x.here.where(y.equals(0), 0, x - truncated(x, y) * y)


def _is_above_zero(y: Value) -> bool:
    """Whether a divisor is certainly a positive integer."""
    return y.known is not None and bool((y.known > 0).all())


def _floor_divide(x: Value, y: Value) -> Value:
    here = x.here
    if not x.dtype.is_floating and _is_above_zero(y):
        quotient = here.add("Div", x, y)
        return quotient if x.dtype.kind == "u" else quotient - (x < quotient * y).cast(x.dtype)
    if not x.dtype.is_floating:
        left = rest(x, y)
        down = ~left.equals(0) & _differ(left, y) if x.dtype.kind == "i" else None
        return truncated(x, y) if down is None else truncated(x, y) - down.cast(x.dtype)
    left = here.add("Mod", x, y, fmod=1)
    quotient = (x - left) / y
    quotient = here.where(~left.equals(0) & _differ(left, y), quotient - 1, quotient)
    down = here.add("Floor", quotient)
    down = here.where(quotient - down > 0.5, down + 1, down)
    zero = with_sign(filled(quotient, 0), x / y)
    return here.where(y.equals(0), x / y, here.where(quotient.equals(0), zero, down))


def _differ(x: Value, y: Value) -> Value:
    return x.here.add("Xor", x < 0, y < 0)


def _remainder(x: Value, y: Value) -> Value:
    here = x.here
    if not x.dtype.is_floating and _is_above_zero(y):
        return here.add("Mod", x, y, fmod=0)
    if not x.dtype.is_floating:
        left = rest(x, y)
        return left if x.dtype.kind == "u" else here.where(~left.equals(0) & _differ(left, y), left + y, left)
    left = here.add("Mod", x, y, fmod=1)
    moved = here.where(~left.equals(0) & _differ(left, y), left + y, left)
    return here.where(left.equals(0), with_sign(filled(left, 0), y), moved)


def _fmod(x: Value, y: Value) -> Value:
    return x.here.add("Mod", x, y, fmod=1) if x.dtype.is_floating else rest(x, y)


def _truncatediv(x: Value, y: Value) -> Value:
    return trunc(x / y) if x.dtype.is_floating else truncated(x, y)


in_result_dtype(_floor_divide, "floor_divide")
in_result_dtype(_remainder, "remainder")
in_result_dtype(_fmod, "fmod")
in_result_dtype(_truncatediv, "truncatediv")


@lowers(ENGINE, records.reciprocal)
def _reciprocal(here: Lowering, node: Node, x: Value) -> Value:
    if not x.dtype.is_integer:
        return 1 / x
    raise NotExported("what the reciprocal of the integer 0 is depends on the machine", "cast to a float first")


def _power(x: Value, y: Value) -> Value:
    if x.dtype.is_floating:
        return x.here.add("Pow", x, y)
    exponent = y.known
    if exponent is None or exponent.size != 1 or not 0 <= int(exponent.item()) <= 64:
        return integer_power(x, y)
    result, square, left = filled(x, 1), x, int(exponent.item())
    while left:
        result, square, left = (result * square if left & 1 else result), square * square, left >> 1
    return result


def integer_power(x: Value, y: Value) -> Value:
    """By squares, of which there are as many as an exponent has bits; a negative one is an error of the runtime."""
    here = x.here
    left = here.fails_where(y < 0, y) if y.dtype.kind == "i" else y
    result, square = filled(x * y, 1), x
    for _ in range(8 * y.dtype.size - (y.dtype.kind == "i")):
        half = here.add("Div", left, here.constant(2, y.dtype))
        result = here.where((left - half * 2).equals(1), result * square, result)
        square, left = square * square, half
    return result


in_result_dtype(_power, "power")


def _unless_zero(function: Function, tested: int, *names: str) -> None:
    """Registers ops that give zero where an input is."""

    def lower(x: Value, y: Value) -> Value:
        here = x.here
        zero = (x, y)[tested].equals(0)
        return here.where(zero, 0, function(x, y))

    in_result_dtype(lower, *names)


_unless_zero(lambda x, y: x / y, 0, "xdivy")
_unless_zero(lambda x, y: x * y, 1, "multiply_no_nan")
_unless_zero(lambda x, y: x / x.here.where(y.equals(0), 1, y), 1, "divide_no_nan")
_unless_zero(lambda x, y: x * x.here.add("Log", y), 0, "xlogy")
