"""`TextVectorization`: texts as the indices of their words, or as vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from autograph.errors import InvalidArgumentError
from autograph.runtime.ops.shape.joining import pad
from autograph.runtime.ops.shape.shape import reshape, shape, squeeze
from autograph.runtime.ops.text.strings import lower, regex_replace
from autograph.runtime.ops.text.tokens import tokens
from autograph.runtime.tensors.convert import convert_to_tensor

from ...base.custom_objects import get_registered_object
from ...base.serialization import UnknownClassError, plain
from ...base.staging import converted_call
from .base import OLD_MODES, FeatureLayer, batches_of, check_mode, is_whole
from .lookups import StringLookup

if TYPE_CHECKING:
    from autograph.runtime.tensors.likes import TensorLike
    from autograph.runtime.tensors.tensor import Tensor

__all__ = ["TextVectorization"]

_PUNCTUATION = r"[!\"#$%&()\*\+,-\./:;<=>?@\[\\\]^_`{|}~\']"
_STANDARDS = ("lower_and_strip_punctuation", "lower", "strip_punctuation")
_SPLITS = ("whitespace", "character")


class TextVectorization(FeatureLayer):
    """Texts (batch,) or (batch, 1) as indices of words (batch, longest), or as vectors of the vocabulary.

    Texts are standardized and split; sequences of words may count as words, too. Index 0 fills up, 1 is that of unknown
    words, then come the words of the vocabulary, which is given, or found by `adapt`.

    Parameters
    ----------
    max_tokens: the greatest size of the vocabulary.
    standardize: "lower_and_strip_punctuation", "lower", "strip_punctuation", None, or a function of string tensors.
    split: "whitespace", "character", None for inputs that are split, or a function that gives rows of words, filled up
        with empty strings.
    ngrams: sequences of up to so many words, or of these numbers of words (a tuple).
    output_mode: "int", or "multi_hot", "count", "tf_idf", "one_hot" as in `StringLookup`.
    output_sequence_length: rows of indices are cut or filled up to this length; only with "int".
    pad_to_max_tokens, vocabulary, idf_weights, encoding: as in `StringLookup`.

    Raises `ValueError` for arguments that contradict one another, and for ``sparse`` and ``ragged``.
    """

    def __init__(
        self,
        max_tokens: int | None = None,
        standardize: Any = "lower_and_strip_punctuation",
        split: Any = "whitespace",
        ngrams: Any = None,
        output_mode: str = "int",
        output_sequence_length: int | None = None,
        pad_to_max_tokens: bool = False,
        vocabulary: TensorLike | None = None,
        idf_weights: TensorLike | None = None,
        sparse: bool = False,
        ragged: bool = False,
        encoding: str = "utf-8",
        name: str | None = None,
        *,
        vocabulary_size: int | None = None,
        has_input_vocabulary: bool | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(name=name, **kwargs)
        _check_choice("standardize", standardize, _STANDARDS)
        _check_choice("split", split, _SPLITS)
        output_mode = OLD_MODES.get(output_mode, output_mode)
        check_mode(self, output_mode, ("int", "one_hot", "multi_hot", "count", "tf_idf"))
        _check_ngrams(ngrams)
        _check_length(output_sequence_length, output_mode)
        if ragged:
            raise InvalidArgumentError(
                "ragged=True is not supported: outputs are dense tensors", remedy="leave out the argument `ragged`"
            )
        self._standardize, self._split, self._ngrams = standardize, split, ngrams
        self._widths = tuple(range(1, ngrams + 1)) if isinstance(ngrams, int) else ngrams or ()
        self._output_mode, self._length = output_mode, output_sequence_length
        self._lookup_layer = StringLookup(
            max_tokens=max_tokens, vocabulary=vocabulary, idf_weights=idf_weights, pad_to_max_tokens=pad_to_max_tokens,
            mask_token="", output_mode=output_mode, sparse=sparse, encoding=encoding, vocabulary_size=vocabulary_size,
            has_input_vocabulary=has_input_vocabulary
        )  # fmt: skip
        self.built = True

    # The vocabulary

    def adapt(self, data: Any, batch_size: int | None = None, steps: int | None = None) -> None:
        """Set the vocabulary to the words of texts, as `StringLookup.adapt` does."""
        self.reset_state()
        if is_whole(data) or isinstance(data, (list, tuple)):
            self.update_state(data)
        else:
            for batch in batches_of(data, steps):
                self.update_state(batch)
        self.finalize_state()

    def update_state(self, data: Any) -> None:
        """See more texts."""
        self._lookup_layer.update_state(self._words(convert_to_tensor(data)).numpy())

    def finalize_state(self) -> None:
        """Set the vocabulary to that of the texts seen."""
        self._lookup_layer.finalize_state()

    def reset_state(self) -> None:
        """Forget the texts seen, and keep the vocabulary."""
        self._lookup_layer.reset_state()

    def get_vocabulary(self, include_special_tokens: bool = True) -> list[Any]:
        """The words in the order of their indices; with "" and "[UNK]", or without."""
        return self._lookup_layer.get_vocabulary(include_special_tokens)

    def vocabulary_size(self) -> int:
        """The number of indices, "" and "[UNK]" among them."""
        return self._lookup_layer.vocabulary_size()

    def set_vocabulary(self, vocabulary: Any, idf_weights: TensorLike | None = None) -> None:
        """Take words for the vocabulary; as `StringLookup.set_vocabulary`."""
        self._lookup_layer.set_vocabulary(vocabulary, idf_weights)

    # Using it

    def call(self, inputs: Tensor) -> Any:
        """The indices (int64), or vectors. Raises `ValueError` for inputs of several columns that are to be split."""
        found = self._lookup_layer.call(self._words(inputs))
        length = self._length
        if self._output_mode != "int" or length is None:
            return found
        rank = len(found.static_shape)
        cut = found[..., :length]
        rows = pad(cut, [[0, 0]] * (rank - 1) + [[0, length - shape(cut)[-1]]])
        rows.set_shape((*found.static_shape[:-1], length))
        return rows

    def _words(self, texts: Any) -> Any:
        texts = self._standardized(texts)
        rank = len(texts.static_shape)
        if self._split is None:
            return tokens(texts, "nothing", self._widths) if self._widths else texts
        if rank > 1:
            if texts.static_shape[-1] != 1:
                raise InvalidArgumentError(
                    "When using `TextVectorization` to tokenize strings, the input rank must be 1 or the last shape "
                    f"dimension must be 1. Received: inputs.shape={tuple(texts.static_shape)} with rank={rank}"
                )
            texts = squeeze(texts, -1)
        if callable(self._split):
            words = converted_call(self._split)(texts)
            return tokens(words, "filling", self._widths) if self._widths else words
        words = tokens(texts if rank else reshape(texts, [1]), self._split, self._widths)
        return words if rank else words[0]

    def _standardized(self, texts: Tensor) -> Any:
        kind = self._standardize
        if callable(kind):
            return converted_call(kind)(texts)
        if kind in ("lower", "lower_and_strip_punctuation"):
            texts = lower(texts)
        return regex_replace(texts, _PUNCTUATION, "") if kind in _STANDARDS and kind != "lower" else texts

    # Keeping it

    settings = ()

    def get_config(self) -> dict[str, Any]:
        table = self._lookup_layer.get_config()
        shared = {name: table[name] for name in ("max_tokens", "pad_to_max_tokens", "sparse", "vocabulary",
                                                 "idf_weights", "encoding")}  # fmt: skip
        return {
            **super().get_config(), **shared, "standardize": plain(self._standardize), "split": plain(self._split),
            "ngrams": self._ngrams, "output_mode": self._output_mode, "output_sequence_length": self._length,
            "ragged": False, "vocabulary_size": self.vocabulary_size(),
        }  # fmt: skip

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """A layer for what `get_config` gave. Raises `TypeError` for functions that are not registered."""
        ngrams = config.get("ngrams")
        return cls(**{
            **config, "ngrams": tuple(ngrams) if isinstance(ngrams, list) else ngrams,
            "standardize": _function(config.get("standardize"), _STANDARDS),
            "split": _function(config.get("split"), _SPLITS),
        })  # fmt: skip


def _function(name: Any, known: tuple[str, ...]) -> Any:
    if name is None or callable(name) or name in known:
        return name
    found = get_registered_object(name)
    if found is None:
        raise UnknownClassError("function", name)
    return found


def _check_choice(name: str, value: Any, choices: tuple[str, ...]) -> None:
    if value is not None and not callable(value) and value not in choices:
        raise InvalidArgumentError(
            f"Unknown value for `{name}` of layer TextVectorization. Allowed values are None, a callable and "
            f"{choices}. Received: {name}={value}"
        )


def _check_ngrams(ngrams: Any) -> None:
    sizes = ngrams if isinstance(ngrams, tuple) else (1,) if ngrams is None else (ngrams,)
    if not all(isinstance(size, int) and size > 0 for size in sizes):
        raise InvalidArgumentError(
            f"`ngrams` must be None, a positive integer, or a tuple of them. Received: ngrams={ngrams}"
        )


def _check_length(length: Any, mode: str) -> None:
    if length is not None and (mode != "int" or not isinstance(length, int)):
        raise InvalidArgumentError(
            "`output_sequence_length` must be None, or an integer when `output_mode` is 'int'. Received: "
            f"output_sequence_length={length} and output_mode={mode}"
        )
