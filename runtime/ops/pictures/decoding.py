"""`tf.io.decode_png`, `decode_jpeg`, `decode_gif`, `decode_bmp`, `decode_webp` and `decode_image`.

Every one but `decode_bmp` knows PNG, JPEG and GIF by their first bytes, as TensorFlow's do.
"""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

import numpy as np

from autograph.errors import InvalidArgumentError, MissingExtraError, UnimplementedError

from ...base.dtypes import Array, DType, as_dtype, bool_, float32, int32, uint8
from ...ir.graph import Type
from ...ir.kinds import BOOL, INT, kinds
from ...ir.op import NOT_DIFFERENTIABLE, op
from ...tensors.likes import DTypeLike, TensorLike
from ..infer import exactly, require, require_kind
from ..kernels import samples as s
from ..shape.shape import ensure_shape
from ..text.strings import each
from .formats import format_of, read_bmp, read_gif, read_jpeg, read_webp, size_of_jpeg
from .png import read_png

if TYPE_CHECKING:
    from ...tensors.tensor import Tensor

__all__ = ["decode_and_crop_jpeg", "decode_bmp", "decode_gif", "decode_image", "decode_jpeg", "decode_png",
           "decode_webp", "extract_jpeg_shape", "is_jpeg"]  # fmt: skip

_RAISES = (InvalidArgumentError, MissingExtraError, UnimplementedError)


def _bytes(x: Array | bytes) -> bytes:
    data = x if isinstance(x, bytes) else x.reshape(())[()]
    assert isinstance(data, bytes)
    return data


def _of_one(x: Type) -> None:
    require_kind(x, "S", "the contents")
    exactly(x.shape, 0, "the contents")


def _check_channels(channels: int, format: str) -> None:
    """What a format has of channels, in TensorFlow's words."""
    require(format != "GIF" or channels in (0, 3), f"channels must be 0 or 3 for GIF, got {channels}")
    require(format != "JPEG" or channels != 4, "JPEG does not support 4 channels")
    require(format != "BMP" or channels != 1, "`channels` must be 0, 3 or 4 for BMP, but got 1")


def _frames(data: bytes, channels: int, wide: bool, ratio: int, first: bool) -> Array:
    """The pixels of a picture in any format; those of formats with frames have rank 4."""
    format = format_of(data)
    _check_channels(channels, format)
    if format == "PNG":
        return read_png(data, channels, wide)
    if format == "JPEG":
        return read_jpeg(data, channels, ratio)
    if format == "GIF":
        return read_gif(data, first)
    if format == "BMP":
        return read_bmp(data, channels)
    if format == "WebP":
        return read_webp(data, channels, first)
    raise UnimplementedError(f"pictures in {format}'s format can't be decoded",
                             remedy="convert them to PNG or JPEG first")  # fmt: skip


def _in(pixels: Array, dtype: DType) -> Array:
    """Pixels in another dtype, as TensorFlow casts them: white is 1 as a float, and 255 * 256 as uint16."""
    if pixels.dtype == dtype.numpy:
        return pixels
    if dtype.kind == "f":
        return pixels.astype(dtype.numpy) * dtype.numpy.type(1 / np.iinfo(pixels.dtype).max)
    return pixels.astype(dtype.numpy) * dtype.numpy.type(256)


def _infer(x: Type, channels: int = 0, dtype: DType = uint8, ratio: int = 1) -> Type:
    _of_one(x)
    require(channels in (0, 1, 3, 4), f"`channels` must be 0, 1, 3 or 4 but got {channels}")
    require(ratio in (1, 2, 4, 8), f"ratio must be 1, 2, 4, or 8, got {ratio}")
    require(dtype.name in ("uint8", "uint16"), f"dtype is uint8 or uint16, not {dtype.name}")
    return Type(dtype, (None, None, channels or None))


def _decode(x: Array | bytes, channels: int = 0, dtype: DType = uint8, ratio: int = 1) -> Array:
    data = _bytes(x)
    format = format_of(data)
    require(format not in ("BMP", "WebP"), f"Trying to decode {format} format using a wrong op. Use "
            f"`decode_{format.lower()}` or `decode_image` instead.")  # fmt: skip
    pixels = _frames(data, channels, dtype.name == "uint16", ratio, False)
    if pixels.ndim == 4:
        require(len(pixels) == 1, f"Got {len(pixels)} frames, but animated gifs can only be decoded by "
                "tf.io.decode_gif or tf.io.decode_image")  # fmt: skip
        pixels = pixels[0]
    return _in(pixels, dtype)


def _sample_bmp() -> Any:
    """Two pixels."""
    return s.strings(base64.b64decode(
        "Qk0+AAAAAAAAADYAAAAoAAAAAgAAAAEAAAABABgAAAAAAAgAAAAAAAAAAAAAAAAAAAAAAAAAAQIDBAUGAAA="))  # fmt: skip


def _sample_png() -> Any:
    """Two pixels, of three channels."""
    text = "iVBORw0KGgoAAAANSUhEUgAAAAIAAAABCAIAAAB7QOjdAAAAD0lEQVR4nGNiZGJmYWUDAABNABh9TNvyAAAAAElFTkSuQmCC"
    return s.strings(base64.b64decode(text))


def _sample_webp() -> Any:
    """Two pixels."""
    return s.strings(base64.b64decode("UklGRiwAAABXRUJQVlA4TCAAAAAvAQAAAA+gEEAAFDQKAQRAQaMQQAAUNPMf+R8qENH/AA=="))


def _sample_jpeg() -> Any:
    """The header of a picture with 2 rows, 3 columns and 3 channels."""
    return s.strings(bytes.fromhex("ffd8 ffc0 0011 08 0002 0003 03 011100 021100 031100 ffda 0002"))


DECODE_PNG, DECODE_JPEG = (
    op(name, gradient=NOT_DIFFERENTIABLE, infer=_infer, numpy=_decode, fresh=True, raises=_RAISES,
       attributes=kinds("dtype", channels=INT, ratio=INT), doc="The pixels of a picture.",
       samples=lambda: [s.sample(_sample_png()), s.sample(_sample_png(), channels=1),
                        s.sample(_sample_png(), channels=4, dtype=as_dtype("uint16"))])
    for name in ("decode_png", "decode_jpeg")
)  # fmt: skip


def decode_png(
    contents: TensorLike, channels: int = 0, dtype: DTypeLike = "uint8", name: str | None = None
) -> Tensor:  # fmt: skip
    """The pixels (height, width, channels) of a PNG file's bytes, a scalar string; uint8 or uint16.

    ``channels``: 0 as the file has them, 1 grey, 3 red, green and blue, 4 with alpha. JPEG, and GIF of one frame, are
    read as well. Raises `InvalidArgumentError` for other contents, `MissingExtraError` without the library Pillow.
    """
    return DECODE_PNG(contents, channels=int(channels or 0), dtype=as_dtype(dtype), name=name)


def decode_jpeg(
    contents: TensorLike, channels: int = 0, ratio: int = 1, fancy_upscaling: bool = True,
    try_recover_truncated: bool = False, acceptable_fraction: float = 1, dct_method: str = "", name: str | None = None
) -> Tensor:  # fmt: skip
    """The pixels (height, width, channels) of a JPEG file's bytes, a scalar string; uint8.

    ``channels``: 0 as the file has them, 1 grey, 3 red, green and blue. ``ratio``: 1, 2, 4 or 8 times smaller. PNG, and
    GIF of one frame, are read as well. The numbers are TensorFlow's with ``dct_method="INTEGER_ACCURATE"``; of its
    default, which is less exact, single pixels differ by some units. Raises `InvalidArgumentError` for other contents,
    `UnimplementedError` for other options, `MissingExtraError` without the library Pillow.
    """
    _check_options(fancy_upscaling, try_recover_truncated, acceptable_fraction, dct_method)
    return DECODE_JPEG(contents, channels=int(channels or 0), ratio=int(ratio), dtype=uint8, name=name)


def _check_options(fancy_upscaling: bool, recover: bool, fraction: float, method: str) -> None:
    require(method in ("", "INTEGER_FAST", "INTEGER_ACCURATE"), f"dct_method is one of '', 'INTEGER_FAST' and "
            f"'INTEGER_ACCURATE', not {method!r}")  # fmt: skip
    if not fancy_upscaling or recover or fraction != 1:
        raise UnimplementedError(
            "JPEG pictures are read with fancy_upscaling, and whole",
            remedy="leave out fancy_upscaling, try_recover_truncated and acceptable_fraction",
        )


def _infer_any(x: Type, channels: int = 0, dtype: DType = uint8, expand: bool = True) -> Type:
    _of_one(x)
    require(channels in (0, 1, 3, 4), f"`channels` must be 0, 1, 3 or 4 but got {channels}")
    require(dtype.name in ("uint8", "uint16", "float32"), f"dtype is uint8, uint16 or float32, not {dtype.name}")
    return Type(dtype, None if expand else (None, None, channels or None))


def _decode_any(x: Array | bytes, channels: int = 0, dtype: DType = uint8, expand: bool = True) -> Array:
    pixels = _frames(_bytes(x), channels, dtype.name != "uint8", 1, not expand)
    return _in(pixels[0] if pixels.ndim == 4 and not expand else pixels, dtype)


DECODE_IMAGE = op("decode_image", gradient=NOT_DIFFERENTIABLE, infer=_infer_any, numpy=_decode_any, fresh=True,
                  raises=_RAISES, attributes=kinds("dtype", channels=INT, expand=BOOL),
                  samples=lambda: [s.sample(_sample_bmp()), s.sample(_sample_png(), expand=False),
                                   s.sample(_sample_bmp(), channels=3, dtype=float32)],
                  doc="The pixels of a picture, or of its frames.")  # fmt: skip


def decode_image(
    contents: TensorLike, channels: int | None = None, dtype: DTypeLike = "uint8", name: str | None = None,
    expand_animations: bool = True
) -> Tensor:  # fmt: skip
    """The pixels of a picture in PNG, JPEG, GIF, BMP or WebP, a scalar string: uint8, uint16, or float32 from 0 to 1.

    (height, width, channels); of GIF and WebP (frames, height, width, channels), or with ``expand_animations=False``
    the first frame. Its rank is known in a graph only with that. ``channels`` are as in `decode_png`. Raises
    `InvalidArgumentError` for other contents, `MissingExtraError` without the library Pillow, which BMP does not need.
    """
    return DECODE_IMAGE(contents, channels=int(channels or 0), dtype=as_dtype(dtype), expand=bool(expand_animations),
                        name=name)  # fmt: skip


def _infer_gif(x: Type) -> Type:
    _of_one(x)
    return Type(uint8, (None, None, None, 3))


def _decode_gif(x: Array | bytes) -> Array:
    data = _bytes(x)
    format = format_of(data)
    require(format in ("GIF", "PNG", "JPEG"), f"Trying to decode {format} format using a wrong op. Use "
            f"`decode_{format.lower()}` or `decode_image` instead.")  # fmt: skip
    pixels = _frames(data, 3, False, 1, False)
    return pixels if pixels.ndim == 4 else pixels[None]


DECODE_GIF = op("decode_gif", gradient=NOT_DIFFERENTIABLE, infer=_infer_gif, numpy=_decode_gif, fresh=True,
                raises=_RAISES, samples=lambda: [s.sample(_sample_png())], doc="The frames of a picture.")  # fmt: skip


def decode_gif(contents: TensorLike, name: str | None = None) -> Tensor:
    """The frames (frames, height, width, 3) of a GIF file's bytes, a scalar string; uint8.

    What no frame has drawn yet is black. Raises `InvalidArgumentError` for other contents, `UnimplementedError` for
    frames that are taken away again, `MissingExtraError` without the library Pillow.
    """
    return DECODE_GIF(contents, name=name)


def _infer_frame(x: Type, channels: int = 0, frames: bool = False) -> Type:
    _of_one(x)
    require(channels in (0, 3, 4), f"`channels` must be 0, 3 or 4, but got {channels}")
    return Type(uint8, ((None,) if frames else ()) + (None, None, channels or None))


def _decode_bmp(x: Array | bytes, channels: int = 0) -> Array:
    data = _bytes(x)
    format = format_of(data)
    require(format == "BMP", f"Trying to decode {format} format using DecodeBmp op. Use `decode_{format.lower()}` or "
            "`decode_image` instead.")  # fmt: skip
    return read_bmp(data, channels)


DECODE_BMP = op("decode_bmp", gradient=NOT_DIFFERENTIABLE, infer=_infer_frame, numpy=_decode_bmp, fresh=True,
                raises=_RAISES, attributes=kinds("", channels=INT),
                samples=lambda: [s.sample(_sample_bmp()), s.sample(_sample_bmp(), channels=4)],
                doc="The pixels of a picture in BMP.")  # fmt: skip


def decode_bmp(contents: TensorLike, channels: int = 0, name: str | None = None) -> Tensor:
    """The pixels (height, width, channels) of a BMP file's bytes, a scalar string; uint8.

    ``channels``: 0 as the file has them, 3, or 4 with alpha. A palette is not looked at, as in TensorFlow. Raises
    `InvalidArgumentError` for other contents.
    """
    return DECODE_BMP(contents, channels=int(channels or 0), name=name)


def _decode_webp(x: Array | bytes, channels: int = 0, frames: bool = True) -> Array:
    data = _bytes(x)
    require(format_of(data) == "WebP", "Trying to decode another format than WebP. Use `decode_image` instead.")
    return read_webp(data, channels)


DECODE_WEBP = op("decode_webp", tensorflow_name="DecodeWebP", gradient=NOT_DIFFERENTIABLE, infer=_infer_frame,
                 numpy=_decode_webp, fresh=True, raises=_RAISES, attributes=kinds("", channels=INT, frames=BOOL),
                 samples=lambda: [s.sample(_sample_webp(), frames=True)],
                 doc="The frames of a picture in WebP.")  # fmt: skip


def decode_webp(
    contents: TensorLike, channels: int = 0, dtype: DTypeLike = "uint8", name: str | None = None
) -> Tensor:  # fmt: skip
    """The frames (frames, height, width, channels) of a WebP file's bytes, a scalar string; uint8.

    ``channels``: 0 as the file has them, 3, or 4 with alpha. Raises `InvalidArgumentError` for other contents,
    `MissingExtraError` without the library Pillow.
    """
    require(as_dtype(dtype) is uint8, f"decode_webp gives uint8, not {as_dtype(dtype).name}")
    return DECODE_WEBP(contents, channels=int(channels or 0), frames=True, name=name)


# What a JPEG file's header tells, and parts of it.


def _infer_shape(x: Type, dtype: DType = int32) -> Type:
    _of_one(x)
    require(dtype.name in ("int32", "int64"), f"the shape is int32 or int64, not {dtype.name}")
    return Type(dtype, (3,))


def _jpeg_shape(x: Array | bytes, dtype: DType = int32) -> Array:
    return np.array(size_of_jpeg(_bytes(x)), dtype.numpy)


JPEG_SHAPE = op("extract_jpeg_shape", gradient=NOT_DIFFERENTIABLE, infer=_infer_shape, numpy=_jpeg_shape, fresh=True,
                raises=_RAISES, attributes=kinds("dtype"), samples=lambda: [s.sample(_sample_jpeg())],
                doc="The size of a JPEG picture.")  # fmt: skip


def extract_jpeg_shape(contents: TensorLike, output_type: DTypeLike = "int32", name: str | None = None) -> Tensor:
    """Height, width and channels of a JPEG file's bytes, a scalar string: (3) integers, without reading the pixels.

    Raises `InvalidArgumentError` for other contents, `MissingExtraError` without the library Pillow.
    """
    return JPEG_SHAPE(contents, dtype=as_dtype(output_type), name=name)


def _infer_is_jpeg(x: Type) -> Type:
    require_kind(x, "S")
    return Type(bool_, x.shape)


IS_JPEG = op("is_jpeg", gradient=NOT_DIFFERENTIABLE, infer=_infer_is_jpeg, fresh=True,
             numpy=lambda x: each(lambda data: data.startswith(b"\xff\xd8\xff"), x).astype(bool),
             samples=lambda: [s.sample(["abc", ""]), s.sample(b"\xff\xd8\xff1")],
             doc="Whether strings begin as JPEG files do.")  # fmt: skip


def is_jpeg(contents: TensorLike, name: str | None = None) -> Tensor:
    """Whether each string begins as a JPEG file does; bool, of the shape of ``contents``."""
    return IS_JPEG(contents, name=name)


def decode_and_crop_jpeg(
    contents: TensorLike, crop_window: Any, channels: int = 0, ratio: int = 1, fancy_upscaling: bool = True,
    try_recover_truncated: bool = False, acceptable_fraction: float = 1, dct_method: str = "", name: str | None = None
) -> Tensor:  # fmt: skip
    """A part of a JPEG picture: ``crop_window`` is y, x, height and width, (4) int32. Else as `decode_jpeg`.

    Raises `InvalidArgumentError` for a window that is not inside of the picture.
    """
    y, x, height, width = (crop_window[i] for i in range(4))
    pixels = decode_jpeg(contents, channels, ratio, fancy_upscaling, try_recover_truncated, acceptable_fraction,
                         dct_method, name)  # fmt: skip
    found = pixels[y : y + height, x : x + width]
    sizes = [size if isinstance(size, (int, np.integer)) else None for size in (height, width)]
    return ensure_shape(found, (*sizes, channels or None))
