"""What an op may raise when it runs, and what Python would raise and the op does not: two fields of records.

The field ``raises`` names classes, or is a rule that is told the inputs of a node, with their static types, and its
attributes. `may_raise` asks it: of nodes that are total (see `total`), nothing is raised.

The field ``quiet`` says when Python raises an error for numbers where the op gives a number for all inputs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from autograph.errors import IndexOutOfRangeError, InvalidArgumentError

from ..base.shapes import is_fully_defined
from .primitive import CONSTANT
from .total import is_total

if TYPE_CHECKING:
    from .graph import Node, Value

Kinds = tuple[type[BaseException], ...]
Raises = Kinds | Callable[["Sequence[Value]", dict[str, Any]], Kinds]


class Quiet(NamedTuple):
    """What Python raises that an op of two numbers does not."""

    kind: type[Exception]
    when: str
    operand: str
    """What the input is called that a program can test."""
    is_certain: Callable[[Value], bool]
    """Whether the second input is one for which Python does not raise."""
    of_whole_numbers: bool = True
    """Whether Python raises it for two whole numbers too."""

    def concerns(self, operands: Sequence[Value], caught: Sequence[type]) -> bool:
        """Whether a handler of some classes would run in Python, for operands before they were cast.

        Where the operands are whole numbers each handler counts that takes the error; of floats, for which eager
        tensors don't raise either (they become inf or nan), only one that is there for it.
        """
        if self.is_certain(operands[1]):
            return False
        if all(value.type.dtype.is_integer or value.type.dtype.is_bool for value in operands):
            return self.of_whole_numbers and any(issubclass(self.kind, each) for each in caught)
        return any(each in (self.kind, self.kind.__base__) for each in caught)


def constant_of(value: Value) -> Any:
    """What a constant holds; None of anything else."""
    return value.node.attributes["value"] if value.node.op is CONSTANT else None


def is_never_zero(value: Value) -> bool:
    """Whether it is a constant without zeros."""
    constant = constant_of(value)
    return constant is not None and bool((constant != 0).all())


def is_root(value: Value) -> bool:
    """Whether it is a constant of numbers from 0 to 1: such a power is never farther from 1 than its base."""
    constant = constant_of(value)
    return constant is not None and bool(((constant >= 0) & (constant <= 1)).all())


def is_never_negative(value: Value) -> bool:
    """Whether it is unsigned, or a constant of numbers from 0 on."""
    constant = constant_of(value)
    return value.type.dtype.kind == "u" or (constant is not None and bool((constant >= 0).all()))


DIVISION = (Quiet(ZeroDivisionError, "divides by 0", "divisor", is_never_zero),)
SHIFT = (Quiet(ValueError, "shifts by less than 0", "count", is_never_negative),)
POWER = (
    Quiet(ZeroDivisionError, "raises 0 to a negative power", "base", is_never_negative),
    Quiet(OverflowError, "gives more than a float can hold", "base", is_root, of_whole_numbers=False),
)


def counts(inputs: Sequence[Value], attributes: dict[str, Any]) -> Kinds:
    """Whole numbers after the first input are sizes or counts, which must not be negative."""
    numbers = [value for value in inputs[1:] if value.type.dtype.is_integer]
    return () if all(map(is_never_negative, numbers)) else (InvalidArgumentError,)


def given_shape(count: int) -> Raises:
    """Inputs after the first so many are a shape, which may not fit; nor may shapes that only a run knows."""

    def rule(inputs: Sequence[Value], attributes: dict[str, Any]) -> Kinds:
        is_known = len(inputs) == count and all(is_fully_defined(value.type.shape) for value in inputs)
        return () if is_known else (InvalidArgumentError,)

    return rule


def places(inputs: Sequence[Value], attributes: dict[str, Any]) -> Kinds:
    """The last input are indices, which must lie in the axes of the first one; constants may lie in each of them."""
    shape, indices = inputs[0].type.shape, constant_of(inputs[-1])
    if is_fully_defined(shape) and indices is not None and is_never_negative(inputs[-1]):
        return () if all(indices.max(initial=0) < (length or 0) for length in shape or ()) else (IndexOutOfRangeError,)
    return InvalidArgumentError, IndexOutOfRangeError


def steps(inputs: Sequence[Value], attributes: dict[str, Any]) -> Kinds:
    """The last input is a step, which must not be 0; of floats, NaN would have no end."""
    return () if inputs[-1].type.dtype.is_integer and is_never_zero(inputs[-1]) else (InvalidArgumentError,)


def may_raise(node: Node) -> Kinds:
    """What a node may raise, besides what those in it may raise."""
    op = node.op
    if node.subgraphs or (not op.effect and is_total(op, node.inputs, node.attributes)):
        return ()
    if callable(op.raises):
        return op.raises(node.inputs, node.attributes)
    has_unknown = not op.effect and not all(is_fully_defined(value.type.shape) for value in node.inputs)
    return (*op.raises, InvalidArgumentError) if has_unknown else op.raises
