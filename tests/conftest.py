"""What the whole test suite shares."""

from __future__ import annotations

import pytest


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Prints what tests noted with `record_property("note", text)`: counts of what was tried, reasons."""
    reports = [report for kind in ("passed", "failed") for report in terminalreporter.getreports(kind)]
    notes = [text for report in reports for name, text in report.user_properties if name == "note"]
    if notes:
        terminalreporter.section("notes")
        terminalreporter.write_line("\n".join(notes))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write the expected output of golden tests anew")
