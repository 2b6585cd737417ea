"""Random programs, as source text, that always come to an end.

Every loop counts down its own counter in its first statement or runs over a short sequence, so `continue` can't
skip what ends it; products are taken modulo a prime, so numbers stay small. Everything else may go wrong: names may
be unbound, keys missing, operands of the wrong type, divisors zero. What the programs do then is part of the test.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from hypothesis import strategies as st

PRELUDE = '''\
TOTAL = 0


class Box:
    def __init__(self, value):
        self.value = value

    def add(self, amount):
        if amount > 3:
            self.value += amount
            return self
        self.value -= 1
        return self.value

    def __repr__(self):
        return f"Box({vars(self)})"


class Manager:
    def __init__(self, name, swallows):
        self.name, self.swallows = name, swallows

    def __enter__(self):
        print("enter", self.name)
        return self.name

    def __exit__(self, kind, error, trace):
        print("exit", self.name, kind and kind.__name__)
        return kind is not None and kind.__name__ in self.swallows


def helper(x, y=2):
    for i in range(3):
        if x == i:
            return x + y
        if y < 0:
            break
    else:
        x = x // y
    return x


def spin(n):
    while n > 0:
        n -= 1
        yield n
        if n == 2:
            return


'''
"""What every program finds defined: a class, a context manager, a function, a generator function, a global."""

NAMES = ("a", "b", "c", "d")
EXCEPTIONS = ("ValueError", "KeyError", "ZeroDivisionError", "IndexError", "TypeError", "NameError", "Exception",
              "(IndexError, KeyError)", "ArithmeticError")


@dataclass
class Scope:
    """Where a statement stands: what it may say depends on that."""

    depth: int = 0
    in_loop: bool = False
    in_finally: bool = False
    """`break`, `continue` and `return` in a `finally` are syntax warnings from 3.14 on; none are written there."""
    names: tuple[str, ...] = NAMES
    in_nested: bool = False
    in_handler: bool = False

    def inner(self, **changes: object) -> Scope:
        return replace(self, depth=self.depth + 1, **changes)


@dataclass
class Writer:
    """Draws one program, line by line."""

    draw: Callable
    budget: int = 26
    lines: list[str] = field(default_factory=list)
    counters: int = 0

    def choose(self, *options):
        return self.draw(st.sampled_from(options))

    def chance(self, percent: int) -> bool:
        return self.draw(st.integers(0, 99)) < percent

    def fresh(self, name: str) -> str:
        self.counters += 1
        return f"{name}{self.counters}"

    def line(self, scope: Scope, text: str) -> None:
        self.lines.append("    " * (scope.depth + 1) + text)

    # Expressions

    def atom(self, scope: Scope) -> str:
        kind = self.draw(st.integers(0, 39))
        if kind < 22:
            return self.choose(*scope.names)
        if kind < 32:
            return str(self.draw(st.integers(-2, 5)))
        if kind < 39:
            return self.choose("TOTAL", "len(items)", "box.value", "table.get(1)")
        return self.choose("None", "'s'", "True", "1.5")

    def expression(self, scope: Scope, levels: int = 2) -> str:
        if levels == 0 or self.chance(25):
            return self.atom(scope)
        x, y = self.expression(scope, levels - 1), self.expression(scope, levels - 1)
        kind = self.draw(st.integers(0, 21))
        if kind < 5:
            return f"({x} {self.choose('+', '-')} {y})"
        simple = {
            5: f"({x} * {y} % 13)",
            6: f"({x} // {y})",
            7: f"({x} % {y})",
            8: f"({x} if {self.test(scope, levels - 1)} else {y})",
            9: f"({x} {self.choose('and', 'or')} {y})",
            10: f"helper({x})",
            11: f"helper({x}, y={y})",
            12: f"items[{x}]",
            13: f"table[{x}]",
            14: f"max({x}, {y})",
            15: f"(lambda k, j=1: k + j if k else {y})({x})",
            16: f"len(f'{{{self.choose(*scope.names)}!r:>4}}|{{{self.choose(*scope.names)}}}')",
            17: f"box.add({x})",
            18: f"(yes := {x})" if not scope.in_nested else f"abs({x})",
            19: f"(-{x})",
        }
        return simple.get(kind) or self.comprehension(scope, x, y)

    def comprehension(self, scope: Scope, x: str, y: str) -> str:
        guard = self.choose("", "", f" if {self.test(replace(scope, names=(*scope.names, 'k')), 0)}")
        return self.choose(
            f"sum([k + {y} for k in items{guard}])",
            f"len({{k: {x} for k in (1, 2, 1){guard}}})",
            f"sum(k * 2 % 7 for k in items{guard})",
            f"sorted({{k % 3 for k in range(4){guard}}})[0]",
            f"[[j + k for j in range(k)] for k in (1, 2){guard}][0][0]",
            f"any(k == {x} for k in items)",
            f"list(spin({self.draw(st.integers(0, 4))}))[0]",
        )

    def test(self, scope: Scope, levels: int = 1) -> str:
        kind = self.draw(st.integers(0, 12))
        x, y = self.expression(scope, levels), self.atom(scope)
        operator = self.choose("<", "<=", ">", ">=", "==", "!=")
        if kind < 5:
            return f"{x} {operator} {y}"
        forms = {
            5: f"{x}",
            6: f"not {x}",
            7: f"0 <= {x} {operator} {y}",
            8: f"{x} {self.choose('in', 'not in')} {self.choose('items', 'table', '(0, 1)')}",
            9: f"{self.choose(*scope.names)} is {self.choose('None', 'not None')}",
            10: f"{x} == 0 or {y} {operator} 2",
            11: f"{x} and {y} != 1",
            12: f"(seen := {x}) {operator} 1" if not scope.in_nested else f"{x} {operator} 1",
        }
        return forms[kind]

    # Statements

    def block(self, scope: Scope, most: int = 3) -> None:
        for _ in range(self.draw(st.integers(1, most))):
            self.statement(scope)

    def statement(self, scope: Scope) -> None:
        self.budget -= 1
        compound = self.budget > 0 and scope.depth < 5
        kind = self.draw(st.integers(0, 39 if compound else 21))
        if kind < 6:
            return self.line(scope, f"{self.choose(*scope.names)} = {self.expression(scope)}")
        if kind < 9:
            operator = self.choose("+=", "-=", "//=")
            return self.line(scope, f"{self.choose(*scope.names)} {operator} {self.expression(scope, 1)}")
        if kind < 18:
            return self.line(scope, self.small_statement(scope))
        if kind < 22:
            return self.line(scope, self.leave(scope))
        if kind < 28:
            return self.if_statement(scope)
        if kind < 31:
            return self.while_loop(scope)
        if kind < 35:
            return self.for_loop(scope)
        compounds = (self.try_statement, self.try_statement, self.with_statement, self.match_statement,
                     self.nested_function)
        return compounds[kind - 35](scope)

    def small_statement(self, scope: Scope) -> str:
        name, x = self.choose(*scope.names), self.expression(scope, 1)
        kind = self.draw(st.integers(0, 17))
        forms = (
            f"print({name!r}, {x})",
            f"print({x}, sep='')",
            f"items[{x}] = {name}",
            f"items[{x}] += {name}",
            f"table[{name}] = {x}",
            f"table[{x}] -= {name}",
            f"box.value = {x}",
            f"box.value += {x}",
            f"items.append({x})",
            f"del {name}",
            f"del items[{x}]",
            f"del table[{x}]",
            f"{name}, {self.choose(*scope.names)} = {x}, {self.atom(scope)}",
            f"{name}, *rest = items",
            f"assert {self.test(scope)}, f'failed {{{name}}}'",
            f"items[1:2] = [{x}]",
            f"({name}) = box.other = {x}",
            "pass",
        )
        return forms[kind]

    def leave(self, scope: Scope) -> str:
        kind = self.draw(st.integers(0, 9))
        if scope.in_finally or kind == 9:
            return f"print({self.choose(*scope.names)})"
        if scope.in_loop and kind < 6:
            return "break" if kind < 3 else "continue"
        if kind == 6:
            return f"raise {self.choose('ValueError', 'KeyError')}({self.atom(scope)!r})"
        if kind == 7 and scope.in_handler:
            return self.choose("raise", "raise KeyError('again') from error", "raise IndexError('new')", "raise error")
        if scope.depth == 0 or kind < 5:
            return f"print('at', {self.choose(*scope.names)})"
        return f"return {self.choose('', self.expression(scope, 1), self.atom(scope) + ', box')}"

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
        counter = self.fresh("left")
        self.line(scope, f"{counter} = {self.draw(st.integers(0, 4))}")
        more = self.choose("", f" and ({self.test(scope, 0)})")
        self.line(scope, f"while {counter} > 0{more}:")
        self.line(scope.inner(), f"{counter} -= 1")
        self.block(scope.inner(in_loop=True))
        self.loop_else(scope)

    def for_loop(self, scope: Scope) -> None:
        target = self.choose(*scope.names, "i", "j")
        head = self.choose(
            f"for {target} in range({self.draw(st.integers(0, 4))}):",
            f"for {target} in range(3, 0, -1):",
            f"for {target} in list(items):",
            f"for i, {target} in enumerate(items[:4]):",
            f"for {target}, box.value in zip((1, 2, 3), 'ab'):",
            f"for {target} in sorted(table):",
            f"for {target} in spin(3):",
        )
        self.line(scope, head)
        self.block(scope.inner(in_loop=True))
        self.loop_else(scope)

    def loop_else(self, scope: Scope) -> None:
        if self.chance(30):
            self.line(scope, "else:")
            self.block(scope.inner(), 2)

    def try_statement(self, scope: Scope) -> None:
        self.line(scope, "try:")
        self.block(scope.inner())
        handlers = self.draw(st.integers(0, 2))
        for _ in range(handlers):
            kind = self.choose(*EXCEPTIONS)
            self.line(scope, f"except {kind} as error:")
            self.block(scope.inner(in_handler=True), 2)
        if handlers and self.chance(25):
            self.line(scope, "else:")
            self.block(scope.inner(), 2)
        if not handlers or self.chance(30):
            self.line(scope, "finally:")
            self.block(scope.inner(in_finally=True, in_loop=False), 2)

    def with_statement(self, scope: Scope) -> None:
        swallows = self.choose("()", "('ZeroDivisionError',)", "('ValueError', 'KeyError', 'TypeError')")
        second = self.choose("", "", f", Manager('two', {swallows})")
        target = self.choose("", " as note", " as box.note")
        self.line(scope, f"with Manager('one', {swallows}){target}{second}:")
        self.block(scope.inner())

    def match_statement(self, scope: Scope) -> None:
        name = self.choose(*scope.names)
        self.line(scope, f"match {self.choose(name, f'({name}, {self.atom(scope)})', 'items', 'box', 'table')}:")
        patterns = ["0", "1 | 2", f"[{name}, *_]", "[x, y]", "(x, 0) | (0, x)", "Box(value=0)", "Box(value=v)",
                    "{1: w}", f"int() as {name}", "None", "[*front, 2]", "str() | True", "{0: 0, **others}"]
        for _ in range(self.draw(st.integers(1, 3))):
            guard = self.choose("", "", f" if {self.test(scope, 0)}")
            self.line(scope.inner(), f"case {self.choose(*patterns)}{guard}:")
            self.block(scope.inner().inner(), 2)
        if self.chance(40):
            self.line(scope.inner(), "case _:")
            self.block(scope.inner().inner(), 2)

    def nested_function(self, scope: Scope) -> None:
        if scope.in_nested:
            return self.if_statement(scope)
        name = self.fresh("inner")
        self.line(scope, f"def {name}(a, k=1):")
        body = scope.inner(in_loop=False, in_handler=False, in_nested=True, in_finally=False)
        if self.chance(60):
            self.line(body, f"nonlocal {self.choose('b', 'c', 'b, c, d')}")
        else:
            self.line(body, self.choose("b = c = d = k", "b, c, d = a, k, 0", "b, c, d = k, a, 1"))
        if self.chance(30):
            self.line(body, "global TOTAL")
            self.line(body, f"TOTAL += {self.draw(st.integers(1, 3))}")
        self.block(body)
        self.line(scope, f"{self.choose(*scope.names)} = {name}({self.expression(scope, 1)})")
        if self.chance(50):
            self.line(scope, f"box.call = len([{name}(k) for k in range(2)])")
        return None


@st.composite
def programs(draw: Callable) -> str:
    """Source text of a module with a function `program(a, b, items, table, box)`."""
    writer = Writer(draw)
    writer.lines.append("def program(a, b, items, table, box):")
    scope = Scope()
    if writer.chance(30):
        writer.line(scope, "global TOTAL")
        writer.line(scope, f"TOTAL = {writer.expression(replace(scope, names=('a', 'b')), 1)}")
    if writer.chance(90):
        writer.line(scope, "c = d = 1")
    else:
        writer.line(scope, "c = 2")
        writer.line(scope, "if a > 99: d = 0")
    for _ in range(draw(st.integers(2, 6))):
        writer.statement(scope)
    writer.line(scope, writer.choose("return a, b, c", "return a", "return [a, b], box.value", "print('end')"))
    return PRELUDE + "\n".join(writer.lines) + "\n"
