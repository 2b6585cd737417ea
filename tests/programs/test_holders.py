"""Lists that are put into holders of all kinds, in all places, and change afterwards: as in Python, or refused."""

from __future__ import annotations

from collections import Counter

from tests.programs.holders import compared, programs


def test_each_is_as_in_python_or_refused() -> None:
    verdicts: Counter[str] = Counter()
    for name, source, result in compared(first=3, step=29):
        verdicts[result.verdict] += 1
        assert not result.wrong, f"{name}: {result.kind}\n{result.detail}\n{source}"
    assert verdicts["equal"] > verdicts.total() / 3


def test_there_are_as_many_as_the_documentation_says() -> None:
    assert len({source for _, source in programs()}) == 7644
