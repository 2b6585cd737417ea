"""Random programs about aliases: program k is `program(k)`, always the same text; most have three to twelve statements.

Each is a module with a function `f(n)`, whose conditions and loops depend on the number `n`.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, field

from .aliasing_grammar import BASE, CLOSURES, GLOBALS, HELPERS, RESULT, SMALL, START

IMPORTS = "from dataclasses import dataclass, replace\n\nimport numpy as np\n"
SYMBOL = re.compile(r"\{(?:([A-Z]|get|show|change|note)(@\w)?|(@\w))\}")
REBINDING = re.compile(r"(^|[^+*|=!<>])= *(\{F\}|\{L\}|[abdeopqrtuxy]\b(?!\[))")
KINDS = [*SMALL]
WEIGHTS = [5 if kind in ("rows", "box") else 1 if kind == "global" else 3 for kind in KINDS]


@dataclass
class Writer:
    """Writes one program, line by line."""

    random: random.Random
    kinds: list[str]
    budget: int
    result: str = ""
    lines: list[str] = field(default_factory=list)

    def chance(self, percent: int) -> bool:
        return self.random.randrange(100) < percent

    def options(self, symbol: str) -> list[str]:
        if symbol in CLOSURES:
            return CLOSURES[symbol]
        own = [text for kind in self.kinds for text in SMALL[kind].get(symbol, ())]
        # A program is about the kinds that it has: their alternatives come as often as those of plain lists.
        base = BASE.get(symbol, [])
        more = max(1, round(len(base) / len(own) / 2)) if own else 1
        return base + own * more

    def text(self, symbol: str, known: dict[str, str] | None = None, levels: int = 3) -> str:
        """One alternative of a symbol, with the symbols in it replaced."""
        return self.fill(self.random.choice(self.options(symbol)), levels)

    def fill(self, template: str, levels: int = 3) -> str:
        known: dict[str, str] = {}

        def replaced(match: re.Match[str]) -> str:
            symbol, name, again = match.groups()
            if again:
                return known[again]
            text = self.leaf(symbol) if levels <= 0 else self.text(symbol, levels=levels - 1)
            if name:
                known[name] = text
            return text

        return SYMBOL.sub(replaced, template)

    def leaf(self, symbol: str) -> str:
        plain = [each for each in self.options(symbol) if "{" not in each]
        return self.random.choice(plain) if plain else "a"

    def line(self, depth: int, text: str) -> None:
        self.lines.extend("    " * depth + line for line in text.split("\n"))

    def block(self, depth: int, loops: int) -> None:
        for _ in range(self.random.choice((1, 1, 1, 2, 2, 3))):
            if self.statement(depth, loops):
                break

    def statement(self, depth: int, loops: int) -> bool:
        """Writes a statement; returns whether nothing behind it can be reached."""
        self.budget -= 1
        if self.budget <= 0 or depth > 4 or not self.chance(52 if depth == 1 else 30):
            return self.simple(depth, loops)
        kind = self.random.choices((self.branch, self.loop, self.guarded, self.match), (10, 6, 2, 1))[0]
        kind(depth, loops)
        return False

    def simple(self, depth: int, loops: int) -> bool:
        if depth > 1 and self.chance(14):
            if loops and self.chance(60):
                self.line(depth, self.random.choice(("break", "continue")))
            else:
                self.line(depth, f"return {self.returned()}")
            return True
        template = self.random.choice(self.options("W" if loops or self.chance(90) else "G"))
        if depth > 1 and REBINDING.search(template) and self.chance(60):
            # After a branch that chooses between objects nearly everything is refused.
            template = self.random.choice(self.options("W"))
        self.line(depth, self.fill(template))
        return False

    def returned(self) -> str:
        return self.result or self.text("L")

    def branch(self, depth: int, loops: int) -> None:
        self.line(depth, f"if {self.text('C')}:")
        self.block(depth + 1, loops)
        if self.chance(15):
            self.line(depth, f"elif {self.text('C')}:")
            self.block(depth + 1, loops)
        if self.chance(35):
            self.line(depth, "else:")
            self.block(depth + 1, loops)

    def loop(self, depth: int, loops: int) -> None:
        name = f"i{loops}" if loops else "i"
        kind = self.random.randrange(12)
        if kind < 5:
            self.line(depth, f"for {name} in range({self.random.choice(('n', 'n', 'n', 'n + 1', '2', 'len(a)'))}):")
        elif kind < 7:
            self.line(depth, f"while s < {self.random.choice(('n', '2', 'n + 1'))}:")
            self.line(depth + 1, "s += 1")
        else:
            self.line(depth, self.over(name))
            # What is looped over may grow.
            self.line(depth + 1, "s += 1\nif s > 6:\n    break")
        self.block(depth + 1, loops + 1)

    def over(self, name: str) -> str:
        values, more = self.text("V"), self.text("V")
        forms = (
            f"for {name} in {values}:", f"for {name} in {values}:", f"for k, {name} in enumerate({values}):",
            f"for {name}, k in zip({values}, {more}):", f"for k, ({name}, l) in enumerate(zip({values}, {more})):",
            f"for k in enumerate(enumerate(enumerate(enumerate({values})))):", f"for {name} in map(same, {values}):",
            f"for {name} in [v for v in {values}]:", f"for {name} in filter(None, {values}):",
        )  # fmt: skip
        return self.random.choice(forms)

    def guarded(self, depth: int, loops: int) -> None:
        if self.chance(40):
            self.line(depth, f"with Keep({self.text('L')}) as kept:")
            return self.block(depth + 1, loops)
        self.line(depth, "try:")
        self.block(depth + 1, loops)
        if self.chance(40):
            self.line(depth, f"except {self.random.choice(('ValueError', 'IndexError', 'KeyError', 'Exception'))}:")
            self.block(depth + 1, loops)
        else:
            self.line(depth, "finally:")
            self.line(depth + 1, self.fill(self.random.choice(self.options("W"))))

    def match(self, depth: int, loops: int) -> None:
        forms = (("match n:", "case 1:", "case 2 | 3:"), ("match {L}:", "case [w]:", "case [w, *more]:"),
                 ("match n:", "case 0:", "case k if k > 1:"), ("match {L}:", "case []:", "case more:"))  # fmt: skip
        cases = self.random.choice(forms)
        self.line(depth, self.fill(cases[0]))
        for case in cases[1:]:
            self.line(depth + 1, case)
            self.block(depth + 2, loops)

    def start(self) -> None:
        self.line(1, "s = 0")
        for kind in ["base", *self.kinds]:
            self.line(1, self.fill(self.random.choice(START[kind]), 1))


def program(seed: int) -> str:
    """The source of a module with a function `f(n)`."""
    source = random.Random(seed)
    kinds = source.choices(KINDS, WEIGHTS, k=source.choice((0, 1, 1, 1, 2)))
    if "boxes" in kinds:
        kinds.append("box")
    writer = Writer(source, sorted(set(kinds)), source.randint(3, 9))
    if writer.chance(65):
        writer.result = ", ".join(RESULT[kind] for kind in ["base", *writer.kinds])
    writer.start()
    for _ in range(source.randint(1, 4)):
        writer.statement(1, 0)
    writer.line(1, f"return {writer.returned()}")
    body = "def f(n):\n" + "\n".join(writer.lines) + "\n"
    return assembled(body + (GLOBALS if "global" in writer.kinds else ""), body)


def assembled(body: str, function: str) -> str:
    """The module of a function: with the helpers that it names, and the outside state that it uses."""
    shared = body.removeprefix(function)
    helpers = [text for name, text in HELPERS.items() if re.search(rf"\b{name}\b", function + shared)]
    return "\n\n".join([IMPORTS, *helpers, *([shared] if shared else []), function])
