"""Random patterns match as Python matches them: the same case, the same captures, the same errors."""

from __future__ import annotations

import itertools
import linecache
from collections import OrderedDict, UserList, defaultdict, deque, namedtuple
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from autograph import operators as ag
from autograph.pipeline import converted


@dataclass
class Pair:
    left: Any
    right: Any


Triple = namedtuple("Triple", "a b c")


class Names:
    ONE = 1
    KEY = "k"
    NOTHING = None


class Partial:
    """Has fewer attributes than it says."""

    __match_args__ = ("left", "missing")
    left = 1


class Broken:
    __match_args__ = ["left"]


SPACE = {"Pair": Pair, "Triple": Triple, "Names": Names, "Partial": Partial, "Broken": Broken}

LITERALS = st.sampled_from(["0", "1", "-1", "1.0", "'k'", "'ab'", "b'ab'", "True", "None", "1 + 2j", "Names.ONE"])
KEYS = st.lists(st.sampled_from(["'k'", "'l'", "1", "None", "Names.KEY"]), max_size=2, unique=True)
SELF_MATCHING = st.sampled_from(["int", "str", "list", "dict", "bool", "float", "tuple", "bytes", "set"])


@st.composite
def patterns(draw: st.DrawFn, names: Any, depth: int = 2, capturing: bool = True) -> str:
    """The text of a pattern; `names` gives the next capture's name."""
    kinds = ["literal", "wildcard"] + ["capture"] * capturing
    if depth:
        kinds += ["sequence", "sequence", "mapping", "class", "or"] + ["as", "or with captures"] * capturing
    kind = draw(st.sampled_from(kinds))

    def inner(capturing: bool = capturing) -> str:
        return draw(patterns(names, depth - 1, capturing))

    if kind == "literal":
        return draw(LITERALS)
    if kind == "capture":
        return next(names)
    if kind == "sequence":
        parts = [inner() for _ in range(draw(st.integers(0, 3)))]
        if draw(st.booleans()):
            star = f"*{next(names)}" if capturing and draw(st.booleans()) else "*_"
            parts.insert(draw(st.integers(0, len(parts))), star)
        return "[" + ", ".join(parts) + "]"
    if kind == "mapping":
        parts = [f"{key}: {inner()}" for key in draw(KEYS)]
        if capturing and draw(st.booleans()):
            parts.append(f"**{next(names)}")
        return "{" + ", ".join(parts) + "}"
    if kind == "class":
        return _class_pattern(draw, inner)
    if kind == "or":
        return "(" + " | ".join([inner(False) if draw(st.booleans()) else draw(LITERALS) for _ in "12"] + ["3"]) + ")"
    if kind == "as":
        return f"({draw(LITERALS)} | [*_] | int() as {next(names)})"
    if kind == "or with captures":
        name = next(names)
        return f"([{inner(False)}, {name}] | [{name}] | {{'k': {name}}})"
    return "_"


def _class_pattern(draw: st.DrawFn, inner: Callable[[], str]) -> str:
    kind = draw(st.integers(0, 3))
    if kind == 0:
        return f"{draw(SELF_MATCHING)}({inner() if draw(st.booleans()) else ''})"
    if kind == 1:
        return f"Pair({inner()}, right={inner()})"
    if kind == 2:
        return "Triple(" + ", ".join(inner() for _ in range(draw(st.integers(0, 4)))) + ")"
    return draw(st.sampled_from(["Partial(1, _)", "Partial(left=1)", "Broken(1)", "Pair(1, left=2)", "Pair(right=_)"]))


SUBJECTS = st.recursive(
    st.sampled_from([0, 1, -1, 1.0, 1 + 2j, True, False, None, "k", "ab", b"ab", "", Partial(), Broken(), {1, 2}, 3]),
    lambda parts: st.one_of(
        st.lists(parts, max_size=3),
        st.lists(parts, max_size=3).map(tuple),
        st.lists(parts, max_size=3).map(deque),
        st.lists(parts, max_size=3).map(UserList),
        st.dictionaries(st.sampled_from(["k", "l", 1, None]), parts, max_size=3),
        st.dictionaries(st.sampled_from(["k", "l"]), parts, max_size=2).map(OrderedDict),
        st.dictionaries(st.sampled_from(["k", "l"]), parts, max_size=2).map(lambda d: defaultdict(list, d)),
        st.builds(Pair, parts, parts),
        st.builds(Triple, parts, parts, parts),
        st.sampled_from([range(2), bytearray(b"ab"), memoryview(b"ab"), "text"]),
    ),
    max_leaves=6,
)

_files = itertools.count()


@st.composite
def functions(draw: st.DrawFn) -> str:
    lines = ["def function(subject):", "    match subject:"]
    for case in range(draw(st.integers(2, 6))):
        count = itertools.count()
        names = (f"n{case}_{next(count)}" for _ in itertools.count())
        pattern = draw(patterns(names))
        used = [f"n{case}_{index}" for index in range(next(count))]
        used = [name for name in used if name in pattern]
        guard = f" if {used[-1]}" if used and draw(st.booleans()) else ""
        text = pattern if draw(st.integers(0, 3)) else f"[{pattern}, *_] | [*_, {pattern}]"
        lines.append(f"        case {text}{guard}:")
        lines.append(f"            return {case}, {', '.join(used)}{',' if used else ''}")
    lines.append("    return 'none'")
    return "\n".join(lines) + "\n"


def define(text: str) -> Callable[[Any], Any]:
    """The function, with its source where tools find it."""
    filename = f"<pattern {next(_files)}>"
    code = compile(text, filename, "exec")
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    namespace = dict(SPACE, __name__=__name__)
    exec(code, namespace)
    return namespace["function"]


def outcome(function: Callable[[Any], Any], subject: Any) -> str:
    try:
        return repr(function(subject))
    except Exception as error:
        return f"{type(error).__name__}: {error}"


@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
@given(functions(), st.lists(SUBJECTS, min_size=3, max_size=8))
def test_as_python_matches(text: str, subjects: list[Any]) -> None:
    try:
        function = define(text)
    except SyntaxError:  # an irrefutable pattern in front of others, or a key twice
        return
    staged = converted(function, staged=True)
    for subject in subjects:
        assert outcome(staged, subject) == outcome(function, subject), f"{text}\nsubject: {subject!r}"


def test_unpacking_a_sequence_that_lies_about_its_length() -> None:
    class Lying(UserList):
        def __len__(self) -> int:
            return 2

    function = define("def function(subject):\n    match subject:\n        case [a, b]:\n            return a\n")
    for length in (1, 3):
        subject = Lying([1] * length)
        assert outcome(converted(function, staged=True), subject) == outcome(function, subject)


def test_found() -> None:
    found = ag.match([1, [2, 3]], ag.Sequence(ag.Capture("a"), ag.As(ag.Sequence(2, ag.ANY), "rest")))
    assert found.test is True
    assert (found["a"], found["rest"]) == (1, [2, 3])
    assert ag.match("ab", ag.Sequence(ag.ANY, ag.ANY)).test is False
