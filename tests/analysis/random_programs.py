"""Random functions with every kind of control flow and binding, and a world of helpers that they run in."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

VARIABLES = ["a", "b", "d", "e"]


class Boom(Exception):
    """What the programs raise."""


class Poison:
    """A value that shows in every log."""

    def __repr__(self) -> str:
        return "<poison>"


class World:
    """The helpers that a program calls; what they decide comes from a list of bits, what they see is logged."""

    def __init__(self, decisions: list[bool]) -> None:
        self.decisions = decisions
        self.position = 0
        self.log: list[str] = []

    def c(self, *_: object) -> bool:
        """A condition; False in the end."""
        self.position += 1
        return self.position <= len(self.decisions) and self.decisions[self.position - 1]

    def over(self) -> bool:
        """Whether the decisions are used up: loops without another end stop then."""
        self.position += 1
        return self.position > len(self.decisions)

    def v(self, *values: object) -> int:
        """A value computed from others; may raise."""
        self.log.append(f"v{values!r}")
        if self.c() and self.c():
            raise Boom(len(self.log))
        return len(self.log)

    def pair(self, *values: object) -> list[int]:
        """Something to unpack, of the wrong length now and then."""
        return [1] if self.c() and self.c() else [self.v(*values), 7]

    @contextmanager
    def manager(self, *values: object) -> Iterator[int]:
        """A context manager that swallows some exceptions."""
        try:
            yield self.v(*values)
        except Exception:
            self.log.append("exit")
            if self.c():
                raise

    def run(self, code: Any) -> list[str]:
        """Everything that can be seen of a call of the program."""
        namespace: dict[str, Any] = {name: getattr(self, name) for name in ("c", "over", "v", "pair", "manager")}
        namespace |= {"Boom": Boom, "POISON": Poison()}
        exec(code, namespace)
        try:
            result = repr(namespace["f"](1))
        except Exception as error:
            result = f"{type(error).__name__}: {error}"
        return [re.sub(" at 0x[0-9a-f]+", "", line) for line in (*self.log, result)]


class Generator:
    """Writes the text of one random function `f(p)`."""

    def __init__(self, choose: random.Random) -> None:
        self.choose = choose
        self.lines: list[str] = []
        self.budget = choose.randint(3, 22)
        self.names = [*VARIABLES, "p"]
        self.functions = 0

    def text(self) -> str:
        self.lines.append("def f(p):")
        self.block(1, in_loop=False)
        if self.choose.random() < 0.8:
            self.line(1, f"return {self.expression()}")
        return "\n".join(self.lines) + "\n"

    def line(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def name(self) -> str:
        return self.choose.choice(self.names)

    def expression(self, depth: int = 0) -> str:
        choice = self.choose.randrange(14 if depth < 2 else 4)
        name, inner = self.name(), lambda: self.expression(depth + self.choose.choice([0, 1, 1, 2]))
        if choice < 4:
            return [name, "v()", f"v({name})", "0"][choice]
        return [
            lambda: f"v({inner()}, {inner()})",
            lambda: f"({name} := {inner()})",
            lambda: f"({inner()} if {self.condition(depth + 1)} else {inner()})",
            lambda: f"({inner()} and {inner()})",
            lambda: f"(c() and ({name} := {inner()}) or {inner()})",
            lambda: f"[{inner()} for {name} in pair({inner()})]",
            lambda: f"[({self.choose.choice('ab')} := {name}) for z in pair() if {self.condition(depth + 1)}]",
            lambda: f"(lambda q={inner()}: ({name}, q))()",
            lambda: f"list({inner()} for z in pair({inner()}))",
            lambda: f"(0 < {inner()} < {inner()})",
        ][choice - 4]()

    def condition(self, depth: int = 0) -> str:
        choice = self.choose.randrange(9 if depth < 2 else 3)
        if choice < 3:
            return "c()"
        name = self.name()
        return [
            lambda: f"c({self.expression(depth + 1)})",
            lambda: f"c() and ({name} := {self.expression(depth + 1)})",
            lambda: f"not (c() or ({name} := {self.expression(depth + 1)}))",
            lambda: f"(c() or ({name} := {self.expression(depth + 1)})) and c({self.name()})",
            lambda: f"(({name} := v()) if c() else c({self.name()}))",
            lambda: f"not {self.condition(depth + 1)}",
        ][choice - 3]()

    def block(self, depth: int, in_loop: bool) -> None:
        for _ in range(self.choose.choice([1, 1, 2, 3])):
            self.statement(depth, in_loop)

    def statement(self, depth: int, in_loop: bool) -> None:
        self.budget -= 1
        compound = depth < 6 and self.budget > 0
        weights = [8, 4, 2, 2, 2, 2, 1, 1] + ([6, 4, 4, 4, 7, 4, 3, 2, 2] if compound else [])
        kinds = ["assign", "use", "delete", "augment", "unpack", "jump", "multiple", "check"]
        kinds += ["if_", "while_", "endless", "for_", "try_", "with_", "match", "function", "class_"]
        kind = self.choose.choices(kinds[: len(weights)], weights)[0]
        getattr(self, kind)(depth, in_loop)

    def assign(self, depth: int, in_loop: bool) -> None:
        self.line(depth, f"{self.name()} = {self.expression()}")

    def use(self, depth: int, in_loop: bool) -> None:
        self.line(depth, f"v({self.expression()})")

    def delete(self, depth: int, in_loop: bool) -> None:
        self.line(depth, "del " + ", ".join({self.name() for _ in range(self.choose.choice([1, 1, 2]))}))

    def augment(self, depth: int, in_loop: bool) -> None:
        self.line(depth, f"{self.name()} += {self.expression()}")

    def unpack(self, depth: int, in_loop: bool) -> None:
        self.line(depth, f"{self.name()}, {self.name()} = pair({self.name()})")

    def multiple(self, depth: int, in_loop: bool) -> None:
        self.line(depth, f"{self.name()} = {self.name()} = {self.expression()}")

    def check(self, depth: int, in_loop: bool) -> None:
        self.line(depth, f"assert {self.condition()}, v({self.expression()})")

    def jump(self, depth: int, in_loop: bool) -> None:
        kinds = [f"return {self.expression()}", "raise Boom(3)"] + (["break", "continue"] * 2 if in_loop else [])
        kind = self.choose.choice(kinds)
        if self.choose.random() < 0.8:
            self.line(depth, f"if {self.condition()}:")
            depth += 1
        self.line(depth, kind)

    def if_(self, depth: int, in_loop: bool) -> None:
        self.line(depth, f"if {self.condition()}:")
        self.block(depth + 1, in_loop)
        if self.choose.random() < 0.3:
            self.line(depth, f"elif {self.condition()}:")
            self.block(depth + 1, in_loop)
        self.orelse(depth, in_loop)

    def orelse(self, depth: int, in_loop: bool) -> None:
        if self.choose.random() < 0.5:
            self.line(depth, "else:")
            self.block(depth + 1, in_loop)

    def while_(self, depth: int, in_loop: bool) -> None:
        self.line(depth, f"while c() and ({self.condition()}):")
        self.block(depth + 1, True)
        self.orelse(depth, in_loop)

    def endless(self, depth: int, in_loop: bool) -> None:
        self.line(depth, "while True:")
        self.line(depth + 1, "if over():")
        if self.choose.random() < 0.5:
            self.line(depth + 2, f"{self.name()} = v()")
        self.line(depth + 2, "break")
        self.block(depth + 1, True)

    def for_(self, depth: int, in_loop: bool) -> None:
        target = self.choose.choice([self.name(), self.name(), f"({self.name()}, {self.name()})"])
        items = f"pair({self.expression()})" if "(" not in target else "[pair(), pair()]"
        self.line(depth, f"for {target} in {items}:")
        self.block(depth + 1, True)
        self.orelse(depth, in_loop)

    def try_(self, depth: int, in_loop: bool) -> None:
        self.line(depth, "try:")
        self.block(depth + 1, in_loop)
        handlers = self.choose.choice([0, 1, 1, 2])
        for index in range(handlers):
            kind = self.choose.choice(["Boom", "(Boom, ValueError)", "NameError", "Exception"])
            if index == handlers - 1 and self.choose.random() < 0.3:
                self.line(depth, "except:")
            else:
                self.line(depth, f"except {kind}" + (f" as {self.name()}:" if self.choose.random() < 0.5 else ":"))
            self.block(depth + 1, in_loop)
        if handlers:
            self.orelse(depth, in_loop)
        if not handlers or self.choose.random() < 0.4:
            self.line(depth, "finally:")
            self.block(depth + 1, in_loop)

    def with_(self, depth: int, in_loop: bool) -> None:
        items = []
        for _ in range(self.choose.choice([1, 1, 2])):
            target = self.choose.choice(["", f" as {self.name()}", f" as ({self.name()}, {self.name()})"])
            items.append(f"manager({self.expression(1)}){target}")
        self.line(depth, f"with {', '.join(items)}:")
        self.block(depth + 1, in_loop)

    def match(self, depth: int, in_loop: bool) -> None:
        self.line(depth, f"match {self.expression()}:")
        first, second = self.choose.sample(self.names, 2)
        patterns = [
            "0",
            f"[{first}, {second}]",
            f"[{first}, *{second}]",
            f"int() as {first}",
            f"[{first}] | ({first}, _)",
        ]
        for pattern in self.choose.sample(patterns, self.choose.choice([1, 2])):
            guard = f" if {self.condition()}" if self.choose.random() < 0.4 else ""
            self.line(depth + 1, f"case {pattern}{guard}:")
            self.block(depth + 2, in_loop)
        if self.choose.random() < 0.4:
            self.line(depth + 1, f"case {self.choose.choice(['_', self.name()])}:")
            self.block(depth + 2, in_loop)

    def function(self, depth: int, in_loop: bool) -> None:
        self.functions += 1
        name = f"g{self.functions}"
        self.line(depth, f"def {name}(q={self.expression()}):")
        if self.choose.random() < 0.5:
            # Names that are bound in `f` alone may be declared: `d` and `e` get a binding in any case.
            self.line(depth + 1, f"nonlocal {self.choose.choice('de')}")
        outer, self.names = self.names, [*self.names, "q"]
        self.block(depth + 1, in_loop=False)
        self.names = [*outer, name] if name not in outer else outer
        if self.choose.random() < 0.8:
            self.line(depth, f"v({name}())")

    def class_(self, depth: int, in_loop: bool) -> None:
        self.line(depth, "class K:")
        self.block(depth + 1, in_loop=False)


def program(choose: random.Random) -> str:
    """The text of a random function that compiles."""
    while True:
        text = Generator(choose).text()
        text = text.replace("def f(p):\n", "def f(p):\n    if c():\n        d = e = 5\n", 1)
        try:
            compile(text, "<program>", "exec")
        except SyntaxError:
            continue
        return text
