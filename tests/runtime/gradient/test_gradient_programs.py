"""Random programs with loops and branches: gradients of the traced function equal finite differences."""

from __future__ import annotations

import linecache
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import autograph as tf
from tests.programs.profile import examples

STEP = 1e-6
VARIABLES = ("a", "b", "c")
EXPRESSIONS = (
    "{0} * {1}", "{0} + {1}", "{0} - 0.5 * {1}", "sin({0}) + {1}", "{0} * 0.5 + x * 0.25", "tanh({0} * {1})",
    "maximum({0}, {1})", "{0} / (1.5 + {1} * {1})", "x * {0}",
)  # fmt: skip
CONDITIONS = ("{0} > {1}", "{0} * {1} < 0.3", "n % 2 == 0", "{0} > 0.1 and {1} < 1.0", "not {0} < 0.2")


def assignments() -> Any:
    names = st.sampled_from(VARIABLES)
    return st.builds(lambda target, form, x, y: [f"{target} = {form.format(x, y)}"],
                     names, st.sampled_from(EXPRESSIONS), names, names)  # fmt: skip


def indented(lines: list[str]) -> list[str]:
    return ["    " + line for line in lines]


def blocks(inner: Any) -> Any:
    body = st.lists(inner, min_size=1, max_size=3).map(lambda parts: sum(parts, []))
    names = st.sampled_from(VARIABLES)
    test = st.builds(str.format, st.sampled_from(CONDITIONS), names, names)
    branch = st.builds(lambda c, x, y: [f"if {c}:", *indented(x), "else:", *indented(y)], test, body, body)
    single = st.builds(lambda c, x: [f"if {c}:", *indented(x)], test, body)
    leave = st.sampled_from([["if a > 1.3:", "    break"], ["if b < -0.7:", "    continue"], []])
    loop = st.builds(lambda count, x, out: [f"for n in range({count}):", *indented(out + x)],
                     st.sampled_from(["m", "m + 1", "3"]), body, leave)  # fmt: skip
    early = st.builds(lambda c, name: [f"if {c}:", f"    return {name} * x"], test, names)
    return st.one_of(branch, single, loop, early)


PROGRAMS = st.lists(st.recursive(assignments(), blocks, max_leaves=8), min_size=2, max_size=5).map(
    lambda parts: sum(parts, [])
)
_count = iter(range(10**9))


def build(lines: list[str]) -> tuple[Any, Any]:
    """The program as a traced function of tensors, and as plain Python of NumPy's numbers."""
    head = ["def program(x, m):", "    a, b, c, n = x, x * 0.5, x * x, m"]
    source = "\n".join([*head, *indented(lines), "    return a + b * c"]) + "\n"
    name = f"<gradient program {next(_count)}>"
    linecache.cache[name] = len(source), None, source.splitlines(True), name
    code = compile(source, name, "exec")
    staged: dict[str, Any] = {"sin": tf.sin, "tanh": tf.tanh, "maximum": tf.maximum, "range": tf.range}
    plain: dict[str, Any] = {"sin": np.sin, "tanh": np.tanh, "maximum": max}
    exec(code, staged)
    exec(code, plain)
    return tf.function(staged["program"]), plain["program"]


@examples(60)
@given(PROGRAMS, st.floats(-1.5, 1.5).map(lambda start: start + 0.0137), st.integers(0, 3))
def test_gradient_is_the_slope(lines: list[str], start: float, m: int) -> None:
    staged, plain = build(lines)
    x, count = tf.constant(np.float64(start)), tf.constant(m)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = staged(x, count)
    found = tape.gradient(y, x)

    @tf.function
    def inside(x: Any, m: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = staged.python_function(x, m)
        return tape.gradient(y, x)

    np.testing.assert_allclose(y, plain(start, m), rtol=1e-9)
    np.testing.assert_allclose(inside(x, count), found, rtol=1e-9)
    here, above, below = plain(start, m), plain(start + STEP, m), plain(start - STEP, m)
    left, right = (here - below) / STEP, (above - here) / STEP
    if abs(left - right) < 1e-3 * (1 + abs(left)):  # no branch changes in between
        np.testing.assert_allclose(found, (left + right) / 2, rtol=1e-3, atol=1e-4)
