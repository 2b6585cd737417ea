"""Modules that programs of golden files write and import."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType


def imported(file: str, text: str, without_columns: bool = False) -> ModuleType:
    """The module of a new file; compiled as by ``python -X no_debug_ranges`` when it is to know no columns."""
    path = Path(file).absolute()
    path.write_text(text)
    if without_columns:
        subprocess.run([sys.executable, "-X", "no_debug_ranges", "-m", "py_compile", path], check=True)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
