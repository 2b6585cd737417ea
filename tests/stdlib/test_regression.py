"""CPython's own regression tests hold for its modules after every function of theirs is converted."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.stdlib.harness import FRAMES, MODULES, OTHERS, Outcome

ROOT = Path(__file__).parents[2]


def run(module: str, form: str) -> Outcome:
    """Runs the tests of a module in a process of their own."""
    process = subprocess.run(
        [sys.executable, "-m", "tests.stdlib.harness", module, form],
        cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=280, check=False,
    )
    assert process.returncode == 0, process.stderr[-3000:]
    return Outcome(**json.loads(process.stdout.splitlines()[-1]))


@pytest.mark.parametrize("module", MODULES)
def test_module_holds_its_tests_converted(module, record_property):
    if importlib.util.find_spec(f"test.test_{module}") is None:
        pytest.skip(f"this Python comes without test.test_{module}")
    original = run(module, "original")
    assert original.passed
    assert not original.converted
    for form in ("plain", "staged"):
        outcome = run(module, form)
        record_property("note", summary(module, form, outcome))
        lost = sorted(set(original.passed) - set(outcome.passed) - OTHERS - (FRAMES if form == "staged" else set()))
        shown = "\n".join(f"{name}\n{outcome.failed.get(name, 'did not run')}" for name in lost[:3])
        assert not lost, f"{form}: {len(lost)} of {len(original.passed)} tests lost: {lost[:20]}\n{shown}"
        assert outcome.converted


def summary(module: str, form: str, outcome: Outcome) -> str:
    """One line on what was converted, and one for each function that was not."""
    lines = [f"{module} ({form}): {len(outcome.converted)} functions converted, {len(outcome.passed)} tests passed, "
             f"{len(outcome.unconverted)} functions not converted"]
    lines += [f"    {name}: {reason}" for name, reason in sorted(outcome.unconverted.items())]
    return "\n".join(lines)
