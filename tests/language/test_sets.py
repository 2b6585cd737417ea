"""Sets of staged values: comprehensions over tensors, `set(x)`, `{x, y}`; what depends on no order works (L06)."""

from __future__ import annotations

import linecache
from typing import Any

import numpy as np
import pytest

import autograph as tf
from autograph.errors import BranchMismatchError, StagedTypeError, StagedValueError

from .support import as_python, assert_same


def run(body: str, n: int, staged: bool = True) -> Any:
    """What a function body gives that knows a set `s` of some numbers."""
    lines = ["def f(n):", "    s = {x * 3 % 4 for x in range(n)}", *["    " + line for line in body.split("\n")]]
    source = "\n".join(lines) + "\n"
    name = f"<sets {hash(source)}>"
    linecache.cache[name] = len(source), None, source.splitlines(True), name
    namespace: dict[str, Any] = {"__name__": __name__, "tf": tf}
    exec(compile(source, name, "exec"), namespace)
    function = namespace["f"]
    return as_python(tf.function(function)(tf.constant(n)) if staged else function(n))


WORKING = [
    "return len(s), 2 in s, 5 not in s, sum(s), sorted(s), max(s, default=-1), min(s, default=9), bool(s)",
    "return any(s), all(s), isinstance(s, set), isinstance(s, list), type(s) is set",
    "return s == {0, 3}, s != {0}, s <= {0, 1, 2, 3}, s < {0, 3}, s >= {0}, s > {0}, {0} <= s, s == [0], s == s",
    "t = {1, 2, n}\nreturn sorted(s | t), sorted(s & t), sorted(s - t), sorted(s ^ t)",
    "return sorted({1, 9} | s), sorted({0, 9} & s), sorted({0, 9} - s), sorted({0, 9} ^ s)",
    "return s.isdisjoint({1, 2}), s.issubset({0, 1, 2, 3}), s.issuperset([0]), sorted(s.union([7], {n}))",
    "return sorted(s.intersection([0, 3])), sorted(s.difference([0])), sorted(s.symmetric_difference([0, 9]))",
    "s.add(7)\ns.add(0)\ns.discard(3)\ns.discard(99)\nreturn sorted(s)",
    "s.update([1, 5], {6})\ns |= {9}\ns -= {0}\ns &= {9, 3, 5}\ns ^= {3}\nreturn sorted(s)",
    "t = s\nt.add(50)\nu = s.copy()\nu.add(60)\nreturn len(s), len(u)",
    "for i in range(n):\n    s.add(i + 10)\nreturn sorted(s)",
    "if n > 2:\n    s.add(99)\nelse:\n    s = {x for x in range(n + 4)}\nreturn sorted(s)",
    "return len({n, 1, 2}), n in {n, 1}, len({*[n, 2], 2}), len({1, 2}), {1, 2} == {2, 1}",
    "return {x + n for x in (1, 2, 1)} == {1 + n, 2 + n}",
    "return len(set([n, n, 1])), len(set(range(n))), len(set()), len(set(s))",
    "return sorted({x for x in range(n) if x % 2}), sorted({x + y for x in range(n) for y in range(2)})",
    "return len({str(x) for x in range(n)}), sum({x * 0.5 for x in range(n)})",
    "made = {x for x in [1, 2, 2]}\nreturn len(made), made == {1, 2}, sorted(made)",
]  # fmt: skip


@pytest.mark.parametrize("body", WORKING)
def test_as_in_python(body: str) -> None:
    for n in (0, 1, 2, 3, 5):
        assert_same(run(body, n), run(body, n, staged=False))


def test_a_set_comprehension_over_a_tensor() -> None:
    @tf.function
    def f(xs: Any) -> Any:
        distinct = {x % 3 for x in xs}
        return len(distinct), sorted(distinct)

    count, found = f(tf.constant([5, 2, 4, 8]))
    assert int(count) == 2
    np.testing.assert_array_equal(found, [1, 2])


def test_what_is_not_there_is_a_key_error_at_run_time() -> None:
    for staged in (False, True):
        assert_same(run("s.remove(3)\nreturn sorted(s)", 2, staged), [0])
        with pytest.raises(KeyError):
            run("s.remove(3)", 1, staged)


@pytest.mark.parametrize(
    "body, error, text",
    [
        ("return [x for x in s]", StagedValueError, "order"),
        ("return list(s)", StagedValueError, "order"),
        ("s.pop()", StagedValueError, "order"),
        ("return s", StagedValueError, "result"),
        ("return str(s)", StagedValueError, "text"),
        ("if n > 2:\n    s = {5}\nreturn len(s)", BranchMismatchError, "a set of"),
        ("return len({(x, 1) for x in range(n)})", StagedTypeError, "numbers or strings"),
    ],
)
def test_what_a_graph_cannot_do_is_refused(body: str, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        run(body, 3)


@pytest.mark.parametrize(
    "body, error",
    [
        ("s[0]", "'set' object is not subscriptable"),
        ("s[0] = 1", "'set' object does not support item assignment"),
        ("del s[0]", "'set' object doesn't support item deletion"),
        ("s.append(1)", "'set' object has no attribute 'append'"),
        ("s.nothing", "'set' object has no attribute 'nothing'"),
        ("s + s", r"unsupported operand type\(s\) for \+: "),
        ("s | [1]", r"unsupported operand type\(s\) for \|: "),
        ("s |= [1]", r"unsupported operand type\(s\) for \|=: "),
        ("return {s: 1}", "unhashable type: 'set'"),
    ],
)
def test_errors_are_pythons(body: str, error: str) -> None:
    for staged in (False, True):
        with pytest.raises((TypeError, AttributeError), match=error):
            run(body, 3, staged)
