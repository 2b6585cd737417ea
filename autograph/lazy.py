"""Public names that load their module when they are first used."""

from __future__ import annotations

import importlib
import types
from collections.abc import Mapping
from typing import Any


def parse(table: Mapping[str, str]) -> dict[str, tuple[str, str]]:
    """Public name -> (module, attribute), from ``{"runtime.tensors.convert": "constant cast=convert_dtype"}``.

    >>> parse({"runtime.tensors.convert": "constant cast=to"})
    {'constant': ('autograph.runtime.tensors.convert', 'constant'), 'cast': ('autograph.runtime.tensors.convert', 'to')}
    """
    names = {}
    for module, words in table.items():
        for word in words.split():
            name, _, attribute = word.partition("=")
            names[name] = f"{__package__}.{module}", attribute or name
    return names


def load(names: Mapping[str, tuple[str, str]], name: str, owner: str) -> Any:
    """The object behind a public name; `AttributeError` when there is none."""
    found = names.get(name)
    if found is None:
        raise AttributeError(f"module {owner!r} has no attribute {name!r}")
    module = importlib.import_module(found[0])
    return getattr(module, found[1])


class Namespace(types.ModuleType):
    """A group of public names, such as ``tf.math``."""

    def __init__(self, name: str, table: Mapping[str, str]) -> None:
        super().__init__(f"{__package__}.{name}", f"The functions of ``tf.{name}``.")
        self.__names = parse(table)

    def __getattr__(self, name: str) -> Any:
        value = load(self.__names, name, self.__name__)
        self.__dict__[name] = value
        return value

    def __dir__(self) -> list[str]:
        return sorted(self.__names)
