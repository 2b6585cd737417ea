"""The command line."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

import autograph
from autograph.__main__ import main

ROOT = Path(__file__).parent.parent
MODULE = '''
def double(x, y):
    """Doubles."""
    if x > 0:
        x = x + y
    return x


class Model:
    def call(self):
        return 1


number = 3
'''


@pytest.fixture(autouse=True)
def module(tmp_path, monkeypatch):
    (tmp_path / "shown_module.py").write_text(MODULE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield
    sys.modules.pop("shown_module", None)


def test_code(capsys):
    assert main(["code", "shown_module:double"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("def ag__double(x, y):\n")
    assert "ag__.if_stmt(x > 0, if_body, else_body, ('x',))" in shown
    assert "\x1b" not in shown
    assert main(["code", "shown_module:Model.call"]) == 0
    capsys.readouterr()
    assert main(["code", "shown_module:double", "--full"]) == 0
    assert "ag__.if_stmt(ag__.gt(x, 0), if_body, else_body, ('x',))" in capsys.readouterr().out


def test_graph(capsys):
    assert main(["graph", "shown_module:double", "--spec", "int32", "--spec", "2"]) == 0
    shown = capsys.readouterr().out
    assert "int32[]" in shown and "cond" in shown


def test_graph_as_dot(capsys):
    assert main(["graph", "shown_module:double", "--spec", "int32[]", "--spec", "int32[]", "--dot"]) == 0
    assert capsys.readouterr().out.startswith("digraph")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["code", "shown_module"], "not of the form"),
        (["code", "no_such_module:f"], "can't import"),
        (["code", "no_such_file.py:f"], "can't import"),
        (["code", "shown_module:nothing"], "has no 'nothing'"),
        (["code", "shown_module:number"], "not a function"),
        (["code", "math:sin"], "not a Python function"),
        (["graph", "shown_module:double", "--spec", "float99[2]"], "--spec"),
        (["graph", "shown_module:double", "--spec", "float32[a]"], "--spec"),
        (["graph", "shown_module:double"], "missing"),
        (["graph", "shown_module:double", "--spec", "float32[3]", "--spec", "1"], "line 4"),
    ],
)
def test_bad_input_is_one_line(arguments, message, capsys):
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    assert stopped.value.code == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert message in shown.err
    assert shown.err.count("\n") == 1 and shown.err.startswith("autograph: error: ")


def test_a_function_of_a_file(capsys, tmp_path):
    folder = tmp_path / "programs"
    folder.mkdir()
    (folder / "beside.py").write_text("LIMIT = 3\n")
    (folder / "a program.py").write_text("from beside import LIMIT\n" + MODULE)
    assert main(["code", "programs/a program.py:Model.call"]) == 0
    assert capsys.readouterr().out.startswith("def ag__call(self):\n")
    assert main(["graph", str(folder / "a program.py") + ":double", "--spec", "int32", "--spec", "2"]) == 0
    assert "cond" in capsys.readouterr().out
    sys.path.remove(str(folder)), sys.path.remove(str(folder))
    del sys.modules["beside"], sys.modules["a program"]


def test_version(capsys):
    with pytest.raises(SystemExit) as stopped:
        main(["--version"])
    assert stopped.value.code == 0
    assert capsys.readouterr().out == f"autograph {autograph.__version__}\n"


def test_usage(capsys):
    for arguments in ([], ["code"], ["nothing", "x:y"]):
        with pytest.raises(SystemExit) as stopped:
            main(arguments)
        assert stopped.value.code == 2
    with pytest.raises(SystemExit):
        main(["graph", "--help"])
    assert "float32[None,4]" in capsys.readouterr().out


def on_terminal(**environment: str) -> str:
    """What `autograph code` prints on a terminal."""
    leader, follower = pty.openpty()
    settings = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{os.getcwd()}", "TERM": "xterm", **environment}
    settings.pop("NO_COLOR", None) if "NO_COLOR" not in environment else None
    command = [sys.executable, "-m", "autograph", "code", "shown_module:double"]
    process = subprocess.Popen(command, stdout=follower, env=settings)
    os.close(follower)
    shown = b""
    while True:
        try:
            part = os.read(leader, 4096)
        except OSError:
            break
        if not part:
            break
        shown += part
    os.close(leader)
    assert process.wait() == 0
    return shown.decode().replace("\r\n", "\n")


@pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals")
def test_colours_on_a_terminal(capsys):
    main(["code", "shown_module:double"])
    plain = capsys.readouterr().out
    coloured = on_terminal()
    assert "\x1b[34mdef\x1b[0m" in coloured
    assert re.sub("\x1b\\[[0-9]+m", "", coloured) == plain
    assert on_terminal(NO_COLOR="1") == plain
