"""Loops that ops are made of: `Loop` for as long as something holds, `Scan` along an axis."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .....base.dtypes import bool_, int64, variant
from .....ir import records
from .....ir.graph import Node
from .....ir.op import lowers
from ..lowering import Block, Lowering, NotExported
from ..supported import ENGINE
from ..values import Value
from .analysis import logaddexp
from .dims import axis_in, dim_of, expanded, sliced, with_axes

Turn = Callable[..., Sequence[Value]]


def give(here: Lowering, block: Block, results: Sequence[Value]) -> None:
    """Makes values the results of a block, each by an operator of its own: others may be of the blocks around it.

    What the block guards, it does by the first tensor of them.
    """
    results = list(results)
    if block.guards:
        place = next((i for i, x in enumerate(results) if x.dtype is not variant), None)
        if place is None:
            raise NotExported("a check in a branch that gives no tensor", "let the branch give one")
        results[place] = here.guarded(results[place])
        block.guards.clear()
    for x in results:
        x = x if x.rows is None else x.rows
        given = Value(here, here.fresh(f"{block.name}_result"), x.dtype, x.shape, element=x.element)
        here.step("Identity", [x], [given])
        block.outputs.append(given)


def taken(here: Lowering, x: Value, name: str) -> Value:
    """What a block is given in the place of a value."""
    return Value(here, here.fresh(name), x.dtype, x.shape, element=x.element)


def loop(here: Lowering, state: Sequence[Value], test: Callable[..., Value], turn: Turn) -> list[Value]:
    """The state after as many turns as a test says; all of it keeps its shape."""
    with here.inside("body") as block:
        numbers = [Value(here, here.fresh("turn"), int64, ()), Value(here, here.fresh("goes_on"), bool_, ())]
        given = [taken(here, x, "state") for x in state]
        block.inputs = [*numbers, *given]
        results = turn(*given)
        give(here, block, [test(*results), *results])
    found = [taken(here, x, here.label("Loop")) for x in state]
    here.loop(test(*state), state, found, block)
    return found


def scan(here: Lowering, state: Value, inputs: Sequence[Value], axis: int, turn: Turn, backwards: bool) -> Value:
    """What turns give along an axis of the inputs, each from the state and an element of each of these.

    Where nobody knows that there are turns at all there is one more, at the end: runtimes fail without any.
    """
    is_open = inputs[0].shape is None or inputs[0].shape[axis] is None
    n = dim_of(inputs[0], axis)
    if is_open:
        more = with_axes(state, axis)
        inputs = [_joined(more, x, axis) if backwards else _joined(x, more, axis) for x in inputs]
    with here.inside("body") as block:
        before = taken(here, state, "state")
        items = [Value(here, here.fresh("item"), x.dtype, state.shape) for x in inputs]
        block.inputs = [before, *items]
        give(here, block, turn(before, *items))
    result = Value(here, here.fresh(here.label("Scan")), inputs[0].dtype, inputs[0].shape)
    last = taken(here, state, "last")
    way = int(backwards)
    here.step(
        "Scan", [state, *inputs], [last, result], body=block, num_scan_inputs=len(inputs),
        scan_input_axes=[axis] * len(inputs), scan_output_axes=[axis],
        scan_input_directions=[way] * len(inputs), scan_output_directions=[way],
    )  # fmt: skip
    if not is_open:
        return result
    start = here.integers(int(backwards))
    return sliced(result, start, n + int(backwards), axis)


def _joined(x: Value, y: Value, axis: int) -> Value:
    shape = x.shape if x.shape is None else (*x.shape[:axis], None, *x.shape[axis + 1 :])
    return x.here.add("Concat", x, y, axis=axis, shape=shape)


# Running products and recurrences


def _start(x: Value, axis: int, number: Any) -> Value:
    """A number in the shape of what stands at one place of an axis."""
    here = x.here
    parts = [dim_of(x, i) for i in range(x.rank) if i != axis]
    shape = tuple([n for i, n in enumerate(x.shape or ()) if i != axis])
    if not parts:
        return here.constant(number, x.dtype)
    start = expanded(here.constant(number, x.dtype), here.add("Concat", *parts, axis=0, shape=(len(parts),)))
    start.shape = shape
    return start


def _running(node_op: Any, start: float, combine: Callable[[Value, Value], Value]) -> None:
    @lowers(ENGINE, node_op)
    def lower(
        here: Lowering, node: Node, x: Value, axis: int = 0, exclusive: bool = False, reverse: bool = False
    ) -> Value:
        def turn(before: Value, item: Value) -> Sequence[Value]:
            after = combine(before, item)
            return after, before if exclusive else after

        place = axis_in(x, axis)
        if x.shape is not None and x.shape[place] == 0:
            return x
        return scan(here, _start(x, place, start), [x], place, turn, reverse)


_running(records.cumprod, 1, lambda x, y: x * y)
_running(records.cumulative_logsumexp, float("-inf"), logaddexp)


@lowers(ENGINE, records.linear_recurrence)
def _recurrence(here: Lowering, node: Node, a: Value, b: Value, axis: int) -> Value:
    place = axis_in(b, axis)
    first = sliced(b, 0, 1, place)

    def turn(before: Value, factor: Value, item: Value) -> Sequence[Value]:
        after = item + factor * before
        return after, after

    zeros = first - first  # the first factor counts for nothing
    rest = sliced(a, 1, 2**62, place)
    factors = here.add("Concat", here.where(zeros.equals(0), zeros, 0), rest, axis=place, shape=a.shape)
    return scan(here, _start(b, place, 0), [factors, b], place, turn, False)
