"""A journal sees what a body changes, and puts it back."""

from __future__ import annotations

from collections import deque

import pytest

import autograph.operators as ag__
from autograph.operators.staging.heap import state
from autograph.operators.staging.heap.locations import Uncarried
from autograph.operators.staging.heap.state import Journal


class Thing:
    def __init__(self):
        self.x = 1
        self.items = [1]


class Slotted:
    __slots__ = ("__private", "y")

    def __init__(self):
        self.y = 1
        self.__private = 2

    def change(self):
        ag__.mut(self).__private = 3
        del ag__.mut(self).y


def record(body, names=()):
    """The changes of a body as label -> (old, new); everything is put back."""
    journal = Journal((body,), names)
    with journal:
        body()
        found = journal.changes()
        journal.undo()
    return {location.label: (old, new) for location, old, new in found.values()}


def test_variables_that_are_needed():
    x, y = 1, 2

    def body():
        nonlocal x, y
        x, y = 10, 20

    assert record(body, ("x",)) == {"x": (1, 10)}
    assert (x, y) == (1, 2)


def test_a_variable_that_becomes_defined_and_one_that_is_deleted():
    y = 1

    def body():
        nonlocal x, y
        x = 1
        del y

    def never():
        return x

    assert record(body, ("x", "y")) == {"x": (ag__.UNDEFINED, 1), "y": (1, ag__.UNDEFINED)}
    assert y == 1
    with pytest.raises(NameError):
        never()
    x = 0


def test_contents_of_lists_and_dicts_and_attributes():
    values, table, thing = [1, 2], {"a": 1}, Thing()

    def body():
        values.append(3)
        del table["a"]
        thing.x = 5
        thing.items.append(2)

    assert record(body) == {
        "values": ([1, 2], [1, 2, 3]),
        "table": ({"a": 1}, {}),
        "thing.x": (1, 5),
        "thing.items": ([1], [1, 2]),
    }
    assert values == [1, 2] and table == {"a": 1} and thing.x == 1 and thing.items == [1]


def test_variables_that_a_called_function_announces():
    n = 0

    def bump():
        nonlocal n
        ag__.outer_writes(lambda: (n,))
        n += 1

    assert record(lambda: bump()) == {"n": (0, 1)}
    assert n == 0


def test_slots_and_private_names():
    thing = Slotted()

    def body():
        thing.change()

    found = record(body)
    assert found == {"thing._Slotted__private": (2, 3), "thing.y": (1, ag__.UNDEFINED)}
    assert thing.y == 1 and thing._Slotted__private == 2


@pytest.mark.parametrize(
    ("make", "change"),
    [
        (lambda: {1}, lambda obj: obj.add(2)),
        (lambda: deque([1]), lambda obj: obj.append(2)),
        (lambda: bytearray(b"a"), lambda obj: obj.append(98)),
    ],
)
def test_what_a_graph_cannot_carry_is_uncarried_and_put_back(make, change):
    obj, before = make(), make()

    def body():
        state.about_to_change(obj)
        change(obj)

    journal = Journal((body,))
    with journal:
        body()
        found = journal.changes()
        journal.undo()
    assert [type(location) for location, _, _ in found.values()] == [Uncarried]
    assert obj == before


def test_an_exception_puts_everything_back_and_closes_the_journal():
    values = []

    def body():
        values.append(1)
        raise KeyError("k")

    with pytest.raises(KeyError), Journal((body,)):
        body()
    assert values == [] and state.stack() == []


