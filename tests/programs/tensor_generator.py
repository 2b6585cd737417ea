"""Random programs within what staging promises: numbers, arrays and structures of them, bounded loops, all exits.

All values are numbers, kept small by remainders; every name is defined at the start but `late`, which some programs
read where it may be unbound. Lists (one of lists, one of tuples), a dictionary, a tuple and an object carry state
through branches and loops.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from hypothesis import strategies as st

PRELUDE = '''\
class Box:
    def __init__(self, value):
        self.value = value

    def add(self, amount):
        if amount > 3:
            self.value = (self.value + amount) % 101
            return 1
        self.value -= 1
        return 0


def helper(x, y=2):
    for i in range(3):
        if x == i:
            return x + y
        if y < 0:
            break
    else:
        x = x // 3
    return x


'''
START = """\
    a, b, c = n % 5, 1, 2
    best = None
    pair = (0, 1)
    table = {"k": 0, "m": n}
    box = Box(n)
    items = [0, 1, 2]
    rows = [[0], [n, 1]]
    pairs = [(0, n)]
    if n > 99:
        late = 0
"""
RESULT = (
    "a, b, c, best, pair, table, values, box.value, sum(items) + len(items), len(pairs), "
    "sum(k * j for k, j in pairs), sum(len(row) * sum(row) for row in rows)"
)


@dataclass
class Scope:
    """Where a statement stands."""

    depth: int = 0
    in_loop: bool = False
    names: tuple[str, ...] = ("a", "b", "c", "n")
    in_nested: bool = False

    def inner(self, **changes: object) -> Scope:
        return replace(self, depth=self.depth + 1, **changes)


@dataclass
class Writer:
    """Draws one program, line by line."""

    draw: Callable
    budget: int = 14
    lines: list[str] = field(default_factory=list)
    counters: int = 0

    def choose(self, *options):
        return self.draw(st.sampled_from(options))

    def chance(self, percent: int) -> bool:
        return self.draw(st.integers(0, 99)) < percent

    def line(self, scope: Scope, text: str) -> None:
        self.lines.append("    " * (scope.depth + 1) + text)

    def target(self, scope: Scope) -> str:
        return self.choose(*[name for name in scope.names if name in "abc"])

    def number(self, scope: Scope, levels: int = 2) -> str:
        if levels == 0 or self.chance(25):
            kind = self.draw(st.integers(0, 12))
            if kind < 7:
                return self.choose(*scope.names)
            if kind < 10:
                return str(self.draw(st.integers(-2, 5)))
            return self.choose("box.value", "pair[0]", "table['m']")
        x, y = self.number(scope, levels - 1), self.number(scope, levels - 1)
        return self.choose(
            f"({x} + {y})", f"({x} - {y})", f"({x} * {y} % 13)", f"({x} // 3)", f"({x} % 7)", f"(-{x})",
            f"({x} if {self.test(scope, 0)} else {y})", f"helper({x} % 5)", f"helper({x}, y={y})", f"abs({x})",
            f"max({x}, {y})", f"values[{x} % 4]", f"(lambda k, j=1: k + j if k > 2 else {y})({x})",
            f"sum([k + {y} for k in values if k > {x}])", "sum([k for k in values]) % 19",
            f"(1 if {x} in (0, 2, {y}) else 0)", f"box.add({x})",
            f"rows[{x} % 2][0]", "pairs[-1][1]", f"sum([k * j for k, j in pairs if j > {x}])",
        )

    def test(self, scope: Scope, levels: int = 1) -> str:
        x, y = self.number(scope, levels), self.number(scope, 0)
        operator = self.choose("<", "<=", ">", ">=", "==", "!=")
        return self.choose(
            f"{x} {operator} {y}", f"{x} {operator} {y}", f"not {x} {operator} {y}", f"0 <= {x} {operator} {y}",
            f"{x} {operator} {y} and {y} < 4", f"{x} == 0 or {y} {operator} 2",
            f"{x} {self.choose('in', 'not in')} (1, 2, {y})",
        )

    def block(self, scope: Scope, most: int = 3) -> None:
        for _ in range(self.draw(st.integers(1, most))):
            self.statement(scope)

    def statement(self, scope: Scope) -> None:
        self.budget -= 1
        kind = self.draw(st.integers(0, 31 if self.budget > 0 and scope.depth < 4 else 15))
        if kind < 6:
            return self.line(scope, f"{self.target(scope)} = {self.number(scope)} % 101")
        if kind < 12:
            return self.line(scope, self.small_statement(scope))
        if kind < 16:
            return self.line(scope, self.leave(scope))
        if kind < 22:
            return self.if_statement(scope)
        if kind < 25:
            return self.while_loop(scope)
        if kind < 29:
            return self.for_loop(scope)
        return self.match_statement(scope) if kind < 31 else self.nested_function(scope)

    def small_statement(self, scope: Scope) -> str:
        x = self.number(scope, 1)
        forms = [
            f"{self.target(scope)} {self.choose('+=', '-=')} {x} % 101",
            f"{self.target(scope)}, {self.target(scope)} = {x} % 101, {self.number(scope, 0)}",
            f"table['k'] = {x} % 101",
            f"table['m'] += {x} % 11",
            f"box.value = {x} % 101",
            f"items.append({x} % 101)",
            f"pairs.append(({x} % 101, {self.number(scope, 0)} % 7))",
            f"rows[{x} % 2].append({self.number(scope, 0)} % 101)",
            f"rows[{x} % 2][0] = {self.number(scope, 0)} % 101",
            "pass",
        ]
        if not scope.in_nested:
            forms += [
                f"values[{x} % 4] = {self.number(scope, 0)} % 101",
                f"values[{x} % 4] += {self.number(scope, 0)} % 11",
                f"pair = (pair[1], {x} % 101)",
                f"best = {x} % 101 if best is None or {x} % 101 > best else best",
                f"late = {x} % 101",
            ]
        return self.choose(*forms)

    def leave(self, scope: Scope) -> str:
        kind = self.draw(st.integers(0, 9))
        if scope.in_loop and kind < 6:
            return "break" if kind < 3 else "continue"
        if scope.depth == 0:
            return "c = late" if kind == 9 else f"b = {self.number(scope)} % 101"
        if scope.in_nested:
            return f"return {self.number(scope, 1)} % 101"
        return "raise ValueError('out')" if kind == 8 else f"return {RESULT}"

    def if_statement(self, scope: Scope) -> None:
        self.line(scope, f"if {self.test(scope)}:")
        self.block(scope.inner())
        if self.chance(25):
            self.line(scope, f"elif {self.test(scope)}:")
            self.block(scope.inner(), 2)
        if self.chance(50):
            self.line(scope, "else:")
            self.block(scope.inner(), 2)

    def while_loop(self, scope: Scope) -> None:
        self.counters += 1
        counter = f"left{self.counters}"
        self.line(scope, f"{counter} = {self.choose('n % 4', '2', '3', 'abs(a) % 4')}")
        if self.chance(20):
            self.line(scope, "while True:")
            self.line(scope.inner(), f"if {counter} <= 0:")
            self.line(scope.inner().inner(), "break")
        else:
            self.line(scope, f"while {counter} > 0{self.choose('', f' and {self.test(scope, 0)}')}:")
        self.line(scope.inner(), f"{counter} -= 1")
        self.block(scope.inner(in_loop=True))
        self.loop_else(scope)

    def for_loop(self, scope: Scope) -> None:
        target = self.target(scope)
        head = self.choose(f"for {target} in range(n % 4):", f"for {target} in range(3):", f"for {target} in values:",
                           f"for i, {target} in enumerate(values):",
                           f"for {target}, k in zip(values, reversed(values)):", "for i in range(1, n % 6, 2):")
        self.line(scope, head)
        self.block(scope.inner(in_loop=True))
        self.loop_else(scope)

    def loop_else(self, scope: Scope) -> None:
        if self.chance(25):
            self.line(scope, "else:")
            self.block(scope.inner(), 2)

    def match_statement(self, scope: Scope) -> None:
        self.line(scope, f"match {self.number(scope, 1)}:")
        for _ in range(self.draw(st.integers(1, 2))):
            guard = self.choose("", f" if {self.test(scope, 0)}")
            self.line(scope.inner(), f"case {self.choose('0', '1 | 2', '-1 | 3 | 4')}{guard}:")
            self.block(scope.inner().inner(), 2)
        if self.chance(50):
            self.line(scope.inner(), "case k:")
            self.line(scope.inner().inner(), f"{self.target(scope)} = k")

    def nested_function(self, scope: Scope) -> None:
        if scope.in_nested:
            return self.if_statement(scope)
        self.counters += 1
        name = f"inner{self.counters}"
        self.line(scope, f"def {name}(a, k=1):")
        body = scope.inner(in_loop=False, in_nested=True, names=("a", "b", "c", "k"))
        self.line(body, self.choose("nonlocal b, c", "b = c = k"))
        self.block(body)
        self.line(body, "return a % 101")
        return self.line(scope, f"a = {name}({self.number(scope, 1)})")


@st.composite
def tensor_programs(draw: Callable) -> str:
    """Source text of a module with a function `program(n, values)`: a whole number and four of them."""
    writer = Writer(draw)
    scope = Scope()
    for _ in range(draw(st.integers(2, 5))):
        writer.statement(scope)
    if writer.chance(15):
        writer.line(scope, f"if {writer.test(scope)}:")
        writer.line(scope.inner(), "a = a + late")
    body = "\n".join(writer.lines)
    return f"{PRELUDE}def program(n, values):\n{START}{body}\n    return {RESULT}\n"
