"""The page of HTML: source, generated code, graph and plan, tied together by the user's lines."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

import autograph as tf
from autograph.__main__ import main
from autograph.page import page
from examples.collatz import collatz


class Reader(HTMLParser):
    """Checks that tags are closed in order, and collects the text, what loads, and lines by section."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.text = ""
        self.addresses: list[str] = []
        self.lines: list[set[int]] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        if tag not in ("meta", "rect", "path"):
            self.open.append(tag)
        if tag == "section":
            self.lines.append(set())
        found = dict(attributes)
        self.addresses += [found[key] or "" for key in ("src", "href") if key in found]
        if "data-line" in found:
            self.lines[-1].add(int(found["data-line"] or 0))

    def handle_startendtag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        pass

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def test_the_page() -> None:
    text = page(collatz, tf.function(collatz).get_concrete_function(tf.constant(27)))
    reader = Reader()
    reader.feed(text)
    assert not reader.open and not reader.addresses, "it is whole, and loads nothing"
    assert str(Path(__file__).parents[1]) not in text
    for part in ("def collatz(n):", "ag__.while_stmt(", "the graph", "loops: 1, conditionals: 1", "while True:"):
        assert part in reader.text
    source, generated, graph, plan = reader.lines
    first = collatz.__code__.co_firstlineno
    assert source == set(range(first, first + len(source))) and not generated
    assert graph and plan and graph <= source and plan <= source


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "collatz.html"
    assert main(["page", "examples.collatz:collatz", "--spec", "int32[]", "--output", str(path)]) == 0
    assert re.fullmatch(rf"{path}: \d+ kB\n", capsys.readouterr().out)
    assert "collatz" in path.read_text()
    with pytest.raises(SystemExit, match="2"):
        main(["page", "examples.collatz:collatz", "--spec", "int32[]", "--output", str(tmp_path / "no" / "x.html")])
    assert "can't write" in capsys.readouterr().err


def halved(n):
    return n // 2


class Step:
    def up(self, n):
        def odd(m):
            return 3 * m + 1

        return n if n > 100 else odd(n)


def not_called(n):
    return n


STEP = Step()


def walk(n):
    if n % 2 == 0:
        return halved(n)
    return STEP.up(n)


def test_functions_that_are_called_are_shown() -> None:
    tf.function(not_called)(tf.constant(1))
    text = page(walk, tf.function(walk).get_concrete_function(tf.constant(27)))
    reader = Reader()
    reader.feed(text)
    assert not reader.open
    headings = re.findall("<h3>called: (.*?)</h3>", text)
    assert headings[:2] == ["halved", "Step.up"] and headings[:len(headings) // 2] * 2 == headings
    assert "def halved(n):" in reader.text and "def not_called" not in reader.text
    source, generated, graph, plan = reader.lines
    assert {f.__code__.co_firstlineno for f in (walk, halved, Step.up)} <= source and not generated
    assert graph <= source and plan <= source
