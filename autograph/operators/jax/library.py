"""JAX as a library that traces functions: its arrays and their types, jaxprs, and `jax.lax`'s operators."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import jax
import numpy as np
from jax import lax
from jax.extend.core import Jaxpr, jaxpr_as_fun

from autograph.errors import StagedValueError

from ..functional.library import Array, Arrays, Library, State, Traced, Type
from ..functional.structure import NUMBERS
from ..staging.heap.locations import where
from . import internals

_COSTLY = frozenset(("while", "scan", "cond"))


class TracedByJax(Traced):
    """A body as a jaxpr."""

    def __init__(self, jaxpr: Any) -> None:
        self._jaxpr = jaxpr
        self.types = list(jaxpr.out_avals)

    def run(self, inputs: Iterable[Any]) -> Arrays:
        return list(jaxpr_as_fun(self._jaxpr)(*inputs))

    def is_older(self, leaf: object) -> bool:
        return not isinstance(leaf, jax.core.Tracer) or any(leaf is each for each in self._jaxpr.consts)

    def has_effects(self) -> bool:
        return bool(self._jaxpr.effects)

    def is_cheap(self) -> bool:
        return not self.has_effects() and not _holds_control_flow(self._jaxpr.jaxpr)


def _holds_control_flow(jaxpr: Jaxpr) -> bool:
    for equation in jaxpr.eqns:
        if equation.primitive.name in _COSTLY:
            return True
        inner = equation.params.get("jaxpr")
        if inner is not None and _holds_control_flow(getattr(inner, "jaxpr", inner)):
            return True
    return False


class JaxLibrary(Library):
    """What JAX answers."""

    name = "JAX"
    pad = "pad them to one shape, or begin with an array of that shape (jnp.zeros_like)"
    cast = "convert one of them: x.astype(y.dtype)"

    # Values.

    def is_array(self, value: object) -> bool:
        return isinstance(value, jax.Array)

    def is_leaf(self, value: object) -> bool:
        if type(value) in NUMBERS or isinstance(value, jax.Array):
            return True
        return (
            isinstance(value, (np.ndarray, np.generic))
            and jax.dtypes.issubdtype(value.dtype, np.generic)
            and (value.dtype.kind in "biufcV" and value.dtype.names is None)
        )

    def flattened(self, value: object) -> tuple[list[Any], Any] | None:
        parts, tree = jax.tree_util.tree_flatten(value, is_leaf=lambda each: each is not value)
        return None if len(parts) == 1 and parts[0] is value else (parts, _Tree(tree))

    def concrete(self, value: Array) -> bool | None:
        if not isinstance(value, jax.core.Tracer):
            return bool(value)
        _check_is_one(value)
        try:
            return bool(value)
        except jax.errors.TracerBoolConversionError:
            return None

    def truth(self, value: Array) -> Any:
        if not isinstance(value, jax.Array):
            return jax.numpy.asarray(bool(value))
        _check_is_one(value)
        scalar = value.reshape(()) if value.shape else value
        return scalar if scalar.dtype == bool else scalar != 0

    def as_array(self, value: object) -> Any:
        return jax.numpy.asarray(value)

    def negated(self, value: Array) -> Any:
        return lax.bitwise_not(value)

    def both(self, one: Array, other: Array) -> Any:
        return lax.bitwise_and(one, self.as_array(other))

    def either(self, one: Array, other: Array) -> Any:
        return lax.bitwise_or(one, self.as_array(other))

    def is_bool(self, kind: Type) -> bool:
        return bool(kind.dtype == bool and kind.shape == ())

    # Types.

    def type_of(self, leaf: Array) -> Any:
        return jax.typeof(leaf if isinstance(leaf, jax.Array) else jax.numpy.asarray(leaf))

    def is_same_type(self, one: Array, other: Array) -> bool:
        return bool(one.shape == other.shape and one.dtype == other.dtype and _is_weak(one) == _is_weak(other))

    def shape(self, kind: Type) -> tuple[Any, ...]:
        return tuple(kind.shape)

    def joined(self, one: Array, other: Array) -> Any:
        if one.dtype == other.dtype:
            return _type(one.shape, one.dtype, _is_weak(one) and _is_weak(other))
        if not _is_weak(one) and not _is_weak(other):
            return str(one.dtype), str(other.dtype)
        dtype = jax.numpy.result_type(*(_of_python(each) if _is_weak(each) else each.dtype for each in (one, other)))
        return _type(one.shape, dtype, _is_weak(one) and _is_weak(other))

    def can_hold(self, number: int, kind: Type) -> bool:
        try:
            return bool(int(np.asarray(number).astype(kind.dtype)) == number)
        except (OverflowError, TypeError, ValueError):
            return False

    def described_type(self, kind: Type) -> str:
        return str(kind.dtype)

    def as_type(self, value: Array, kind: Type) -> Any:
        if isinstance(value, jax.Array) and value.dtype == kind.dtype and _is_weak(jax.typeof(value)) == _is_weak(kind):
            return value
        return internals.converted(value, kind.dtype, _is_weak(kind))

    def zeros(self, kind: Type) -> Any:
        if jax.dtypes.issubdtype(kind.dtype, jax.dtypes.prng_key):
            return jax.numpy.broadcast_to(jax.random.key(0, impl=str(kind.dtype)[4:-1]), kind.shape)
        if kind.shape or not _is_weak(kind):
            return jax.numpy.zeros(kind.shape, kind.dtype)
        return kind.dtype.type(0).item()

    def index_type(self, like: object) -> Any:
        return _type((), jax.numpy.result_type(int if isinstance(like, int) else like), True)

    def first_turn(self, like: Array) -> Any:
        return jax.numpy.zeros((), like.dtype)

    def item_type(self, values: Array) -> Any:
        found = jax.typeof(values)
        return _type(found.shape[1:], found.dtype, _is_weak(found))

    # Tracing.

    def trace(self, function: Callable[..., Arrays], types: Iterable[Any]) -> TracedByJax:
        return TracedByJax(jax.make_jaxpr(function)(*types))

    def cond(self, test: Array, body: Callable[[], Any], orelse: Callable[[], Any]) -> Any:
        return lax.cond(test, body, orelse)

    def while_loop(self, condition: Callable[[Any], Any], turn: Callable[[Any], Any], state: State) -> Any:
        return lax.while_loop(condition, turn, state)

    def counted_loop(self, turns: Array, turn: Callable[[Any, Any], Any], state: State) -> Any:
        return lax.fori_loop(0, turns, turn, state)

    def loop_over(self, values: Array, turn: Callable[[Any, Any], Any], state: State) -> Any:
        return lax.scan(lambda carry, item: (turn(carry, item), None), state, values)[0]


class _Tree:
    """What makes a registered container of parts; two of one structure are equal."""

    def __init__(self, tree: Any) -> None:
        self._tree = tree

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Tree) and bool(self._tree == other._tree)

    __hash__ = None  # type: ignore[assignment]

    def __call__(self, parts: list[Any]) -> Any:
        return self._tree.unflatten(parts)


def _check_is_one(value: jax.Array) -> None:
    if value.size != 1:
        raise StagedValueError(
            f"the truth of an array of shape {value.shape} is not one value",
            **where(),
            construct="if",
            remedy="say which is meant: x.any() or x.all(); `jnp.where` chooses value by value",
        )


def _is_weak(kind: Type) -> bool:
    return bool(getattr(kind, "weak_type", False))


def _of_python(kind: Type) -> type:
    """Python's type of numbers that a weak type stands for."""
    return {"b": bool, "i": int, "u": int, "f": float, "c": complex}[np.dtype(kind.dtype).kind]


def _type(shape: tuple[int, ...], dtype: object, weak: bool) -> Any:
    return jax.ShapeDtypeStruct(shape, dtype, weak_type=weak)


JAX = JaxLibrary()
