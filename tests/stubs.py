"""Writes what editors and type checkers read of the names that load late: `python -m tests.stubs`.

The public names stand in one list (`autograph/__init__.py`, and those of `tf.keras` and `tf.distribute`). Each becomes
the import of what it names, whose annotations are in the source; functions that are made of an op get their signature.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import autograph
from autograph import lazy

PACKAGE = Path(autograph.__file__).parent
HEAD = '"""Written by `python -m tests.stubs`."""\n\n'
LIKES = "DTypeLike Ints PaddingLike ShapeLike TensorLike"
PUBLIC_TYPES = r"\b(Axis|DTypeLike|Ints|PaddingLike|ShapeLike|TensorLike|Tensor|Any)\b"


def stubs() -> dict[Path, str]:
    """The files, with what they hold."""
    found = {PACKAGE / "__init__.pyi": _top()}
    for space, table in autograph._NAMESPACES.items():
        names = getattr(autograph, space)
        found[PACKAGE / f"{space}.pyi"] = HEAD + _names(lazy.parse(table), f"{space}.", names, 0)
    for name, module in autograph._MODULES.items():
        if name != module:
            found[PACKAGE / f"{name}.pyi"] = f"{HEAD}from .{module} import *\n"
    for package in (autograph.keras, autograph.distribute):
        folder = Path(package.__file__ or "").parent
        modules = "".join(f"from . import {name} as {name}\n" for name in package._MODULES)
        found[folder / "__init__.pyi"] = HEAD + modules + _names(package._names, None, package, 1)
    return found


def _top() -> str:
    spaces = "".join(f"from . import {name} as {name}\n" for name in [*autograph._NAMESPACES, *autograph._MODULES])
    rest = "import autograph as autograph\nnewaxis: None\n__version__: str\n"
    return HEAD + spaces + _names(autograph._names, "", autograph, 0) + rest


def _names(names: Mapping[str, tuple[str, str]], space: str | None, owner: ModuleType, depth: int) -> str:
    dots = "." * (depth + 1)
    lines = [f"from {dots}{module.removeprefix('autograph.')} import {attribute} as {name}"
             for name, (module, attribute) in sorted(names.items())]  # fmt: skip
    lines = [line.replace(f"from {dots}keras.", "from .") if owner.__name__ == "autograph.keras" else line
             for line in lines]  # fmt: skip
    places = [] if space is None else [name for name in lazy.places_of_ops(space) if name not in names]
    if places:
        lines.append("import builtins as _builtins\nfrom typing import Any as _Any")
        lines.append(f"from {dots}runtime.ops.reduce.reduce import Axis as _Axis")
        lines.append(f"from {dots}runtime.tensors.tensor import Tensor as _Tensor")
        lines += [f"from {dots}runtime.tensors.likes import {like} as _{like}" for like in LIKES.split()]
    return "\n".join([*lines, *[_signature(name, getattr(owner, name)) for name in sorted(places)]]) + "\n"


def _signature(name: str, function: Any) -> str:
    parts, is_keyword = [], False
    for each in inspect.signature(function).parameters.values():
        if each.kind is each.KEYWORD_ONLY and not is_keyword:
            parts.append("*")
            is_keyword = True
        default = "" if each.default is each.empty else f" = {_default(each.default)}"
        parts.append(f"{each.name}: {_annotation(each.annotation)}{default}")
    result = _annotation(inspect.signature(function).return_annotation)
    return f"def {name}({', '.join(parts)}) -> {'_Tensor' if result == '_Any' else result}: ..."


def _annotation(written: object) -> str:
    text = "Any" if written is inspect.Parameter.empty else str(written)
    text = re.sub(PUBLIC_TYPES, r"_\1", text)
    return re.sub(r"\b(bool|tuple)\b", r"_builtins.\1", text)


def _default(value: object) -> str:
    return repr(value) if value is None or isinstance(value, (bool, int, float, str)) else "..."


if __name__ == "__main__":
    for path, text in stubs().items():
        path.write_text(text)
