"""From a traced function to a program in StableHLO, and that as a file of `jax.export`'s.

Arguments are parameters of the program; what variables and other places outside hold is a part of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import export

from autograph.errors import InvalidArgumentError, SavingError

from ....base import nest
from ....base.composite import Composite
from ....base.dtypes import string, variant
from ....engines.engine import NotLowered
from ....engines.held import held_in
from ....engines.xla import XLA
from ....engines.xla.lowering import Fails
from ....engines.xla.values import Unsized
from ....functions import call_state
from ....functions.concrete import ConcreteFunction
from ....ir.effects import Effects
from ....ir.graph import Graph, Node, Value
from ....ir.primitive import Call, Replicated
from ....ir.work import Work
from ....ops.random.random_states import TAKE
from ....tensors.tensor import EagerTensor
from ..places import told
from .lowering import Exporting

__all__ = ["Options", "exported"]

_VARIES = (
    "give the tf.TensorSpec the size of that dimension; where two sizes are the same, dimensions says so: "
    '{"x": "n, 3", "y": "n"}'
)
_NO_LENGTH = "make a tf.TensorArray of a given size, or have the loop run over a tensor or a tf.range"


class NotExported(Exception):
    """JAX is not to show a user what it was at when a program turned out to be none."""

    def __init__(self, reason: str, remedy: str) -> None:
        super().__init__(reason)
        self.reason, self.remedy = reason, remedy


class Options(NamedTuple):
    """How to export; see `tf.export.stablehlo`. ``shares_batch``: first dimensions that vary are the same."""

    drop_assertions: bool
    errors: str
    dimensions: Mapping[str, str]
    platforms: Sequence[str]
    shares_batch: bool


def exported(concrete: ConcreteFunction, names: Sequence[str], options: Options) -> bytes:
    """The file for a traced function whose arguments have names. Raises `SavingError`."""
    _check(concrete)
    held = call_state.read(concrete.state)
    if concrete.graph.captures or not all(isinstance(tensor, EagerTensor) for tensor in held):
        raise SavingError(
            f"{concrete.graph.name}() uses tensors of the function around it", remedy="pass them as arguments"
        )
    _check_nodes(concrete, options)
    program = _Program(concrete, [np.asarray(tensor.array) for tensor in held], options)
    with jax.enable_x64(True):
        given = _parameters(concrete, names, options)
        try:
            made = export.export(jax.jit(program.function), platforms=options.platforms)(*given)
        except NotExported as error:
            raise SavingError(error.reason, remedy=error.remedy) from None
        except NotLowered as error:
            raise program.refused(error) from None
        except Fails:
            raise _refusal(concrete.graph.name, [_line(program.node, "it raises an error in all runs")], []) from None
        except Exception as error:
            raise program.refused(NotLowered(f"{type(error).__name__}: {error}", program.node)) from error
        return bytes(made.serialize())


# What can't be exported


def _check(concrete: ConcreteFunction) -> None:
    """Raises `SavingError` for what is written outside of the function, and for results that no program has."""
    name = concrete.graph.name
    for place in concrete.state:
        if place.writes:
            raise SavingError(
                f"{name}() writes `{place.label}`, and a program in StableHLO keeps nothing between runs",
                **place.where, remedy="return the new value, and set it outside of the function"
            )  # fmt: skip
    if concrete.has_optional_outputs:
        raise SavingError(f"{name}() gives None in some runs, and a tensor in others",
                          remedy="return a number that says which, and a tensor")  # fmt: skip
    if not concrete.result_count:
        raise SavingError(f"{name}() returns no tensor", remedy="return what the program is to give")
    for leaf in nest.flatten(concrete.structured_outputs):
        if isinstance(leaf, Composite) or (leaf is not None and leaf.dtype in (string, variant)):
            raise SavingError(f"{name}() returns {leaf!r}, which StableHLO has no type for", remedy="return tensors")


_INSTEAD = {
    Effects.RANDOM: "draw random numbers before, or with tf.random.stateless_… of a seed that is an argument",
    Effects.PRINTS: "leave out what prints",
    Effects.HOST: "let Python do its part before the program runs, or after it",
}
"""What to do in place of effects that a program can't have."""
_ASSIGNED = "return the new value, and assign it outside of the function"


def _check_nodes(concrete: ConcreteFunction, options: Options) -> None:
    """Raises one `SavingError` for all nodes that can't be exported, as far as they can be told before."""
    found: dict[str, None] = {}
    remedies: dict[str, None] = {}
    for node in _nodes(concrete.optimized_graph, options.drop_assertions):
        reason = _obstacle(node, remedies)
        if reason is not None:
            found.setdefault(_line(node, reason))
    if found:
        raise _refusal(concrete.graph.name, list(found), list(remedies))


def _nodes(graph: Graph, drops_assertions: bool) -> list[Node]:
    """The nodes that are to be lowered; of a graph that always raises there are none."""
    if graph.never_returns:
        return [node for node in graph.walk() if not drops_assertions and node.op.effects & ~Effects.RAISES]
    found = []
    for node in graph.nodes:
        if node.op.work is not Work.NONE:  # what uses it is to blame
            found.append(node)
        if not _calls_itself(node):
            for inner in node.subgraphs:
                found += _nodes(inner, drops_assertions)
    return found


def _calls_itself(node: Node) -> bool:
    return isinstance(node, Call) and node.called.calls_itself


def _obstacle(node: Node, remedies: dict[str, None]) -> str | None:
    if node.subgraphs and not isinstance(node, Replicated):
        if _calls_itself(node):
            remedies["write the recursion as a loop"] = None
            return "a function that calls itself"
        return None
    target = node.attributes.get("target")
    if target is not None:
        draws = node.op is TAKE
        remedies[_INSTEAD[Effects.RANDOM] if draws else _ASSIGNED] = None
        what = "it draws from a generator" if draws else f"it assigns to the variable {target.name!r}"
        return f"{what}, and a program in StableHLO keeps nothing between runs"
    reason = XLA.obstacle(node)
    if reason is not None:
        instead = next((text for effect, text in _INSTEAD.items() if node.op.effects & effect), None)
        if instead is not None:
            remedies[instead] = None
    return reason


def _line(node: Node | None, reason: str) -> str:
    if node is None:
        return reason
    location = node.location
    place = "" if location is None else "\n  " + told(location, location).replace("\n", "\n  ")
    return f"{node.op.name}: {reason}{place}"


def _refusal(function: str, found: Sequence[str], remedies: Sequence[str]) -> SavingError:
    return SavingError(_text(function, found), remedy="; ".join(remedies) or None)


def _text(function: str, found: Sequence[str]) -> str:
    count = "one operation" if len(found) == 1 else f"{len(found)} operations"
    return f"{function}() can't be exported to StableHLO, because of {count}:\n" + "\n".join(found)


# Arguments


def _parameters(concrete: ConcreteFunction, names: Sequence[str], options: Options) -> list[Any]:
    """The shapes and dtypes of arguments, with names for dimensions that vary."""
    unknown = options.dimensions.keys() - set(names)
    if unknown:
        there = ", ".join(names)
        raise InvalidArgumentError(f"{concrete.graph.name}() has no argument {min(unknown)!r}; it has {there}")
    scope = export.SymbolicScope()
    values = call_state.arguments(concrete.graph)
    return [_parameter(concrete, value, name, options, scope) for value, name in zip(values, names, strict=True)]


def _parameter(concrete: ConcreteFunction, value: Value, name: str, options: Options, scope: Any) -> Any:
    what = f"the argument {name!r} of {concrete.graph.name}()"
    dtype, shape = value.type
    if dtype in (string, variant):
        kind = "text" if dtype is string else "a list of tensors"
        raise SavingError(f"{what} is {kind}, which StableHLO has no type for", remedy="pass tensors of numbers")
    if shape is None:
        raise SavingError(
            f"{what} has an unknown rank, which StableHLO has no type for",
            remedy="give its tf.TensorSpec as many dimensions as it has, None for those that vary",
        )
    dims = options.dimensions.get(name)
    if dims is None:
        shared = options.shares_batch
        dims = ",".join("batch" if shared and n is None and i == 0 else f"{name}_{i}" if n is None else str(n)
                        for i, n in enumerate(shape))  # fmt: skip
    try:
        exact = export.symbolic_shape(f"({dims},)" if shape else "()", scope=scope)
    except Exception as error:
        raise InvalidArgumentError(f"dimensions[{name!r}] is {dims!r}: {str(error).splitlines()[0]}") from None
    fits = len(exact) == len(shape) and all(n in (None, m) for n, m in zip(shape, exact, strict=True))
    if not fits:
        raise InvalidArgumentError(f"dimensions[{name!r}] is {dims!r}, but {what} is {value.type}")
    return jax.ShapeDtypeStruct(exact, dtype.numpy)


# The program


class _Program:
    """A traced function as one of JAX."""

    def __init__(self, concrete: ConcreteFunction, held: Sequence[np.ndarray], options: Options) -> None:
        self._concrete, self._held, self._options = concrete, held, options
        self._here: Exporting

    @property
    def node(self) -> Node | None:
        """The node that has been lowered last."""
        return self._here.node if hasattr(self, "_here") else None

    @property
    def function(self) -> Callable[..., Any]:
        """What JAX traces, of the function's name."""

        def run(*arrays: Any) -> Any:
            return self._run(*arrays)

        run.__name__ = run.__qualname__ = self._concrete.graph.name
        return run

    def _run(self, *arrays: Any) -> Any:
        graph = self._concrete.optimized_graph
        here = self._here = Exporting(graph, self._options.drop_assertions)
        here.holds = {key: np.asarray(key.variable.numpy()) for key in held_in(graph)}
        found = here.run(graph, [*arrays, *self._held])[: self._concrete.result_count]
        here.check_lists()
        for x in found:
            if isinstance(x, Unsized):
                raise NotLowered("an array of which only a run knows how long it is", x.node)
        results = list(map(jnp.asarray, found))
        if self._options.errors == "flag":
            return _plain(self._concrete.packed(results)), jnp.asarray(here.failed)
        if here.failed is not False:
            results = [self._or_nan(x) for x in results]
        return _plain(self._concrete.packed(results))

    def _or_nan(self, x: Any) -> Any:
        """A result that is not a number where the program has failed."""
        if x.dtype.kind not in "fcV":
            raise self._silent()
        return jnp.where(self._here.failed, jnp.asarray(np.nan, x.dtype), x)

    def _silent(self) -> NotExported:
        lines = dict.fromkeys(_line(node, "it raises an error in some runs") for node in self._here.may_fail)
        return NotExported(_text(self._concrete.graph.name, list(lines)), (
            'pass errors="flag" for one more result, which says whether a run has failed: whole numbers and booleans '
            "can't be NaN"
        ))  # fmt: skip

    def refused(self, error: NotLowered) -> SavingError:
        """The error for a user."""
        node = error.node or self.node
        remedy = _VARIES if "that varies" in error.reason or "depends on" in error.reason else None
        if "nobody knows" in error.reason or "only a run" in error.reason:
            remedy = _NO_LENGTH
        return _refusal(self._concrete.graph.name, [_line(node, error.reason)], [remedy] if remedy else [])


def _plain(value: Any) -> Any:
    """Results in dicts, lists and tuples, which a reader knows without our classes."""
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value] if isinstance(value, list) else tuple(map(_plain, value))
    if value is None or isinstance(value, jax.Array):
        return value
    what = f"a program in StableHLO can't return {type(value).__name__}"
    raise NotExported(what, "return tensors in dicts, lists and tuples")
