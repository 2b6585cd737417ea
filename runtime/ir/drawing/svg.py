"""Draws a graph as SVG."""

from __future__ import annotations

import html
from collections.abc import Sequence
from pathlib import Path

from ..graph import Graph
from .layout import LINE, MARGIN, Box, Panel, place

STYLE = """
.graph text { font: 11px 'DejaVu Sans Mono', Menlo, Consolas, monospace; fill: #1f2328; text-anchor: middle }
.graph .type { fill: #6e7781; font-size: 10px }
.graph .left { text-anchor: start }
.graph .title { font: 600 11px sans-serif; fill: #57606a; text-anchor: start }
.graph rect { stroke-width: 1; fill: #ffffff; stroke: #8c959f }
.graph .panel { fill: #ffffff; fill-opacity: .6; stroke: #d0d7de; stroke-dasharray: 3 3 }
.graph .input rect, .graph .end rect { fill: #ddf4ff; stroke: #54aeff }
.graph .constant rect { fill: #f6f8fa; stroke: #d0d7de }
.graph .effect rect { fill: #fff1e5; stroke: #fb8f44 }
.graph .call rect { fill: #fbefff; stroke: #c297ff }
.graph .frame > rect { fill: #f3f7f0; stroke: #74a35c }
.graph .edge { fill: none; stroke: #8c959f; stroke-width: 1.1 }
.graph .arrow { fill: #8c959f }
.graph g.lit > rect { stroke: #cf222e; stroke-width: 2 }
"""


def svg(graph: Graph, standalone: bool = True) -> str:
    """A graph as an SVG element; ``standalone``: as a file of its own, with its style."""
    panel = place(graph)
    parts: list[str] = []
    _panel(panel, 0.0, 0.0, parts)
    size = f'width="{panel.width:.0f}" height="{panel.height:.0f}" viewBox="0 0 {panel.width:.0f} {panel.height:.0f}"'
    space = ' xmlns="http://www.w3.org/2000/svg"' if standalone else ""
    style = f"<style>{STYLE}</style>" if standalone else ""
    return f'<svg{space} class="graph" {size}>{style}\n' + "\n".join(parts) + "\n</svg>\n"


def _panel(panel: Panel, x: float, y: float, parts: list[str]) -> None:
    if panel.title:
        size = f'width="{panel.width:.1f}" height="{panel.height:.1f}"'
        parts.append(f'<rect class="panel" x="{x:.1f}" y="{y:.1f}" {size} rx="5"/>')
        parts.append(f'<text class="title" x="{x + MARGIN:.1f}" y="{y + LINE:.1f}">{html.escape(panel.title)}</text>')
    for route in panel.edges:
        _edge(route, x, y, parts)
    for box in panel.boxes:
        _box(box, x, y, parts)


def link(file: str, line: int) -> str:
    """The attributes of an element that belongs to a line; the file without its folder, as pictures are published."""
    return f' data-file="{html.escape(Path(file).name)}" data-line="{line}"'


def _box(box: Box, x: float, y: float, parts: list[str]) -> None:
    left, top = x + box.x - box.width / 2, y + box.y
    node = box.node
    location = node.location if node is not None else None
    parts.append(f'<g class="{box.kind}"{link(location.file, location.line) if location is not None else ""}>')
    if node is not None:
        where = f"\n{location._replace(file=Path(location.file).name)}" if location is not None else ""
        parts.append(f"<title>{html.escape(f'{node.name}{where}')}</title>")
    radius = 11 if box.kind in ("input", "end") else 5
    size = f'width="{box.width:.1f}" height="{box.height:.1f}"'
    parts.append(f'<rect x="{left:.1f}" y="{top:.1f}" {size} rx="{radius}"/>')
    for i, line in enumerate(box.lines):
        kind = " ".join(["type"] * (i > 0) + ["left"] * bool(box.panels))
        anchor = left + MARGIN if box.panels else x + box.x
        height = top + LINE * (i + 1) - 1
        parts.append(f'<text class="{kind}" x="{anchor:.1f}" y="{height:.1f}">{html.escape(line)}</text>')
    for panel in box.panels:
        _panel(panel, left + panel.x, top + panel.y, parts)
    parts.append("</g>")


def _edge(route: Sequence[Box], x: float, y: float, parts: list[str]) -> None:
    """A curve from box to box, straight down through the points between, with an arrow at its end."""
    source, *between, target = route
    from_x, from_y = x + source.x, y + source.y + source.height
    path = [f"M{from_x:.1f} {from_y:.1f}"]
    for box in [*between, target]:
        to_x, to_y = x + box.x, y + box.y
        bend = (to_y - from_y) / 2
        path.append(f"C{from_x:.1f} {from_y + bend:.1f} {to_x:.1f} {to_y - bend:.1f} {to_x:.1f} {to_y:.1f}")
        from_x, from_y = to_x, to_y + box.height
        if box is not target:
            path.append(f"V{from_y:.1f}")
    parts.append(f'<path class="edge" d="{" ".join(path)}"/>')
    tip_x, tip_y = x + target.x, y + target.y
    parts.append(f'<path class="arrow" d="M{tip_x:.1f} {tip_y:.1f} l-3.5 -6 h7 z"/>')
