"""Images of other dtypes: floats from 0 to 1, integers up to the largest one."""

from __future__ import annotations

from collections.abc import Callable

from ...base.dtypes import as_dtype, float16, float32
from ...tensors.convert import convert_to_tensor
from ...tensors.likes import DTypeLike, TensorLike
from ...tensors.tensor import Tensor
from ..control import identity
from ..elementwise.elementwise import cast, saturate_cast
from ..elementwise.math import floordiv, multiply
from ..infer import require

__all__ = ["convert_image_dtype"]


def convert_image_dtype(image: TensorLike, dtype: DTypeLike, saturate: bool = False, name: str | None = None) -> Tensor:
    """Images of any shape in another dtype: floats are from 0 to 1, integers from 0 to the largest of their dtype.

    saturate: clip what does not fit, which else wraps around. Raises `InvalidArgumentError` for dtypes that are neither
    floating nor integers.
    """
    x, target = convert_to_tensor(image), as_dtype(dtype)
    source = x.dtype
    for each, what in ((target, "dtype"), (source, "the image's dtype")):
        require(each.is_floating or each.is_integer, f"{what} must be floating or an integer one, not {each.name}")
    if source is target:
        return identity(x, name)
    to: Callable[..., Tensor] = saturate_cast if saturate else cast
    if source.is_integer and target.is_integer:
        if source.max > target.max:
            return to(floordiv(x, (int(source.max) + 1) // (int(target.max) + 1)), target, name=name)
        return multiply(to(x, target), (int(target.max) + 1) // (int(source.max) + 1), name)
    if source.is_integer:
        return multiply(cast(x, target), 1.0 / int(source.max), name)
    if target.is_integer:
        return to(multiply(x, int(target.max) + 0.5), target, name=name)
    return cast(x, target, name)


def in_floats(image: TensorLike, change: Callable[[Tensor], Tensor], saturate: bool = True) -> Tensor:
    """Images changed as floats of 16 or 32 bits, in their own dtype."""
    x = convert_to_tensor(image)
    floats = x if x.dtype in (float16, float32) else convert_image_dtype(x, float32)
    return convert_image_dtype(change(floats), x.dtype, saturate=saturate)
