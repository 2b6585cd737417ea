"""What passes make of small pieces of code, in the text files of `data/`; `pytest --update-golden` writes them anew.

A file starts with the passes (`passes: Walrus, Boolean + Calls`; `+` joins those that share a walk), and maybe the
parameters of the function that the pieces are the body of, and the class that it stands in.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from pathlib import Path

import pytest

from autograph.converters.base import Pass, rewritten_lines

FILES = sorted((Path(__file__).parent / "data").glob("*.test"))


@dataclass
class Golden:
    """A file of cases."""

    header: dict[str, str]
    cases: dict[str, tuple[str, str]]

    @classmethod
    def read(cls, path: Path) -> Golden:
        header_text, *sections = path.read_text().split("[case ")
        header = dict(line.split(": ", 1) for line in header_text.splitlines() if line)
        cases = {}
        for section in sections:
            name, _, rest = section.partition("]\n")
            source, _, expected = rest.partition("[out]\n")
            assert name not in cases, f"{path.name} has two cases called {name!r}"
            cases[name] = source.strip("\n"), expected.strip("\n")
        return cls(header, cases)

    def write(self, path: Path) -> None:
        parts = ["\n".join(f"{key}: {value}" for key, value in self.header.items())]
        parts += [f"[case {name}]\n{source}\n[out]\n{expected}" for name, (source, expected) in self.cases.items()]
        path.write_text("\n\n".join(parts) + "\n")

    def rewritten(self, source: str) -> str:
        stages = [stage.split(" + ") for stage in self.header["passes"].split(", ")]
        passes = tuple(tuple(_pass(name) for name in stage) for stage in stages)
        lines = rewritten_lines(passes, source, self.header.get("class"), self.header.get("parameters", ""))
        return "\n".join(lines).strip("\n")


def _pass(name: str) -> type[Pass]:
    module = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name).strip("_")
    found: type[Pass] = getattr(importlib.import_module(f"autograph.converters.{module}"), name)
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_golden(path: Path, request: pytest.FixtureRequest) -> None:
    golden = Golden.read(path)
    if request.config.getoption("--update-golden"):
        golden.cases = {name: (source, golden.rewritten(source)) for name, (source, _) in golden.cases.items()}
        golden.write(path)
    for name, (source, expected) in golden.cases.items():
        assert golden.rewritten(source) == expected, name


def test_every_file_has_cases() -> None:
    assert FILES
    assert all(Golden.read(path).cases for path in FILES)
