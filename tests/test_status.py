"""The line on a terminal that tells of long traces and compilations."""

from __future__ import annotations

import io
import os
import re
import sys
import time
from types import SimpleNamespace

import pytest

import autograph as tf
from autograph import log
from autograph.settings import settings


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    found = Terminal()
    monkeypatch.setattr(log, "sys", SimpleNamespace(stderr=found))  # pytest has a stderr of its own for each phase
    monkeypatch.setattr(log, "PATIENCE", 0.05)
    monkeypatch.setattr(log, "_EVERY", 0.05)
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    return found


@tf.autograph.do_not_convert
def rest(seconds: float) -> None:
    time.sleep(seconds)


def slow(x):
    rest(0.4)
    return x + 1


def lines(terminal: Terminal) -> list[str]:
    return terminal.getvalue().split("\r\x1b[K")


def test_a_long_trace_is_shown_on_one_line_that_goes_again(terminal: Terminal) -> None:
    tf.function(slow)(tf.constant(1))
    first, *shown, last = lines(terminal)
    assert first == last == "" and len(shown) > 2 and "\n" not in terminal.getvalue()
    assert all(re.fullmatch(r"autograph: tracing slow\(\) \(\d s\)", line) for line in shown)
    assert not log._status.under_way


def test_the_inner_function_is_named_while_it_is_traced(terminal: Terminal) -> None:
    inner = tf.function(slow)

    @tf.function
    def outer(x):
        return inner(x)

    outer(tf.constant(1))
    assert any("tracing slow()" in line for line in lines(terminal))


def test_a_trace_that_fails_leaves_nothing(terminal: Terminal) -> None:
    @tf.function
    def failing(x):
        rest(0.2)
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        failing(tf.constant(1))
    assert lines(terminal)[-1] == "" and not log._status.under_way


@pytest.mark.parametrize("why", ["quick", "no terminal", "CI", "switched off", "dumb"])
def test_where_nothing_is_shown(terminal: Terminal, monkeypatch: pytest.MonkeyPatch, why: str) -> None:
    if why == "quick":
        monkeypatch.setattr(log, "PATIENCE", 60)
    elif why == "no terminal":
        monkeypatch.setattr(terminal, "isatty", lambda: False, raising=False)
    elif why == "CI":
        monkeypatch.setenv("CI", "true")
    elif why == "dumb":
        monkeypatch.setenv("TERM", "dumb")
    else:
        monkeypatch.setattr(settings, "status", False)
    tf.function(slow)(tf.constant(1))
    assert terminal.getvalue() == ""
    if why == "quick":
        assert log._status._timer is None


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="there are no terminals of this kind")
def test_on_a_terminal(tmp_path) -> None:
    import subprocess

    program = tmp_path / "program.py"
    program.write_text(
        "import time\nimport autograph as tf\nfrom autograph import log\nlog.PATIENCE = 0.1\n"
        "@tf.function\ndef slow(x):\n    tf.autograph.do_not_convert(time.sleep)(1)\n    return x\n"
        "slow(tf.constant(1))\nprint('end')\n"
    )
    reads, writes = os.openpty()
    known = {name: value for name, value in os.environ.items() if name != "CI"}
    with subprocess.Popen(
        [sys.executable, "-W", "ignore", program], stderr=writes, stdout=subprocess.PIPE, env={**known, "TERM": "xterm"}
    ) as process:
        out, _ = process.communicate(timeout=100)
    assert out == b"end\n" and process.returncode == 0
    os.set_blocking(reads, False)
    assert b"autograph: tracing slow() (" in os.read(reads, 10_000)
    os.close(reads)
    os.close(writes)
