"""Members of enumerations of which a staged condition has chosen one; and what a chosen function or member is."""

from __future__ import annotations

import enum
import types
from collections.abc import Callable

import pytest

import autograph as tf

from .support import check


class Color(enum.Enum):
    RED = 1
    BLUE = 2
    GREEN = 3


class Access(enum.Flag):
    NONE = 0
    READ = 1


class Operation(enum.Enum):
    ADD = "+"
    MULTIPLY = "*"

    @property
    def symbol(self):
        return self.value + "!"

    def apply(self, a, b):
        if a > 100:
            return a
        return a + b if self is Operation.ADD else a * b


def test_a_member_is_chosen() -> None:
    def f(n):
        color = Color.RED if n > 0 else Color.BLUE
        other = Color.RED if n > 1 else Color.GREEN
        operation = Operation.ADD
        if n > 1:
            operation = Operation.MULTIPLY
        match color:
            case Color.RED:
                matched = 1
            case _:
                matched = 2
        return (
            color is Color.RED, color != Color.BLUE, color.name, color.value, color is other, color == other, matched,
            color in (Color.RED, Color.GREEN), operation.symbol, operation.apply(n, 3), color.GREEN.value,
        )  # fmt: skip

    check(f, 1, 2, -1, 200)


def test_a_state_machine() -> None:
    def f(n):
        state, seen = Color.RED, 0
        for i in range(n):
            if state is Color.RED:
                state = Color.BLUE
            elif state is Color.BLUE:
                state = Color.GREEN
                seen += i
            else:
                state = Color.RED
        return state.name, seen, 0 if state == Color.RED else 1

    check(f, 0, 1, 2, 3, 8)


def test_members_in_objects_lists_and_results_of_functions() -> None:
    def f(n):
        def choose():
            if n > 0:
                return Color.RED
            return Color.BLUE

        holder = types.SimpleNamespace(color=Color.GREEN)
        table = {"color": Color.GREEN}
        if n > 1:
            holder.color = choose()
            table["color"] = Color.RED
        colors = []
        for i in range(n):
            colors.append(Color.RED if i % 2 == 0 else Color.BLUE)
        maybe = Color.RED if n > 0 else None
        return holder.color.value, table["color"].name, [each.value for each in colors], maybe is None

    check(f, 1, 2, 3)


class Machine:
    def __init__(self):
        self.mode = Color.RED


def test_a_member_is_state_outside() -> None:
    def step(machine, n):
        if machine.mode is Color.RED:
            if n > 0:
                machine.mode = Color.BLUE
        else:
            machine.mode = Color.GREEN if n > 0 else Color.RED
        return machine.mode.value

    staged, plain = Machine(), Machine()
    run = tf.function(lambda n: step(staged, n))
    for n in (-1, 1, 1, 1, -1):
        assert run(tf.constant(n)) == step(plain, n)
        assert staged.mode is plain.mode


def test_what_a_chosen_function_or_member_is() -> None:
    def one():
        return 1

    def other():
        return 2

    def f(n):
        chosen = one if n > 0 else other
        color = Color.RED if n > 0 else Color.BLUE
        access = Access.READ if n > 0 else Access.NONE
        maybe = None
        if n > 0:
            maybe = one
        return (
            isinstance(chosen, types.FunctionType), type(chosen) is types.FunctionType, callable(chosen), bool(chosen),
            isinstance(color, Color), isinstance(color, int), color.__class__.__name__, callable(color), not color,
            hasattr(color, "value"), hasattr(color, "label"), getattr(color, "label", 5), bool(access),
            callable(maybe), 1 if callable(maybe) else 2, callable(n),
        )  # fmt: skip

    check(f, 1, -1)


def text(n):
    return str(Color.RED if n > 0 else Color.BLUE)


def key(n):
    return {Color.RED: 1, Color.BLUE: 2}[Color.RED if n > 0 else Color.BLUE]


def attribute(n):
    color = Color.RED if n > 0 else Color.BLUE
    color.label = "a"
    return n


def combined(n):
    return (Access.READ if n > 0 else Access.NONE) | Access.READ


@pytest.mark.parametrize("function", [text, key, attribute, combined])
def test_what_a_graph_can_not_tell_is_refused(function: Callable[..., object]) -> None:
    with pytest.raises((tf.errors.StagingError, TypeError)):
        tf.function(function)(tf.constant(2))
