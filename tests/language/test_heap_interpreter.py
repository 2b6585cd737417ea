"""Tracing leaves the interpreter whole: built-ins, modules and the environment are there afterwards, and as they were."""

# ruff: noqa: E501 (programs, a line each)
from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

HEAD = """\
import atexit, builtins, functools, os, sys, threading
import numpy as np
import autograph as tf

CACHE = {"kept": 1}
exec("def unknown(*values):\\n    CACHE[len(CACHE)] = 1\\n    return builtins and atexit and sys and None")
"""
TAIL = """
before = {name: dict(each) for name, each in (("b", vars(builtins)), ("m", sys.modules), ("e", os.environ), ("c", CACHE))}
for n in (-1, 0, 2):
    try:
        tf.function(f)(tf.constant(n))
    except Exception as error:
        if isinstance(error, NameError):
            raise
assert len("ab") == 2 and Exception and ValueError and print
for name, each in (("b", vars(builtins)), ("m", sys.modules), ("e", os.environ), ("c", CACHE)):
    lost = {key for key, value in before[name].items() if key not in each or each[key] is not value and each[key] != value}
    assert not lost, (name, lost)
threading.Thread(target=lambda: len("ab")).start()
sys.stdout.write("whole\\n")
"""
PROGRAMS = {
    "vars": 'def f(n):\n    if n > 0:\n        vars(builtins)["a"] = n\n    return n\n',
    "vars in a loop": 'def f(n):\n    for i in range(n):\n        vars(builtins)["a"] = i\n    return n\n',
    "__dict__": 'def f(n):\n    if n > 0:\n        builtins.__dict__["a"] = n\n    return n\n',
    "setattr": 'def f(n):\n    if n > 0:\n        setattr(builtins, "a", n)\n    return n\n',
    "update": "def f(n):\n    if n > 0:\n        vars(builtins).update(a=n)\n    return n\n",
    "os.environ": 'def f(n):\n    if n > 0:\n        os.environ["A_NAME"] = "1"\n    return n\n',
    "sys.modules": 'def f(n):\n    if n > 0:\n        sys.modules["a_module"] = sys\n    return n\n',
    "a cache": 'def f(n):\n    if n > 0:\n        CACHE["other"] = n\n    return n\n',
    "a call without source": "def f(n):\n    unknown(n)\n    return n\n",
    "a call without source in a loop": "def f(n):\n    for i in range(n):\n        unknown(i)\n    return n\n",
    "a closure over built-ins": "def make(b):\n    return eval('lambda *v: b and None', {'b': b})\nwalk = make(vars(builtins))\n"
    "def f(n):\n    if n > 0:\n        walk(n)\n    return n\n",
    "atexit": "def f(n):\n    if n > 0:\n        atexit.register(unknown, n)\n    return n\n",
    "sklearn": "from sklearn.preprocessing import scale\ndef f(n):\n    scale(tf.ones([3, 2]) * tf.cast(n, tf.float32))\n    return n\n",
    "matplotlib": "import matplotlib\nmatplotlib.use('Agg')\nfrom matplotlib import pyplot\n"
    "def f(n):\n    pyplot.plot([1, 2])\n    return n\n",
    "tqdm": "import tqdm.notebook\ndef f(n):\n    t = 0\n    for i in tqdm.notebook.tqdm(range(n)):\n        t += i\n    return t\n",
}  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_interpreter_is_whole_after_a_trace(name: str, tmp_path: Path) -> None:
    if name in ("sklearn", "matplotlib", "tqdm") and importlib.util.find_spec(name) is None:
        pytest.skip(f"{name} is not installed")
    file = tmp_path / "program.py"
    file.write_text(HEAD + PROGRAMS[name] + TAIL)
    program = f"import sys; sys.path.insert(0, {str(Path.cwd())!r}); import runpy; runpy.run_path({str(file)!r})"
    process = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=100)
    assert process.returncode == 0 and process.stdout == "whole\n", process.stderr[-3000:]
