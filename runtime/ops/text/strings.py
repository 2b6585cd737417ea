"""Strings: tensors of bytes. `tf.strings`, and what f-strings and `str()` of tensors become.

Functions that take an `encoding` work on bytes unless it is "utf-8" (or the unit is "UTF8_CHAR"), as in TensorFlow.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from autograph.errors import InvalidArgumentError

from ...base.dtypes import Array, DType, as_dtype, bool_, float32, int32, string
from ...base.shapes import broadcast
from ...ir.kinds import kinds
from ...ir.op import NOT_DIFFERENTIABLE, Type, op
from ...tensors.likes import DTypeLike, TensorLike
from ...tensors.tensor import Tensor
from ..host.host import fill_gaps
from ..infer import reduced, require, require_kind, text
from ..kernels import samples as s
from ..kernels.print_format import format_array
from ..reduce.reduce import axis_attribute

__all__ = [
    "as_string", "format", "join", "length", "lower", "reduce_join", "regex_full_match",
    "regex_replace",
    "split", "strip", "substr", "to_number", "upper",
]  # fmt: skip


def each(function: Callable[..., Any], *arrays: Any, dtype: DTypeLike = object) -> Any:
    """An array of what a function of bytes gives for the elements of arrays that broadcast."""
    arrays = tuple(np.asarray(x, object) if isinstance(x, bytes) else x for x in arrays)
    spread = np.broadcast_arrays(*arrays) if len(arrays) > 1 else arrays
    result = np.empty(np.shape(spread[0]), dtype)
    flat = result.reshape(-1)
    for i, values in enumerate(zip(*(np.asarray(x).reshape(-1).tolist() for x in spread), strict=True)):
        flat[i] = function(*values)
    return result


def _infer_text(*types: Type, **_: object) -> Type:
    for type_ in types:
        require_kind(type_, "S")
    return Type(string, broadcast(*[type_.shape for type_ in types]))


def _texts() -> list[Any]:
    return [s.sample(["aB", "", "  Ça va "]), s.sample("Héllo"), s.sample(np.empty((0, 2), object)),
            s.sample([["a"], ["bc"]])]


def _mapped(name: str, function: Callable[[bytes], bytes], unicode: Callable[[str], str], doc: str) -> Callable[...,
    Any]:
    def kernel(x: TensorLike, encoding: str = "") -> Any:
        if encoding == "utf-8":
            return each(lambda value: unicode(_decoded(value)).encode(), x)
        return each(function, x)

    record = op(f"string_{name}", gradient=NOT_DIFFERENTIABLE, infer=_infer_text, numpy=kernel, doc=doc,
                attributes=kinds("encoding"),
                samples=lambda: [*_texts(), *((inputs, {"encoding": "utf-8"}) for inputs, _ in _texts())])  # fmt: skip

    def public(input: TensorLike, encoding: str = "", name: str | None = None) -> Any:
        require(encoding in ("", "utf-8"), f'the encoding is "" or "utf-8", not {encoding!r}')
        return record(input, encoding=encoding, name=name)

    public.__name__ = public.__qualname__ = name
    public.__doc__ = (
        f'{doc} Other than ASCII letters count only with `encoding="utf-8"`.\n\n'
        "The shape stays. Raises `InvalidArgumentError` for another encoding and for other dtypes."
    )
    return public


def _decoded(value: bytes) -> str:
    return value.decode("utf-8", "surrogateescape")


lower = _mapped("lower", bytes.lower, str.lower, "Each string in lower case.")
upper = _mapped("upper", bytes.upper, str.upper, "Each string in upper case.")

strip_op = op("string_strip", gradient=NOT_DIFFERENTIABLE,
    infer=_infer_text, numpy=lambda x: each(bytes.strip, x), samples=_texts,
              doc="Each string without white space at its ends.")  # fmt: skip


def strip(input: TensorLike, name: str | None = None) -> Tensor:
    """Each string without white space at its ends; the shape stays. Other dtypes raise `InvalidArgumentError`."""
    return strip_op(input, name=name)


def _length(value: bytes, unit: str) -> int:
    return len(value) if unit == "BYTE" else len(value.decode("utf-8", "replace"))


length_op = op(
    "string_length", gradient=NOT_DIFFERENTIABLE, infer=lambda x, unit="BYTE": Type(int32, _infer_text(x).shape),
    numpy=lambda x, unit="BYTE": each(lambda value: _length(value, unit), x, dtype=np.int32),
    samples=lambda: [*_texts(), s.sample("Héllo", unit="UTF8_CHAR")],
    doc="The number of bytes, or characters, of each string.", attributes=kinds("unit"))  # fmt: skip


def length(input: TensorLike, unit: str = "BYTE", name: str | None = None) -> Tensor:
    """The number (int32) of bytes, or characters with `unit="UTF8_CHAR"`; other units raise `InvalidArgumentError`."""
    require(unit in ("BYTE", "UTF8_CHAR"), f"the unit is BYTE or UTF8_CHAR, not {unit!r}")
    return length_op(input, unit=unit, name=name)


join_op = op(
    "string_join", gradient=NOT_DIFFERENTIABLE, infer=lambda *types, separator="": _infer_text(*types),
    numpy=lambda *xs, separator="": each(lambda *values: separator.encode().join(values), *xs),
    samples=lambda: [s.sample(["a", "b"], "c", separator="-"), s.sample("a"), s.sample("a", "b", "c"),
                     s.sample([["a"]], ["b", "c"])],
    doc="The strings joined, element by element.", attributes=kinds("separator"),
)  # fmt: skip


def join(inputs: Sequence[Any], separator: str = "", name: str | None = None) -> Tensor:
    """The strings of several tensors, which broadcast, joined element by element with `separator` between.

    Raises `InvalidArgumentError` for no tensors, shapes that don't broadcast and other dtypes.
    """
    require(len(inputs) > 0, "join needs at least one tensor")
    return join_op(*inputs, separator=separator, name=name)


def _infer_reduce(
    x: Type, axis: int | Sequence[int] | None = None, keepdims: bool = False, separator: str = ""
) -> Type:
    require_kind(x, "S")
    return Type(string, reduced(x.shape, axis, keepdims))


def _reduce_join(x: Any, axis: Any = None, keepdims: bool = False, separator: str = "") -> Any:
    axes = tuple(range(x.ndim)) if axis is None else tuple(a % x.ndim for a in ((axis,) if isinstance(axis,
        int) else axis))
    kept = [i for i in range(x.ndim) if i not in axes]
    moved = x.transpose((*kept, *axes))
    shape = tuple(x.shape[i] for i in kept)
    count = int(np.prod(shape))
    rows = moved.reshape((count, -1)) if x.size else [[]] * count
    result = np.empty(shape, object)
    result.reshape(-1)[:] = [separator.encode().join(row) for row in rows]
    return result.reshape(tuple(1 if i in axes else n for i, n in enumerate(x.shape))) if keepdims else result


reduce_join_op = op(
    "string_reduce_join", gradient=NOT_DIFFERENTIABLE, infer=_infer_reduce, numpy=_reduce_join,
    samples=lambda: [s.sample([["a", "b"], ["c", "d"]], axis=0),
                     s.sample([["a", "b"]], axis=-1, separator=" ", keepdims=True), s.sample(["a", "b"]),
                     s.sample(np.empty((0, 2), object), axis=0), s.sample([["a", "b"], ["c", "d"]], axis=(1, 0))],
    doc="The strings over axes joined.", attributes=kinds("axis keepdims separator"),
)  # fmt: skip


def reduce_join(
    inputs: TensorLike, axis: object = None, keepdims: bool = False, separator: str = "", name: str | None = None
) -> Tensor:
    """The strings over `axis` (all by default) joined with `separator` between; `keepdims` keeps the axes as 1.

    In traces an axis that does not exist and other dtypes raise `InvalidArgumentError`.
    """
    return reduce_join_op(inputs, axis=axis_attribute(axis), keepdims=keepdims, separator=separator, name=name)


# Parts of strings.


def _substr(value: bytes, start: int, size: int, unit: str) -> bytes:
    whole: Any = value if unit == "BYTE" else _decoded(value)
    if not -len(whole) <= start <= len(whole):
        raise InvalidArgumentError(f"pos {start} out of range for string {value!r}")
    start = start + len(whole) if start < 0 else start
    part = whole[start : start + size]
    return part if isinstance(part, bytes) else part.encode("utf-8", "surrogateescape")


def _infer_substr(x: Type, start: Type, size: Type, unit: str = "BYTE") -> Type:
    require_kind(x, "S")
    require_kind(start, "iu", "pos")
    require_kind(size, "iu", "len")
    return Type(string, broadcast(x.shape, start.shape, size.shape))


substr_op = op(
    "string_substr", gradient=NOT_DIFFERENTIABLE, infer=_infer_substr, numpy=lambda x, start, size,
    unit="BYTE": each(lambda value, at, n: _substr(value, at, n, unit), x, start, size),
    samples=lambda: [s.sample("hello", 1, 3), s.sample(["abc", "héé"], [-2, 1], 2, unit="UTF8_CHAR"),
                     s.sample(np.empty(0, object), 0, 1)],
    raises=(InvalidArgumentError,),
    doc="The part of each string from a position, of a length.", attributes=kinds("unit"),
)  # fmt: skip


def substr(input: TensorLike, pos: object, len: object, unit: str = "BYTE", name: str | None = None) -> Tensor:
    """The part of each string from `pos` (from the end when negative) of at most `len` bytes or UTF8_CHARs.

    All broadcast. Raises `InvalidArgumentError` for a `pos` beyond a string, or one that is no integer.
    """
    return substr_op(input, pos, len, unit=unit, name=name)


def _infer_split(x: Type, sep: str | None = None, maxsplit: int = -1) -> Type:
    require_kind(x, "S")
    if x.shape not in (None, ()):
        raise InvalidArgumentError(
            f"the strings have shape {text(x.shape)}; their parts would be a ragged tensor: one is split",
            remedy="split them one by one: [tf.strings.split(each) for each in strings]",
        )
    return Type(string, (None,))


split_op = op(
    "string_split", gradient=NOT_DIFFERENTIABLE, infer=_infer_split,
    numpy=lambda x, sep=None, maxsplit=-1: _array_of(_scalar(x).split(sep.encode() if sep else None, maxsplit)),
    samples=lambda: [s.sample("a b  c"), s.sample("a,,b", sep=","), s.sample("a-b-c", sep="-", maxsplit=1),
                     s.sample("")],
    doc="The parts of one string between separators (white space without one).", attributes=kinds("sep maxsplit"),
)  # fmt: skip


def split(input: TensorLike, sep: str | None = None, maxsplit: int = -1, name: str | None = None) -> Tensor:
    """The parts of a single string between `sep` (white space without one), as a vector.

    A tensor of several strings would give rows of different lengths (TensorFlow: a ragged tensor): it raises
    `InvalidArgumentError`, as other dtypes do.
    """
    return split_op(input, sep=sep or None, maxsplit=int(maxsplit), name=name)


def _scalar(x: Tensor) -> Any:
    return x if isinstance(x, bytes) else x.reshape(())[()]


def _array_of(parts: list[bytes]) -> Any:
    result = np.empty(len(parts), object)
    result[:] = parts
    return result


@lru_cache(maxsize=256)
def _pattern(pattern: str) -> re.Pattern[bytes]:
    try:
        return re.compile(pattern.encode())
    except re.error as error:
        raise InvalidArgumentError(f"invalid pattern {pattern!r}: {error}") from None


def _infer_replace(x: Type, pattern: str, rewrite: str, count: int = 0) -> Type:
    groups = [int(number) for number in re.findall(r"\\(\d)", rewrite)]
    known = _pattern(pattern).groups
    require(max(groups, default=0) <= known, f"the rewrite {rewrite!r} wants a group that {pattern!r} does not have")
    return _infer_text(x)


def _replace(x: Array, pattern: str, rewrite: str, count: int = 0) -> Any:
    compiled, template = _pattern(pattern), re.sub(rb"\\(\d)", rb"\\g<\1>", rewrite.encode())
    try:
        return each(lambda value: compiled.sub(template, value, count), x)
    except re.error as error:
        raise InvalidArgumentError(f"invalid rewrite {rewrite!r}: {error}") from None


regex_replace_op = op(
    "string_regex_replace", gradient=NOT_DIFFERENTIABLE, infer=_infer_replace, numpy=_replace,
    samples=lambda: [s.sample(["aab", "b"], pattern="a+", rewrite=r"<\0>"),
                     s.sample("aaa", pattern="a", rewrite="b", count=1)],
    doc="Each string with the matches of a pattern rewritten.", attributes=kinds("pattern rewrite count"),
)  # fmt: skip


def regex_replace(
    input: TensorLike, pattern: str, rewrite: str, replace_global: bool = True, name: str | None = None
) -> Tensor:
    r"""Each string with the matches of `pattern` (or only the first one) replaced; `\1` in `rewrite` is a group.

    The shape stays. Patterns are Python's, which has all of TensorFlow's RE2 but a few classes; an invalid one raises
    `InvalidArgumentError`, as other dtypes do.
    """
    return regex_replace_op(input, pattern=pattern, rewrite=rewrite, count=0 if replace_global else 1, name=name)


full_match_op = op(
    "string_regex_full_match", gradient=NOT_DIFFERENTIABLE,
    infer=lambda x, pattern: Type(bool_, _infer_replace(x, pattern, "").shape),
    numpy=lambda x, pattern: each(lambda value: _pattern(pattern).fullmatch(value) is not None, x, dtype=np.bool_),
    samples=lambda: [s.sample(["aab", "b"], pattern="a+b"), s.sample("", pattern="")],
    doc="Whether a pattern matches the whole of each string.", attributes=kinds("pattern"),
)  # fmt: skip


def regex_full_match(input: TensorLike, pattern: str, name: str | None = None) -> Tensor:
    """Whether `pattern` matches the whole of each string: booleans in the same shape.

    Raises `InvalidArgumentError` for an invalid pattern and for other dtypes.
    """
    return full_match_op(input, pattern=pattern, name=name)


# Numbers to strings and back.


def _number(value: bytes, dtype: DType) -> Any:
    try:
        return dtype.numpy.type(int(value) if dtype.is_integer else float(value))
    except (ValueError, OverflowError):
        raise InvalidArgumentError(f"could not convert the string {value!r} to {dtype.name}") from None


to_number_op = op(
    "string_to_number", gradient=NOT_DIFFERENTIABLE, infer=lambda x, dtype: Type(dtype, _infer_text(x).shape),
    numpy=lambda x, dtype: each(lambda value: _number(value, dtype), x, dtype=dtype.numpy),
    samples=lambda: [s.sample(["1.5", "-2e3", "inf"], dtype=float32), s.sample("12", dtype=as_dtype("int64")),
                     s.sample(np.empty(0, object), dtype=int32)],
    doc="The numbers that the strings write.", raises=(InvalidArgumentError,), attributes=kinds("dtype"),
)  # fmt: skip


def to_number(input: TensorLike, out_type: DTypeLike = float32, name: str | None = None) -> Tensor:
    """The number that each string writes, as `out_type`; `InvalidArgumentError` where none is, or none that fits."""
    return to_number_op(input, dtype=as_dtype(out_type), name=name)


def _as_string(value: Tensor, spec: str) -> bytes:
    if isinstance(value, bool):
        shown = "true" if value else "false"
    elif isinstance(value, complex):
        shown = f"({value.real:{spec}},{value.imag:{spec}})"
    else:
        shown = f"{value:{spec}}" if isinstance(value, float) else str(value)
    return shown.encode()


as_string_op = op(
    "as_string", gradient=NOT_DIFFERENTIABLE, infer=lambda x, spec, width="": Type(string, x.shape),
    numpy=lambda x, spec, width="": x if x.dtype == object else each(
        lambda value: f"{_as_string(value, spec).decode():{width}}".encode(), x),
    samples=lambda: [s.sample([1.5, -2.0], spec=".6f"), s.sample([1, -2], spec=""), s.sample([True, False], spec=""),
                     s.sample(s.COMPLEX, spec=".2f"),
                     s.sample(np.zeros(0), spec=".6f"), s.sample(5, spec="", width="0>4"), s.sample("a", spec="")],
    doc="The elements written as strings.", attributes=kinds("spec width"),
)  # fmt: skip


def as_string(
    input: TensorLike, precision: int = -1, scientific: bool = False, shortest: bool = False, width: int = -1,
    fill: str = "", name: str | None = None,
) -> Tensor:  # fmt: skip
    """Each element as text: floats with six decimals or `precision`, with exponent if `scientific`, or short.

    Takes any dtype; the shape stays. Raises `InvalidArgumentError` for both `scientific` and `shortest`.
    """
    require(not (scientific and shortest), "as_string is either scientific or shortest")
    digits = "" if precision < 0 else f".{precision}"
    spec = f"{digits}g" if shortest else f"{digits or '.6'}e" if scientific else f"{digits or '.6'}f"
    return as_string_op(input, spec=spec, width=f"{fill or ' '}>{width}" if width > 0 else "", name=name)


def _format(*arrays: Array, pieces: tuple[str, ...], summarize: int = 3) -> Any:
    shown = [format_array(np.asarray(array), summarize) for array in arrays]
    return (pieces[0] + "".join(a + b for a, b in zip(shown, pieces[1:], strict=True))).encode()


format_op = op(
    "string_format", gradient=NOT_DIFFERENTIABLE,
    infer=lambda *types, pieces, summarize=3: Type(string, ()), numpy=_format,
    samples=lambda: [s.sample([1, 2, 3], pieces=("x: ", "")), s.sample(0.5, "a", pieces=("", " and ", ".")),
                     s.sample(pieces=("a",))],
    doc="A text with tensors written into it.", attributes=kinds("pieces summarize"), fits=fill_gaps,
)  # fmt: skip


def format(
    template: str, inputs: TensorLike, placeholder: str = "{}", summarize: int = 3, name: str | None = None
) -> Tensor:
    """`template` with each placeholder replaced by a tensor, written as `tf.print` writes it: a single string.

    Raises `InvalidArgumentError` unless there are as many placeholders as tensors.
    """
    values = inputs if isinstance(inputs, list | tuple) else [inputs]
    pieces = tuple(template.split(placeholder))
    require(len(pieces) == len(values) + 1, f"{len(pieces) - 1} placeholders for {len(values)} tensors")
    return format_op(*values, pieces=pieces, summarize=int(summarize), name=name)
