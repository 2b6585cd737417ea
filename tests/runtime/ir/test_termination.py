"""Loops whose end is certain may be left out when nobody needs what they compute; no other loop may."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import autograph as tf
from autograph.runtime.ir.termination import ends


def ended_by_a_bound(n: Any) -> None:
    i = 0
    while i < n:
        i += 1


def counted_down(n: Any) -> None:
    while 0 <= n:
        n = n - 3


def one_part_is_enough(n: Any) -> None:
    i, found = n, False
    while not found and i < 3 * n:
        found = i * i == n
        i = 1 + i


def over_a_range(n: Any) -> None:
    total = n
    for i in range(n):
        if i > 3:
            break
        total += i


def may_pass_the_greatest_number(n: Any) -> None:
    i = 0 * n
    while i <= n:
        i += 1


def steps_that_may_pass_it(n: Any) -> None:
    i = 0 * n
    while i < n:
        i += 2


def goes_the_other_way(n: Any) -> None:
    while n < 10:
        n = n - 1


def does_not_move(n: Any) -> None:
    while n < 10:
        n = n + 0


def moves_in_some_turns(n: Any) -> None:
    i = 0 * n
    while i < n:
        if i != 3:
            i += 1


def has_a_bound_that_moves(n: Any) -> None:
    i = 0 * n
    while i < n:
        i, n = i + 1, n + 1


def has_two_ways_to_go_on(n: Any) -> None:
    i = 0 * n
    while i < n or n == 3:
        i += 1


def counts_floats(n: Any) -> None:
    x = tf.cast(n, tf.float32)
    while x < 100.0:
        x += 1.0


def depends_on_values(n: Any) -> None:
    while n != 1:
        n = n // 2


CERTAIN = [ended_by_a_bound, counted_down, one_part_is_enough, over_a_range]
UNCERTAIN = [
    may_pass_the_greatest_number, steps_that_may_pass_it, goes_the_other_way, does_not_move, moves_in_some_turns,
    has_a_bound_that_moves, has_two_ways_to_go_on, counts_floats, depends_on_values,
]  # fmt: skip


@pytest.mark.parametrize("function", CERTAIN + UNCERTAIN, ids=lambda function: function.__name__)
def test_ends(function: Callable[[Any], None]) -> None:
    concrete = tf.function(function).get_concrete_function(tf.TensorSpec((), tf.int32))
    (loop,) = (node for node in concrete.graph.nodes if node.op.name == "while")
    assert ends(loop) is (function in CERTAIN)
    kept = any(node.op.name == "while" for node in concrete.optimized_graph.nodes)
    assert kept is (function not in CERTAIN)
