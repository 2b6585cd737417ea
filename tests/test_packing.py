"""Programs that are packed, and measured: zip archives, frozen code, coverage of branches."""

from __future__ import annotations

import importlib.util
import json
import shutil
import subprocess
import sys
import textwrap
import tomllib
import zipapp
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROGRAM = textwrap.dedent(
    """
    import autograph as tf

    @tf.function
    def collatz(n):
        steps = 0
        while n != 1:
            if n % 2 == 0:
                n = n // 2
            else:
                n = 3 * n + 1
            if n == 1:
                steps = steps + 0
            steps += 1
        return steps

    print(int(collatz(tf.constant(27))))
    """
)


def _run(*command: object, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(list(map(str, command)), cwd=folder, capture_output=True, text=True, timeout=200)


def test_both_branches_of_a_staged_if_count(tmp_path: Path) -> None:
    pytest.importorskip("coverage")
    (tmp_path / "program.py").write_text(PROGRAM)
    coverage = (sys.executable, "-m", "coverage")
    assert _run(*coverage, "run", "--branch", "--include=program.py", "program.py", folder=tmp_path).stdout == "111\n"
    assert _run(*coverage, "json", folder=tmp_path).returncode == 0
    found = json.loads((tmp_path / "coverage.json").read_text())["files"]["program.py"]
    assert found["missing_branches"] == [] == found["missing_lines"]
    assert found["summary"]["num_branches"] == 6


def test_a_branch_that_is_not_taken_does_not_count(tmp_path: Path) -> None:
    pytest.importorskip("coverage")
    text = "import autograph as tf\n@tf.autograph.convert\ndef f(x):\n    if x:\n"
    text += "        return 1\n    else:\n        return 2\nf(True)\n"
    (tmp_path / "program.py").write_text(text)
    coverage = (sys.executable, "-m", "coverage")
    _run(*coverage, "run", "--branch", "--include=program.py", "program.py", folder=tmp_path)
    _run(*coverage, "json", folder=tmp_path)
    found = json.loads((tmp_path / "coverage.json").read_text())["files"]["program.py"]
    assert found["missing_branches"] == [[4, 7]] and found["missing_lines"] == [7]


def test_a_zip_archive_holds_a_program(tmp_path: Path) -> None:
    folder = tmp_path / "packed"
    shutil.copytree(ROOT / "autograph", folder / "autograph", ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "program.py").write_text(PROGRAM)
    (folder / "__main__.py").write_text("import autograph, program\nprint(autograph.__file__)\n")
    zipapp.create_archive(folder, tmp_path / "program.pyz")
    result = _run(sys.executable, tmp_path / "program.pyz", folder=tmp_path)
    assert result.stdout.splitlines() == ["111", str(tmp_path / "program.pyz/autograph/__init__.py")], result.stderr


def test_code_without_a_file_says_how_to_pack_it() -> None:
    import autograph as tf

    namespace: dict[str, object] = {"__name__": "program"}
    exec(compile("def f(x):\n    return x", "program.py", "exec"), namespace)
    with pytest.raises(tf.errors.SourceNotFoundError, match=r"no text for `program.py`\n.*\nRemedy: .*pyz\+py"):
        tf.autograph.to_graph(namespace["f"])


def test_pyinstaller_is_told_where_the_hook_is() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    module, _, name = project["entry-points"]["pyinstaller40"]["hook-dirs"].partition(":")
    (folder,) = getattr(importlib.import_module(module), name)()
    assert (Path(folder) / "hook-autograph.py").is_file()
