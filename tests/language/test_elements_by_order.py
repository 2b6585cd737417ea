"""What `sorted`, `heapq.nsmallest` and `list.pop` give out by what only a run knows: lists and objects, and not copies.

What is changed through them is changed for whoever has them too, or a refusal names its file, a line and a remedy.
"""

from __future__ import annotations

import pytest

import autograph as tf

from .heap_programs import filled, made
from .support import check
from .test_heap_regressions import equal_or_refused

PICKS = (
    "sorted(rows)[0]", "sorted(rows)[-1]", "sorted(rows, reverse=True)[1]", "sorted(rows, key=lambda r: -r[0])[0]",
    "sorted(r for r in rows)[0]", "list(reversed(sorted(rows)))[0]", "sorted(zip(rows, rows))[0][0]",
    "sorted((a, b))[0]", "sorted({1: a, 2: b}.items(), key=lambda item: item[1][0])[0][1]",
    "heapq.nsmallest(1, rows)[0]", "heapq.nlargest(2, rows)[1]", "rows.pop(n)", "rows.pop(-1 - n % 2)",
    "[rows.pop(n % 2), rows.pop(0)][0]",
)  # fmt: skip
CHANGES = (
    "pass", "x.append(9)", "x[0] = 9", "a.append(5)", "b[0] = 7", "rows.append(x)", "x.append(4); rows.append(x)",
    "rows.append(x); x.append(4)", "if n > 0: x.append(6)", "for i in range(n): x.append(i)",
    "y = sorted(rows)[0]; y.append(4)", "x.append(1); y = rows.pop(n - n); y.append(2)",
)  # fmt: skip
PROGRAM = """
import heapq
def f(n):
    a, b, c = [3], [n], [2]
    rows = [a, b, c]
    x = PICK
    CHANGE
    return RESULT
"""


@pytest.mark.parametrize("pick", PICKS)
@pytest.mark.parametrize("change", CHANGES)
def test_lists(pick: str, change: str) -> None:
    for result in ("a, b, c", "x, rows"):
        equal_or_refused(made(filled(PROGRAM, PICK=pick, CHANGE=change, RESULT=result)), 0, 1)


OBJECTS = """
class Item:
    def __init__(self, value):
        self.value, self.rank = value, -1

    def __lt__(self, other):
        return self.value < other.value

def f(n):
    a, b = Item(3), Item(n)
    rows = [a, b]
    CHANGE
    return a.rank, b.rank
"""


@pytest.mark.parametrize(
    "change",
    [
        "sorted(rows)[0].rank = 5",
        "for i, o in enumerate(sorted(rows)): o.rank = i",
        "for i, o in enumerate(sorted(rows, key=lambda o: -o.value)): o.rank = i",
        "x = sorted(rows, key=lambda o: o.value, reverse=True); x[0].rank = 1",
        "rows.pop(n % 2).rank = 4",
        "rows.sort(); rows[0].rank = 3",
    ],
)
def test_objects(change: str) -> None:
    equal_or_refused(made(filled(OBJECTS, CHANGE=change)), 0, 1, 5)


def test_what_nobody_else_uses_may_be_changed() -> None:
    def ordered(n):
        rows = sorted([[3, 1], [n, 2]])
        rows[0].append(5)
        rows[1].append(6)
        return rows

    def popped(n):
        rows = [[1], [2], [n]]
        x = rows.pop(n)
        x.append(4)
        y = rows.pop(n)
        y.append(5)
        return x, y, rows

    def put_back(n):
        stack, found = [[n]], []
        while len(stack) > 0:
            top = stack.pop()
            if len(top) < 3:
                top.append(len(top))
                stack.append(top)
            else:
                found.append(top[-1])
        return found

    for function in (ordered, popped, put_back):
        check(function, 1)


def test_whether_what_was_sorted_is_an_object() -> None:
    def f(n):
        a, b = [3], [n]
        return sorted([a, b])[0] is b

    with pytest.raises(tf.errors.StagedValueError, match="whether two objects of class `list` are the same one"):
        tf.function(f)(tf.constant(1))


def test_the_sum_of_lists() -> None:
    def f(n):
        a = [1]
        if n > 0:
            a.append(n)
        total = sum([a, [2]], [])
        total[0] = 8
        return total, a, len(sum((x for x in [a, [2], a]), [])), sum([(1,), (n,)], ()), sum([a, a], [5])

    check(f, 0, 1)


def test_an_element_that_is_taken_twice_and_changed_once_it_is_out() -> None:
    def changed(n):
        rows = [[1], [2]]
        row = rows[n - n]
        taken = rows.pop(n - n)
        taken.append(5)
        return row

    def changed_in_a_branch(n):
        rows = [[k] for k in range(3)]
        row = rows[n - n]
        taken = rows.pop(n - n)
        if n > 2:
            taken.append(5)
        return row

    def unchanged(n):
        rows = [[1], [2]]
        row = rows[n - n]
        taken = rows.pop(n - n)
        return row, taken, rows

    for function in (changed, changed_in_a_branch):
        with pytest.raises(tf.errors.MutationError, match="is read after the list has changed"):
            tf.function(function)(tf.constant(1))
    check(unchanged, 1, 5)
