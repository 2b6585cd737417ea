"""Random programs about who sees what: lists, dicts, objects and arrays under several names, changed and replaced.

Containers hold numbers and each other. Names are given other containers, and these are changed, in branches and loops
whose conditions depend on the argument. What a program returns is all that its names hold at the end.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from hypothesis import strategies as st

PRELUDE = '''\
import numpy as np


class Box:
    def __init__(self, value):
        self.value = value
        self.items = [value]

    def add(self, value):
        self.items.append(value)
        self.value += 1


def push(values, value):
    values.append(value)
    return len(values)


def put(array, value):
    array[0] = value


'''
START = {
    "list": "    a, b = [1, 2], [n, 0, 3]\n",
    "rows": "    rows, row = [[0], [n, 1]], [5]\n",
    "dict": '    table, other = {"k": 1, "l": [n]}, {"k": 2, "l": [4, 5]}\n',
    "box": "    box, twin = Box(1), Box(n)\n",
    "array": "    x, y = np.array([1, 2, 3]), np.zeros(3, np.int64)\n",
}
RESULT = {
    "list": "a, b, a is b",
    "rows": "rows, row",
    "dict": "table, other",
    "box": "box.value, box.items, twin.value, twin.items",
    "array": "x, y",
}
LISTS = {
    "list": ("a", "b"),
    "rows": ("row", "rows[0]", "rows[-1]"),
    "dict": ("table['l']", "other['l']"),
    "box": ("box.items", "twin.items"),
}
PLACES = {"list": ("a", "b"), "rows": ("row", "rows[0]"), "dict": ("table['l']",), "box": ("box.items",)}
NUMBERS = {
    "list": ("a[0]", "len(b)"),
    "rows": ("len(rows)", "sum(row)"),
    "dict": ("table['k']", "other['k']"),
    "box": ("box.value", "twin.value"),
    "array": ("x[0]", "y[n % 3]"),
}


@dataclass
class Writer:
    """Draws one program, line by line."""

    draw: Callable
    kinds: list[str]
    budget: int = 9
    lines: list[str] = field(default_factory=list)

    def choose(self, *options):
        return self.draw(st.sampled_from(options))

    def of(self, table: dict[str, tuple[str, ...]]) -> str:
        return self.choose(*[each for kind in self.kinds for each in table.get(kind, ())] or ["a"])

    def number(self) -> str:
        kind = self.draw(st.integers(0, 3))
        if kind == 0:
            return str(self.draw(st.integers(0, 9)))
        return self.choose("n", "s") if kind < 3 else f"({self.of(NUMBERS)} + s) % 7"

    def test(self) -> str:
        return self.choose(
            f"n > {self.draw(st.integers(0, 3))}", "n % 2 == 0", f"s < {self.number()}", f"{self.of(NUMBERS)} > 2"
        )

    def line(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def block(self, depth: int, in_loop: bool) -> None:
        for _ in range(self.draw(st.integers(1, 3))):
            self.statement(depth, in_loop)

    def statement(self, depth: int, in_loop: bool = False) -> None:
        self.budget -= 1
        kind = self.draw(st.integers(0, 9)) if self.budget > 0 and depth < 4 else 9
        if kind <= 1:
            self.line(depth, f"if {self.test()}:")
            self.block(depth + 1, in_loop)
            if self.draw(st.booleans()):
                self.line(depth, "else:")
                self.block(depth + 1, in_loop)
        elif kind <= 2:
            self.line(depth, f"for i in range({self.choose('n', 'n', 'n + 1', '2')}):")
            self.block(depth + 1, True)
            self.line(depth + 1, "s = (s + i) % 11")
        elif kind == 3 and in_loop and depth > 2:
            self.line(depth, self.choose("break", "continue"))
        else:
            self.line(depth, self.simple())

    def simple(self) -> str:
        kind = self.choose(*self.kinds)
        change = self.draw(st.booleans())
        if kind == "array":
            return self.array_change() if change else self.array_name()
        if kind == "dict" and self.draw(st.booleans()):
            return f"table['k'] = {self.number()}" if change else self.choose("other = table", "table = other")
        if kind == "box" and self.draw(st.booleans()):
            if change:
                return self.choose(f"box.value = {self.number()}", f"twin.add({self.number()})")
            return self.choose("twin = box", "box = twin", f"box = Box({self.number()})")
        if kind == "rows" and self.draw(st.booleans()):
            return self.choose(f"rows.append([{self.number()}])", f"rows[n % 2] = [{self.number()}]")
        return self.list_change() if change else f"{self.of(PLACES)} = {self.new_list()}"

    def list_change(self) -> str:
        values, value = self.of(LISTS), self.number()
        return self.choose(
            f"{values}.append({value})", f"{values}[0] = {value}", f"{values}[0] += 1", f"s = push({values}, {value})",
            f"{values}[-1] = {value}", f"{values}.insert(0, {value})",
        )  # fmt: skip

    def new_list(self) -> str:
        values, value = self.of(LISTS), self.number()
        return self.choose(values, values, f"[{value}, {self.number()}]", f"{values} + [{value}]")

    def array_change(self) -> str:
        array, value = self.choose("x", "y"), self.number()
        return self.choose(
            f"{array}[0] = {value}", f"{array}[n % 3] = {value}", f"{array}[1:] = {value}", f"{array} += 1",
            f"put({array}, {value})", f"s = {array}[1] % 7",
        )  # fmt: skip

    def array_name(self) -> str:
        # What staged code computes of an array is a tensor, a value: README says so, and no other name sees stores.
        return self.choose("y = x", "x = y", "y = x[::-1]", "x, y = y, x")


@st.composite
def alias_programs(draw) -> str:
    """The source of a module with a function `program(n)`."""
    kinds = draw(st.lists(st.sampled_from(list(START)), min_size=1, max_size=2, unique=True))
    writer = Writer(draw, sorted(kinds))
    for _ in range(draw(st.integers(2, 4))):
        writer.statement(1)
    start = "".join(START[kind] for kind in writer.kinds)
    result = ", ".join(RESULT[kind] for kind in writer.kinds)
    body = "\n".join(writer.lines)
    return f"{PRELUDE}def program(n):\n    s = 0\n{start}{body}\n    return s, {result}\n"
