"""Stores in staged bodies of what a place held while the function was traced: a run may find another value there."""

from __future__ import annotations

from typing import Any

import pytest

import autograph as tf

ONE, NONE = tf.constant(1), tf.constant(0)


class Machine:
    def __init__(self, held: Any) -> None:
        self.held = held


COUNT = 0
TABLE = {"held": 0}
MACHINE = Machine(0)


class Global:
    def set(self, value: Any) -> None:
        global COUNT
        COUNT = value

    def get(self) -> Any:
        return COUNT

    def function(self) -> Any:
        def store(n):
            global COUNT
            if n > 0:
                COUNT = 0

        return store


class Attribute:
    def set(self, value: Any) -> None:
        MACHINE.held = value

    def get(self) -> Any:
        return MACHINE.held

    def function(self) -> Any:
        def store(n):
            if n > 0:
                MACHINE.held = 0

        return store


class OfArgument(Attribute):
    def function(self) -> Any:
        def store(machine, n):
            if n > 0:
                machine.held = 0

        return lambda n: store(MACHINE, n)


class BySetattr(Attribute):
    def function(self) -> Any:
        def store(n):
            if n > 0:
                setattr(MACHINE, "held", 0)

        return store


class InHelper(Attribute):
    def function(self) -> Any:
        def reset(machine):
            machine.held = 0

        def store(n):
            if n > 0:
                reset(MACHINE)

        return store


class InLoop(Attribute):
    def function(self) -> Any:
        def store(n):
            for _ in range(n):
                MACHINE.held = 0

        return store


class InTwoBranches(Attribute):
    def function(self) -> Any:
        def store(n):
            if n > 5:
                MACHINE.held = 0
            elif n > 0:
                MACHINE.held = 0

        return store


class SetTwice(Attribute):
    def function(self) -> Any:
        def store(n):
            if n > 0:
                MACHINE.held = 1
                MACHINE.held = 0

        return store


class Calculated(Attribute):
    def function(self) -> Any:
        def store(n):
            if n > 0:
                MACHINE.held *= 0

        return store


class Key:
    def set(self, value: Any) -> None:
        TABLE["held"] = value

    def get(self) -> Any:
        return TABLE["held"]

    def function(self) -> Any:
        def store(n):
            if n > 0:
                TABLE["held"] = 0

        return store


class Nonlocal:
    def __init__(self) -> None:
        held = 0

        def put(value):
            nonlocal held
            held = value

        def store(n):
            nonlocal held
            if n > 0:
                held = 0

        self.set, self.get, self.store = put, lambda: held, store

    def function(self) -> Any:
        return self.store


PLACES = [
    Global, Attribute, OfArgument, BySetattr, InHelper, InLoop, InTwoBranches, SetTwice, Calculated, Key, Nonlocal
]  # fmt: skip


@pytest.mark.parametrize("kind", PLACES)
def test_a_store_of_what_is_there_is_made_in_each_run(kind: Any) -> None:
    place = kind()
    place.set(0)
    store = tf.function(place.function())
    store(ONE)
    assert int(place.get()) == 0
    for value in (7, 3):
        place.set(value)
        store(NONE)
        assert int(place.get()) == value
        store(ONE)
        assert int(place.get()) == 0


@pytest.mark.parametrize("held, other", [(False, True), (0.5, 2.0), ("a", "b")])
def test_values_of_all_kinds(held: Any, other: Any) -> None:
    machine = Machine(held)

    @tf.function
    def store(n):
        if n > 0:
            machine.held = held

    store(ONE)
    machine.held = other
    store(NONE)
    assert tf.convert_to_tensor(machine.held).numpy() == tf.constant(other).numpy()
    store(ONE)
    assert tf.convert_to_tensor(machine.held).numpy() == tf.constant(held).numpy()


def test_one_function_sets_what_another_one_resets() -> None:
    machine = Machine(False)

    @tf.function
    def start(n):
        if n > 0:
            machine.held = True

    @tf.function
    def stop(n):
        if n > 0:
            machine.held = False

    stop(ONE)
    start(ONE)
    assert bool(machine.held)
    stop(ONE)
    assert not bool(machine.held)


def test_values_that_happen_to_be_equal_at_first() -> None:
    def states(run: Any) -> list[int]:
        machine = Machine(0)
        machine.step = 1

        def advance(n):
            machine.held = machine.held + machine.step
            if n > 2:
                machine.step = machine.held
            return machine.held

        advance = run(advance)
        return [int(advance(tf.constant(n))) for n in (1, -1, 3, 5, 0)]

    assert states(tf.function) == states(lambda f: f) == [1, 2, 3, 6, 12]


def test_what_only_the_trace_has_made_costs_nothing() -> None:
    traces = []

    @tf.function
    def f(n):
        traces.append(1)
        machine = Machine(0)
        if n > 0:
            machine.held = 0
        return machine.held

    assert int(f(ONE)) == int(f(NONE)) == 0
    assert len(traces) == 1
