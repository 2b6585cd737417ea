"""Global variables that a traced function makes or changes past their names: `globals()[...]`, `vars(module)[...]`."""

from __future__ import annotations

import types
from typing import Any

import pytest

import autograph as tf
from autograph.errors import MutationError

kept = 0
module = types.ModuleType("module")
module.x = 0  # type: ignore[attr-defined]


def through_globals(n: Any) -> Any:
    globals()["made_by_a_trace"] = n + 1
    return made_by_a_trace  # noqa: F821


def read_by_a_helper(n: Any) -> Any:
    globals()["made_for_a_helper"] = n + 1

    def helper() -> Any:
        return made_for_a_helper  # noqa: F821

    return helper()


def through_update(n: Any) -> Any:
    globals().update(kept=n + 1)
    return kept


def through_vars(n: Any) -> Any:
    vars(module)["x"] = n + 1
    return module.x


def through_setattr(n: Any) -> Any:
    setattr(module, "x", n + 1)
    return module.x


@pytest.mark.parametrize("function", [through_globals, read_by_a_helper, through_update, through_vars, through_setattr])
def test_what_is_stored_past_a_global_name_is_read_by_it(function: Any) -> None:
    staged = tf.function(function)
    for n in (0, 5, 2):
        assert int(staged(tf.constant(n))) == n + 1


def test_each_run_sets_what_a_trace_has_made() -> None:
    def run(n: Any) -> None:
        globals()["seen_after_a_run"] = n

    staged = tf.function(run)
    for n in (0, 5, 2):
        staged(tf.constant(n))
        assert int(globals()["seen_after_a_run"]) == n


def test_a_deleted_global_is_gone() -> None:
    def run(n: Any) -> Any:
        globals()["gone"] = 1
        del globals()["gone"]
        try:
            return gone  # noqa: F821
        except NameError:
            return n

    assert int(tf.function(run)(tf.constant(3))) == 3


def test_a_branch_that_stores_into_the_dict_of_a_module_is_right_or_refused() -> None:
    def by_name(n: Any) -> Any:
        module.x = 3
        if n > 1:
            setattr(module, "x", 8)
        return module.x

    def by_dict(n: Any) -> Any:
        if n > 1:
            vars(module)["x"] = 8
        return module.x

    assert [int(tf.function(by_name)(tf.constant(n))) for n in (0, 2)] == [3, 8]
    with pytest.raises(MutationError):
        tf.function(by_dict)(tf.constant(0))
