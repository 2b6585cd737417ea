"""Draws a function, what autograph makes of it, and its graph as SVG.

    python examples/picture.py                 the picture in README.md, examples/collatz.svg
    python examples/picture.py other.svg       the same, in another file
"""

from __future__ import annotations

import inspect
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path

import autograph as tf
from autograph.highlight import marked_up

LINE, CHARACTER, MARGIN = 17, 7.3, 14
STYLE = """
text { font: 12px 'DejaVu Sans Mono', Menlo, Consolas, monospace; fill: #1f2328 }
.title { font: 600 13px sans-serif; fill: #57606a }
.keyword { fill: #8250df; font-weight: 600 } .operator { fill: #0550ae }
.string, .number { fill: #0a7d33 }
.card { fill: #ffffff; stroke: #d0d7de }
"""


def collatz(n):
    steps = 0
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps


@dataclass
class Canvas:
    """SVG elements, and how far they reach."""

    parts: list[str] = field(default_factory=list)
    width: float = 0
    height: float = 0

    def rectangle(self, x: float, y: float, width: float, height: float, kind: str) -> None:
        self.parts.append(f'<rect class="{kind}" x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="6"/>')
        self.width, self.height = max(self.width, x + width), max(self.height, y + height)

    def text(self, x: float, y: float, content: str, kind: str = "") -> None:
        self.parts.append(f'<text class="{kind}" x="{x:g}" y="{y:g}">{content}</text>')

    def svg(self) -> str:
        size = f'width="{self.width + MARGIN:g}" height="{self.height + MARGIN:g}"'
        body = "\n".join(self.parts)
        return f'<svg xmlns="http://www.w3.org/2000/svg" {size}>\n<style>{STYLE}</style>\n{body}\n</svg>\n'


def draw_code(canvas: Canvas, x: float, y: float, title: str, source: str) -> float:
    """Draws a card with source code; returns its lower edge."""
    text = source.strip("\n") + "\n"
    lines = text.splitlines()
    width = 2 * MARGIN + CHARACTER * max(map(len, lines))
    canvas.text(x, y + LINE / 2, title, "title")
    canvas.rectangle(x, y + LINE, width, LINE * len(lines) + 2 * MARGIN, "card")
    for row, (line, content) in enumerate(zip(lines, marked_up(text, "tspan"), strict=True)):
        indent = len(line) - len(line.lstrip())
        canvas.text(x + MARGIN + CHARACTER * indent, y + MARGIN + LINE * (row + 1.8), content.lstrip())
    return y + LINE * (len(lines) + 1) + 2 * MARGIN


def draw(function, *arguments) -> str:
    """The picture of a function traced with some arguments."""
    canvas = Canvas()
    bottom = draw_code(canvas, MARGIN, MARGIN, "what you write", inspect.getsource(function))
    draw_code(canvas, MARGIN, bottom + MARGIN, "what autograph makes of it", tf.autograph.to_code(function))
    graph = tf.function(function).get_concrete_function(*arguments).graph
    width, height = map(float, re.findall(r'(?:width|height)="(\d+)"', graph.show().svg)[:2])
    x = canvas.width + 2 * MARGIN
    canvas.text(x, MARGIN + LINE / 2, "the graph", "title")
    canvas.rectangle(x, MARGIN + LINE, width, height, "card")
    canvas.parts.append(graph.show().svg.replace("<svg", f'<svg x="{x:g}" y="{MARGIN + LINE:g}"', 1))
    return canvas.svg()


def main(arguments: list[str] | None = None) -> str:
    """Draws `collatz` and writes the file that is named, or the picture in README.md; returns the text of it."""
    given = sys.argv[1:] if arguments is None else arguments
    picture = draw(collatz, tf.constant(27))
    Path(given[0] if given else Path(__file__).with_name("collatz.svg")).write_text(picture)
    return picture


if __name__ == "__main__":
    main()
