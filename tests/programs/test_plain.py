"""On plain Python values a converted program is the original: values, exceptions, lines, output, mutations."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.programs.execution import run
from tests.programs.generator import programs
from tests.programs.profile import examples

numbers = st.integers(-2, 5)


@pytest.mark.random
@pytest.mark.parametrize("form", ["plain", "staged"])
@pytest.mark.filterwarnings("ignore::SyntaxWarning")
def test_converted_programs_are_the_originals(form):
    @examples(250)
    @given(programs(), numbers, numbers)
    def check(source, a, b):
        assert run(source, form, (a, b)) == run(source, None, (a, b)), f"\n{source}\na = {a}, b = {b}"

    check()


def test_observations_differ_when_programs_do():
    """The comparison sees values, output, mutations, globals, exception types and lines."""
    head = "TOTAL = 0\nclass Box(list):\n    def __init__(self, value): pass\n"
    bodies = ["return a", "return b", "print(a)", "items.append(a)", "global TOTAL; TOTAL = 2", "raise ValueError",
              "raise KeyError", "\n    raise ValueError",
              "\n    try:\n        1 / 0\n    except Exception as e: raise ValueError from None"]
    seen = [run(f"{head}def program(a, b, items, table, box): {body}\n", None, (1, 2)) for body in bodies]
    assert all(one != other for i, one in enumerate(seen) for other in seen[:i])
