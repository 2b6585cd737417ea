"""JPEG, GIF, BMP and WebP: what a file's bytes tell of its format, and its pixels."""

from __future__ import annotations

import io
import struct
import warnings
from typing import Any

import numpy as np

from autograph.errors import UnimplementedError

from ...base.dtypes import Array
from ..infer import require
from .library import opened, pillow, reading

__all__ = ["format_of", "read_bmp", "read_gif", "read_jpeg", "read_webp", "size_of_jpeg", "write_jpeg"]

_BEGINNINGS = {
    b"\xff\xd8\xff": "JPEG", b"\x89PNG": "PNG", b"GIF8": "GIF", b"BM": "BMP",
    b"\xff\x0a": "JPEG XL", b"\x00\x00\x00\x0cJXL \r\n": "JPEG XL",
}  # fmt: skip


def format_of(data: bytes) -> str:
    """The format of a picture, by its first bytes. Raises `InvalidArgumentError` for others."""
    require(len(data) > 0, "Input is empty.")
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "WebP"
    found = [name for beginning, name in _BEGINNINGS.items() if data.startswith(beginning)]
    require(bool(found), "Unknown image file format. One of JPEG, PNG, GIF, BMP, WebP required.")
    return found[0]


def read_jpeg(data: bytes, channels: int, ratio: int = 1) -> Array:
    """The pixels (height, width, channels), uint8, of a picture made ``ratio`` times smaller.

    0 channels: those of the file, three of one for print. The inverse transform is the accurate one in integers.
    """
    image = opened("JPEG", data)
    mode = {1: "L", 3: "RGB"}.get(channels, "L" if image.mode == "L" else "RGB")
    require(mode == "RGB" or image.mode != "CMYK", "Invalid JPEG data: a picture for print has no grey channel")
    require(min(image.size) >= ratio, f"a JPEG picture of {image.size} pixels can't be made {ratio} times smaller")
    image.draft(mode if image.mode != "CMYK" else "CMYK", tuple(size // ratio for size in image.size))
    with reading("JPEG", data):
        found = np.array(image.convert(mode))
    return found[..., None] if mode == "L" else found


def size_of_jpeg(data: bytes) -> list[int]:
    """Height, width and channels, of the header alone."""
    image = opened("JPEG", data)
    return [image.size[1], image.size[0], len(image.getbands())]


def read_gif(data: bytes, first: bool = False) -> Array:
    """The frames (frames, height, width, 3), uint8; black where nothing has been drawn. ``first``: only that one."""
    image = opened("GIF", data)
    found = []
    with reading("GIF", data):
        for i in range(1 if first else image.n_frames):
            if image.n_frames > 1 and not first and getattr(image, "disposal_method", 0) > 1:
                raise UnimplementedError("GIF pictures whose frames are taken away again can't be decoded",
                                         remedy="decode_image(…, expand_animations=False) gives the first frame, "
                                         "Pillow's ImageSequence all of them")  # fmt: skip
            image.seek(i)
            pixels = np.array(image.convert("RGBA"))
            found.append(np.where(pixels[..., 3:] > 0, pixels[..., :3], np.uint8(0)))
    return np.stack(found)


def read_webp(data: bytes, channels: int, first: bool = False) -> Array:
    """The frames (frames, height, width, channels), uint8."""
    image = opened("WEBP", data)
    require(channels in (0, 3, 4), "WebP only supports 3 or 4 channels")
    mode = {0: image.mode, 3: "RGB", 4: "RGBA"}[channels]
    require(mode == image.mode or channels == 3, "Number of channels requested does not match input")
    found = []
    with reading("WebP", data):
        for i in range(1 if first else image.n_frames):
            image.seek(i)
            found.append(np.array(image.convert(mode)))
    return np.stack(found)


def read_bmp(data: bytes, channels: int) -> Array:
    """The pixels (height, width, channels), uint8, of pictures with 8 (grey), 24 or 32 bits."""
    require(len(data) >= 34, f"Incomplete bmp content, requires at least 34 bytes, got {len(data)} bytes")
    start, _, width, height, _, bits, packing = struct.unpack("<IIiiHHI", data[10:34])
    require(packing in (0, 3), "packed BMP pictures can't be decoded")
    own = bits // 8
    require(own in (1, 3, 4), f"Number of channels inherent in the image must be 1, 3 or 4, was {own}")
    size = (bits * width + 31) // 32 * 4
    rows = abs(height)
    needed = start + size * (rows - 1) + width * own
    require(width > 0 and rows > 0 and len(data) >= needed,
            f"Incomplete bmp content, requires at least {needed} bytes, got {len(data)} bytes")  # fmt: skip
    content = data[start : start + size * rows].ljust(size * rows, b"\0")
    pixels = np.frombuffer(content, np.uint8).reshape(rows, size)[:, : width * own].reshape(rows, width, own)
    pixels = pixels[::-1] if height > 0 else pixels
    if own == 1 and channels == 0:
        return np.array(pixels)
    colors = np.repeat(pixels, 3, -1) if own == 1 else pixels[..., [2, 1, 0]]
    if (channels or own) == 4:
        alpha = pixels[..., 3:] if own == 4 else np.full((rows, width, 1), 255, np.uint8)
        return np.concatenate([colors, alpha], -1)
    return np.array(colors)


def write_jpeg(pixels: Array, quality: int, options: dict[str, Any]) -> bytes:
    """A JPEG file of (height, width, 1 or 3) uint8."""
    image = pillow("encoding of JPEG pictures").fromarray(pixels[..., 0] if pixels.shape[-1] == 1 else pixels)
    file = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        image.save(file, "JPEG", quality=quality, **options)
    return file.getvalue()
