"""`autograph.experimental`: names that TensorFlow keeps there."""

from __future__ import annotations

import enum

from autograph.tracebacks import leaving

from .api import do_not_convert
from .runtime.engines import dlpack as dlpack

__all__ = ["Feature", "dlpack", "do_not_convert", "set_loop_options"]


class Feature(enum.Enum):
    """The optional features that TensorFlow's AutoGraph knows; here all of them are always on."""

    ALL = "ALL"
    AUTO_CONTROL_DEPS = "AUTO_CONTROL_DEPS"
    ASSERT_STATEMENTS = "ASSERT_STATEMENTS"
    BUILTIN_FUNCTIONS = "BUILTIN_FUNCTIONS"
    EQUALITY_OPERATORS = "EQUALITY_OPERATORS"
    LISTS = "LISTS"
    NAME_SCOPES = "NAME_SCOPES"

    @classmethod
    def all(cls) -> tuple[Feature, ...]:
        """Every feature."""
        return tuple(cls)

    @classmethod
    def all_but(cls, exclude: object) -> tuple[Feature, ...]:
        """Every feature but one, or but those of a collection."""
        excluded = set(exclude) if isinstance(exclude, (list, tuple, set, frozenset)) else {exclude}
        return tuple(each for each in cls if each not in excluded | {cls.ALL})


def set_loop_options(
    parallel_iterations: int | None = None,
    swap_memory: bool | None = None,
    maximum_iterations: object = None,
    shape_invariants: object = None,
) -> None:
    """Gives options to the staged loop in whose body it is called, by keyword; a loop in plain Python ignores them.

    Args:
        parallel_iterations: how many turns may run at once; accepted, turns run one after the other.
        swap_memory: accepted for TensorFlow's sake.
        maximum_iterations: a whole number (or scalar tensor) of turns after which the loop ends.
        shape_invariants: pairs of a loop variable and the `TensorShape` that all its values fit.
    """


leaving.public_module(__name__)
