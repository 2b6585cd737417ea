"""Functions are made ready for the other passes.

* The function itself loses its decorators, which have been applied already, and is called `ag__f` where it is shown:
  the `f` that its body may name is the user's.
* `super()` names what it would find in its frame, as its frame may become another one.
* `global` and `nonlocal`, and annotations without a value, which hold for the whole function, move to its beginning.
  Annotations of variables go: Python does not evaluate them, and forbids them where the variable is `nonlocal`.

>>> from autograph.converters.base import show
>>> show(Functions, '''
... if a:
...     global g
...     g: int = super().f()
... ''', class_name="C", parameters="self")
global g
if a:
    g = super(__class__, self).f()
"""

from __future__ import annotations

from typing import Any

import gast

from .. import build
from ..base import Context, Pass, Rewritten


class Lambdas(Pass):
    """Makes a lambda a `def`, if parts of it will move into local functions."""

    looks_at = (gast.NamedExpr, gast.ListComp, gast.SetComp, gast.DictComp, gast.GeneratorExp)

    def rewrite(self, tree: gast.AST) -> Any:
        if not isinstance(tree, gast.Lambda):
            return tree
        definition = build.function(self.fresh("lambda_"), [build.returned(tree.body, tree.body)], tree)
        definition.args = tree.args
        return definition


class Functions(Pass):
    """Prepares the function and the functions inside of it."""

    always = True

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._declared: dict[gast.AST, list[Any]] = {}

    def begin(self) -> None:
        if not isinstance(self.context.tree, gast.Lambda):
            self.context.tree.decorator_list = []
            self.context.tree.name = f"ag__{self.context.tree.name}"

    def leave_FunctionDef(self, node: gast.AST) -> Rewritten:
        declared = self._declared.get(node)
        if declared:
            node.body = build.after_docstring(node.body, declared)
        return node

    leave_AsyncFunctionDef = leave_FunctionDef

    def leave_Global(self, node: gast.AST) -> Rewritten:
        return self._to_beginning(node)

    leave_Nonlocal = leave_Global

    def leave_AnnAssign(self, node: gast.AST) -> Rewritten:
        if not self._in_function():
            return node
        if node.value is not None:
            return build.located(gast.Assign([node.target], node.value, None), node)
        return self._to_beginning(node) if isinstance(node.target, gast.Name) and node.simple else node

    def leave_Call(self, node: gast.AST) -> Rewritten:
        if isinstance(node.func, gast.Name) and node.func.id == "super" and not node.args and not node.keywords:
            first = self._first_parameter()
            if first is not None:
                node.args = [build.name("__class__", node), build.name(first, node)]
        return node

    def _in_function(self) -> bool:
        enclosing = self.context.enclosing
        return bool(enclosing) and not isinstance(enclosing[-1], gast.ClassDef)

    def _to_beginning(self, node: gast.AST) -> Rewritten:
        if not self._in_function():
            return node
        self._declared.setdefault(self.context.enclosing[-1], []).append(node)
        return None

    def _first_parameter(self) -> str | None:
        """What `super()` finds in its frame, if there is a class around and a first parameter."""
        if not self.context.enclosing or self.context.private_class() is None:
            return None
        function = self.context.enclosing[-1]
        if isinstance(function, gast.ClassDef):
            return None
        positional = [*function.args.posonlyargs, *function.args.args]
        return positional[0].id if positional else None
