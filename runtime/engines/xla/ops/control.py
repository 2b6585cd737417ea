"""Loops, branches and calls."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import ShapeDtypeStruct, lax

from ....ir import records
from ....ir.graph import Node, Value
from ....ir.op import lowers
from ....ir.primitive import CALL, COND, CONSTANT, CUSTOM_GRADIENT, WHILE, Call, Cond, CustomGradient, While
from ....ops.host.collective import COLLECTIVES
from ... import costs
from ...engine import NotLowered
from ...held import changed_in
from ..lowering import Fails, Lowering
from ..replicas import any_replica
from ..staging import Block, block
from ..supported import ENGINE
from ..values import (
    Buffer,
    Lowered,
    Room,
    Size,
    Symbols,
    Unsized,
    check_alike,
    conformed,
    count_of,
    is_known,
    is_same,
    joined,
    leaves,
    rebuilt,
    symbolic,
    whole,
)  # fmt: skip

# How much work loops do (see `costs`) before Python may run; and how often loops in them are taken to turn.
_BETWEEN_LOOKS, _TURNS = 20_000_000, 100
# A loop in a loop is slow, by far, if Python may run in it. So it may not at first; a program in which such a loop does
# more work than this is given up for one that is careful.
_WITHOUT_LOOKS = 40_000_000


@lowers(ENGINE, CALL)
def _call(here: Lowering, node: Call, *inputs: Lowered) -> list[Any]:
    return here.run(node.called, inputs)


@lowers(ENGINE, CUSTOM_GRADIENT)
def _custom_gradient(here: Lowering, node: CustomGradient, *inputs: Lowered, **_: object) -> tuple[Any, ...]:
    return tuple(node.split(inputs)[1])


def _truth(x: Lowered) -> Any:
    """A condition as a scalar."""
    if np.size(x) != 1:  # the plan will say that it has no truth
        raise Fails
    return x.reshape(())


# Branches


@lowers(ENGINE, COND)
def _cond(here: Lowering, node: Cond, *inputs: Lowered) -> list[Any]:
    predicate, operands = node.split(inputs)
    predicate = _truth(predicate)
    if is_known(predicate):
        return here.run(node.then if predicate else node.orelse, operands)
    held = changed_in(*node.subgraphs)
    branches = [block(here, graph, operands, held) for graph in node.subgraphs]
    ends = [each.results for each in branches if each.results is not None]
    if not ends:
        raise Fails
    targets = [joined(x, y) for x, y in zip(ends[0], ends[-1], strict=True)]
    lacking: list[bool] = []
    given = lax.cond(predicate, *[_branch(here, each, targets, lacking) for each in branches])
    *results, failed, short = rebuilt([*targets, ShapeDtypeStruct((), bool), ShapeDtypeStruct((), bool)], given)
    if any(each.failed is not False for each in branches):
        here.fails(failed)
    if any(lacking):
        here.lacks(short)
    here.holds.update(zip(held, results[len(node.outputs) :], strict=True))
    return results[: len(node.outputs)]


def _branch(here: Lowering, branch: Block, targets: Sequence[Lowered], lacking: list[bool]) -> Any:
    """A branch as a function that gives leaves of values like the targets, and both flags; whether it may lack room is
    noted."""

    def run() -> list[Any]:
        if branch.results is None:
            zeros = [jnp.zeros(x.shape, x.dtype) for x in leaves(targets)]
            return [*zeros, jnp.asarray(True), jnp.asarray(False)]
        with here.apart():
            results, failed, here.short = branch.run()
            results = [conformed(here, x, target) for x, target in zip(results, targets, strict=True)]
            lacking.append(here.short is not False)
            return [*leaves(results), jnp.asarray(failed), jnp.asarray(here.short)]

    return run


# Loops


@lowers(ENGINE, WHILE)
def _while(here: Lowering, node: While, *inputs: Lowered) -> list[Any]:
    first, operands = node.split(inputs)
    held = changed_in(*node.subgraphs)
    trips = _trips(node, first, operands)
    start = [*first, *[here.holds[key] for key in held]]
    state = [_begun(x, _is_fixed(node, i)) for i, x in enumerate(start)]
    while True:
        turn = block(here, node.body, operands, held, state)
        if turn.results is None:
            here.fails(_truth(here.run(node.test, inputs)[0]))
            return first
        wider = [_wider(here, *each, trips) for each in zip(start, state, turn.results, strict=True)]
        if all(map(_is_alike, wider, state)):
            break
        state = wider
    results = _looped(here, node, inputs, state, turn, trips)
    results = [_ended(*each, trips) for each in zip(start, results, turn.results, strict=True)]
    here.holds.update(zip(held, results[len(first) :], strict=True))
    return results[: len(first)]


def _looped(
    here: Lowering, node: While, inputs: Sequence[Lowered], state: list[Lowered], turn: Block, trips: Size
) -> list[Any]:
    """The state at the end of a loop. A test that neither fails nor assigns is JAX's own; others stand in the turns."""
    operands = node.split(inputs)[1]
    held, count = changed_in(*node.subgraphs), len(leaves(state))
    test = block(here, node.test, operands, held, state)
    if test.results is None:
        raise Fails
    agreed = _agreement(here, node)
    lacking = [turn.short is not False, test.short is not False]
    is_plain = test.failed is False and test.short is False and not changed_in(node.test)

    def tested(values: Sequence[Lowered], failed: Any, short: Any) -> list[Any]:
        """The values after the test, whether it goes on, and both flags."""
        (verdict, *now), wrong, lack = test.run(*leaves(values))
        values = [*values[: len(values) - len(held)], *now]
        failed, short = agreed(failed | wrong), agreed(short | lack)
        return [*leaves(values), jnp.asarray(_truth(verdict) & ~failed & ~short), failed, short]

    def goes_on(carry: list[Any]) -> Any:
        if not is_plain:
            return carry[count] & ~carry[-2]
        verdict = _truth(test.run(*carry[:count])[0][0])
        return verdict & ~carry[-2] & ~carry[-1]

    def turned(carry: list[Any]) -> list[Any]:
        with here.apart():
            results, here.failed, here.short = turn.run(*carry[:count])
            results = [conformed(here, x, target) for x, target in zip(results, state, strict=True)]
            lacking.append(here.short is not False)
            flags = agreed(jnp.asarray(here.failed)), agreed(jnp.asarray(here.short))
        return [*leaves(results), *flags] if is_plain else tested(results, *flags)

    good = jnp.asarray(False)
    carry = [*leaves(state), good, good] if is_plain else tested(state, good, good)
    is_watched = here.is_watched and not here.is_among_replicas
    looks = (here.is_careful or not here.is_in_loop) and is_watched
    most = max(1, (_BETWEEN_LOOKS if looks else _WITHOUT_LOOKS) // _work(node, here.least_work))
    is_short = not is_watched or (trips is not None and trips <= most)
    if is_short and is_plain and isinstance(trips, int) and _may_go_on(node, turn):
        carry = lax.fori_loop(0, trips, lambda _, carry: _with_flags_of(turned(carry), carry), carry)
    elif is_short:
        carry = lax.while_loop(goes_on, turned, carry)
    elif looks:
        carry = lax.while_loop(goes_on, _so_many(here, goes_on, turned, most), carry)
        here.stops(carry[-2])
    else:
        carry, _ = _at_most(goes_on, turned, most, carry)
        here.lacks(goes_on(carry))
    if turn.failed is not False or test.failed is not False:
        here.fails(carry[-2])
    if any(lacking):
        here.lacks(carry[-1])
    return rebuilt(state, carry[:count])


def _agreement(here: Lowering, node: While) -> Callable[[Any], Any]:
    """What makes of a flag whether any replica has it, in a loop in which replicas meet: all of them turn as often."""
    meet = any(inner.op in COLLECTIVES for graph in node.subgraphs for inner in graph.walk())
    return any_replica if here.is_among_replicas and meet else lambda flag: flag


def _may_go_on(node: While, turn: Block) -> bool:
    """Whether a loop may make all its turns though one has failed: each of these ends, whatever it computes. XLA then
    knows how many there are, and on a GPU the host does not ask after each."""
    cannot_fail = turn.failed is False and turn.short is False
    return cannot_fail or not any(isinstance(each, While) for graph in node.subgraphs for each in graph.walk())


def _with_flags_of(carry: list[Any], before: list[Any]) -> list[Any]:
    """What a turn gives, and whether it or one before it has failed, or lacks room."""
    *values, failed, short = carry
    return [*values, failed | before[-2], short | before[-1]]


def _at_most(goes_on: Callable, turned: Callable, most: int, carry: list[Lowered]) -> tuple[list[Any], Any]:
    """So many turns of a loop, if there are, and how many."""
    return lax.while_loop(
        lambda state: goes_on(state[0]) & (state[1] < most),
        lambda state: (turned(state[0]), state[1] + 1),
        (carry, jnp.int32(0)),
    )


def _so_many(here: Lowering, goes_on: Callable, turned: Callable, most: int) -> Callable[[list[Lowered]], list[Any]]:
    """Several turns of a loop; then Python may run, and say that it shall end: it has failed then."""

    def turns(carry: list[Lowered]) -> list[Any]:
        (*values, failed, short), count = _at_most(goes_on, turned, most, carry)
        stop = lax.cond(goes_on([*values, failed, short]), lambda: _asked(here, count), lambda: jnp.asarray(False))
        return [*values, failed | stop, short]

    return turns


def _asked(here: Lowering, count: Lowered) -> Any:
    """Whether Python says that a loop shall end. The number of turns is given, so that each time is another question.

    To JAX it is a pure function, as what calls others takes JAX ten times as long to start.
    """

    here.looks = True

    def ask(count: np.ndarray) -> np.ndarray:
        return np.asarray(here.is_to_stop())

    return jax.pure_callback(ask, ShapeDtypeStruct((), bool), count)


def _work(node: While, least: int) -> int:
    """The work of a turn of a loop, of which nobody knows how often loops in it turn; ``least`` for a turn of any."""
    inner = [each for graph in node.subgraphs for each in graph.walk() if isinstance(each, While)]
    return max(costs.of_turn(node), least) + _TURNS * sum([max(costs.of_turn(each), least) for each in inner])


def _is_fixed(node: While, place: int) -> bool:
    """Whether a loop leaves a value of its state as it is."""
    body = node.body
    return place < node.count and not body.never_returns and body.outputs[place] is body.inputs[place]


def _begun(x: Lowered, is_fixed: bool) -> Any:
    """What a value is at the start of a turn, as far as that is known before the body has been traced."""
    if isinstance(x, Unsized):
        raise x.refusal()
    if isinstance(x, Buffer):
        return replace(x, added=0, exactly=True, room=Room.CHECKED if x.room is Room.GROWS else x.room)
    return x if is_fixed else jnp.asarray(x)


def _wider(here: Lowering, start: Lowered, x: Lowered, after: Lowered, trips: Size) -> Any:
    """What a value is at the start of a turn, after what one turn has made of it."""
    if not isinstance(x, Buffer):
        if np.shape(x) != np.shape(after) or isinstance(after, Unsized):
            raise NotLowered("a variable of a loop that changes its shape")
        return x
    count = x.count if is_same(x.count, after.count) else jnp.asarray(x.count, jnp.int32)
    if after.items is None:
        return replace(x, count=count)
    if x.items is not None:
        check_alike(x, after.element)
    room, capacity = x.room, max(x.capacity, start.capacity)
    if after.added != 0 and room is not Room.SURE:
        before = start.capacity if whole(start.count) is None else whole(start.count)
        if trips is not None and after.added is not None:
            room, capacity = Room.SURE, max(capacity, before + trips * after.added)
        else:
            capacity = max(capacity, before + here.capacity)
    elif x.items is None:
        capacity = after.capacity
    items = jnp.zeros((capacity, *after.element.shape), after.element.dtype) if x.items is None else x.resized(capacity)
    return replace(x, items=items, count=count, room=room, clean=x.clean and after.clean)


def _is_alike(x: Lowered, y: Lowered) -> bool:
    if not isinstance(x, Buffer):
        return x is y
    has_count = (whole(x.count) is None) == (whole(y.count) is None)
    has_items = (x.items is None) == (y.items is None)
    return has_count and has_items and (x.capacity, x.room, x.clean) == (y.capacity, y.room, y.clean)


def _ended(start: Lowered, x: Lowered, after: Lowered, trips: Size) -> Any:
    """What a value is after a loop of which so much is known."""
    if not isinstance(x, Buffer):
        return x
    count, added = x.count, None
    if trips is not None and after.added is not None:
        if after.exactly and whole(start.count) is not None:
            count = symbolic(whole(start.count) + trips * after.added, np.int32)
        added = None if start.added is None else start.added + trips * after.added
    elif after.added == 0:
        added = start.added
    exactly = start.exactly and (after.added == 0 or (trips is not None and after.exactly))
    return replace(x, count=count, added=added, exactly=exactly, room=start.room)


def _trips(node: While, state: Sequence[Lowered], operands: Sequence[Lowered]) -> Any:
    """How often a loop turns that counts from a known number up to another; None for any other.

    An int, or what JAX computes of symbolic dimensions.
    """
    test, body = node.test, node.body
    if test.never_returns or body.never_returns or test.outputs[0].node.op is not records.less:
        return None
    counter, limit = test.outputs[0].node.inputs
    known = dict(zip(test.inputs, [*state, *operands], strict=True))
    if counter not in test.inputs[: node.count]:
        return None
    place = test.inputs.index(counter)
    step, end = _step(body.outputs[place].node, body.inputs[place]), _number(limit, known)
    fixed = limit not in test.inputs[: node.count] or _is_fixed(node, test.inputs.index(limit))
    start = known[counter]
    if not step or end is None or not fixed or not is_known(start) or start.dtype.kind not in "iu":
        return None
    return count_of(int(start), whole(end), step)


def _number(value: Value, known: dict[Value, Any]) -> Any:
    found: Any = value.node.attributes["value"] if value.node.op is CONSTANT else known.get(value)
    return found if (is_known(found) or isinstance(found, Symbols)) and found.shape == () else None


def _step(node: Node, counter: Value) -> int | None:
    """By how much a node adds to a counter, if that is a constant above zero."""
    if node.op is not records.add or counter not in node.inputs:
        return None
    other = node.inputs[1] if node.inputs[0] is counter else node.inputs[0]
    step = _number(other, {})
    return int(step) if step is not None and step > 0 else None
