"""Programs that change containers and arrays under several names: as in Python, or refused; most are not refused."""

from __future__ import annotations

import itertools
import linecache
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given

import autograph as tf
from tests.programs.alias_generator import alias_programs
from tests.programs.profile import examples
from tests.programs.test_staged import alike, numbers, outcome

_numbers = itertools.count()
ARGUMENTS = (0, 1, 2, 3)
REFUSALS = (tf.errors.MutationError, tf.errors.StagedValueError, tf.errors.BranchMismatchError)


def result_of(source: str) -> str:
    """Runs a program as it is and as a graph: "equal", or "refused"."""
    filename = f"<alias program {next(_numbers)}>"
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    try:
        namespace: dict[str, Any] = {"__name__": "program"}
        exec(compile(source, filename, "exec"), namespace)
        return compared(namespace["program"], source, filename)
    finally:
        del linecache.cache[filename]


def compared(program: Callable[[Any], Any], source: str, filename: str) -> str:
    staged = tf.function(program)
    for n in ARGUMENTS:
        wanted = outcome(lambda n=n: program(n))
        try:
            found = numbers(staged(tf.constant(n, tf.int64)))
        except REFUSALS as error:
            assert error.file == filename and error.line and error.remedy, f"\n{source}\n{error}"
            return "refused"
        except Exception as error:
            found = error
        assert alike(found, wanted), f"\n{source}\nn = {n}\nstaged: {found!r}\nplain:  {wanted!r}"
    return "equal"


@pytest.mark.random
def test_graphs_see_what_the_programs_see_or_are_refused(record_property: Callable[[str, object], None]) -> None:
    results: Counter[str] = Counter()

    @examples(100)
    @given(alias_programs())
    def run(source: str) -> None:
        results[result_of(source)] += 1

    run()
    record_property("note", f"{results['refused']} of {results.total()} random programs with aliases were refused")
    assert 0 < results["refused"] < results.total() / 2
