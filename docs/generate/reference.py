"""The reference: a page for each namespace, whose entries Sphinx makes of the docstrings."""

from __future__ import annotations

import inspect
from types import ModuleType

import autograph

from . import names

NAMESPACES = ("", *autograph._NAMESPACES, *(name for name in autograph._MODULES if name not in {"compat", "version"}))


def pages() -> dict[str, str]:
    """The pages, by their file names."""
    spaces = [*NAMESPACES, *(f"keras.{name}" for name in autograph.keras._MODULES)]
    found = {f"tf{'.' if space else ''}{space}.md": page(space) for space in spaces}
    index = "# Reference\n\nMade of the docstrings; `tf` is `import autograph as tf`.\n\n```{toctree}\n:maxdepth: 1\n\n"
    return {**found, "reference.md": index + "\n".join(name.removesuffix(".md") for name in found) + "\n```\n"}


def public_names(space: str) -> list[str]:
    """The public functions and classes of a namespace."""
    owner = autograph
    for part in space.split(".") if space else ():
        owner = getattr(owner, part)
    prefix = f"{space}." if space else ""
    there = getattr(owner, "__all__", None) or dir(owner)
    known = {name.removeprefix(prefix) for name in names.names() if name.startswith(prefix)}
    return sorted({name for name in there if _is_entry(owner, name, known)})


def _is_entry(owner: ModuleType, name: str, known: set[str]) -> bool:
    value = getattr(owner, name)
    if name.startswith("_") or isinstance(value, ModuleType) or not (inspect.isclass(value) or callable(value)):
        return False
    is_own = getattr(value, "__module__", "") == owner.__name__ or hasattr(owner, "__all__")
    return (
        is_own or name in known or owner.__name__ not in {f"autograph.{each}" for each in autograph._MODULES.values()}
    )


def page(space: str) -> str:
    """A page of entries."""
    title = f"tf.{space}" if space else "tf"
    if space in autograph.keras._MODULES:
        return f"# {title}\n\nThe same as [tf.keras.{space}](tf.keras.{space}.md).\n"
    lines = [f"# {title}\n", "```{eval-rst}"]
    owner = autograph
    for part in space.split(".") if space else ():
        owner = getattr(owner, part)
    for name in public_names(space):
        value = getattr(owner, name)
        full = f"autograph.{space + '.' if space else ''}{name}"
        if inspect.isclass(value):
            lines += [f".. autoclass:: {full}", "   :members:" if not space.startswith("keras.") else "", ""]
        else:
            lines += [f".. autofunction:: {full}", ""]
    return "\n".join([*lines, "```", ""])
