"""Random numbers that a seed or a state decides: bit for bit those of the plan, which are made for that.

See `runtime.ops.random.portable`: the same source runs on arrays of JAX. What the plan draws in another way (Poisson,
gamma and binomial numbers, which take as many tries as they need) is left to it, as are numbers so small, or of so few
bits, that XLA would round them in another way.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from ....base.dtypes import DType, int64
from ....ir import records
from ....ir.graph import Node
from ....ir.op import lowers
from ....ops.random import draws, philox, portable
from ....ops.random.portable import RESERVED, Math
from ....ops.random.random_states import DRAW, SEED_STATE, STRIDE, TAKE
from ...held import Held
from ..lowering import Lowering
from ..supported import ENGINE
from ..values import Lowered, is_known
from .arrays import array, dims_of, refuse

# Parameters whose exponent is less, but for zero, could make numbers that XLA takes for zero.
_LEAST_EXPONENT = -60
_NEVER = {4: 0x7FC5A17E, 8: 0x7FF8A57A6AFE0001}
"""Bits of NaNs that no arithmetic gives."""


def _rounded(x: Lowered) -> Lowered:
    """A product that is rounded by itself: XLA does not see that it may be fused with the sum that it goes into.

    It would see through a test for any NaN where it knows that there is none.
    """
    return jnp.where(x.view(f"i{x.dtype.itemsize}") == _NEVER[x.dtype.itemsize], 0, x)


def _math(state: philox.State) -> Math:
    return Math(jnp, _rounded, functools.partial(_stored, state))


def _stored(state: philox.State, make: Callable[[], list[Lowered]]) -> list[Lowered]:
    """Arrays that are computed once: on a CPU, XLA would compute all of them for each element of what joins them.

    What a branch gives, it stores. It does not see that this branch is always taken.
    """
    is_even = state.key * state.key + state.key & 1 == 0
    shapes = jax.eval_shape(make)

    def branch() -> list[Lowered]:
        return lax.cond(is_even, make, lambda: [jnp.zeros(x.shape, x.dtype) for x in shapes])

    return lax.platform_dependent(cpu=branch, default=make)


# States


def _words_of(state: Lowered) -> philox.State:
    words = array(state).astype(np.uint64)
    return philox.State(words[0], words[1], words[2])


def _as_words(state: philox.State) -> Lowered:
    return jnp.stack([word.astype(np.int64) for word in state])


def _state_of(here: Lowering, seed: Lowered) -> philox.State:
    here.fails(seed.shape != (2,))
    whole = array(seed).astype(np.uint64)
    return philox.state_of_seed(whole[0], whole[1])


@lowers(ENGINE, SEED_STATE)
def _seed_state(here: Lowering, node: Node, seed: Lowered) -> Lowered:
    return _as_words(_state_of(here, seed))


@lowers(ENGINE, TAKE)
def _take(here: Lowering, node: Node, count: Lowered, *, target: Any) -> Lowered:
    """The counter of two words goes on by a number of which a part may fall into the upper one."""
    here.fails(np.size(count) != 1)
    before = here.holds[Held(target)]
    low, high, key = _words_of(before)
    steps = array(count).reshape(()).astype(np.uint64 if count.dtype.kind == "u" else np.int64)
    bits = STRIDE.bit_length() - 1
    added = (steps << bits).astype(np.uint64)
    low = low + added
    high = high + (steps >> 64 - bits).astype(np.uint64) + (low < added).astype(np.uint64)
    here.holds[Held(target)] = _as_words(philox.State(low, high, key))
    return before


# Distributions


def _blocks(state: philox.State, count: int, each: int) -> philox.Words:
    return philox.blocks(state, jnp.arange(-(-count // each), dtype=np.uint64))


def _is_standard(x: Lowered, value: int) -> bool:
    return is_known(x) and bool(np.all(np.asarray(x) == value))


def _parameter(here: Lowering, x: Lowered, dtype: np.dtype[Any]) -> Lowered:
    """A parameter in the dtype of the numbers; the plan runs where it would make numbers that are too small."""
    x = x.astype(dtype)
    info = np.finfo(dtype)
    bits = x.view(f"i{dtype.itemsize}")
    exponent = (bits >> info.nmant) & (1 << info.nexp) - 1
    here.fails((exponent < _LEAST_EXPONENT - info.minexp + 1) & (bits << 1 != 0))
    return array(x)


def _uniform(here: Lowering, node: Node, state: philox.State, shape: Any, dtype: DType, low: Any, high: Any) -> Lowered:
    count, each = math.prod(shape), portable.per_block(dtype.numpy)
    words = _blocks(state, count, each)
    if dtype.is_integer:
        here.fails(low >= high)
        drawn = portable.raw(_math(state), words, each == 2)[:count].reshape(shape)
        return draws.integers_in(drawn, array(low), array(high)).astype(dtype.numpy)
    drawn = portable.uniforms(_math(state), words, dtype.numpy)[:count].reshape(shape)
    if _is_standard(low, 0) and _is_standard(high, 1):
        return jnp.broadcast_to(drawn, np.broadcast_shapes(shape, np.shape(low), np.shape(high)))
    if dtype.numpy.itemsize < 4:
        refuse("random numbers of 16 bits between bounds", node)
    low, high = _parameter(here, low, dtype.numpy), _parameter(here, high, dtype.numpy)
    return draws.scaled(jnp, _rounded, drawn, low, high)


def _full_range(here: Lowering, node: Node, state: philox.State, shape: Any, dtype: DType, *_: Lowered) -> Lowered:
    count, each = math.prod(shape), portable.per_block(dtype.numpy)
    drawn = portable.raw(_math(state), _blocks(state, count, each), each == 2)
    return drawn[:count].astype(dtype.numpy).reshape(shape)


def _normal(
    here: Lowering, node: Node, state: philox.State, shape: Any, dtype: DType, mean: Lowered, deviation: Lowered
) -> Lowered:
    kind, count = draws.working(dtype), math.prod(shape)
    drawn = portable.normals(_math(state), _blocks(state, count, portable.per_block(kind)), kind)[:count]
    return _stretched(here, node, drawn.reshape(shape), mean, deviation).astype(dtype.numpy)


def _truncated_normal(
    here: Lowering, node: Node, state: philox.State, shape: Any, dtype: DType, mean: Lowered, deviation: Lowered
) -> Lowered:
    kind, count = draws.working(dtype), math.prod(shape)
    each = portable.per_block(kind)
    rows = -(-count // each)
    places = jnp.arange(rows, dtype=np.uint64) * np.uint64(each * RESERVED)

    def turned(carry: Any) -> Any:
        turn, found, filled = carry
        return turn + np.uint64(1), *portable.truncated(
            _math(state), philox.blocks(state, places + turn), found, filled
        )

    found = jnp.zeros((rows, each), np.promote_types(kind, np.float32))
    carry = (jnp.uint64(0), found, jnp.zeros(rows, np.int32))
    _, found, _ = lax.while_loop(lambda carry: jnp.any(carry[2] < each), turned, carry)
    drawn = found.reshape(-1)[:count].astype(kind).reshape(shape)
    return _stretched(here, node, drawn, mean, deviation).astype(dtype.numpy)


def _stretched(here: Lowering, node: Node, drawn: Lowered, mean: Lowered, deviation: Lowered) -> Lowered:
    if _is_standard(mean, 0) and _is_standard(deviation, 1):
        return jnp.broadcast_to(drawn, np.broadcast_shapes(drawn.shape, np.shape(mean), np.shape(deviation)))
    if drawn.dtype.itemsize < 4:
        refuse("random numbers of 16 bits of another mean or deviation than 0 and 1", node)
    mean, deviation = _parameter(here, mean, drawn.dtype), _parameter(here, deviation, drawn.dtype)
    return draws.stretched(_rounded, drawn, mean, deviation)


_DISTRIBUTIONS = {
    "uniform": _uniform,
    "normal": _normal,
    "truncated_normal": _truncated_normal,
    "full_range": _full_range,
}


@lowers(ENGINE, DRAW)
def _draw(
    here: Lowering, node: Node, state: Lowered, a: Lowered, b: Lowered, *dims: Lowered, shape: Any, dtype: DType,
    kind: str,
) -> Lowered:  # fmt: skip
    if kind not in _DISTRIBUTIONS:
        refuse(f"{kind} random numbers", node)
    shape = dims_of(here, dims, shape, "the shape")
    here.fails(any(n < 0 for n in shape))
    return _DISTRIBUTIONS[kind](here, node, _words_of(state), shape, dtype, a, b)


@lowers(
    ENGINE,
    records.stateless_random_uniform,
    records.stateless_random_normal,
    records.stateless_random_truncated_normal,
)
def _stateless(
    here: Lowering, node: Node, seed: Lowered, a: Lowered, b: Lowered, *dims: Lowered, shape: Any, dtype: DType
) -> Lowered:
    shape = dims_of(here, dims, shape, "the shape")
    here.fails(any(n < 0 for n in shape))
    here.fails(np.broadcast_shapes(shape, np.shape(a), np.shape(b)) != shape)
    kind = node.op.name.removeprefix("stateless_random_")
    return _DISTRIBUTIONS[kind](here, node, _state_of(here, seed), shape, dtype, a, b)


# Choices


@lowers(ENGINE, records.stateless_random_categorical)
def _stateless_categorical(
    here: Lowering, node: Node, seed: Lowered, logits: Lowered, *, count: int, dtype: DType = int64
) -> Lowered:
    shape = (logits.shape[0], count, logits.shape[-1])
    here.fails(shape[-1] == 0)
    size = math.prod(shape)
    state = _state_of(here, seed)
    noise = portable.gumbel(_math(state), _blocks(state, size, 2))[:size].reshape(shape)
    return jnp.argmax(_rounded(array(logits).astype(np.float64))[:, None, :] + noise, axis=-1).astype(dtype.numpy)


@lowers(ENGINE, records.stateless_random_shuffle)
def _stateless_shuffle(here: Lowering, node: Node, seed: Lowered, x: Lowered) -> Lowered:
    count, state = x.shape[0], _state_of(here, seed)
    drawn = portable.raw(_math(state), _blocks(state, count, 2), True)[:count]
    return array(x)[jnp.argsort(drawn, stable=True)]
