"""The scopes of the standard library are those of Python's own symbol tables."""

import os
import warnings
from pathlib import Path

import pytest

from .symbol_tables import differences

LIBRARY = Path(os.__file__).parent
FILES = [*LIBRARY.glob("*.py"), *LIBRARY.glob("asyncio/*.py")]
FILES += [
    path
    for name in "scope listcomps generators named_expressions type_params type_aliases patma super grammar dataclasses"
    " keywordonlyarg positional_only_arg class typing".split()
    if (path := LIBRARY / f"test/test_{name}.py").exists()
]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_scopes_equal_the_symbol_table(path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert differences(path.read_text(encoding="utf-8"), path.name) == []
