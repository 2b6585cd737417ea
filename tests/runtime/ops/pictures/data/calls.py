"""What TensorFlow and autograph are compared by: pictures in files' formats, and how they are read."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterator
from typing import Any

import numpy as np

ARRAY = np.random.RandomState(0).randint(0, 256, (3, 4, 3)).astype(np.uint8)
SMOOTH = (np.add.outer(np.arange(6) * 20, np.arange(9) * 14)[..., None] + np.array([0, 9, 30])).clip(0, 255)
DECODERS = {
    "decode_png": [{"channels": channels} for channels in (0, 1, 3, 4)] + [{"dtype": "uint16"}],
    "decode_jpeg": [{"channels": channels} for channels in (0, 1, 3)] + [{"ratio": 2}],
    "decode_gif": [{}],
    "decode_bmp": [{"channels": channels} for channels in (0, 3, 4)],
    "decode_image": [{}, {"channels": 3}, {"channels": 4, "expand_animations": False}, {"dtype": "uint16"},
                     {"dtype": "float32", "expand_animations": False}],
    "extract_jpeg_shape": [{}],
    "is_jpeg": [{}],
}  # fmt: skip
ENCODED = [("encode_png", ARRAY, {}), ("encode_png", np.stack([ARRAY, 255 - ARRAY]), {"compression": 3}),
           ("encode_png", ARRAY[..., :2].astype(np.uint16) * 201, {}), ("encode_jpeg", ARRAY, {"quality": 60}),
           ("encode_jpeg", ARRAY[..., :1], {"progressive": True}),
           ("encode_jpeg", ARRAY, {"chroma_downsampling": False})]  # fmt: skip


def made() -> dict[str, str]:
    """The files, in base 64, as Pillow writes them."""
    from PIL import Image

    def saved(image: Any, format: str, **options: Any) -> str:
        file = io.BytesIO()
        image.save(file, format, **options)
        return base64.b64encode(file.getvalue()).decode()

    image = Image.fromarray(ARRAY)
    grey, smooth = image.convert("L"), Image.fromarray(SMOOTH.astype(np.uint8))
    frames = [Image.fromarray(np.full((6, 6), 1, np.uint8), "P") for _ in range(3)]
    for i, frame in enumerate(frames):
        frame.putpalette([10, 20, 30, 255, 0, 0, 0, 255, 0])
        frame.putdata([2 if (k // 6, k % 6) == (i, i) else 0 for k in range(36)])
    options: dict[str, Any] = {"save_all": True, "append_images": frames[1:]}
    wide = Image.fromarray(np.arange(12).reshape(3, 4).astype(np.uint16) * 5001)
    return {
        "png": saved(image, "PNG"), "png with alpha": saved(image.convert("RGBA"), "PNG"),
        "grey png": saved(grey, "PNG"), "grey png with alpha": saved(grey.convert("LA"), "PNG"),
        "png with a palette": saved(image.convert("P"), "PNG"), "small palette": saved(image.quantize(10), "PNG"),
        "palette with alpha": saved(image.convert("P"), "PNG", transparency=3),
        "png with a clear colour": saved(image, "PNG", transparency=tuple(map(int, ARRAY[0, 0]))),
        "png of bits": saved(image.convert("1"), "PNG"), "png of 16 bits": saved(wide, "PNG"),
        "jpeg": saved(smooth, "JPEG"), "grey jpeg": saved(smooth.convert("L"), "JPEG"),
        "jpeg for print": saved(smooth.convert("CMYK"), "JPEG"), "bmp": saved(image, "BMP"),
        "grey bmp": saved(grey, "BMP"), "bmp with alpha": saved(image.convert("RGBA"), "BMP"),
        "bmp of bits": saved(image.convert("1"), "BMP"), "webp": saved(image, "WEBP", lossless=True),
        "gif": saved(image, "GIF"), "gif with frames": saved(frames[0], "GIF", **options),
        "gif with clear pixels": saved(frames[0], "GIF", transparency=0, disposal=1, **options),
        "text": base64.b64encode(b"some text").decode(), "nothing": "",
    }  # fmt: skip


def plain(call: Any) -> Any:
    """Dtype, shape and elements; of an error its class."""
    try:
        found = call()
    except Exception as error:
        return type(error).__name__
    array = np.asarray(found)
    return [array.dtype.name, list(array.shape), array.reshape(-1).tolist()]


def results(tf: Any, files: dict[str, str]) -> Iterator[tuple[str, Any]]:
    """What a library gives for all calls."""
    for function, ways in DECODERS.items():
        for name, file in files.items():
            for way in ways:
                if name == "webp" and (function != "decode_image" or "dtype" in way):
                    continue  # TensorFlow gives rank 4 where it says 3, and no other dtypes
                options = dict(way, dct_method="INTEGER_ACCURATE") if function == "decode_jpeg" else way
                data = base64.b64decode(file)
                yield f"{function} {way} of {name}", plain(lambda: getattr(tf.io, function)(data, **options))
    for i, (function, array, way) in enumerate(ENCODED):
        encoded = getattr(tf.io, function)(array, **way)
        for each in np.asarray(encoded.numpy(), object).reshape(-1).tolist():
            options = {"dct_method": "INTEGER_ACCURATE"} if function == "encode_jpeg" else {"dtype": array.dtype}
            decode = tf.io.decode_jpeg if function == "encode_jpeg" else tf.io.decode_png
            yield f"{i}: {function} {way}", plain(lambda: decode(each, **options))
