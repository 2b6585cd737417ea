"""Names: private names of classes, and names that are still free.

>>> mangle("__x", "_Model")
'_Model__x'
>>> namer = Namer({"if_body"})
>>> namer.fresh("if_body"), namer.fresh("if_body"), namer.fresh("else_body")
('if_body_1', 'if_body_2', 'else_body')
"""

from __future__ import annotations

from collections.abc import Iterable


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

    ``taken`` is copied; to avoid the user's names pass every name that the function mentions.
    """

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self.taken = set(taken)
        self._next: dict[str, int] = {}

    def fresh(self, name: str) -> str:
        """``name`` if it is free, else the first free one of ``name_1``, ``name_2``, …"""
        if name not in self.taken:
            self.taken.add(name)
            return name
        number = self._next.get(name, 1)
        while f"{name}_{number}" in self.taken:
            number += 1
        self._next[name] = number + 1
        result = f"{name}_{number}"
        self.taken.add(result)
        return result
