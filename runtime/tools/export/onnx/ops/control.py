"""Branches become `If`, loops `Loop`; called functions are written out where they are called."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .....base.dtypes import DType, bool_, int64, variant
from .....base.shapes import Shape
from .....ir import records
from .....ir.graph import Graph, Node
from .....ir.op import lowers
from .....ir.primitive import CALL, COND, CUSTOM_GRADIENT, WHILE, Call, Cond, CustomGradient, While
from ..lowering import Block, Lowering
from ..supported import ENGINE
from ..values import Value
from .dims import dim_of, joined, reshaped
from .lists import carried, concatenated
from .loops import give


@lowers(ENGINE, CALL)
def _call(here: Lowering, node: Call, *inputs: Value) -> Sequence[Value]:
    return here.run(node.called, inputs)


@lowers(ENGINE, CUSTOM_GRADIENT)
def _custom_gradient(here: Lowering, node: CustomGradient, *inputs: Value, **_: object) -> Sequence[Value]:
    return node.split(inputs)[1]


def _truth(here: Lowering, x: Value) -> Value:
    """A condition as a scalar."""
    return x if x.shape == () else here.add("Reshape", x, here.integers(), allowzero=0)


# Branches


@lowers(ENGINE, COND)
def _cond(here: Lowering, node: Cond, *inputs: Value) -> Sequence[Value]:
    predicate, operands = node.split(inputs)
    left = [graph for graph in node.subgraphs if not (here.drops_assertions and graph.never_returns)]
    if len(left) == 1 or predicate.known is not None:  # a branch that always raises is an assertion
        chosen = left[0] if len(left) == 1 else node.then if predicate.known else node.orelse
        return here.run(chosen, operands)
    results = [_branch(here, *each, node, operands) for each in zip(("then", "else"), node.subgraphs, strict=True)]
    checks = any(block.guards for block, _ in results)
    for block, values in results:
        _give_branch(here, block, values, checks)
    given = [here.parameter(value, here.label("If")) for value in node.outputs]
    failed = [Value(here, here.fresh(here.label("If")), bool_, ())] if checks else []
    if given or failed:
        then, orelse = [block for block, _ in results]
        here.step("If", [_truth(here, predicate)], [*given, *failed], then_branch=then, else_branch=orelse)
    here.block.guards += [(x, node) for x in failed]
    return given


def _branch(here: Lowering, name: str, graph: Graph, node: Cond, operands: Sequence[Value]) -> tuple[Block, Any]:
    """A branch, and what it gives."""
    with here.inside(name) as block:
        results = here.run(graph, operands)
        return block, [] if graph.never_returns else _carried(here, node, results)


def _give_branch(here: Lowering, block: Block, results: Sequence[Value], checks: bool) -> None:
    """Ends a branch; with checks, it also gives whether one has failed, for those around it to look at."""
    with here.going_on(block):
        failed = here.constant(False, bool_)
        for condition, _ in block.guards:
            failed = failed | _truth(here, here.any_of(condition))
        block.guards.clear()
        give(here, block, [*results, failed] if checks else results)


def _carried(here: Lowering, node: Node, values: Sequence[Value]) -> list[Value]:
    """Values for the outputs of a node, lists as they are handed on."""
    return [carried(x, here.is_dense(value)) for x, value in zip(values, node.outputs, strict=True)]


# Loops


@lowers(ENGINE, WHILE)
def _while(here: Lowering, node: While, *inputs: Value) -> Sequence[Value]:
    """Lists to which each turn adds one element are collected by the loop itself, as one tensor."""
    state, operands = node.split(inputs)
    if any(graph.never_returns for graph in node.subgraphs):
        return _without_turns(here, node, inputs)
    kept = [i for i in range(node.count) if not (_is_collected(node, i) and _has_rows(here, node, i, state[i]))]
    first = _truth(here, here.run(node.test, inputs)[0])
    start = _carried(here, node, state)
    with here.inside("body") as block:
        turn, before = Value(here, here.fresh("turn"), int64, ()), Value(here, here.fresh("goes_on"), first.dtype, ())
        taken = [here.parameter(value, value.node.name) for value in node.body.parameters]
        block.inputs = [turn, before, *[_plain(taken[i]) for i in kept]]
        collected = {i: taken[i] for i in range(node.count) if i not in kept}
        for x in collected.values():
            x.pushed = []
        results = here.run(node.body, [*taken, *operands])
        again = _truth(here, here.run(node.test, [*results, *operands])[0])
        give(here, block, [again, *[_carried(here, node, results)[i] for i in kept]])
        give(here, block, [(x.pushed or [x])[0] for x in collected.values()])
    given = [here.parameter(value, here.label("Loop")) for value in node.outputs]
    for i in collected:
        given[i].rows = Value(here, given[i].name, *_pushed_type(node, i))
    here.loop(first, [start[i] for i in kept], [given[i] for i in (*kept, *collected)], block)
    for i in collected:
        given[i].rows = _after(here, state[i], given[i])
    return given


def _without_turns(here: Lowering, node: While, inputs: Sequence[Value]) -> Sequence[Value]:
    """The state of a loop whose turns only raise, which is refused, or left out."""
    with here.inside("body"):
        for graph in node.subgraphs:
            here.run(graph, inputs)
    return node.split(inputs)[0]


def _plain(x: Value) -> Value:
    return x if x.rows is None else x.rows


def _is_collected(node: While, i: int) -> bool:
    """Whether all that happens to a list in a loop is that each turn adds an element."""
    parameter, result = node.body.parameters[i], node.body.outputs[i]
    if result.node.op is not records.list_push or result.node.inputs[0] is not parameter:
        return False
    if result.node.inputs[1].dtype is variant:
        return False
    uses = [value for each in node.body.nodes for value in each.inputs] + list(node.body.outputs)
    in_test = [value for each in node.test.nodes for value in each.inputs]
    return uses.count(parameter) == 1 and uses.count(result) == 1 and node.test.parameters[i] not in in_test


def _has_rows(here: Lowering, node: While, i: int, before: Value) -> bool:
    """Whether there can be one tensor with what is in a list before a loop and what the loop adds."""
    shape = _pushed_type(node, i)[1]
    return here.is_new(before) or before.rows is not None or (shape is not None and None not in shape[1:])


def _pushed_type(node: While, i: int) -> tuple[DType, Shape]:
    type_ = node.body.outputs[i].node.inputs[1].type
    return type_.dtype, None if type_.shape is None else (None, *type_.shape)


def _after(here: Lowering, before: Value, collected: Value) -> Value:
    """What a loop has collected, behind what there was before. A loop without turns loses the shape of elements."""
    rows = collected.rows
    assert rows is not None
    shape = rows.shape
    if shape is not None and None not in shape[1:]:
        rows = reshaped(rows, joined(here, dim_of(rows, 0), here.integers(*shape[1:])), shape)
    if here.is_new(before):
        return rows
    more = before.rows if before.rows is not None else concatenated(before, None if shape is None else shape[1:])
    return here.add("Concat", more, rows, axis=0, shape=shape)
