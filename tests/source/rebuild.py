"""What the tests of `autograph.source` share."""

from __future__ import annotations

import importlib.util
import linecache
import subprocess
import sys
import textwrap
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from autograph.source import compile_code, find, unparse


def rebuilt(function: Any, **extra: Any) -> Any:
    """The function compiled from its own tree."""
    source = find(function)
    return compile_code(source.tree, function.__code__, source, extra).instantiate(function)


def module_of(folder: Path, text: str, name: str = "written") -> ModuleType:
    """A module imported from a file with this text, as Python imports modules: pytest does not rewrite it."""
    path = folder / f"{name}.py"
    path.write_text(textwrap.dedent(text))
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    before = sys.dont_write_bytecode
    sys.dont_write_bytecode = True
    try:
        spec.loader.exec_module(module)
    finally:
        sys.dont_write_bytecode = before
    return module


def functions_of(module: ModuleType) -> list[FunctionType]:
    """The functions that a module defines, and those of its classes."""
    found: list[FunctionType] = []
    for value in list(vars(module).values()):
        members = vars(value).values() if isinstance(value, type) and value.__module__ == module.__name__ else [value]
        for member in members:
            function = getattr(member, "__func__", member)
            if isinstance(function, FunctionType) and function.__code__.co_filename == module.__file__:
                found.append(function)
    return found


def text_of(function: Any) -> str:
    """The function as printed from its tree."""
    return unparse(find(function).tree)


def run(text: str, filename: str, **options: Any) -> dict[str, Any]:
    """The names that a text defines, run under a file name that `linecache` knows it by."""
    linecache.cache[filename] = (len(text), None, text.splitlines(True), filename)
    namespace: dict[str, Any] = {}
    exec(compile(text, filename, "exec", **options), namespace)
    return namespace


def python(*arguments: str, text: str | None = None) -> subprocess.CompletedProcess[str]:
    """A run of Python with these arguments, where the project can be imported."""
    root = Path(__file__).parents[2]
    return subprocess.run(
        [sys.executable, *arguments], input=text, capture_output=True, text=True, cwd=root, timeout=60
    )
