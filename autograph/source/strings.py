"""Literals as text: strings, documentation strings, numbers, and f-strings."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from astunparse.unparser import INFSTR

_QUOTES = ("'", '"', "'''", '"""')
_NESTS_FREELY = sys.version_info >= (3, 12)  # before, the parts in braces had neither backslashes nor the quote


def literal(node: Any, documentation: bool = False, without_backslashes: bool = False) -> str:
    """The text of a ``Constant`` node; a documentation string keeps its lines."""
    value = node.value
    if value is Ellipsis:
        return "..."
    if isinstance(value, str):
        prefix = "u" if getattr(node, "kind", None) == "u" else ""
        if documentation and _fits(value, '"""'):
            return f'{prefix}"""{value}"""'
        text = repr(value)
        if without_backslashes and "\\" in text:
            text = next((quote + value + quote for quote in _QUOTES if _fits(value, quote)), text)
        return prefix + text
    if isinstance(value, (float, complex)):
        return repr(value).replace("inf", INFSTR)
    if isinstance(value, int) and not isinstance(value, bool) and value.bit_length() > 2000:
        return hex(value)  # Python refuses to write out thousands of decimal digits
    return repr(value)


def _fits(value: str, quote: str) -> bool:
    """Whether a string can stand between quotes as it is."""
    return (
        "\\" not in value
        and quote not in value
        and not value.endswith(quote[0])
        and all(character.isprintable() or (character == "\n" and len(quote) == 3) for character in value)
    )


def joined_string(node: Any, text: Callable[[Any, bool], str], prefix: str = "f") -> str:
    """The text of an f-string (``JoinedStr``) or a t-string; ``text`` prints the expressions in it.

    Before Python 3.12 some nestings of quotes can't be written; those become a call of ``str.format``.
    """
    results: list[tuple[int, int, str]] = []
    for quote in _QUOTES:
        writer = _Writer(quote, text)
        writer.values(node.values)
        if writer.is_valid:
            results.append((writer.escapes, len(results), prefix + quote + "".join(writer.parts) + quote))
    return min(results)[2] if results else _format_call(node, text)


class _Writer:
    """Writes the inside of an f-string for one kind of quotes; counts what it has to escape."""

    def __init__(self, quote: str, text: Callable[[Any, bool], str]) -> None:
        self.quote = quote
        self.text = text
        self.parts: list[str] = []
        self.escapes = 0
        self.is_valid = True

    def values(self, values: list[Any], in_specification: bool = False) -> None:
        for value in values:
            if hasattr(value, "conversion"):
                self._replacement(value)
            else:
                self._literal(value.value, in_specification)

    def _literal(self, value: str, in_specification: bool) -> None:
        for character in value:
            if character in "{}" and not in_specification:
                character += character
            elif character == "\\":
                character = "\\\\"
            elif character == self.quote[0]:
                character = "\\" + character
                self.escapes += 1
            elif not character.isprintable():
                character = character.encode("unicode_escape", "surrogatepass").decode("ascii")
            self.parts.append(character)

    def _replacement(self, node: Any) -> None:
        written = getattr(node, "str", None)  # a t-string remembers how its expressions were written
        text = written if isinstance(written, str) else self.text(node.value, not _NESTS_FREELY)
        self.escapes += self.quote in text
        if not _NESTS_FREELY:
            is_long = len(self.quote) == 3
            self.is_valid &= not any(mark in text for mark in (self.quote, "\\"))
            self.is_valid &= is_long or "\n" not in text
        self.parts.append("{ " if text.startswith("{") else "{")
        self.parts.append(text)
        if node.conversion != -1:
            self.parts.append("!" + chr(node.conversion))
        if node.format_spec is not None:
            self.parts.append(":")
            self.values(node.format_spec.values, in_specification=True)
        self.parts.append("}")


def _format_call(node: Any, text: Callable[[Any, bool], str]) -> str:
    """The same string by ``str.format``, which evaluates and formats in the same order."""
    parts: list[str] = []
    arguments: list[str] = []

    def add(values: list[Any]) -> None:
        for value in values:
            if not hasattr(value, "conversion"):
                parts.append(value.value.replace("{", "{{").replace("}", "}}"))
                continue
            arguments.append(text(value.value, False))
            parts.append("{")
            parts.append("!" + chr(value.conversion) if value.conversion != -1 else "")
            if value.format_spec is not None:
                parts.append(":")
                add(value.format_spec.values)
            parts.append("}")

    add(node.values)
    return f"{''.join(parts)!r}.format({', '.join(arguments)})"
