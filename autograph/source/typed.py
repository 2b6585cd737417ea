"""What was typed at the prompt, taken from the history that ``readline`` keeps.

The history is no transcript: it leaves out empty lines, and a line that equals the one before. A statement in it is
taken for the text of some code when it compiles to that very code, at the same lines and columns; where it does not,
lines of these two kinds are put back until it does.
"""

from __future__ import annotations

import dis
import sys
from collections.abc import Iterator
from itertools import takewhile
from types import CodeType

from . import matching
from .quiet import quietly

_HISTORY = 5000  # typed lines that are looked through
_MOST_TRIES = 600  # texts that are compiled to find where lines are missing in a statement
_MOST_STATEMENTS = 5  # that lines are put back into
_JUMPS = frozenset((*dis.hasjrel, *dis.hasjabs))
_CONTINUES = ("else", "elif", "except", "finally")

_Trace = tuple[int, int, str, str]
_Lines = tuple[str, ...]


def typed_lines(code: CodeType) -> list[str]:
    """The lines of the statement that a code object was compiled from; none when it is not in the history."""
    statements = list(dict.fromkeys(_typed("lambda" if code.co_name == "<lambda>" else code.co_name)))
    for lines in statements:
        if any(_is_the_same(code, found) for found in _codes(lines, code)):
            return _text(lines).splitlines(keepends=True)
    for lines in statements[:_MOST_STATEMENTS]:
        restored = _Restoring(code).of(lines)
        if restored is not None:
            return _text(restored).splitlines(keepends=True)
    return []


def _typed(name: str) -> Iterator[_Lines]:
    """The statements typed at the prompt that have a name in them, the latest first."""
    readline = sys.modules.get("readline")
    if readline is None:
        return
    last = readline.get_current_history_length()
    lines = [readline.get_history_item(number) or "" for number in range(max(1, last - _HISTORY), last + 1)]
    for start in range(len(lines) - 1, -1, -1):
        if not lines[start][:1].isspace() and not lines[start].startswith(_CONTINUES):
            statement = _statement(lines, start)
            if any(name in line for line in statement):
                yield statement


def _statement(lines: list[str], start: int) -> _Lines:
    """The statement that begins at a line: as far as the lines are indented, or it needs more."""
    end = start + 1
    while end < len(lines) and (
        lines[end][:1].isspace() or lines[end].startswith(_CONTINUES) or not _is_complete(tuple(lines[start:end]))
    ):
        end += 1
    return tuple(lines[start:end])


def _text(lines: _Lines) -> str:
    return "\n".join(lines) + "\n"


def _is_complete(lines: _Lines) -> bool:
    try:
        quietly(compile, _text(lines), "<stdin>", "single")
    except (SyntaxError, ValueError):
        return False
    return True


def _codes(lines: _Lines, code: CodeType) -> list[CodeType]:
    """The code objects in a statement that have the name of some code."""
    flags = matching.future_flags(code)
    try:
        compiled, _ = quietly(compile, _text(lines), code.co_filename, "single", flags=flags, dont_inherit=True)
    except (SyntaxError, ValueError):
        return []
    return [found for found in matching.nested_codes(compiled) if found.co_qualname == code.co_qualname]


def _is_the_same(one: CodeType, other: CodeType) -> bool:
    """Whether two code objects do the same at the same places."""
    return matching.same_code(one, other) and all(
        each.co_firstlineno == like.co_firstlineno and each.co_linetable == like.co_linetable
        for each, like in zip([one, *matching.nested_codes(one)], [other, *matching.nested_codes(other)], strict=True)
    )


def _traces(code: CodeType) -> set[_Trace]:
    """What can be seen of the lines of some code: where its instructions start and end, and what they do."""
    found = set()
    for each in (code, *matching.nested_codes(code)):
        found.add((each.co_firstlineno, -1, each.co_name, ""))
        for instruction in dis.get_instructions(each):
            place = instruction.positions
            if place is None or place.lineno is None or place.end_lineno is None:
                continue
            shown = "" if instruction.opcode in _JUMPS or "object at" in instruction.argrepr else instruction.argrepr
            found.add((place.lineno, place.col_offset or 0, instruction.opname, shown))
            found.add((place.end_lineno, place.end_col_offset or 0, instruction.opname, ""))
    return found


class _Restoring:
    """The search for the lines that the history has left out of a statement."""

    def __init__(self, code: CodeType) -> None:
        self.code = code
        self.wanted = _traces(code)
        self.tries = 0

    def of(self, lines: _Lines, reached: int = 0) -> _Lines | None:
        """The statement with lines put back, or None; up to the line ``reached`` it has been found right."""
        for found in _codes(lines, self.code):
            if _is_the_same(self.code, found):
                return lines
            line = self._first_difference(found)
            # Inside of a string the line can be any: where the string is right for longer comes first.
            for _, restored in sorted(self._longer(lines, line, reached), reverse=True):
                result = self.of(restored, line)
                if result is not None:
                    return result
        return None

    def _first_difference(self, found: CodeType) -> int:
        return min((line for line, *_ in self.wanted ^ _traces(found)), default=0)

    def _longer(self, lines: _Lines, line: int, reached: int) -> Iterator[tuple[int, _Lines]]:
        """The statement with one more line above a line, where that is right so far."""
        last_alike = max((each for each, *_ in self.wanted if each < line), default=1)
        for place in range(min(line - 1, len(lines)), max(last_alike, 1) - 1, -1):
            for missing in ("", lines[place - 1]):
                self.tries += 1
                if self.tries > _MOST_TRIES or line <= reached:
                    return
                restored = (*lines[:place], missing, *lines[place:])
                for found in _codes(restored, self.code):
                    if not 0 < self._first_difference(found) <= line:
                        alike = zip(repr(found.co_consts), repr(self.code.co_consts), strict=False)
                        yield sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], alike)), restored
