"""Random numbers: stateful ones, in program order and reproducible after `set_seed`, and stateless ones by seed.

A stateful op without a seed of its own draws from one generator of NumPy's that `set_seed` restarts; ops with the same
seed of their own share a generator for that seed, which `set_seed` restarts too. A stateless op gives the same numbers
for the same seed and shape, always, and in every engine: TensorFlow's, see `portable`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...base.dtypes import DType, as_dtype, float32, int32, int64
from ...base.shapes import Shape, broadcast
from ...ir.effects import Effects
from ...ir.kinds import kinds
from ...ir.op import NOT_DIFFERENTIABLE, Op, Type, op
from ...tensors.convert import convert_to_tensor
from ...tensors.likes import DTypeLike, ShapeLike, TensorLike
from ...tensors.tensor import Tensor
from ...tensors.tracing_state import LOCAL
from ..declare import no_gradient
from ..elementwise.elementwise import cast
from ..infer import at_least, exactly, integer_vectors, require, require_kind, text
from ..kernels import samples as s
from ..shape.create import range as range_
from ..shape.dims import as_dims
from ..shape.gather import gather
from ..shape.shape import shape
from ..shape.sort import invert_permutation
from . import draws
from .draws import draw, state_of
from .generators import generators
from .random_states import DRAW, SEED_STATE, are_ends, check_seed, moved, raises_of_draws

__all__ = [
    "bernoulli", "categorical", "normal", "set_seed", "shuffle", "stateless_bernoulli", "stateless_categorical",
    "stateless_normal", "stateless_shuffle", "stateless_truncated_normal", "stateless_uniform", "truncated_normal",
    "uniform",
]  # fmt: skip


def set_seed(seed: int) -> None:
    """Restart all stateful generators from `seed`, an integer: from here on a program draws the same numbers again."""
    generators.restart(int(seed))


def fresh_seed(seed: int | None) -> list[int]:
    """A seed for a generator of its own: drawn from the common generator, or made of an own and the global seed."""
    if seed is not None:
        return [(generators.seed or 0) % 2**64, seed % 2**64]
    return [int(generators.draw(None, lambda generator: generator.integers(2**63)))]


# Distributions: each takes a generator, a shape and parameters, and gives an array of the dtype.


def sample_uniform(generator: Any, shape: ShapeLike, dtype: DType, low: Any, high: Any) -> Any:
    if dtype.is_integer:
        require(bool((np.asarray(low) < np.asarray(high)).all()), f"minval {low} must be less than maxval {high}")
        return np.asarray(generator.integers(low, high, shape, dtype.numpy))
    width = np.float32 if dtype.name in ("float16", "float32") else np.float64
    values = np.asarray(generator.random(shape, width)) * (high - low) + low
    return np.minimum(values, np.nextafter(high, low)).astype(dtype.numpy)


def sample_normal(generator: Any, shape: ShapeLike, dtype: DType, mean: TensorLike, deviation: object) -> Any:
    width = np.float32 if dtype.name in ("float16", "float32") else np.float64
    return (np.asarray(generator.standard_normal(shape, width)) * deviation + mean).astype(dtype.numpy)


def sample_truncated_normal(generator: Any, shape: ShapeLike, dtype: DType, mean: TensorLike, deviation: object) -> Any:
    values = np.asarray(generator.standard_normal(shape))
    outside = np.abs(values) > 2
    while outside.any():
        values[outside] = generator.standard_normal(int(outside.sum()))
        outside = np.abs(values) > 2
    return (values * deviation + mean).astype(dtype.numpy)


def _infer_draw(a: Type, b: Type, *dims: Type, shape: Shape, dtype: DType) -> Type:
    require(dtype.kind in "iuf", f"random numbers can't have dtype {dtype.name}")
    for parameter in (a, b):
        require_kind(parameter, "iu" if dtype.is_integer else "iuf", "a parameter of random numbers")
    integer_vectors(*dims)
    joint = broadcast(shape, a.shape, b.shape)
    return Type(dtype, None if joint is None else shape)


def drawn_shape(dynamic: tuple[Any, ...], shape: Any, *parameters: Any) -> Any:
    """The shape of what is drawn, given by a tensor or else known; raises unless the parameters broadcast to it."""
    dims = tuple(dynamic[0].tolist()) if dynamic else shape
    require(min(dims, default=0) >= 0, f"a shape can't have negative dimensions: {dims}")
    fits = broadcast(dims, *[p.shape for p in parameters]) == dims
    require(fits, f"the parameters of random numbers do not broadcast to {text(dims)}")
    return dims


def _declare(name: str, sampler: Callable[..., Any], doc: str) -> tuple[Op, Op]:
    """The stateful and the stateless op of a distribution with two parameters."""

    def stateful(
        a: TensorLike, b: TensorLike, *dynamic: object, shape: ShapeLike, dtype: DType, seed: int | None = None
    ) -> Any:
        dims = drawn_shape(dynamic, shape, a, b)
        return generators.draw(seed, lambda generator: sampler(generator, dims, dtype, a, b))

    def stateless(
        seed: TensorLike, a: TensorLike, b: TensorLike, *dynamic: object, shape: ShapeLike, dtype: DType
    ) -> Any:
        return draw(name, state_of(seed), drawn_shape(dynamic, shape, a, b), dtype, a, b)

    def infer_stateful(*types: Type, shape: Shape, dtype: DType, seed: int | None = None) -> Type:
        return _infer_draw(*types, shape=shape, dtype=dtype)

    def infer_stateless(seed: Type, *types: Type, shape: Shape, dtype: DType) -> Type:
        check_seed(seed)
        return _infer_draw(*types, shape=shape, dtype=dtype)

    def draws() -> list[Any]:
        return [
            s.sample(0.0, 1.0, shape=(2, 3), dtype=float32), s.sample(1.0, 2.0, shape=(), dtype=as_dtype("float64")),
            s.sample(0.0, 1.0, shape=(0, 2), dtype=as_dtype("float16")),
            s.sample(0.0, 1.0, [2], shape=None, dtype=float32),
            s.sample([0.0, 5.0], 9.0, [3, 2], shape=(None, 2), dtype=float32),
        ]  # fmt: skip

    return op(
        f"random_{name}", gradient=lambda g, out, a, b, *dims, **_: (*moved(name, g, out, a, b), *(None for _ in dims)),
        infer=infer_stateful, numpy=stateful, effects=Effects.RANDOM, doc=f"{doc} Stateful.",
        samples=lambda: draws() + ([s.sample(0, 9, shape=(4,), dtype=int32, seed=3)] if name == "uniform" else []),
        raises=raises_of_draws(0, 2, are_ends), attributes=kinds("shape dtype seed"),
    ), op(
        f"stateless_random_{name}",
        gradient=lambda g, out, seed, a, b, *dims, **_: (None, *moved(name, g, out, a, b), *(None for _ in dims)),
        infer=infer_stateless, numpy=stateless, doc=f"{doc} The first input is the seed.",
        samples=lambda: [((np.array([1, 2], np.int32), *inputs), attributes) for inputs, attributes in draws()],
        raises=raises_of_draws(1, 2, are_ends), attributes=kinds("shape dtype"),
    )  # fmt: skip


uniform_op, stateless_uniform_op = _declare("uniform", sample_uniform, "Uniform numbers from low up to, without, high.")
normal_op, stateless_normal_op = _declare("normal", sample_normal, "Normal numbers of a mean and a standard deviation.")
truncated_op, stateless_truncated_op = _declare(
    "truncated_normal", sample_truncated_normal,
    "Normal numbers within two standard deviations of the mean.")  # fmt: skip


def _ends(minval: Any, maxval: Any, dtype: DType) -> tuple[Any, Any]:
    if maxval is None:
        require(not dtype.is_integer, "random integers need maxval")
        maxval = 1
    return cast(minval, dtype), cast(maxval, dtype)


def uniform(
    shape: Any,
    minval: Any = 0,
    maxval: Any = None,
    dtype: object = float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Numbers of `shape`, uniform from `minval` up to, without, `maxval` (1 for floats; integers need one).

    Both bounds are cast to `dtype`, a floating or integer one. Raises `InvalidArgumentError` for integers without
    `maxval`, or one that is not above `minval`, and for strings.
    """
    target = as_dtype(dtype)
    if LOCAL.replica is not None:
        return stateless_uniform(shape, LOCAL.replica.random_seed(seed), minval, maxval, target, name)
    hint, inputs = as_dims(shape)
    return uniform_op(*_ends(minval, maxval, target), *inputs, shape=hint, dtype=target, seed=seed, name=name)


def normal(
    shape: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Normally distributed numbers of `shape`; `mean` and `stddev` broadcast to it.

    Raises `InvalidArgumentError` for a `dtype` that is not floating.
    """
    return _stateful(normal_op, stateless_normal, shape, mean, stddev, dtype, seed, name)


def truncated_normal(
    shape: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Normally distributed numbers of `shape`; those beyond two standard deviations are drawn again.

    Raises `InvalidArgumentError` for a `dtype` that is not floating.
    """
    return _stateful(truncated_op, stateless_truncated_normal, shape, mean, stddev, dtype, seed, name)


def _stateful(
    record: Op, stateless: Callable[..., Any], shape: ShapeLike, mean: object, stddev: object, dtype: DTypeLike,
    seed: int | None, name: str | None,
) -> Any:  # fmt: skip
    if LOCAL.replica is not None:
        return stateless(shape, LOCAL.replica.random_seed(seed), mean, stddev, dtype, name)
    target = as_dtype(dtype)
    require(target.is_floating, f"normal random numbers can't have dtype {target.name}")
    hint, inputs = as_dims(shape)
    mean, stddev = convert_to_tensor(mean, dtype_hint=target), convert_to_tensor(stddev, dtype_hint=target)
    return record(mean, stddev, *inputs, shape=hint, dtype=target, seed=seed, name=name)


def stateless_uniform(
    shape: Any, seed: TensorLike, minval: Any = 0, maxval: Any = None, dtype: object = float32, name: str | None = None,
    alg: str = "auto_select",
) -> Tensor:  # fmt: skip
    """As `uniform`, determined by `seed`, two integers; any other seed raises `InvalidArgumentError`.

    Without both bounds, integers are of the whole range of their dtype. The numbers are TensorFlow's, bit for bit, and
    the same in every engine. `alg` changes nothing: the algorithm is Philox always.
    """
    target = as_dtype(dtype)
    hint, inputs = as_dims(shape)
    if target.is_integer and minval is None and maxval is None:
        state = SEED_STATE(seed)
        return DRAW(state, 0, 0, *inputs, shape=hint, dtype=target, kind="full_range", name=name)
    return stateless_uniform_op(seed, *_ends(minval, maxval, target), *inputs, shape=hint, dtype=target, name=name)


def stateless_normal(
    shape: ShapeLike, seed: TensorLike, mean: TensorLike = 0.0, stddev: TensorLike = 1.0, dtype: DTypeLike = float32,
    name: str | None = None, alg: str = "auto_select",
) -> Tensor:  # fmt: skip
    """As `normal`, of any real `dtype`, by `seed`, two integers; any other raises `InvalidArgumentError`."""
    hint, inputs = as_dims(shape)
    return stateless_normal_op(seed, mean, stddev, *inputs, shape=hint, dtype=as_dtype(dtype), name=name)


def stateless_truncated_normal(
    shape: ShapeLike, seed: TensorLike, mean: TensorLike = 0.0, stddev: TensorLike = 1.0, dtype: DTypeLike = float32,
    name: str | None = None, alg: str = "auto_select",
) -> Tensor:  # fmt: skip
    """As `truncated_normal`, of any real `dtype`, by `seed`, two integers; any other raises `InvalidArgumentError`."""
    hint, inputs = as_dims(shape)
    return stateless_truncated_op(seed, mean, stddev, *inputs, shape=hint, dtype=as_dtype(dtype), name=name)


def bernoulli(
    shape: ShapeLike, probability: TensorLike = 0.5, seed: int | None = None, name: str | None = None
) -> Tensor:
    """Booleans of `shape`, each true with the given probability, which broadcasts.

    Raises `InvalidArgumentError` for probabilities that don't broadcast with `shape`.
    """
    return uniform(shape, seed=seed, name=name) < probability


def stateless_bernoulli(
    shape: ShapeLike, seed: TensorLike, probability: TensorLike = 0.5, name: str | None = None
) -> Tensor:
    """As `bernoulli`, determined by `seed`, two integers; any other seed raises `InvalidArgumentError`."""
    return stateless_uniform(shape, seed, name=name) < probability


# Shuffling and choosing.


def _infer_shuffle(x: Type, **_: object) -> Type:
    at_least(x.shape, 1)
    return x


def _shuffle_gradient(g: Tensor, seed: Tensor, x: Tensor) -> Any:
    """The seed gives the same order again."""
    return gather(g, invert_permutation(stateless_shuffle(range_(shape(x)[0]), seed)))


shuffle_op = op(
    "random_shuffle", infer=_infer_shuffle, effects=Effects.RANDOM,
    gradient=lambda g, out, x, seed=None: no_gradient(
        "random_shuffle", "shuffle the indices and gather, or use random.stateless_shuffle"),
    numpy=lambda x, seed=None: generators.draw(seed, lambda generator: generator.permutation(x, axis=0)),
    samples=lambda: [s.sample([1, 2, 3]), s.sample([[1.0], [2.0]], seed=1), s.sample(np.zeros((0, 2))),
                     s.sample(["a", "b"])],
    doc="The slices along the first axis in random order.", attributes=kinds("seed"),
)  # fmt: skip


def _infer_stateless_shuffle(seed: Type, x: Type) -> Type:
    check_seed(seed)
    return _infer_shuffle(x)


stateless_shuffle_op = op(
    "stateless_random_shuffle", infer=_infer_stateless_shuffle,
    gradient=lambda g, out, seed, x: (None, _shuffle_gradient(g, seed, x)),
    numpy=lambda seed, x: x[draws.order(state_of(seed), len(x))],
    samples=lambda: [s.sample([1, 2], [1, 2, 3]), s.sample([1, 2], [[1.0], [2.0]])],
    doc="The slices along the first axis in an order determined by the seed, the first input.",
)  # fmt: skip


def shuffle(value: TensorLike, seed: int | None = None, name: str | None = None) -> Tensor:
    """`value` with the slices along its first axis in random order; shape and dtype stay.

    Raises `ValueError` for a scalar, which has no axis.
    """
    return shuffle_op(value, seed=seed, name=name)


def stateless_shuffle(value: TensorLike, seed: TensorLike, name: str | None = None) -> Tensor:
    """As `shuffle`, determined by `seed`, two integers; any other seed raises `InvalidArgumentError`."""
    return stateless_shuffle_op(seed, value, name=name)


def _gumbel_choice(generator: Any, logits: Tensor, count: int, dtype: DType) -> Any:
    """By the Gumbel trick: the index of the maximum of the logits plus Gumbel noise."""
    noise = generator.gumbel(size=(len(logits), count, logits.shape[-1]))
    return np.argmax(logits[:, None, :] + noise, axis=-1).astype(dtype.numpy)


def _infer_categorical(logits: Type, count: int, dtype: DType = int64, seed: int | None = None) -> Type:
    require_kind(logits, "f", "the logits")
    exactly(logits.shape, 2, "the logits")
    return Type(dtype, (None if logits.shape is None else logits.shape[0], count))


_LOGITS = np.array([[0.0, 1.0, -5.0], [2.0, 0.0, 0.0]], np.float32)
categorical_op = op(
    "random_categorical", gradient=NOT_DIFFERENTIABLE, infer=_infer_categorical, effects=Effects.RANDOM,
    numpy=lambda logits, count, dtype=int64,
    seed=None: generators.draw(seed, lambda g: _gumbel_choice(g, logits, count, dtype)),
    samples=lambda: [s.sample(_LOGITS, count=4), s.sample(_LOGITS.astype(np.float64), count=0, dtype=int32),
                     s.sample(_LOGITS[:0], count=2, seed=1)],
    doc="Classes drawn with the probabilities `softmax(logits)`, `count` for each row.",
    attributes=kinds("count dtype seed"),
)  # fmt: skip


def _infer_stateless_categorical(seed: Type, logits: Type, count: int, dtype: DType = int64) -> Type:
    check_seed(seed)
    return _infer_categorical(logits, count, dtype)


stateless_categorical_op = op(
    "stateless_random_categorical",
    gradient=NOT_DIFFERENTIABLE,
    infer=_infer_stateless_categorical,
    numpy=lambda seed, logits, count, dtype=int64: draws.categorical(state_of(seed), logits, count, dtype),
    samples=lambda: [s.sample([1, 2], _LOGITS, count=4)],
    doc="Classes drawn with the probabilities `softmax(logits)`, determined by the seed, the first input.",
    attributes=kinds("count dtype"),
)  # fmt: skip


def categorical(
    logits: TensorLike,
    num_samples: int,
    dtype: DTypeLike | None = None,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """For each row of `logits`, `num_samples` (a Python int) classes drawn with the probabilities `softmax(logits)`.

    `[rows, classes]` gives `[rows, num_samples]` of `dtype` (int64). In traces another rank, or logits that are not
    floating, raise `InvalidArgumentError`.
    """
    return categorical_op(logits, count=int(num_samples), dtype=as_dtype(dtype or int64), seed=seed, name=name)


def stateless_categorical(
    logits: TensorLike, num_samples: int, seed: TensorLike, dtype: DTypeLike = int64, name: str | None = None
) -> Tensor:
    """As `categorical`, determined by `seed`, two integers; any other seed raises `InvalidArgumentError`."""
    return stateless_categorical_op(seed, logits, count=int(num_samples), dtype=as_dtype(dtype), name=name)
