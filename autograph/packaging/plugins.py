"""What other packages add by entry points, which are looked for when something is asked for by name.

====================== =================================== ===========================================================
group                  name                                what it names
====================== =================================== ===========================================================
`autograph.tensors`    of a library, as it is imported     a `Backend` (autograph/operators/dispatch.py), or its class
`autograph.engines`    of an engine, for AUTOGRAPH_ENGINE  an `Engine` (runtime/engines/engine.py), or its class
`autograph.exporters`  of a format: ``tf.export.NAME``     a function of a concrete function, a path, and options
====================== =================================== ===========================================================

Nothing is loaded, nor looked for, that nobody asks for. A plug-in that can't be used says its name, and harms no other.
"""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Sequence
from typing import Any

from ..errors import PluginError

__all__ = ["ENGINES", "EXPORTERS", "TENSORS", "is_offered", "load", "offered", "unfit"]

TENSORS, ENGINES, EXPORTERS = "autograph.tensors", "autograph.engines", "autograph.exporters"


def offered(group: str) -> list[str]:
    """The names in a group, in order."""
    return sorted(_found(group, tuple(sys.path)))


def load(group: str, name: str) -> Any:
    """What a plug-in has under a name; None where there is no such plug-in.

    Raises `PluginError` where it can't be loaded, and where two packages have one of that name.
    """
    entries = _found(group, tuple(sys.path)).get(name, [])
    if len(entries) > 1:
        packages = " and ".join(sorted(_package(each) for each in entries))
        raise PluginError(f"{packages} both have a plug-in {name!r} ({group})", remedy="uninstall one of them")
    if not entries:
        return None
    try:
        return entries[0].load()
    except Exception as error:
        raise unfit(group, name, f"{type(error).__name__}: {error}") from error


def unfit(group: str, name: str, reason: str) -> PluginError:
    """The error for a plug-in that can't be used."""
    (entry, *_) = _found(group, tuple(sys.path))[name]
    package = _package(entry)
    return PluginError(
        f"the plug-in {name!r} ({group}) of {package}, {entry.value}, can't be used: {reason}",
        remedy=f"mend {package}, or uninstall it",
    )


def is_offered(group: str) -> bool:
    """Whether any package may have something in a group, found without loading much: by the files of packages."""
    return _is_mentioned(group, tuple(sys.path))


@functools.lru_cache(maxsize=16)
def _found(group: str, path: Sequence[str]) -> dict[str, list[Any]]:
    from importlib import metadata  # which takes long to load

    found: dict[str, list[Any]] = {}
    for entry in metadata.entry_points(group=group):
        found.setdefault(entry.name, []).append(entry)
    return found


def _package(entry: Any) -> str:
    return "an unknown package" if entry.dist is None else f"{entry.dist.name} {entry.dist.version}"


@functools.lru_cache(maxsize=16)
def _is_mentioned(group: str, path: Sequence[str]) -> bool:
    section = f"[{group}]".encode()
    return any(_mentions(folder or ".", section) for folder in path)


def _mentions(folder: str, section: bytes) -> bool:
    try:
        names = os.listdir(folder)
    except NotADirectoryError:  # a file with modules in it, which only `importlib` reads
        return True
    except OSError:
        return False
    packages = [name for name in names if name.endswith((".dist-info", ".egg-info"))]
    return any(section in _read(os.path.join(folder, name, "entry_points.txt")) for name in packages)


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""
