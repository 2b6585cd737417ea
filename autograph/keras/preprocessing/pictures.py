"""Pictures as Pillow's images and as arrays: `tf.keras.utils.load_img`, `save_img`, `array_to_img`, `img_to_array`."""

from __future__ import annotations

import io
import os
import pathlib
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from autograph.errors import InvalidTypeError
from autograph.runtime.ops.elementwise.elementwise import cast
from autograph.runtime.ops.elementwise.math import maximum, minimum
from autograph.runtime.ops.image.resizing import resize
from autograph.runtime.ops.infer import require
from autograph.runtime.ops.pictures.library import pillow
from autograph.runtime.ops.shape.shape import shape as shape_of
from autograph.runtime.ops.shape.shape import transpose
from autograph.runtime.tensors.convert import convert_to_tensor

from ..base.defaults import floatx, image_data_format

if TYPE_CHECKING:
    from autograph.runtime.tensors.likes import DTypeLike, TensorLike

__all__ = ["array_to_img", "img_to_array", "is_channels_first", "load_img", "save_img", "smart_resize"]

_METHODS = ("nearest", "bilinear", "bicubic", "hamming", "box", "lanczos")
_KERNELS = ("bilinear", "nearest", "lanczos3", "lanczos5", "bicubic", "area")


def is_channels_first(data_format: str | None) -> bool:
    """Whether arrays have their channels in front. Raises `InvalidArgumentError` for an unknown format."""
    require(data_format in (None, "channels_first", "channels_last"), "The `data_format` argument must be one of "
            f"{{'channels_first', 'channels_last'}}. Received: data_format={data_format}")  # fmt: skip
    return (data_format or image_data_format()) == "channels_first"


def load_img(
    path: Any, color_mode: str = "rgb", target_size: Sequence[int] | None = None, interpolation: str = "nearest",
    keep_aspect_ratio: bool = False
) -> Any:  # fmt: skip
    """A picture from a file, as Pillow's ``Image``.

    Parameters
    ----------
    path: of the file, or an `io.BytesIO`.
    color_mode: ``"rgb"``, ``"rgba"`` or ``"grayscale"``.
    target_size: height and width of the result.
    interpolation: ``"nearest"``, ``"bilinear"``, ``"bicubic"``, ``"hamming"``, ``"box"`` or ``"lanczos"``.
    keep_aspect_ratio: whether the middle of the picture is cut out in the proportions of the target.

    Raises `OSError` for a file that is not there or is no picture, `InvalidArgumentError` for other words,
    `MissingExtraError` without the library Pillow.
    """
    require(color_mode in ("grayscale", "rgb", "rgba"), 'color_mode must be "grayscale", "rgb", or "rgba"')
    image = _opened(path)
    if color_mode == "grayscale":
        image = image if image.mode in ("L", "I;16", "I") else image.convert("L")
    elif image.mode != color_mode.upper():
        image = image.convert(color_mode.upper())
    if target_size is None or image.size == (target_size[1], target_size[0]):
        return image
    require(interpolation in _METHODS, f"Invalid interpolation method {interpolation} specified. Supported methods are "
            f"{', '.join(_METHODS)}")  # fmt: skip
    width, height = target_size[1], target_size[0]
    method = getattr(pillow("load_img").Resampling, interpolation.upper())
    return image.resize((width, height), method, box=_middle(image.size, width, height) if keep_aspect_ratio else None)


def _opened(path: Any) -> Any:
    library = pillow("load_img")
    if isinstance(path, io.BytesIO):
        return library.open(path)
    if not isinstance(path, (str, bytes, pathlib.Path)):
        raise InvalidTypeError(f"path should be path-like or io.BytesIO, not {type(path)}")
    with open(path, "rb") as file:
        return library.open(io.BytesIO(file.read()))


def _middle(size: tuple[int, int], width: int, height: int) -> tuple[int, int, int, int]:
    """The largest box with the proportions of a target in the middle of a picture."""
    across, down = min(size[0], size[1] * width // height), min(size[1], size[0] * height // width)
    left, top = (size[0] - across) // 2, (size[1] - down) // 2
    return left, top, left + across, top + down


def img_to_array(img: Any, data_format: str | None = None, dtype: DTypeLike | None = None) -> np.ndarray[Any, Any]:
    """A picture of Pillow's as an array (height, width, channels), `floatx` when ``dtype`` is left out.

    With ``data_format="channels_first"`` (channels, height, width). Raises `InvalidArgumentError` for another rank.
    """
    first = is_channels_first(data_format)
    found = np.asarray(img, dtype=np.dtype(dtype or floatx()))
    require(found.ndim in (2, 3), f"Unsupported image shape: {found.shape}")
    if found.ndim == 2:
        return found[None] if first else found[..., None]
    return found.transpose(2, 0, 1) if first else found


def array_to_img(x: TensorLike, data_format: str | None = None, scale: bool = True,
                 dtype: DTypeLike | None = None) -> Any:  # fmt: skip
    """An array (height, width, 1, 3 or 4) as Pillow's ``Image``.

    ``scale``: whether the smallest number becomes 0, and the largest 255. Raises `InvalidArgumentError` for other
    shapes, `MissingExtraError` without the library Pillow.
    """
    first = is_channels_first(data_format)
    library = pillow("array_to_img")
    array = np.asarray(x, dtype=np.dtype(dtype or floatx()))
    require(array.ndim == 3, "Expected image array to have rank 3 (single image). "
            f"Got array with shape: {array.shape}")  # fmt: skip
    array = array.transpose(1, 2, 0) if first else array
    require(array.shape[2] in (1, 3, 4), f"Unsupported channel number: {array.shape[2]}")
    if scale:
        array = array - np.min(array)
        largest = np.max(array)
        array = (array / largest if largest != 0 else array) * 255
    if array.shape[2] > 1:
        return library.fromarray(array.astype(np.uint8))
    return library.fromarray(array[..., 0].astype(np.int32 if np.max(array) > 255 else np.uint8))


def save_img(
    path: Any, x: TensorLike, data_format: str | None = None, file_format: str | None = None, scale: bool = True,
    **options: Any
) -> None:  # fmt: skip
    """Write an array (height, width, channels) as a picture into a file.

    ``file_format`` is that of the path's ending when left out. ``scale`` is as in `array_to_img`; other options are
    those of Pillow's ``Image.save``. Raises what `array_to_img` does, `OSError` and `ValueError` of Pillow.
    """
    if file_format is None and isinstance(path, (str, os.PathLike)):
        file_format = pathlib.Path(path).suffix[1:].lower()
    file_format = "jpeg" if file_format and file_format.lower() == "jpg" else file_format
    image = array_to_img(x, data_format, scale)
    if image.mode == "RGBA" and file_format == "jpeg":
        warnings.warn("The JPEG format does not support RGBA images, converting to RGB.", stacklevel=2)
        image = image.convert("RGB")
    image.save(path, format=file_format, **options)


def smart_resize(x: TensorLike, size: Sequence[int], interpolation: str = "bilinear",
                 data_format: str = "channels_last") -> Any:  # fmt: skip
    """The middle of images (..., height, width, channels) in the proportions of a size, made of that size.

    The result is float32 (of ``"nearest"`` of the dtype of the images): an array of an array, a tensor of a tensor.
    Raises `InvalidArgumentError` for a size that is no pair, another rank, and an unknown interpolation.
    """
    require(len(size) == 2, f"Expected `size` to be a tuple of 2 integers, but got: {size}.")
    require(interpolation in _KERNELS, "Invalid value for argument `interpolation`. Expected of one "
            f"{_KERNELS}. Received: interpolation={interpolation}")  # fmt: skip
    images = convert_to_tensor(x)
    require(images.ndim in (3, 4), "Expected an image array with shape `(height, width, channels)`, or `(batch_size, "
            f"height, width, channels)`, but got input with incorrect rank, of shape {images.shape}.")  # fmt: skip
    first = is_channels_first(data_format)
    images = transpose(images, _LAST[len(images.shape)]) if first else images
    rows, columns = _window(images, int(size[0]), int(size[1]))
    found = resize(images[..., rows, columns, :], size, interpolation)
    found = transpose(found, _FIRST[len(images.shape)]) if first else found
    return found.numpy() if isinstance(x, np.ndarray) else found


_LAST = {3: (1, 2, 0), 4: (0, 2, 3, 1)}
_FIRST = {3: (2, 0, 1), 4: (0, 3, 1, 2)}


def _window(images: Any, height: int, width: int) -> tuple[slice, slice]:
    """The rows and columns of the largest window with some proportions."""
    own = images.static_shape[-3:-1]
    if None not in own:
        down, across = (max(min(own[0], int(own[1] * height / width)), 1),
                        max(min(own[1], int(own[0] * width / height)), 1))  # fmt: skip
        top, left = (own[0] - down) // 2, (own[1] - across) // 2
        return slice(top, top + down), slice(left, left + across)
    sizes = shape_of(images)
    rows, columns = sizes[-3], sizes[-2]
    down = maximum(minimum(rows, cast(cast(columns * height, "float32") / width, "int32")), 1)
    across = maximum(minimum(columns, cast(cast(rows * width, "float32") / height, "int32")), 1)
    top, left = (rows - down) // 2, (columns - across) // 2
    return slice(top, top + down), slice(left, left + across)
