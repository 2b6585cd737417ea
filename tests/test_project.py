"""The project's layout: its links, its package, its licence, the size of its files."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

import autograph
from tests import stubs, topics

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
LINKS = ("converters", "runtime")
SOURCES = sorted([*ROOT.glob("autograph/**/*.py"), *ROOT.glob("converters/**/*.py"), *ROOT.glob("runtime/**/*.py"),
                  *ROOT.glob("examples/*.py")])


def python(program: str, *, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", program], cwd=cwd, capture_output=True, text=True, timeout=120)


@pytest.mark.parametrize("name", LINKS)
def test_links_lead_to_the_folders_beside_the_package(name):
    link = ROOT / "autograph" / name
    assert link.is_symlink()
    assert link.readlink() == Path("..") / name
    assert link.resolve() == ROOT / name


def test_no_module_is_loaded_twice():
    process = python("""
import importlib, os, pkgutil, sys
import autograph
from tests import topics
for module in pkgutil.walk_packages(autograph.__path__, "autograph."):
    if not module.name.endswith("__main__"):
        try:
            importlib.import_module(module.name)
        except ModuleNotFoundError as error:
            if (error.name or "").partition(".")[0] not in ("jax", "torch"):  # the library of an extra
                raise
        except autograph.errors.MissingExtraError:
            assert module.name.startswith(("autograph.jax", "autograph.torch"))
files = {}
for name, module in list(sys.modules.items()):
    if getattr(module, "__file__", None) and os.path.realpath(module.__file__).startswith(os.getcwd()):
        files.setdefault(os.path.realpath(module.__file__), {})[id(module)] = name
twice = {file: names for file, names in files.items() if len(names) > 1}
assert not twice, twice
assert len(files) > 20
assert not {"runtime", "converters"} & set(sys.modules)
""")
    assert process.returncode == 0, process.stderr


@pytest.mark.parametrize("name", LINKS)
def test_the_folders_refuse_to_be_imported_by_their_own_names(name):
    process = python(f"import {name}")
    assert f"import autograph.{name} instead" in process.stderr


def imported_names(path: Path) -> set[str]:
    nodes = ast.walk(ast.parse(path.read_text()))
    return {name for node in nodes
            for name in ([alias.name for alias in node.names] if isinstance(node, ast.Import)
                         else [node.module or ""] if isinstance(node, ast.ImportFrom) and not node.level else [])}


def test_no_import_names_the_folders():
    tests = sorted((ROOT / "tests").rglob("*.py"))
    roots = {path: {name.split(".")[0] for name in imported_names(path)} for path in [*SOURCES, *tests]}
    wrong = [str(path) for path, names in roots.items() if names & set(LINKS)]
    assert not wrong


def test_runtime_knows_nothing_of_syntax_trees():
    front = ("ast", "gast", "astunparse", "autograph.source", "autograph.analysis", "autograph.converters",
             "autograph.pipeline", "autograph.api")
    # The executor writes Python source of its own and compiles it.
    paths = [path for path in (ROOT / "runtime").rglob("*.py")]
    assert paths
    wrong = {str(path): sorted(names) for path in paths
             if (names := {name for name in imported_names(path) if name.startswith(front)})}
    assert not wrong


def test_wheel_holds_every_package(tmp_path):
    copy = tmp_path / "project"
    hidden = shutil.ignore_patterns(".*", "__pycache__", "*.egg-info", "build", "tests")
    shutil.copytree(ROOT, copy, symlinks=True, ignore=hidden)
    command = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "-w", str(tmp_path)]
    subprocess.run([*command, str(copy)], check=True, capture_output=True, timeout=240)
    (wheel,) = tmp_path.glob("*.whl")
    assert wheel.name.startswith(f"autograph_py-{PROJECT['version']}-")
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    written = {path.relative_to(ROOT).as_posix() for path in (ROOT / "autograph").rglob("*.py")}
    for name in LINKS:
        written |= {f"autograph/{path.relative_to(ROOT).as_posix()}" for path in (ROOT / name).rglob("*.py")}
    assert {name for name in names if name.endswith(".py")} == written
    assert any(name.endswith("LICENSE") for name in names)
    process = python(f"import sys; sys.path.insert(0, {str(wheel)!r}); import autograph, autograph.converters.base, "
                     "autograph.runtime.ir.graph; print(autograph.__file__)", cwd=tmp_path)
    assert str(wheel) in process.stdout, process.stderr


def test_every_test_directory_is_a_package():
    directories = {path.parent for path in (ROOT / "tests").rglob("test_*.py")}
    assert not [str(directory) for directory in directories if not (directory / "__init__.py").exists()]


def test_licence():
    text = (ROOT / "LICENSE").read_text()
    assert "Apache License" in text
    assert "END OF TERMS AND CONDITIONS" in text
    assert PROJECT["license"] == "Apache-2.0"


def test_version():
    assert autograph.__version__ == PROJECT["version"]


def test_files_and_functions_are_short():
    long_files = [f"{path}: {count} lines" for path in SOURCES
                  if (count := len(path.read_text().splitlines())) > 450]
    long_functions = [
        f"{path}:{node.lineno} {node.name}: {node.end_lineno - node.lineno + 1} lines"
        for path in SOURCES
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.end_lineno - node.lineno >= 60
    ]
    assert not long_files + long_functions


def test_the_table_of_topics_has_the_files_that_there_are():
    table = topics.rows()
    assert list(table) == topics.files(), "write it anew: python -m tests.topics"
    there = {path.stem for path in topics.LANGUAGE.glob("test_*.py")}
    assert {topic for row in table.values() for topic in row} <= there | {"-"}


def test_checkers_read_all_public_names():
    written = stubs.stubs()
    assert set(written) == set((ROOT / "autograph").rglob("*.pyi")), "write them anew: python -m tests.stubs"
    assert not [path.name for path, text in written.items() if path.read_text() != text], "python -m tests.stubs"
    named = written[ROOT / "autograph" / "__init__.pyi"]
    words = set(re.findall(r"\w+", named))
    assert not [name for name in dir(autograph) if name not in words and name != "autograph"]
