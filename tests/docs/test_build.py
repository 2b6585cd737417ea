"""Sphinx builds the pages without a warning, where it is installed (the extra `docs`)."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from .pages import DOCS

LEFT_OUT = "generate,data,generated/tf*"
"""The pages of the reference, which take half a minute."""


def test_sphinx_builds_the_guide(tmp_path: Path) -> None:
    for name in ("sphinx", "myst_parser", "furo"):
        pytest.importorskip(name)
    options = ["-D", f"exclude_patterns={LEFT_OUT}", "-D", "suppress_warnings=toc.excluded,toc.not_included"]
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "-d", str(tmp_path / "trees"), *options]
    command += [str(DOCS), str(tmp_path / "pages")]
    process = subprocess.run(command, capture_output=True, text=True, timeout=280)
    assert process.returncode == 0, process.stderr
    assert "What is staged" in (tmp_path / "pages" / "index.html").read_text()
