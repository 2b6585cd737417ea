"""Why a function was traced: the history of its traces, what in the arguments caused each, and a warning.

`Function.explain` prints the history. A function that is traced again and again warns, and names the argument at
fault: after five traces in ten calls, and once only.
"""

from __future__ import annotations

import functools
import warnings
from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise, zip_longest
from typing import Any, NamedTuple

import numpy as np

from ..base.composite import CompositeSpec
from ..base.dtypes import as_dtype
from ..base.shapes import show
from ..ir.graph import Location
from ..tensors import trace
from .arguments import ObjectReference, is_number_key, is_tensor_key

__all__ = ["History", "RetracingWarning"]

_TRACES, _CALLS = 5, 10
_REMEDIES = {
    "shape": "use tf.function(reduce_retracing=True), or an input_signature with None for the dimensions that vary",
    "dtype": "cast it to one dtype",
    "value": "pass a tensor, as in tf.constant(value): each Python value makes a trace of its own",
    "object": "pass the same object again: other objects than tensors and Python values are told apart by identity",
    "variable": "pass its value (v.value()) unless the function assigns to it: each variable makes a trace of its own",
    "structure": "pass it in one structure",
    "outside": "hold a tensor there, or None, before the first call",
    "input": "it is an input of the graph from now on",
    "constant": "pass a tensor as an argument: each value of such a variable makes a trace of its own",
}


class RetracingWarning(UserWarning):
    """A `tf.function` is traced again and again, which is slower than not to trace it at all."""


class Difference(NamedTuple):
    """What differs in one argument: its name, with the path into a structure, and the kind and text of the change."""

    name: str
    kind: str
    text: str

    @property
    def parameter(self) -> str:
        return self.name.partition("[")[0]


class Record(NamedTuple):
    """One trace: its number, the key of the arguments that caused it, and the user's place that passed them."""

    number: int
    key: Sequence[Any]
    location: Location | None


class History:
    """The traces of one function, in order."""

    def __init__(self, function_name: str, names: Sequence[str]) -> None:
        self._function_name = function_name
        self._names = names
        self._records: list[Record] = []
        self._recent: deque[tuple[int, Record]] = deque(maxlen=_TRACES)
        self._dropped = 0
        self._has_warned = False

    def add(self, key: Sequence[Any], calls: int, warn: bool = True) -> Callable[[], None] | None:
        """Note a trace for the given key, at the given number of calls of the function.

        Returns what gives a warning, if it is one too many: once for each function.
        """
        record = Record(len(self._records) + self._dropped + 1, key, trace.user_location())
        self._records.append(record)
        if not warn or self._has_warned:
            return None
        self._recent.append((calls, record))
        first = self._recent[0][0]
        if len(self._recent) == _TRACES and calls - first < _CALLS:
            recent = [each for _, each in self._recent]
            self._recent.clear()
            self._has_warned = True
            return functools.partial(self._warn, calls - first + 1, recent)
        return None

    def drop(self, keys: Sequence[Any]) -> None:
        """The traces for some keys are not kept any longer."""
        gone = set(keys)
        kept = [record for record in self._records if record.key not in gone]
        self._dropped += len(self._records) - len(kept)
        self._records = kept

    def explain(self) -> str:
        """A report: each trace, where it was caused and by what."""
        count = len(self._records)
        lines = [f"{self._function_name}() has {count or 'no'} trace{'' if count == 1 else 's'}"]
        if self._dropped:
            lines[0] += (
                f" ({self._dropped} more have been dropped: there were more than maximum_traces, or objects among "
                "their arguments are gone)"
            )
        for i, record in enumerate(self._records):
            place = f"{record.location.file}:{record.location.line}: " if record.location is not None else ""
            lines.append(f"{record.number}. {place}{self._reason(i)}")
            lines += [f"     {name}: {text}" for name, text in self._shown(i)]
        return "\n".join(lines)

    def _reason(self, index: int) -> str:
        if index == 0:
            return "a call with" if self._dropped else "the first call, with"
        earlier, differences = self._cause(index)
        if not differences:
            return f"the same arguments as in trace {self._records[earlier].number}; that one belongs to another graph"
        return f"compared with trace {self._records[earlier].number}"

    def _shown(self, index: int) -> list[tuple[str, str]]:
        if index == 0:
            return [(name, described(part)) for name, part in zip(self._names, self._records[0].key, strict=False)]
        return [(each.name, f"{each.text}; {_REMEDIES[each.kind]}") for each in self._cause(index)[1]]

    def _cause(self, index: int) -> tuple[int, list[Difference]]:
        """The earlier trace that is most alike, and what differs from it."""
        key = self._records[index].key
        found = [(i, differences(self._names, self._records[i].key, key)) for i in range(index)]
        return min(reversed(found), key=lambda each: len(each[1]))

    def _warn(self, calls: int, recent: Sequence[Record]) -> None:
        found = [each for a, b in pairwise(recent) for each in differences(self._names, a.key, b.key)]
        message = f"{_TRACES} of the last {calls} calls of {self._function_name}() traced it anew, which is slow."
        if found:
            faults = Counter(each.parameter for each in found)
            most = max(faults.values())
            for name in [name for name in self._names if faults[name] == most]:
                last = next(each for each in reversed(found) if each.parameter == name)
                message += f" The argument at fault is `{last.name}`: {last.text}. Remedy: {_REMEDIES[last.kind]}."
        location = recent[-1].location
        file, line = (location.file, location.line) if location is not None else ("<unknown>", 1)
        warnings.warn_explicit(message, RetracingWarning, file, line)


@dataclass(frozen=True)
class Outside:
    """A part of a key: names and keys of the values outside the function that its trace has as constants.

    ``parts`` are those of places that runs write, ``constants`` those of variables that the function only reads.
    """

    parts: tuple[tuple[str, Any], ...]
    constants: tuple[tuple[str, Any], ...] = ()

    def __repr__(self) -> str:
        return ", ".join(f"`{name}` is {described(part)}" for name, part in (*self.parts, *self.constants))

    def without(self, others: tuple[tuple[str, Any], ...]) -> Outside:
        """What is not the same in another one."""
        kept = [tuple([each for each in parts if each not in others]) for parts in (self.parts, self.constants)]
        return Outside(kept[0], kept[1])


def differences(names: Sequence[str], old: Sequence[Any], new: Sequence[Any]) -> list[Difference]:
    """What differs between the keys of two calls, argument by argument."""
    found: list[Difference] = []
    # Behind the arguments may stand whether a Keras layer around the call is training, and values outside.
    for name, a, b in zip_longest((*names, "training", "outside"), old, new):
        _compare(name, a, b, found)
    return found


def _compare(name: str, old: Any, new: Any, found: list[Difference]) -> None:
    if old == new:
        return
    if isinstance(new, Outside) or isinstance(old, Outside):
        _compare_outside(name, old or Outside(()), new or Outside(()), found)
        return
    if is_tensor_key(old) and is_tensor_key(new):
        kind = "dtype" if old[0] != new[0] else "shape"
    elif is_tensor_key(old) or is_tensor_key(new):
        kind = "structure" if _children(old) is not None or _children(new) is not None else "value"
    else:
        first, second = _children(old), _children(new)
        if first is not None and second is not None and old[0] is new[0] and repr(list(first)) == repr(list(second)):
            for key, child in first.items():
                _compare(f"{name}[{key!r}]", child, second[key], found)
            return
        composite = any(isinstance(key, tuple) and isinstance(key[0], CompositeSpec) for key in (old, new))
        kind = "structure" if composite or first is not None or second is not None else "value"
        kind = "object" if isinstance(new, ObjectReference) or isinstance(old, ObjectReference) else kind
        kind = "variable" if _is_variable(new) else kind
    found.append(Difference(name, kind, f"{described(new)} (before: {described(old)})"))


def _compare_outside(name: str, old: Outside, new: Outside, found: list[Difference]) -> None:
    changed = new.without((*old.parts, *old.constants))
    before = old.without((*new.parts, *new.constants))
    known = {label for label, _ in (*new.parts, *new.constants)}
    for label, _ in before.constants:
        if label not in known:
            found.append(Difference(name, "input", f"`{label}` has held several tensors or arrays"))
    if changed.parts or changed.constants:
        kept = [tuple([each for each in parts if each[0] in known]) for parts in (before.parts, before.constants)]
        text = repr(Outside(kept[0], kept[1])) or "'not known'"
        found.append(Difference(name, "outside" if changed.parts else "constant", f"{changed!r} (before: {text})"))


def _is_variable(key: object) -> bool:
    return isinstance(key, ObjectReference) and getattr(type(key.get()), "__variable__", False)


def _children(key: object) -> dict[Any, Any] | None:
    """The keys of a structure's parts, None for what is no structure."""
    if not isinstance(key, tuple) or is_tensor_key(key) or is_number_key(key) or not isinstance(key[0], type):
        return None
    if issubclass(key[0], (list, tuple, deque)):
        return dict(enumerate(key[1:]))
    if len(key) >= 2 and type(key[1]) is tuple and all(type(pair) is tuple and len(pair) == 2 for pair in key[2:]):
        return dict(key[2:])
    return None


def described(key: Any) -> str:
    """An argument, as its key tells it."""
    if is_tensor_key(key):
        name = "string" if key[0] == np.dtype(object) else as_dtype(key[0]).name
        return f"{'an' if name[0] == 'i' else 'a'} {name} tensor of shape {show(key[1])}"
    if is_number_key(key):
        return f"a Python {key[0].__name__} that the graph computes"
    children = _children(key)
    if children is not None:
        parts = ", ".join(f"{k!r}: {described(v)}" for k, v in children.items())
        return f"{key[0].__name__}({parts})"
    if isinstance(key, tuple) and key[0] in (set, frozenset, range):
        parts = ", ".join(sorted(map(described, key[1])) if key[0] is not range else map(str, key[1:]))
        return f"{key[0].__name__}({parts})"
    if isinstance(key, tuple) and isinstance(key[0], CompositeSpec):
        return f"a value of {key[0]!r}"
    if isinstance(key, ObjectReference):
        value = key.get()
        return "an object that is gone" if value is None else f"the object {value!r}"
    if isinstance(key, tuple) and len(key) == 2 and isinstance(key[0], type):
        return f"the Python value {key[1] if key[0] in (float, complex) else repr(key[1])}"
    return f"the Python value {key!r}"
