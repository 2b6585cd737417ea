"""The pages of `docs/`, and how what they show is run: `python -m tests.docs.pages NAME.md` writes outputs anew."""

from __future__ import annotations

import contextlib
import doctest
import io
import re
import shlex
import sys
import tempfile
import traceback
import types
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"
FENCE = re.compile(r"^```([\w{}-]*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def blocks(text: str) -> list[tuple[str, str]]:
    """The fenced blocks of a page, each with its language."""
    return FENCE.findall(text)


class _Runner(doctest.DocTestRunner):
    """Keeps what examples have printed."""

    def __init__(self) -> None:
        super().__init__(verbose=False, optionflags=OPTIONS)
        self.got: dict[int, str] = {}

    def report_success(self, out: object, test: object, example: doctest.Example, got: str) -> None:
        self.got[example.lineno] = example.want  # which may have ellipses

    def report_failure(self, out: object, test: object, example: doctest.Example, got: str) -> None:
        super().report_failure(out, test, example, got)  # type: ignore[arg-type]
        self.got[example.lineno] = got

    def report_unexpected_exception(self, out: object, test: object, example: doctest.Example, info: object) -> None:
        super().report_unexpected_exception(out, test, example, info)  # type: ignore[arg-type]
        error = info[1]  # type: ignore[index]
        last = "".join(traceback.format_exception_only(type(error), error))
        self.got[example.lineno] = "Traceback (most recent call last):\n    ...\n" + last


def run(text: str, name: str) -> tuple[str, dict[int, str]]:
    """Runs the sessions of a page in order, as one module; what differs from what is written, and all outputs."""
    module = types.ModuleType("__main__")
    session = "".join(_only_sessions(text))
    test = doctest.DocTestParser().get_doctest(session, vars(module), name, str(DOCS / name), 0)
    runner, output = _Runner(), io.StringIO()
    before = sys.modules["__main__"]
    sys.modules["__main__"] = module
    try:
        runner.run(test, out=output.write)
    finally:
        sys.modules["__main__"] = before
    return output.getvalue(), runner.got


def _only_sessions(text: str) -> list[str]:
    """The lines of a page; those that no session holds are empty."""
    kept, inside = [], False
    for line in text.splitlines(keepends=True):
        if line.startswith("```"):
            inside = line.startswith("```python")
            kept.append("\n")
        else:
            kept.append(line if inside else "\n")
    return kept


def commands(text: str) -> list[tuple[str, str]]:
    """The commands of a page's `console` blocks that call `autograph`, with what they print there."""
    found = []
    for language, block in blocks(text):
        if language == "console":
            parts = re.split(r"^\$ (.*)\n", block, flags=re.MULTILINE)
            found += list(zip(parts[1::2], parts[2::2], strict=True))
    return found


def output_of(command: str) -> str:
    """What a command `autograph …` prints."""
    from autograph.__main__ import main

    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        main(shlex.split(command)[1:])
    return output.getvalue()


def update(path: Path) -> None:
    """Writes what the sessions of a page print into it."""
    text = path.read_text()
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        _, got = run(text, path.name)
    lines, written = text.splitlines(keepends=True), []
    parser = doctest.DocTestParser()
    examples = {each.lineno: each for each in parser.get_examples("".join(_only_sessions(text)))}
    number = 0
    while number < len(lines):
        example = examples.get(number)
        if example is None:
            written.append(lines[number])
            number += 1
            continue
        length = example.source.count("\n")
        written += lines[number : number + length]
        output = re.sub(r"<doctest [^>]*>", "...", got.get(number, example.want)).rstrip("\n")
        written += [f"{line or '<BLANKLINE>'}\n" for line in output.splitlines()]
        number += length + example.want.count("\n")
    path.write_text("".join(written))


def main(arguments: list[str]) -> int:
    """With `--check` runs pages, and prints what differs; without it writes what they print into them."""
    if arguments[0] != "--check":
        for argument in arguments:
            update(DOCS / argument)
        return 0
    found = [run((DOCS / name).read_text(), name)[0] for name in arguments[1:]]
    print("".join(found))
    return int(any(found))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
