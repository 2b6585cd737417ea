"""What functions become in ONNX, as its own text, in the files of `data/`; `pytest --update-golden` writes them anew.

A case holds a function `f`, after comments that give the types of its parameters (`# float32[?,3]`).
"""

from __future__ import annotations

import linecache
import re
from pathlib import Path
from typing import Any

import onnx
import pytest

import autograph as tf
from autograph.__main__ import _spec
from tests.golden import Golden

FILES = sorted((Path(__file__).parent / "data").glob("*.test"))


def exported(source: str, folder: Path) -> str:
    linecache.cache["f.py"] = len(source), None, source.splitlines(keepends=True), "f.py"
    namespace: dict[str, Any] = {"tf": tf}
    exec(compile(source, "f.py", "exec"), namespace)
    specs = [_spec(line[2:]) for line in source.splitlines() if line.startswith("# ")]
    tf.export.onnx(tf.function(namespace["f"]), folder / "f.onnx", specs)
    text = onnx.printer.to_text(onnx.load(folder / "f.onnx").graph)
    return re.sub(r"^( *)\[[^\]]*\] ", r"\1", text, flags=re.MULTILINE)  # names of operators, as those of results


@pytest.mark.parametrize("path", FILES, ids=[path.stem for path in FILES])
def test_golden(path: Path, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    golden = Golden.read(path)
    if request.config.getoption("--update-golden"):
        golden.cases = {name: (source, exported(source, tmp_path)) for name, (source, _) in golden.cases.items()}
        golden.write(path)
    for name, (source, expected) in golden.cases.items():
        assert exported(source, tmp_path) == expected, name
