"""`operator.attrgetter`, `itemgetter` and `methodcaller` in staged forms: what they read and call is converted."""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import partial, reduce
from typing import Any

from ..attributes import get_attribute, get_subscript
from ..calls import ACCESSOR, call


@ACCESSOR.give
def accessor(function: Any) -> Callable[[Any], Any] | None:
    """What to call in place of an object of `operator` that reads or calls; None for anything else."""
    made_by = _KINDS.get(type(function))
    if made_by is None:
        return None
    kind, arguments = function.__reduce__()
    keywords = kind.keywords if isinstance(kind, partial) else {}
    names = (*kind.args, *arguments) if isinstance(kind, partial) else arguments
    return made_by(*names, **keywords)


def _attributes(*names: str) -> Callable[[Any], Any]:
    return _each([partial(_attribute, name) for name in names])


def _attribute(path: str, obj: object) -> Any:
    return reduce(get_attribute, path.split("."), obj)


def _items(*keys: object) -> Callable[[Any], Any]:
    return _each([partial(_item, key) for key in keys])


def _item(key: object, container: object) -> Any:
    return get_subscript(container, key)


def _each(read: list[Callable[[Any], Any]]) -> Callable[[Any], Any]:
    return read[0] if len(read) == 1 else lambda obj: tuple([each(obj) for each in read])


def _method(name: str, *arguments: object, **keywords: object) -> Callable[[Any], Any]:
    return lambda obj: call(get_attribute(obj, name))(*arguments, **keywords)


_KINDS: dict[type, Callable[..., Callable[[Any], Any]]] = {
    operator.attrgetter: _attributes, operator.itemgetter: _items, operator.methodcaller: _method
}  # fmt: skip
