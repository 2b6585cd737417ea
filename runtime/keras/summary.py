"""The table that `Model.summary` prints."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from typing import Any

from .. import nest
from .symbolic import Node
from .tracking import own_layers

__all__ = ["print_summary"]

_LAYER, _SHAPE, _COUNT = "Layer (type)", "Output Shape", "Param #"


def print_summary(
    model: Any, line_length: int | None = None, print_fn: Callable[..., Any] | None = None,
    expand_nested: bool = False, show_trainable: bool = False
) -> None:  # fmt: skip
    """Print the layers, their output shapes and numbers of parameters, then the totals."""
    graph = model.graph_of_calls
    connected = graph is not None and not hasattr(model._record, "input") and not _is_chain(graph)
    headings = [_LAYER, _SHAPE, _COUNT] + (["Connected to"] if connected else [])
    shares = (0.28, 0.28, 0.16, 0.28) if connected else (0.45, 0.34, 0.21)
    aligned = ["<", "<", ">"] + (["<"] if connected else [])
    if show_trainable:
        headings.append("Trai…")
        shares = tuple(share * 0.9 for share in shares) + (0.1,)
        aligned.append("^")
    length = line_length or (84 if connected or show_trainable else 76)
    length = min(length, max(shutil.get_terminal_size((100, 24)).columns, 40)) if line_length is None else length
    widths = _widths(length, shares)
    layers = graph.operations if graph is not None and not hasattr(model._record, "input") else model.layers
    rows = [row for layer in layers for row in _rows(layer, graph if connected else None, show_trainable)]
    if expand_nested:
        rows = [row for layer in layers for row in _nested(layer, graph if connected else None, show_trainable, 0)]
    lines = [f'Model: "{model.name}"', *_table(headings, rows, widths, aligned), *_totals(model)]
    for line in lines:
        (print_fn or print)(line)


def _is_chain(graph: Any) -> bool:
    """Whether each layer is called once, on the output of the one before."""
    nodes = graph.nodes
    depths = [len(node.inputs) for node in nodes]
    used = [id(leaf) for node in nodes for leaf in node.inputs]
    return all(count <= 1 for count in depths) and depths.count(0) == 1 and len(used) == len(set(used)) and (
        len({id(node.operation) for node in nodes}) == len(nodes)
    )  # fmt: skip


def _rows(layer: Any, graph: Any, show_trainable: bool, prefix: str = "") -> list[list[str]]:
    row = [f"{prefix}{layer.name} ({_kind(layer)})", _shape_of(layer), _count_of(layer)]
    if graph is not None:
        row.append(_sources(layer, graph))
    if show_trainable:
        row.append("-" if not layer.weights else "Y" if layer.trainable else "N")
    return [row]


def _nested(layer: Any, graph: Any, show_trainable: bool, depth: int) -> list[list[str]]:
    rows = _rows(layer, graph, show_trainable, " " + "└ " * depth if depth else "")
    if hasattr(layer, "graph_of_calls"):
        for each in own_layers(layer):
            found = _nested(each, None, show_trainable, depth + 1)
            rows += [[*row[:3], "-", *row[3:]] for row in found] if graph is not None else found
    return rows


def _kind(layer: Any) -> str:
    kind = getattr(layer, "kind", None)
    return type(layer).__name__ if kind is None else "".join(part.capitalize() for part in kind.split("_"))


def _shape_of(layer: Any) -> str:
    shapes = layer._record.output_shapes
    if not shapes:
        return "?"
    if len(shapes) > 1 and any(shape != shapes[0] for shape in shapes):
        return "multiple"
    shape = shapes[0]
    parts = [shape] if _is_one(shape) else [shape[key] for key in shape] if isinstance(shape, dict) else shape
    text = ", ".join(str(part) for part in parts)
    return text if _is_one(shape) else f"[{text}]"


def _is_one(shape: Any) -> bool:
    return isinstance(shape, tuple) and all(size is None or isinstance(size, int) for size in shape)


def _count_of(layer: Any) -> str:
    if not layer.built:
        return "0 (unbuilt)"
    weights = getattr(layer, "weights", [])
    return f"{sum(weight._array.size for weight in weights):,}"


def _sources(layer: Any, graph: Any) -> str:
    """Which outputs of which layers a layer was called on."""
    found = []
    for node in layer._record.nodes:
        if not any(node is each for each in graph.nodes):
            continue
        for leaf in node.inputs:
            before, index = leaf.keras_history
            found.append(f"{before.operation.name}[{_number(before, graph)}][{index}]")
    return ", ".join(found) or "-"


def _number(node: Node, graph: Any) -> int:
    return node.index


def _totals(model: Any) -> list[str]:
    def line(name: str, variables: list[Any]) -> str:
        count = sum(variable._array.size for variable in variables)
        return f" {name}: {count:,} ({_memory(sum(variable._array.nbytes for variable in variables))})"

    trainable = model.trainable_weights
    others = [weight for weight in model.weights if not any(weight is each for each in trainable)]
    optimizer = getattr(model, "optimizer", None)
    extra = list(optimizer.variables)[1:] if optimizer is not None and optimizer.built else []
    lines = [line("Trainable params", trainable), line("Non-trainable params", others)]
    if optimizer is not None and getattr(optimizer, "built", False):
        extra = list(optimizer.variables)
        lines.append(line("Optimizer params", extra))
        return [line("Total params", [*model.weights, *extra]), *lines]
    return [line("Total params", model.weights), *lines]


def _memory(size: float) -> str:
    for unit in ("B", "KB", "MB", "GB"):
        if size < 1024 or unit == "GB":
            return f"{size:.2f} {unit}"
        size /= 1024
    raise AssertionError


def _widths(length: int, shares: tuple[float, ...]) -> list[int]:
    """The inner widths of columns, of which all and the borders take a length."""
    total = length - 1
    widths = [int(total * share) - 3 for share in shares]
    return widths


def _wrapped(text: str, width: int) -> list[str]:
    lines, line = [], ""
    for word in text.split(" "):
        while len(word) > width:
            if line:
                lines.append(line)
                line = ""
            lines.append(word[:width])
            word = word[width:]
        if not line or len(line) + 1 + len(word) <= width:
            line = f"{line} {word}" if line else word
        else:
            lines.append(line)
            line = word
    return [*lines, line]


def _table(headings: list[str], rows: list[list[str]], widths: list[int], aligned: list[str]) -> list[str]:
    def rule(left: str, fill: str, cross: str, right: str) -> str:
        return left + cross.join(fill * (width + 2) for width in widths) + right

    def cells(texts: list[str], bar: str) -> list[str]:
        parts = [_wrapped(text, width) for text, width in zip(texts, widths, strict=True)]
        height = max(map(len, parts))
        padded = [part + [""] * (height - len(part)) for part in parts]
        return [
            f"{bar} " + f" {bar} ".join(f"{text:{a}{w}}" for text, a, w in zip(line, aligned, widths, strict=True)) + f" {bar}"
            for line in zip(*padded, strict=True)
        ]

    lines = [rule("┏", "━", "┳", "┓"), *cells(headings, "┃"), rule("┡", "━", "╇", "┩")]
    for number, row in enumerate(rows):
        if number:
            lines.append(rule("├", "─", "┼", "┤"))
        lines += cells(row, "│")
    return [*lines, rule("└", "─", "┴", "┘")]
