"""What every pass stands on: the base class, the walk, and the context of one conversion.

A pass is one class. It declares the node types that it removes (or looks at), so that the pipeline can leave it
out when the function has none of them, and rewrites nodes by methods of two kinds:

``leave_X(self, node)``
    is called after the children of an ``X`` have been rewritten, and returns what stands in its place: a node, a
    list of statements, or ``None`` to drop a statement. Passes that have only such methods can share one walk (a
    stage of the pipeline): each node is offered to them in their order. Nodes that a handler makes are not walked
    again; only the replacement itself is offered to the passes after it in the same stage.
``visit_X(self, node)``
    is called before the children and must walk them itself (``self.generic_visit(node)``). Such a pass is a stage
    of its own.

>>> class Twice(Pass):
...     removes = (gast.IfExp,)
...     def leave_IfExp(self, node):
...         return node.body
>>> show(Twice, "y = a if c else b")
y = a
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar, TypeAlias, TypeVar

import gast

from autograph.analysis.scopes import scopes
from autograph.errors import UnsupportedConstructError
from autograph.source.names import Namer
from autograph.source.unparse import unparse

from .build import located

Result = TypeVar("Result")
Rewritten: TypeAlias = Any
"""A node, a list of statements, or None."""
Handler: TypeAlias = Callable[[Any, Any], Rewritten]

# What is left as the user wrote it: annotations mean nothing to a graph, and tools read them.
UNTOUCHED = frozenset(("annotation", "returns", "type_params", "decorator_list"))
FUNCTIONS = (gast.FunctionDef, gast.AsyncFunctionDef, gast.Lambda)
SCOPES = frozenset((*FUNCTIONS, gast.ClassDef))
# What the fields of nodes hold besides nodes and lists of them.
_VALUES = frozenset((str, int, float, complex, bytes, bool, type(None), type(...)))
# Fields that hold nothing else.
_PLAIN = frozenset((
    "asname", "attr", "conversion", "id", "is_async", "kind", "kwd_attrs", "level", "module", "rest", "simple", "tag",
    "type_comment",
))  # fmt: skip


class _Fields(dict[type, tuple[str, ...]]):
    """The fields of each class of nodes, but for some."""

    def __init__(self, without: frozenset[str]) -> None:
        super().__init__()
        self._without = without

    def __missing__(self, kind: Any) -> tuple[str, ...]:
        found = self[kind] = tuple(name for name in kind._fields if name not in self._without)
        return found


_INSIDE = _Fields(_PLAIN | {"ctx"})
# Handlers ask a node for its operators.
_REWRITTEN = _Fields(_PLAIN | UNTOUCHED | {"ctx", "op", "ops"})
# Nodes without children that any pass could want to see inside.
LEAVES = frozenset((gast.Name, gast.Constant, gast.Pass, gast.Break, gast.Continue, gast.Global, gast.Nonlocal))


@dataclass
class Context:
    """What the passes know about the function that is being converted."""

    tree: gast.AST
    """The function's node: what is rewritten, and what the analyses look at."""
    function_name: str
    filename: str
    namer: Namer
    """Makes names that no part of the function uses."""
    class_name: str | None = None
    """The class around the function, for private names."""
    free_names: tuple[str, ...] = ()
    """Variables of functions around this one that it uses."""
    variables: Collection[str] | None = None
    """What may be a variable of the function, or of those inside of it, as its code knows."""
    enclosing: list[gast.AST] = field(default_factory=list)
    """The functions and classes around the node that is being rewritten, innermost last."""
    native: list[tuple[int, str]] = field(default_factory=list)
    """Line and reason of each statement that stays native Python."""
    generated: set[str] = field(default_factory=set)
    """Names of the local functions that passes have made: calls of them need no conversion."""
    loop_options: dict[gast.AST, gast.AST] = field(default_factory=dict)
    """The options that `set_loop_options` gives to a loop."""
    _shared_names: dict[str, str] = field(default_factory=dict)
    _results: dict[Any, Any] = field(default_factory=dict)

    def analysis(self, analyse: Callable[[Any], Result]) -> Result:
        """Returns what an analysis finds in the tree as it was when the stage began."""
        found = self._results.get(analyse)
        if found is None:
            subject = self.scopes_of_tree() if analyse is scopes else analyse(self.analysis(scopes))
            found = self._results[analyse] = subject
        return found

    def scopes_of_tree(self) -> Any:
        """The scopes of the tree as it is now."""
        return scopes(self.tree, self.free_names)

    def forget_analyses(self) -> None:
        """Drops what the analyses found: the tree has changed."""
        self._results.clear()

    def shared_name(self, name: str) -> str:
        """The name for variables of one purpose: the same each time, and none of the user's."""
        found = self._shared_names.get(name)
        if found is None:
            found = self._shared_names[name] = self.namer.fresh(name)
        return found

    def generated_name(self, name: str) -> str:
        """The name for local functions of one purpose: the same each time, and none of the user's."""
        found = self.shared_name(name)
        self.generated.add(found)
        return found

    def private_class(self) -> str | None:
        """The class whose name mangles private names at the node being rewritten."""
        for scope in reversed(self.enclosing):
            if isinstance(scope, gast.ClassDef):
                return scope.name
        return self.class_name


class Pass:
    """One rewriting of a function; see the module's docstring for how to write one."""

    removes: ClassVar[tuple[type, ...]] = ()
    """Node types of which none is left afterwards."""
    looks_at: ClassVar[tuple[type, ...]] = ()
    """Further node types that the pass must see; it is left out of functions that have none of both."""
    always: ClassVar[bool] = False
    """The pass runs on every function."""

    _visitors: ClassVar[dict[type, Handler]] = {}
    _leavers: ClassVar[dict[type, Handler]] = {}
    _passed_by: ClassVar[frozenset[type]] = frozenset()

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls._visitors = _handlers(cls, "visit_")
        cls._leavers = _handlers(cls, "leave_")
        cls._passed_by = _without_handler(cls._visitors.keys() | cls._leavers.keys())

    def __init__(self, context: Context) -> None:
        self.context = context

    def begin(self) -> None:
        """Called before the walk; the place to ask for analyses."""

    def analysis(self, analyse: Callable[[Any], Result]) -> Result:
        """Returns the typed result of an analysis of the tree as it was before this stage."""
        return self.context.analysis(analyse)

    def fresh(self, name: str) -> str:
        """Returns a name that nothing in the function uses: ``name``, or ``name_1`` …"""
        return self.context.namer.fresh(name)

    def error(
        self, node: gast.AST, message: str, *, construct: str | None = None, remedy: str | None = None
    ) -> UnsupportedConstructError:
        """Returns an error that names the user's file and the line of a node."""
        return UnsupportedConstructError(
            message,
            file=self.context.filename,
            line=getattr(node, "lineno", None),
            function=self.context.function_name,
            construct=construct,
            remedy=remedy,
        )

    def keep_native(self, node: gast.AST, reason: str) -> None:
        """Records that a statement stays native Python, and why; verbosity 1 shows it."""
        self.context.native.append((getattr(node, "lineno", 0), reason))

    def rewrite(self, tree: gast.AST) -> gast.AST:
        """Rewrites a whole tree, when no other pass shares the walk."""
        return self.visit(tree)

    def visit(self, node: gast.AST) -> Rewritten:
        """Rewrites one node, by its ``visit_X`` or ``leave_X`` method if there is one."""
        cls = node.__class__
        visitor = self._visitors.get(cls)
        if visitor is not None:
            return visitor(self, node)
        if cls not in LEAVES:
            _rewrite_children(node, self.visit, self.context.enclosing, self._passed_by)
        leaver = self._leavers.get(cls)
        return node if leaver is None else leaver(self, node)

    def generic_visit(self, node: gast.AST) -> gast.AST:
        """Rewrites the children of a node in place."""
        _rewrite_children(node, self.visit, self.context.enclosing, self._passed_by)
        return node

    def visit_all(self, statements: Iterable[gast.AST]) -> list[gast.AST]:
        """Rewrites a list of statements."""
        result: list[gast.AST] = []
        for statement in statements:
            _extend(result, self.visit(statement))
        return result


def _handlers(cls: type, prefix: str) -> dict[type, Handler]:
    names = (name for name in dir(cls) if name.startswith(prefix) and name != "visit_all")
    return {getattr(gast, name.removeprefix(prefix)): getattr(cls, name) for name in names}


def _without_handler(handled: Collection[type]) -> frozenset[type]:
    """What a walk need not offer: values that are no nodes, and leaves that no handler is for."""
    return frozenset((*_VALUES, *LEAVES.difference(handled)))


def _extend(statements: list[gast.AST], rewritten: Rewritten) -> None:
    if rewritten.__class__ is list:
        statements.extend(rewritten)
    elif rewritten is not None:
        statements.append(rewritten)


def _rewrite_children(
    node: gast.AST, visit: Callable[[Any], Rewritten], enclosing: list[gast.AST], skipped: frozenset[type]
) -> None:
    values = node.__dict__
    is_scope = node.__class__ in SCOPES
    for name in _REWRITTEN[node.__class__]:
        value = values.get(name)
        if value.__class__ in skipped:
            continue
        inside = is_scope and name == "body"
        if inside:
            enclosing.append(node)
        if value.__class__ is list:
            if value:
                values[name] = _rewrite_list(value, visit, skipped) or _empty(name, value)
        else:
            values[name] = visit(value)
        if inside:
            enclosing.pop()


def _empty(name: str, dropped: list[Any]) -> list[Any]:
    """What stands for a list of which nothing is left: a suite must not be empty."""
    if name not in ("body", "finalbody"):
        return []
    return [located(gast.Pass(), dropped[0])]


def _rewrite_list(values: list[Any], visit: Callable[[Any], Rewritten], skipped: frozenset[type]) -> list[Any]:
    result: list[Any] = []
    for value in values:
        if value.__class__ in skipped:
            result.append(value)
            continue
        rewritten = visit(value)
        if rewritten.__class__ is list:
            result += rewritten
        elif rewritten is not None:
            result.append(rewritten)
    return result


def walk_together(passes: list[Any], tree: gast.AST) -> gast.AST:
    """Rewrites a tree by several passes in one walk; only a lone pass may have ``visit_X`` methods."""
    for each in passes:
        each.begin()
    if len(passes) == 1:
        return passes[0].rewrite(tree)
    enclosing = passes[0].context.enclosing
    table: dict[type, list[tuple[int, Any, Handler]]] = {}
    for position, each in enumerate(passes):
        for node_type, handler in each._leavers.items():
            table.setdefault(node_type, []).append((position, each, handler))
    skipped = _without_handler(table)

    def visit(node: gast.AST) -> Rewritten:
        if node.__class__ not in LEAVES:
            _rewrite_children(node, visit, enclosing, skipped)
        handlers = table.get(node.__class__)
        return node if handlers is None else _offer(node, handlers, table)

    return visit(tree)


def _offer(node: gast.AST, handlers: list[tuple[int, Any, Handler]], table: dict[type, Any]) -> Rewritten:
    current: Any = node
    for order, each, handler in handlers:
        result = handler(each, current)
        if result is None or result.__class__ is list:
            return result
        if result.__class__ is not current.__class__:
            return _offer(result, [later for later in table.get(result.__class__, ()) if later[0] > order], table)
        current = result
    return current


def node_types(tree: gast.AST) -> set[type]:
    """Returns the types of all nodes of a tree, in one walk; contexts (`Load()`) are left out."""
    found: set[type] = set()
    pending: list[Any] = [tree]
    while pending:
        node = pending.pop()
        kind = node.__class__
        if kind in _VALUES:
            continue
        found.add(kind)
        if kind in LEAVES:
            continue
        fields = node.__dict__
        for name in _INSIDE[kind]:
            value = fields.get(name)
            if value.__class__ is list:
                pending += value
            elif value is not None:
                pending.append(value)
    return found


def names_in(tree: gast.AST) -> set[str]:
    """Returns every plain name, parameter and definition in a tree: what new names must differ from."""
    found: set[str] = set()
    pending: list[Any] = [tree]
    while pending:
        node = pending.pop()
        kind = node.__class__
        if kind is str:
            found.add(node.partition(".")[0])  # `import a.b` binds `a`
        elif kind is gast.Name:
            found.add(node.id)
            pending.append(node.annotation)
        elif kind not in _VALUES:
            for value in node.__dict__.values():
                if value.__class__ is list:
                    pending += value
                elif value.__class__ is not int:
                    pending.append(value)
    return found


def show(
    passes: object, source: str, class_name: str | None = None, parameters: str = ""
) -> None:
    """Prints what a pass, or a tuple of stages (passes, or tuples of passes for one walk), makes of a function body."""
    print("\n".join(rewritten_lines(passes, source, class_name, parameters)))


def rewritten_lines(
    passes: object, source: str, class_name: str | None = None, parameters: str = ""
) -> list[str]:
    """Returns the lines of a function body after some passes; for doctests and tests."""
    import textwrap

    text = textwrap.dedent(source).strip("\n")
    module = gast.parse(f"def f({parameters}):\n" + textwrap.indent(text, "    "))
    tree = module.body[0]
    context = Context(tree, "f", "<shown>", Namer(partial(names_in, tree)), class_name)
    for stage in passes if isinstance(passes, tuple) else (passes,):
        stage = stage if isinstance(stage, tuple) else (stage,)
        context.tree = walk_together([each(context) for each in stage], context.tree)
        context.forget_analyses()
    printed = unparse(context.tree).strip("\n").split("\n")
    return textwrap.dedent("\n".join(printed[1:])).split("\n")
