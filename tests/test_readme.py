"""What README.md says is so: its two commands, the files that it names, its examples of code."""

from __future__ import annotations

import doctest
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()


def test_two_commands_set_everything_up():
    commands = [line for line in README.splitlines() if "-m venv" in line]
    assert len(commands) == 2
    assert all(command.startswith("python3 -m venv .venv && .venv/bin/pip install ") for command in commands)
    assert "'.[examples]'" in commands[0] and "examples/digits.py" in commands[0]
    assert "'.[test]'" in commands[1] and "pytest" in commands[1]
    found = subprocess.run([ROOT / ".ci" / "run", "--commands"], capture_output=True, text=True, check=True)
    assert found.stdout.splitlines() == commands


def test_files_that_are_named_exist():
    links = re.findall(r"\]\(([^)#:]+)\)", README)
    paths = re.findall(r"`((?:autograph|converters|runtime|tests|examples)/[\w./]*)`", README)
    assert links and paths
    assert not [path for path in [*links, *paths] if not (ROOT / path).exists()]


def test_examples_of_code_do_what_is_written():
    blocks = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    sessions = [block for block in blocks if block.startswith(">>>")]
    if not sessions:
        pytest.fail("README.md shows no session")
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    results = runner.run(parser.get_doctest("\n".join(sessions), {}, "README.md", "README.md", 0))
    assert results.attempted and not results.failed


def test_code_that_is_shown_of_an_example_is_in_it():
    blocks = [block for block in re.findall(r"```python\n(.*?)```", README, re.DOTALL) if not block.startswith(">>>")]
    assert len(blocks) == 1
    lines = iter((ROOT / "examples" / "keras_digits.py").read_text().splitlines())
    assert all(line in lines for line in blocks[0].splitlines()), "every line, in this order"
