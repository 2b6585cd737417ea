"""Structures of tensors: lists, tuples, named tuples, dicts (keys in sorted order) and dataclasses, in any nesting.

Everything else, None included, is a leaf. With ``expand_composites`` the tensors of datasets, iterators over them and
tensor arrays are leaves in their place.

>>> flatten({"b": [1, 2], "a": (3, None)})
[3, None, 1, 2]
>>> pack_sequence_as({"b": [1, 2], "a": (3, None)}, "wxyz")
{'b': ['y', 'z'], 'a': ('w', 'x')}
"""

from __future__ import annotations

import collections
import copy
import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from autograph.errors import InvalidArgumentError, InvalidTypeError
from autograph.tracebacks import leaving

from .composite import Composite, CompositeSpec

__all__ = [
    "assert_same_structure", "flatten", "flatten_with_path", "is_nested", "map_structure", "pack_sequence_as",
]  # fmt: skip


def is_nested(value: object) -> bool:
    """Whether the value is a structure rather than a leaf."""
    return isinstance(value, (list, tuple, Mapping)) or _is_dataclass(value)


def _is_dataclass(value: object) -> bool:
    return hasattr(type(value), "__dataclass_fields__") and not isinstance(value, Composite)


def children(structure: Any) -> list[tuple[Any, Any]]:
    """The (key, child) pairs of a structure, in the order of `flatten`."""
    if isinstance(structure, (list, tuple)):
        items = _past_methods(structure)
        return list(zip(getattr(structure, "_fields", range(len(items))), items, strict=True))
    if isinstance(structure, dict):
        return [(key, _base(structure).__getitem__(structure, key)) for key in sorted_keys(structure)]
    if isinstance(structure, Mapping):
        return [(key, structure[key]) for key in sorted_keys(structure)]
    return [(field.name, getattr(structure, field.name)) for field in dataclasses.fields(structure)]


def _past_methods(structure: Any) -> list[Any]:
    """The items of a list or tuple, or the keys of a dict, whatever its class shows to others."""
    return list(_base(structure).__iter__(structure))


def _base(structure: object) -> Any:
    """The class of Python's that holds the items of a structure."""
    return next(each for each in (collections.OrderedDict, dict, list, tuple) if isinstance(structure, each))


def sorted_keys(mapping: Mapping[Any, Any]) -> list[Any]:
    """The keys in sorted order; `TypeError` when they can't be compared."""
    try:
        return sorted(_past_methods(mapping) if isinstance(mapping, dict) else mapping)
    except TypeError:
        raise InvalidTypeError(f"nest needs dict keys that can be sorted, not {list(mapping)!r}") from None


def rebuild(structure: Any, values: Sequence[Any]) -> Any:
    """A structure of the same type and keys with other children, given in the order of `children`."""
    if isinstance(structure, (list, tuple)):
        return with_attributes(sequence_of(type(structure), values), structure)
    if isinstance(structure, dict):
        found = dict(zip(sorted_keys(structure), values, strict=True))
        items = [(key, found[key]) for key in _past_methods(structure)]  # the original order
        factory = getattr(structure, "default_factory", None)
        return with_attributes(dict_of(type(structure), items, factory), structure)
    if isinstance(structure, Mapping):
        return _rebuild_mapping(structure, dict(zip(sorted_keys(structure), values, strict=True)))
    result = copy.copy(structure)
    for field, value in zip(dataclasses.fields(structure), values, strict=True):
        object.__setattr__(result, field.name, value)
    return result


def _rebuild_mapping(structure: Mapping[Any, Any], found: dict[Any, Any]) -> Any:
    return type(structure)({key: found[key] for key in structure})  # type: ignore[call-arg]


def sequence_of(kind: type, values: Iterable[Any]) -> Any:
    """A list or tuple of a class; the constructor of the class, which may take something else, is not called."""
    if issubclass(kind, tuple):
        return tuple.__new__(kind, values)
    made: Any = list.__new__(kind)
    list.extend(made, values)
    return made


def dict_of(kind: type, items: Iterable[tuple[Any, Any]], factory: Any = None) -> Any:
    """A dict of a class, past the methods of the class."""
    base: Any = collections.OrderedDict if issubclass(kind, collections.OrderedDict) else dict
    made = base.__new__(kind)
    if isinstance(made, collections.defaultdict):
        collections.defaultdict.__init__(made, factory)
    for key, value in items:
        base.__setitem__(made, key, value)
    return made


def with_attributes(made: object, structure: object) -> Any:
    """What was made, with the attributes of a structure."""
    attributes = getattr(structure, "__dict__", None)
    if attributes:
        vars(made).update(attributes)
    return made


def attributes(structure: object) -> dict[str, Any]:
    """What a structure holds next to its children, which `rebuild` takes over as it is."""
    if isinstance(structure, Mapping) and not isinstance(structure, dict):
        return {}
    fields = getattr(type(structure), "__dataclass_fields__", ())
    found = getattr(structure, "__dict__", None) or {}
    return {name: value for name, value in found.items() if name not in fields}


def flatten(structure: object, expand_composites: bool = False) -> list[Any]:
    """The leaves, in order."""
    leaves: list[Any] = []
    _flatten(structure, leaves)
    if expand_composites:
        return [part for leaf in leaves for part in _parts(leaf)]
    return leaves


def _spec(value: object) -> CompositeSpec | None:
    if isinstance(value, Composite):
        return value.type_spec
    return value if isinstance(value, CompositeSpec) else None


def _parts(leaf: object) -> Sequence[Any]:
    return leaf.components() if isinstance(leaf, (Composite, CompositeSpec)) else (leaf,)


def _flatten(structure: object, leaves: list[Any]) -> None:
    if is_nested(structure):
        for _, child in children(structure):
            _flatten(child, leaves)
    else:
        leaves.append(structure)


def flatten_with_path(structure: object, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """The leaves with their paths: ``(("a", 0), leaf)`` …"""
    if is_nested(structure):
        for key, child in children(structure):
            yield from flatten_with_path(child, (*path, key))
    else:
        yield path, structure


def pack_sequence_as(structure: object, flat_sequence: Iterable[Any], expand_composites: bool = False) -> Any:
    """A structure like the given one with leaves from the sequence; `ValueError` when their number differs."""
    leaves = list(flat_sequence)
    count = len(flatten(structure, expand_composites))
    if count != len(leaves):
        raise InvalidArgumentError(f"the structure has {count} leaves, but {len(leaves)} values were given")
    return _pack(structure, iter(leaves), expand_composites)


def _pack(structure: object, leaves: Iterator[Any], expand: bool = False) -> Any:
    if is_nested(structure):
        return rebuild(structure, [_pack(child, leaves, expand) for _, child in children(structure)])
    spec = _spec(structure) if expand else None
    return next(leaves) if spec is None else spec.pack([next(leaves) for _ in spec.components()])


def map_structure(func: Callable[..., Any], *structures: object, expand_composites: bool = False) -> Any:
    """Apply a function to the leaves of equal structures; the result has the structure of the first."""
    if not structures:
        raise InvalidArgumentError("map_structure needs at least one structure")
    first, *others = structures
    for other in others:
        assert_same_structure(first, other)
    flat = [flatten(structure, expand_composites) for structure in structures]
    return _pack(first, map(func, *flat), expand_composites)


def assert_same_structure(
    nest1: object, nest2: object, check_types: bool = True, expand_composites: bool = False
) -> None:
    """Raise `ValueError` when two structures differ in their nesting or keys, `TypeError` when only in their types.

    With ``expand_composites``, composites whose specs are not equal differ in type.
    """
    if expand_composites and _spec(nest1) != _spec(nest2):
        raise InvalidTypeError(f"The two structures don't have the same composite type: {nest1!r} and {nest2!r}")
    if is_nested(nest1) != is_nested(nest2):
        raise InvalidArgumentError(f"The two structures don't have the same nested structure: {nest1!r} and {nest2!r}")
    if not is_nested(nest1):
        return
    if check_types and type(nest1) is not type(nest2):
        raise InvalidTypeError(f"The two structures don't have the same sequence type: {type(nest1)} and {type(nest2)}")
    first, second = children(nest1), children(nest2)
    if len(first) != len(second) or (isinstance(nest1, Mapping) and [k for k, _ in first] != [k for k, _ in second]):
        raise InvalidArgumentError(f"The two structures don't have the same nested structure: {nest1!r} and {nest2!r}")
    for (_, a), (_, b) in zip(first, second, strict=True):
        assert_same_structure(a, b, check_types, expand_composites)


leaving.public_module(__name__)
