"""Python source in colours for a terminal.

>>> highlighted("x = 1\\n")
'x = \\x1b[35m1\\x1b[0m\\n'
"""

from __future__ import annotations

import io
import keyword
import tokenize

_RESET = "\x1b[0m"
_KEYWORD, _STRING, _NUMBER, _OPERATOR, _DEFINITION = "\x1b[34m", "\x1b[32m", "\x1b[35m", "\x1b[36m", "\x1b[1m"


def highlighted(source: str) -> str:
    """The source with escape codes around keywords, literals, definitions and calls of operators (`ag__.…`)."""
    lines = source.splitlines(keepends=True)
    result: list[str] = []
    line, column = 1, 0
    before = ""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        colour = _colour(token, before)
        result.append(_between(lines, (line, column), token.start))
        text = _between(lines, token.start, token.end)
        result.append(f"{colour}{text}{_RESET}" if colour and text else text)
        (line, column), before = token.end, token.string
    return "".join(result)


def _colour(token: tokenize.TokenInfo, before: str) -> str:
    if token.type == tokenize.NAME:
        if keyword.iskeyword(token.string):
            return _KEYWORD
        if before in ("def", "class"):
            return _DEFINITION
        return _OPERATOR if token.string == "ag__" else ""
    return {tokenize.STRING: _STRING, tokenize.NUMBER: _NUMBER}.get(token.type, "")


def _between(lines: list[str], start: tuple[int, int], end: tuple[int, int]) -> str:
    """The text from one position to another; lines count from 1."""
    if start[0] > len(lines):
        return ""
    if start[0] == end[0]:
        return lines[start[0] - 1][start[1] : end[1]]
    parts = [lines[start[0] - 1][start[1] :], *lines[start[0] : end[0] - 1]]
    if end[0] <= len(lines):
        parts.append(lines[end[0] - 1][: end[1]])
    return "".join(parts)
