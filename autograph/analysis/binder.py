"""The walk behind `scopes`: one visit of every node, in the order of evaluation where that matters."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import gast

from .expression_binder import EXPRESSION_HANDLERS, FUNCTION_LIKE, ExpressionBinder
from .scopes import ACTIVITY, BIND, Activity, Kind, Names, Scope, Scopes

_ANNOTATIONS_ARE_LAZY = sys.version_info >= (3, 14)


class Binder(ExpressionBinder):
    """Walks a tree once and fills the scopes and activities."""

    # Simple statements

    def augmented(self, node: gast.AugAssign) -> None:
        if isinstance(node.target, gast.Name):
            self.read(node.target)
        self.visit(node.target)
        self.visit(node.value)

    def annotated(self, node: gast.AnnAssign) -> None:
        in_function = self.scope.kind in FUNCTION_LIKE
        if node.value is not None:
            self.visit(node.value)
            self.visit(node.target)
        elif isinstance(node.target, gast.Name):
            if node.simple:
                self.scope.bound_bits |= self.bit(node.target.id)
        else:
            self.visit(node.target.value)
            if isinstance(node.target, gast.Subscript):
                self.visit(node.target.slice)
        if in_function:  # counted as a use by Python's symbol table, but never evaluated
            outer, self.unit = self.unit, Activity(self.names)
            self.annotation(node.annotation)
            self.unit = outer
        else:
            self.annotation(node.annotation)

    def annotation(self, node: gast.AST | None) -> None:
        if node is None or self.future_annotations:
            return
        outer, self.unit = self.unit, Activity(self.names)
        self.visit(node)
        if _ANNOTATIONS_ARE_LAZY:
            self.unit.captured_bits |= self.unit.read_bits
        outer.absorb(self.unit)
        self.unit = outer

    def declare_global(self, node: gast.Global) -> None:
        self.scope.global_bits |= self.all_bits(node.names)

    def declare_nonlocal(self, node: gast.Nonlocal) -> None:
        self.scope.nonlocal_bits |= self.all_bits(node.names)

    def imported(self, node: gast.Import | gast.ImportFrom) -> None:
        for alias in node.names:
            if alias.name != "*":
                self.write(alias.asname or alias.name.split(".")[0])

    # Definitions

    def definition(self, node: gast.FunctionDef | gast.AsyncFunctionDef) -> None:
        self.all(node.decorator_list)
        self.all(node.args.defaults)
        self.all(node.args.kw_defaults)
        if node.type_params:
            with self.type_parameters(node):
                self.signature_and_body(node)
        else:
            self.signature_and_body(node)
        self.write(node.name)

    def signature_and_body(self, node: gast.FunctionDef | gast.AsyncFunctionDef) -> None:
        arguments = node.args
        for group in (arguments.posonlyargs, arguments.args, arguments.kwonlyargs, (arguments.vararg, arguments.kwarg)):
            for parameter in group:
                if parameter is not None:
                    self.annotation(parameter.annotation)
        self.annotation(node.returns)
        self.function(node, Kind.FUNCTION)

    def class_(self, node: gast.ClassDef) -> None:
        self.all(node.decorator_list)
        if node.type_params:
            outside, self.class_name = self.class_name, node.name.lstrip("_") or None
            with self.type_parameters(node):
                self.class_body(node)
            self.class_name = outside
        else:
            self.class_body(node)
        self.write(node.name)

    def class_body(self, node: gast.ClassDef) -> None:
        self.all(node.bases)
        self.all(node.keywords)
        outside = self.path, self.loops, self.finals, self.class_name
        self.path, self.loops, self.finals, self.class_name = [], [], [], node.name.lstrip("_") or None
        with self.inside(node, Kind.CLASS, Activity(self.names)):
            self.block(node.body)
        self.path, self.loops, self.finals, self.class_name = outside

    @contextmanager
    def type_parameters(self, node: gast.AST) -> Iterator[None]:
        """The scope between a definition and what is around it; it shares the node, which opens the inner scope."""
        with self.inside(node, Kind.TYPES):
            for parameter in node.type_params:
                self.write(parameter.name)
            for parameter in node.type_params:
                for part in (getattr(parameter, "bound", None), parameter.default_value):
                    if part is not None:
                        self.lazy_type(part)
            yield

    def lazy_type(self, node: gast.AST) -> None:
        with self.inside(node, Kind.LAZY_TYPE, Activity(self.names)):
            self.visit(node)

    def type_alias(self, node: gast.AST) -> None:
        if node.type_params:
            with self.type_parameters(node):
                self.lazy_type(node.value)
        else:
            self.lazy_type(node.value)
        self.visit(node.name)

    # Statements that hold statements

    def if_(self, node: gast.If) -> None:
        self.part(node.test)
        self.path.append(node)
        self.block(node.body)
        self.block(node.orelse)
        self.path.pop()

    def loop(self, node: gast.For | gast.AsyncFor | gast.While) -> None:
        if isinstance(node, gast.While):
            self.part(node.test)
        else:
            if isinstance(node, gast.AsyncFor):
                self.suspends("`async for`", node)
            self.part(node.iter)
            self.part(node.target)
        self.path.append(node)
        self.loops.append(len(self.path) - 1)
        self.block(node.body)
        self.loops.pop()
        self.block(node.orelse)
        self.path.pop()

    def with_(self, node: gast.With | gast.AsyncWith) -> None:
        if isinstance(node, gast.AsyncWith):
            self.suspends("`async with`", node)
        for item in node.items:
            self.part(item.context_expr)
            self.part(item.optional_vars)
        self.path.append(node)
        self.block(node.body)
        self.path.pop()

    def try_(self, node: gast.Try | gast.TryStar) -> None:
        self.path.append(node)
        self.block(node.body)
        for handler in node.handlers:
            self.part(handler)
        self.block(node.orelse)
        self.finals.append(len(self.path) - 1)
        self.block(node.finalbody)
        self.finals.pop()
        self.path.pop()

    def handler(self, node: gast.ExceptHandler) -> None:
        self.part(node.type)
        if node.name is not None:
            self.part(node.name)
            self.delete(node.name.id)
        self.block(node.body)

    def match(self, node: gast.Match) -> None:
        self.part(node.subject)
        self.path.append(node)
        for case in node.cases:
            self.part(case.pattern)
            self.part(case.guard)
            self.block(case.body)
        self.path.pop()

    def jump(self, node: gast.AST) -> None:
        self.children(node)
        if not self.finals:
            return
        if isinstance(node, gast.Return):
            keyword, left = "return", self.path
        else:
            keyword = "break" if isinstance(node, gast.Break) else "continue"
            if not self.loops or self.loops[-1] > self.finals[-1]:
                return
            left = self.path[self.loops[-1] :]
        reason = f"`{keyword}` (line {getattr(node, 'lineno', '?')}) leaves a `finally:` suite"
        for statement in (*left, node):
            self.jumps_from_finally.setdefault(statement, reason)


Binder.handlers = EXPRESSION_HANDLERS | {
    gast.ImportFrom: Binder.imported,
    gast.Import: Binder.imported,
    gast.Nonlocal: Binder.declare_nonlocal,
    gast.Global: Binder.declare_global,
    gast.AnnAssign: Binder.annotated,
    gast.AugAssign: Binder.augmented,
    gast.FunctionDef: Binder.definition,
    gast.AsyncFunctionDef: Binder.definition,
    gast.ClassDef: Binder.class_,
    gast.TypeAlias: Binder.type_alias,
    gast.If: Binder.if_,
    gast.For: Binder.loop,
    gast.AsyncFor: Binder.loop,
    gast.While: Binder.loop,
    gast.With: Binder.with_,
    gast.AsyncWith: Binder.with_,
    gast.Try: Binder.try_,
    gast.TryStar: Binder.try_,
    gast.ExceptHandler: Binder.handler,
    gast.Match: Binder.match,
    gast.Return: Binder.jump,
    gast.Break: Binder.jump,
    gast.Continue: Binder.jump,
}


@BIND.give
def bind(node: gast.AST, outer: Iterable[str], future_annotations: bool) -> Scopes:
    """The work of `scopes`."""
    names = Names()
    binder = Binder(names, future_annotations)
    kind = _ROOTS.get(type(node), Kind.MODULE)
    root = binder.scope = Scope(node, kind, None, names, binder.unit)
    binder.scope_of[node] = root
    if kind is Kind.MODULE:
        binder.block(node.body)
    else:
        binder.function_body(node, root)
    _resolve(root, names.bits(outer) if kind is not Kind.MODULE else 0)
    for scope, name, text in binder.frame_readers:
        _set_frame_reader(scope, names.bit(name), text)
    binder.uncertain_loads.update(
        load for load, bit, scope in binder.past_class_loads if _is_variable_around(scope, bit)
    )
    return Scopes(
        root,
        names,
        binder.activities,
        binder.scope_of,
        binder.owners,
        binder.jumps_from_finally,
        binder.uncertain_loads,
        binder.walrus_bits,
    )


_ROOTS = {gast.FunctionDef: Kind.FUNCTION, gast.AsyncFunctionDef: Kind.FUNCTION, gast.Lambda: Kind.LAMBDA}


@ACTIVITY.give
def activity_of_expression(node: gast.AST, names: Names) -> Activity:
    """The activity of an expression that the walk of the whole tree did not keep apart."""
    binder = Binder(names)
    binder.scope = Scope(node, Kind.FUNCTION, None, names, binder.unit)
    binder.visit(node)
    return binder.unit


def _resolve(scope: Scope, visible: int) -> None:
    """Set the free names, given the variables of all functions around the scope."""
    waiting = [(scope, visible)]
    while waiting:
        scope, visible = waiting.pop()
        used = scope.used_bits | scope.nested_bits | scope.nonlocal_bits
        scope.free_bits = used & visible & ~(scope.local_bits | scope.global_bits)
        if scope.kind is Kind.CLASS:  # a name may be the class's own and, for the functions inside, an outer one
            scope.free_bits |= scope.nested_bits & visible & scope.local_bits
        if scope.kind in (Kind.CLASS, Kind.MODULE):
            inside = visible | (scope.names.bit("__class__") if scope.kind is Kind.CLASS else 0)
        else:
            inside = (visible & ~scope.global_bits) | scope.local_bits
        for child in scope.children:
            seen = inside
            if scope.kind is Kind.CLASS and child.kind in (Kind.TYPES, Kind.LAZY_TYPE):
                seen &= ~scope.local_bits
            waiting.append((child, seen))


def _is_variable_around(scope: Scope | None, bit: int) -> bool:
    """Whether a function around the scope has the variable."""
    while scope is not None:
        if scope.local_bits & bit and scope.kind in (Kind.FUNCTION, Kind.LAMBDA):
            return True
        scope = scope.parent
    return False


def _set_frame_reader(scope: Scope, bit: int, text: str) -> None:
    """Mark the function whose frame is looked at, unless the name is a variable instead of the built-in."""
    owner: Scope | None = scope
    while owner is not None:
        if owner.local_bits & bit and (owner is scope or owner.kind is not Kind.CLASS):
            return
        owner = owner.parent
    owner = scope
    while owner.kind not in (Kind.FUNCTION, Kind.LAMBDA, Kind.CLASS) and owner.parent is not None:
        owner = owner.parent
    owner.frame_reader = owner.frame_reader or text
