"""A third back end, written from the docstring of `Backend` alone."""

from __future__ import annotations

import pytest

import autograph.operators as ag__
from autograph.operators import dispatch
from autograph.operators.state import Journal


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
    dispatch._by_type.pop(Both, None)


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
        dispatch._by_type.pop(Late, None)


def test_plain_values_have_none():
    assert dispatch.backend_of(1, "a", [], None, lambda: 0) is None
    assert not dispatch.staging()
