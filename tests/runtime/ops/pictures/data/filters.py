"""PNG files whose rows are filtered in all ways, which writers choose by what packs best."""

from __future__ import annotations

import struct
import zlib
from typing import Any

import numpy as np


def filtered(pixels: Any) -> bytes:
    """A PNG file of (height, width, 3) uint16; row i has the filter i % 5."""
    rows = pixels.astype(">u2").view(np.uint8).reshape(len(pixels), -1).astype(int)
    lines = []
    for i, row in enumerate(rows):
        up = rows[i - 1] if i else np.zeros_like(row)
        left, corner = (np.concatenate([np.zeros(6, int), each[:-6]]) for each in (row, up))
        guess = left + up - corner
        distances = np.abs(guess - np.stack([left, up, corner]))
        nearest = np.choose(distances.argmin(0), [left, up, corner])
        taken = [np.zeros_like(row), left, up, (left + up) // 2, nearest][i % 5]
        lines.append(bytes([i % 5]) + ((row - taken) % 256).astype(np.uint8).tobytes())
    header = struct.pack(">IIBBBBB", pixels.shape[1], pixels.shape[0], 16, 2, 0, 0, 0)
    chunks = [(b"IHDR", header), (b"IDAT", zlib.compress(b"".join(lines))), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data)) for name, data in chunks
    )
