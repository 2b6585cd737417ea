"""Lowers every limit of the staging code, so that small programs reach them: what reaches one is refused."""

from __future__ import annotations

import ast
import contextlib
import importlib
import pkgutil
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import autograph.operators
from tests.libraries import OF_LIBRARIES

LIMIT = re.compile(r"_?[A-Z][A-Z_]+")
LOWEST = 3


def modules() -> list[ModuleType]:
    """All modules of the staging code of our own graphs."""
    found = pkgutil.walk_packages(autograph.operators.__path__, "autograph.operators.")
    names = [each.name for each in found if not each.name.startswith(OF_LIBRARIES)]
    return [autograph.operators, *map(importlib.import_module, names)]


def limits() -> dict[str, int]:
    """The whole numbers with names in capitals that the staging code defines, as "module.NAME" or "module.Class.NAME".

    Those that are computed are none: they are flags and masks.
    """
    found: dict[str, int] = {}
    for module in modules():
        if module.__file__ is not None:
            found |= {f"{module.__name__}.{name}": value for name, value in _defined(Path(module.__file__).read_text())}
    return {name: value for name, value in found.items() if value > LOWEST}


def _defined(source: str) -> Iterator[tuple[str, int]]:
    tree = ast.parse(source)
    scopes: list[tuple[str, Any]] = [("", tree)]
    scopes += [(f"{node.name}.", node) for node in tree.body if isinstance(node, ast.ClassDef)]
    for prefix, scope in scopes:
        for node in scope.body:
            targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
            value = getattr(node, "value", None)
            if isinstance(value, ast.Constant) and type(value.value) is int:
                for target in targets:
                    if isinstance(target, ast.Name) and LIMIT.fullmatch(target.id):
                        yield prefix + target.id, value.value


@contextlib.contextmanager
def lowered(to: int = LOWEST) -> Iterator[dict[str, int]]:
    """In here all limits are low, under all names that modules have them by; gives what they were."""
    known = limits()
    undo: list[tuple[Any, str, Any]] = []
    for name, value in known.items():
        path, attribute = name.rsplit(".", 1)
        for owner in _owners(path, attribute, value):
            undo.append((owner, attribute, value))
            setattr(owner, attribute, to)
    undo += _lowered_defaults(known, to)
    try:
        yield known
    finally:
        for owner, attribute, value in undo:
            setattr(owner, attribute, value)


def _owners(path: str, attribute: str, value: int) -> list[Any]:
    """What holds a limit: its module or class, and the modules that have imported it."""
    if path not in sys.modules:
        module, _, name = path.rpartition(".")
        return [getattr(sys.modules[module], name)]
    importing = [each for each in modules() if vars(each).get(attribute) == value and each.__name__ != path]
    return [sys.modules[path], *(each for each in importing if _imports(each, attribute))]


def _imports(module: ModuleType, name: str) -> bool:
    tree = ast.parse(Path(module.__file__ or "").read_text())
    imports = [node for node in tree.body if isinstance(node, ast.ImportFrom)]
    return any(alias.name == name for node in imports for alias in node.names)


def _lowered_defaults(known: dict[str, int], to: int) -> list[tuple[Any, str, Any]]:
    """Lowers the limits that are defaults of parameters; what undoes it."""
    undo = []
    for module in modules():
        source = Path(module.__file__ or "").read_text()
        for node in ast.parse(source).body:
            if isinstance(node, ast.FunctionDef):
                names = [each.id if isinstance(each, ast.Name) else None for each in node.args.defaults]
                function = getattr(module, node.name, None)
                if any(f"{module.__name__}.{name}" in known for name in names) and function is not None:
                    before = function.__defaults__
                    function.__defaults__ = tuple(
                        to if f"{module.__name__}.{name}" in known else value
                        for name, value in zip(names, before, strict=True)
                    )
                    undo.append((function, "__defaults__", before))
    return undo
