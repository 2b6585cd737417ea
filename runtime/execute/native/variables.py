"""Variables: what they hold is given to the code, and what they hold at the end comes back as more results.

While code is written, `Lowering.values` has what each variable holds at that place, under its `Held`. Loops and
branches that assign to one have it as one more value of theirs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from ...ir import Graph, Node
from ...op import OPS
from ...ops.state import READ
from ...shapes import is_compatible
from .arrays import Expression
from .emitter import NotLowered
from .lowering import LOWERINGS, Fails, lowers
from .views import cast

if TYPE_CHECKING:
    from .lowering import Lowering


class Held:
    """Stands for what a variable holds."""

    __slots__ = ("variable",)

    def __init__(self, variable: Any) -> None:
        self.variable = variable

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Held) and other.variable is self.variable

    def __hash__(self) -> int:
        return id(self.variable)


def held_in(graph: Graph) -> list[Held]:
    """The variables that a graph reads or changes."""
    nodes = [node for node in graph.walk() if "target" in node.attributes or node.op is READ]
    return list(dict.fromkeys(Held(node.attributes.get("target", node.attributes.get("variable"))) for node in nodes))


def changed_in(*graphs: Graph, known: dict[Graph, list[Held]] | None = None) -> list[Held]:
    """The variables that graphs change; ``known`` has what was found before: nested graphs cost nothing."""
    known = {} if known is None else known
    found: dict[Held, None] = {}
    for graph in graphs:
        if graph not in known:
            known[graph] = []
            mine: dict[Held, None] = {}
            for node in graph.nodes:
                if "target" in node.attributes:
                    mine[Held(node.attributes["target"])] = None
                mine.update(dict.fromkeys(changed_in(*node.subgraphs, known=known)))
            known[graph] = list(mine)
        found.update(dict.fromkeys(known[graph]))
    return list(found)


def settle(lowering: Lowering) -> None:
    """Store what variables hold, before a loop or branch in which it may be read."""
    for key, x in list(lowering.values.items()):
        if isinstance(key, Held) and x.resolved().operations:
            lowering.values[key] = lowering.materialised(x)


def assigning(entry: Callable[..., Any], changed: Iterable[Held], count: int) -> Callable[..., Any]:
    """Code that sets variables to what comes after its own results, of which there are ``count``."""
    variables = [key.variable for key in changed]
    if not variables:
        return entry

    def run(*arrays: Any) -> Any:
        results = entry(*arrays)
        if type(results) is not tuple:
            return results
        for variable, array in zip(variables, results[count:], strict=True):
            with variable._lock:
                variable._array = array
        return results[:count]

    return run


@lowers("read_variable")
def _read(lowering: Lowering, node: Node, inputs: list[Expression]) -> Expression:
    return lowering.values[Held(node.attributes["variable"])].resolved()


def _set(lowering: Lowering, variable: Any, value: Expression) -> list[Expression]:
    if not is_compatible(value.shape, variable.static_shape):
        raise Fails
    lowering.values[Held(variable)] = value
    return []


@lowers("assign")
def _assign(lowering: Lowering, node: Node, inputs: list[Expression]) -> list[Expression]:
    return _set(lowering, node.attributes["target"], inputs[0])


@lowers("assign_add assign_sub")
def _step(lowering: Lowering, node: Node, inputs: list[Expression]) -> list[Expression]:
    variable = node.attributes["target"]
    old, name = lowering.values[Held(variable)].resolved(), "add" if node.op.name == "assign_add" else "subtract"
    if old.shape != inputs[0].shape:
        raise Fails
    return _set(lowering, variable, cast(lowering, lowering.elementwise(name, [old, inputs[0]], old.dtype), old.dtype))


@lowers("update_variable")
def _update(lowering: Lowering, node: Node, inputs: list[Expression]) -> list[Expression]:
    attributes = dict(node.attributes)
    variable, by = attributes.pop("target"), attributes.pop("by")
    if by not in ("set_item", "add_at"):
        raise NotLowered(f"a variable changed by {by!r}")
    key = Held(variable)
    inner: Any = SimpleNamespace(op=OPS[by], attributes=attributes, inputs=[key, *node.inputs])
    return _set(lowering, variable, LOWERINGS[by](lowering, inner, [lowering.values[key].resolved(), *inputs]))
