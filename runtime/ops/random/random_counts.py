"""Random numbers of the Poisson and the gamma distribution; see `random` for generators and seeds.

Each number has parameters of its own: those of stateful functions are the last axes of the result.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...base.dtypes import DType, as_dtype, float32, int32
from ...base.shapes import Shape, broadcast
from ...ir.effects import Effects
from ...ir.kinds import kinds
from ...ir.op import NOT_DIFFERENTIABLE, Op, Type, op
from ...tensors.convert import convert_to_tensor
from ...tensors.likes import DTypeLike, ShapeLike, TensorLike
from ...tensors.tensor import Tensor
from ..declare import no_gradient
from ..elementwise.elementwise import cast
from ..elementwise.math import maximum
from ..infer import integer_vectors, require, text
from ..kernels import samples as s
from ..shape.create import zeros_like
from ..shape.dims import as_dims
from ..shape.joining import concat
from ..shape.shape import shape as shape_of
from . import random, random_states
from .draws import seed_words
from .generators import generator_of, generators

__all__ = ["gamma", "poisson", "stateless_gamma", "stateless_poisson"]


def _are_positive(parameters: list[Any], dtype: DType) -> bool:
    """Whether parameters certainly are those of a distribution, not below 0."""
    return parameters[0] is not None and bool(np.all(parameters[0] >= 0))


def _poisson(generator: Any, rates: Any, dims: Any) -> Any:
    require(bool((rates >= 0).all()), "the mean of a Poisson distribution can't be negative")
    return generator.poisson(rates, dims)


def _gamma(generator: Any, shapes: Any, dims: object) -> Any:
    require(bool((shapes > 0).all()), "the parameter alpha of a gamma distribution must be above zero")
    return generator.standard_gamma(shapes, dims)


def _infer(parameters: Type, *dims: Type, shape: Shape, dtype: DType) -> Type:
    integer_vectors(*dims)
    require(parameters.dtype.is_floating, f"the parameters are floating, not {parameters.dtype.name}")
    require(dtype.kind in "iuf", f"random numbers can't have dtype {dtype.name}")
    joint = broadcast(shape, parameters.shape)
    fits = shape is None or joint is None or len(joint) == len(shape)
    require(fits, f"parameters of shape {text(parameters.shape)} do not broadcast to {text(shape)}")
    return Type(dtype, shape)


def _declare(name: str, sampler: Callable[..., Any], gradient: object, doc: str) -> tuple[Op, Op]:
    """The stateful and the stateless op."""

    def draw(generator: object, parameters: Any, dims: Any, shape: ShapeLike, dtype: DType) -> Any:
        size = random.drawn_shape(dims, shape, parameters)
        _infer(Type(as_dtype(parameters.dtype), parameters.shape), shape=size, dtype=dtype)
        return np.asarray(sampler(generator, parameters, size)).astype(dtype.numpy)

    def stateful(parameters: object, *dims: ShapeLike, shape: ShapeLike, dtype: DType, seed: int | None = None) -> Any:
        return generators.draw(seed, lambda generator: draw(generator, parameters, dims, shape, dtype))

    def stateless(seed: TensorLike, parameters: object, *dims: ShapeLike, shape: ShapeLike, dtype: DType) -> Any:
        return draw(generator_of(seed_words(seed)), parameters, dims, shape, dtype)

    def infer_stateless(seed: Type, *types: Type, shape: Shape, dtype: DType) -> Type:
        random.check_seed(seed)
        return _infer(*types, shape=shape, dtype=dtype)

    def samples() -> list[Any]:
        return [s.sample([1.0, 2.5], shape=(3, 2), dtype=float32), s.sample(np.float64(3), shape=(), dtype=float32),
                s.sample([0.5], [2, 4], shape=(None, 4), dtype=as_dtype("float64")),
                s.sample([1.0, 2.0], shape=(0, 2), dtype=int32)]  # fmt: skip

    return op(
        f"random_{name}", infer=lambda *types, shape, dtype, seed=None: _infer(*types, shape=shape, dtype=dtype),
        numpy=stateful,
        effects=Effects.RANDOM, gradient=gradient, samples=samples, doc=f"{doc} Stateful.",
        raises=random_states.raises_of_draws(0, 1, _are_positive), attributes=kinds("shape dtype seed"),
    ), op(
        f"stateless_random_{name}", infer=infer_stateless, numpy=stateless, gradient=gradient,
        samples=lambda: [((np.array([1, 2], np.int32), *inputs), attributes) for inputs, attributes in samples()],
        raises=random_states.raises_of_draws(1, 1, _are_positive), doc=f"{doc} The first input is the seed.",
        attributes=kinds("shape dtype"),
    )  # fmt: skip


poisson_op, stateless_poisson_op = _declare(
    "poisson", _poisson, NOT_DIFFERENTIABLE, "Counts from Poisson distributions with some means.")  # fmt: skip


def _no_gradient(*_: object, **__: object) -> Any:
    no_gradient("random_gamma", "use stop_gradient on alpha; the gradient of beta is there")


gamma_op, stateless_gamma_op = _declare(
    "gamma", _gamma, _no_gradient, "Numbers from gamma distributions of the rate one.")  # fmt: skip


def _whole(shape: ShapeLike, parameters: Any) -> Any:
    """The shape of a result with a parameter for each of its last elements."""
    hint, inputs = as_dims(shape)
    inner = parameters.static_shape
    if not inputs and hint is not None and inner is not None and None not in inner:
        return (*hint, *inner)
    outer = cast(inputs[0], int32) if inputs else convert_to_tensor(np.array(hint, np.int32))
    return concat([outer, shape_of(parameters)], 0)


def poisson(
    shape: ShapeLike, lam: TensorLike, dtype: DTypeLike = float32, seed: int | None = None, name: str | None = None
) -> Tensor:
    """Counts from Poisson distributions: `shape` of them for each mean in `lam`, in the shape `shape + shape(lam)`.

    Raises `InvalidArgumentError` for means that are negative or not floating, and for strings.
    """
    lam = convert_to_tensor(lam, dtype_hint=float32)
    hint, inputs = as_dims(_whole(shape, lam))
    return poisson_op(lam, *inputs, shape=hint, dtype=as_dtype(dtype), seed=seed, name=name)


def stateless_poisson(
    shape: ShapeLike, seed: TensorLike, lam: TensorLike, dtype: DTypeLike = int32, name: str | None = None
) -> Tensor:
    """Counts from Poisson distributions, of `shape`, to which the means `lam` broadcast, determined by `seed`.

    Raises `InvalidArgumentError` as `poisson`, and for a seed that is not two integers.
    """
    hint, inputs = as_dims(shape)
    lam = convert_to_tensor(lam, dtype_hint=float32)
    return stateless_poisson_op(seed, lam, *inputs, shape=hint, dtype=as_dtype(dtype), name=name)


def _gamma_parameters(alpha: Tensor, beta: Tensor, dtype: DType) -> tuple[Any, Any]:
    """Both with the shape that they have together."""
    alpha = convert_to_tensor(alpha, dtype)
    beta = convert_to_tensor(1 if beta is None else beta, dtype)
    return alpha + zeros_like(beta), beta


def _scaled(numbers: object, beta: Tensor, dtype: DType) -> Any:
    return maximum(numbers / beta, np.finfo(dtype.numpy).tiny)


def gamma(
    shape: Any, alpha: Any, beta: Any = None, dtype: object = float32, seed: int | None = None, name: str | None = None
) -> Tensor:
    """Numbers from gamma distributions of shape `alpha` and rate `beta` (1), which broadcast.

    There are `shape` of them for each: the result has the shape `shape + shape(alpha + beta)`. The gradient flows to
    `beta` only; that of `alpha` is refused. Raises `InvalidArgumentError` for an `alpha` that is not above zero.
    """
    target = as_dtype(dtype)
    require(target.is_floating, f"gamma random numbers can't have dtype {target.name}")
    alpha, beta = _gamma_parameters(alpha, beta, target)
    hint, inputs = as_dims(_whole(shape, alpha))
    return _scaled(gamma_op(alpha, *inputs, shape=hint, dtype=target, seed=seed, name=name), beta, target)


def stateless_gamma(
    shape: ShapeLike, seed: object, alpha: Any, beta: Any = None, dtype: object = float32, name: str | None = None
) -> Tensor:
    """As `gamma`, but of `shape`, to which `alpha` and `beta` broadcast, and determined by `seed`, two integers."""
    target = as_dtype(dtype)
    require(target.is_floating, f"gamma random numbers can't have dtype {target.name}")
    alpha, beta = _gamma_parameters(alpha, beta, target)
    hint, inputs = as_dims(shape)
    return _scaled(stateless_gamma_op(seed, alpha, *inputs, shape=hint, dtype=target, name=name), beta, target)
