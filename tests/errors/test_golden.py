"""What users see of bad input: small programs, their output and the whole error, in the text files of `data/`.

`pytest --update-golden` writes them anew. A file that starts with `needs: library` is left out where there is no such
library.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import autograph as tf
from tests.golden import Golden

from .programs import shown

FILES = sorted((Path(__file__).parent / "data").glob("*.test"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_golden(path: Path, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    golden = Golden.read(path)
    if "needs" in golden.header:
        pytest.importorskip(golden.header["needs"])
    results = {name: shown(source, tmp_path / f"{i}.py") for i, (name, (source, _)) in enumerate(golden.cases.items())}
    if request.config.getoption("--update-golden"):
        golden.cases = {name: (source, results[name]) for name, (source, _) in golden.cases.items()}
        golden.write(path)
    for name, (_, expected) in golden.cases.items():
        assert results[name] == expected, name


@pytest.fixture(autouse=True)
def nothing_left_on() -> Iterator[None]:
    yield
    if "autograph.runtime.summary" in sys.modules:
        tf.summary.trace_off()
    tf.debugging.disable_check_numerics()


def test_every_file_has_cases() -> None:
    assert FILES
    assert all(Golden.read(path).cases for path in FILES)
