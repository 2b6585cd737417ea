"""Compiled code on disk: it is found again, and trusted only where nobody else can have written."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import autograph as tf
from autograph.config import settings
from autograph.runtime.engines.native import NATIVE
from autograph.runtime.engines.native.foreign import llvm
from autograph.runtime.engines.native.run import cache
from autograph.runtime.engines.region import Region
from tests.runtime.engines.native.common import needs_llvm, same

pytestmark = [needs_llvm, pytest.mark.skipif(not hasattr(os, "geteuid"), reason="files have no owners here")]
TABLE = np.arange(100.0) * 3


def f(x, n):
    for i in tf.range(n):
        x = tf.tanh(x @ TABLE[:9].reshape(3, 3)) + TABLE[i]
    return x


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(settings, "native_cache", str(tmp_path / "code"))
    monkeypatch.setattr(cache, "_warned", set())
    return tmp_path / "code"


@pytest.fixture
def optimised(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """An element for each module that LLVM has optimised."""
    found: list[int] = []
    real = llvm.optimize

    def counted(*arguments: object) -> None:
        found.append(1)
        real(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(llvm, "optimize", counted)
    return found


def result() -> np.ndarray:
    arguments = np.ones((2, 3)), np.array(4, np.int32)
    region = Region(tf.function(f).get_concrete_function(*arguments).optimized_graph, NATIVE, demanded=True)
    (found,) = region.run(*arguments)
    assert region.is_compiled and not region.failures
    same(region.plan.run(*arguments)[0], found, ulps=1 << 20)
    return found


def test_code_is_found_again(folder: Path, optimised: list[int]) -> None:
    expected = result()
    assert optimised and folder.stat().st_mode & 0o777 == 0o700
    assert all(path.stat().st_mode & 0o777 == 0o600 for path in folder.iterdir())
    optimised.clear()
    np.testing.assert_array_equal(result(), expected)
    assert not optimised


def test_another_process_finds_it(folder: Path) -> None:
    program = (
        "import numpy as np\nimport autograph as tf\nfrom autograph.runtime.engines.native.foreign import llvm\n"
        "real = llvm.optimize\n"
        "def counted(*given):\n    print('compiles')\n    real(*given)\n"
        "llvm.optimize = counted\n"
        "table = np.arange(10.0)\n"
        "f = tf.function(lambda x: x * table + 1.0, jit_compile=True)\n"
        "print(f(tf.ones(10, tf.float64)).numpy().sum())\n"
    )
    environment = {**os.environ, "AUTOGRAPH_NATIVE_CACHE": str(folder)}
    for expected in ("compiles\ncompiles\n55.0\n", "55.0\n"):
        command = [sys.executable, "-c", program]
        done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
        assert done.stdout == expected


@pytest.mark.parametrize("damage", [
    lambda content: b"", lambda content: content[:-1], lambda content: content[:50], lambda content: b"x" + content[1:],
    lambda content: content[:200] + b"?" + content[201:], lambda content: content + b"more",
])  # fmt: skip
def test_damaged_files_are_written_anew(folder: Path, optimised: list[int], damage: Callable[[bytes], bytes]) -> None:
    expected = result()
    before = {path: path.read_bytes() for path in folder.iterdir()}
    for path, content in before.items():
        path.write_bytes(damage(content))
    optimised.clear()
    np.testing.assert_array_equal(result(), expected)
    assert optimised and {path: path.read_bytes() for path in folder.iterdir()} == before


def test_a_file_under_another_name_is_not_taken(folder: Path) -> None:
    cache.store("one", b"code")
    (folder / "one").rename(folder / "two")
    assert cache.load("two") is None
    cache.store("two", b"code")
    assert cache.load("two") == b"code"


@pytest.mark.parametrize("mode", [0o770, 0o707, 0o777])
def test_a_folder_that_others_can_write_to_is_not_used(folder: Path, mode: int) -> None:
    cache.store("one", b"code")
    folder.chmod(mode)
    with pytest.warns(RuntimeWarning, match="is not used: others can write to it"):
        assert cache.load("one") is None
    cache.store("two", b"code")
    assert [path.name for path in folder.iterdir()] == ["one"]


def test_a_file_that_others_can_write_to_or_a_link_is_not_used(folder: Path) -> None:
    cache.store("one", b"code")
    (folder / "link").symlink_to(folder / "one")
    assert cache.load("link") is None
    (folder / "one").chmod(0o666)
    with pytest.warns(RuntimeWarning, match="others can write to it"):
        assert cache.load("one") is None


def test_a_folder_that_cannot_be_made_is_told_once(folder: Path) -> None:
    folder.write_text("a file")
    with pytest.warns(RuntimeWarning, match="is not used"):
        result()
