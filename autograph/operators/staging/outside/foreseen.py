"""Places outside a function that its code, or that of functions which it calls, stores into.

A function is traced with a tensor for what such a place holds, so that once is enough. What the code tells is a guess:
what it misses shows at the end of the trace, which is then made again; what it takes for a place that is written, and
is not, is read in each run. In the trace of another function, where places may hold tensors of that one's graph, each
such place is read, so that a later call gets what it holds then.
"""

from __future__ import annotations

import dis
import enum
import functools
import itertools
from collections.abc import Callable, Iterable, Iterator
from types import CellType, CodeType, FunctionType, MethodType, SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from autograph.runtime.functions.function import Function
from autograph.runtime.ir.primitive import CONSTANT
from autograph.runtime.state.variable import Variable
from autograph.runtime.tensors.tensor import EagerTensor, SymbolicTensor
from autograph.runtime.tensors.trace import is_user_file

from ..heap.locations import Attribute, Cell, Contents, Global, Item, Location, attributes_of, is_plain_object
from ..values.specs import SCALARS

_CONSTANTS = frozenset((*SCALARS, EagerTensor, np.ndarray))
_VALUES = (*SCALARS, bytes, np.generic, enum.Enum)
_BY_IDENTITY = (list, dict, set, frozenset, range, slice, MethodType, functools.partial, SimpleNamespace, Variable)
_MOST = 500
"""Functions and objects that are looked at: more cost more than another trace."""


_STORE_ATTR, _STORE_GLOBAL = dis.opmap["STORE_ATTR"], dis.opmap["STORE_GLOBAL"]
_STORE_DEREF, _STORE_SUBSCR = dis.opmap["STORE_DEREF"], dis.opmap["STORE_SUBSCR"]
_LOAD_GLOBAL = dis.opmap["LOAD_GLOBAL"]
_STORES = frozenset((_STORE_ATTR, _STORE_GLOBAL, _STORE_DEREF, _STORE_SUBSCR, _LOAD_GLOBAL))


class _Uses(NamedTuple):
    """What some code names, and what it stores into."""

    names: frozenset[str]
    attributes: frozenset[str]
    variables: frozenset[str]
    globals: frozenset[str]
    stores_items: bool


def _stores(code: bytes) -> Iterator[tuple[int, int]]:
    """The instructions that store outside of local variables, or load globals, with their arguments."""
    high = 0
    for op, low in zip(code[::2], code[1::2], strict=True):
        if op in _STORES:
            yield op, high | low
        high = (high | low) << 8 if op == dis.EXTENDED_ARG else 0


@functools.lru_cache(maxsize=1024)
def _uses(code: CodeType) -> _Uses:
    names, attributes, variables, stores_items = set(code.co_names), set(), set(), False
    loaded: set[str] = set()
    names.update(code.co_freevars)
    for op, argument in _stores(code.co_code):
        if op == _STORE_ATTR:
            attributes.add(code.co_names[argument])
        elif op == _STORE_GLOBAL:
            variables.add(code.co_names[argument])
        elif op == _STORE_DEREF:
            variables.add(code._varname_from_oparg(argument))  # type: ignore[attr-defined]
        elif op == _LOAD_GLOBAL:
            loaded.add(code.co_names[argument >> 1])
        else:
            stores_items = True
    for constant in code.co_consts:
        if type(constant) is str:  # operators get names of attributes, and keys, as constants
            names.add(constant)
        elif type(constant) is CodeType:
            inner = _uses(constant)
            names |= inner.names
            attributes |= inner.attributes
            variables |= inner.variables
            loaded |= inner.globals
            stores_items |= inner.stores_items
    return _Uses(frozenset(names), frozenset(attributes), frozenset(variables), frozenset(loaded), stores_items)


def may_act(test: Callable[..., Any]) -> bool:
    """Whether the code of a test may change something: it calls a function, or sets a variable."""
    uses = _uses(test.__code__)
    return "call" in uses.names or bool(uses.variables)


class Foreseen(NamedTuple):
    """What code tells of a function that is called with some values.

    ``places`` hold tensors and may be written; ``constants`` are variables that hold numbers, strings, None, tensors or
    arrays, which the code only reads; ``unseen`` are attributes and items that do so. ``objects`` are those, and the
    dicts, that the code may come to by names.
    """

    places: list[Location]
    constants: list[Location]
    unseen: list[Location]
    objects: list[Any]


def foreseen(form: Callable[..., Any], values: Iterable[Any]) -> Foreseen:
    """What the code of a function, and of those that it calls, reads and writes outside."""
    search = _Search()
    search.value(form)
    code = getattr(form, "__code__", None)
    parameters = code.co_varnames[isinstance(form, MethodType) : code.co_argcount] if code is not None else ()
    for value, name in itertools.zip_longest(values, parameters):
        if type(value) not in (dict, list):
            search.value(value, name or "")
    search.run()
    return Foreseen(list(search.places()), list(search.constants()), list(search.unseen()), search.objects)


class _Search:
    """Finds what functions that call each other name, starting from one of them."""

    def __init__(self) -> None:
        self._known: dict[int, Any] = {}
        self._paths: dict[int, str] = {}
        """By identity the names by which the code may come to an object."""
        self._functions: list[FunctionType] = []
        self._objects: list[Any] = []
        self._dicts: list[dict[Any, Any]] = []
        self._lists: list[list[Any]] = []
        self._names: set[str] = set()
        self._grown = False

    def value(self, value: Any, path: str = "") -> None:
        """Takes in a value that code can reach by a name."""
        if isinstance(value, MethodType):
            self.value(value.__self__, "self")
            value = value.__func__
        if isinstance(value, Function):
            value = value.python_function
        kind = type(value)
        if id(value) in self._known or len(self._known) >= _MOST or value is None:
            return
        self._paths[id(value)] = path
        if kind is FunctionType:
            if is_user_file(value.__code__.co_filename):
                self._known[id(value)] = value
                self._functions.append(value)
                self._grown = True
        elif kind is MethodType:
            self.value(value)
        elif kind is dict:
            self._known[id(value)] = value
            self._dicts.append(value)
            self._grown = True
        elif kind is list:
            self._known[id(value)] = value
            self._lists.append(value)
        elif is_plain_object(value):
            self._known[id(value)] = value
            self._objects.append(value)
            self._grown = True

    def run(self) -> None:
        """Follows names until nothing new is found."""
        while self._grown:
            self._grown = False
            for function in list(self._functions):
                self._follow(function)
            for obj in list(self._objects):
                for name in sorted(self._names.intersection(_held(obj))):
                    self.value(_held(obj)[name], f"{self._path_of(obj)}.{name}")
                if not isinstance(obj, type):
                    for method in _methods(type(obj), self._names):
                        self.value(method)
            for each in list(self._dicts):
                for key in sorted(self._names.intersection(key for key in each if type(key) is str)):
                    self.value(each[key], f"{self._path_of(each)}[{key!r}]")

    @property
    def objects(self) -> list[Any]:
        return [*self._objects, *self._dicts]

    def _path_of(self, obj: object) -> str:
        return self._paths[id(obj)] or (obj.__name__ if isinstance(obj, type) else type(obj).__name__)

    def _follow(self, function: FunctionType) -> None:
        names = _uses(function.__code__).names
        if not names <= self._names:
            self._names |= names
            self._grown = True
        for name in sorted(names.intersection(function.__globals__)):
            self.value(function.__globals__[name], name)
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
            self.value(_contents(cell), name)

    def constants(self) -> Iterator[Location]:
        """The variables with values that never change, which the code reads and does not write."""
        uses = [(function, _uses(function.__code__)) for function in self._functions]
        written = {name for _, each in uses for name in each.variables}
        for function, each in uses:
            for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
                if name not in written and name != "__class__" and _is_guarded(_contents(cell)):
                    yield Cell(cell, name)
            for name in sorted(each.globals.difference(written).intersection(function.__globals__)):
                if not name.startswith("__") and _is_guarded(function.__globals__[name]):
                    yield Global(function.__globals__, name)

    def unseen(self) -> Iterator[Location]:
        """The attributes that the code may read with values or arrays, also of classes, the items of dicts with numbers
        or texts, and lists that begin with such a one."""
        for obj in self._objects:
            for owner in (obj,) if isinstance(obj, type) else (obj, *type(obj).__mro__[:-1]):
                held = _held(owner)
                for name in sorted(self._names.intersection(held)):
                    if not name.startswith("__") and held[name] is not None and is_constant(held[name]):
                        yield Attribute(owner, name, self._path_of(obj))
        for values in self._lists:
            if values and is_constant(values[0]):
                yield Contents(values, f"{self._path_of(values)}[…]")
        for table in self._dicts:
            for key in sorted(self._names.intersection(key for key in table if type(key) is str)):
                if isinstance(table[key], SCALARS):
                    yield Item(table, key, f"{self._path_of(table)}[{key!r}]")

    def places(self) -> Iterator[Location]:
        """The places that hold eager tensors, and that the code stores into."""
        uses = [(function, _uses(function.__code__)) for function in self._functions]
        attributes = {name for _, each in uses for name in each.attributes}
        for obj in self._objects:
            held = _held(obj)
            for name in sorted(self._names.intersection(held)):
                if _is_read(held[name], name in attributes):
                    yield Attribute(obj, name)
        stores_items = any(each.stores_items for _, each in uses)
        for table in self._dicts:
            for key in sorted(self._names.intersection(key for key in table if type(key) is str)):
                if _is_read(table[key], stores_items):
                    yield Item(table, key, f"dict[{key!r}]")
        for function, each in uses:
            yield from _variables(function, each)


def is_constant(value: object) -> bool:
    """Whether a value never changes, or is a tensor or an array."""
    if type(value) is tuple:
        return all(map(is_constant, value))
    return value is None or type(value) in _CONSTANTS or isinstance(value, _VALUES)


def _is_guarded(value: object) -> bool:
    """Whether each call looks at a variable with such a value: it may get another one."""
    if isinstance(value, FunctionType):
        return is_user_file(value.__code__.co_filename)
    is_object = is_plain_object(value) and not isinstance(value, type)
    return is_object or isinstance(value, _BY_IDENTITY) or is_constant(value)


def _variables(function: FunctionType, uses: _Uses) -> Iterator[Location]:
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        if _is_read(_contents(cell), name in uses.variables):
            yield Cell(cell, name)
    for name in sorted(uses.names.difference(function.__code__.co_freevars).intersection(function.__globals__)):
        if _is_read(function.__globals__[name], name in uses.variables):
            yield Global(function.__globals__, name)


def _is_read(value: object, may_be_written: bool) -> bool:
    """Whether what a place holds is to be an input of the graph."""
    if type(value) is SymbolicTensor:
        return value.value.node.op is not CONSTANT
    return may_be_written and type(value) is EagerTensor


def _contents(cell: CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return None


def _held(obj: object) -> dict[str, Any]:
    return dict(vars(obj)) if isinstance(obj, type) else attributes_of(obj)


def _methods(cls: type, names: set[str]) -> Iterator[Any]:
    for each in cls.__mro__:
        for name in sorted(names.intersection(vars(each))):
            yield vars(each)[name]
