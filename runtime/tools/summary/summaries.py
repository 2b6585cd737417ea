"""The summaries: each is one op with an effect, which encodes its data and appends it to the writer's file."""

from __future__ import annotations

import io
import wave
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from autograph.errors import InvalidArgumentError, InvalidTypeError

from ...base import shapes
from ...base.dtypes import bool_, float32, float64, int64, string
from ...ir.effects import Effects
from ...ir.graph import Type
from ...ir.op import NOT_DIFFERENTIABLE, op
from ...ops.elementwise.elementwise import cast
from ...tensors import trace
from ...tensors.convert import convert_to_tensor
from .writer import SummaryWriter, is_recorded, library, local

if TYPE_CHECKING:
    from ...tensors.likes import TensorLike

__all__ = ["audio", "histogram", "image", "scalar", "text", "write"]

Encoder = Callable[[str, Any, str | None], Any]


def _write(data: object, step: Any, record: object, *, writer: SummaryWriter, tag: str, encode: Encoder,
           description: str | None) -> Any:  # fmt: skip
    if record:
        writer.write_event(step=int(step), summary=encode(tag, np.asarray(data), description))
    return np.bool_(record)


WRITE = op(
    "write_summary", gradient=NOT_DIFFERENTIABLE, infer=lambda *_, **__: Type(bool_, ()), numpy=_write,
    effects=Effects.WRITES, unsavable="write summaries outside of the saved function",
    doc="Appends the data under a tag to the writer's file where the third input is true; gives that input.",
)  # fmt: skip


def record_summary(name: str, data: object, step: TensorLike, encode: Encoder, description: str | None) -> Any:
    """Write a summary, or add the node that does; whether it was written, as a tensor."""
    record = is_recorded()
    if record is False:
        return _false()
    if step is None:
        step = local.step
    if step is None:
        raise InvalidArgumentError(
            "No step set. Please specify one either through the `step` argument or through "
            "tf.summary.experimental.set_step()"
        )
    if not isinstance(name, str):
        raise InvalidTypeError(f"the name of a summary is a string that is known while tracing, not {name!r}")
    attributes = {
        "writer": local.writer, "tag": trace.current_scope() + name, "encode": encode, "description": description,
    }  # fmt: skip
    step = cast(convert_to_tensor(step), int64)
    return trace.apply(WRITE, data, step, convert_to_tensor(record, bool_), name=name, **attributes)


def _false() -> Any:
    return convert_to_tensor(False)


def scalar(name: str, data: Any, step: Any = None, description: str | None = None) -> Any:
    """Write one number, a point of a curve.

    Parameters
    ----------
    name: the tag; the name scope goes in front of it.
    data: a real number or a tensor of shape ().
    step: an integer, on the curve's horizontal axis; left out: that of `experimental.set_step`.
    description: text in Markdown that TensorBoard shows beside the curve.

    Returns a bool tensor: whether it was written. Raises `ValueError` for another shape, or without a step.
    """
    data = cast(convert_to_tensor(data), float32)
    if not shapes.is_compatible(data.static_shape, ()):
        raise InvalidArgumentError(f"Expected scalar shape, saw shape: {data.shape}.")
    return record_summary(name, data, step, _scalar, description)


def _scalar(tag: str, data: object, description: str | None) -> Any:
    return library("plugins.scalar.summary_v2").scalar_pb(tag, data, description)


def histogram(name: str, data: object, step: Any = None, buckets: int | None = None,
              description: str | None = None) -> Any:  # fmt: skip
    """Write how the values of a tensor, of any shape, are distributed, in ``buckets`` (30) of equal width.

    Returns and raises as `scalar`.
    """
    data = cast(convert_to_tensor(data), float64)

    def encode(tag: str, data: object, description: str | None) -> Any:
        return library("plugins.histogram.summary_v2").histogram_pb(tag, data, buckets, description)

    return record_summary(name, data, step, encode, description)


def text(name: str, data: object, step: Any = None, description: str | None = None) -> Any:
    """Write text in Markdown: a string, or a tensor of strings, of which matrices are shown as tables.

    Returns and raises as `scalar`.
    """
    return record_summary(name, convert_to_tensor(data, string), step, _text, description)


def _text(tag: str, data: object, description: str | None) -> Any:
    return library("plugins.text.summary_v2").text_pb(tag, data, description)


def write(tag: str, tensor: object, step: Any = None, metadata: object = None, name: str | None = None) -> Any:
    """Write a tensor as it is; ``metadata``, a ``SummaryMetadata`` of TensorBoard, tells which plugin shows it.

    Returns and raises as `scalar`.
    """

    def encode(tag: str, data: object, description: str | None) -> Any:
        return _summary(tag, data, metadata)

    return record_summary(tag, convert_to_tensor(tensor), step, encode, None)


def image(name: str, data: object, step: Any = None, max_outputs: int = 3, description: str | None = None) -> Any:
    """Write pictures.

    Parameters
    ----------
    data: a tensor of shape (pictures, height, width, channels) with 1 to 4 channels: grey, grey and opacity, red,
        green and blue, the same and opacity. Floats from 0 to 1 (others are clipped), or uint8.
    max_outputs: how many of the pictures are written at most.

    Returns and raises as `scalar`; `ValueError` for another shape.
    """
    data = convert_to_tensor(data)
    if data.static_shape is not None and len(data.static_shape) != 4:
        raise InvalidArgumentError(f"tf.summary.image takes a tensor of rank 4, not one of shape {data.shape}")

    def encode(tag: str, data: Any, description: str | None) -> Any:
        height, width = data.shape[1:3]
        parts = [str(width).encode(), str(height).encode(), *map(_png, data[:max_outputs])]
        module = library("plugins.image.metadata")
        metadata = module.create_summary_metadata(display_name=None, description=description)
        return _summary(tag, np.array(parts, object), metadata)

    return record_summary(name, data, step, encode, description)


def _png(picture: np.ndarray[Any, Any]) -> bytes:
    from PIL import Image  # TensorBoard needs it too

    if picture.dtype.kind == "f":
        picture = np.clip(np.nan_to_num(picture) * 255 + 0.5, 0, 255)
    picture = picture.astype(np.uint8)
    if picture.shape[-1] not in (1, 2, 3, 4):
        raise InvalidArgumentError(f"a picture has 1 to 4 channels, not {picture.shape[-1]}")
    buffer = io.BytesIO()
    Image.fromarray(picture[..., 0] if picture.shape[-1] == 1 else picture).save(buffer, "PNG")
    return buffer.getvalue()


def audio(name: str, data: Any, sample_rate: int, step: Any = None, max_outputs: int = 3,
          encoding: str | None = None, description: str | None = None) -> Any:  # fmt: skip
    """Write sounds.

    Parameters
    ----------
    data: a float tensor of shape (sounds, frames, channels), from -1 to 1.
    sample_rate: frames a second.
    max_outputs: how many of the sounds are written at most.
    encoding: ``"wav"`` (16 bits), or left out.

    Returns and raises as `scalar`; `ValueError` for another shape or encoding.
    """
    if encoding not in (None, "wav"):
        raise InvalidArgumentError(f"Unknown encoding: {encoding!r}; use 'wav'")
    data = cast(convert_to_tensor(data), float32)
    if data.static_shape is not None and len(data.static_shape) != 3:
        raise InvalidArgumentError(f"tf.summary.audio takes a tensor of rank 3, not one of shape {data.shape}")

    def encode(tag: str, data: Any, description: str | None) -> Any:
        module = library("plugins.audio.metadata")
        metadata = module.create_summary_metadata(
            display_name=None, description=description, encoding=module.Encoding.Value("WAV"), converted_to_tensor=None
        )
        rows = [[_wav(sound, int(sample_rate)), b""] for sound in data[:max_outputs]]
        return _summary(tag, np.array(rows, object).reshape(-1, 2), metadata)

    return record_summary(name, data, step, encode, description)


def _wav(sound: np.ndarray[Any, Any], sample_rate: int) -> bytes:
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as file:
        file.setnchannels(sound.shape[1])
        file.setsampwidth(2)
        file.setframerate(sample_rate)
        file.writeframes(np.round(np.clip(sound, -1, 1) * 32767).astype("<i2").tobytes())
    return buffer.getvalue()


def _summary(tag: str, data: object, metadata: object) -> Any:
    """A ``Summary`` with one value."""
    summary = library("compat.proto.summary_pb2").Summary()
    tensor = library("util.tensor_util").make_tensor_proto(data)
    summary.value.add(tag=tag, tensor=tensor, metadata=metadata)
    return summary
