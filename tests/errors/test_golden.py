"""What users see of bad input: small programs, their output and the whole error, in the text files of `data/`.

`pytest --update-golden` writes them anew. A file that starts with `needs: library` is left out where there is no such
library. In one that starts with `statements: one by one` a case holds several mistakes, one statement each.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.golden import Golden

from .results import FILES, run


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_golden(path: Path, request: pytest.FixtureRequest) -> None:
    golden = Golden.read(path)
    if "needs" in golden.header:
        pytest.importorskip(golden.header["needs"])
    results, _ = run(path)
    if request.config.getoption("--update-golden"):
        golden.cases = {name: (source, results[name]) for name, (source, _) in golden.cases.items()}
        golden.write(path)
    for name, (_, expected) in golden.cases.items():
        assert results[name] == expected, name


def test_every_file_has_cases() -> None:
    assert FILES
    assert all(Golden.read(path).cases for path in FILES)
