"""Toy packages of less than 60 lines add a library's tensors, an engine and a format of files by entry points."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

TOYS = Path(__file__).with_name("toys")
ROOT = Path(__file__).parents[2]


def install(folder: Path, package: str, entries: str, *modules: str) -> None:
    """Puts modules into a folder, as an installer would, with what they offer."""
    folder.mkdir(exist_ok=True)
    for module in modules:
        shutil.copy(TOYS / f"{module}.py", folder)
    info = folder / f"{package.replace('-', '_')}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(entries)


@pytest.fixture
def site(tmp_path: Path) -> Path:
    folder = tmp_path / "site"
    install(folder, "toy-sym", "[autograph.tensors]\ntoysym = toysym_staging:Formulas\n", "toysym", "toysym_staging")
    install(folder, "toy-engine", "[autograph.engines]\nexact = toyengine:Exact\n", "toyengine")
    install(folder, "toy-format", "[autograph.exporters]\nlines = toyformat:write\n", "toyformat")
    return folder


@pytest.fixture
def broken(site: Path) -> Path:
    """The same, and packages of which nothing can be used."""
    install(site, "bad-sym", "[autograph.tensors]\nbadsym = badsym_staging:Nothing\n")
    (site / "badsym.py").write_text("")
    install(site, "odd-sym", "[autograph.tensors]\noddsym = oddsym:thing\n")
    (site / "oddsym.py").write_text("thing = 3\n")
    engines = "bad = nowhere:Engine\nhalf = halfengine:Half\nother = toyengine:Exact\n"
    install(site, "bad-engine", f"[autograph.engines]\n{engines}")
    (site / "halfengine.py").write_text("class Half:\n    name = 'half'\n")
    formats = "bad = badformat:write\nodd = oddsym:thing\ntwice = toyformat:write\n"
    install(site, "bad-format", f"[autograph.exporters]\n{formats}")
    (site / "badformat.py").write_text("1 / 0\n")
    install(site, "copy-format", "[autograph.exporters]\ntwice = toyformat:write\n")
    return site


def run(site: Path, program: str, **variables: str) -> str:
    """What a program prints, in a process of its own, which sees the packages in a folder."""
    path = site / "program.py"
    path.write_text(program)
    given = {"PATH": "", "PYTHONPATH": f"{ROOT}:{site}", "AUTOGRAPH_STATUS": "0", **variables}
    done = subprocess.run(
        [sys.executable, str(path)], env=given, capture_output=True, text=True, timeout=100, cwd=site, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


@pytest.mark.parametrize("names", [["toysym", "toysym_staging"], ["toyengine"], ["toyformat"]])
def test_a_toy_has_less_than_sixty_lines(names: list[str]) -> None:
    for name in names:
        assert len((TOYS / f"{name}.py").read_text().splitlines()) < 60


TENSORS = """
import autograph as tf

@tf.convert
def clipped(x, low):
    if low > x:
        x = low
    return x * 2

print(clipped(3, 5))
import toysym
with toysym.formulas():
    print(clipped(toysym.Sym("x"), toysym.Sym("low")).text)
print(clipped(7, 5))
print(tf.function(clipped)(tf.constant(3), tf.constant(5)).numpy())
"""


def test_the_tensors_of_a_library(site: Path) -> None:
    assert run(site, TENSORS).split("\n")[:4] == ["10", "((low if (low > x) else x) * 2)", "14", "10"]


ENGINE = """
import numpy as np
import autograph as tf
import sys

@tf.function
def total(x):
    return tf.reduce_sum(x) * 2

x = tf.constant([1e16, 1.0, -1e16], tf.float64)
assert "toyengine" not in sys.modules and "importlib.metadata" not in sys.modules
print(total(x).numpy())
tf.autograph.config.settings.engine = "exact"

@tf.function
def exactly(x):
    return tf.reduce_sum(x) * 2

print(exactly(x).numpy())
print(sys.modules["toyengine"].compiled)
print(exactly.get_concrete_function(x).compiled)
"""


def test_an_engine(site: Path) -> None:
    found = run(site, ENGINE)
    assert found.splitlines()[:3] == ["0.0", "2.0", "[['float64[3]']]"], found
    assert "exact sums" in found and "multiply is no sum of a vector" in found


EXPORTER = """
import autograph as tf

f = tf.function(lambda x: x * 2 + 1, input_signature=[tf.TensorSpec((None,))])
tf.export.lines(f, "f.txt", title="doubled")
print(open("f.txt").read())
model = tf.keras.Sequential([tf.keras.layers.Input((2,)), tf.keras.layers.ReLU()])
model.export("model.txt", format="lines")
print(open("model.txt").read())
try:
    tf.export.lines(lambda x: x, "g.txt")
except TypeError as error:
    print(error)
"""


def test_a_format_of_files(site: Path) -> None:
    found = run(site, EXPORTER)
    assert "# doubled\nv0: float32[?]\n" in found and "= multiply(v0, " in found
    assert "relu(v0)" in found and "tf.export.lines takes a traced function" in found


BROKEN = """
import autograph as tf
import badsym, oddsym, toysym
from autograph.config import settings

@tf.convert
def clipped(x, low):
    if low > x:
        x = low
    return x * 2

print(clipped(3, 5))
with toysym.formulas():
    print(clipped(toysym.Sym("x"), toysym.Sym("low")).text)

def tried(action):
    try:
        print(action())
    except Exception as error:
        print(type(error).__name__ + ":", error)

f = tf.function(lambda x: x + 1, input_signature=[tf.TensorSpec(())])
for name in ("bad", "half", "other", "none", "exact"):
    settings.engine = name
    tried(lambda: tf.function(lambda x: tf.reduce_sum(x))(tf.constant([1.0])).numpy())
settings.engine = ""
for name in ("bad", "odd", "twice", "none"):
    tried(lambda: getattr(tf.export, name)(f, "f.txt"))
tf.export.lines(f, "f.txt")
"""


def test_a_broken_plug_in_names_itself_and_breaks_no_other(broken: Path) -> None:
    found = run(broken, BROKEN)
    for text in (
        "10\n", "((low if (low > x) else x) * 2)",
        "values of badsym are not staged: the plug-in 'badsym' (autograph.tensors) of bad-sym 1.0, "
        "badsym_staging:Nothing, can't be used: ModuleNotFoundError",
        "the plug-in 'oddsym' (autograph.tensors) of odd-sym 1.0, oddsym:thing, can't be used: 3 is no autograph.op",
        "PluginError: the plug-in 'bad' (autograph.engines) of bad-engine 1.0, nowhere:Engine, can't be used: Module",
        "PluginError: the plug-in 'half' (autograph.engines) of bad-engine 1.0, halfengine:Half, can't be used: it has "
        "no library, product",
        "of bad-engine 1.0, toyengine:Exact, can't be used: its name is 'exact'",
        "there is no engine 'none'; there are bad, exact, half, interpreter, native, numpy, other, xla",
        "1.0\n",
        "PluginError: the plug-in 'bad' (autograph.exporters) of bad-format 1.0, badformat:write, can't be used: "
        "ZeroDivisionError",
        "PluginError: the plug-in 'odd' (autograph.exporters) of bad-format 1.0, oddsym:thing, can't be used: 3 can't",
        "PluginError: bad-format 1.0 and copy-format 1.0 both have a plug-in 'twice' (autograph.exporters)",
        "has no attribute 'none'",
    ):  # fmt: skip
        assert text in found, (text, found)
    assert (broken / "f.txt").read_text().startswith("# graph")


PLAIN = """
import sys
import autograph as tf
f = tf.convert(lambda x: x + 1)

@tf.convert
def g(x):
    while x < 3:
        x = x + 1
    return x

g(0), tf.function(g)(tf.constant(0))
print("importlib.metadata" in sys.modules)
"""


def test_nothing_is_looked_for_that_nobody_asks_for(tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    assert run(tmp_path / "site", PLAIN) == "False\n"
