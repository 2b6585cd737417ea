"""Graphs as pictures: `layout` places the nodes, `svg` draws them. `Graph.show` gives a `Picture`."""

from __future__ import annotations

import os
from pathlib import Path

from ..graph import PICTURE, Graph
from .svg import svg as drawn

__all__ = ["Picture"]


@PICTURE.give
class Picture:
    """A drawing of a graph, with branches and loops as boxes in boxes; notebooks show it.

    >>> import autograph as tf
    >>> graph = tf.function(lambda x: x + 1).get_concrete_function(tf.constant(1)).graph
    >>> graph.show()
    <Picture of <lambda>, 3 nodes; notebooks show it, and save("file.svg") writes it>
    """

    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    @property
    def svg(self) -> str:
        """The drawing as the text of an SVG file."""
        return drawn(self.graph)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the drawing to a file: SVG, or a page of HTML around it when the name ends in ``.html``.

        Raises `OSError` when it can't be written.
        """
        text = self.svg
        if Path(path).suffix in (".html", ".htm"):
            text = f'<!doctype html>\n<meta charset="utf-8">\n<title>{self.graph.name}</title>\n{text}'
        Path(path).write_text(text, encoding="utf-8")

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        count = sum(1 for _ in self.graph.walk())
        return f'<Picture of {self.graph.name}, {count} nodes; notebooks show it, and save("file.svg") writes it>'
