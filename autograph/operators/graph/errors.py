"""Errors that graphs raise at run time, and where they come from in the user's source."""

from __future__ import annotations

from typing import Any

from autograph.runtime import trace
from autograph.runtime.ops.host import assert_node, raise_node

from ..dispatch import Thunk
from ..exceptions import StagedRaise


def require(flag: Any, exception: BaseException) -> None:
    """Stages: raise `exception` unless `flag`. Tensors among its arguments take the values that they have then."""
    if flag is not True:
        assert_node(flag, exception)


def stage_raise(exception: BaseException) -> None:
    """Stages: raise `exception`."""
    raise_node(exception)


def assert_(test: Any, message: Thunk | None) -> None:
    """Stages ``assert test, message()``; the message is made only when the test fails."""
    from . import conditions
    from .cond import if_stmt

    known = conditions.static_truth(test)
    if known:
        return
    if message is None and known is None:
        require(conditions.truth(test), AssertionError())
        return

    def fail() -> None:
        exception = AssertionError() if message is None else AssertionError(message())
        if trace.current_graph() is None:
            raise exception
        stage_raise(exception)
        raise StagedRaise(exception)

    if known is None:
        if_stmt(test, lambda: None, fail, (), (message,) if message is not None else None)
    else:
        fail()


def where() -> dict[str, Any]:
    """The keywords of an `AutographError` for the user's line that is being staged."""
    location = trace.user_location()
    if location is None:
        return {}
    return {"file": location.file, "line": location.line, "function": location.function}
