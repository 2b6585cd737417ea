"""A third back end, written from the docstring of `Backend` alone."""

from __future__ import annotations

import pytest

import autograph as tf
import autograph.operators as ag__
from autograph.operators import dispatch
from autograph.operators.staging.heap.state import Journal, locations


class Both:
    """A condition of which both outcomes are followed: the toy back end collects all results."""


class Nondeterministic(dispatch.Backend):
    name = "nondeterministic"

    def owns(self, value_type):
        return value_type is Both

    def staging(self):
        return False

    def if_stmt(self, test, body, orelse, names):
        results = []
        for branch in (body, orelse):
            journal = Journal((branch,), names)
            with journal:
                results.append(branch())
                changed = {location.label: new for location, _, new in journal.changes().values()}
                journal.undo()
            results.append(changed)
        return results


@pytest.fixture
def backend():
    made = Nondeterministic()
    dispatch.register_backend(made)
    yield made
    dispatch._backends.remove(made)
    dispatch.owner_of.known.clear()


def test_the_operators_find_it_by_type(backend):
    x = 1
    table = {}

    def if_body():
        nonlocal x
        x = 2
        ag__.mut(table)["k"] = 5
        return "then"

    def else_body():
        nonlocal x
        x = 3

    assert ag__.if_stmt(Both(), if_body, else_body, ("x",)) == ["then", {"x": 2, "table": {"k": 5}}, None, {"x": 3}]
    assert x == 1 and table == {}


def test_types_seen_before_are_asked_for_again(backend):
    class Late:
        pass

    assert dispatch.backend_of(Late()) is None

    class Owner(Nondeterministic):
        def owns(self, value_type):
            return value_type is Late

    owner = Owner()
    dispatch.register_backend(owner)
    try:
        assert dispatch.backend_of(1, Late()) is owner
    finally:
        dispatch._backends.remove(owner)
        dispatch.owner_of.known.clear()


def test_plain_values_have_none():
    assert dispatch.backend_of(1, "a", [], None, lambda: 0) is None
    assert not dispatch.staging()


class Text:
    """A value of which the text is known; operations write lines."""

    lines: list[str] = []
    tracing = False
    depth = 0

    def __init__(self, text):
        self.text = text

    def __repr__(self):
        return self.text

    @classmethod
    def new(cls, text):
        made = cls(f"t{len(cls.lines)}")
        cls.lines.append("  " * cls.depth + f"{made} = {text}")
        return made

    def __bool__(self):
        raise TypeError("a text has no truth")

    __hash__ = None

    def __add__(self, other):
        return self.new(f"{self} + {other}")

    def __rmul__(self, other):
        return self.new(f"{other} * {self}")

    def __floordiv__(self, other):
        return self.new(f"{self} // {other}")

    def __mod__(self, other):
        return self.new(f"{self} % {other}")

    def __eq__(self, other):
        return self.new(f"{self} == {other}")

    def __ne__(self, other):
        return self.new(f"{self} != {other}")


class Writer(dispatch.Backend):
    """Writes control flow as text: what the docstring of `Backend` says is enough for this."""

    name = "text"

    def owns(self, value_type):
        return value_type is Text

    def staging(self):
        return Text.tracing

    def run(self, bodies, names):
        Text.depth += 1
        with Journal(bodies, names) as journal:
            results = [body() for body in bodies]
            changes = journal.changes()
            journal.undo()
        Text.depth -= 1
        return results, changes

    def if_stmt(self, test, body, orelse, names):
        (then,), changed = self.run((body,), names)
        (other,), changed_too = self.run((orelse,), names)
        for key, (location, old, _) in {**changed, **changed_too}.items():
            ways = [changes[key][2] if key in changes else old for changes in (changed, changed_too)]
            location.set(Text.new(f"{test} ? {ways[0]} : {ways[1]}"))
        return None if then is other is None else Text.new(f"{test} ? {then} : {other}")

    def while_stmt(self, go, test, body, names, options):
        state = {each.key: each for each in locations((body, test), names) if each.name in names}
        for location in state.values():
            location.set(Text.new(f"first {location.label} {location.get()}"))
        (_, go), changes = self.run((body, test), names)
        for location in state.values():
            location.set(Text.new(f"{location.label}, {changes[location.key][2]} while {go}"))
        return False


def collatz(n):
    steps = 0
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps = steps + 1
    return steps


def test_a_back_end_that_writes_text(monkeypatch):
    made = Writer()
    dispatch.register_backend(made)
    monkeypatch.setattr(Text, "tracing", True)
    monkeypatch.setattr(Text, "lines", [])
    try:
        result = tf.to_graph(collatz)(Text("x"))
    finally:
        dispatch._backends.remove(made)
        dispatch.open_traces.remove(made)
        dispatch.owner_of.known.clear()
    assert (result.text, Text.lines) == (
        "t12",
        [
            "t0 = x != 1",
            "t1 = first n x",
            "t2 = first steps 0",
            "  t3 = t1 % 2",
            "  t4 = t3 == 0",
            "    t5 = t1 // 2",
            "    t6 = 3 * t1",
            "    t7 = t6 + 1",
            "  t8 = t4 ? t5 : t7",
            "  t9 = t2 + 1",
            "  t10 = t8 != 1",
            "t11 = n, t8 while t10",
            "t12 = steps, t9 while t10",
        ],
    )
