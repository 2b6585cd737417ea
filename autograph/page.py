"""A page of HTML, in one file, that shows a function, what is made of it, its graph and its plan side by side."""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Sequence
from types import FunctionType
from typing import Any

from .api import to_code
from .errors import SourceNotFoundError
from .highlight import marked_up
from .pipeline import converted_functions
from .runtime.base.places import is_user_file
from .runtime.functions.concrete import ConcreteFunction
from .runtime.ir.drawing.svg import STYLE, link, svg
from .source.find import find

_STYLE = """
body { margin: 0; font: 13px/1.45 system-ui, sans-serif; color: #1f2328; background: #f6f8fa }
h1 { font-size: 16px; margin: 0; padding: 12px 16px; background: #fff; border-bottom: 1px solid #d0d7de }
h1 small { color: #6e7781; font-weight: normal; margin-left: 12px }
main { display: flex; align-items: flex-start; gap: 12px; padding: 12px; overflow-x: auto }
section { flex: none; background: #fff; border: 1px solid #d0d7de; border-radius: 6px; max-width: 760px }
h3 { font-size: 12px; margin: 12px 0 4px; padding: 4px 12px; border-top: 1px solid #d0d7de; color: #57606a }
h2 { font-size: 13px; margin: 0; padding: 8px 12px; border-bottom: 1px solid #d0d7de; color: #57606a }
section > div { overflow: auto; max-height: calc(100vh - 120px); padding: 8px 0 }
section.drawing { max-width: none } section.drawing > div { padding: 8px }
pre { margin: 0; font: 12px/1.5 'DejaVu Sans Mono', Menlo, Consolas, monospace }
pre span.line { display: block; padding: 0 12px; white-space: pre }
.count { color: #8c959f; display: inline-block; min-width: 2.5em; user-select: none }
.keyword { color: #8250df } .string, .number { color: #0a7d33 } .operator { color: #0550ae }
.definition { font-weight: 600 } .comment { color: #8c959f }
.lit { background: #fff8c5 }
"""
# What belongs to one line of the user's lights up together.
_SCRIPT = """
function light(event) {
  for (const each of document.querySelectorAll('.lit')) each.classList.remove('lit');
  const found = event.target.closest('[data-line]');
  if (!found) return;
  const {file, line} = found.dataset;
  for (const each of document.querySelectorAll(`[data-line="${line}"]`))
    if (each.dataset.file === file) each.classList.add('lit');
}
document.addEventListener('mouseover', light);
"""


def page(function: Any, concrete: ConcreteFunction) -> str:
    """The page for a Python function and one trace of it, with the functions that it calls.

    Raises `ConversionError` when the function has no source, or can't be converted.
    """
    called = called_functions(function, concrete)
    kinds = Counter(node.op.name for node in concrete.graph.walk())
    size = f"nodes: {kinds.total()}, loops: {kinds['while']}, conditionals: {kinds['cond']}"
    title = html.escape(concrete.pretty_printed_signature(verbose=False))
    plan, origins = zip(*concrete.numpy_plan.located_lines, strict=True)
    shown = [
        _section("what you write", _written(function), [(f.__qualname__, _written(f)) for f in called]),
        _section("what autograph makes of it", _generated(function), [(f.__qualname__, _generated(f)) for f in called]),
        f'<section class="drawing"><h2>the graph</h2><div>{svg(concrete.graph, standalone=False)}</div></section>',
        _section("the plan that runs", _code("\n".join(plan), [each and each[:2] for each in origins])),
    ]
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>\n'
        f"<style>{_STYLE}{STYLE}</style></head>\n<body><h1>{title}<small>{size}</small></h1>\n<main>\n"
        + "\n".join(shown)
        + f"\n</main>\n<script>{_SCRIPT}</script>\n</body></html>\n"
    )


def called_functions(function: Any, concrete: ConcreteFunction) -> list[FunctionType]:
    """The user's other functions whose lines made nodes of the graph, in the order of the nodes."""
    places = [place.location for node in concrete.graph.walk() if node.where for place in node.where.stack]
    order = {place: number for number, place in reversed(list(enumerate(places)))}
    names = {place.function for place in order}
    found: dict[int, FunctionType] = {}
    for each in converted_functions():
        code = each.__code__
        if code is function.__code__ or code.co_name not in names or not is_user_file(code.co_filename):
            continue
        try:
            source = find(each)
        except SourceNotFoundError:  # another one of that name, whose text has gone
            continue
        numbers = [
            order[place] for place in order
            if (place.file, place.function) == (source.filename, source.function_name)
            and source.first_line <= place.line <= (source.node.end_lineno or source.first_line)
        ]  # fmt: skip
        if numbers:
            found.setdefault(min(numbers), each)
    return [found[number] for number in sorted(found)]


def _written(function: Any) -> str:
    source = find(function)
    first, last = source.first_line, source.node.end_lineno or source.first_line
    lines = "".join(source.lines[first - 1 : last])
    return _code(lines, [(source.filename, i) for i in range(first, last + 1)], first)


def _generated(function: Any) -> str:
    return _code(to_code(function), [])


def _section(title: str, content: str, called: Sequence[tuple[str, str]] = ()) -> str:
    more = [f"<h3>called: {html.escape(name)}</h3><pre>{each}</pre>" for name, each in called]
    return f"<section><h2>{title}</h2><div><pre>{content}</pre>{''.join(more)}</div></section>"


def _code(source: str, places: Sequence[tuple[str, int] | None], number: int | None = None) -> str:
    """The lines of Python source, coloured; `places` are the user's lines that they belong to."""
    result = []
    for i, line in enumerate(marked_up(source, "span")):
        place = places[i] if i < len(places) else None
        counted = f'<span class="count">{number + i}</span>' if number is not None else ""
        result.append(f'<span class="line"{link(*place) if place is not None else ""}>{counted}{line or " "}</span>')
    return "".join(result)
