"""Shorthands that declare an op and the public function over it in one statement, and what gradients share."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from autograph.errors import NoGradientError

from ..base.dtypes import Array
from ..base.provided import Provided
from ..ir import totality
from ..ir.op import NOT_DIFFERENTIABLE, OPS, PUBLIC, Op, Type, op
from ..ir.shape_chains import same_shape
from ..tensors.likes import TensorLike
from ..tensors.trace import apply
from .infer import elementwise

if TYPE_CHECKING:
    from ..tensors.tensor import Tensor

Function = Callable[..., Any]


def _of_x(record: Op) -> Function:
    def function(x: TensorLike, name: str | None = None) -> Any:
        return apply(record, x, name=name)

    return function


def _of_input(record: Op) -> Function:
    def function(input: TensorLike, name: str | None = None) -> Any:
        return apply(record, input, name=name)

    return function


def _of_features(record: Op) -> Function:
    def function(features: TensorLike, name: str | None = None) -> Any:
        return apply(record, features, name=name)

    return function


def _of_x_y(record: Op) -> Function:
    def function(x: TensorLike, y: TensorLike, name: str | None = None) -> Any:
        return apply(record, x, y, name=name)

    return function


def _of_y_x(record: Op) -> Function:
    def function(y: TensorLike, x: TensorLike, name: str | None = None) -> Any:
        return apply(record, y, x, name=name)

    return function


def _of_x1_x2(record: Op) -> Function:
    def function(x1: TensorLike, x2: TensorLike, name: str | None = None) -> Any:
        return apply(record, x1, x2, name=name)

    return function


def _of_a_x(record: Op) -> Function:
    def function(a: TensorLike, x: TensorLike, name: str | None = None) -> Any:
        return apply(record, a, x, name=name)

    return function


def _of_x_q(record: Op) -> Function:
    def function(x: TensorLike, q: TensorLike, name: str | None = None) -> Any:
        return apply(record, x, q, name=name)

    return function


# Public functions by the names of their parameters, real ones: a call binds them without looking at a signature.
_UNARY = {"x": _of_x, "input": _of_input, "features": _of_features}
_BINARY = {"x y": _of_x_y, "y x": _of_y_x, "x1 x2": _of_x1_x2, "a x": _of_a_x, "x q": _of_x_q}

_FITS_ONE = """Takes a tensor of any shape, or what `convert_to_tensor` takes; the result has its shape.
Raises `InvalidArgumentError` for a dtype that it is not defined for."""
_FITS_TWO = """Takes two tensors, or what `convert_to_tensor` takes: the shapes broadcast, the dtypes are promoted to a
common one. Raises `InvalidArgumentError` for shapes that don't broadcast and for a dtype that it is not defined
for, `InvalidTypeError` for dtypes that have nothing in common."""


def finish(function: Function, record: Op, name: str, fits: str = "") -> Function:
    """Give a generated public function its name, documentation and places; `fits` says what arguments it takes."""
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{record.__doc__}\n\n{fits}" if fits else record.__doc__
    function.op = record  # type: ignore[attr-defined]
    PUBLIC.update(dict.fromkeys(record.public.split(), function))
    return function


def unary(name: str, numpy: Function, doc: str, samples: Function, gradient: Function | None, *,
          op_name: str = "", parameters: str = "x", infer: Function | None = None,
          **fields: object) -> Function:  # fmt: skip
    """Declare an elementwise op of one input; return the function `f(x, name=None)`.

    `parameters` is TensorFlow's name for `x`, where it has another.
    """
    fields.setdefault("numpy_names", _ufunc_name(numpy))
    fields.setdefault("total", totality.elementwise)
    infer = infer or elementwise(numpy, booleans=not fields.get("numeric"))
    record = op(op_name or name, infer=infer, numpy=numpy, samples=samples,
                gradient=_one(gradient), doc=doc, **fields)  # fmt: skip

    return finish(_UNARY[parameters](record), record, name, _FITS_ONE)


def binary(name: str, numpy: Function, doc: str, samples: Function, gradient: Function | None, *,
           op_name: str = "", parameters: str = "x y", infer: Function | None = None, strings: bool = False,
           **fields: object) -> Function:  # fmt: skip
    """Declare an elementwise op of two inputs of one dtype; return the function `f(x, y, name=None)`.

    `parameters` are TensorFlow's names for `x` and `y`, in this order, where it has others.
    """
    fields.setdefault("numpy_names", _ufunc_name(numpy))
    fields.setdefault("total", totality.elementwise)
    infer = infer or elementwise(numpy, strings, booleans=not fields.get("numeric"))
    record = op(op_name or name, infer=infer, numpy=numpy, samples=samples,
                gradient=holomorphic(gradient), doc=doc, promote=0, **fields)  # fmt: skip

    return finish(_BINARY[parameters](record), record, name, _FITS_TWO)


def no_gradient(name: str, remedy: str) -> NoReturn:
    """Refuse to differentiate: `LookupError`."""
    raise NoGradientError(f"the op {name!r} has no gradient; {remedy}")


TAPE: Provided[Callable[..., Any]] = Provided("runtime.gradient.tape")
"""`GradientTape`: who asks for a gradient has loaded it."""


def through(function: Function, g: Tensor, *inputs: TensorLike) -> list[Any]:
    """The gradients of the inputs, from that of ``function(*inputs)``, which is written in differentiable ops."""
    with TAPE.function(watch_accessed_variables=False) as tape:
        for x in inputs:
            tape.watch(x)
        out = function(*inputs)
    return tape.gradient(out, list(inputs), output_gradients=g)


def _ufunc_name(function: Function) -> tuple[str, ...]:
    return (function.__name__,) if isinstance(function, np.ufunc) else ()


def _one(gradient: Function | None) -> Function | None:
    """The gradient of an op with one input, as the tuple that the record wants."""
    if gradient is None or gradient is NOT_DIFFERENTIABLE:
        return gradient
    return holomorphic(lambda *args, **attributes: (gradient(*args, **attributes),))


def holomorphic(gradient: Function | None) -> Function | None:
    """A gradient that multiplies with derivatives, made to multiply with their conjugates where they are complex.

    That is TensorFlow's convention: the gradient of a real loss points in the direction of steepest ascent.
    """
    if gradient is None or gradient is NOT_DIFFERENTIABLE:
        return gradient

    def conjugated(g: Tensor, *args: TensorLike, **attributes: object) -> Any:
        if not g.dtype.is_complex:
            return gradient(g, *args, **attributes)
        conj = OPS["conjugate"]
        return tuple([None if x is None else conj(x) for x in gradient(conj(g), *args, **attributes)])

    return conjugated


def _sum_to_kernel(g: Array, like: Array) -> Any:
    extra = g.ndim - like.ndim
    axes = tuple(range(extra)) + tuple(
        extra + i for i, n in enumerate(like.shape) if n == 1 and g.shape[extra + i] != 1
    )
    return g.sum(axis=axes, keepdims=True).reshape(like.shape) if axes else g


def _sum_to_samples() -> list[Any]:
    g = np.arange(6, dtype=np.float32).reshape(2, 3)
    return [(g, g[0]), (g, g[:, :1]), (g, g), (g, g[0, 0]), (g[:, :0], g[:1, :0]), (g[:0], g[0])]


sum_to_shape_of: Op = op(
    "sum_to_shape_of",
    infer=lambda g, like: Type(g.dtype, like.shape),
    numpy=_sum_to_kernel,
    samples=_sum_to_samples,
    gradient=lambda g, out, x, like: (broadcast_to_shape_of(g, x), None),
    doc="`x` summed over the axes along which `like` was broadcast: the adjoint of broadcasting.",
    total=totality.together, native=True, chains=(same_shape,),
)
broadcast_to_shape_of: Op = op(
    "broadcast_to_shape_of",
    infer=lambda x, like: Type(x.dtype, like.shape),
    numpy=lambda x, like: np.broadcast_to(x, like.shape),
    samples=lambda: [(like, g) for g, like in _sum_to_samples()],
    gradient=lambda g, out, x, like: (sum_to(g, x), None),
    doc="`x` broadcast to the shape of `like`.", total=totality.together, native=True, chains=(same_shape,),
)


def sum_to(g: Tensor, like: Tensor) -> Any:
    """`g` summed to the shape of `like`; `g` itself where the shapes are known to be the same."""
    shape = like.static_shape
    if shape is not None and None not in shape and g.static_shape == shape:
        return g
    return sum_to_shape_of(g, like)

