"""The walk behind `scopes`: one visit of every node, in the order of evaluation where that matters."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import gast

from .scopes import Activity, Kind, Names, Scope, Scopes

_TRANSPARENT = frozenset({Kind.COMPREHENSION, Kind.TYPES})
_FUNCTION_LIKE = frozenset({Kind.FUNCTION, Kind.LAMBDA, Kind.COMPREHENSION, Kind.GENERATOR})
_ANNOTATIONS_ARE_LAZY = sys.version_info >= (3, 14)

# Calls that look at the frame of their caller, with the number of arguments from which on they don't.
_FRAME_READERS = {"locals": 1, "vars": 1, "dir": 1, "eval": 2, "exec": 2}

_NO_CHILDREN = frozenset("ctx op ops kind attr type_comment conversion simple is_async str".split())
_child_fields: dict[type, tuple[str, ...]] = {}


class Binder:
    """Walks a tree once and fills the scopes and activities."""

    def __init__(self, names: Names, future_annotations: bool = False) -> None:
        self.names = names
        self.future_annotations = future_annotations
        self.activities: dict[gast.AST, Activity] = {}
        self.scope_of: dict[gast.AST, Scope] = {}
        self.owners: dict[gast.AST, Scope] = {}
        self.jumps_from_finally: dict[gast.AST, str] = {}
        self.early_loads: set[gast.Name] = set()
        self.unit = Activity(names)
        self.scope: Scope
        self.class_name: str | None = None
        self.frame_readers: list[tuple[Scope, str, str]] = []
        # Enclosing statements in the function, and which of them (by index) are loops and `finally:` suites.
        self.path: list[gast.AST] = []
        self.loops: list[int] = []
        self.finals: list[int] = []

    # Walking

    def visit(self, node: gast.AST) -> None:
        handler = _HANDLERS.get(type(node))
        if handler is not None:
            handler(self, node)
        else:
            self.children(node)

    def children(self, node: gast.AST) -> None:
        fields = _child_fields.get(type(node))
        if fields is None:
            fields = tuple(name for name in node._fields if name not in _NO_CHILDREN)
            _child_fields[type(node)] = fields
        for name in fields:
            value = getattr(node, name, None)
            if value.__class__ is list:
                self.all(value)
            elif isinstance(value, gast.AST):
                self.visit(value)

    def all(self, nodes: Iterable[gast.AST | None]) -> None:
        for node in nodes:
            if isinstance(node, gast.AST):
                handler = _HANDLERS.get(type(node))
                if handler is not None:
                    handler(self, node)
                else:
                    self.children(node)

    def block(self, statements: Iterable[gast.AST]) -> None:
        for statement in statements:
            self.owners[statement] = self.scope
            self.part(statement)

    def part(self, node: gast.AST | None) -> None:
        """Visit a statement, or a part of one that the control-flow graph has as a point, with its own activity."""
        if node is None:
            return
        outer = self.unit
        self.activities[node] = self.unit = unit = Activity(self.names)
        self.visit(node)
        self.unit = outer
        outer.absorb(unit)
        if self.scope.kind is Kind.CLASS:
            outer.loads += unit.loads

    # Scopes

    @contextmanager
    def inside(self, node: gast.AST, kind: Kind, unit: Activity | None = None) -> Iterator[Scope]:
        """Walk the inside of a new scope, then tell the scopes around it what is not its own."""
        parent, outer = self.scope, self.unit
        scope = Scope(node, kind, parent, self.names, outer if unit is None else unit)
        parent.children.append(scope)
        self.scope_of[node] = scope
        self.scope, self.unit = scope, scope.unit
        yield scope
        self.scope, self.unit = parent, outer
        if kind is Kind.CLASS:
            self.close_class(scope, outer)
        else:
            self.close(scope, outer)

    def close(self, scope: Scope, outer: Activity) -> None:
        not_own = ~(scope.local_bits | scope.global_bits)
        used = (scope.used_bits | scope.nonlocal_bits | scope.nested_bits) & not_own
        parent = scope.parent
        assert parent is not None
        if parent.kind is Kind.CLASS and scope.kind in (Kind.TYPES, Kind.LAZY_TYPE):
            used &= ~parent.local_bits
        parent.nested_bits |= used
        unit = scope.unit
        if unit is outer:
            return
        outer.captured_bits |= (unit.read_bits | unit.captured_bits | scope.nonlocal_bits) & not_own
        outer.inner_written_bits |= unit.inner_written_bits & not_own
        outer.inner_deleted_bits |= unit.inner_deleted_bits & not_own
        if scope.kind is Kind.GENERATOR:  # the targets of its `:=` are variables of the function around it
            outer.written_bits |= unit.written_bits
            outer.inner_written_bits |= unit.written_bits
            outer.captured_bits |= unit.written_bits
        else:
            outer.inner_written_bits |= (unit.written_bits | unit.deleted_bits) & scope.nonlocal_bits
            outer.inner_deleted_bits |= unit.deleted_bits & scope.nonlocal_bits

    def close_class(self, scope: Scope, outer: Activity) -> None:
        parent, unit = scope.parent, scope.unit
        assert parent is not None
        own = scope.local_bits | scope.global_bits
        implicit = self.names.bit("__class__") | self.names.bit("__classdict__")
        parent.nested_bits |= (scope.used_bits & ~own) | scope.nonlocal_bits | (scope.nested_bits & ~implicit)
        outer.read_bits |= unit.read_bits & ~own
        outer.loads += [load for load in unit.loads if not self.bit(load.id) & own]
        outer.captured_bits |= unit.captured_bits & ~implicit | scope.nonlocal_bits
        changed = (unit.written_bits | unit.deleted_bits) & scope.nonlocal_bits
        outer.inner_written_bits |= unit.inner_written_bits | changed
        outer.inner_deleted_bits |= unit.inner_deleted_bits | unit.deleted_bits & scope.nonlocal_bits
        outer.composites += unit.composites

    def function(self, node: gast.AST, kind: Kind) -> None:
        """The inside of a function or lambda."""
        with self.inside(node, kind, Activity(self.names)) as scope:
            self.function_body(node, scope)

    def function_body(self, node: gast.AST, scope: Scope) -> None:
        self.parameters(node.args, scope)
        outside = self.path, self.loops, self.finals
        self.path, self.loops, self.finals = [], [], []
        if isinstance(node, gast.Lambda):
            self.owners[node.body] = scope
            self.part(node.body)
        else:
            self.block(node.body)
        self.path, self.loops, self.finals = outside

    def parameters(self, arguments: gast.arguments, scope: Scope) -> None:
        nodes = [*arguments.posonlyargs, *arguments.args, arguments.vararg, *arguments.kwonlyargs, arguments.kwarg]
        scope.parameters = tuple(node.id for node in nodes if node is not None)
        for name in scope.parameters:
            scope.bound_bits |= self.bit(name)

    # Names

    def bit(self, name: str) -> int:
        if self.class_name is not None and name.startswith("__") and not name.endswith("__") and "." not in name:
            name = f"_{self.class_name}{name}"
        return self.names.bit(name)

    def read(self, node: gast.Name) -> None:
        """A load: of a comprehension's own variable, or of a variable of the scope that the code runs in."""
        name = node.id
        bit = self.bit(name)
        scope = self.scope
        scope.used_bits |= bit
        if name == "super" and scope.kind in _FUNCTION_LIKE:
            scope.used_bits |= self.names.bit("__class__")
        while scope.kind in _TRANSPARENT or scope.kind is Kind.GENERATOR:
            if scope.bound_bits & bit:
                if not scope.ready_bits & bit:
                    self.early_loads.add(node)
                return
            if scope.kind is Kind.GENERATOR:
                break
            scope = scope.parent  # type: ignore[assignment]
        self.unit.read_bits |= bit
        self.unit.loads.append(node)

    def write(self, name: str) -> None:
        bit = self.bit(name)
        self.scope.bound_bits |= bit
        if self.scope.kind in _TRANSPARENT or self.scope.kind is Kind.GENERATOR:
            self.scope.ready_bits |= bit
        else:
            self.unit.written_bits |= bit

    def delete(self, name: str) -> None:
        bit = self.bit(name)
        self.scope.bound_bits |= bit
        self.unit.deleted_bits |= bit

    def visit_name(self, node: gast.Name) -> None:
        context = node.ctx.__class__
        if context is gast.Load:
            self.read(node)
            if node.id in _FRAME_READERS:
                self.reads_frame(node, f"uses `{node.id}`")
        elif context is gast.Store:
            self.write(node.id)
        elif context is gast.Del:
            self.delete(node.id)

    def target(self, node: gast.Attribute | gast.Subscript) -> None:
        if node.ctx.__class__ is not gast.Load:
            self.unit.composites.append(node)
        self.visit(node.value)
        if isinstance(node, gast.Subscript):
            self.visit(node.slice)

    def augmented(self, node: gast.AugAssign) -> None:
        if isinstance(node.target, gast.Name):
            self.read(node.target)
        self.visit(node.target)
        self.visit(node.value)

    def annotated(self, node: gast.AnnAssign) -> None:
        in_function = self.scope.kind in _FUNCTION_LIKE
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

    def walrus(self, node: gast.NamedExpr) -> None:
        self.visit(node.value)
        bit = self.bit(node.target.id)
        scope = self.scope
        self.unit.walrus = True
        self.unit.written_bits |= bit
        while scope.kind in (Kind.COMPREHENSION, Kind.GENERATOR):
            scope.used_bits |= bit
            assert scope.parent is not None
            scope = scope.parent
        scope.bound_bits |= bit

    def declare_global(self, node: gast.Global) -> None:
        self.scope.global_bits |= self.all_bits(node.names)

    def declare_nonlocal(self, node: gast.Nonlocal) -> None:
        self.scope.nonlocal_bits |= self.all_bits(node.names)

    def all_bits(self, names: Iterable[str]) -> int:
        result = 0
        for name in names:
            result |= self.bit(name)
        return result

    def imported(self, node: gast.Import | gast.ImportFrom) -> None:
        for alias in node.names:
            if alias.name != "*":
                self.write(alias.asname or alias.name.split(".")[0])

    def capture(self, node: gast.AST) -> None:
        """A pattern that binds a name: `as`, a star, the rest of a mapping."""
        self.children(node)
        name = node.rest if isinstance(node, gast.MatchMapping) else node.name
        if name is not None:
            self.write(name)

    # Scopes in expressions

    def lambda_(self, node: gast.Lambda) -> None:
        self.all(node.args.defaults)
        self.all(node.args.kw_defaults)
        self.function(node, Kind.LAMBDA)

    def comprehension(self, node: gast.AST) -> None:
        self.visit(node.generators[0].iter)
        if isinstance(node, gast.GeneratorExp):
            kind, unit = Kind.GENERATOR, Activity(self.names)
            self.activities[node] = unit
        else:
            kind, unit = Kind.COMPREHENSION, None
        with self.inside(node, kind, unit) as scope:
            for generator in node.generators:
                for target in gast.walk(generator.target):
                    if isinstance(target, gast.Name) and isinstance(target.ctx, gast.Store):
                        scope.bound_bits |= self.bit(target.id)
            for index, generator in enumerate(node.generators):
                if index:
                    self.visit(generator.iter)
                if generator.is_async:
                    self.suspends("an asynchronous comprehension", node)
                self.visit(generator.target)
                self.all(generator.ifs)
            if isinstance(node, gast.DictComp):
                self.visit(node.key)
                self.visit(node.value)
            else:
                self.visit(node.elt)

    def call(self, node: gast.Call) -> None:
        function = node.func
        if not (isinstance(function, gast.Name) and function.id in _FRAME_READERS):
            self.children(node)
            return
        self.read(function)
        named = {keyword.arg for keyword in node.keywords}
        unpacks = None in named or any(isinstance(argument, gast.Starred) for argument in node.args)
        if unpacks or (len(node.args) < _FRAME_READERS[function.id] and "globals" not in named):
            self.reads_frame(function, f"calls `{function.id}()`")
        self.all(node.args)
        self.all(node.keywords)

    def reads_frame(self, node: gast.Name, how: str) -> None:
        text = f"the function {how} (line {getattr(node, 'lineno', '?')}), which looks at the frame of its caller"
        self.frame_readers.append((self.scope, node.id, text))

    def suspends(self, what: str, node: gast.AST) -> None:
        if self.unit.suspension is None:
            self.unit.suspension = f"it contains {what} (line {getattr(node, 'lineno', '?')})"

    def await_(self, node: gast.AST) -> None:
        self.suspends(f"`{_SUSPENDING[type(node)]}`", node)
        self.children(node)

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
            with self.type_parameters(node):
                self.class_body(node)
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
        with self.inside(node, Kind.LAZY_TYPE, Activity(self.names)) as scope:
            self.visit(node)
            self.activities[node] = scope.unit

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
            self.part(item)
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
            self.write(node.name.id)
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


_SUSPENDING = {gast.Await: "await", gast.Yield: "yield", gast.YieldFrom: "yield from"}

_HANDLERS: dict[type, Callable[[Binder, Any], None]] = {
    gast.Name: Binder.visit_name,
    gast.Constant: lambda binder, node: None,
    gast.Attribute: Binder.target,
    gast.Subscript: Binder.target,
    gast.AugAssign: Binder.augmented,
    gast.AnnAssign: Binder.annotated,
    gast.NamedExpr: Binder.walrus,
    gast.Global: Binder.declare_global,
    gast.Nonlocal: Binder.declare_nonlocal,
    gast.Import: Binder.imported,
    gast.ImportFrom: Binder.imported,
    gast.MatchAs: Binder.capture,
    gast.MatchStar: Binder.capture,
    gast.MatchMapping: Binder.capture,
    gast.Lambda: Binder.lambda_,
    gast.ListComp: Binder.comprehension,
    gast.SetComp: Binder.comprehension,
    gast.DictComp: Binder.comprehension,
    gast.GeneratorExp: Binder.comprehension,
    gast.Call: Binder.call,
    gast.Await: Binder.await_,
    gast.Yield: Binder.await_,
    gast.YieldFrom: Binder.await_,
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
    return Scopes(
        root, names, binder.activities, binder.scope_of, binder.owners, binder.jumps_from_finally, binder.early_loads
    )


_ROOTS = {gast.FunctionDef: Kind.FUNCTION, gast.AsyncFunctionDef: Kind.FUNCTION, gast.Lambda: Kind.LAMBDA}


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
