"""What the pages of `docs/` show is so: each block of code is run, and names what there is."""

from __future__ import annotations

import doctest
import re
import subprocess
import sys

import pytest

from .pages import DOCS, OPTIONS, blocks, commands, output_of, run

MADE = {"names.md", "passes.md", "reference.md"}
PAGES = sorted(path.name for path in DOCS.glob("*.md"))  # not `generated/`


def _skip_without_extras(text: str) -> None:
    for name in re.findall(r"^<!-- needs: (\w+) -->$", text, re.MULTILINE):
        pytest.importorskip(name)


@pytest.mark.parametrize("name", PAGES)
def test_code_does_what_is_written(name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> None:
    text = (DOCS / name).read_text()
    _skip_without_extras(text)
    monkeypatch.chdir(DOCS.parent)
    checker = doctest.OutputChecker()
    for command, expected in commands(text):
        found = output_of(command)
        assert checker.check_output(expected, found, OPTIONS), f"{command}\n{found}"
    if "<!-- needs: a process of its own -->" in text:
        command = [sys.executable, "-m", "tests.docs.pages", "--check", name]
        process = subprocess.run(command, capture_output=True, text=True, timeout=240)
        assert process.returncode == 0, process.stdout + process.stderr
        return
    monkeypatch.chdir(tmp_path)  # type: ignore[arg-type]
    failures, _ = run(text, name)
    assert not failures, failures


@pytest.mark.parametrize("name", PAGES)
def test_every_block_is_run_or_is_no_code(name: str) -> None:
    for language, block in blocks((DOCS / name).read_text()):
        assert language in {"python", "console", "text", "{toctree}"}, f"nothing runs a block of {language!r}"
        assert language != "python" or block.startswith(">>>"), f"only sessions are run:\n{block}"
        assert language != "console" or re.match(r"\$ autograph ", block), f"only `autograph` is run:\n{block}"
        assert language != "text" or ">>>" not in block


@pytest.mark.parametrize("name", PAGES)
def test_links_lead_to_pages(name: str) -> None:
    links = re.findall(r"\]\(([^)#:]+)\)", re.sub(r"\n", " ", (DOCS / name).read_text()))
    there = {*PAGES, *(f"generated/{each}" for each in MADE)}
    assert not [link for link in links if link not in there]


@pytest.mark.parametrize("name", PAGES)
def test_names_in_sentences_exist(name: str) -> None:
    import autograph as tf

    text = re.sub(r"```.*?```", "", (DOCS / name).read_text(), flags=re.DOTALL)
    names = set(re.findall(r"`(?:with |@)?(tf(?:\.\w+)+)", text))
    missing = []
    for full in names:
        value: object = tf
        for part in full.split(".")[1:]:
            value = getattr(value, part, None)
        if value is None and full != "tf.newaxis":
            missing.append(full)
    assert not missing
