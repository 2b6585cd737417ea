"""Texts as rows of tokens, and of sequences of tokens, filled up with empty strings to one length."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...base.dtypes import string
from ...ir.kinds import INT, kinds, one_of, tuple_of
from ...ir.op import NOT_DIFFERENTIABLE, Type, op
from ...tensors.likes import TensorLike
from ..infer import exactly, require_kind
from ..kernels import samples as s

__all__ = ["tokens"]


def _row(text: Any, way: str) -> Any:
    """The tokens of a text, or of a row of them: without the empty strings that fill it up, if it is filled."""
    if way == "nothing":
        return list(text)
    if way == "filling":
        return text[: max((place + 1 for place, token in enumerate(text) if token), default=0)]
    if way == "whitespace":
        return text.split()
    return [character.encode() for character in text.decode("utf-8", "replace")]


def _ngrams(row: Sequence[bytes], widths: tuple[int, ...]) -> list[bytes]:
    return [b" ".join(row[at : at + width]) for width in widths for at in range(len(row) - width + 1)]


def _kernel(x: Any, way: str, widths: tuple[int, ...] = ()) -> Any:
    rows = [_row(row, way) for row in x.tolist()]
    rows = [_ngrams(row, widths) for row in rows] if widths else rows
    result = np.full((len(rows), max(map(len, rows), default=0)), b"", object)
    for place, row in enumerate(rows):
        result[place, : len(row)] = row
    return result


def _infer(x: Type, way: str, widths: tuple[int, ...] = ()) -> Type:
    require_kind(x, "S")
    exactly(x.shape, 2 if way in ("nothing", "filling") else 1, "the texts")
    return Type(string, (None if x.shape is None else x.shape[0], None))


tokens_op = op(
    "string_tokens", gradient=NOT_DIFFERENTIABLE, infer=_infer, numpy=_kernel,
    samples=lambda: [s.sample(["a b  c", "", " d"], way="whitespace"), s.sample(["héy", "x"], way="character"),
                     s.sample(["a b c", "d"], way="whitespace", widths=(1, 2)),
                     s.sample([["a", "b"], ["c", "d"]], way="nothing", widths=(2,)),
                     s.sample([["a", "b"], ["c", ""]], way="filling", widths=(2,)),
                     s.sample(np.empty(0, object), way="whitespace")],
    doc="The tokens of texts, in rows of one length.",
    attributes=kinds("", way=one_of("whitespace", "character", "nothing", "filling"),
                     widths=lambda value: tuple_of(INT)(value) and all(width > 0 for width in value)),
)  # fmt: skip


def tokens(texts: TensorLike, way: str, widths: tuple[int, ...] = ()) -> Any:
    """The tokens of texts (n,) in rows (n, longest), filled up with empty strings.

    Parts between white space, or characters; ``way="nothing"`` takes rows (n, m) of tokens, "filling" such rows that
    are filled up. With ``widths``, in place of tokens all sequences of so many, joined by spaces.

    Raises `InvalidArgumentError` for other shapes and dtypes.
    """
    return tokens_op(texts, way=way, widths=widths)
