"""What the whole test suite shares."""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

# A shell's background jobs ignore Ctrl-C, which some tests send.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def unwatched() -> Iterator[None]:
    """What earlier tests have left under way, such as a generator given up, keeps no call from its quick way."""
    from autograph.runtime.functions import concrete
    from autograph.runtime.tensors import numerics, trace

    gc.collect()
    numerics.enabled = False
    local = trace.LOCAL
    local.graph, local.tapes, local.ambient = None, (), None
    left = [(each, list(each)) for each in (trace.open_graphs, concrete.observers)]
    for each, _ in left:
        each.clear()
    yield
    for each, before in left:
        each[:0] = before


@pytest.fixture(autouse=os.environ.get("AUTOGRAPH_GUARD_PAGES") == "1")
def _guard_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """All machine code that tests compile runs between forbidden pages."""
    from autograph.runtime.engines.native.run import assemble
    from tests.runtime.engines.native import guards

    monkeypatch.setattr(assemble, "module", guards.module)


QUICK = (
    "converters/test_golden.py", "converters/test_staged.py", "data/test_dataset.py", "docs", "keras/test_training.py",
    "language/test_branches.py", "language/test_loops.py", "programs/test_functions.py",
    "runtime/ops/test_public_ops.py", "test_api.py", "test_readme.py",
)  # fmt: skip
"""The most telling tests, which end within a minute: `pytest -m quick`."""

TESTS = Path(__file__).parent


def _is_quick(path: Path) -> bool:
    return any(path.is_relative_to(TESTS / each) for each in QUICK)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """With `-m quick` no other file is read: all of them take longer than these tests."""
    is_other = collection_path.is_file() and collection_path.suffix == ".py" and not _is_quick(collection_path)
    return True if config.option.markexpr == "quick" and is_other else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks the quick tests."""
    for item in items:
        if _is_quick(item.path):
            item.add_marker(pytest.mark.quick)


def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """Keeps garbage collection quick: what a module has left, such as caches, is not looked at in each collection."""
    if nextitem is None or nextitem.path != item.path:
        gc.collect()
        gc.freeze()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Prints what tests noted with `record_property("note", text)`: counts of what was tried, reasons."""
    reports = [report for kind in ("passed", "failed") for report in terminalreporter.getreports(kind)]
    notes = [text for report in reports for name, text in report.user_properties if name == "note"]
    if notes:
        terminalreporter.section("notes")
        terminalreporter.write_line("\n".join(notes))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write the expected output of golden tests anew")
