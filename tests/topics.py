"""Which topic of `tests/language` covers which file: `python -m tests.topics` measures it, and writes the table.

A file of the front half is covered most by the topics whose tests call those of its functions that few others call.
"""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
LANGUAGE = ROOT / "tests" / "language"
TABLE = LANGUAGE / "README.md"
FOLDERS = ("autograph/operators", "converters")
ELSEWHERE = ("autograph/operators/functional/", "autograph/operators/jax/", "autograph/operators/torch/")
"""What `tests/operators/jax` and `tests/operators/torch` cover, where JAX and PyTorch are installed."""
MOST = 4
"""Topics that the table names for a file."""

HEAD = """# Topics

The tests of the language go by topic, as a user meets it, and not by file. This table says for each file of the
operators and the converters which topics cover it most: those whose tests call functions of it that few others call.
`python -m tests.topics` measures it anew.

| file | topics |
|---|---|
"""


def files() -> list[str]:
    """The files that the table has rows for."""
    found = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py") if path.name != "__init__.py"]
    names = sorted(str(path.relative_to(ROOT)) for path in found)
    return [name for name in names if not name.startswith(ELSEWHERE)]


def rows() -> dict[str, list[str]]:
    """The table: for each file the topics."""
    lines = [line.split("|") for line in TABLE.read_text().splitlines() if line.startswith("| `")]
    return {name.strip(" `"): [each.strip(" `") for each in topics.split(",")] for _, name, topics, _ in lines}


class Calls:
    """A plugin of pytest that notes which code the tests of each file call."""

    def __init__(self) -> None:
        self.by_topic: defaultdict[str, set[CodeType]] = defaultdict(set)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Iterator[None]:
        """Runs a test, and notes what is called."""
        called = self.by_topic[item.path.stem]

        def note(frame: FrameType, event: str, _: Any) -> None:
            if event == "call":
                called.add(frame.f_code)

        sys.setprofile(note)
        try:
            return (yield)
        finally:
            sys.setprofile(None)

    def topics(self) -> dict[str, list[str]]:
        """By file, the topics that cover it most."""
        users = Counter(code for codes in self.by_topic.values() for code in codes)
        scores: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for topic, codes in self.by_topic.items():
            for code in codes:
                scores[code.co_filename][topic] += 1 / users[code]  # type: ignore[assignment]
        by_path = {str(Path(name).resolve()): counts for name, counts in scores.items() if name.endswith(".py")}
        return {
            name: [topic for topic, _ in sorted(counts.items(), key=lambda each: (-each[1], each[0]))[:MOST]]
            for name in files()
            if (counts := by_path.get(str(ROOT / name)))
        }


def main() -> None:
    """Runs the tests of the language, and writes the table."""
    calls = Calls()
    pytest.main(["-q", "-p", "no:xdist", str(LANGUAGE)], plugins=[calls])
    found = calls.topics()
    lines = [f"| `{name}` | {', '.join(f'`{each}`' for each in found.get(name, ['-']))} |" for name in files()]
    TABLE.write_text(HEAD + "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
