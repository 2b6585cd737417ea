"""`tf.debugging`: checks of values, which run each time the graph does; of shapes and types, once they are known.

Checks of values raise `InvalidArgumentError`; checks of shapes `ValueError`, of dtypes `TypeError`, while tracing where
that is possible.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from autograph.errors import InvalidArgumentError, InvalidTypeError
from autograph.settings import settings
from autograph.tracebacks import leaving as _leaving

from ..base.dtypes import as_dtype
from ..ops.host.assert_true import Assert as Assert
from ..ops.host.checks import CHECK_NUMERICS, RANK, RELATION, SHAPES, check_rank, compare
from ..ops.shape.shape import shape as shape_of
from ..tensors import trace
from ..tensors.convert import convert_to_tensor
from ..tensors.numerics import disable_check_numerics as disable_check_numerics
from ..tensors.numerics import enable_check_numerics as enable_check_numerics
from ..tensors.promotion import together
from ..tensors.tensor import Tensor

if TYPE_CHECKING:
    from ..tensors.likes import DTypeLike, TensorLike



# Values


def _relation(x: TensorLike, y: TensorLike, relation: str, message: str | None, summarize: int | None, name: str | None,
              other: str = "y") -> None:  # fmt: skip
    x, y = together(x, y)
    trace.apply(RELATION, x, y, name=name, relation=relation, other=other, message=message or "",
                summarize=3 if summarize is None else summarize)  # fmt: skip


def assert_equal(x: TensorLike, y: TensorLike, message: str | None = None, summarize: int | None = None,
                 name: str | None = None) -> None:  # fmt: skip
    """Raise `InvalidArgumentError` unless ``x == y`` for all elements, which broadcast.

    message: text in front of the error's; summarize: how many elements it shows (3).
    """
    _relation(x, y, "==", message, summarize, name or "assert_equal")


def assert_none_equal(x: TensorLike, y: TensorLike, summarize: int | None = None, message: str | None = None,
                      name: str | None = None) -> None:  # fmt: skip
    """Raise `InvalidArgumentError` unless ``x != y`` for all elements; see `assert_equal`."""
    _relation(x, y, "!=", message, summarize, name or "assert_none_equal")


def assert_less(x: TensorLike, y: TensorLike, message: str | None = None, summarize: int | None = None,
                name: str | None = None) -> None:  # fmt: skip
    """Raise `InvalidArgumentError` unless ``x < y`` for all elements; see `assert_equal`."""
    _relation(x, y, "<", message, summarize, name or "assert_less")


def assert_less_equal(x: TensorLike, y: TensorLike, message: str | None = None, summarize: int | None = None,
                      name: str | None = None) -> None:  # fmt: skip
    """Raise `InvalidArgumentError` unless ``x <= y`` for all elements; see `assert_equal`."""
    _relation(x, y, "<=", message, summarize, name or "assert_less_equal")


def assert_greater(x: TensorLike, y: TensorLike, message: str | None = None, summarize: int | None = None,
                   name: str | None = None) -> None:  # fmt: skip
    """Raise `InvalidArgumentError` unless ``x > y`` for all elements; see `assert_equal`."""
    _relation(x, y, ">", message, summarize, name or "assert_greater")


def assert_greater_equal(x: TensorLike, y: TensorLike, message: str | None = None, summarize: int | None = None,
                         name: str | None = None) -> None:  # fmt: skip
    """Raise `InvalidArgumentError` unless ``x >= y`` for all elements; see `assert_equal`."""
    _relation(x, y, ">=", message, summarize, name or "assert_greater_equal")


def assert_positive(
    x: TensorLike, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> None:
    """Raise `InvalidArgumentError` unless ``x > 0`` for all elements."""
    _relation(x, 0, ">", message, summarize, name or "assert_positive", "0")


def assert_negative(
    x: TensorLike, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> None:
    """Raise `InvalidArgumentError` unless ``x < 0`` for all elements."""
    _relation(x, 0, "<", message, summarize, name or "assert_negative", "0")


def assert_non_negative(x: TensorLike, message: str | None = None, summarize: int | None = None,
                        name: str | None = None) -> None:  # fmt: skip
    """Raise `InvalidArgumentError` unless ``x >= 0`` for all elements."""
    _relation(x, 0, ">=", message, summarize, name or "assert_non_negative", "0")


def assert_non_positive(x: TensorLike, message: str | None = None, summarize: int | None = None,
                        name: str | None = None) -> None:  # fmt: skip
    """Raise `InvalidArgumentError` unless ``x <= 0`` for all elements."""
    _relation(x, 0, "<=", message, summarize, name or "assert_non_positive", "0")


def assert_near(x: Any, y: Any, rtol: object = None, atol: Any = None, message: str | None = None,
                summarize: int | None = None, name: str | None = None) -> None:  # fmt: skip
    """Raise `InvalidArgumentError` unless ``|x - y| < atol + rtol * |y|`` for all elements.

    rtol, atol: ten times the machine epsilon of the dtype (1.19e-6 for float32) when left out.
    """
    x, y = together(x, y)
    epsilon = 10 * float(np.finfo(x.dtype.numpy).eps) if x.dtype.is_floating or x.dtype.is_complex else 0.0
    rtol, atol = epsilon if rtol is None else rtol, epsilon if atol is None else atol
    difference, allowed = abs(x - y), atol + rtol * abs(y)
    shown = f"x and y not equal to tolerance rtol = {rtol}, atol = {atol}. Below, x is |x - y|, y what it may be:"
    _relation(difference, allowed, "<=", f"{message}\n{shown}" if message else shown, summarize, name or "assert_near")


def check_numerics(tensor: TensorLike, message: str, name: str | None = None) -> Any:
    """The tensor itself. Raises `InvalidArgumentError` when it holds a NaN or an infinity."""
    tensor = convert_to_tensor(tensor)
    if tensor.dtype.kind not in "fc":
        raise InvalidTypeError(f"check_numerics takes floating-point numbers, not {tensor.dtype!r}")
    return trace.apply(CHECK_NUMERICS, tensor, name=name or "CheckNumerics", message=message)


def assert_all_finite(x: TensorLike, message: str, name: str | None = None) -> Any:
    """As `check_numerics`."""
    return check_numerics(x, message, name)


# Shapes


def assert_shapes(tensor_shapes: Any, data: Any = None, summarize: int | None = None, message: str | None = None,
                  name: str | None = None) -> None:  # fmt: skip
    """Raise `ValueError` unless tensors have the shapes given, where equal symbols stand for equal sizes.

    Parameters
    ----------
    tensor_shapes: a dict, or pairs, of a tensor and its shape: a list of sizes, symbols (``"N"``), ``None`` or ``"."``
        for any size, with ``...`` at one end for any number of dimensions; ``()`` for a scalar.
    message: text in front of the error's. ``data``, ``summarize``: accepted as in TensorFlow.
    """
    pairs = tensor_shapes.items() if isinstance(tensor_shapes, Mapping) else tensor_shapes
    tensors, patterns = [], []
    for tensor, pattern in pairs:
        tensors.append(convert_to_tensor(tensor))
        pattern = list(pattern) if isinstance(pattern, (list, tuple, str)) else [pattern]
        pattern = ["..." if each is Ellipsis or each == "*" else None if each == "." else each for each in pattern]
        if "..." in pattern[1:-1]:
            raise InvalidArgumentError("`...` stands at the beginning or the end of a shape")
        patterns.append(tuple(pattern))
    static = [each.static_shape for each in tensors]
    compare(static, tuple(patterns), message or "")
    if any(shape is None or None in shape for shape in static):
        shapes_now = [shape_of(each) for each in tensors]
        trace.apply(SHAPES, *shapes_now, name=name or "assert_shapes", patterns=tuple(patterns), message=message or "")


def assert_rank(x: TensorLike, rank: int, message: str | None = None, name: str | None = None) -> None:
    """Raise `ValueError` unless a tensor has the given number of dimensions."""
    assert_shapes([(x, [None] * int(rank))], message=message, name=name)


def assert_rank_at_least(x: TensorLike, rank: int, message: str | None = None, name: str | None = None) -> None:
    """Raise `ValueError` unless a tensor has at least the given number of dimensions."""
    assert_shapes([(x, ["...", *[None] * int(rank)])], message=message, name=name)


def assert_rank_in(x: TensorLike, ranks: Sequence[int], message: str | None = None, name: str | None = None) -> None:
    """Raise `ValueError` unless a tensor has one of the given numbers of dimensions."""
    x, ranks = convert_to_tensor(x), tuple(map(int, ranks))
    if x.static_shape is not None:
        check_rank([0 if n is None else n for n in x.static_shape], ranks=ranks, message=message or "")
    else:
        trace.apply(RANK, shape_of(x), name=name or "assert_rank_in", ranks=ranks, message=message or "")


def assert_scalar(tensor: TensorLike, message: str | None = None, name: str | None = None) -> Any:
    """The tensor itself. Raises `ValueError` unless it has no dimensions."""
    tensor = convert_to_tensor(tensor)
    assert_rank(tensor, 0, message, name)
    return tensor


# Types


def assert_type(tensor: TensorLike, tf_type: object, message: str | None = None, name: str | None = None) -> None:
    """Raise `TypeError` unless a tensor has the given dtype."""
    tensor, wanted = convert_to_tensor(tensor), as_dtype(tf_type)
    if tensor.dtype is not wanted:
        raise InvalidTypeError(f"{_prefix(message)}tensor must be of type {wanted!r}; got {tensor.dtype!r}")


def assert_integer(x: TensorLike, message: str | None = None, name: str | None = None) -> None:
    """Raise `TypeError` unless a tensor holds integers."""
    x = convert_to_tensor(x)
    if not x.dtype.is_integer:
        raise InvalidTypeError(f'{_prefix(message)}Expected "x" to be integer type.  Found: tensor of {x.dtype!r}')


def assert_same_float_dtype(tensors: Iterable[Any] | None = None, dtype: DTypeLike | None = None) -> Any:
    """The common dtype of floating-point tensors, float32 for none. Raises `ValueError` when they differ."""
    wanted = None if dtype is None else as_dtype(dtype)
    for tensor in map(convert_to_tensor, tensors or ()):
        if wanted is None:
            wanted = tensor.dtype
        if tensor.dtype is not wanted:
            raise InvalidArgumentError(f"{tensor!r} must be of the same type ({wanted!r}) as the others")
    wanted = as_dtype("float32") if wanted is None else wanted
    if not wanted.is_floating:
        raise InvalidArgumentError(f"Expected floating point type, got {wanted!r}")
    return wanted


def assert_proper_iterable(values: object) -> None:
    """Raise `TypeError` unless the value is a collection that Python can loop over: no tensor, array, string or set."""
    if isinstance(values, (Tensor, np.ndarray, str, bytes)) or not hasattr(values, "__iter__"):
        raise InvalidTypeError(f'Expected argument "values" to be a "proper" iterable.  Found: {type(values)}')


def is_numeric_tensor(tensor: TensorLike) -> bool:
    """Whether a value is a tensor of numbers."""
    return isinstance(tensor, Tensor) and tensor.dtype.kind in "iufc"


def _prefix(message: str | None) -> str:
    return f"{message}  " if message else ""


# Tracebacks


def enable_traceback_filtering() -> None:
    """Show the user's own lines alone in tracebacks, as at the start."""
    settings.full_traceback = False


def disable_traceback_filtering() -> None:
    """Show autograph's own frames too, as the environment variable ``AUTOGRAPH_FULL_TRACEBACK=1``."""
    settings.full_traceback = True


def is_traceback_filtering_enabled() -> bool:
    """Whether tracebacks show the user's own lines alone."""
    return not settings.full_traceback


_leaving.public_module(__name__)
