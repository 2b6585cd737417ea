"""`tf.io.encode_png` and `encode_jpeg`: arrays of pixels as the bytes of files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from autograph.errors import InvalidArgumentError, MissingExtraError

from ...base.dtypes import Array, string, uint8, uint16
from ...ir.graph import Type
from ...ir.kinds import BOOL, INT, TEXT, kinds, one_of
from ...ir.op import NOT_DIFFERENTIABLE, op
from ...tensors.convert import convert_to_tensor
from ...tensors.likes import TensorLike
from ...tensors.tensor import Tensor
from ..elementwise.elementwise import cast
from ..infer import require, text
from ..kernels import samples as s
from .formats import write_jpeg
from .png import write_png

if TYPE_CHECKING:
    from ...base.shapes import Shape

__all__ = ["encode_jpeg", "encode_png"]


def _check(shape: Shape, counts: tuple[int, ...], wanted: str) -> None:
    """What must hold of a shape, as far as it is known."""
    channels = None if shape is None else shape[-1]
    require(channels is None or channels in counts, f"image must have {wanted} channels, got {channels}")
    require(shape is None or 0 not in shape[-3:], f"image must have at least one pixel, not the shape {text(shape)}")


def _infer_png(x: Type, compression: int = -1) -> Type:
    require(x.dtype in (uint8, uint16), f"pictures are uint8 or uint16, not {x.dtype.name}: tf.cast(x, tf.uint8)")
    require(x.shape is None or len(x.shape) >= 3, f"images must be at least rank 3, not of shape {text(x.shape)}")
    _check(x.shape, (1, 2, 3, 4), "1, 2, 3, or 4")
    require(-1 <= compression <= 9, f"compression should be in [-1,9], got {compression}")
    return Type(string, None if x.shape is None else x.shape[:-3])


def _encode_png(x: Array, compression: int = -1) -> Array:
    _check(x.shape, (1, 2, 3, 4), "1, 2, 3, or 4")
    found = np.empty(x.shape[:-3], object)
    flat = x.reshape(-1, *x.shape[-3:])
    found.reshape(-1)[:] = [write_png(each, compression) for each in flat]
    return found


ENCODE_PNG = op("encode_png", gradient=NOT_DIFFERENTIABLE, infer=_infer_png, numpy=_encode_png, fresh=True,
                raises=(InvalidArgumentError,), attributes=kinds("", compression=INT),
                samples=lambda: [s.sample(np.arange(12, dtype=np.uint8).reshape(2, 2, 3)),
                                 s.sample(np.arange(12, dtype=np.uint16).reshape(2, 1, 3, 2), compression=0)],
                doc="Pictures as PNG files.")  # fmt: skip


def encode_png(image: TensorLike, compression: int = -1, name: str | None = None) -> Tensor:
    """Pictures (..., height, width, channels) of uint8 or uint16 as the bytes of PNG files: (...) strings.

    1 to 4 channels: grey, grey with alpha, colours, colours with alpha. ``compression`` is from 0 to 9, or -1 for the
    usual one. The bytes are not TensorFlow's, the pixels are. Raises `InvalidArgumentError` for other dtypes and
    shapes.
    """
    return ENCODE_PNG(image, compression=int(compression), name=name)


def _infer_jpeg(x: Type, format: str = "", quality: int = 95, **_: object) -> Type:
    require(x.dtype is uint8, f"pictures are uint8, not {x.dtype.name}: tf.cast(x, tf.uint8)")
    require(x.shape is None or len(x.shape) == 3, f"image must be 3-dimensional, not of shape {text(x.shape)}")
    _check(x.shape, (1, 3), "1 or 3")
    require(0 <= quality <= 100, f"quality must be in [0,100], got {quality}")
    channels = None if x.shape is None else x.shape[-1]
    wanted = {"": channels, "grayscale": 1, "rgb": 3}[format]
    require(channels is None or channels == wanted, f"format {format} expects {wanted} channels, got {text(x.shape)}")
    return Type(string, ())


def _encode_jpeg(
    x: Array, format: str = "", quality: int = 95, progressive: bool = False, optimize: bool = False,
    downsampling: bool = True, unit: str = "in", density: tuple[int, int] = (300, 300)
) -> Array:  # fmt: skip
    _check(x.shape, (1, 3), "1 or 3")
    dots = density if unit == "in" else tuple(round(number * 2.54) for number in density)
    options = {"progressive": progressive, "optimize": optimize, "dpi": dots}
    if x.shape[-1] == 3:
        options["subsampling"] = "4:2:0" if downsampling else "4:4:4"
    found = np.empty((), object)
    found[()] = write_jpeg(x, quality, options)
    return found


ENCODE_JPEG = op("encode_jpeg", gradient=NOT_DIFFERENTIABLE, infer=_infer_jpeg, numpy=_encode_jpeg, fresh=True,
                 raises=(InvalidArgumentError, MissingExtraError),
                 attributes=kinds("", format=TEXT, quality=INT, progressive=BOOL, optimize=BOOL, downsampling=BOOL,
                                  unit=one_of("in", "cm"), density=lambda value: type(value) is tuple),
                 samples=lambda: [s.sample(np.arange(12, dtype=np.uint8).reshape(2, 2, 3)),
                                  s.sample(np.arange(6, dtype=np.uint8).reshape(2, 3, 1), quality=10)],
                 doc="A picture as a JPEG file.")  # fmt: skip


def encode_jpeg(
    image: TensorLike, format: str = "", quality: int = 95, progressive: bool = False, optimize_size: bool = False,
    chroma_downsampling: bool = True, density_unit: str = "in", x_density: int = 300, y_density: int = 300,
    xmp_metadata: str = "", name: str | None = None
) -> Tensor:  # fmt: skip
    """A picture (height, width, 1 or 3) as the bytes of a JPEG file, a scalar string.

    ``image`` is uint8; other numbers of a NumPy array or list are cast. ``format``: ``"grayscale"``, ``"rgb"``, or
    ``""`` for what the channels say. ``quality``: from 0 to 100. Raises `InvalidArgumentError` for other dtypes and
    shapes, and for ``xmp_metadata``, `MissingExtraError` without the library Pillow.
    """
    require(format in ("", "grayscale", "rgb"), f"format is one of '', 'grayscale' and 'rgb', not {format!r}")
    require(density_unit in ("in", "cm"), f"density_unit is 'in' or 'cm', not {density_unit!r}")
    require(not xmp_metadata, "encode_jpeg writes no xmp_metadata: leave it out")
    x = image if isinstance(image, Tensor) else cast(convert_to_tensor(image), uint8)
    return ENCODE_JPEG(x, format=format, quality=int(quality), progressive=bool(progressive),
                       optimize=bool(optimize_size), downsampling=bool(chroma_downsampling), unit=density_unit,
                       density=(int(x_density), int(y_density)), name=name)  # fmt: skip
