"""What passes make of small pieces of code, in the text files of `data/`; `pytest --update-golden` writes them anew.

A file starts with the passes (`passes: Walrus, Boolean + Calls`; `+` joins those that share a walk), and maybe the
parameters of the function that the pieces are the body of, and the class that it stands in.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from autograph import pipeline
from autograph.converters.base import Pass, rewritten_lines
from tests.golden import Golden

FILES = sorted((Path(__file__).parent / "data").glob("*.test"))


def rewritten(header: dict[str, str], source: str) -> str:
    """What the passes of a file make of a piece of code."""
    stages = [stage.split(" + ") for stage in header["passes"].split(", ")]
    passes = tuple(tuple(_pass(name) for name in stage) for stage in stages)
    lines = rewritten_lines(passes, source, header.get("class"), header.get("parameters", ""))
    return "\n".join(lines).strip("\n")


def _pass(name: str) -> type[Pass]:
    found: type[Pass] = getattr(pipeline, name)
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_golden(path: Path, request: pytest.FixtureRequest) -> None:
    golden = Golden.read(path)
    if request.config.getoption("--update-golden"):
        golden.cases = {name: (source, rewritten(golden.header, source)) for name, (source, _) in golden.cases.items()}
        golden.write(path)
    for name, (source, expected) in golden.cases.items():
        assert rewritten(golden.header, source) == expected, name


def test_every_file_has_cases() -> None:
    assert FILES
    assert all(Golden.read(path).cases for path in FILES)
