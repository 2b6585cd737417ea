"""What is known of a value at staging time, and how it becomes tensors and back.

A `Spec` describes a Python value of which some leaves are tensors of a graph. `flatten` gives those tensors for a
value of that (or a narrower) specification; `unflatten` makes the value again from other tensors.
"""

from __future__ import annotations

import abc
import dataclasses
import enum
import typing
from collections.abc import Iterator, Sequence
from types import FunctionType, ModuleType, SimpleNamespace
from typing import Any

import numpy as np

from autograph.errors import StagedValueError
from autograph.runtime.base import dtypes, nest, shapes
from autograph.runtime.base.dtypes import DType
from autograph.runtime.base.shapes import Shape
from autograph.runtime.ir.graph import Type
from autograph.runtime.ops.text import sometimes_bool
from autograph.runtime.tensors import convert
from autograph.runtime.tensors.tensor import SymbolicTensor

from ...data_model.by_type import ByType
from ...data_model.special_methods import is_user_class
from ...variables import UNDEFINED
from .. import asked
from ..heap import array_memory, heap
from ..heap.array_memory import is_array
from ..heap.attributes.uncertain_keys import Unordered, note_order
from ..heap.forms import held_by
from ..heap.locations import Attribute, attributes_of, is_plain_object, where
from .maybe import Maybe

SCALARS = (bool, int, float, complex, str, bytes)
LEAVES = frozenset((*SCALARS, type(None)))
"""Classes of values that have no parts and don't change: asked before all else, as structures hold many of them."""
_WITHOUT_ATTRIBUTES: tuple[Any, ...] = (object, abc.ABC, typing.Generic, typing.Protocol)
_KEEP_BOOKS = ("__tensor__", "__array__", "__del__", "__enter__", "__next__", "__get__", "__await__")
"""Methods of classes whose objects are more than their attributes."""


class Mismatch(Exception):
    """Two values have no common specification; `path` leads to the parts that don't fit."""

    def __init__(self, left: Spec, right: Spec, path: str = "", reason: str = "") -> None:
        super().__init__(path)
        self.left = left
        self.right = right
        self.path = path
        self.reason = reason

    def inside(self, step: str) -> Mismatch:
        return Mismatch(self.left, self.right, step + self.path, self.reason)

    @property
    def plain(self) -> str | None:
        """What to write in place of a number or string of a class of its own, or of bytes; None for all others."""
        return _plain(self.left) or _plain(self.right)


def _plain(spec: Spec) -> str | None:
    kind = type(spec.value) if isinstance(spec, Constant) else spec.kind if isinstance(spec, Tree) else object
    if kind is bytes:
        return "such as x.decode() in place of bytes"
    if kind in SCALARS or not issubclass(kind, SCALARS):
        return None
    base = next(each for each in SCALARS if issubclass(kind, each))
    plain = "x.value" if issubclass(kind, enum.Enum) else f"{base.__name__}(x)"
    return f"such as {plain} in place of the {kind.__name__}"


class Frozen:
    """A mutable object, and what it held when a branch ended (frozen too); the branch's changes are undone then."""

    __slots__ = ("contents", "is_new", "obj")

    def __init__(self, obj: Any, contents: Any, is_new: bool = False) -> None:
        self.obj = obj
        self.contents = contents
        self.is_new = is_new
        """Whether the branch has made it."""


def as_number(tensor: object, python: type | None) -> Any:
    """A graph tensor that stands for a Python number or string of a type."""
    return SymbolicTensor(tensor.value, python) if python and type(tensor) is SymbolicTensor else tensor


class Spec:
    """What is known of a value at staging time."""

    def flatten(self, value: object, tensors: list[Any]) -> None:
        """Appends the tensors of a value to a list, made in the current graph."""

    def types(self) -> list[Type]:
        """The types of the tensors."""
        return []

    def unflatten(self, tensors: Iterator[Any]) -> Any:
        """The value made of some tensors."""
        raise NotImplementedError

    def __eq__(self, other: object) -> bool:
        raise NotImplementedError

    __hash__ = None  # type: ignore[assignment]


class Constant(Spec):
    """One Python value, the same every time; for mutable objects, the same object."""

    def __init__(self, value: object) -> None:
        self.value = value

    def unflatten(self, tensors: Iterator[Any]) -> Any:
        return self.value

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Constant):
            return False
        mine, others = self.value, other.value
        if mine is others:
            return True
        return type(mine) is type(others) and type(mine) in SCALARS and repr(mine) == repr(others)

    def __str__(self) -> str:
        return described(self.value)


def described(value: object) -> str:
    """A Python value in an error message: no addresses, nothing long."""
    if value is UNDEFINED:
        return "undefined"
    if isinstance(value, FunctionType):
        name = "the lambda" if value.__name__ == "<lambda>" else f"the function `{value.__name__}`"
        return f"{name} of line {value.__code__.co_firstlineno}"
    if isinstance(value, type):
        return f"the class `{value.__qualname__}`"
    if isinstance(value, ModuleType):
        return f"the module `{value.__name__}`"
    text = repr(value)
    if type(value) not in SCALARS and any(type(value).__repr__ is each.__repr__ for each in SCALARS):
        text = f"the {type(value).__name__} {text}"
    if len(text) < 60 and "\n" not in text and " at 0x" not in text:
        return text
    kind = type(value).__name__
    return f"{'an' if kind[0] in 'aeiouAEIOU' else 'a'} {kind}"


class Reference(Spec):
    """One mutable object, by identity; next to another one it is compared by its contents."""

    def __init__(self, frozen: Frozen) -> None:
        self.frozen = frozen

    def unflatten(self, tensors: Iterator[Any]) -> Any:
        return self.frozen.obj

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Reference) and self.frozen.obj is other.frozen.obj

    def __str__(self) -> str:
        return str(asked.STRUCTURE_OF.function(self.frozen))


class Leaf(Spec):
    """A tensor; ``python``: of which the Python number (or string) is that it stands for."""

    def __init__(self, dtype: DType, shape: Shape, python: type | None = None, is_mixed: bool = False) -> None:
        self.dtype = dtype
        self.shape = shape
        self.python = python
        self.is_mixed = is_mixed
        """Whether branches make it of an array and a tensor (`array_memory.is_mixed`), or a bool and another number."""

    def flatten(self, value: object, tensors: list[Any]) -> None:
        tensors.append(as_tensor(value, self.dtype))

    def types(self) -> list[Type]:
        return [Type(self.dtype, self.shape)]

    def unflatten(self, tensors: Iterator[Any]) -> Any:
        value = as_number(next(tensors), self.python)
        note = array_memory.note_mixed if self.python is None else sometimes_bool.note
        return note(value) if self.is_mixed else value

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Leaf)
            and self.dtype is other.dtype
            and self.shape == other.shape
            and self.python is other.python
            and self.is_mixed == other.is_mixed
        )

    def __str__(self) -> str:
        return f"a tensor of {self.dtype.name}, shape {shapes.show(self.shape)}"


class Tree(Spec):
    """A tuple, list, dict, named tuple, dataclass or object of parts."""

    def __init__(self, kind: Any, keys: Sequence[Any], children: Sequence[Spec], factory: object = None) -> None:
        self.kind = kind
        self.keys = keys if isinstance(keys, Unordered) else tuple(keys)
        self.children = tuple(children)
        self.factory = factory
        """The `default_factory` of a `defaultdict`."""

    def flatten(self, value: object, tensors: list[Any]) -> None:
        keys, parts = parts_of(value)
        if not isinstance(keys, range) and tuple(keys) != self.keys:  # attributes that have been set in another order
            by_key = dict(zip(keys, parts, strict=True))
            parts = [by_key[key] for key in self.keys]
        for child, part in zip(self.children, parts, strict=True):
            child.flatten(part, tensors)

    def types(self) -> list[Type]:
        return [each for child in self.children for each in child.types()]

    def unflatten(self, tensors: Iterator[Any]) -> Any:
        return rebuild(self.kind, self.keys, [child.unflatten(tensors) for child in self.children], self.factory)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Tree) and self.kind is other.kind
            and (self.keys, type(self.keys)) == (other.keys, type(other.keys))
            and self.children == other.children
        )

    def __str__(self) -> str:
        if isinstance(self.kind, type) and issubclass(self.kind, dict):
            return f"a {self.kind.__name__} with the keys {', '.join(map(repr, self.keys)) or '(none)'}"
        name = getattr(self.kind, "__name__", str(self.kind))
        if isinstance(self.kind, type) and issubclass(self.kind, (tuple, list)) and not hasattr(self.kind, "_fields"):
            return f"a {name} of {len(self.children)}"
        return f"a {name} with the attributes {', '.join(map(str, self.keys)) or '(none)'}"


class Optional(Spec):
    """A value that may be `missing` (None, or undefined) at run time: a flag, and the value."""

    def __init__(self, missing: Any, inner: Spec, name: str = "") -> None:
        self.missing = missing
        self.inner = inner
        self.name = name

    def flatten(self, value: object, tensors: list[Any]) -> None:
        if isinstance(value, Maybe) and value.ag__missing is self.missing:
            tensors.append(as_tensor(value.ag__flag, dtypes.bool_))
            self.inner.flatten(value.ag__value, tensors)
        elif value is self.missing:
            tensors.append(as_tensor(False, dtypes.bool_))
            flatten_absent(self.inner, tensors)
        else:
            tensors.append(as_tensor(True, dtypes.bool_))
            self.inner.flatten(value, tensors)

    def types(self) -> list[Type]:
        return [Type(dtypes.bool_, ()), *self.inner.types()]

    def unflatten(self, tensors: Iterator[Any]) -> Any:
        flag = next(tensors)
        return Maybe(self.missing, flag, self.inner.unflatten(tensors), self.name)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Optional) and self.missing is other.missing and self.inner == other.inner

    def __str__(self) -> str:
        return f"{self.missing} or {self.inner}" if self.missing is None else f"undefined or {self.inner}"


class ListContents:
    """What a staged list holds (`lists.ListState`): it knows its specification."""

    __slots__ = ("spec",)
    spec: ListOf


class ListOf(Spec):
    """A list whose length only the run tells, of elements of one specification; None: of which none is known yet.

    ``kind`` is `tuple` for a tuple of such a length. ``repeats``: two of the lists that it holds may be one in Python.
    """

    def __init__(self, element: Spec | None, kind: type = list, repeats: bool = False) -> None:
        self.element = element
        self.kind = kind
        self.repeats = repeats

    def flatten(self, value: object, tensors: list[Any]) -> None:
        asked.FLATTEN_LIST.function(self, value, tensors)

    def types(self) -> list[Type]:
        count = 0 if self.element is None else len(self.element.types())
        return [Type(dtypes.variant, ())] * max(1, count)

    def unflatten(self, tensors: Iterator[Any]) -> Any:
        return asked.UNFLATTEN_LIST.function(self, tensors)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ListOf) or self.kind is not other.kind or self.repeats is not other.repeats:
            return False
        return self.element == other.element

    def __str__(self) -> str:
        return f"a {self.kind.__name__} of {self.element or 'nothing yet'}"


def refused_copy(kind: type) -> StagedValueError:
    """The error for an object of a class other than Python's, of which only a run knows what it holds, where a graph
    would have to make it: it has copies of what lists and dicts hold, and no objects."""
    name = kind.__name__
    return StagedValueError(
        f"an object of class `{name}`, of which only a run knows what it holds, is put into a list of a graph, or is "
        "one that a staged branch or loop makes or chooses; a graph makes lists and dicts, and none of other classes",
        **where(),
        construct=name,
        remedy="use a list or a dict in its place, or make the object before, and change it there",
    )


def flatten_absent(spec: Spec, tensors: list[Any]) -> None:
    """Appends tensors of the right types for a value that is missing, and so never looked at."""
    if isinstance(spec, Leaf):
        shape = tuple(dimension or 0 for dimension in spec.shape or ())
        tensors.append(absent(spec.dtype, shape))
    elif isinstance(spec, Tree):
        for child in spec.children:
            flatten_absent(child, tensors)
    elif isinstance(spec, Optional):
        tensors.append(as_tensor(False, dtypes.bool_))
        flatten_absent(spec.inner, tensors)
    elif isinstance(spec, ListOf):
        spec.flatten([], tensors)
    else:
        for kind in spec.types():
            tensors.append(absent(kind.dtype, tuple(dimension or 0 for dimension in kind.shape or ())))


def absent(dtype: DType, shape: tuple[int, ...]) -> Any:
    """A tensor of zeros (or empty strings)."""
    array = np.zeros(shape, dtype.numpy)
    if dtype is dtypes.string:
        array.fill(b"")
    return convert.wrap(array)


def as_tensor(value: object, dtype: DType | None = None) -> Any:
    """A tensor of a tensor, a number or an array, cast to a dtype."""
    if isinstance(value, Frozen):
        value = value.contents if is_array(value.obj) else value.obj
    elif is_array(value):
        value = heap.form(value)
    if isinstance(value, SCALARS) and dtype is not None and dtype is not dtypes.string:
        value = np.asarray(value).astype(dtype.numpy)
    tensor = convert.convert_to_tensor(value)
    return tensor if dtype is None or tensor.dtype is dtype else convert.cast(tensor, dtype)


def is_structure(value: object) -> bool:
    """Whether a value consists of parts: tuple, list, dict, named tuple, dataclass."""
    return _is_structural(type(value))


@ByType
def _is_structural(cls: type) -> bool:
    return issubclass(cls, (tuple, list, dict)) or dataclasses.is_dataclass(cls)


def has_parts(value: object) -> bool:
    """Whether a value can be made anew from its parts: a structure, or an instance of a plain class of the user's."""
    return type(value) not in LEAVES and (is_structure(value) or is_object(value))


def can_change(value: object) -> bool:
    """Whether a value with parts may hold others at another time: no tuple, nor an object of a frozen dataclass."""
    return not isinstance(value, tuple) and not _is_frozen(type(value))


@ByType
def _is_frozen(cls: type) -> bool:
    parameters = getattr(cls, "__dataclass_params__", None)
    return parameters is not None and bool(parameters.frozen)


def is_object(value: object) -> bool:
    """Whether a value is an instance of a plain class of the user's, which holds its attributes and nothing else."""
    return type(value) is SimpleNamespace or (_is_plain(type(value)) and is_plain_object(value))


@ByType
def _is_plain(cls: type) -> bool:
    if issubclass(cls, type) or any(hasattr(cls, name) for name in _KEEP_BOOKS):
        return False
    return all(each in _WITHOUT_ATTRIBUTES or is_user_class(each) for each in cls.__mro__)


def parts_of(value: Any) -> tuple[Sequence[Any], Sequence[Any]]:
    """The keys and parts of a structure."""
    if isinstance(value, Frozen):
        return parts_of(value.contents)
    if isinstance(value, Attributes):
        return tuple(value.values), tuple(value.values.values())
    value = held_by(value)
    if isinstance(value, dict):
        return tuple(value), tuple(value.values())
    if isinstance(value, (tuple, list)):
        if type(value) is not tuple and type(value) is not list:  # past the methods of its class
            whole = slice(None)
            value = tuple.__getitem__(value, whole) if isinstance(value, tuple) else list.__getitem__(value, whole)
        return range(len(value)), value
    if is_object(value):
        attributes = attributes_of(value)
        return tuple(attributes), tuple(attributes.values())
    names = [field.name for field in dataclasses.fields(value) if hasattr(value, field.name)]
    return names, [getattr(value, name) for name in names]


def factory_of(value: object) -> Any:
    """The `default_factory` of a `defaultdict`; None for everything else."""
    return getattr(value, "default_factory", None) if isinstance(value, dict) else None


class Attributes:
    """The attributes of an object of a class."""

    __slots__ = ("kind", "values")

    def __init__(self, kind: type, values: dict[str, Any]) -> None:
        self.kind = kind
        self.values = values


def rebuild(kind: Any, keys: Sequence[Any], parts: list[Any], factory: object = None) -> Any:
    """A structure of other parts."""
    if issubclass(kind, dict):
        return nest.dict_of(kind, zip(keys, parts, strict=True), factory)
    if issubclass(kind, (list, tuple)):
        return nest.sequence_of(kind, parts)
    made = (SimpleNamespace if issubclass(kind, SimpleNamespace) else object).__new__(kind)
    for key, part in zip(keys, parts, strict=True):
        Attribute(made, key).set(part)
    note_order(made, keys)
    return made
