"""Every way in which one of two lists is put into a holder, where that is done, and what then changes: 7,644 programs.

`python -m tests.programs.holders [FIRST] [STEP]` compares the programs from the number FIRST on, each STEP-th, with
Python; it prints those that differ. Each must be as in Python, or a refusal by name.
"""

from __future__ import annotations

import argparse
import itertools
from collections import Counter
from collections.abc import Iterator

from .aliasing_runner import Result, compare

HEAD = """\
import functools
class Box:
    def __init__(self, items):
        self.items = items
def given(value):
    return value
"""
HOLDERS = {
    "variable": ("h = [9]", "h = {}", "h"),
    "list": ("h = [[7], [9]]", "h = [[7], {}]", "h[1]"),
    "appended": ("h = [[9]]", "h.append({})", "h[-1]"),
    "tuple": ("h = ([9], 1)", "h = ({}, 1)", "h[0]"),
    "dict": ("h = dict(k=[9])", "h = dict(k={})", "h['k']"),
    "item": ("h = dict(k=[9])", "h['k'] = {}", "h['k']"),
    "object": ("h = Box([9])", "h = Box({})", "h.items"),
    "attribute": ("h = Box([9])", "h.items = {}", "h.items"),
    "default": ("def h(value=[9]): return value", "def h(value={}): return value", "h()"),
    "partial": ("h = functools.partial(given, [9])", "h = functools.partial(given, {})", "h()"),
    "nested": ("h = [Box([[9]])]", "h = [Box([{}])]", "h[0].items[0]"),
    "list in a dict": ("h = dict(k=[[9]])", "h = dict(k=[{}])", "h['k'][0]"),
    "dict in an object": ("h = Box(dict(k=[9]))", "h = Box(dict(k={}))", "h.items['k']"),
}
"""By name: what a holder is at first, how a list is put into it, and how the list is read from it."""
VALUES = {
    "one": ("", "a"),
    "chosen before": ("x = a if n > 1 else b", "x"),
    "chosen there": ("", "(a if n > 1 else b)"),
    "left by a loop": ("x = b\nfor i in range(n):\n    x = a", "x"),
    "new": ("", "[n]"),
    "copy": ("", "list(a)"),
    "element": ("rows = [a, b]\nx = rows[n % 2]", "x"),
}
"""By name: what comes before, and the list that is put into the holder."""
PLACES = {
    "top": "{}",
    "branch": "if n > 0:\n    {}",
    "else": "if n > 2:\n    pass\nelse:\n    {}",
    "inner branch": "if n > 0:\n    if n < 3:\n        {}",
    "loop": "for j in range(n):\n    {}",
    "branch of a loop": "for j in range(n):\n    if j == 1:\n        {}",
    "while": "k = 0\nwhile k < n:\n    k += 1\n    {}",
}
CHANGES = {
    "one": "a.append(5)",
    "other": "b.append(5)",
    "held": "{}.append(5)",
    "held in a branch": "if n > 1:\n    {}.append(5)",
    "one in a branch": "if n > 1:\n    a.append(5)",
    "one in a loop": "for q in range(n):\n    a.append(q)",
    "held in a loop": "for q in range(n):\n    {}.append(q)",
    "item of held": "{}[0] = 8",
    "item of one": "a[0] = 8",
    "both": "a.append(1)\n{}.append(2)",
    "fewer held": "{}.pop()",
    "there": "",
}
"""By name: what is done afterwards; or "there": beside the statement that puts the list into the holder."""


def programs() -> Iterator[tuple[str, str]]:
    """The name and the source of each program."""
    for holder, value, place, change in itertools.product(HOLDERS, VALUES, PLACES, CHANGES):
        (first, put, held), (before, given) = HOLDERS[holder], VALUES[value]
        frame, after = PLACES[place], CHANGES[change]
        statements = [put.format(given)]
        if not after:
            statements += ["a.append(3)", f"{held}.append(4)"]
        indent = frame[: frame.index("{}")].rpartition("\n")[2]
        lines = ["a = [1]", "b = [2]", before, first, frame.format(f"\n{indent}".join(statements)), after.format(held)]
        body = "\n".join([*filter(None, lines), f"return a, b, {held}"])
        yield f"{holder}, {value}, {place}, {change}", HEAD + "def f(n):\n    " + body.replace("\n", "\n    ") + "\n"


def compared(first: int = 0, step: int = 1) -> Iterator[tuple[str, str, Result]]:
    """The name, the source and the outcome of each `step`-th program."""
    for name, source in itertools.islice(programs(), first, None, step):
        yield name, source, compare(source)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("first", type=int, nargs="?", default=0)
    parser.add_argument("step", type=int, nargs="?", default=1)
    options = parser.parse_args()
    verdicts: Counter[str] = Counter()
    for name, source, result in compared(options.first, options.step):
        verdicts[result.verdict] += 1
        if result.wrong:
            print(f"----- {name}: {result.verdict}, {result.kind}\n{result.detail}\n{source}")
    print(", ".join(f"{number} {verdict}" for verdict, number in verdicts.items()))
    return verdicts["different"] + verdicts["endless"]


if __name__ == "__main__":
    raise SystemExit(bool(main()))
