"""Comprehensions become local functions with loops, which the passes for loops then stage.

>>> from autograph.converters.base import show
>>> show(Comprehensions, "y = [f(x) for x in xs if x > 0]")
def list_comp(iterable):
    result = []
    for x in iterable:
        if x > 0:
            result.append(f(x))
    return result
y = list_comp(xs)

A generator expression stays lazy. It becomes a function for one turn of its loop, which appends what it yields:

>>> show(Comprehensions, "y = sum(f(x) for x in xs if x > 0)")
def generator_item(x, result):
    if x > 0:
        result.append(f(x))
    return result
y = ag__.consume(sum, xs, generator_item)
"""

from __future__ import annotations

from collections.abc import Callable

import gast

from ..base import SCOPES
from ..build import (
    assign,
    call,
    constant,
    expression,
    function,
    if_,
    located,
    name,
    native_test,
    operator_call,
    returned,
)
from ..hoist import Hoisting
from ..lazy import must_stay
from .walrus import names_bound

# What goes through an argument at once; whether it is the built-in that the name says is looked at when it is called.
CONSUMERS = frozenset(("sum", "any", "all", "min", "max", "list", "tuple", "set", "frozenset", "dict", "sorted",
                       "next"))  # fmt: skip
FRAME_READERS = frozenset(("locals", "vars", "dir", "eval", "exec"))


class Comprehensions(Hoisting):
    """Rewrites comprehensions and generator expressions, if they are not asynchronous."""

    looks_at = (gast.ListComp, gast.SetComp, gast.DictComp, gast.GeneratorExp)

    def visit_ListComp(self, node: gast.ListComp) -> gast.AST:
        return self._collected(node, "list_comp", gast.List([], gast.Load()), lambda result: [
            _appended(result, node.elt)
        ])  # fmt: skip

    def visit_SetComp(self, node: gast.SetComp) -> gast.AST:
        made = self._collected(node, "set_comp", gast.List([], gast.Load()), lambda result: [
            _appended(result, node.elt)
        ])  # fmt: skip
        return made if made is node else operator_call("set_display", [made], node)

    def visit_DictComp(self, node: gast.DictComp) -> gast.AST:
        return self._collected(node, "dict_comp", gast.Dict([], []), lambda result: self._item(node, result))

    def _item(self, node: gast.DictComp, result: str) -> list[gast.AST]:
        """`result = ag__.set_item(value, result, key)`, with the key evaluated first."""
        statements = []
        key = node.key
        if not _order_matters_not(node):
            variable = self.context.shared_name("key")
            statements.append(assign(variable, key, key))
            key = name(variable, key)
        store = operator_call("set_item", [node.value, name(result, node.key), key], node.key)
        return [*statements, assign(result, store, node.key)]

    def _collected(
        self, node: gast.AST, title: str, empty: gast.AST, keep: Callable[[str], list[gast.AST]]
    ) -> gast.AST:
        reason = self._obstacle(node)
        if reason is not None:
            return self._kept(node, reason)
        first, *others = node.generators
        iterable, result = self.context.shared_name("iterable"), self.context.shared_name("result")
        statements = keep(result)
        for each in reversed(others):
            statements = [_loop(each, each.iter, statements)]
        statements = [_loop(first, name(iterable, first.iter), statements)]
        definition = function(self.fresh(title), [], node, [iterable])
        definition.body = [
            *self.sharing(names_bound(node), node),
            assign(result, located(empty, node), node),
            *self.inside(definition, statements),
            returned(name(result, node), node),
        ]
        argument = self.visit(first.iter)
        self.hoist(definition)
        return call(name(definition.name, node), [argument], node)

    def visit_Call(self, node: gast.Call) -> gast.AST:
        """`sum(… for …)`: a call that consumes a generator expression at once."""
        if not node.args or not isinstance(node.args[0], gast.GeneratorExp) or not _consumes(node.func):
            return self.generic_visit(node)
        generator, *others = node.args
        if self._obstacle_to_items(generator) is not None:
            return self.generic_visit(node)
        consumer = self.visit(node.func)
        iterable, item = self._items(generator)
        arguments = [consumer, iterable, item, *[self.visit(each) for each in others]]
        keywords = [self.visit(each) for each in node.keywords]
        staged = operator_call("consume", arguments, node)
        staged.keywords = keywords
        return staged

    def visit_GeneratorExp(self, node: gast.GeneratorExp) -> gast.AST:
        reason = self._obstacle_to_items(node)
        if reason is not None:
            return self._kept(node, reason)
        return operator_call("generator", list(self._items(node)), node)

    def _items(self, node: gast.GeneratorExp) -> tuple[gast.AST, gast.AST]:
        """The first iterable, and the name of the function for one item of it."""
        iterable = self.visit(node.generators[0].iter)
        return iterable, self._item_function(node, node.generators, names_bound(node))

    def _item_function(self, node: gast.GeneratorExp, generators: list[gast.AST], bound: list[str]) -> gast.AST:
        first, *others = generators
        result = self.context.shared_name("result")
        is_name = isinstance(first.target, gast.Name)
        item = first.target.id if is_name else self.context.shared_name("item")
        definition = function(self.fresh("generator_item"), [], node, [item, result])
        self.context.enclosing.append(definition)
        hoisted = []
        if others:
            outer, self._hoisted = self._hoisted, []
            further = self._item_function(node, others, bound)
            hoisted, self._hoisted = self._hoisted, outer
            arguments = [name(result, node), others[0].iter, further]
            kept = assign(result, operator_call("inner", arguments, others[0].iter), others[0].iter)
        else:
            kept = _appended(result, node.elt)
        statements = _guarded(first.ifs, [kept])
        if not is_name:
            unpacking = located(gast.Assign([first.target], name(item, first.target), None), first.target)
            statements.insert(0, unpacking)
        self.context.enclosing.pop()
        definition.body = [
            *self.sharing(bound, node),
            *hoisted,
            *self.inside(definition, statements),
            returned(name(result, node), node),
        ]
        self.hoist(definition)
        return name(definition.name, node)

    def _kept(self, node: gast.AST, reason: str) -> gast.AST:
        """A comprehension that stays one; it refuses staged iterables and conditions."""
        self.keep_native(node, reason)
        super().visit_ListComp(node)
        for each in node.generators:
            if not each.is_async:
                each.iter = operator_call("native_iterable", [each.iter, constant(reason, each.iter)], each.iter)
            each.ifs = [native_test(test, reason) for test in each.ifs]
        return node

    def _obstacle(self, node: gast.AST) -> str | None:
        """Why a comprehension can't become functions."""
        if not self.can_hoist():
            return "it stands in a class body, or in a comprehension that stays as it is"
        return must_stay(self, node) or _binds_to_frame(node)

    def _obstacle_to_items(self, node: gast.GeneratorExp) -> str | None:
        """As `_obstacle`; a function in a generator expression would see the item of its own turn, not the last one."""
        parts = [node.elt, *[part for each in node.generators for part in (each.target, *each.ifs)]]
        parts += [each.iter for each in node.generators[1:]]
        if any(map(_keeps_variables, parts)):
            return "a function in the generator expression looks at its variables later"
        return self._obstacle(node)


def _loop(generator: gast.AST, iterable: gast.AST, body: list[gast.AST]) -> gast.AST:
    return located(gast.For(generator.target, iterable, _guarded(generator.ifs, body), [], None), generator.target)


def _guarded(conditions: list[gast.AST], body: list[gast.AST]) -> list[gast.AST]:
    for condition in reversed(conditions):
        body = [if_(condition, body, [], condition)]
    return body


def _appended(result: str, value: gast.AST) -> gast.AST:
    append = located(gast.Attribute(name(result, value), "append", gast.Load()), value)
    return expression(call(append, [value], value), value)


def _consumes(function: gast.AST) -> bool:
    if isinstance(function, gast.Name):
        return function.id in CONSUMERS
    return isinstance(function, gast.Attribute) and function.attr == "join"


def _order_matters_not(node: gast.DictComp) -> bool:
    """Whether the value of an item may be evaluated before its key."""
    if isinstance(node.key, gast.Constant) or isinstance(node.value, gast.Constant):
        return True
    if not isinstance(node.key, gast.Name):
        return False
    own = {each.id for part in node.generators for each in gast.walk(part.target) if isinstance(each, gast.Name)}
    return isinstance(node.value, gast.Name) or node.key.id in own


def _keeps_variables(node: gast.AST) -> bool:
    """Whether an expression makes a function that may be called after the turn it was made in."""
    if isinstance(node, gast.Lambda | gast.GeneratorExp):
        return True
    if isinstance(node, gast.Call) and _consumes(node.func) and node.args:
        first, *others = node.args
        if isinstance(first, gast.GeneratorExp):
            return any(map(_keeps_variables, [*gast.iter_child_nodes(first), node.func, *others, *node.keywords]))
    return any(map(_keeps_variables, gast.iter_child_nodes(node)))


def _binds_to_frame(node: gast.AST) -> str | None:
    """Why a comprehension must stay one."""
    first = node.generators[0].iter  # belongs to the frame around it
    pending = [node]
    while pending:
        each = pending.pop()
        if each is first:
            continue
        if isinstance(each, gast.comprehension) and each.is_async:
            return "it is an asynchronous comprehension"
        if isinstance(each, gast.Subscript | gast.Attribute) and isinstance(each.ctx, gast.Store):
            return "its loop stores into an item or attribute"
        if isinstance(each, gast.Await):
            return "`await` belongs to the function around it"
        if isinstance(each, gast.Name) and each.id in FRAME_READERS:
            return f"`{each.id}` may look at the frame of the comprehension"
        if each.__class__ not in SCOPES:
            pending.extend(gast.iter_child_nodes(each))
    return None
