"""Which names every part of a function reads, writes and deletes, and to which scope each name belongs.

>>> import gast
>>> function = gast.parse('''
... def f(n):
...     total = 0
...     while n > 0:
...         total += n
...         n -= 1
...     return lambda: total
... ''').body[0]
>>> found = scopes(function)
>>> loop = function.body[1]
>>> sorted(found[loop].read), sorted(found[loop].written), sorted(found[loop.test].read)
(['n', 'total'], ['n', 'total'], ['n'])
>>> sorted(found.root.captured)
['total']

One walk of the tree collects everything. Names are bits of Python integers inside (`Names`), so a union of
sets costs one `|`. Names are those of the text: only inside a class that is part of the tree are private names
(`__x`) mangled, because there they mean another variable than outside of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

import gast

from autograph.runtime.base.provided import Provided

if TYPE_CHECKING:
    from .cfg import Flow


BIND: Provided[Callable[[gast.AST, Iterable[str], bool], Scopes]] = Provided("analysis.binder")
"""The walk of the tree that finds the scopes."""
ACTIVITY: Provided[Callable[[gast.AST, Names], Activity]] = Provided("analysis.binder")
"""What an expression does that the walk of the whole tree did not keep apart."""


class Names:
    """Numbers the names of one tree, so that a set of names is a Python integer."""

    __slots__ = ("_bits", "_names")

    def __init__(self) -> None:
        self._bits: dict[str, int] = {}
        self._names: list[str] = []

    def bit(self, name: str) -> int:
        """The integer with the one bit of this name; a new name gets the next free bit."""
        found = self._bits.get(name)
        if found is None:
            found = self._bits[name] = 1 << len(self._names)
            self._names.append(name)
        return found

    def bits(self, names: Iterable[str]) -> int:
        """The integer with the bits of all the names."""
        result = 0
        for name in names:
            result |= self.bit(name)
        return result

    def decode(self, bits: int) -> frozenset[str]:
        """The set of names that an integer stands for."""
        found = []
        while bits:
            lowest = bits & -bits
            found.append(self._names[lowest.bit_length() - 1])
            bits ^= lowest
        return frozenset(found)


@dataclass(slots=True, eq=False)
class Activity:
    """What a piece of code does with the variables of the scope that it stands in, and of scopes further out.

    Reads count however deep they are in the statement, except in nested functions, lambdas and generator
    expressions: those run at another time, and what they use is `captured`. List, set and dict comprehensions
    and class bodies run on the spot, so they count; their own variables don't.
    """

    names: Names = field(repr=False)
    read_bits: int = 0
    written_bits: int = 0
    deleted_bits: int = 0
    captured_bits: int = 0
    inner_written_bits: int = 0
    inner_deleted_bits: int = 0
    composites: list[gast.AST] = field(default_factory=list)
    """The attribute and subscript nodes that are stored to or deleted."""
    loads: list[tuple[gast.Name, int]] = field(default_factory=list)
    """The name nodes behind `read`, with their bits, for the pieces that are points of the control-flow graph."""
    inner_scopes: list[Scope] = field(default_factory=list, repr=False)
    """The nested functions, lambdas and generator expressions that such a piece makes."""
    suspension: str | None = None
    """What in this code suspends the function (`yield`, `await`, …), for messages."""
    walrus: bool = False
    """Whether `:=` occurs: then the order inside of the expression matters."""

    @property
    def read(self) -> frozenset[str]:
        """Names read here, when this code runs (globals and built-ins too)."""
        return self.names.decode(self.read_bits)

    @property
    def written(self) -> frozenset[str]:
        """Names that this code may bind: assignments, loop targets, imports, definitions, `as`, captures, `:=`."""
        return self.names.decode(self.written_bits)

    @property
    def deleted(self) -> frozenset[str]:
        """Names that this code may unbind: `del`, and the end of `except … as name`."""
        return self.names.decode(self.deleted_bits)

    @property
    def captured(self) -> frozenset[str]:
        """Names that nested functions, lambdas and generator expressions refer to and don't own."""
        return self.names.decode(self.captured_bits)

    @property
    def inner_written(self) -> frozenset[str]:
        """Names that nested functions bind or delete in this scope or further out (`nonlocal`, lazy `:=`)."""
        return self.names.decode(self.inner_written_bits)

    @property
    def composite_written(self) -> frozenset[str]:
        """Attributes and items that are stored to or deleted, as text: `self.x`, `d['k']`.

        A target that has no such name (`f().x`, `a[i]`) is left out; `composites` has the nodes of all.
        """
        return frozenset(name for name in map(composite_name, self.composites) if name is not None)

    def absorb(self, part: Activity) -> None:
        """Add what a part of this code does."""
        self.read_bits |= part.read_bits
        self.written_bits |= part.written_bits
        self.deleted_bits |= part.deleted_bits
        self.captured_bits |= part.captured_bits
        self.inner_written_bits |= part.inner_written_bits
        self.inner_deleted_bits |= part.inner_deleted_bits
        if part.composites:
            self.composites += part.composites
        if self.suspension is None:
            self.suspension = part.suspension


class Kind(Enum):
    """What makes a scope."""

    FUNCTION = "function"
    LAMBDA = "lambda"
    COMPREHENSION = "comprehension"
    """A list, set or dict comprehension: runs on the spot."""
    GENERATOR = "generator expression"
    CLASS = "class"
    TYPES = "type parameters"
    """The scope around a definition with type parameters, which its annotations and bases see."""
    LAZY_TYPE = "type expression"
    """The value of a type alias, the bound of a type parameter: evaluated when asked for."""
    MODULE = "module"


@dataclass(slots=True, eq=False)
class Scope:
    """One scope and what its names are. Sets hold the names as `Activity` does."""

    node: gast.AST
    kind: Kind
    parent: Scope | None
    names: Names = field(repr=False)
    unit: Activity = field(repr=False)
    """What the body does; a comprehension and type parameters share that of the scope around them."""
    parameters: tuple[str, ...] = ()
    children: list[Scope] = field(default_factory=list, repr=False)
    bound_bits: int = 0
    used_bits: int = 0
    nested_bits: int = 0
    global_bits: int = 0
    nonlocal_bits: int = 0
    free_bits: int = 0
    ready_bits: int = 0
    """Comprehensions, while they are walked: the targets bound so far."""
    frame_reader: str | None = None
    """The call that looks at the function's frame (`locals()` …), for messages."""

    @property
    def local_bits(self) -> int:
        return self.bound_bits & ~(self.global_bits | self.nonlocal_bits)

    @property
    def always_live_bits(self) -> int:
        """Bits of the names whose value may be looked at from elsewhere at any time."""
        return (self.unit.captured_bits | self.unit.inner_written_bits | self.global_bits | self.nonlocal_bits) & (
            self.local_bits | self.global_bits | self.nonlocal_bits
        )

    @property
    def locals(self) -> frozenset[str]:
        """Variables of this scope, parameters and captured ones included."""
        return self.names.decode(self.local_bits)

    @property
    def globals(self) -> frozenset[str]:
        """Names declared `global` here."""
        return self.names.decode(self.global_bits)

    @property
    def nonlocals(self) -> frozenset[str]:
        """Names declared `nonlocal` here."""
        return self.names.decode(self.nonlocal_bits)

    @property
    def free(self) -> frozenset[str]:
        """Variables of enclosing functions that this scope, or one inside of it, uses."""
        return self.names.decode(self.free_bits)

    @property
    def cells(self) -> frozenset[str]:
        """Variables of this scope that scopes inside of it use, comprehensions and class bodies included."""
        if self.kind is Kind.CLASS or self.kind is Kind.MODULE:
            return frozenset()
        return self.names.decode(self.local_bits & self.nested_bits)

    @property
    def captured(self) -> frozenset[str]:
        """Variables of this scope that nested functions, lambdas and generator expressions use at a later time."""
        return self.names.decode(self.local_bits & (self.unit.captured_bits | self.unit.inner_written_bits))

    @property
    def inner_written(self) -> frozenset[str]:
        """Names that nested functions bind or delete here or further out."""
        return self.unit.inner_written

    @property
    def outer(self) -> frozenset[str]:
        """Names used here that are global or built-in, and not declared so."""
        own = self.local_bits | self.global_bits | self.nonlocal_bits | self.free_bits
        return self.names.decode(self.used_bits & ~own)


@dataclass(slots=True, eq=False)
class Scopes:
    """The scopes of a tree; ``scopes[node]`` is the `Activity` of a statement, an expression or a list of them."""

    root: Scope
    names: Names = field(repr=False)
    activities: dict[gast.AST, Activity] = field(repr=False)
    scope_of: dict[gast.AST, Scope] = field(repr=False)
    """The scope that a function, lambda, comprehension or class node opens."""
    owners: dict[gast.AST, Scope] = field(repr=False)
    """The scope that a statement stands in."""
    jumps_from_finally: dict[gast.AST, str] = field(repr=False)
    uncertain_loads: set[gast.Name] = field(repr=False)
    """Loads that are uncertain wherever they stand: of a comprehension's variable in front of its `for`, and of a
    function's variable in the comprehensions and inner classes of a class body."""
    walrus_bits: dict[gast.NamedExpr, int] = field(repr=False)
    flows: dict[Scope, Flow] = field(default_factory=dict, repr=False)
    """The control-flow graphs that `cfg.control_flow` has made."""

    def __getitem__(self, node: gast.AST | Sequence[gast.AST]) -> Activity:
        if isinstance(node, (list, tuple)):
            return self._union(node)
        found = self.activities.get(node)
        if found is None:
            found = self.activities[node] = ACTIVITY.function(node, self.names)
        return found

    def _union(self, nodes: Sequence[gast.AST]) -> Activity:
        result = Activity(self.names)
        for node in nodes:
            result.absorb(self[node])
        return result

    def functions(self) -> Iterable[Scope]:
        """The scopes with an own frame that runs at an own time, outermost first: functions, lambdas, generators."""
        waiting = [self.root]
        while waiting:
            scope = waiting.pop()
            if scope.kind in _FRAMES:
                yield scope
            waiting.extend(reversed(scope.children))

    def frame_bound(self, statement: gast.AST) -> str | None:
        """Why this statement can't move into a function of its own, or None when it can.

        Code that suspends the function, that looks at the function's frame, the control flow of a class body,
        and what a jump out of a `finally:` suite leaves all mean something else in another function.
        """
        owner = self.owners.get(statement)
        if owner is not None:
            if owner.kind is Kind.CLASS:
                return "it is control flow of a class body"
            if owner.frame_reader is not None:
                return owner.frame_reader
        reason = self.jumps_from_finally.get(statement)
        if reason is not None:
            return reason
        activity = self.activities.get(statement)
        return (self[statement] if activity is None else activity).suspension


_FRAMES = frozenset({Kind.FUNCTION, Kind.LAMBDA, Kind.GENERATOR, Kind.LAZY_TYPE})


def scopes(node: gast.AST, outer: Iterable[str] = (), *, future_annotations: bool = False) -> Scopes:
    """The scopes and activities of a function (or lambda, or module) and everything in it.

    `outer` are variables of functions around `node` that are not part of the tree (its `co_freevars`): they
    tell free names from global ones. `future_annotations`: the file has `from __future__ import annotations`.
    Decorators, defaults and annotations of `node` itself run outside of it and are not looked at.
    """
    return BIND.function(node, outer, future_annotations)


def composite_name(node: gast.AST) -> str | None:
    """The text of a chain of attributes and constant subscripts on a name; None for anything else.

    >>> composite_name(gast.parse("self.x['k'].y").body[0].value)
    "self.x['k'].y"
    """
    if isinstance(node, gast.Name):
        return node.id
    if isinstance(node, gast.Attribute):
        base = composite_name(node.value)
        return None if base is None else f"{base}.{node.attr}"
    if isinstance(node, gast.Subscript) and isinstance(node.slice, gast.Constant):
        base = composite_name(node.value)
        return None if base is None else f"{base}[{node.slice.value!r}]"
    return None
