"""Ops of generators with a state: that of a counter-based generator, two words that count and one that is the key.

An op takes a stretch of the counter of a variable, an effect; which numbers follow, the state before tells.
(J. Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011.)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autograph.errors import InvalidArgumentError

from ...base.atomic import change
from ...base.dtypes import DType, float32, int64
from ...base.shapes import Shape, broadcast
from ...ir.effects import Effects
from ...ir.graph import Type, Value
from ...ir.kinds import kinds
from ...ir.op import NOT_DIFFERENTIABLE, op
from ...ir.raising import Kinds, Raises, constant_of
from ...tensors.tensor import Tensor
from ..declare import sum_to
from ..host.state import VARIABLE
from ..infer import exactly, integer_vectors, require, require_kind
from ..kernels import samples as s
from .draws import DISTRIBUTIONS, draw, state_of
from .philox import State

__all__ = ["DRAW", "SEED_STATE", "TAKE", "are_ends", "check_seed", "moved", "raises_of_draws"]

STRIDE = 256
"""Steps of the counter for each number, as in TensorFlow."""
_WORD = 2**64


def moved(name: str, g: Tensor, out: Tensor, a: Tensor, b: Tensor) -> tuple[Any, Any]:
    """The gradients of the parameters: the same draw from a distribution that is moved or stretched."""
    if name == "uniform":
        place = (out - a) / (b - a)
        return sum_to(g * (1 - place), a), sum_to(g * place, b)
    return sum_to(g, a), sum_to(g * (out - a) / b, b)


def check_seed(seed: Type) -> None:
    """Raise unless a stateless function may have a seed of this type: two integers."""
    require_kind(seed, "iu", "the seed")
    exactly(seed.shape, 1, "the seed")
    require(seed.shape is None or seed.shape[0] in (2, None), "the seed must have two integers")


def _words(state: Any) -> list[int]:
    return [int(word) % _WORD for word in state]


def _as_words(low: int, high: int, key: int) -> Any:
    return np.array([low, high, key], np.uint64).view(np.int64)


def _take(count: Any, *, target: Any) -> Any:
    """The state of the variable before it is moved on."""
    return change(target, _advanced, int(count))


def _advanced(target: object, before: Any, count: int) -> Any:
    low, high, key = _words(before)
    counter = (low + high * _WORD + count * STRIDE) % _WORD**2
    return _as_words(counter % _WORD, counter // _WORD, key)


def _is_state(variable: Any) -> bool:
    return variable.dtype is int64 and variable.static_shape == (3,)


_STATE = np.array([1, 0, 2])
TAKE = op("generator_take", infer=lambda count, target: Type(int64, (3,)), numpy=_take, effects=Effects.UPDATES,
          gradient=NOT_DIFFERENTIABLE, samples=lambda: [((np.int64(2),), {"target": VARIABLE.function(_STATE)})],
          doc="The state of a generator, which then goes on by some numbers.", attributes=kinds("target"),
          fits=lambda count, attributes, outputs: _is_state(attributes["target"]))  # fmt: skip


def _infer_draw(state: Type, a: Type, b: Type, *dims: Type, shape: Shape, dtype: DType, kind: str) -> Type:
    integer_vectors(*dims)
    return Type(dtype, broadcast(shape, a.shape, b.shape))


def _draw(state: Any, a: Any, b: Any, *dynamic: Any, shape: Any, dtype: DType, kind: str) -> Any:
    dims = tuple(dynamic[0].tolist()) if dynamic else shape
    if kind == "binomial":
        return _binomial(_words(state), dims, dtype, a, b)
    return draw(kind, State(*_words(state)), dims, dtype, a, b)


def _binomial(state: list[int], shape: Any, dtype: DType, counts: Any, probabilities: Any) -> Any:
    low, high, key = state
    generator = np.random.Generator(np.random.Philox(counter=[low, high, 0, 0], key=[key, 0]))
    drawn = generator.binomial(np.asarray(counts).astype(np.int64), probabilities, shape)
    return np.asarray(drawn).astype(dtype.numpy)


def raises_of_draws(first: int, count: int, fits: Callable[[list[Any], DType], bool]) -> Raises:
    """What drawing may raise: where the shape is a tensor, and for parameters that may not fit.

    ``first``, ``count``: which of the inputs the parameters are. ``fits(parameters, dtype)`` tells whether they surely
    do, of their values; None stands for what only a run knows.
    """

    def rule(inputs: Sequence[Value], attributes: dict[str, Any]) -> Kinds:
        parameters = [constant_of(value) for value in inputs[first : first + count]]
        kind = attributes.get("kind", "uniform")
        is_fit = kind != "binomial" if kind != "uniform" else fits(parameters, attributes["dtype"])
        is_sure = len(inputs) == first + count and is_fit
        return () if is_sure else (InvalidArgumentError,)

    return rule


def are_ends(parameters: list[Any], dtype: DType) -> bool:
    """Whether parameters fit: of whole numbers between two ends these have to be in order."""
    low, high = parameters
    return not dtype.is_integer or (low is not None and high is not None and bool(np.all(low < high)))


def _gradient(g: Any, out: Any, state: Any, a: Any, b: Any, *dims: Any, kind: str, **_: object) -> tuple[Any, ...]:
    return (None, *moved(kind, g, out, a, b), *(None for _ in dims))


DRAW = op("generator_draw", infer=_infer_draw, numpy=_draw, gradient=_gradient,
          samples=lambda: [
              *[((_STATE, np.float32(0), np.float32(1)), {"shape": (2, 3), "dtype": float32, "kind": kind})
                for kind in ("normal", "uniform", "truncated_normal")],
              s.sample(_STATE, np.float64(3), [1.0, 2.0], [3, 2], shape=(None, 2), dtype=float32, kind="normal"),
              s.sample(_STATE, 0, 0, shape=(5,), dtype=int64, kind="full_range"),
              s.sample(_STATE, -5, 7, shape=(5,), dtype=int64, kind="uniform"),
              s.sample(_STATE, 5, 0.5, shape=(5,), dtype=int64, kind="binomial"),
          ], doc="Random numbers from a state, of a distribution with two parameters.",
          raises=raises_of_draws(1, 2, are_ends),
          attributes=kinds("shape dtype", kind=lambda name: name in (*DISTRIBUTIONS, "binomial")))  # fmt: skip


def _infer_seed_state(seed: Type) -> Type:
    check_seed(seed)
    return Type(int64, (3,))


SEED_STATE = op("stateless_random_state", infer=_infer_seed_state, numpy=lambda seed: _as_words(*state_of(seed)),
                gradient=NOT_DIFFERENTIABLE, samples=lambda: [s.sample([1, 2]), s.sample(np.array([-1, 2**40]))],
                doc="The state of a generator for a seed of stateless functions.")  # fmt: skip
