"""Pictures of graphs: every node is there once, in its frame, clear of the others, below what it uses."""

from __future__ import annotations

import itertools
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autograph as tf
from autograph.runtime.ir.drawing.layout import Box, Panel, place
from autograph.runtime.ir.graph import Graph
from autograph.runtime.ir.show import dot, is_scalar_constant
from tests.work import work


def recurrent(x: Any, w: Any, u: Any, h: Any) -> Any:
    out = []
    for t in range(len(x)):
        h = np.tanh(x[t] @ w + h @ u)
        if tf.reduce_sum(h) > 3:
            tf.print("big", t)
            break
        out.append(h)
    return h, out


def factorial(n: Any) -> Any:
    return 1 if n < 2 else n * factorial(n - 1)


def dense(x: Any, y: Any) -> Any:
    a = tf.nn.relu(x @ y)
    return tf.reduce_mean((a @ y + a - x) ** 2), a


def graphs() -> list[Graph]:
    spec = tf.TensorSpec
    return [
        tf.function(recurrent).get_concrete_function(*map(spec, [(None, 4, 8), (8, 16), (16, 16), (4, 16)])).graph,
        tf.function(factorial).get_concrete_function(tf.constant(3)).graph,
        tf.function(dense).get_concrete_function(spec((5, 5)), spec((5, 5))).graph,
        tf.function(lambda: 1).get_concrete_function().graph,
        Graph("empty"),
    ]


def chain(length: int) -> Graph:
    def function(x: Any) -> Any:
        y = x
        for i in np.arange(length):
            y = y + (x if i % 50 == 0 else 1.0)
        return y

    return tf.function(function).get_concrete_function(tf.constant(1.0)).graph


def panels(panel: Panel) -> Iterator[Panel]:
    yield panel
    for box in panel.boxes:
        for inner in box.panels:
            yield from panels(inner)


def overlap(one: Box, other: Box) -> bool:
    apart = abs(one.x - other.x) >= (one.width + other.width) / 2 - 0.01
    return not (apart or one.y + one.height <= other.y or other.y + other.height <= one.y)


@pytest.mark.parametrize("graph", graphs(), ids=lambda graph: graph.name)
def test_the_layout(graph: Graph) -> None:
    drawing = place(graph)
    drawn = [box.node for panel in panels(drawing) for box in panel.boxes if box.node is not None]
    assert len(drawn) == len(set(drawn))
    inside = {inner for node in graph.walk() if node.op.name == "call" for inner in node.called.walk()}
    missing = {node for node in graph.walk() if not is_scalar_constant(node)} - set(drawn) - inside
    assert all(node.op.name == "placeholder" for node in missing), "only unused inputs are left out"
    for panel in panels(drawing):
        for one, other in itertools.combinations(panel.boxes, 2):
            assert not overlap(one, other)
        for box in panel.boxes:
            assert 0 <= box.x - box.width / 2 and box.x + box.width / 2 <= panel.width
            assert 0 <= box.y and box.y + box.height <= panel.height
            for inner in box.panels:
                assert inner.x + inner.width <= box.width and inner.y + inner.height <= box.height
        for source, *_, target in panel.edges:
            assert source.y + source.height < target.y


@pytest.mark.parametrize("graph", graphs(), ids=lambda graph: graph.name)
def test_the_drawing_is_svg(graph: Graph) -> None:
    picture = graph.show()
    root = ElementTree.fromstring(picture.svg)
    assert root.tag == "{http://www.w3.org/2000/svg}svg" and picture._repr_svg_() == picture.svg
    titles = [each.text for each in root.iter("{http://www.w3.org/2000/svg}title")]
    assert len(titles) == sum(box.node is not None for panel in panels(place(graph)) for box in panel.boxes)
    assert dot(graph).count("{") == dot(graph).count("}")


def test_files(tmp_path: Path) -> None:
    picture = graphs()[2].show()
    picture.save(tmp_path / "graph.svg")
    picture.save(tmp_path / "graph.html")
    assert (tmp_path / "graph.svg").read_text() == picture.svg
    assert (tmp_path / "graph.html").read_text().startswith("<!doctype html>")
    assert "dense" in repr(picture) and "save(" in repr(picture)


def test_the_cost_is_linear() -> None:
    short, long = chain(300), chain(1200)
    assert work(lambda: short.show().svg) * 5 > work(lambda: long.show().svg)


def test_a_drawing_does_not_tell_where_the_files_lie() -> None:
    def f(x: Any) -> Any:
        return x + 1

    drawing = tf.function(f).get_concrete_function(tf.constant(1)).graph.show().svg
    assert Path(__file__).name in drawing
    assert str(Path(__file__).parent) not in drawing
