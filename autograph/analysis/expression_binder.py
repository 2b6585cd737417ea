"""The walk behind `scopes`, as far as expressions go: names, loads and stores, and the scopes of expressions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import gast

from .scopes import Activity, Kind, Names, Scope

# Tuples: they compare by identity, where a set would ask for the hash of a name.
_TRANSPARENT = (Kind.COMPREHENSION, Kind.TYPES)
FUNCTION_LIKE = (Kind.FUNCTION, Kind.LAMBDA, Kind.COMPREHENSION, Kind.GENERATOR)

# Calls that look at the frame of their caller, with the number of arguments from which on they don't.
_FRAME_READERS = {"locals": 1, "vars": 1, "dir": 1, "eval": 2, "exec": 2}

_NO_CHILDREN = frozenset(
    {"ctx", "op", "ops", "kind", "attr", "type_comment", "conversion", "simple", "is_async", "str"}
)
_child_fields: dict[type, tuple[str, ...]] = {}


class ExpressionBinder:
    """Walks expressions and fills scopes and activities; `binder` adds the statements."""

    handlers: Mapping[type, Callable[[Any, Any], None]]

    def __init__(self, names: Names, future_annotations: bool = False) -> None:
        self.names = names
        self.future_annotations = future_annotations
        self.activities: dict[gast.AST, Activity] = {}
        self.scope_of: dict[gast.AST, Scope] = {}
        self.owners: dict[gast.AST, Scope] = {}
        self.jumps_from_finally: dict[gast.AST, str] = {}
        self.uncertain_loads: set[gast.Name] = set()
        self.walrus_bits: dict[gast.NamedExpr, int] = {}
        self.past_class_loads: list[tuple[gast.Name, int, Scope]] = []
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
        handler = self.handlers.get(type(node))
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
                handler = self.handlers.get(type(node))
                if handler is not None:
                    handler(self, node)
                else:
                    self.children(node)

    def block(self, statements: Iterable[gast.AST]) -> None:
        # As `part`, written out: two Python frames for a level of nesting leave room for long `elif` chains.
        scope, outer = self.scope, self.unit
        in_class = scope.kind is Kind.CLASS
        for statement in statements:
            self.owners[statement] = scope
            self.activities[statement] = self.unit = unit = Activity(self.names)
            self.handlers.get(type(statement), ExpressionBinder.children)(self, statement)
            outer.absorb(unit)
            if in_class:
                outer.loads += unit.loads
                outer.inner_scopes += unit.inner_scopes
        self.unit = outer

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
            outer.inner_scopes += unit.inner_scopes

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
        outer.inner_scopes.append(scope)
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
        scope.nested_bits &= ~implicit
        parent.nested_bits |= (scope.used_bits & ~own) | scope.nonlocal_bits | scope.nested_bits
        loads = [load for load in unit.loads if not load[1] & own]
        while parent.kind is Kind.TYPES and parent.parent is not None:
            parent = parent.parent
        if parent.kind is Kind.CLASS:
            self.past_class(loads, outer)
        else:
            outer.read_bits |= unit.read_bits & ~own
            outer.loads += loads
        outer.inner_scopes += unit.inner_scopes
        outer.captured_bits |= unit.captured_bits & ~implicit | scope.nonlocal_bits
        changed = (unit.written_bits | unit.deleted_bits) & scope.nonlocal_bits
        outer.inner_written_bits |= unit.inner_written_bits | changed
        outer.inner_deleted_bits |= unit.inner_deleted_bits | unit.deleted_bits & scope.nonlocal_bits
        outer.composites += unit.composites

    def past_class(self, loads: list[tuple[gast.Name, int]], unit: Activity) -> None:
        """Loads in a class body's comprehensions and inner classes, which the variables of the class are hidden from.

        They count as captured, which is more than they are, and are looked up when all scopes are known.
        """
        for load, bit in loads:
            unit.captured_bits |= bit
            self.past_class_loads.append((load, bit, self.scope))

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
        scope.parameters = tuple(self.mangled(node.id) for node in nodes if node is not None)
        scope.bound_bits |= self.names.bits(scope.parameters)

    # Names

    def mangled(self, name: str) -> str:
        if self.class_name is not None and name.startswith("__") and not name.endswith("__") and "." not in name:
            return f"_{self.class_name}{name}"
        return name

    def bit(self, name: str) -> int:
        return self.names.bit(name if self.class_name is None else self.mangled(name))

    def read(self, node: gast.Name) -> None:
        """A load: of a comprehension's own variable, or of a variable of the scope that the code runs in."""
        name = node.id
        bit = self.bit(name)
        scope = self.scope
        scope.used_bits |= bit
        if name == "super" and scope.kind in FUNCTION_LIKE:
            scope.used_bits |= self.names.bit("__class__")
        while scope.kind in _TRANSPARENT or scope.kind is Kind.GENERATOR:
            if scope.bound_bits & bit:
                if not scope.ready_bits & bit:
                    self.uncertain_loads.add(node)
                return
            if scope.kind is Kind.GENERATOR:
                break
            scope = scope.parent  # type: ignore[assignment]
        if scope.kind is Kind.CLASS and self.scope.kind is Kind.COMPREHENSION:
            self.past_class([(node, bit)], self.unit)
            return
        self.unit.read_bits |= bit
        self.unit.loads.append((node, bit))

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
            self.unit.loads.append((node, self.bit(node.id)))

    def target(self, node: gast.Attribute | gast.Subscript) -> None:
        if node.ctx.__class__ is not gast.Load:
            self.unit.composites.append(node)
        self.visit(node.value)
        if isinstance(node, gast.Subscript):
            self.visit(node.slice)

    def walrus(self, node: gast.NamedExpr) -> None:
        self.visit(node.value)
        bit = self.bit(node.target.id)
        scope = self.scope
        self.unit.walrus = True
        self.walrus_bits[node] = bit
        self.unit.written_bits |= bit
        while scope.kind in (Kind.COMPREHENSION, Kind.GENERATOR):
            scope.used_bits |= bit
            assert scope.parent is not None
            scope = scope.parent
        scope.bound_bits |= bit

    def all_bits(self, names: Iterable[str]) -> int:
        result = 0
        for name in names:
            result |= self.bit(name)
        return result

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


_SUSPENDING = {gast.Await: "await", gast.Yield: "yield", gast.YieldFrom: "yield from"}

EXPRESSION_HANDLERS: dict[type, Callable[[Any, Any], None]] = {
    gast.Name: ExpressionBinder.visit_name,
    gast.Constant: lambda binder, node: None,
    gast.Attribute: ExpressionBinder.target,
    gast.Subscript: ExpressionBinder.target,
    gast.NamedExpr: ExpressionBinder.walrus,
    gast.MatchAs: ExpressionBinder.capture,
    gast.MatchStar: ExpressionBinder.capture,
    gast.MatchMapping: ExpressionBinder.capture,
    gast.Lambda: ExpressionBinder.lambda_,
    gast.ListComp: ExpressionBinder.comprehension,
    gast.SetComp: ExpressionBinder.comprehension,
    gast.DictComp: ExpressionBinder.comprehension,
    gast.GeneratorExp: ExpressionBinder.comprehension,
    gast.Call: ExpressionBinder.call,
    gast.Await: ExpressionBinder.await_,
    gast.Yield: ExpressionBinder.await_,
    gast.YieldFrom: ExpressionBinder.await_,
}
