"""Python source in colours: for a terminal, for pages of HTML and for pictures.

>>> highlighted("x = 1\\n")
'x = \\x1b[35m1\\x1b[0m\\n'
>>> pieces("if ag__.lt(x, 1):")
[[('if', 'keyword'), (' ', ''), ('ag__.lt', 'operator'), ('(x, ', ''), ('1', 'number'), ('):', '')]]
"""

from __future__ import annotations

import html
import io
import keyword
import tokenize

_CODES = {"keyword": 34, "string": 32, "number": 35, "operator": 36, "definition": 1, "comment": 90}


def highlighted(source: str) -> str:
    """The source with escape codes around keywords, literals, names of definitions and operators (`ag__.…`)."""
    lines = ["".join(_escaped(text, kind) for text, kind in line) for line in pieces(source)]
    return "\n".join(lines) + "\n" * source.endswith("\n")


def marked_up(source: str, element: str) -> list[str]:
    """The lines of the source as HTML or SVG text, where an element with the class of its kind holds each token."""
    return [
        "".join(
            f'<{element} class="{kind}">{html.escape(text)}</{element}>' if kind else html.escape(text)
            for text, kind in line
        )
        for line in pieces(source)
    ]


def pieces(source: str) -> list[list[tuple[str, str]]]:
    """The lines of the source in pieces, each with its kind, a key of the table above or "".

    Source that ends in the middle, as a part of a file may, has no kinds from there on.
    """
    lines = source.splitlines()
    marks: list[list[tuple[int, int, str]]] = [[] for _ in lines]
    before = ["", ""]
    try:
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            kind = _kind(token, before)
            for row in range(token.start[0], token.end[0] + 1) if kind else ():
                start = token.start[1] if row == token.start[0] else 0
                end = token.end[1] if row == token.end[0] else len(lines[row - 1])
                marks[row - 1].append((start, end, kind))
            before = [before[1], token.string]
    except (tokenize.TokenError, IndentationError):
        pass
    return [_split(line, each) for line, each in zip(lines, marks, strict=True)]


def _kind(token: tokenize.TokenInfo, before: list[str]) -> str:
    if token.string == "ag__" or before[1] == "ag__" or before == ["ag__", "."]:
        return "operator"
    if token.type == tokenize.NAME:
        if keyword.iskeyword(token.string):
            return "keyword"
        return "definition" if before[1] in ("def", "class") else ""
    name = tokenize.tok_name[token.type]  # an f-string is several tokens from 3.12 on
    return name.lower() if name in ("NUMBER", "STRING", "COMMENT") else "string" if name.startswith("FSTRING") else ""


def _split(line: str, marks: list[tuple[int, int, str]]) -> list[tuple[str, str]]:
    result: list[tuple[str, str]] = []
    position = 0
    for start, end, kind in marks:
        if start > position:
            result.append((line[position:start], ""))
        if result and result[-1][1] == kind and start == position:
            result[-1] = (result[-1][0] + line[start:end], kind)
        else:
            result.append((line[start:end], kind))
        position = end
    return [*result, (line[position:], "")] if position < len(line) else result


def _escaped(text: str, kind: str) -> str:
    return f"\x1b[{_CODES[kind]}m{text}\x1b[0m" if kind else text
