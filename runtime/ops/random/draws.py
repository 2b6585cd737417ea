"""Random numbers from a state, which the state alone decides: the same in every engine (see `portable`)."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from autograph.errors import InvalidArgumentError

from ...base.dtypes import DType
from ..infer import require
from .philox import State, Words, blocks, state_of_seed
from .portable import NUMPY, RESERVED, Rounded, gumbel, normals, per_block, raw, truncated, uniforms

__all__ = [
    "DISTRIBUTIONS", "categorical", "draw", "integers_in", "order", "scaled", "seed_words", "state_of", "stretched",
    "working",
]  # fmt: skip

_CHUNK = 2048
"""So many blocks at once stay in the cache."""
_WORD = 2**64


def seed_words(seed: Any) -> list[int]:
    """The two integers of a stateless function's seed, modulo 2**64. Raises `InvalidArgumentError` for another seed."""
    if seed.shape != (2,) or seed.dtype.kind not in "iu":
        raise InvalidArgumentError(f"the seed must be two integers, not of shape {seed.shape} and dtype {seed.dtype}")
    return [part % _WORD for part in seed.tolist()]


def state_of(seed: Any) -> State:
    """The state for the seed of a stateless function. Raises as `seed_words`."""
    return state_of_seed(*seed_words(seed))


def working(dtype: DType) -> np.dtype[Any]:
    """The dtype in which normal numbers are calculated that are to be of another."""
    return dtype.numpy if dtype.is_floating else np.dtype(np.float64)


def draw(kind: str, state: State, shape: tuple[int, ...], dtype: DType, a: Any, b: Any) -> Any:
    """Numbers of a distribution, with two parameters that broadcast with the shape.

    ``kind``: "uniform", from a up to, without, b; "normal" and "truncated_normal", of the mean a and the standard
    deviation b; "full_range", all integers of the dtype.
    """
    return DISTRIBUTIONS[kind](state, shape, dtype, a, b)


def _words_for(state: State, count: int, make: Callable[[Words], Any], each: int) -> Any:
    """What ``make`` gives for blocks in a row, for so many numbers in all, of which a block gives ``each``."""
    total = -(-count // each)
    starts = range(0, max(total, 1), _CHUNK)
    parts = [make(blocks(state, np.arange(i, min(i + _CHUNK, total), dtype=np.uint64))) for i in starts]
    return (parts[0] if len(parts) == 1 else np.concatenate(parts))[:count]


def _uniform(state: State, shape: tuple[int, ...], dtype: DType, low: Any, high: Any) -> Any:
    low, high = np.asarray(low), np.asarray(high)
    each, kind = per_block(dtype.numpy), dtype.numpy
    if dtype.is_integer:
        require(bool((low < high).all()), f"minval {low} must be less than maxval {high}")
        drawn = _words_for(state, prod(shape), lambda words: raw(NUMPY, words, each == 2), each)
        return integers_in(drawn.reshape(shape), low, high).astype(kind)
    drawn = _words_for(state, prod(shape), lambda words: uniforms(NUMPY, words, kind), each)
    return scaled(np, NUMPY.rounded, drawn.reshape(shape), low.astype(kind), high.astype(kind))


def integers_in(drawn: Any, low: Any, high: Any) -> Any:
    """Integers from low up to, without, high, as uint64, of some of all bits."""
    low, high = low.astype(np.uint64), high.astype(np.uint64)
    return drawn % (high - low) + low


def scaled(xp: Any, rounded: Rounded, drawn: Any, low: Any, high: Any) -> Any:
    """Floats from low up to, without, high, of some from 0 to 1."""
    return xp.minimum(rounded(drawn * (high - low)) + low, xp.nextafter(high, low))


def _full_range(state: State, shape: tuple[int, ...], dtype: DType, *_: object) -> Any:
    each = per_block(dtype.numpy)
    drawn = _words_for(state, prod(shape), lambda words: raw(NUMPY, words, each == 2), each)
    return drawn.astype(dtype.numpy).reshape(shape)


def _normal(state: State, shape: tuple[int, ...], dtype: DType, mean: Any, deviation: Any) -> Any:
    kind = working(dtype)
    drawn = _words_for(state, prod(shape), lambda words: normals(NUMPY, words, kind), per_block(kind))
    return stretched(NUMPY.rounded, drawn.reshape(shape), np.asarray(mean), np.asarray(deviation)).astype(dtype.numpy)


def stretched(rounded: Rounded, drawn: Any, mean: Any, deviation: Any) -> Any:
    """Normal numbers of a mean and a standard deviation, of standard ones."""
    return rounded(drawn * deviation.astype(drawn.dtype)) + mean.astype(drawn.dtype)


def _truncated_normal(state: State, shape: tuple[int, ...], dtype: DType, mean: Any, deviation: Any) -> Any:
    kind = working(dtype)
    each = per_block(kind)
    rows = -(-prod(shape) // each)
    places = np.arange(rows, dtype=np.uint64) * np.uint64(each * RESERVED)
    found, count = np.zeros((rows, each), np.promote_types(kind, np.float32)), np.zeros(rows, np.int32)
    lacking, turn = np.arange(rows), 0
    while len(lacking):
        words = blocks(state, places[lacking] + np.uint64(turn))
        found[lacking], count[lacking] = truncated(NUMPY, words, found[lacking], count[lacking])
        lacking, turn = lacking[count[lacking] < each], turn + 1
    drawn = found.reshape(-1)[: prod(shape)].astype(kind).reshape(shape)
    return stretched(NUMPY.rounded, drawn, np.asarray(mean), np.asarray(deviation)).astype(dtype.numpy)


DISTRIBUTIONS: dict[str, Callable[..., Any]] = {
    "uniform": _uniform,
    "normal": _normal,
    "truncated_normal": _truncated_normal,
    "full_range": _full_range,
}


def categorical(state: State, logits: Any, count: int, dtype: DType) -> Any:
    """By the Gumbel trick: the index of the maximum of the logits plus Gumbel noise."""
    shape = (len(logits), count, logits.shape[-1])
    noise = _words_for(state, prod(shape), lambda words: gumbel(NUMPY, words), 2).reshape(shape)
    return np.argmax(logits[:, None, :] + noise, axis=-1).astype(dtype.numpy)


def order(state: State, count: int) -> Any:
    """The integers below ``count`` in random order: that in which random numbers come."""
    return np.argsort(_words_for(state, count, lambda words: raw(NUMPY, words, True), 2), kind="stable")
