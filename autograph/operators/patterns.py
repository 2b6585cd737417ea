"""`match`: what patterns are at run time, and how a subject is matched with them.

Python's rules (PEP 634, and what CPython makes of them) hold to the letter on plain values. A comparison with a
staged value is a staged test: it is set aside while the structure is matched, which is known while tracing; the test of
the whole pattern is the conjunction of those set aside.

>>> found = match(("go", "north"), Sequence("go", Capture("direction")))
>>> found.test, found["direction"]
(True, 'north')
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import Any

from .arithmetic import eq
from .attributes import get_attribute
from .builtin_calls import truth
from .control_flow import if_exp
from .dispatch import Thunk, backend_of, staging
from .logical import and_, is_, or_
from .staging.control.refused import is_refusal
from .staging.heap.heap import staged

# The type flags Py_TPFLAGS_SEQUENCE, Py_TPFLAGS_MAPPING and _Py_TPFLAGS_MATCH_SELF of CPython.
_IS_SEQUENCE = 1 << 5
_IS_MAPPING = 1 << 6
_MATCHES_ITSELF = 1 << 22

Captures = dict[str, Any]
Test = Any
"""True, False, or a staged bool."""

_ABSENT = object()
_CLASS = "class" if sys.version_info >= (3, 12) else "type"


class Found:
    """What matching has found: whether the pattern matches (``test``, maybe staged), and what it captures."""

    __slots__ = ("captures", "test")

    def __init__(self, test: Test, captures: Captures) -> None:
        self.test = test
        self.captures = captures

    def __getitem__(self, name: str) -> Any:
        return self.captures[name]


def match(subject: object, pattern: object) -> Found:
    """Matches a subject with a pattern, from left to right."""
    captures: Captures = {}
    return Found(_match(pattern, subject, captures), captures)


def _match(pattern: object, subject: object, captures: Captures) -> Test:
    if isinstance(pattern, Pattern):
        return pattern.match(subject, captures)
    if pattern is None or pattern is True or pattern is False:
        return is_(subject, pattern)
    return _equal(subject, pattern)


def _equal(subject: object, value: object) -> Test:
    result = truth(eq(subject, value))
    return result if backend_of(result) is not None else bool(result)


def _match_all(pairs: Iterable[tuple[Any, Any]], captures: Captures) -> Test:
    """Whether all of some pairs of a pattern and its subject match."""
    staged: Test = True
    for pattern, subject in pairs:
        test = _match(pattern, subject, captures)
        if test is False:
            return False
        staged = _both(staged, test)
    return staged


def _both(left: Test, right: Test) -> Test:
    if left is True:
        return right
    return left if right is True else and_(left, lambda: right)


class Pattern:
    """One kind of pattern. A literal stands for itself wherever a pattern is asked for."""

    __slots__ = ()

    def match(self, subject: object, captures: Captures) -> Test:
        """Returns whether the subject matches, and adds the captures; those of a pattern that fails are not used."""
        raise NotImplementedError


class Wildcard(Pattern):
    """``_``"""

    __slots__ = ()

    def match(self, subject: object, captures: Captures) -> Test:
        return True


ANY = Wildcard()


class Capture(Pattern):
    """``name``"""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def match(self, subject: object, captures: Captures) -> Test:
        captures[self.name] = subject
        return True


class Star(Capture):
    """``*name`` in a sequence."""

    __slots__ = ()


class StarWildcard(Wildcard):
    """``*_`` in a sequence."""

    __slots__ = ()


ANY_REST = StarWildcard()


class Value(Pattern):
    """A dotted name: ``Value(lambda: Color.RED)``."""

    __slots__ = ("load",)

    def __init__(self, load: Thunk) -> None:
        self.load = load

    def match(self, subject: object, captures: Captures) -> Test:
        return _equal(subject, self.load())


class As(Pattern):
    """``pattern as name``"""

    __slots__ = ("name", "pattern")

    def __init__(self, pattern: object, name: str) -> None:
        self.pattern = pattern
        self.name = name

    def match(self, subject: object, captures: Captures) -> Test:
        captures[self.name] = subject
        return _match(self.pattern, subject, captures)


class Or(Pattern):
    """``first | second | …``"""

    __slots__ = ("alternatives",)

    def __init__(self, *alternatives: object) -> None:
        self.alternatives = alternatives

    def match(self, subject: object, captures: Captures) -> Test:
        test, found = self._first_from(0, subject)
        captures.update(found)
        return test

    def _first_from(self, position: int, subject: object) -> tuple[Test, Captures]:
        if position == len(self.alternatives):
            return False, {}
        captures: Captures = {}
        test = _match(self.alternatives[position], subject, captures)
        if test is True:
            return True, captures
        other_test, others = self._first_from(position + 1, subject)
        if test is False:
            return other_test, others
        if other_test is False:
            return test, captures
        merged = {name: _choose(test, value, others[name]) for name, value in captures.items()}
        return or_(test, lambda: other_test), merged


def _choose(test: Test, value: object, other: object) -> Any:
    return value if value is other else if_exp(test, lambda: value, lambda: other)


class Sequence(Pattern):
    """``[first, *rest]``, for lists, tuples and whatever else Python takes for a sequence (text is not one)."""

    __slots__ = ("patterns", "star")

    def __init__(self, *patterns: object) -> None:
        self.patterns = patterns
        self.star = next((at for at, each in enumerate(patterns) if isinstance(each, Star | StarWildcard)), None)

    def match(self, subject: Any, captures: Captures) -> Test:
        patterns, star = self.patterns, self.star
        subject = staged(subject)
        backend = backend_of(subject)
        if backend is not None:
            backend.check_pattern(subject)
        if not type(subject).__flags__ & _IS_SEQUENCE:
            return False
        if star is None:
            if len(subject) != len(patterns):
                return False
        elif len(patterns) > 1 and len(subject) < len(patterns) - 1:
            return False
        if all(isinstance(each, Wildcard) for each in patterns):
            return True
        if star is None:
            return _match_all(zip(patterns, _unpacked(subject, len(patterns)), strict=True), captures)
        if isinstance(patterns[star], StarWildcard):
            return _match_all(self._looked_at(subject), captures)
        items = _unpacked_with_star(subject, star, len(patterns) - star - 1)
        return _match_all(zip(patterns, items, strict=True), captures)

    def _looked_at(self, subject: Any) -> Iterable[tuple[Any, Any]]:
        """With `*_`: only the items that a pattern looks at, taken by their index."""
        size = len(self.patterns)
        for position, pattern in enumerate(self.patterns):
            if not isinstance(pattern, Wildcard):
                before = position < self.star  # type: ignore[operator]
                yield pattern, subject[position if before else len(subject) - (size - position)]


def _unpacked(subject: Any, count: int) -> list[Any]:
    """The items of a sequence, by unpacking; one whose length lies fails as in Python."""
    items: list[Any] = []
    for item in subject:
        if len(items) == count:
            raise ValueError(f"too many values to unpack (expected {count})")
        items.append(item)
    if len(items) < count:
        raise ValueError(f"not enough values to unpack (expected {count}, got {len(items)})")
    return items


def _unpacked_with_star(subject: Any, before: int, after: int) -> list[Any]:
    items = list(subject)
    if len(items) < before + after:
        raise ValueError(f"not enough values to unpack (expected at least {before + after}, got {len(items)})")
    end = len(items) - after
    return [*items[:before], items[before:end], *items[end:]]


class Mapping(Pattern):
    """``{key: pattern, **rest}``, as ``Mapping({key: pattern}, rest="rest")``.

    When a key is a dotted name, the items come as ``lambda: ((key, pattern), …)``, with their count: keys are evaluated
    only when the subject is a mapping that is large enough.
    """

    __slots__ = ("count", "items", "rest")

    def __init__(
        self,
        items: dict[Any, Any] | Callable[[], tuple[tuple[Any, Any], ...]],
        count: int | None = None,
        rest: str | None = None,
    ) -> None:
        self.items = items
        self.count = len(items) if isinstance(items, dict) else count or 0
        self.rest = rest

    def match(self, subject: Any, captures: Captures) -> Test:
        backend = backend_of(staged(subject))
        if backend is not None:
            backend.check_pattern(staged(subject))
        if not type(subject).__flags__ & _IS_MAPPING:
            return False
        if self.count and len(subject) < self.count:
            return False
        items = tuple(self.items.items()) if isinstance(self.items, dict) else self.items()
        keys = [key for key, _ in items]
        values = _values_of_keys(subject, keys)
        if values is None:
            return False
        test = _match_all(zip((pattern for _, pattern in items), values, strict=True), captures)
        if test is not False and self.rest is not None:
            rest = captures[self.rest] = {}
            rest.update(subject)
            for key in keys:
                del rest[key]
        return test


def _values_of_keys(subject: Any, keys: list[Any]) -> list[Any] | None:
    if not keys:
        return []
    get = subject.get
    seen = set()
    values = []
    for key in keys:
        if key in seen:
            raise ValueError(f"mapping pattern checks duplicate key ({key!r})")
        seen.add(key)
        value = get(key, _ABSENT)
        if value is _ABSENT:
            return None
        values.append(value)
    return values


class Class(Pattern):
    """``Point(0, y=1)``, as ``Class(lambda: Point, 0, y=1)``."""

    __slots__ = ("keywords", "load", "positional")

    def __init__(self, load: Callable[[], Any], /, *positional: object, **keywords: object) -> None:
        self.load = load
        self.positional = positional
        self.keywords = keywords

    def match(self, subject: object, captures: Captures) -> Test:
        cls = self.load()
        if not isinstance(cls, type):
            raise TypeError(f"called match pattern must be a {_CLASS}")
        fits = _isinstance(subject, cls)
        if fits is False:
            return False
        attributes = self._attributes(subject, cls)
        if attributes is None:
            return False
        rest = _match_all(zip((*self.positional, *self.keywords.values()), attributes, strict=True), captures)
        return _both(fits, rest)

    def _attributes(self, subject: object, cls: type) -> list[Any] | None:
        """What the sub-patterns are matched with, or `None` when an attribute is missing."""
        seen: set[str] = set()
        values: list[Any] = []
        names: list[str] = []
        count = len(self.positional)
        if count:
            match_self, arguments = _positional_names(cls)
            allowed = 1 if match_self else len(arguments)
            if allowed < count:
                plural = "" if allowed == 1 else "s"
                raise TypeError(f"{cls.__name__}() accepts {allowed} positional sub-pattern{plural} ({count} given)")
            if match_self:
                values.append(subject)
            names.extend(arguments[:count])
        for position, name in enumerate((*names, *self.keywords)):
            if position < len(names) and type(name) is not str:
                raise TypeError(f"__match_args__ elements must be strings (got {type(name).__name__})")
            if name in seen:
                raise TypeError(f"{cls.__name__}() got multiple sub-patterns for attribute {name!r}")
            seen.add(name)
            try:
                values.append(get_attribute(subject, name) if staging() else getattr(subject, name))
            except AttributeError as error:
                if is_refusal(error):
                    raise
                return None
        return values


def _isinstance(subject: object, cls: type) -> Test:
    """Whether a subject is of a class; for a staged value, of which Python value that is stands for."""
    backend = backend_of(subject)
    function = None if backend is None or not backend.staging() else backend.replacement(isinstance)
    return isinstance(subject, cls) if function is None else function(subject, cls)


def _positional_names(cls: type) -> tuple[bool, tuple[str, ...]]:
    """Whether the one positional sub-pattern is matched with the subject itself, and `__match_args__`."""
    try:
        names = cls.__match_args__  # type: ignore[attr-defined]
    except AttributeError:
        return bool(cls.__flags__ & _MATCHES_ITSELF), ()
    if type(names) is not tuple:
        raise TypeError(f"{cls.__name__}.__match_args__ must be a tuple (got {type(names).__name__})")
    return False, names
