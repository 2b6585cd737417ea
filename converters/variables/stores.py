"""Stores into items and attributes go through operators: a tensor can't be changed, so its variable gets a new one.

>>> from autograph.converters.base import show
>>> show(Stores, '''
... x[i] = v
... x[i] += v
... x[i][j] += v
... self.x[i] = v
... self.y = v
... cache[key] = v
... x[i], x[j] = x[j], x[i]
... ''', parameters="self, x, i, j, v")
x = ag__.set_item(v, x, i)
x = ag__.update_item(x, i, ag__.iadd, lambda: v)
x = ag__.update_inner_item(x, ag__.iadd, lambda: v, i, j)
ag__.items_of_attribute(self, 'x')[i] = v
ag__.mut(self).y = v
ag__.mut(cache)[key] = v
item, item_1 = x[j], x[i]
x = ag__.set_item(item, x, i)
x = ag__.set_item(item_1, x, j)

Where the index may give the variable another value, as `f` does if it declares it nonlocal, the store looks for that:
`x = ag__.set_item(v, x, f(), load=lambda: x)`.

A variable that is not the function's own is not given another value.
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.analysis.scopes import Scope, scopes
from autograph.source.names import mangle

from ..base import Pass, Rewritten
from ..build import assign, constant, is_operator_call, located, name, operator, operator_call, stored, thunk
from ..expressions.walrus import names_bound
from ..lazy import lazy, must_stay, scope_around

IN_PLACE = {
    gast.Add: "iadd", gast.Sub: "isub", gast.Mult: "imul", gast.MatMult: "imatmul", gast.Div: "itruediv",
    gast.FloorDiv: "ifloordiv", gast.Mod: "imod", gast.Pow: "ipow", gast.LShift: "ilshift", gast.RShift: "irshift",
    gast.BitAnd: "iand", gast.BitOr: "ior", gast.BitXor: "ixor",
}  # fmt: skip


_RUNS_CODE = (gast.Call, gast.NamedExpr, gast.Await, gast.Yield, gast.YieldFrom)


class Stores(Pass):
    """Rewrites assignments to, and deletions of, items and attributes in functions."""

    looks_at = (gast.Subscript, gast.Attribute)

    def leave_Assign(self, node: gast.Assign) -> Rewritten:
        if not self._concerns(node.targets):
            return node
        if len(node.targets) > 1:
            if not any(map(self._must_split, node.targets)):
                node.targets = [self._target(each) for each in node.targets]
                return node
            value = self.fresh("value")
            return [
                assign(value, node.value, node),
                *[each for target in node.targets for each in self._stored(target, name(value, target))],
            ]
        return self._stored(node.targets[0], node.value)

    def leave_AugAssign(self, node: gast.AugAssign) -> Rewritten:
        target = node.target
        if not self._concerns([target]):
            return node
        if not self._rebinds(target) or names_bound(node.value) or must_stay(self, node) is not None:
            node.target = self._target(target)
            return node
        container, *indices = _path(target)
        again = self._loaded_again(container, [*indices, node.value])
        variable, places = name(container.id, target), [index_argument(each) for each in indices]
        by = [operator(IN_PLACE[type(node.op)], target), lazy(self, node.value)]
        if len(places) == 1:
            update = operator_call("update_item", [variable, *places, *by], node)
        else:
            update = operator_call("update_inner_item", [variable, *by, *places], node)
        update.keywords = again
        return assign(container.id, update, node)

    def leave_Delete(self, node: gast.Delete) -> Rewritten:
        if self._concerns(node.targets):
            node.targets = [self._noted(each) for each in node.targets]
        return node

    def leave_For(self, node: gast.For | gast.AsyncFor) -> Rewritten:
        if self._concerns([node.target]):
            node.target, stores = self._split(node.target)
            node.body = [*stores, *node.body]
        return node

    leave_AsyncFor = leave_For

    def leave_With(self, node: gast.With | gast.AsyncWith) -> Rewritten:
        for position, item in enumerate(node.items):
            if item.optional_vars is None or not self._concerns([item.optional_vars]):
                continue
            item.optional_vars, stores = self._split(item.optional_vars)
            others = node.items[position + 1 :]
            if stores and others:
                inner = self.leave_With(located(type(node)(others, node.body, None), others[0].context_expr))
                node.items, node.body = node.items[: position + 1], [*stores, inner]
                return node
            node.body = [*stores, *node.body]
        return node

    leave_AsyncWith = leave_With

    # Targets

    def _concerns(self, targets: list[Any]) -> bool:
        """Whether there is an item or attribute among targets of a statement of a function."""
        enclosing = self.context.enclosing
        if not enclosing or isinstance(enclosing[-1], gast.ClassDef):
            return False
        return any(_is_composite(each) for target in targets for each in _leaves(target))

    def _stored(self, target: gast.AST, value: gast.AST) -> list[gast.AST]:
        """The statements that store a value."""
        if self._rebinds(target):
            container, *indices = _path(target)
            operation = "set_item" if len(indices) == 1 else "set_inner_item"
            again = self._loaded_again(container, indices)
            store = operator_call(operation, [value, container, *map(index_argument, indices)], target)
            store.keywords = again
            return [assign(container.id, store, target)]
        if not self._must_split(target):
            return [located(gast.Assign([self._target(target)], value, None), target)]
        unpacked, stores = self._split(target)
        return [located(gast.Assign([unpacked], value, None), target), *stores]

    def _split(self, target: gast.AST) -> tuple[Any, list[gast.AST]]:
        """What to put in place of a target, and the statements that then store what it has got.

        From the first part on that needs a statement of its own, every part waits for those before it.
        """
        if not self._must_split(target):
            return self._target(target), []
        if isinstance(target, gast.Starred):
            target.value, stores = self._split(target.value)
            return target, stores
        if not isinstance(target, gast.Tuple | gast.List):
            return self._later(target)
        later = False
        statements: list[gast.AST] = []
        for position, part in enumerate(target.elts):
            if later:
                if isinstance(part, gast.Starred):
                    part.value, stores = self._later(part.value)
                else:
                    target.elts[position], stores = self._later(part)
            else:
                later = self._must_split(part)
                target.elts[position], stores = self._split(part)
            statements += stores
        return target, statements

    def _later(self, target: gast.AST) -> tuple[gast.AST, list[gast.AST]]:
        variable = self.fresh("item")
        return stored(variable, target), self._stored(target, name(variable, target))

    def _must_split(self, target: gast.AST) -> bool:
        """Whether a store gives a variable another value, so that it must be a statement of its own."""
        return any(map(self._rebinds, _leaves(target)))

    def _rebinds(self, target: gast.AST) -> bool:
        """Whether a target is an item of the function's own variable: `x[i]`, or `x[i][j]` with a simple index `j`."""
        if not isinstance(target, gast.Subscript):
            return False
        container, *indices = _path(target)
        if not self._is_own(container) or not all(map(_is_simple, indices[1:])):
            return False
        return not self._may_be_set_meanwhile(container, indices) or scope_around(self).frame_reader is None

    def _may_be_set_meanwhile(self, container: gast.Name, parts: list[Any]) -> bool:
        """Whether what is evaluated after the variable of a container may give that another value."""
        if not any(isinstance(each, _RUNS_CODE) for part in parts for each in gast.walk(part)):
            return False
        scope = self._scope()
        set_elsewhere = scope.unit.inner_written_bits | scope.nonlocal_bits | scope.global_bits
        bound_here = any(container.id in names_bound(part) for part in parts)
        return bound_here or bool(set_elsewhere & scope.names.bit(container.id))

    def _loaded_again(self, container: gast.Name, parts: list[Any]) -> list[gast.AST]:
        """The argument by which a store finds out that its variable has been given another value meanwhile."""
        if not self._may_be_set_meanwhile(container, parts):
            return []
        return [gast.keyword("load", thunk(name(container.id, container), container))]

    def _target(self, target: gast.AST) -> Any:
        """A target that can stay one."""
        if isinstance(target, gast.Tuple | gast.List):
            target.elts = [self._target(each) for each in target.elts]
        elif isinstance(target, gast.Starred):
            target.value = self._target(target.value)
        elif isinstance(target, gast.Subscript):
            target.value = self._items(target.value)
        elif isinstance(target, gast.Attribute):
            self._noted(target)
        return target

    def _items(self, container: object) -> Any:
        """What stands for a container of which an item is stored."""
        if isinstance(container, gast.Attribute):
            class_name = self.context.private_class()
            attribute = constant(mangle(container.attr, class_name), container)
            return operator_call("items_of_attribute", [container.value, attribute], container)
        if isinstance(container, gast.Subscript):
            owner = container.value if isinstance(container.value, gast.Name) else self._items(container.value)
            return operator_call("items_of_item", [owner, index_argument(container.slice)], container)
        return self._mutable(container)

    def _noted(self, target: gast.AST) -> Any:
        """A target of which the owner is noted as changed."""
        if isinstance(target, gast.Tuple | gast.List):
            target.elts = [self._noted(each) for each in target.elts]
        elif isinstance(target, gast.Subscript | gast.Attribute):
            target.value = self._mutable(target.value)
        return target

    def _mutable(self, owner: gast.AST) -> Any:
        return owner if is_operator_call(owner) else operator_call("mut", [owner], owner)

    def _is_own(self, container: gast.AST) -> bool:
        """Whether a container is held by a variable that the function may give another value."""
        if not isinstance(container, gast.Name):
            return False
        scope = self._scope()
        return bool((scope.local_bits | scope.nonlocal_bits | scope.global_bits) & scope.names.bit(container.id))

    def _scope(self) -> Scope:
        return self.analysis(scopes).scope_of[self.context.enclosing[-1]]


class PlainStores(Stores):
    """Stores of code in which nothing is staged: `mut` has nothing to note."""

    def _mutable(self, owner: gast.AST) -> Any:
        return owner


def _leaves(target: gast.AST) -> list[Any]:
    if isinstance(target, gast.Tuple | gast.List):
        return [leaf for each in target.elts for leaf in _leaves(each)]
    return _leaves(target.value) if isinstance(target, gast.Starred) else [target]


def _is_composite(node: gast.AST) -> bool:
    return isinstance(node, gast.Subscript | gast.Attribute)


def _path(target: gast.Subscript) -> list[Any]:
    """`[x, i, j]` for `x[i][j]`."""
    indices: list[Any] = []
    node: Any = target
    while isinstance(node, gast.Subscript):
        indices.insert(0, node.slice)
        node = node.value
    return [node, *indices]


def _is_simple(index: object) -> bool:
    """Whether an index can be evaluated early: nothing can tell."""
    if isinstance(index, gast.UnaryOp):
        return isinstance(index.operand, gast.Constant)
    return isinstance(index, gast.Constant | gast.Name)


def index_argument(index: object) -> Any:
    """An index as an argument: `a:b` is `ag__.slice(a, b)`."""
    if isinstance(index, gast.Tuple):
        index.elts = [index_argument(each) for each in index.elts]
        return index
    if not isinstance(index, gast.Slice):
        return index
    bounds = [index.lower, index.upper] if index.step is None else [index.lower, index.upper, index.step]
    return operator_call("slice", [each or constant(None, index) for each in bounds], index)
