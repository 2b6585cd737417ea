"""What the programs of the golden files print, and the errors that they reach; each file is run once."""

from __future__ import annotations

import contextlib
import gc
import sys
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import autograph as tf
from tests.golden import Golden

from .programs import shown, shown_one_by_one
from .sites import Site, recording

FILES = sorted((Path(__file__).parent / "data").glob("*.test"))


@cache
def run(path: Path) -> tuple[dict[str, str], frozenset[Site]]:
    """What each case of a golden file shows, and the places that raised."""
    golden = Golden.read(path)
    show = shown_one_by_one if golden.header.get("statements") == "one by one" else shown
    reached: set[Site] = set()
    results = {}
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder), _without_collection():
        for i, (name, (source, _)) in enumerate(golden.cases.items()):
            tf.keras.utils.clear_session()  # layers are numbered anew
            with recording(reached):
                results[name] = show(source, Path(folder) / f"{i}.py")
    _switch_all_off()
    return results, frozenset(reached)


@contextlib.contextmanager
def _without_collection() -> Iterator[None]:
    """Garbage of other tests isn't collected where a program is about to exceed the limit of recursion.

    A finaliser that finds no room there is told of on `sys.stderr`, among what the program prints.
    """
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def _switch_all_off() -> None:
    if "autograph.runtime.tools.summary" in sys.modules:
        tf.summary.trace_off()
    tf.debugging.disable_check_numerics()
