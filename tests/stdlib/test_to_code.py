"""Every function of the standard library that converts: what `to_code` prints is the tree that runs.

By default a sample of the library is tried; with AUTOGRAPH_STDLIB=all, all of it.
"""

from __future__ import annotations

import collections
import inspect
import os
import re
import sysconfig
import warnings
from collections.abc import Iterator
from pathlib import Path
from types import CellType, CodeType, FunctionType

import gast
import pytest

import autograph as tf
from autograph.errors import ConversionError
from autograph.pipeline import converted, finish, transformed
from tests.printed import same

LIBRARY = Path(sysconfig.get_path("stdlib"))
LEFT_OUT = {"test", "tests", "idle_test", "site-packages", "dist-packages", "lib2to3", "__pycache__"}
WHOLE = os.environ.get("AUTOGRAPH_STDLIB") == "all"
SHARES = 4 if WHOLE else 1


def files() -> list[Path]:
    paths = sorted(path for path in LIBRARY.rglob("*.py") if LEFT_OUT.isdisjoint(path.relative_to(LIBRARY).parts))
    return paths if WHOLE else paths[::40]


def functions(path: Path) -> Iterator[FunctionType]:
    """The functions and methods of a file, made from its compiled code; nothing of the file is executed."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        code = compile(path.read_bytes(), str(path), "exec", dont_inherit=True)
    yield from _functions_in(code, {"__name__": path.stem, "__file__": str(path)})


def _functions_in(code: CodeType, namespace: dict) -> Iterator[FunctionType]:
    for constant in code.co_consts:
        if not isinstance(constant, CodeType):
            continue
        if constant.co_flags & inspect.CO_NEWLOCALS and not constant.co_name.startswith("<"):
            cells = tuple(CellType() for _ in constant.co_freevars)
            yield FunctionType(constant, namespace, constant.co_name, None, cells)
        else:
            yield from _functions_in(constant, namespace)


@pytest.mark.timeout(1800 if WHOLE else 300)
@pytest.mark.parametrize("share", range(SHARES))
def test_printed_code_is_the_tree_that_runs(share, record_property):
    done, reasons, wrong = 0, collections.Counter(), []
    for path in files()[share::SHARES]:
        for function in functions(path):
            try:
                for staged in (False, True):
                    converted(function, staged=staged)
                context, _ = transformed(function)
                shown = same(tf.to_code(function), gast.gast_to_ast(context.tree))
                finish(context)
                shown &= same(tf.to_code(function, full=True), gast.gast_to_ast(context.tree))
            except ConversionError as error:
                reasons[re.sub(r"[`'\"].*?[`'\"]", "…", error.message.splitlines()[0])] += 1
                continue
            except Exception as error:
                wrong.append(f"{where(function)}: {error!r}")
                continue
            done += 1
            if not shown:
                wrong.append(f"{where(function)}: printed code differs from the tree")
    record_property("note", "\n".join([f"to_code over the standard library: {done} functions converted and printed, "
                                       f"{sum(reasons.values())} not converted",
                                       *(f"    {count}: {reason}" for reason, count in reasons.most_common())]))
    assert done
    assert not wrong, f"{len(wrong)} of {done + len(wrong)}:\n" + "\n".join(wrong[:40])


def where(function: FunctionType) -> str:
    return f"{function.__code__.co_filename}:{function.__code__.co_firstlineno} {function.__qualname__}"
