"""Names in generated source."""

from __future__ import annotations

import builtins
import keyword
import re

BUILTINS = frozenset(dir(builtins))
"""Generated source calls some of them, so that nothing of it has one of these names."""


def identifier(name: str) -> str:
    """A Python identifier made from any name."""
    if not name.isidentifier():
        name = re.sub(r"\W", "_", name)
    if not name or name[0].isdigit() or keyword.iskeyword(name) or name in ("True", "False", "None"):
        name = f"_{name}"
    return name


def number_name(value: object) -> str:
    """A number as part of a name: ``neg_2``, ``0_5``."""
    return re.sub(r"\W", "_", str(value).replace("-", "neg_").replace("+", ""))


def is_literal(value: object) -> bool:
    if type(value) is tuple:
        return all(map(is_literal, value))
    return value is None or type(value) in (bool, int, str)
