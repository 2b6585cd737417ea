"""PNG: arrays of 8 or 16 bits, with one to four channels. Pillow reads those of 8 bits, and grey ones of 16."""

from __future__ import annotations

import struct
import zlib
from typing import Any

import numpy as np

from autograph.errors import InvalidArgumentError

from ...base.dtypes import Array
from ..infer import require
from .library import opened, reading

__all__ = ["read_png", "write_png"]

_CHANNELS = {0: 1, 2: 3, 3: 3, 4: 2, 6: 4}
"""By the type of colours in the header: grey, colours, a palette, and the first two with an alpha channel."""
_MODES = {1: "L", 2: "LA", 3: "RGB", 4: "RGBA"}
_WEIGHTS = np.array([9797, 19234, 3737])
"""Those of red, green and blue in grey (ITU-R BT.601), in parts of 2 ** 15, as libpng rounds them."""


def read_png(data: bytes, channels: int, wide: bool) -> Array:
    """The pixels (height, width, channels): uint8, or uint16 where ``wide``; 0 channels: those that the file has."""
    image = opened("PNG", data)
    depth, colors = data[24], data[25]
    with reading("PNG", data):
        pixels = _wide(data) if depth == 16 and wide and colors else _natural(image, colors, depth)
    clear = image.info.get("transparency")
    if channels == 4 and pixels.shape[-1] in (1, 3):
        require(clear is None or depth == 8 or colors == 3, "a transparent colour is read of pictures with 8 bits only")
        pixels = _with_alpha(pixels, None if colors == 3 else clear, depth)
    pixels = _converted(pixels, channels)
    if pixels.dtype == np.uint16:
        return pixels if wide else (pixels >> 8).astype(np.uint8)
    return pixels.astype(np.uint16) * 257 if wide else pixels


def _natural(image: Any, colors: int, depth: int) -> Array:
    """What the file has, of 8 bits, or grey of 16."""
    channels = 4 if colors == 3 and "transparency" in image.info else _CHANNELS[colors]
    if depth == 16 and colors == 0:
        return np.array(image).astype(np.uint16)[..., None]
    found = np.array(image.convert(_MODES[channels]))
    return found.reshape(*found.shape[:2], channels)


def _with_alpha(pixels: Array, clear: Any, depth: int) -> Array:
    """Pixels (grey ones as three channels), with an alpha channel: opaque but for one colour."""
    full = 65535 if pixels.dtype == np.uint16 else (1 << min(depth, 8)) - 1
    alpha = np.full((*pixels.shape[:2], 1), full, pixels.dtype)
    if clear is not None:
        alpha[(pixels == np.asarray(clear, pixels.dtype)).all(-1)] = 0
        alpha[alpha > 0] = 255
    return np.concatenate([np.broadcast_to(pixels, (*pixels.shape[:2], 3)), alpha], -1)


def _converted(pixels: Array, channels: int) -> Array:
    own = pixels.shape[-1]
    if channels in (0, own):
        return pixels
    if channels == 1:
        grey = pixels[..., :3] @ _WEIGHTS >> 15 if own > 2 else pixels[..., 0]
        return grey[..., None].astype(pixels.dtype)
    if own < 3:
        colors = np.repeat(pixels[..., :1], 3, -1)
        return colors if channels == 3 else np.concatenate([colors, pixels[..., 1:]], -1)
    return pixels[..., :3]


# Colours of 16 bits, which Pillow cuts down to 8.


def _chunks(data: bytes) -> bytes:
    """The packed pixels: the contents of all chunks IDAT."""
    found, place = [], 8
    while place + 8 <= len(data):
        size, name = struct.unpack(">I4s", data[place : place + 8])
        if name == b"IDAT":
            found.append(data[place + 8 : place + 8 + size])
        place += size + 12
    return b"".join(found)


def _wide(data: bytes) -> Array:
    width, height = struct.unpack(">II", data[16:24])
    require(data[28] == 0, "interlaced PNG pictures with colours of 16 bits can't be read as uint16")
    step = 2 * _CHANNELS[data[25]]
    try:
        rows = np.frombuffer(zlib.decompress(_chunks(data)), np.uint8).reshape(height, 1 + width * step)
    except zlib.error as error:
        raise InvalidArgumentError(f"Invalid PNG data, size {len(data)} ({error})") from None
    above = np.zeros((width, step), np.uint8)
    found = []
    for row in rows:
        above = _unfiltered(int(row[0]), row[1:].reshape(width, step), above)
        found.append(above)
    return np.stack(found).view(">u2").astype(np.uint16).reshape(height, width, step // 2)


def _unfiltered(kind: int, row: Array, above: Array) -> Array:
    """A row (width, bytes of a pixel) as it was before the filter: PNG's specification, section 9."""
    if kind in (0, 2):
        return row + above if kind else row
    if kind == 1:
        return np.cumsum(row, 0, np.uint8)
    require(kind in (3, 4), f"Invalid PNG data: there is no filter {kind}")
    found = np.zeros_like(row)
    left = corner = np.zeros(row.shape[1], np.int64)
    for i, (own, up) in enumerate(zip(row.astype(np.int64), above.astype(np.int64), strict=True)):
        left = (own + ((left + up) // 2 if kind == 3 else _paeth(left, up, corner))) % 256
        found[i], corner = left, up
    return found


def _paeth(left: Array, up: Array, corner: Array) -> Array:
    """Whichever of three neighbours is nearest to left + up - corner."""
    to_left, to_up, to_corner = abs(up - corner), abs(left - corner), abs(left + up - 2 * corner)
    return np.where((to_left <= to_up) & (to_left <= to_corner), left, np.where(to_up <= to_corner, up, corner))


def write_png(pixels: Array, compression: int) -> bytes:
    """A PNG file of (height, width, 1 to 4) uint8 or uint16."""
    height, width, channels = pixels.shape
    kind = {1: 0, 2: 4, 3: 2, 4: 6}[channels]
    rows = pixels.astype(">u2" if pixels.dtype == np.uint16 else np.uint8)
    plain = np.frombuffer(rows.tobytes(), np.uint8).reshape(height, -1)
    filtered = np.concatenate([np.full((height, 1), 2, np.uint8), np.diff(plain, axis=0, prepend=np.uint8(0))], 1)
    header = struct.pack(">IIBBBBB", width, height, 8 * pixels.dtype.itemsize, kind, 0, 0, 0)
    packed = zlib.compress(filtered.tobytes(), compression)
    parts = [(b"IHDR", header), (b"IDAT", packed), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))
        for name, content in parts
    )
