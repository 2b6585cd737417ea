"""Names: qualified names such as `self.x[0]`, private names of classes, and names that are still free.

>>> import gast
>>> name = qualified_name(gast.parse("self.layers['a'].x").body[0].value)
>>> str(name), name.base, str(name.parent)
("self.layers['a'].x", 'self', "self.layers['a']")
>>> mangle("__x", "_Model")
'_Model__x'
>>> namer = Namer({"if_body"})
>>> namer.fresh("if_body"), namer.fresh("if_body"), namer.fresh("else_body")
('if_body_1', 'if_body_2', 'else_body')
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

import gast

Step = tuple[Literal["attribute", "item"], Any]


@dataclass(frozen=True, slots=True)
class QualifiedName:
    """A variable, or what is reached from one through attributes and constant keys.

    ``steps`` holds ``("attribute", name)`` and ``("item", key)`` from left to right.  Equal names mean the same
    text; ``d[1]`` and ``d[True]``, which Python can't tell apart in a dict, differ here.
    """

    base: str
    steps: tuple[Step, ...] = ()
    _kinds: tuple[type, ...] = ()

    @property
    def is_composite(self) -> bool:
        """Whether this is more than a plain variable."""
        return bool(self.steps)

    @property
    def parent(self) -> QualifiedName | None:
        """The name without its last step; ``None`` for a plain variable."""
        if not self.steps:
            return None
        return QualifiedName(self.base, self.steps[:-1], self._kinds[:-1])

    def prefixes(self) -> Iterable[QualifiedName]:
        """The name itself, then its parent, and so on down to the plain variable."""
        name: QualifiedName | None = self
        while name is not None:
            yield name
            name = name.parent

    def attribute(self, attribute: str) -> QualifiedName:
        """The name of an attribute of this."""
        return QualifiedName(self.base, (*self.steps, ("attribute", attribute)), (*self._kinds, str))

    def item(self, key: Any) -> QualifiedName:
        """The name of an item of this, under a constant key."""
        return QualifiedName(self.base, (*self.steps, ("item", key)), (*self._kinds, type(key)))

    def to_node(self, context: ast.expr_context | None = None) -> gast.AST:
        """A fresh expression for the name; ``context`` is ``gast.Load()`` unless given."""
        contexts: list[Any] = [gast.Load()] * len(self.steps) + [context or gast.Load()]
        node: Any = gast.Name(self.base, contexts[0], None, None)
        for (kind, key), step_context in zip(self.steps, contexts[1:], strict=True):
            if kind == "attribute":
                node = gast.Attribute(node, key, step_context)
            else:
                node = gast.Subscript(node, _constant(key), step_context)
        return node

    def __str__(self) -> str:
        text = self.base
        for kind, key in self.steps:
            text += f".{key}" if kind == "attribute" else f"[{key!r}]"
        return text


def _constant(key: Any) -> Any:
    if isinstance(key, tuple):
        return gast.Tuple([_constant(item) for item in key], gast.Load())
    if isinstance(key, (int, float)) and key < 0:
        return gast.UnaryOp(gast.USub(), gast.Constant(-key, None))
    return gast.Constant(key, None)


def qualified_name(node: ast.AST) -> QualifiedName | None:
    """The qualified name that an expression spells, or ``None`` when it is anything else.

    Names, attributes of names, and subscripts with a constant key (a number, also a negative one, a string, a
    tuple of those) count; a call or a computed key does not.
    """
    steps: list[Step] = []
    kinds: list[type] = []
    while not isinstance(node, gast.Name):
        if isinstance(node, gast.Attribute):
            steps.append(("attribute", node.attr))
            kinds.append(str)
        elif isinstance(node, gast.Subscript):
            found, key = _constant_key(node.slice)
            if not found:
                return None
            steps.append(("item", key))
            kinds.append(type(key))
        else:
            return None
        node = node.value
    return QualifiedName(node.id, tuple(steps[::-1]), tuple(kinds[::-1]))


def _constant_key(node: ast.AST) -> tuple[bool, Any]:
    if isinstance(node, gast.Constant):
        return True, node.value
    if isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.USub) and isinstance(node.operand, gast.Constant):
        value = node.operand.value
        return (True, -value) if isinstance(value, (int, float)) else (False, None)
    if isinstance(node, gast.Tuple):
        keys = [_constant_key(item) for item in node.elts]
        return all(found for found, _ in keys), tuple(key for _, key in keys)
    return False, None


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

    ``taken`` is copied; to avoid the user's names pass every name that the function mentions (``names_in``).
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


def names_in(tree: ast.AST) -> set[str]:
    """Every identifier that a ``gast`` tree mentions as a variable, an argument, a definition or an import."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, gast.Name):
            names.add(node.id)
        elif isinstance(node, (gast.Global, gast.Nonlocal)):
            names.update(node.names)
        elif isinstance(node, gast.alias):
            names.add(node.asname or node.name.partition(".")[0])
        else:
            name = getattr(node, "name", None) or getattr(node, "rest", None)
            if isinstance(name, str):
                names.add(name)
    return names
