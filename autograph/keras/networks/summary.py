"""The table that `Model.summary` prints."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from autograph.errors import InvalidArgumentError
from autograph.runtime.base import nest

from ..base.symbolic import is_shape, output_shape
from ..base.tracking import record_of
from .model import PRINT_SUMMARY
from .sequential import Sequential

if TYPE_CHECKING:
    pass

__all__ = ["print_summary"]

_LAYER, _SHAPE, _COUNT = "Layer (type)", "Output Shape", "Param #"


@PRINT_SUMMARY.give
def print_summary(
    model: Any, line_length: int | None = None, positions: Any = None, print_fn: Callable[..., Any] | None = None,
    expand_nested: bool = False, show_trainable: bool = False, layer_range: Any = None
) -> None:  # fmt: skip
    """Print the layers, their output shapes and numbers of parameters, then the totals.

    The table is as wide as the terminal, up to 88 characters; with the layers that each is connected to, up to 108.
    ``positions``: where columns end, as shares of the line. ``layer_range``: patterns for the names of the first and
    last layer shown. ``print_fn`` is given the whole text. Raises `ValueError` for a line that is too short and for
    patterns that no name matches.
    """
    graph = None if isinstance(model, Sequential) else model.graph_of_calls
    connected = graph is not None and not _is_chain(graph)
    headings, aligned = [_LAYER, _SHAPE, _COUNT], ["<", "<", ">"]
    ends = list(positions or ((0.3, 0.56, 0.74, 1.0) if connected else (0.45, 0.80, 1.0)))
    default = 108 if connected else 88
    if connected:
        headings, aligned = [*headings, "Connected to"], [*aligned, "<"]
    if show_trainable:
        headings, aligned, default = [*headings, "Trainable"], [*aligned, "^"], default + 12
        ends = [*(end * 0.9 for end in ends), 1.0]
    length = line_length or min(default, shutil.get_terminal_size().columns - 4)
    widths = _widths(length, ends)
    layers = _in_range(model.layers if graph is None else graph.operations, layer_range)
    rows = [row for layer in layers for row in _rows(layer, graph if connected else None, show_trainable,
                                                    0 if expand_nested else None, connected)]  # fmt: skip
    lines = [f'Model: "{model.name}"', *_table(headings, rows, widths, aligned), *_totals(model)]
    text = "\n".join(lines)
    if print_fn is None:
        print(text)
    else:
        print_fn(text + "\n")


def _in_range(layers: list[Any], layer_range: Any) -> list[Any]:
    """The layers from the first whose name matches a pattern to the last whose name matches another."""
    if layer_range is None:
        return layers
    first, last = layer_range
    starts = [number for number, layer in enumerate(layers) if re.match(first, layer.name)]
    ends = [number for number, layer in enumerate(layers) if re.match(last, layer.name)]
    if not starts or not ends:
        raise InvalidArgumentError(
            f"Passed layer_names do not match the layer names in the model. Received: {layer_range}"
        )
    low, high = min(starts[0], ends[0]), max(starts[-1], ends[-1])
    return layers[low : high + 1]


def _is_chain(graph: Any) -> bool:
    """Whether each layer is called once, on the output of the one before."""
    nodes = graph.nodes
    depths = [len(node.inputs) for node in nodes]
    used = [id(leaf) for node in nodes for leaf in node.inputs]
    return all(count <= 1 for count in depths) and depths.count(0) == 1 and len(used) == len(set(used)) and (
        len({id(node.operation) for node in nodes}) == len(nodes)
    )  # fmt: skip


def _rows(layer: Any, graph: object, show_trainable: bool, depth: int | None, connected: bool) -> list[list[str]]:
    """The row of a layer, and with a depth those of the layers in it."""
    prefix = "   " * depth + "└ " if depth else ""
    row = [f"{prefix}{layer.name} ({_kind(layer)})", _shape_of(layer), _count_of(layer)]
    if connected:
        row.append("-" if graph is None else _sources(layer, graph))
    if show_trainable:
        row.append("-" if not getattr(layer, "weights", ()) else "Y" if layer.trainable else "N")
    inner = layer.layers if depth is not None and hasattr(layer, "graph_of_calls") else []
    nested = [_rows(each, None, show_trainable, (depth or 0) + 1, connected) for each in inner]
    return [row, *(each for rows in nested for each in rows)]


def _kind(layer: object) -> str:
    kind = getattr(layer, "kind", None)
    return type(layer).__name__ if kind is None else "".join(part.capitalize() for part in kind.split("_"))


def _shape_of(layer: Any) -> str:
    record = record_of(layer)
    shape = record.output_shapes[-1] if record.output_shapes else None
    if shape is None and record.build_shape is not None:
        try:
            shape = output_shape(layer, record.build_shape)
        except (TypeError, ValueError, NotImplementedError):
            return "?"
    if shape is None:
        return "?"
    if is_shape(shape):
        return str(tuple(shape))
    parts = nest.children(shape)
    if isinstance(shape, dict):
        return "{" + ", ".join(f"{name}: {part}" for name, part in parts) + "}"
    return f"[{', '.join(str(part) for _, part in parts)}]" if len(parts) > 1 else str(parts[0][1])


def _count_of(layer: Any) -> str:
    if not layer.built:
        return "0 (unbuilt)"
    weights = getattr(layer, "weights", [])
    return f"{sum(weight.array.size for weight in weights):,}"


def _sources(layer: Any, graph: Any) -> str:
    """Which outputs of which layers a layer was called on."""
    found = []
    for node in record_of(layer).nodes:
        if not any(node is each for each in graph.nodes):
            continue
        for leaf in node.inputs:
            before, index = leaf.keras_history
            found.append(f"{before.operation.name}[{before.index}][{index}]")
    return ", ".join(found) or "-"


def _totals(model: Any) -> list[str]:
    def line(name: str, variables: list[Any]) -> str:
        count = sum(variable.array.size for variable in variables)
        return f" {name}: {count:,} ({_memory(sum(variable.array.nbytes for variable in variables))})"

    trainable = model.trainable_weights
    others = [weight for weight in model.weights if not any(weight is each for each in trainable)]
    lines = [line("Trainable params", trainable), line("Non-trainable params", others)]
    extra: list[Any] = []
    if model.optimizer is not None and model.optimizer.built:
        extra = list(model.optimizer.variables)
        lines.append(line("Optimizer params", extra))
    return [line("Total params", [*model.weights, *extra]), *lines]


def _memory(size: float) -> str:
    for unit in ("B", "KB", "MB", "GB"):
        if size < 1024 or unit == "GB":
            return f"{size:.2f} {unit}"
        size /= 1024
    raise AssertionError


def _widths(length: int, ends: list[float]) -> list[int]:
    """The inner widths of columns that end at shares of a line, less what borders and padding take."""
    places = [0, *(int(end * length) for end in ends)]
    widths = [stop - start for start, stop in pairwise(places)]
    excess = 3 * len(widths) + 1
    for number in range(len(widths)):
        part = round(excess / (len(widths) - number))
        widths[number] -= part
        excess -= part
    if min(widths) < 2:
        raise InvalidArgumentError("Insufficient console width to print summary.")
    return widths


def _wrapped(text: str, width: int) -> list[str]:
    """A text in lines of a width; longer words are cut."""
    start = len(text) - len(text.lstrip())
    words = text.split()
    words[:1] = [text[:start] + words[0]] if words else [""]
    lines = [words[0]]
    for word in words[1:]:
        if len(lines[-1]) + 1 + len(word) <= width:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return [line if len(line) <= width else line[: width - 1] + "…" for line in lines]


def _table(headings: list[str], rows: list[list[str]], widths: list[int], aligned: list[str]) -> list[str]:
    def rule(left: str, fill: str, cross: str, right: str) -> str:
        return left + cross.join(fill * (width + 2) for width in widths) + right

    def cells(texts: list[str], bar: str) -> list[str]:
        parts = [_wrapped(text, width) for text, width in zip(texts, widths, strict=True)]
        height = max(map(len, parts))
        padded = [part + [""] * (height - len(part)) for part in parts]
        lines = [
            [f"{text:{align}{width}}" for text, align, width in zip(line, aligned, widths, strict=True)]
            for line in zip(*padded, strict=True)
        ]
        return [f"{bar} {f' {bar} '.join(line)} {bar}" for line in lines]

    lines = [rule("┏", "━", "┳", "┓"), *cells(headings, "┃"), rule("┡", "━", "╇", "┩")]
    for number, row in enumerate(rows):
        if number:
            lines.append(rule("├", "─", "┼", "┤"))
        lines += cells(row, "│")
    return [*lines, rule("└", "─", "┴", "┘")]
