"""What type checkers and editors say of programs over autograph."""

from __future__ import annotations

import ast
import inspect
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import autograph as tf

ROOT = Path(__file__).parents[1]
PROGRAM = """\
import autograph as tf
from autograph.math import log

x = tf.constant([1.0, 2.0])
total: tf.Tensor = tf.reduce_sum(log(x))
layer = tf.keras.layers.Dense(3)
tf.reduce_sun(x)
log()
tf.keras.layers.Dence(3)
tf.zeros((2,), shap=3)
for row in 2 / x + x @ x:
    rest: tf.Tensor = -row % 2

v = tf.Variable(1.0)
product: tf.Tensor = v * x - 3

@tf.function
def scaled(x: tf.Tensor, by: int = 2) -> tf.Tensor:
    return x * by

@tf.function(jit_compile=True, input_signature=[tf.TensorSpec((), tf.float32)])
def halved(x: tf.Tensor) -> tf.Tensor:
    return x / 2

class Step(tf.Module):
    @tf.function
    def run(self, x: tf.Tensor) -> dict[str, tf.Tensor]:
        return {"loss": x}

twice: tf.Tensor = scaled(x, 2) + halved(x) + Step().run(x)["loss"]
scaled(x, "two")
halved()
Step().run(x, x)
text: str = scaled(x)
scaled.get_concrete_function(x)
tf.autograph.to_code(scaled.python_function)
"""
WRONG = {
    7: "reduce_sun", 8: "x", 9: "Dence", 10: "shap", 31: "int", 32: "x", 33: "argument", 34: "Tensor",
}  # fmt: skip
"""The lines of the program that are wrong, and what the error names."""


def check(errors: list[tuple[int, str]], output: str) -> None:
    assert [line for line, _ in errors] == list(WRONG), output
    for (_, text), named in zip(errors, WRONG.values(), strict=True):
        assert named in text, output


def test_what_is_typed_by_hand_has_the_parameters_of_the_source():
    tree = ast.parse((ROOT / "runtime/functions/typed.pyi").read_text())
    found = [node.args for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "function"]
    parameters = list(inspect.signature(tf.function).parameters.values())
    for arguments in found:
        assert [each.arg for each in arguments.args] == [each.name for each in parameters]
        defaults = [ast.literal_eval(each) for each in arguments.defaults]
        assert defaults == [each.default for each in parameters][-len(defaults) :]
    assert len(found) == 2


def test_mypy_finds_misspelt_names_and_wrong_arguments(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    command = [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", str(program)]
    environment = {**os.environ, "MYPYPATH": str(ROOT)}
    found = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=environment, timeout=250).stdout
    lines = [line.partition("program.py:")[2] for line in found.splitlines() if "error:" in line]
    check([(int(line.partition(":")[0]), line) for line in lines], found)


def test_pyright_finds_them_too(tmp_path):
    pytest.importorskip("pyright")
    (tmp_path / "program.py").write_text(PROGRAM)
    options = {"typeCheckingMode": "strict", "extraPaths": [str(ROOT)], "reportUnknownMemberType": False,
               "reportUnknownVariableType": False, "reportUnknownArgumentType": False}  # fmt: skip
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(options))
    command = [sys.executable, "-m", "pyright", "--outputjson", "--pythonpath", sys.executable, "-p", str(tmp_path)]
    run = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=250)
    found = [each for each in json.loads(run.stdout)["generalDiagnostics"] if each["severity"] == "error"]
    check([(each["range"]["start"]["line"] + 1, each["message"]) for each in found], run.stdout)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("tf.reduce_s", "reduce_sum"), ("tf.keras.layers.Den", "Dense"), ("tf.math.lo", "log"),
        ("tf.data.Dataset.from_tensor_s", "from_tensor_slices"), ("f.get_conc", "get_concrete_function"),
        ("tf.constant(1).static_s", "static_shape"), ("tf.Variable(1).assign_a", "assign_add"),
        ("tf.function(lambda: 1).python_f", "python_function"),
    ],
)  # fmt: skip
def test_editors_complete_names(text, name):
    jedi = pytest.importorskip("jedi")
    source = f"import autograph as tf\n@tf.function\ndef f(x: tf.Tensor) -> tf.Tensor:\n    return x\n{text}"
    assert name in [each.name for each in jedi.Script(source, project=jedi.Project(ROOT)).complete()]
