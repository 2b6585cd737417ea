"""Conditions and text: plain values without a back end, staged ones through it, with a back end of the tests' own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from autograph import operators as ag
from autograph.operators import dispatch


class Staged:
    """A value that only its back end can look into."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __bool__(self) -> bool:
        raise AssertionError("the value of a staged condition is not known")

    def __eq__(self, other: object) -> Any:
        return Staged(self.value == plain(other))

    def __lt__(self, other: object) -> Any:
        return Staged(self.value < plain(other))

    __hash__ = None  # type: ignore[assignment]


def plain(value: Any) -> Any:
    return value.value if isinstance(value, Staged) else value


class Recording(dispatch.Backend):
    """Evaluates at once, and notes what it was asked for."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def owns(self, value_type: type) -> bool:
        return issubclass(value_type, Staged)

    def staging(self) -> bool:
        return False

    def not_(self, value: Any) -> Any:
        self.asked.append("not")
        return Staged(not plain(value))

    def and_(self, left: Any, right: Callable[[], Any]) -> Any:
        self.asked.append("and")
        return Staged(plain(left) and plain(right()))

    def or_(self, left: Any, right: Callable[[], Any]) -> Any:
        self.asked.append("or")
        return Staged(plain(left) or plain(right()))

    def contains(self, item: Any, container: Any) -> Any:
        self.asked.append("in")
        return Staged(plain(item) in [plain(each) for each in plain(container)])

    def is_(self, left: Any, right: Any) -> Any:
        self.asked.append("is")
        return Staged(plain(left) is plain(right))

    def if_stmt(self, test: Any, body: Any, orelse: Any, names: tuple[str, ...]) -> Any:
        self.asked.append("if")
        return Staged(plain(body() if plain(test) else orelse()))

    def format_value(self, value: Any, conversion: str | None, specification: str) -> Any:
        self.asked.append("format")
        return Staged(f"{conversion}:{specification}:{plain(value)}")

    def join_strings(self, parts: list[Any]) -> Any:
        self.asked.append("join")
        return Staged("".join(map(plain, parts)))


@pytest.fixture
def backend() -> Iterator[Recording]:
    recording = Recording()
    dispatch.register_backend(recording)
    yield recording
    dispatch._backends.remove(recording)
    dispatch.owner_of.known.clear()


def never() -> Any:
    raise AssertionError("evaluated though Python would not")


def test_plain_values_keep_pythons_results() -> None:
    assert ag.and_(1, lambda: 0, never) == 0
    assert ag.and_(1, lambda: 2, lambda: "last") == "last"
    assert ag.or_([], lambda: {}, lambda: 3, never) == 3
    assert ag.not_([]) is True
    assert ag.compare(1, ag.lt, lambda: 2, ag.gt, lambda: 5, ag.lt, never) is False
    assert ag.compare(1, ag.in_, lambda: [1], ag.is_not, lambda: None) is True
    assert ag.not_in(1, [2]) is True
    assert ag.joined_string("a", ag.format_value(2.5, None, ".2f"), ag.format_value("x", "r")) == "a2.50'x'"


def test_laziness_of_staged_operands_is_the_back_ends(backend: Recording) -> None:
    assert ag.and_(Staged(False), never).value is False
    assert ag.or_(1, never) == 1
    assert ag.or_(0, lambda: Staged(True), never).value is True
    assert backend.asked == ["and", "or"]


def test_rest_of_a_chain_of_operands_stays_one_operand(backend: Recording) -> None:
    assert ag.and_(Staged(True), lambda: 1, lambda: Staged(3), lambda: 5).value == 5
    assert ag.and_(Staged(True), lambda: 0, never).value == 0
    assert backend.asked == ["and", "and", "and"]


def test_chained_comparison(backend: Recording) -> None:
    evaluated = []
    middle = lambda: evaluated.append("middle") or Staged(2)  # noqa: E731
    assert ag.compare(Staged(1), ag.lt, middle, ag.lt, lambda: 3).value is True
    assert ag.compare(Staged(5), ag.lt, middle, ag.lt, never).value is False
    assert evaluated == ["middle", "middle"]


def test_membership_and_identity(backend: Recording) -> None:
    assert ag.in_(Staged(1), [1, 2]).value is True
    assert ag.in_(1, [Staged(3)]).value is False
    assert ag.not_in(1, Staged([1])).value is False
    assert ag.is_(Staged(None), None).value is True
    assert ag.is_not(None, Staged(None)).value is False
    assert backend.asked == ["in", "in", "in", "not", "is", "is", "not"]


def test_text(backend: Recording) -> None:
    value = ag.joined_string("<", ag.format_value(Staged(3), "r", "spec"), ">")
    assert value.value == "<r:spec:3>"


def test_patterns_put_staged_tests_aside(backend: Recording) -> None:
    subject = (Staged(1), [Staged(2), "tag"])
    found = ag.match(subject, ag.Sequence(1, ag.Sequence(ag.Capture("x"), "tag")))
    assert found.test.value is True
    assert found["x"] is subject[1][0]
    assert ag.match(subject, ag.Sequence(1, ag.Sequence(2, "other"))).test is False
    assert ag.match(subject, ag.Sequence(1, ag.Sequence(3, "tag"))).test.value is False


def test_alternatives_choose_their_captures(backend: Recording) -> None:
    pattern = ag.Or(ag.Sequence(1, ag.Capture("x")), ag.Sequence(ag.Capture("x"), 1))
    for first, second, expected in [(1, 7, 7), (7, 1, 7), (1, 1, 1)]:
        found = ag.match([Staged(first), Staged(second)], pattern)
        assert found.test.value is True
        assert found["x"].value == expected
    assert ag.match([Staged(2), Staged(3)], pattern).test.value is False
