"""What code takes for granted of others' memory and functions: where one thing is otherwise, the plan runs instead."""

from __future__ import annotations

import ast
import ctypes.util
import functools
import math
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autograph as tf
from autograph import log
from autograph.config import settings
from autograph.errors import UnimplementedError
from autograph.runtime.engines import native
from autograph.runtime.engines.native import foreign
from autograph.runtime.engines.native.foreign import blas, cpython, libm, llvm, ndarrays
from autograph.runtime.engines.native.ops import products
from autograph.runtime.engines.native.run import entry
from tests.runtime.engines.native import guards
from tests.runtime.engines.native.common import at_once as at_once
from tests.runtime.engines.native.common import needs_llvm

FOLDER = Path(native.__file__).parent
Break = Callable[[pytest.MonkeyPatch], None]


@pytest.fixture
def untried(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Nothing has been tried yet; the log is on."""
    for module, name in ((foreign, "_found"), (entry, "_entry"), (cpython, "_definition"), (cpython, "_spy"),
                         (libm, "_functions"), (blas, "gemm"), (native, "log_once")):  # fmt: skip
        monkeypatch.setattr(module, name, functools.cache(getattr(module, name).__wrapped__))
    monkeypatch.setattr(settings, "verbosity", 1)
    yield


def other(module: Any, name: str, value: Any) -> Break:
    """A constant has another value than here."""
    return lambda monkeypatch: monkeypatch.setattr(module, name, value)


def refuses(module: Any, name: str) -> Break:
    """A function is not there."""

    def refuse(*_: Any, **__: Any) -> Any:
        raise ImportError("it has gone")

    return other(module, name, refuse)


OTHERWISE: dict[str, tuple[Break, str]] = {
    "implementation": (lambda m: m.setattr(sys.implementation, "name", "other"), "not CPython"),
    "type": (other(cpython, "TYPE", 16), "the type of an object elsewhere"),
    "bytes": (other(cpython, "BYTES", cpython.BYTES - 8), "the content of bytes elsewhere"),
    "calls": (other(cpython, "_FAST_CALL", 0x0001), "calls built-in functions in another way"),
    "missing function": (lambda m: m.setitem(cpython.FUNCTIONS, "PyTuple_Old", "ptr ()"), "has no PyTuple_Old"),
    "data": (other(ndarrays, "DATA", 24), "lie in memory in another way"),
    "rank": (other(ndarrays, "RANK", 28), "lie in memory in another way"),
    "shape, before": (other(ndarrays, "SHAPE", 24), "lie in memory in another way"),
    "shape, behind": (other(ndarrays, "SHAPE", 40), "lie in memory in another way"),
    "dtype": (other(ndarrays, "DESCR", 48), "lie in memory in another way"),
    "flags": (other(ndarrays, "FLAGS", 68), "lie in memory in another way"),
    "meaning of flags": (other(ndarrays, "CONTIGUOUS_AND_ALIGNED", 0x102), "lie in memory in another way"),
    "version": (other(ndarrays, "_VERSION", 0x1000009), "have another order"),
    "table": (other(ndarrays, "_TYPE_PLACE", 3), "have another order"),
    "private module": (refuses(ndarrays, "extension"), "ImportError: it has gone"),
    "mathematics": (lambda m: m.setitem(libm._TRIED, "sin", (math.cos, (0.5,))), "C library's sin computes something"),
    "no mathematics": (other(ctypes.util, "find_library", lambda name: "lib nothing"), "OSError"),
    "LLVM": (refuses(llvm, "_binding"), "ImportError: it has gone"),
    "result": (other(entry, "_TRIAL", entry._TRIAL.replace("fadd", "fsub")), "gave something else"),
}


@needs_llvm
@pytest.mark.skipif(guards.EVERYWHERE, reason="code is called in another way")
@pytest.mark.parametrize("what", OTHERWISE)
def test_the_plan_runs_where_something_is_otherwise(
    what: str, untried: None, at_once: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    destroy, reason = OTHERWISE[what]
    destroy(monkeypatch)

    def double(n: Any) -> Any:
        turns = 0
        while n < 100:
            n, turns = n * 2, turns + 1
        return n, turns

    function, n = tf.function(double), tf.constant(3)
    assert [int(x) for x in function(n)] == [192, 6]
    assert [float(x) for x in tf.function(lambda x: tf.sin(x) * 2)(tf.zeros(3))] == [0, 0, 0]
    assert reason in function.get_concrete_function(n).compiled
    logged = capsys.readouterr().err
    assert logged.count("nothing becomes machine code: ") == 1 and reason in logged
    with pytest.raises(UnimplementedError, match=re.escape(reason)):
        tf.function(double, jit_compile=True)(n)


WITHOUT_BLAS: dict[str, tuple[Break, str]] = {
    "no function": (other(blas, "_NAMES", (("nothing_{}", 64),)), "NumPy's dgemm was not found"),
    "another function": (other(np, "matmul", lambda x, y: x @ y + 1), "NumPy's dgemm computes something else"),
    "private module": (refuses(ndarrays, "extension"), "NumPy's BLAS can't be reached: ImportError: it has gone"),
}


@needs_llvm
@pytest.mark.parametrize("what", WITHOUT_BLAS)
def test_the_plan_runs_large_products_without_blas(
    what: str, at_once: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert native.is_available()
    for module in (native, products):
        monkeypatch.setattr(module, "log_once", functools.cache(log.log_once.__wrapped__))
    monkeypatch.setattr(blas, "gemm", functools.cache(blas.gemm.__wrapped__))
    monkeypatch.setattr(settings, "verbosity", 1)
    destroy, reason = WITHOUT_BLAS[what]
    x = np.random.default_rng(0).normal(size=(420, 420))
    expected = x @ x @ x

    @tf.function
    def f(x: Any, n: Any) -> Any:
        y = x
        for _ in tf.range(n):
            y = y @ x
        total = 0
        while total < 100:
            total += n
        return y, total

    arguments = tf.constant(x), tf.constant(2)
    with monkeypatch.context() as patch:
        destroy(patch)
        blas.gemm("d")
    y, total = f(*arguments)
    np.testing.assert_allclose(np.asarray(y), expected, rtol=1e-9, atol=1e-9)
    assert total == 100
    text = f.get_concrete_function(*arguments).compiled
    assert reason in text and "are machine code" in text
    assert capsys.readouterr().err.count(f"large products of matrices do not become machine code: {reason}") == 1


# A file knows one thing


SOURCES = {path.relative_to(FOLDER).as_posix(): path.read_text() for path in sorted(FOLDER.rglob("*.py"))}


def imported(text: str) -> set[str]:
    """The modules and names that a file imports."""
    found = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found.update(each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found.update(f"{node.module}.{each.name}" for each in node.names)
    return found


def files(wanted: Callable[[str], bool]) -> set[str]:
    return {name.removeprefix("foreign/") for name, text in SOURCES.items() if wanted(text)}


def test_each_layout_is_known_in_one_file() -> None:
    def imports(start: str) -> set[str]:
        return files(lambda text: any(each.split(".")[0] == start for each in imported(text)))

    assert imports("ctypes") == {"blas.py", "cpython.py", "libm.py", "llvm.py", "ndarrays.py"}
    assert imports("llvmlite") == {"llvm.py"}
    private = re.compile(r"numpy\._|\bnp\._|_multiarray|_ARRAY_API")
    assert files(lambda text: bool(private.search(text))) == {"ndarrays.py"}
    assert files(lambda text: "gemm" in re.sub(r"blas\.gemm|Gemm", "", text)) == {"blas.py"}
    assert files(lambda text: re.search(r"(pythonapi|py_object|declare .*@Py)", text) is not None) <= {
        "cpython.py", "ndarrays.py",
    }  # fmt: skip


def test_code_calls_no_other_functions_of_pythons() -> None:
    called = {name for text in SOURCES.values() for name in re.findall(r"@(Py\w+)", text)}
    assert called <= set(cpython.FUNCTIONS)


def test_nothing_here_sets_a_number_of_threads() -> None:
    assert not files(lambda text: "num_threads" in text or "threadpool" in text)
