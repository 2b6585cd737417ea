"""Where the nodes of a graph are drawn: layer below layer, what a node uses above it, sub-graphs inside their node.

The layered method of Sugiyama, Tagawa and Toda (1981): a node's layer is the longest way from an input; long edges go
through places of their own in the layers between; the places of a layer are ordered by the mean place of their
neighbours, swept down and up. All steps take time in proportion to the nodes, edges and places.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from ..graph import Graph, Node, Value
from ..primitive import CALL, CONSTANT, PLACEHOLDER, Call
from ..show import is_scalar_constant, reference

CHARACTER, LINE, MARGIN = 6.7, 15.0, 10.0  # of the type: the width of a character, the height of a line
_COLUMN_GAP, _LAYER_GAP, _THIN = 18.0, 30.0, 8.0
_LONGEST = 48  # characters of a line
_SWEEPS = 4
_MOST_PLACES = 6  # for each node, on average: beyond that, long edges go straight


@dataclass(eq=False)
class Box:
    """A rectangle: a node, an end of a graph, or (without a width) a point that a long edge goes through.

    ``x`` is the middle, ``y`` the top. ``lines`` are its texts; ``panels`` the sub-graphs inside.
    """

    lines: list[str]
    kind: str
    node: Node | None = None
    panels: list[Panel] = field(default_factory=list)
    width: float = 0.0
    height: float = 0.0
    x: float = 0.0
    y: float = 0.0


@dataclass(eq=False)
class Panel:
    """A graph in a frame of its own: ``x`` and ``y`` are the left upper corner, in what holds it."""

    title: str
    boxes: list[Box]
    edges: list[list[Box]]
    width: float
    height: float
    x: float = 0.0
    y: float = 0.0


def place(graph: Graph, title: str = "") -> Panel:
    """The drawing of a graph, with sub-graphs; sizes are in pixels."""
    boxes: dict[Node, Box] = {}
    edges: list[tuple[Box, Box]] = []
    used = {value.node for node in graph.nodes for value in node.inputs}
    used.update(value.node for value in graph.outputs)
    for node in graph.nodes:
        if is_scalar_constant(node) or (node.op is PLACEHOLDER and node not in used):
            continue
        box = boxes[node] = _box(node)
        sources = dict.fromkeys(value.node for value in node.inputs)
        edges += [(boxes[source], box) for source in sources if source in boxes]
    ends = [_end(value, i, graph) for i, value in enumerate(graph.outputs)]
    edges += [(boxes[value.node], end) for value, end in zip(graph.outputs, ends, strict=False) if value.node in boxes]
    everything = [*boxes.values(), *ends]
    layers, routes = _layers(everything, edges)
    _order(layers, routes)
    width, height = _coordinates(layers, routes)
    top = LINE + MARGIN if title else MARGIN
    for layer in layers:
        for box in layer:
            box.x, box.y = box.x + MARGIN, box.y + top
    width = max(width, CHARACTER * len(title))
    return Panel(title, everything, routes, width + 2 * MARGIN, height + top + MARGIN)


def _box(node: Node) -> Box:
    types = ", ".join(str(value.type) for value in node.outputs)
    if node.op is PLACEHOLDER:
        return _sized(Box([node.name, types], "input", node))
    constants = [reference(value) if is_scalar_constant(value.node) else "·" for value in node.inputs]
    shown = f"({', '.join(constants)})" if any(each != "·" for each in constants) else ""
    name = node.called.name if isinstance(node, Call) else node.op.name
    lines = [f"{name}{shown}"[:_LONGEST], types[:_LONGEST]]
    kind = "effect" if node.op.effect else node.op.name if node.op in (CALL, CONSTANT) else "op"
    box = Box([line for line in lines if line], kind, node)
    if not isinstance(node, Call):
        box.panels = [place(region.graph, region.name) for region in node.regions]
    return _sized(box)


def _end(value: Value, position: int, graph: Graph) -> Box:
    name = "return" if len(graph.outputs) == 1 else f"return {position}"
    return _sized(Box([f"{name} {reference(value)}" if is_scalar_constant(value.node) else name], "end"))


def _sized(box: Box) -> Box:
    box.width = 2 * MARGIN + CHARACTER * max(map(len, box.lines))
    box.height = MARGIN + LINE * len(box.lines)
    if box.panels:
        x = MARGIN
        for panel in box.panels:
            panel.x, panel.y = x, box.height
            x += panel.width + MARGIN
        box.kind = "frame"
        box.width = max(box.width, x)
        box.height += max(panel.height for panel in box.panels) + MARGIN
    return box


def _layers(boxes: Sequence[Box], edges: Sequence[tuple[Box, Box]]) -> tuple[list[list[Box]], list[list[Box]]]:
    """The boxes by layer, with points for long edges among them; and for each edge the boxes that it goes through."""
    depth = dict.fromkeys(boxes, 0)
    for source, target in edges:  # in the order of the targets, which come after their sources
        depth[target] = max(depth[target], depth[source] + 1)
    layers: list[list[Box]] = [[] for _ in range(max(depth.values(), default=-1) + 1)]
    _pull_down(depth, edges)
    for box in boxes:
        layers[depth[box]].append(box)
    places = sum(depth[target] - depth[source] - 1 for source, target in edges)
    routes = []
    for source, target in edges:
        route = [source]
        if places <= _MOST_PLACES * len(boxes) + 50:
            for i in range(depth[source] + 1, depth[target]):
                point = Box([], "point", width=_THIN)
                layers[i].append(point)
                route.append(point)
        routes.append([*route, target])
    return layers, routes


def _pull_down(depth: dict[Box, int], edges: Sequence[tuple[Box, Box]]) -> None:
    """Put what has no inputs of its own right above what uses it."""
    has_source = {target for _, target in edges}
    lowest: dict[Box, int] = {}
    for source, target in edges:
        if source not in has_source:
            lowest[source] = min(lowest.get(source, depth[target] - 1), depth[target] - 1)
    for box, layer in lowest.items():
        if box.kind != "input":
            depth[box] = layer


def _order(layers: list[list[Box]], routes: Sequence[Sequence[Box]]) -> None:
    """Order the boxes of each layer by the mean place of their neighbours above, then below, some times."""
    above: dict[Box, list[Box]] = {}
    below: dict[Box, list[Box]] = {}
    for route in routes:
        for source, target in pairwise(route):
            above.setdefault(target, []).append(source)
            below.setdefault(source, []).append(target)
    position = {box: i for layer in layers for i, box in enumerate(layer)}
    for sweep in range(_SWEEPS):
        down = sweep % 2 == 0
        neighbours = above if down else below
        for layer in layers if down else reversed(layers):
            means = {box: _mean(neighbours.get(box, ()), position.__getitem__, position[box]) for box in layer}
            layer.sort(key=means.__getitem__)
            position.update((box, i) for i, box in enumerate(layer))


def _mean(boxes: Sequence[Box], key: Callable[[Box], float], default: float) -> float:
    return sum(map(key, boxes)) / len(boxes) if boxes else default


def _coordinates(layers: list[list[Box]], routes: Sequence[Sequence[Box]]) -> tuple[float, float]:
    """Give each box its place; the width and height of all."""
    neighbours: dict[Box, list[Box]] = {}
    for route in routes:
        for source, target in pairwise(route):
            neighbours.setdefault(target, []).append(source)
            neighbours.setdefault(source, []).append(target)
    y = 0.0
    for layer in layers:
        x = 0.0
        height = max((box.height for box in layer), default=0.0)
        for box in layer:
            box.x, box.y = x + box.width / 2, y
            if box.kind == "point":
                box.height = height
            x += box.width + _COLUMN_GAP
        y += height + _LAYER_GAP
    for sweep in range(2 * _SWEEPS):
        for layer in layers if sweep % 2 == 0 else reversed(layers):
            _settle(layer, [_mean(neighbours.get(box, ()), lambda each: each.x, box.x) for box in layer])
    left = min((box.x - box.width / 2 for layer in layers for box in layer), default=0.0)
    for layer in layers:
        for box in layer:
            box.x -= left
    width = max((box.x + box.width / 2 for layer in layers for box in layer), default=0.0)
    return width, max(y - _LAYER_GAP, 0.0)


def _settle(layer: Sequence[Box], wanted: Sequence[float]) -> None:
    """Bring the boxes of a layer near their wanted middles, in order and apart.

    Boxes that would overlap form a block, which lies at the mean of what they want (pool adjacent violators, the
    isotonic regression of Ayer et al., 1955).
    """
    blocks: list[tuple[float, int]] = []  # sum of the wanted places of first boxes, number of boxes
    offset = 0.0
    offsets = []
    for i, box in enumerate(layer):
        if i:
            offset += (layer[i - 1].width + box.width) / 2 + _COLUMN_GAP
        offsets.append(offset)
        total, count = wanted[i] - offset, 1
        while blocks and blocks[-1][0] / blocks[-1][1] > total / count:
            before = blocks.pop()
            total, count = total + before[0], count + before[1]
        blocks.append((total, count))
    i = 0
    for total, count in blocks:
        for box in layer[i : i + count]:
            box.x = total / count + offsets[i]
            i += 1
