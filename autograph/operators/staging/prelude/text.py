"""Text of staged values: f-strings, `str`, `%`, `str.format`, `join` and the other methods of `str`.

Plain values are written while tracing, staged ones when the graph runs, by the same functions of Python.
"""

from __future__ import annotations

import dataclasses
import functools
import operator
import re
import string
from _string import formatter_field_name_split
from collections.abc import Callable, Mapping
from types import FunctionType
from typing import Any

from autograph.runtime.base import dtypes
from autograph.runtime.ops.text.text import (
    MAPPINGS,
    METHODS,
    Items,
    apply_text,
    is_named_tuple,
    positional,
    text_while_tracing,
)
from autograph.runtime.state.variable import Variable
from autograph.runtime.tensors import trace_text
from autograph.runtime.tensors.convert import cast
from autograph.runtime.tensors.tensor import SymbolicTensor, Tensor

from ...attributes import get_attribute, get_subscript
from ...calls import call
from ...data_model.left_alone import is_left_alone
from ...data_model.raw_attributes import raw_attribute
from ...iteration import iterated
from .. import asked
from ..control.errors import type_error
from ..heap import heap
from ..heap.forms import is_of_own_class
from ..heap.state import about_to_change, created_with_parts
from ..outside import effects
from ..values.iterables import StagedIterable
from ..values.lists import StagedList
from ..values.maybe import Maybe
from . import showing

_STAGED = (SymbolicTensor, Maybe, StagedList, StagedIterable, Variable)
_PLAIN = frozenset((str, int, float, bool, complex, bytes, type(None)))
_CONVERSIONS: dict[str, Callable[[Any], str]] = {"s": str, "r": repr, "a": ascii}


def holds_staged(value: Any, outer: tuple[int, ...] = ()) -> bool:
    """Whether a value is staged, or a list, tuple or dict with staged values at any depth."""
    value = heap.staged(value)
    if isinstance(value, _STAGED):
        return True
    if type(value) in (list, tuple) or is_named_tuple(value):
        parts: Any = value
    elif type(value) in MAPPINGS:
        parts = value.values()
    else:
        return False
    return id(value) not in outer and any(holds_staged(each, (*outer, id(value))) for each in parts)


def is_text(value: object) -> bool:
    """Whether a value is one staged string."""
    return isinstance(value, Tensor) and value.dtype is dtypes.string and value.static_shape == ()


def format_value(value: object, conversion: str | None, specification: object) -> Any:
    """``f"{value!conversion:specification}"``: a string tensor where the value, or a part of it, is staged."""
    own = _own_method(type(value), conversion) if is_of_own_class(value) else None
    if own is not None and not isinstance(specification, Tensor):
        return _own_text(own, value, conversion, specification)
    value = heap.form(value) if is_of_own_class(value) else heap.given(value)
    if not isinstance(value, Tensor) and not holds_staged(value) and not isinstance(specification, Tensor):
        own = _own_method(type(value), conversion)
        if own is not None:
            return _own_text(own, value, conversion, specification)
        if (conversion in ("r", "s") or (conversion is None and not specification)) and _is_record(value):
            return format_value(_record_text(value), None, specification)
        if conversion is not None:
            value = trace_text.written(_CONVERSIONS[conversion], value)
        return trace_text.written(format, value, specification)
    if is_text(value) and conversion in (None, "s") and isinstance(specification, str) and not specification:
        return value
    return apply_text("format", _exact(value) if conversion is None else value, conversion, specification)


def _exact(value: object) -> Any:
    """A number for `format`, which writes the digits that it has, as of eager tensors and NumPy's scalars.

    `str` and `repr` write as many digits as tell it from all others of its dtype; so is a Python number written.
    """
    value = value.value() if isinstance(value, Variable) else value
    if type(value) is SymbolicTensor and value.python in (None, *dtypes.OF_NUMPY) and value.static_shape == ():
        wider = _EXACT.get(value.dtype)
        if wider is not None:
            return cast(value, wider)
    return value


_EXACT = {
    dtypes.float16: dtypes.float64, dtypes.float32: dtypes.float64, dtypes.complex64: dtypes.complex128
}  # fmt: skip


def _own_method(cls: type, conversion: str | None) -> FunctionType | None:
    """The method of a user's class that writes its objects, so that it is staged too."""
    names = {None: ("__format__", "__str__", "__repr__"), "s": ("__str__", "__repr__"), "r": ("__repr__",)}
    for name in names.get(conversion, ()):
        found = getattr(cls, name)
        if isinstance(found, FunctionType) and not is_left_alone(found):
            return found
        if found is not getattr(object, name):
            return None
    return None


def _own_text(method: FunctionType, value: object, conversion: str | None, specification: object) -> Any:
    if method.__name__ == "__format__":
        return call(method)(value, specification)
    if conversion is None and specification:  # what object.__format__ refuses
        return trace_text.written(format, value, specification)
    made = call(method)(value)
    if not isinstance(made, str) and not is_text(made):
        raise TypeError(f"{method.__name__} returned non-string (type {type(made).__name__})")
    return format_value(made, None, specification) if specification else made


def _is_record(value: object) -> bool:
    """Whether a value is an object of a dataclass that writes itself as dataclasses do."""
    cls = type(value)
    if not dataclasses.is_dataclass(cls) or (cls.__str__, cls.__format__) != (object.__str__, object.__format__):
        return False
    method = cls.__repr__
    return isinstance(method, FunctionType) and method.__globals__.get("__name__") in ("dataclasses", "reprlib")


def _record_text(value: Any) -> Any:
    parts: list[Any] = []
    for field in dataclasses.fields(value):
        if field.repr:
            parts += [", " if parts else "", f"{field.name}=", format_value(getattr(value, field.name), "r", "")]
    return join_strings([f"{type(value).__qualname__}(", *parts, ")"])


def join_strings(parts: list[Any]) -> Any:
    """The concatenation of strings; a plain string when none of them is staged."""
    parts = [part for part in parts if not (isinstance(part, str) and part == "")] or [""]
    if all(isinstance(part, str) for part in parts):
        return "".join(parts)
    return parts[0] if len(parts) == 1 else apply_text("join", "", parts)


def percent(template: object, values: object) -> Any:
    """``template % values`` for a template that is a string, staged or not."""
    if isinstance(template, Tensor) or holds_staged(values):
        if isinstance(template, bytes):
            raise type_error("`%` writes a staged value into bytes", "write it into a str")
        if isinstance(template, str):
            values = _exact_numbers(template, values)
        return apply_text("__mod__", template, values)
    if isinstance(values, dict):  # which may make up what is missing
        about_to_change(values)
    return trace_text.written(operator.mod, template, values)


_NUMBER = "diouxXeEfFgG"
# One field of a template for `%`: the name of a key, a width or precision that is a value too, the conversion.
_FIELD = re.compile(r"%(?:\((?P<key>[^()]*)\))?[-#0 +]*(?P<width>\*|\d*)(?:\.(?P<digits>\*|\d*))?[hlL]?(?P<kind>.)")


def _exact_numbers(template: str, values: object) -> Any:
    """The values for a template, with those exact that it writes as numbers."""
    fields = [field for field in _FIELD.finditer(template) if field["kind"] != "%"]
    if isinstance(values, dict):
        numbers = {field["key"] for field in fields if field["kind"] in _NUMBER}
        texts = {field["key"] for field in fields if field["kind"] not in _NUMBER}
        return {key: _exact(each) if key in numbers - texts else each for key, each in values.items()}
    if not isinstance(values, tuple):
        return _exact(values) if len(fields) == 1 and fields[0]["kind"] in _NUMBER else values
    kinds = "".join(["d" * [field["width"], field["digits"]].count("*") + field["kind"] for field in fields])
    if len(kinds) != len(values):
        return values  # which Python refuses
    return tuple([_exact(each) if kind in _NUMBER else each for kind, each in zip(kinds, values, strict=True)])


class _Fields:
    """The values for the replacement fields of ``str.format``."""

    def __init__(self, arguments: tuple[Any, ...], keywords: Mapping[str, Any]) -> None:
        self.arguments = arguments
        self.keywords = keywords
        self.formatter = string.Formatter()
        self.numbered = ""  # how the fields are: "automatic", "manual", or not known yet
        self.position = 0

    def text(self, template: str, depth: int = 2) -> Any:
        """The template with its fields filled in; those in specifications too."""
        if depth == 0:
            raise ValueError("Max string recursion exceeded")
        parts: list[Any] = []
        for literal, field, specification, conversion in self.formatter.parse(template):
            parts.append(literal)
            if field is None:
                continue
            value = self.value(field)
            inner = self.text(specification, depth - 1) if specification else ""
            if conversion not in (None, *_CONVERSIONS):
                raise ValueError(f"Unknown conversion specifier {conversion!r}")
            parts.append(format_value(value, conversion, inner))
        return join_strings(parts)

    def value(self, field: str) -> Any:
        name = re.split(r"[.\[]", field, maxsplit=1)[0]
        if name == "" or name.isdigit():
            kind = "automatic" if name == "" else "manual"
            if self.numbered not in ("", kind):
                what = {"automatic": "automatic field numbering", "manual": "manual field specification"}
                raise ValueError(f"cannot switch from {what[self.numbered]} to {what[kind]}")
            self.numbered = kind
        if name == "":
            field = f"{self.position}{field}"
            self.position += 1
        index = re.match(r"\d+", field)
        if index is not None and int(index[0]) >= len(self.arguments):
            raise IndexError(f"Replacement index {int(index[0])} out of range for positional args tuple")
        first, rest = formatter_field_name_split(field)
        found = self.formatter.get_value(first, self.arguments, self.keywords)
        for is_attribute, key in rest:
            found = get_attribute(found, key) if is_attribute else get_subscript(found, key)
        return found


def format_text(template: str, *arguments: object, **keywords: object) -> Any:
    """``template.format(…)``."""
    if all(type(each) in _PLAIN for each in (*arguments, *keywords.values())):
        return template.format(*arguments, **keywords)
    return _Fields(arguments, keywords).text(template)


def format_map(template: str, values: Mapping[str, Any]) -> Any:
    """``template.format_map(values)``."""
    about_to_change(values)  # it may make up what is missing
    return _Fields((), values).text(template)


def join(separator: Any, values: Any) -> Any:
    """``separator.join(values)``."""
    if isinstance(values, (StagedIterable, Maybe)):
        values = asked.LISTED.function(values)
    elif not isinstance(values, (Tensor, StagedList)):
        values = list(iterated(values))
    if not holds_staged(values) and not isinstance(separator, Tensor):
        return separator.join(values)
    if isinstance(values, Tensor) and values.static_shape != ():
        values = StagedRows(values)
    for number, each in enumerate(values if isinstance(values, list) else ()):
        if (isinstance(each, Tensor) and each.dtype is not dtypes.string) or isinstance(each, (int, float)):
            what = f"sequence item {number}: expected str instance, {_kind(each)} found"
            raise type_error(what, f"write {separator!r}.join(str(each) for each in values)")
    return apply_text("join", separator, values)


def _kind(value: object) -> str:
    return f"{value.dtype.name} tensor" if isinstance(value, Tensor) else type(value).__name__


class StagedRows:
    """The rows of a tensor, as the items of a list."""

    def __init__(self, tensor: Tensor) -> None:
        self.tensor = tensor

    def __text_layout__(self, tensors: list[Any]) -> Any:
        tensors.append(self.tensor)
        return Items(len(tensors) - 1)


def show(*values: object, **keywords: object) -> None:
    """``print``: while tracing, a staged value shows its name, also inside an f-string; but no file gets it.

    Raises:
        MutationError: it writes into a file, in a staged body.
        StagedValueError: it writes a staged value into a file.
    """
    file = keywords.get("file")
    if file is None or effects.is_printing(file):
        if any(holds_staged(each) for each in values):
            effects.warn_of_print()
        values = tuple(text_while_tracing(each) if isinstance(each, SymbolicTensor) else each for each in values)
        showing.printed(lambda target: print(*values, **{**keywords, "file": target}), file)
        return
    effects.check_file(file)
    write = functools.partial(print, *values)
    showing.printed(lambda target: trace_text.written(functools.partial(write, **{**keywords, "file": target})), file)


_SPECIAL: dict[str, Callable[..., Any]] = {"format": format_text, "format_map": format_map, "join": join}


def replacement(function: object) -> Callable[..., Any] | None:
    """What to call in place of a method of `str` while tracing; None for other functions."""
    name = raw_attribute(function, "__name__", "")
    if name not in METHODS and name not in _SPECIAL:
        return None
    owner = raw_attribute(function, "__self__")
    if type(owner) is str:
        return lambda *arguments, **keywords: _method(function, owner, *arguments, **keywords)
    if raw_attribute(function, "__objclass__") is str:
        return lambda *arguments, **keywords: _method(function, *arguments, **keywords)
    return None


def _method(function: Any, owner: object, *arguments: object, **keywords: object) -> Any:
    """A method of `str` on a plain string or on a staged one."""
    name = function.__name__
    if name in _SPECIAL and isinstance(owner, str):
        return _SPECIAL[name](owner, *arguments, **keywords)
    if not holds_staged(arguments) and not holds_staged(keywords) and isinstance(owner, str):
        method = getattr(owner, name)
        made = method(*arguments, **keywords)
        created_with_parts(made)
        return made
    return apply_text(name, owner, *positional(name, arguments, keywords))


@asked.NOT_IN_LIST.give
def not_in_list(value: object) -> Any:
    """The message of the ValueError for a value that a list does not have."""
    return join_strings([format_value(value, "r", ""), " is not in list"])
