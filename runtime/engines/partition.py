"""Which parts of a graph an engine runs: all of it, or the largest runs of nodes that it can and that are worth it."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from ..base.dtypes import variant
from ..ir.effects import Effects
from ..ir.graph import Graph, Node, Type, Value
from ..ir.op import Op
from ..ir.primitive import CONSTANT, Cond, While
from ..ir.work import Work
from . import recorder
from .engine import Engine
from .region import Region
from .region import region as region_of


def _run(*arrays: object, region: Region) -> Any:
    return region.run(*arrays) if recorder.active is None else region.run_profiled(*arrays)


def _types(*_: Type, region: Region) -> tuple[Type, ...]:
    return tuple([value.type for value in region.graph.outputs])


def _is_fresh(*_: Type, region: Region) -> bool:
    return region.gives_fresh


PART = Op(name="part", infer=_types, numpy=_run, effects=Effects.WRITES | Effects.RAISES, fresh=_is_fresh)
"""The op of a part: like any, but not in the registry. Its errors are the user's already, and not to be told again."""


def obstacle(engine: Engine, nodes: Iterable[Node]) -> tuple[Node, str] | None:
    """The first node that an engine can't run, and why; None when it may run all."""
    for node in nodes:
        if node.op.work is Work.NONE:  # what uses it is to blame
            continue
        if node.op is PART:
            reason = None if node.attributes["region"].engine is engine else "another engine runs it"
        else:
            reason = engine.obstacle(node)
        if reason is not None:
            return node, reason
        if isinstance(node, Cond | While):
            for graph in node.subgraphs:
                found = obstacle(engine, _of_code(graph))
                if found is not None:
                    return found
    return None


def _of_code(graph: Graph) -> list[Node]:
    """The nodes of a sub-graph that matter to code, which gives up where a graph never returns.

    The plan raises then. It may run such a graph twice, so that what others see of one is in the way.
    """
    if not graph.never_returns:
        return graph.nodes
    return [node for node in graph.walk() if node.op.effects & ~Effects.RAISES]


def is_whole(engine: Engine, graph: Graph) -> bool:
    """Whether an engine runs a graph as one part."""
    nodes = sum(1 for _ in itertools.islice(graph.walk(), engine.most_nodes + 1))
    lists = any(value.type.dtype is variant for value in (*graph.inputs, *graph.outputs))
    return nodes <= engine.most_nodes and not lists and obstacle(engine, graph.nodes) is None


def partition(
    engine: Engine, graph: Graph, blocked: Iterable[Node] = (), ends: Collection[Node] = ()
) -> tuple[Graph, list[Region]]:
    """A graph with `PART` nodes in the place of parts of a graph, and these parts.

    ``blocked``: nodes that are in no part; ``ends``: nodes that a part ends with. Lists do not go into parts, or out of
    them: what would hand one over stays out. Of loops and branches that stay out, the bodies may have parts.
    """
    stay = {*blocked, *[node for node in graph.nodes if obstacle(engine, [node]) is not None]}
    while True:
        runs = _runs(graph, stay, ends, engine.most_nodes)
        open_ended = _that_hand_over_lists(graph, runs) - stay
        if not open_ended:
            break
        stay |= open_ended
    worthy = {run[0]: run for run in runs if engine.pays(run)}
    inner = {node: [partition(engine, each, blocked, ends) for each in node.subgraphs]
             for node in graph.nodes if engine.cuts_loops and node in stay and isinstance(node, Cond | While)
             }  # fmt: skip
    regions = [region for parts in inner.values() for _, found in parts for region in found]
    if not worthy and not regions:
        return graph, []
    target, mine = _rebuilt(engine, graph, worthy, {node: [each for each, _ in inner[node]] for node in inner})
    return target, mine + regions


def report(engine: Engine, graph: Graph) -> str:
    """What an engine runs of a graph of parts, and what stands in the way of the rest: one line for each."""
    lines = []
    for node in graph.nodes:
        if node.op is PART:
            lines.append(node.attributes["region"].report())
            continue
        found = obstacle(engine, [node])
        if found is not None:
            where = found[0].location
            lines.append(f"{node.name} runs through NumPy: {found[1]}" + ("" if where is None else f" ({where})"))
        inside = [each.attributes["region"] for inner in node.subgraphs for each in inner.walk() if each.op is PART]
        lines += [region.report() for region in inside]
    return "\n".join(lines) or f"nothing is {engine.product}: the graph is too small, or it is turned off"


def _runs(graph: Graph, stay: Collection[Node], ends: Collection[Node], most: int) -> list[list[Node]]:
    """What comes between the nodes that stay out, in parts that are not too long."""
    runs: list[list[Node]] = [[]]
    size = 0
    for node in graph.nodes:
        if node.op.work is Work.NONE:
            continue
        size += 1 + sum(1 for inner in node.subgraphs for _ in inner.walk())
        if runs[-1] and (size > most or node in stay):
            runs.append([])
            size = 0
        if node not in stay:
            runs[-1].append(node)
        if node in ends:
            runs.append([])
            size = 0
    return [run for run in runs if run]


def _that_hand_over_lists(graph: Graph, runs: Sequence[Sequence[Node]]) -> set[Node]:
    """The nodes of runs that have to do with a list which other nodes have to do with too."""
    where = {node: i for i, run in enumerate(runs) for node in run}
    groups: dict[Node, set[Node]] = {}
    for node in graph.nodes:
        for value in node.inputs:
            if value.type.dtype is variant:
                one, other = (groups.setdefault(each, {each}) for each in (value.node, node))
                if one is not other:
                    small, large = sorted((one, other), key=len)
                    large |= small
                    groups.update(dict.fromkeys(small, large))
    returned = {value.node for value in graph.outputs if value.type.dtype is variant}
    found: set[Node] = set()
    for group in {id(group): group for group in groups.values()}.values():
        places = {where.get(node, -1) for node in group}
        if len(places) > 1 or returned & group:
            found |= {node for node in group if node in where}
    return found | {node for node in returned if node in where}


def _rebuilt(engine: Engine, graph: Graph, parts: dict[Node, list[Node]], bodies: dict[Node, list[Graph]]
             ) -> tuple[Graph, list[Region]]:  # fmt: skip
    """A graph with nodes for parts. ``bodies``: the graphs that other nodes are to hold."""
    target, regions = Graph(graph.name), []
    values: dict[Value, Value] = {}
    for value in graph.parameters:
        values[value] = target.parameter(value.type, value.node.name)
    for outer, value in graph.captures.items():
        values[value] = target.captures[outer] = target.placeholder(value.type, value.node.name)
    inside = {node for run in parts.values() for node in run}
    used: dict[Value, list[Node | None]] = {}
    for node in graph.nodes:
        for value in node.inputs:
            used.setdefault(value, []).append(node)
    for value in graph.outputs:
        used.setdefault(value, []).append(None)
    for node in graph.nodes:
        if node.op is CONSTANT:
            values[node.outputs[0]] = target.constant(node.attributes["value"], node.name, node.where)
        if node in parts:
            regions.append(_add_region(engine, target, parts[node], used, values))
        elif node not in inside and node.op.work is not Work.NONE:
            _copy(node, target, values, bodies.get(node))
    target.outputs = [values[value] for value in graph.outputs]
    target.never_returns, target.calls_itself = graph.never_returns, graph.calls_itself
    return target, regions


def _add_region(engine: Engine, target: Graph, run: Sequence[Node], used: dict[Value, list[Node | None]],
                values: dict[Value, Value]) -> Region:  # fmt: skip
    """Add a node for a part of the graph."""
    own = Graph(engine.name)
    members, inner = set(run), {}
    made = [value for node in run for value in node.outputs]
    given = dict.fromkeys(value for node in run for value in node.inputs if value.node not in members)
    outside = []
    for value in given:
        if value.node.op is CONSTANT:
            inner[value] = own.constant(value.node.attributes["value"])
        else:
            inner[value] = own.parameter(value.type, value.node.name)
            outside.append(values[value])
    for node in run:
        _copy(node, own, inner)
    results = [value for value in made if any(user not in members for user in used.get(value, ()))]
    own.outputs = [inner[value] for value in results]
    region = region_of(own, engine)
    node = target.add(PART, outside, {"region": region}, name=engine.name, types=[value.type for value in results])
    values.update(zip(results, node.outputs, strict=True))
    return region


def _copy(node: Node, graph: Graph, values: dict[Value, Value], subgraphs: list[Graph] | None = None) -> None:
    """Repeat a node at the end of a graph, with the same sub-graphs or others: executors match inputs by position."""
    copy = graph.add(node.op, [values[value] for value in node.inputs], node.attributes, name=node.name,
                     where=node.where, types=[value.type for value in node.outputs],
                     subgraphs=node.subgraphs if subgraphs is None else tuple(subgraphs))  # fmt: skip
    values.update(zip(node.outputs, copy.outputs, strict=True))
