"""L12: a list taken from a list by an index that only a run knows: it stays the one that it is in Python.

However the list is changed afterwards, and by whatever name, the program is as in Python, or a refusal names its file,
a line and a remedy.
"""

from __future__ import annotations

import itertools

import pytest

import autograph as tf

from .heap_programs import filled, made
from .test_heap_regressions import equal_or_refused

FIRST = (
    "pass", "b.append(8)", "rows[0].append(8)", "a.append(8)", "rows[n].append(8)", "rows[0] = [7]",
    "rows.append([5])", "rows.clear(); rows.append([9])",
)  # fmt: skip
THEN = (
    "pass", "b.append(5)", "a.append(2)", "rows[0].append(4)", "rows[n].append(2)", "rows[n] = rows[0]",
    "rows[n] = [4]", "rows[0] = [4]", "rows[n] = a", "rows[n] = b", "rows.append(b)", "rows.insert(0, [3])",
    "rows.pop(); rows.append([2])", "if n < 1: b.append(4)", "if n < 1: rows.insert(0, [3])", "if n < 1: rows[0] = [5]",
    "if n < 1: rows.pop(0); rows.append([6])", "for _ in range(n + 1): rows.insert(0, [3])",
    "for i in range(n + 1): rows[i] = [5]",
)  # fmt: skip
PROGRAM = """
def f(n):
    b = []
    rows = ROWS
    a = rows[n]
    FIRST
    THEN
    return RESULT
"""


@pytest.mark.parametrize("first", FIRST)
@pytest.mark.parametrize("then", THEN)
def test_what_a_taken_list_holds(first: str, then: str) -> None:
    for rows, result in itertools.product(("[b]", "[b, [1]]", "[b, b]"), ("a", "a, b, rows")):
        numbers = (0,) if rows == "[b]" else (0, 1)
        equal_or_refused(made(filled(PROGRAM, ROWS=rows, FIRST=first, THEN=then, RESULT=result)), *numbers)


def test_a_list_that_only_grows_keeps_its_elements_in_their_places() -> None:
    function = made(
        """
        def f(n):
            b = [1]
            rows = [b]
            a = rows[n]
            rows.append([5])
            rows[n].append(2)
            return a, rows
        """
    )
    found = tf.function(function)(tf.constant(0))
    assert [int(each) for each in found[0]] == [1, 2]
