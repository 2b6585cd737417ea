"""Random programs about aliases are as in Python, or refused by name; also with all limits of the staging code at 3."""

from __future__ import annotations

import contextlib
import random
from collections import Counter
from collections.abc import Callable

import pytest

from tests.programs import aliasing_runner, lowered_limits, shrinking
from tests.programs.aliasing_generator import program
from tests.programs.profile import EXAMPLES

COUNT = int(EXAMPLES or 300)
FIRST = random.randrange(1_000_000) if EXAMPLES else 0
"""Always the same programs, unless AUTOGRAPH_EXAMPLES asks for more."""



@pytest.mark.random
@pytest.mark.timeout(0)
@pytest.mark.parametrize("low", [False, True], ids=["limits as they are", "limits of 3"])
def test_programs_are_as_in_python_or_refused(low: bool, record_property: Callable[[str, object], None]) -> None:
    verdicts: Counter[str] = Counter()
    with lowered_limits.lowered() if low else contextlib.nullcontext():
        for seed in range(FIRST, FIRST + COUNT // (2 if low else 1)):
            result = aliasing_runner.compare(program(seed))
            verdicts[result.verdict] += 1
            assert not result.wrong, report(seed, result)
    note = ", ".join(f"{number} {verdict}" for verdict, number in verdicts.items())
    record_property("note", f"random programs of aliasing{', limits of 3' if low else ''}: {note}")
    assert low or verdicts["refused"] < verdicts.total() / 2


def report(seed: int, result: aliasing_runner.Result) -> str:
    def still(source: str) -> bool:
        try:
            found = aliasing_runner.compare(source, 5)
        except Exception:
            return False
        return (found.verdict, found.kind) == (result.verdict, result.kind)

    small = shrinking.shrunk(program(seed), still, 30)
    return f"program {seed} is {result.verdict}, {result.kind}\n{result.detail}\n\n{small}"


def test_programs_are_always_the_same() -> None:
    assert program(5) == program(5) != program(6)


def test_programs_are_small() -> None:
    sizes = sorted(program(seed).split("def f(n):")[1].count("\n") for seed in range(200))
    assert sizes[100] < 20 and sizes[-1] < 60


@pytest.mark.parametrize(
    ("body", "verdict", "kind"),
    [
        ("return [1, n]", "equal", ""),
        ("return type(n).__name__", "different", "other str"),
        ("if type(n).__name__ != 'int': raise KeyError\n    return n", "different", "raises KeyError"),
        ("import random\n    return random.random()", "different", "other float"),
        ("return n is 1", "invalid", "identity"),
        ("while True: pass", "invalid", "no end"),
    ],
)
@pytest.mark.filterwarnings("ignore::SyntaxWarning")
def test_verdicts(body: str, verdict: str, kind: str) -> None:
    result = aliasing_runner.compare(f"def f(n):\n    {body}\n")
    assert result.verdict == verdict and kind in result.kind, result


def test_endless_traces_are_found() -> None:
    source = "def f(n):\n    while not isinstance(n, int):\n        pass\n    return n\n"
    assert aliasing_runner.compare(source, 1).verdict == "endless"


@pytest.mark.parametrize(
    ("found", "wanted", "how"),
    [
        ([1], [1], ""), ([1, 2], [1], "list of another length"), ((1,), [1], "tuple for list"),
        ({"a": 1}, {"b": 1}, "other keys"),
        ({"a": [2]}, {"a": [1]}, "other int"), (None, 0, "NoneType for int"), (KeyError(), LookupError(), ""),
        (LookupError(), KeyError(), "raises LookupError for KeyError"), (1, KeyError(), "does not raise KeyError"),
    ],
)  # fmt: skip
def test_differences(found: object, wanted: object, how: str) -> None:
    assert aliasing_runner.difference(found, wanted) == how


def test_a_program_is_made_small() -> None:
    loop = "    if n:\n        for i in range(n):\n            x += g(i + 1)\n"
    source = f"def g():\n    pass\ndef f(n):\n    x = 0\n{loop}    return x, n\n"
    small = shrinking.shrunk(source, lambda text: "x +=" in text and "def f" in text)
    assert small in ("def f(n):\n    x += g", "def f(n):\n    x += i")


def test_limits_are_lowered_and_put_back() -> None:
    before = lowered_limits.limits()
    assert before
    with lowered_limits.lowered() as known:
        assert known == before
        for name, value in known.items():
            path, attribute = name.rsplit(".", 1)
            assert all(getattr(each, attribute) == 3 for each in lowered_limits._owners(path, attribute, value) if each)
    path, attribute = next(iter(before)).rsplit(".", 1)
    assert getattr(lowered_limits._owners(path, attribute, before[f"{path}.{attribute}"])[0], attribute) > 3
