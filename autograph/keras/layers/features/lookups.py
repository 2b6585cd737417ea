"""`StringLookup` and `IntegerLookup`: tokens as indices of a vocabulary."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from autograph.errors import InvalidArgumentError

from .index_lookup import IndexLookup

if TYPE_CHECKING:
    from autograph.runtime.tensors.likes import TensorLike

__all__ = ["IntegerLookup", "StringLookup"]


class StringLookup(IndexLookup):
    """Strings as their indices (int64) in a vocabulary, or as vectors of categories; with ``invert`` back.

    Parameters
    ----------
    max_tokens: the greatest size of the vocabulary, special tokens among it.
    num_oov_indices: how many indices there are for unknown strings, which are spread over them by a hash; 0 to refuse
        them.
    mask_token: what gets the index 0 in the mode "int", and counts as nothing in the others.
    oov_token: what stands for unknown strings in the vocabulary.
    vocabulary: a list, array or tensor of strings, or the path of a file; or else `adapt` finds it.
    idf_weights: for the mode "tf_idf" with a vocabulary.
    output_mode: "int", "one_hot", "multi_hot", "count" or "tf_idf", as in `CategoryEncoding`.
    pad_to_max_tokens: whether vectors have ``max_tokens`` elements, whatever the vocabulary.
    encoding: "utf-8".
    salt: one or two integers, for a hash that nobody foresees.

    Raises `ValueError` for arguments that contradict one another.
    """

    def __init__(
        self,
        max_tokens: int | None = None,
        num_oov_indices: int = 1,
        mask_token: str | None = None,
        oov_token: str | None = "[UNK]",
        vocabulary: TensorLike | None = None,
        idf_weights: TensorLike | None = None,
        invert: bool = False,
        output_mode: str = "int",
        pad_to_max_tokens: bool = False,
        sparse: bool = False,
        encoding: str = "utf-8",
        name: str | None = None,
        salt: int | Sequence[int] | None = None,
        **kwargs: Any,
    ) -> None:
        self.encoding = encoding
        super().__init__(
            max_tokens, num_oov_indices, mask_token, oov_token, "string", vocabulary, idf_weights, invert, output_mode,
            sparse, pad_to_max_tokens, name=name, salt=salt, **kwargs
        )  # fmt: skip

    def get_config(self) -> dict[str, Any]:
        config = {**super().get_config(), "encoding": self.encoding}
        del config["vocabulary_dtype"]
        return config


class IntegerLookup(IndexLookup):
    """Integers as their indices (int64) in a vocabulary, or as vectors of categories; with ``invert`` back.

    Parameters are those of `StringLookup`, and ``oov_method``: unknown integers are spread over several indices by
    their remainder ("floormod") or by a hash ("farmhash", which may have a ``salt``).

    Raises `ValueError` for arguments that contradict one another, and for another ``vocabulary_dtype`` than "int64".
    """

    def __init__(
        self,
        max_tokens: int | None = None,
        num_oov_indices: int = 1,
        mask_token: int | None = None,
        oov_token: int | None = -1,
        vocabulary: TensorLike | None = None,
        vocabulary_dtype: str = "int64",
        idf_weights: TensorLike | None = None,
        invert: bool = False,
        output_mode: str = "int",
        sparse: bool = False,
        pad_to_max_tokens: bool = False,
        oov_method: str = "floormod",
        salt: int | Sequence[int] | None = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        if vocabulary_dtype != "int64":
            raise InvalidArgumentError(
                "Only `vocabulary_dtype='int64'` is supported at this time. "
                f"Received: vocabulary_dtype={vocabulary_dtype}"
            )
        super().__init__(
            max_tokens, num_oov_indices, mask_token, oov_token, vocabulary_dtype, vocabulary, idf_weights, invert,
            output_mode, sparse, pad_to_max_tokens, oov_method, name, salt, **kwargs
        )  # fmt: skip
