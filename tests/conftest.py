"""What the whole test suite shares."""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Iterator

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
