"""The passes of the compiler, in order, each with what it makes of a piece of code: taken from their files."""

from __future__ import annotations

import ast
import doctest
import importlib
import inspect
import re

from autograph.pipeline import LAST, STAGES

HEAD = """# The passes, one by one

In the order in which they run, each with a piece of code before it and after it, as the test of the pass shows it.
Passes of one stage share a walk over the tree, and the analyses (scopes, control flow, what is used later), which are
made anew for each stage.
"""


def page() -> str:
    """The page, as Markdown."""
    lines = [HEAD]
    seen: set[str] = set()
    for number, stage in enumerate([*STAGES["staged"], LAST["staged"]], 1):
        lines.append(f"## Stage {number}\n")
        for each in stage:
            module = importlib.import_module(each.__module__)
            if each.__module__ in seen:
                continue
            seen.add(each.__module__)
            together = dict.fromkeys(one.__name__ for one in _every_pass() if one.__module__ == each.__module__)
            lines.append(f"### {', '.join(together)}\n")
            lines.append(section(inspect.getdoc(module) or ""))
    return "\n".join(lines)


def _every_pass() -> list[type]:
    return [each for stage in [*STAGES["staged"], LAST["staged"]] for each in stage]


def section(text: str) -> str:
    """The docstring of a pass as Markdown, its examples as code before and after."""
    parts = []
    for part in doctest.DocTestParser().parse(text):
        if isinstance(part, str):
            words = re.sub(r"``(.+?)``", r"`\1`", part).strip()
            parts += [words, ""] if words else []
        elif before := _code(part.source):
            parts += ["```python", before, "```", "", "becomes", "", "```python", part.want.strip("\n"), "```", ""]
    return "\n".join(parts)


def _code(source: str) -> str:
    """The code that a call of `show` is given; "" where there is none."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "show":
            texts = [each.value for each in node.args if isinstance(each, ast.Constant) and isinstance(each.value, str)]
            return inspect.cleandoc(texts[-1]).strip("\n") if texts else ""
    return ""
