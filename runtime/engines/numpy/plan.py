"""A graph becomes straight Python source over NumPy kernels: ``cond`` an ``if``, ``while`` a ``while``.

Nodes that nothing needs are dropped unless they have effects or may raise, arrays are released after their last use,
stores write in place where nobody can see it, and a table from lines to nodes tells where the user's program failed, so
that nothing has to be guarded op by op.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ...base.float_warnings import ignore, restore
from ...ir.graph import Graph, Location, Node
from ...ir.primitive import Call
from ..failure import user_error
from .writer import Writer


class Plan:
    """A compiled graph. ``run(*arrays)`` takes an array for each of `Graph.inputs` and returns a tuple of outputs.

    ``check_numerics``: with a check for NaNs and infinities after each op; see `runtime.tensors.numerics`.
    ``budget``: a list of one number, from which the work of each turn of a loop is taken; when it gets below zero,
    `Spent` is raised (see `costs`).
    ``profiled``: the time of each node is recorded; see `runtime.tools.profiler`.
    ``stand_ins``: what is read and assigned to in the place of variables, by the identities of these.
    """

    def __init__(self, graph: Graph, check_numerics: bool = False, budget: list[float] | None = None,
                 profiled: bool = False, stand_ins: Mapping[int, Any] | None = None) -> None:  # fmt: skip
        writer = Writer(check_numerics, budget, profiled, stand_ins)
        self.graph = graph
        self._entry = writer.function(graph)
        writer.write_called()
        self._lines = writer.lines
        self._nodes = writer.nodes
        self._file = f"<autograph plan of {graph.name}>"
        writer.globals["plan_nodes"] = writer.nodes  # for warnings of kernels
        exec(compile("\n".join(writer.lines), self._file, "exec"), writer.globals)
        self._function: Callable[..., tuple[Any, ...]] = writer.globals[self._entry]

    def run(self, *inputs: object) -> tuple[Any, ...]:
        """Run the graph. Raises what kernels and ``raise`` nodes raise, located at the user's lines."""
        token = ignore()
        try:
            return self._function(*inputs)
        except Exception as error:
            raise user_error(error, self._failed(error)) from error.__cause__
        finally:
            restore(token)

    def _failed(self, error: Exception) -> list[Node]:
        """The nodes whose lines are on the error's traceback, outermost first."""
        nodes: list[Node] = []
        traceback = error.__traceback__
        while traceback is not None:
            if traceback.tb_frame.f_code.co_filename == self._file:
                node = self._nodes[traceback.tb_lineno - 1]
                if node is not None and (not nodes or nodes[-1] is not node):
                    nodes.append(node)
            traceback = traceback.tb_next
        return [node for node in nodes[:-1] if isinstance(node, Call)] + nodes[-1:]

    @property
    def located_lines(self) -> list[tuple[str, Location | None]]:
        """The lines of the generated source, each with the user's line that it comes from."""
        nodes = [None if node is None else node.location for node in self._nodes]
        return list(zip(self._lines, nodes, strict=True))

    @property
    def source(self) -> str:
        """The generated source; comments name the user's lines."""
        shown = [
            line if place is None else f"{line:<48}  # {place.file.rpartition('/')[2]}:{place.line}"
            for line, place in self.located_lines
        ]
        return "\n".join(shown) + "\n"
