"""Errors that graphs raise at run time, and where they come from in the user's source."""

from __future__ import annotations

from types import TracebackType
from typing import Any

from autograph.errors import StagedTypeError
from autograph.runtime.base.places import Location, Place
from autograph.runtime.ir.graph import Graph
from autograph.runtime.ops.host.host import RAISE, assert_node, raise_node
from autograph.runtime.tensors import trace


def require(flag: Any, exception: BaseException) -> None:
    """Stages: raise `exception` unless `flag`. Tensors among its arguments take the values that they have then."""
    if flag is not True:
        assert_node(flag, exception)


def stage_raise(exception: BaseException, origin: TracebackType | None = None) -> None:
    """Stages: raise `exception`; at the user's innermost line in the traceback `origin`, else where it is staged."""
    raise_node(exception)
    graph = trace.current_graph()
    node = None if graph is None else graph.nodes[-1]
    while origin is not None and node is not None:
        code = origin.tb_frame.f_code
        if trace.is_user_file(code.co_filename):
            node.where = Place(code, origin.tb_lasti, node.where)
        origin = origin.tb_next


def keep_cause(raised: BaseException, graph: Graph) -> None:
    """Gives the exception that a graph raises at its end the cause of ``raise exception from cause``."""
    node = graph.nodes[-1] if graph.nodes else None
    if node is not None and node.op is RAISE and raised.__suppress_context__:
        node.attributes["error"].caused_by(raised.__cause__)


def type_error(message: str, remedy: str | None = None) -> StagedTypeError:
    """The error for a tensor that does not fit what Python does with it."""
    return StagedTypeError(message, **where(), remedy=remedy)


def where() -> dict[str, Any]:
    """The keywords of an `AutographError` for the user's line that is being staged."""
    return keywords_of(trace.user_location())


def keywords_of(location: Location | None) -> dict[str, Any]:
    """The keywords of an `AutographError` for a location."""
    if location is None:
        return {}
    return {"file": location.file, "line": location.line, "function": location.function}
