"""Loops and branches: basic blocks, with a ``phi`` for each scalar and memory of its own for each array."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ....ir.graph import Graph, Node, Value
from ....ir.op import lowers
from ....ir.primitive import COND, WHILE, Cond, While
from ...held import Held, changed_in
from ..emit.arrays import Buffer, Expression, Load, Map, Splat
from ..emit.emitter import NotLowered, type_of
from ..emit.forms import is_made_anew
from ..emit.lowering import Fails, Lowering
from ..supported import ENGINE
from .lists import ListOf, check_owned, joined
from .products import in_rows, second_factors
from .variables import settle


def bind(lowering: Lowering, graph: Graph, inputs: Sequence[Expression]) -> None:
    """Give the inputs of a sub-graph their values."""
    lowering.values.update(zip(graph.inputs, inputs, strict=True))


def ready(lowering: Lowering, inputs: Sequence[Expression]) -> list[Expression]:
    """The operands of a loop or branch: nothing is left to be computed inside that could be now."""
    return [lowering.materialised(x) if x.operations else x for x in inputs]


# Loops


@lowers(ENGINE, WHILE)
def _while(lowering: Lowering, node: While, inputs: Sequence[Expression]) -> list[Expression]:
    """The state of a loop: scalars are registers that change, arrays are changed where they are.

    An array that each turn makes anew has two places, which change their roles, so that it need not be copied.
    """
    e = lowering.e
    test, body = node.subgraphs
    variables = changed_in(body, known=lowering.changed)
    if changed_in(test, known=lowering.changed):
        raise NotLowered("a condition of a loop that changes a variable")
    settle(lowering)
    inputs = ready(lowering, inputs)
    factors = second_factors(body)
    first_state, operands = node.split(inputs)
    captured = body.captures.values()
    operands = [in_rows(lowering, x) if inner in factors else x for x, inner in zip(operands, captured, strict=True)]
    count = node.count
    initial = [*first_state, *[lowering.values[key] for key in variables]]
    values: list[Value | Held] = [*node.state, *variables]
    anew = {i for i in range(count) if initial[i].has_shape and initial[i].shape and is_made_anew(body.outputs[i])}
    homes = _homes(lowering, node, values, initial, anew)
    lowering.store([(home, x) for home, x in zip(homes, initial, strict=True) if home is not None])
    for value in values:  # so that the loop can change arrays where they are
        if lowering.dies_at(value, node):
            lowering.values.pop(value, None)
    first = [_register(lowering, x) if home is None else "" for x, home in zip(initial, homes, strict=True)]
    before, head, inside, after = e.label, e.new_label("while"), e.new_label("turn"), e.new_label("done")
    e.jump(head)
    e.begin(head)
    state, spares, phis = _begin_turns(lowering, initial, homes, anew, first)
    # The initial arrays are no longer what the values say: only the loop's own variables may be looked at.
    lowering.values.update(zip(variables, state[count:], strict=True))
    bind(lowering, test, [*state[:count], *operands])
    work, lowering.work = lowering.work, 1
    decided = lowering.block(test, test.outputs)
    ends = None
    if decided is not None and decided[0].size != 1:  # the plan will say that it has no truth
        e.jump("failed")
        decided = None
    if decided is not None:
        e.branch(lowering.scalar(decided[0]), inside, after)
        e.begin(inside)
        bind(lowering, body, [*state[:count], *operands])
        lowering.offers.update({body.outputs[i]: spare for i, spare in spares.items()})
        following = lowering.block(body, body.outputs)
        if following is not None:
            following += [lowering.values[key] for key in variables]
            ends = _turn(lowering, homes, spares, following, state)
            e.jump(head)
    lowering.work += work
    for (line, text, given), new in zip(phis, [None] * len(phis) if ends is None else ends, strict=True):
        e.lines[line] = f"{text} [ {given}, %{before} ]" + (f", [ {new}, %{e.label} ]" if new is not None else "")
    e.begin(after)
    if decided is None:
        raise Fails
    lowering.values.update(zip(variables, state[count:], strict=True))
    return state[:count]


def _begin_turns(
    lowering: Lowering, initial: Sequence[Expression], homes: list[Load | None], anew: Collection[int],
    first: Sequence[str]
) -> tuple[list[Expression], dict[int, Load], list[tuple[int, str, str]]]:  # fmt: skip
    """The state as a turn finds it; the second places of arrays, by position; and what the block begins with.

    That are lines to be completed: where each is, its text, and the register that the first turn gets. Homes of arrays
    that have second places become those of the turn.
    """
    e = lowering.e
    spares: dict[int, Load] = {}
    phis: list[tuple[int, str, str]] = []

    def changing(kind: str, given: str) -> str:
        register = e.name()
        phis.append((len(e.lines), f"  {register} = phi {kind}", given))
        e.lines.append("")
        return register

    scalars = iter([_with_register(x, changing(_kind(x), given))
                    for x, home, given in zip(initial, homes, first, strict=True) if home is None])  # fmt: skip
    for i, home in enumerate(homes):
        if home is not None and i in anew:
            spare = lowering.new_buffer(home.dtype, home.shape)
            slots = home.buffer.slot, spare.buffer.slot
            homes[i], spares[i] = (
                Load(Buffer(changing("ptr", each.buffer.pointer), home.dtype, home.size, slots), home.shape)
                for each in (home, spare)
            )
    return [next(scalars) if home is None else home for home in homes], spares, phis


def _homes(lowering: Lowering, node: Node, values: Sequence[Value | Held],
           initial: Sequence[Expression], anew: Collection[int]) -> list[Load | None]:  # fmt: skip
    """Where the arrays of the state live; None for scalars and lists.

    An array that nobody else needs is used as it is, if each turn changes it where it is.
    """
    homes: list[Load | None] = []
    for i, (value, x) in enumerate(zip(values, initial, strict=True)):
        if isinstance(x, ListOf):
            check_owned(lowering, x, value, node)
            homes.append(None)
        elif x.shape == ():
            homes.append(None)
        elif i not in anew and isinstance(x, Load) and lowering.dies_at(value, node) and lowering.is_owned(x, value):
            homes.append(Load(x.buffer, x.shape))
        else:
            homes.append(lowering.new_buffer(x.dtype, x.shape))
    return homes


def _turn(lowering: Lowering, homes: Sequence[Load | None], spares: dict[int, Load], following: Sequence[Expression],
          state: Sequence[Expression]) -> Sequence[str | None]:  # fmt: skip
    """The end of a turn: arrays to their places; the registers of the next scalars, and of places that change."""
    for old, new in zip(state, following, strict=True):
        _check_alike(old, new, "a variable of a loop changes its shape")
    scalars = [_register(lowering, x) for x, home in zip(following, homes, strict=True) if home is None]
    pairs, places = [], []
    for i, (home, x) in enumerate(zip(homes, following, strict=True)):
        if home is None:
            continue
        spare = spares.get(i)
        x = x.resolved()  # what is computed only now can be put where the old array is
        stays = spare is None or isinstance(x, Map) or (isinstance(x, Load) and x.same_place(home))
        pairs.append((home if spare is None or stays else spare, x))
        if spare is not None:
            places += [home.buffer.pointer, spare.buffer.pointer][:: 1 if stays else -1]
    lowering.store(pairs)
    lowering.e.poll(lowering.work)
    return [*scalars, *places]


# Branches


@lowers(ENGINE, COND)
def _cond(lowering: Lowering, node: Cond, inputs: Sequence[Expression]) -> list[Expression]:
    """A branch; arrays that it gives get memory of their own, or stay where they are."""
    e = lowering.e
    decision, operands = node.split(inputs)
    if decision.size != 1:  # the plan will say that it has no truth
        raise Fails
    variables = changed_in(*node.subgraphs, known=lowering.changed)
    settle(lowering)
    held: dict[Value | Held, Expression] = {key: lowering.values[key] for key in variables}
    predicate = lowering.scalar(decision)
    operands = ready(lowering, operands)
    homes = _kept(lowering, node, operands)
    dying = {value: lowering.values.pop(value) for value in dict.fromkeys(node.inputs) if lowering.dies_at(value, node)}
    labels = e.new_label("then"), e.new_label("else"), e.new_label("after")
    e.branch(predicate, labels[0], labels[1])
    results: list[tuple[str, list[Expression]] | None] = []
    work, most = lowering.work, 0
    for label, graph in zip(labels, node.subgraphs, strict=False):
        e.begin(label)
        lowering.work = 0
        lowering.values.update(held)
        bind(lowering, graph, operands)
        found = lowering.block(graph, graph.outputs)
        if found is None:
            results.append(None)
        else:
            found += [lowering.values[key] for key in variables]
            is_array = [not isinstance(x, ListOf) and x.shape != () for x in found]
            for i, x in enumerate(found):
                if is_array[i] and i not in homes:
                    homes[i] = lowering.new_buffer(x.dtype, x.shape)
            for result in results:
                for other, x in zip(result[1] if result is not None else (), found, strict=False):
                    if x.has_shape:
                        _check_alike(other, x, "the branches give different shapes")
            arrays = [(homes[i], x) for i, x in enumerate(found) if is_array[i]]
            registers = [x if is_array[i] else _with_register(x, _register(lowering, x)) for i, x in enumerate(found)]
            lowering.store(arrays)
            results.append((e.label, registers))
            e.jump(labels[2])
        most = max(most, lowering.work)
    lowering.work = work + most
    del dying
    e.begin(labels[2])
    ways = [result for result in results if result is not None]
    if not ways:
        raise Fails
    count = len(node.outputs)
    merged = [homes[i] if i in homes else _phi(lowering, [(label, xs[i]) for label, xs in ways])
              for i in range(count + len(variables))]  # fmt: skip
    lowering.values.update(zip(variables, merged[count:], strict=True))
    return merged[:count]


def _kept(lowering: Lowering, node: Cond, operands: Sequence[Expression]) -> dict[int, Load]:
    """Results that a branch hands on as they came in, of arrays that nobody needs afterwards: they keep their place."""
    homes: dict[int, Load] = {}
    taken = set()
    for graph in node.subgraphs:
        if graph.never_returns:
            continue
        places = {value: i for i, value in enumerate(graph.inputs)}
        for k, value in enumerate(graph.outputs):
            i = places.get(value)
            if i is None or k in homes or i in taken:
                continue
            outer, x = node.operands[i], operands[i]
            if x.has_shape and x.shape != () and lowering.dies_at(outer, node) and lowering.is_owned(x, outer):
                assert isinstance(x, Load)
                homes[k] = Load(x.buffer, x.shape)
                taken.add(i)
    return homes


def _phi(lowering: Lowering, ways: Sequence[tuple[str, Expression]]) -> Expression:
    first = ways[0][1]
    if isinstance(first, ListOf):
        return joined(lowering, ways)  # type: ignore[arg-type]
    registers = [lowering.scalar(x) for _, x in ways]
    if len(set(registers)) == 1:
        return Splat((), first.dtype, registers[0])
    edges = ", ".join(f"[ {register}, %{label} ]" for register, (label, _) in zip(registers, ways, strict=True))
    return Splat((), first.dtype, lowering.e.let(f"phi {type_of(first.dtype)} {edges}"))


# Both


def _register(lowering: Lowering, x: Expression) -> str:
    """The register that a loop or branch passes on: a number, or the length of a list."""
    return x.length if isinstance(x, ListOf) else lowering.scalar(x)


def _with_register(x: Expression, register: str) -> Expression:
    return x.of_length(register) if isinstance(x, ListOf) else Splat((), x.dtype, register)


def _kind(x: Expression) -> str:
    return "i64" if isinstance(x, ListOf) else type_of(x.dtype)


def _check_alike(x: Expression, y: Expression, what: str) -> None:
    """Raise `NotLowered` unless two values can be one variable."""
    if isinstance(x, ListOf) or isinstance(y, ListOf):
        if not (isinstance(x, ListOf) and isinstance(y, ListOf) and x.data == y.data):
            raise NotLowered("a variable that is one list or another")
    elif x.shape != y.shape:
        raise NotLowered(f"{what}, from {x.shape} to {y.shape}")
