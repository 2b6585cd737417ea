"""What looks at the frames of its callers sees the user's function, as without conversion."""

from __future__ import annotations

import collections
import enum
import inspect
import io
import logging
import sys
import traceback
import warnings
from collections.abc import Callable
from typing import Any

import pytest

import autograph as tf


def who() -> Any:
    return sys._getframe(1).f_code.co_name, sys._getframe(1).f_lineno, sys._getframe().f_code.co_name


def of_the_caller() -> Any:
    return who()


def of_inspect() -> Any:
    def inner() -> Any:
        return inspect.stack()[1].function

    frame = inspect.currentframe()
    assert frame is not None
    return inspect.stack()[0].function, frame.f_code.co_name, frame.f_lineno, inner()


def in_a_loop() -> Any:
    found = None
    for _ in range(2):
        found = sys._getframe().f_code.co_name, sys._getframe().f_lineno
    return found


def of_a_log_record() -> Any:
    text = io.StringIO()
    handler = logging.StreamHandler(text)
    handler.setFormatter(logging.Formatter("%(funcName)s:%(lineno)d %(filename)s %(message)s"))
    logger = logging.Logger("a")
    logger.addHandler(handler)
    logger.warning("%s", 3)
    return text.getvalue()


def of_classes() -> Any:
    return collections.namedtuple("Pair", "a b").__module__, enum.Enum("Kind", "A B").__module__  # noqa: PYI024


def of_a_traceback() -> Any:
    return traceback.format_stack()[-1], traceback.extract_stack()[-1].lineno


@pytest.mark.parametrize(
    "function", [of_the_caller, of_inspect, in_a_loop, of_a_log_record, of_classes, of_a_traceback]
)
def test_frames_are_the_users(function: Callable[[], Any]) -> None:
    found = []

    @tf.function
    def f(x: Any) -> Any:
        found.append(function())
        return x

    f(tf.constant(1))
    assert found == [function()]


def deprecated() -> None:
    warnings.warn("old", DeprecationWarning, stacklevel=2)


def test_warnings_name_the_line_that_calls() -> None:
    def f(x: Any) -> Any:
        deprecated()
        if x > 0:
            deprecated()
        return x

    first = f.__code__.co_firstlineno
    with pytest.warns(DeprecationWarning) as caught:
        tf.function(f)(tf.constant(1))
    assert [(each.filename, each.lineno - first) for each in caught] == [(__file__, 1), (__file__, 3)]


def test_frames_in_staged_branches() -> None:
    @tf.function
    def f(x: Any) -> Any:
        if x > 0:
            name, line, _ = who()
        else:
            name, line, _ = who()
        return name, line

    name, line = f(tf.constant(1))
    assert name == "f" and int(line) == f.python_function.__code__.co_firstlineno + 3
