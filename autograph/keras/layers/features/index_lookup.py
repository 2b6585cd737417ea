"""What `StringLookup` and `IntegerLookup` share: a table from tokens to indices, or back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from autograph.errors import FailedPreconditionError, InvalidArgumentError
from autograph.runtime.base.dtypes import as_dtype
from autograph.runtime.ops.elementwise.elementwise import cast, where
from autograph.runtime.ops.elementwise.math import equal, floormod, logical_and, maximum, minimum, not_equal
from autograph.runtime.ops.host.assert_true import Assert
from autograph.runtime.ops.reduce.reduce import reduce_all
from autograph.runtime.ops.shape.create import fill, zeros_like
from autograph.runtime.ops.shape.gather import boolean_mask, gather
from autograph.runtime.ops.shape.shape import shape
from autograph.runtime.ops.shape.sort import searchsorted
from autograph.runtime.ops.text.hashing import to_hash_bucket_fast, to_hash_bucket_strong
from autograph.runtime.ops.text.strings import as_string

from .base import OLD_MODES, FeatureLayer, batches_of, check_dense, check_mode, is_whole, salt_of
from .categories import encoded
from .vocabulary import Vocabulary, inverse_document_frequencies, listed

if TYPE_CHECKING:
    from autograph.runtime.tensors.likes import TensorLike
    from autograph.runtime.tensors.tensor import Tensor

__all__ = ["IndexLookup"]

_NOWHERE = np.iinfo(np.int64).max


class IndexLookup(FeatureLayer):
    """The base of lookup layers; ``vocabulary_dtype`` is that of tokens: "string" or "int64".

    Index 0 is that of the mask token, if there is one and the mode is "int"; then come those of tokens that are not in
    the vocabulary, then the vocabulary.
    """

    def __init__(
        self,
        max_tokens: int | None,
        num_oov_indices: int,
        mask_token: str | int | None,
        oov_token: str | int | None,
        vocabulary_dtype: str,
        vocabulary: TensorLike | None = None,
        idf_weights: TensorLike | None = None,
        invert: bool = False,
        output_mode: str = "int",
        sparse: bool = False,
        pad_to_max_tokens: bool = False,
        oov_method: str = "floormod",
        name: str | None = None,
        salt: int | Sequence[int] | None = None,
        *,
        vocabulary_size: int | None = None,
        has_input_vocabulary: bool | None = None,
        **kwargs: Any,
    ) -> None:
        for ignored in ("dtype", "trainable"):
            kwargs.pop(ignored, None)
        super().__init__(name=name, **kwargs)
        output_mode = OLD_MODES.get(output_mode, output_mode)
        check_mode(self, output_mode, ("int", "one_hot", "multi_hot", "count", "tf_idf"))
        check_dense(sparse)
        self.max_tokens, self.pad_to_max_tokens = max_tokens, pad_to_max_tokens
        self.num_oov_indices, self.mask_token, self.oov_token = num_oov_indices, mask_token, oov_token
        self.output_mode, self.invert, self.sparse = output_mode, invert, sparse
        self.vocabulary_dtype, self.oov_method, self.salt = vocabulary_dtype, oov_method, salt_of(self, salt)
        self._check_arguments(idf_weights, vocabulary)
        self._frozen_size = vocabulary_size
        self._given = vocabulary is not None if has_input_vocabulary is None else has_input_vocabulary
        self.input_vocabulary = None if isinstance(vocabulary, str) else vocabulary
        self.input_idf_weights = idf_weights
        self.idf_weights: TensorLike | None = None
        self.tokens = Vocabulary([], vocabulary_dtype)
        self.reset_state()
        self.built = True
        if vocabulary is not None:
            self.set_vocabulary(vocabulary, idf_weights)
        elif output_mode == "tf_idf" and vocabulary_size is not None:
            # They come with `set_assets`; until then outputs have a shape, and no values that could be taken for true.
            self.idf_weights = np.full(self._depth, np.nan, np.float32)

    def _check_arguments(self, idf_weights: Any, vocabulary: Any) -> None:
        if self.max_tokens is not None and self.max_tokens <= 1:
            raise InvalidArgumentError(
                f"If set, `max_tokens` must be greater than 1. Received: max_tokens={self.max_tokens}"
            )
        if self.pad_to_max_tokens and self.max_tokens is None:
            raise InvalidArgumentError(
                f"If pad_to_max_tokens is True, must set `max_tokens`. Received: max_tokens={self.max_tokens}"
            )
        if self.num_oov_indices < 0:
            raise InvalidArgumentError(
                "`num_oov_indices` must be greater than or equal to 0. "
                f"Received: num_oov_indices={self.num_oov_indices}"
            )
        if self.oov_method not in ("floormod", "farmhash"):
            raise InvalidArgumentError(
                f"`oov_method` must be 'floormod' or 'farmhash'. Received: oov_method={self.oov_method}"
            )
        if self.salt is not None and self.vocabulary_dtype != "string" and self.oov_method != "farmhash":
            raise InvalidArgumentError(
                f"`salt` can only be used when `oov_method='farmhash'`. Received: oov_method={self.oov_method}"
            )
        if self.invert and self.output_mode != "int":
            raise InvalidArgumentError(
                f"`output_mode` must be `'int'` when `invert` is true. Received: output_mode={self.output_mode}"
            )
        if (self.output_mode == "tf_idf" and vocabulary is not None) != (idf_weights is not None):
            raise InvalidArgumentError(
                "`idf_weights` should be set if `output_mode` is `'tf_idf'` and there is a vocabulary, and only then. "
                f"Received: idf_weights={idf_weights} and output_mode={self.output_mode}"
            )

    # The vocabulary

    @property
    def _oov_start(self) -> int:
        return 1 if self.mask_token is not None and self.output_mode == "int" else 0

    @property
    def _token_start(self) -> int:
        return self._oov_start + self.num_oov_indices

    @property
    def _depth(self) -> Any:
        """The length of vectors."""
        return self.max_tokens if self.pad_to_max_tokens else self._frozen_size

    def get_vocabulary(self, include_special_tokens: bool = True) -> list[Any]:
        """The tokens in the order of their indices; with those for masks and unknown tokens, or without."""
        special = [self.mask_token] * self._oov_start + [self.oov_token] * self.num_oov_indices
        return [*(special if include_special_tokens else []), *self.tokens.values]

    def vocabulary_size(self) -> int:
        """The number of indices, those for masks and unknown tokens among them."""
        return self._token_start + len(self.tokens.values)

    def set_vocabulary(self, vocabulary: Any, idf_weights: TensorLike | None = None) -> None:
        """Take tokens for the vocabulary in place of those it has.

        ``vocabulary``: a list, array or tensor of tokens, with the special ones in front or without; or the path of a
        file with a token in each line. ``idf_weights``: a weight for each, for the mode "tf_idf".

        Raises `ValueError` for an empty vocabulary, for one with repeated or reserved tokens or more than
        ``max_tokens``, for weights of another number, and for missing ones; `RuntimeError` for another size than
        before, where that of outputs depends on it.
        """
        if (self.output_mode == "tf_idf") != (idf_weights is not None):
            raise InvalidArgumentError(
                "`idf_weights` must be set if output_mode is `'tf_idf'`, and only then. "
                f"Received: output_mode={self.output_mode} and idf_weights={idf_weights!r}"
            )
        values = listed(vocabulary, self.vocabulary_dtype)
        special = [self.mask_token] * self._oov_start + [self.oov_token] * self.num_oov_indices
        has_special = values[: self._token_start] == special
        tokens = values[self._token_start :] if has_special else values
        self._check_vocabulary(values, tokens, special)
        self._freeze(tokens)
        if idf_weights is not None:
            self._set_weights(np.asarray(idf_weights), len(values), 0 if has_special else self._token_start)

    def _check_vocabulary(self, values: list[Any], tokens: list[Any], special: list[Any]) -> None:
        if not values:
            raise InvalidArgumentError(f"Cannot set an empty vocabulary. Received: vocabulary={values}")
        repeated = [token for token, count in Counter(tokens).items() if count > 1]
        if repeated:
            raise InvalidArgumentError(
                "The passed vocabulary has at least one repeated term. Please uniquify your dataset. The repeated "
                f"terms are: {repeated}"
            )
        reserved = [self.mask_token] + [self.oov_token] * self.invert
        found = [token for token in reserved if token is not None and token in tokens]
        if found:
            raise InvalidArgumentError(
                f"Found the reserved token {found[0]!r} at an unexpected location in `vocabulary`. Note that passed "
                "`vocabulary` does not need to include the OOV and mask tokens. Either remove all mask and OOV tokens, "
                f"or include them only at the start of the vocabulary in precisely this order: {special}."
            )
        size = self._token_start + len(tokens)
        if self.max_tokens is not None and size > self.max_tokens:
            raise InvalidArgumentError(
                "Attempted to set a vocabulary larger than the maximum vocab size. Received vocabulary size is "
                f"{size}; `max_tokens` is {self.max_tokens}."
            )

    def _freeze(self, tokens: list[Any]) -> None:
        """Take tokens; their number stays where the outputs' shape depends on it."""
        size = self._token_start + len(tokens)
        fixed = self.output_mode != "int" and not self.pad_to_max_tokens
        if fixed and self._frozen_size not in (None, size):
            raise FailedPreconditionError(
                f"When using `output_mode={self.output_mode}` and `pad_to_max_tokens=False`, the vocabulary size "
                f"cannot be changed. Old vocab size is {self._frozen_size}, new vocab size is {size}"
            )
        self.tokens = Vocabulary(tokens, self.vocabulary_dtype)
        self._frozen_size = size

    def _set_weights(self, weights: Any, count: int, front: int) -> None:
        """Keep the weights of as many tokens, in front of them their mean, behind them zeros."""
        if weights.shape != (count,):
            raise InvalidArgumentError(
                f"`idf_weights` must be the same length as vocabulary. The shape of idf_weights is {weights.shape}; "
                f"len(vocabulary) is {count}"
            )
        weights = np.concatenate([np.full(front, np.average(weights)), weights])
        back = self.max_tokens - len(weights) if self.pad_to_max_tokens and self.max_tokens is not None else 0
        self.idf_weights = np.pad(weights, (0, back)).astype(np.float32)

    # Learning it

    def adapt(self, data: Any, steps: int | None = None) -> None:
        """Set the vocabulary to the tokens of data: the most frequent first, of equals the greatest.

        ``data``: a list, array or tensor, of samples; or batches: a dataset, of which ``steps`` are read, or an
        iterable. Raises `ValueError` for a layer that was given its vocabulary.
        """
        self.reset_state()
        if is_whole(data) or isinstance(data, (list, tuple)):
            array = _as_array(data)
            self.update_state(array[:, None] if array.ndim == 1 else array)
        else:
            for batch in batches_of(data, steps):
                self.update_state(batch)
        self.finalize_state()

    def reset_state(self) -> None:
        """Forget the data seen, and keep the vocabulary."""
        self._counts: Counter[Any] = Counter()
        self._documents: Counter[Any] = Counter()
        self._document_count = 0

    def update_state(self, data: Any) -> None:
        """See more data: (samples, tokens), or the tokens of one sample. Raises `ValueError` as `adapt`."""
        if self._given:
            raise InvalidArgumentError(
                f"Cannot adapt layer '{self.name}' after setting a static vocabulary via `vocabulary` argument or "
                "`set_vocabulary()` method."
            )
        array = _as_array(data)
        rows = listed(array, self.vocabulary_dtype) if array.ndim < 2 else None
        for row in array if rows is None else [rows]:
            tokens = listed(row, self.vocabulary_dtype)
            self._counts.update(tokens)
            if self.output_mode == "tf_idf":
                self._documents.update(set(tokens))
                self._document_count += 1

    def finalize_state(self) -> None:
        """Set the vocabulary to that of the data seen."""
        for token in (self.mask_token, self.oov_token):
            self._counts.pop(token, None)
        if self._given or not self._counts:
            self._freeze(self.tokens.values)
            return
        tokens = sorted(self._counts, key=lambda token: (self._counts[token], _order(token)), reverse=True)
        tokens = tokens[: None if self.max_tokens is None else self.max_tokens - self._token_start]
        self._freeze(tokens)
        if self.output_mode == "tf_idf":
            weights = inverse_document_frequencies([self._documents[token] for token in tokens], self._document_count)
            self._set_weights(weights, len(tokens), self._token_start)
        self.reset_state()

    # Using it

    def call(self, inputs: Tensor) -> Any:
        """The indices (int64) of tokens, in their shape, or vectors; with ``invert`` the tokens of indices.

        Raises `ValueError` for unknown tokens where there is no index for them, `RuntimeError` for a layer without a
        vocabulary where the shape of outputs depends on it.
        """
        if self.output_mode != "int" and not self.pad_to_max_tokens and self._frozen_size is None:
            raise FailedPreconditionError(
                f"When using `output_mode={self.output_mode}` and `pad_to_max_tokens=False`, you must set the layer's "
                "vocabulary before calling it. Either pass a `vocabulary` argument to the layer, or call `adapt` with "
                "some sample data."
            )
        inputs = self._in_key_dtype(inputs)
        found = self._tokens_of(inputs) if self.invert else self._indices_of(inputs)
        if self.output_mode == "int":
            return found
        if self.output_mode != "tf_idf":
            return encoded(found, self.output_mode, self._depth, "int64")
        if self.idf_weights is None:
            raise InvalidArgumentError("When `output_mode` is `'tf_idf'`, `idf_weights` must be provided.")
        return encoded(found, "count", self._depth, "float32") * self.idf_weights

    def _in_key_dtype(self, inputs: Tensor) -> Any:
        wanted = as_dtype("int64" if self.invert else self.vocabulary_dtype)
        return inputs if inputs.dtype is wanted else cast(inputs, wanted)

    def _tokens_of(self, indices: Any) -> Any:
        tokens = self.tokens.array
        places = indices - self._token_start
        inside = logical_and(places >= 0, places < len(tokens))
        default = _scalar(self.oov_token)
        found = fill(shape(indices), default)
        if len(tokens):
            found = where(inside, gather(tokens, minimum(maximum(places, 0), len(tokens) - 1)), found)
        return found if self.mask_token is None else where(equal(indices, 0), _scalar(self.mask_token), found)

    def _indices_of(self, tokens: Any) -> Any:
        default = self._oov_start if self.num_oov_indices == 1 else -1
        found = zeros_like(tokens, "int64") + default
        if len(self.tokens.sorted):
            places = minimum(searchsorted(self.tokens.sorted, tokens, out_type="int64"), len(self.tokens.sorted) - 1)
            known = equal(gather(self.tokens.sorted, places), tokens)
            found = where(known, gather(self.tokens.order, places) + self._token_start, found)
        if self.mask_token is not None:
            mask = 0 if self.output_mode == "int" else _NOWHERE
            found = where(equal(tokens, _scalar(self.mask_token)), np.int64(mask), found)
        if self.num_oov_indices == 0:
            Assert(reduce_all(not_equal(found, -1)), [
                "When `num_oov_indices=0` all inputs should be in vocabulary, consider setting `num_oov_indices=1`. "
                "Found OOV values:", boolean_mask(tokens, equal(found, -1)) if tokens.static_shape else tokens,
            ])  # fmt: skip
        elif self.num_oov_indices > 1:
            found = where(equal(found, -1), self._bucket_of(tokens) + self._oov_start, found)
        return found

    def _bucket_of(self, tokens: Any) -> Any:
        if self.vocabulary_dtype != "string":
            if self.oov_method == "floormod":
                return floormod(tokens, self.num_oov_indices)
            tokens = as_string(tokens)
        if self.salt is not None:
            return to_hash_bucket_strong(tokens, self.num_oov_indices, self.salt)
        return to_hash_bucket_fast(tokens, self.num_oov_indices)

    # Keeping it

    def get_config(self) -> dict[str, Any]:
        names = ("invert", "max_tokens", "num_oov_indices", "oov_token", "mask_token", "output_mode", "sparse",
                 "pad_to_max_tokens", "vocabulary_dtype", "oov_method", "salt")  # fmt: skip
        own = {name: getattr(self, name) for name in names}
        given = self.input_vocabulary
        weights = self.input_idf_weights
        return {
            **super().get_config(), **own, "vocabulary_size": self._frozen_size,
            "vocabulary": None if given is None else listed(given, self.vocabulary_dtype),
            "idf_weights": None if weights is None else np.asarray(weights).tolist(),
        }  # fmt: skip

    settings = ()

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """A layer for what `get_config` gave. Raises `ValueError` for a path: a configuration names no files."""
        if isinstance(config.get("vocabulary"), str):
            raise InvalidArgumentError(
                f"a configuration names a vocabulary file, which is not read: {config['vocabulary']!r}",
                remedy="make the layer, and call set_vocabulary(path)",
            )
        return cls(**config)

    def get_assets(self) -> dict[str, Any]:
        """What `adapt` has found, as arrays, for files; nothing of a layer whose configuration has the vocabulary."""
        if self.input_vocabulary is not None:
            return {}
        weights = {} if self.idf_weights is None else {"idf_weights": self.idf_weights}
        return {"vocabulary": self.tokens.array, **weights}

    def set_assets(self, assets: dict[str, Any]) -> None:
        """Take what `get_assets` gave."""
        self._freeze(listed(assets["vocabulary"], self.vocabulary_dtype))
        self.idf_weights = assets.get("idf_weights")


def _as_array(data: Any) -> Any:
    array = np.asarray(data)
    return array.astype(object) if array.dtype.kind in "US" else array


def _order(token: Any) -> Any:
    return token.encode() if isinstance(token, str) else token


def _scalar(token: Any) -> Any:
    return np.int64(token) if isinstance(token, (int, np.integer)) else token
