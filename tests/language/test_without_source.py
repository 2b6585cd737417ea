"""L24: a function whose source can't be had runs as it is; where that is not enough, the error says what to do."""

from __future__ import annotations

from typing import Any

import pytest

import autograph as tf


def without_source(text: str) -> Any:
    namespace: dict[str, Any] = {}
    exec(text, namespace)
    return namespace["f"]


BRANCHING = without_source("def f(x):\n    if x > 0:\n        return x\n    return -x\n")
STRAIGHT = without_source("def f(x):\n    return x * 2\n")


def test_what_needs_no_conversion_runs() -> None:
    assert tf.function(STRAIGHT)(tf.constant(3)).numpy() == 6
    assert tf.function(BRANCHING)(-3).numpy() == 3


@pytest.mark.parametrize("function", [BRANCHING, lambda x: BRANCHING(x) + 1], ids=["itself", "called"])
def test_what_needs_conversion_says_how_to_get_it(function: Any) -> None:
    with pytest.raises(tf.errors.StagedValueError, match=r"`f` is not converted.*linecache\.cache"):
        tf.function(function)(tf.constant(3))
