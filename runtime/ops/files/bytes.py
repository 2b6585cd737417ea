"""Strings of bytes as numbers (`decode_raw`), and as text that travels everywhere (base 64)."""

from __future__ import annotations

import base64
import binascii
from typing import TYPE_CHECKING, Any

import numpy as np

from autograph.errors import InvalidArgumentError

from ...base.dtypes import Array, DType, as_dtype, string, uint8
from ...base.shapes import Shape
from ...ir.graph import Type
from ...ir.kinds import BOOL, INT, kinds, optional
from ...ir.op import NOT_DIFFERENTIABLE, op
from ...tensors.likes import DTypeLike, TensorLike
from ..infer import require, require_kind
from ..kernels import samples as s
from ..text.strings import each

if TYPE_CHECKING:
    from ...tensors.tensor import Tensor

__all__ = ["decode_base64", "decode_raw", "encode_base64"]


def _shape(x: Type, size: int | None) -> Shape:
    return None if x.shape is None else (*x.shape, size)


def _infer_raw(x: Type, dtype: DType, little_endian: bool = True, fixed_length: int | None = None) -> Type:
    require_kind(x, "S")
    require(dtype.kind in "biufc", f"bytes are no numbers of {dtype.name}")
    if fixed_length is None:
        return Type(dtype, _shape(x, None))
    size = dtype.numpy.itemsize
    require(fixed_length > 0 and fixed_length % size == 0,
            f"fixed_length ({fixed_length}) must be a multiple of the size of out_type ({size})")  # fmt: skip
    return Type(dtype, _shape(x, fixed_length // size))


def _raw(x: Any, dtype: DType, little_endian: bool = True, fixed_length: int | None = None) -> Array:
    strings = np.asarray(x, object)
    flat = strings.reshape(-1).tolist()
    size, item = fixed_length, np.dtype(dtype.numpy)
    if size is None:
        size = len(flat[0]) if flat else 0
        for value in flat:
            require(len(value) == size, "DecodeRaw requires input strings to all be the same size, but one has size "
                    f"{len(value)} and another {size}")  # fmt: skip
        require(size % item.itemsize == 0,
                f"Input to DecodeRaw has length {size} that is not a multiple of {item.itemsize}, the size of "
                f"{dtype.name}")  # fmt: skip
    joined = b"".join([value[:size].ljust(size, b"\0") for value in flat])
    found = np.frombuffer(joined, item.newbyteorder("<" if little_endian else ">")).astype(item)
    return found.reshape((*strings.shape, size // item.itemsize))


DECODE_RAW = op("decode_raw", gradient=NOT_DIFFERENTIABLE, infer=_infer_raw, numpy=_raw, fresh=True,
                samples=lambda: [s.sample("abcd", dtype=uint8), s.sample(["ab", "cd"], dtype=as_dtype("int16")),
                                 s.sample([["ab"], ["c"]], dtype=as_dtype("uint16"), little_endian=False,
                                          fixed_length=4),
                                 s.sample(np.empty((0, 2), object), dtype=uint8)],
                raises=(InvalidArgumentError,), doc="The numbers whose bytes strings are.",
                attributes=kinds("dtype", little_endian=BOOL, fixed_length=optional(INT)))  # fmt: skip


def decode_raw(
    input_bytes: TensorLike, out_type: DTypeLike, little_endian: bool = True, fixed_length: int | None = None,
    name: str | None = None
) -> Tensor:  # fmt: skip
    """The numbers (``out_type``) whose bytes strings are: (...) strings to (..., n).

    With ``fixed_length`` each string is cut off or filled up with zeros to so many bytes; else all must be of one
    length. Raises `InvalidArgumentError` for other lengths, and for those that ``out_type`` does not divide.
    """
    return DECODE_RAW(input_bytes, dtype=as_dtype(out_type), little_endian=bool(little_endian),
                      fixed_length=fixed_length, name=name)  # fmt: skip


def _infer_strings(x: Type, **_: object) -> Type:
    require_kind(x, "S")
    return Type(string, x.shape)


def _encoded(value: bytes, pad: bool) -> bytes:
    found = base64.urlsafe_b64encode(value)
    return found if pad else found.rstrip(b"=")


ENCODE_BASE64 = op("encode_base64", gradient=NOT_DIFFERENTIABLE, infer=_infer_strings,
                   numpy=lambda x, pad=False: each(lambda value: _encoded(value, pad), x),
                   samples=lambda: [s.sample(["a", "", "Héllo?"]), s.sample("abcd", pad=True)],
                   doc="Each string in base 64, in the letters for addresses.",
                   attributes=kinds("", pad=BOOL))  # fmt: skip


def encode_base64(input: TensorLike, pad: bool = False, name: str | None = None) -> Tensor:
    """Each string in base 64 with ``-`` and ``_`` (RFC 4648, 5); ``pad`` fills up with ``=``. The shape stays."""
    return ENCODE_BASE64(input, pad=bool(pad), name=name)


_LETTERS = bytes.maketrans(b"-_+/", b"+/-_")


def _decoded(value: bytes) -> bytes:
    filled = value if b"=" in value else value + b"=" * (-len(value) % 4)
    try:
        return binascii.a2b_base64(filled.translate(_LETTERS), strict_mode=True)
    except binascii.Error:
        raise InvalidArgumentError(f"Invalid character found in base64, or a wrong length: {value!r}") from None


DECODE_BASE64 = op("decode_base64", gradient=NOT_DIFFERENTIABLE, infer=_infer_strings,
                   numpy=lambda x: each(_decoded, x), raises=(InvalidArgumentError,),
                   samples=lambda: [s.sample(["YQ", "", "SMOpbGxvPw"]), s.sample("YWJjZA==")],
                   doc="The bytes that strings in base 64 write.")  # fmt: skip


def decode_base64(input: TensorLike, name: str | None = None) -> Tensor:
    """The bytes that each string in base 64 writes, with or without ``=`` at the end. The shape stays.

    Raises `InvalidArgumentError` for other strings.
    """
    return DECODE_BASE64(input, name=name)
