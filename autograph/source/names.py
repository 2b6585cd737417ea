"""Names: private names of classes, and names that are still free.

>>> mangle("__x", "_Model")
'_Model__x'
>>> namer = Namer(lambda: {"if_body"})
>>> namer.fresh("if_body"), namer.fresh("if_body"), namer.fresh("else_body")
('if_body_1', 'if_body_2', 'else_body')
"""

from __future__ import annotations

from collections.abc import Callable, Iterable


def mangle(name: str, class_name: str | None) -> str:
    """The name that Python uses for a private name (``__x``) inside a class; other names stay as they are.

    ``class_name`` is the innermost class around the code, ``None`` outside of classes.
    """
    if class_name is None or not name.startswith("__") or name.endswith("__") or "." in name:
        return name
    stripped = class_name.lstrip("_")
    return f"_{stripped}{name}" if stripped else name


class Namer:
    """Hands out names that are not taken, each once.

    ``find_taken`` is called for the first of them; to avoid the user's names it gives every name that the function
    mentions.
    """

    def __init__(self, find_taken: Callable[[], Iterable[str]] = set) -> None:
        self._find_taken = find_taken
        self._taken: set[str] | None = None
        self._next: dict[str, int] = {}

    def fresh(self, name: str) -> str:
        """``name`` if it is free, else the first free one of ``name_1``, ``name_2``, …"""
        taken = self._taken
        if taken is None:
            taken = self._taken = set(self._find_taken())
        if name not in taken:
            taken.add(name)
            return name
        number = self._next.get(name, 1)
        while f"{name}_{number}" in taken:
            number += 1
        self._next[name] = number + 1
        result = f"{name}_{number}"
        taken.add(result)
        return result
