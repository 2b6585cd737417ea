"""`Hashing`: values of any kind as numbers of bins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from autograph.errors import InvalidArgumentError
from autograph.runtime.ops.elementwise.elementwise import cast, where
from autograph.runtime.ops.elementwise.math import equal
from autograph.runtime.ops.shape.create import zeros_like
from autograph.runtime.ops.shape.shape import squeeze
from autograph.runtime.ops.text.hashing import to_hash_bucket_fast, to_hash_bucket_strong
from autograph.runtime.ops.text.strings import as_string

from .base import FeatureLayer, check_dense, check_mode, salt_of
from .categories import encoded

if TYPE_CHECKING:
    from autograph.runtime.tensors.tensor import Tensor

__all__ = ["Hashing"]


class Hashing(FeatureLayer):
    """The bin, 0 to ``num_bins - 1``, that the hash of each input names: FarmHash's of its text.

    Parameters
    ----------
    num_bins: how many there are.
    mask_value: what has bin 0 for itself.
    salt: one or two integers; the hash is then SipHash's.
    output_mode: "int", or as in `CategoryEncoding`.

    Inputs are strings or integers; floating numbers lose their fractions. Raises `ValueError` for another mode, no
    bins, another salt, and for a ``dtype`` that is no integer in the mode "int".
    """

    settings = ("num_bins", "salt", "mask_value", "output_mode", "sparse")

    def __init__(
        self,
        num_bins: int,
        mask_value: str | int | None = None,
        salt: int | Sequence[int] | None = None,
        output_mode: str = "int",
        sparse: bool = False,
        **kwargs: Any,
    ) -> None:
        kwargs["dtype"] = kwargs.get("dtype") or ("int64" if output_mode == "int" else "float32")
        super().__init__(**kwargs)
        check_mode(self, output_mode, ("int", "one_hot", "multi_hot", "count"))
        check_dense(sparse)
        if num_bins is None or num_bins <= 0:
            raise InvalidArgumentError(
                f"The `num_bins` for `Hashing` cannot be `None` or non-positive values. Received: num_bins={num_bins}."
            )
        if output_mode == "int" and self.dtype not in ("int32", "int64"):
            raise InvalidArgumentError(
                "When `output_mode=\"int\"`, `dtype` should be an integer type, 'int32' or 'int64'. "
                f"Received: dtype={self.dtype}"
            )
        self.num_bins, self.mask_value, self.salt = num_bins, mask_value, salt_of(self, salt)
        self.output_mode, self.sparse = output_mode, sparse
        self.built = True

    def call(self, inputs: Tensor) -> Any:
        """The bins, in the inputs' shape, or vectors; in the layer's dtype."""
        if self.output_mode == "one_hot" and inputs.static_shape and inputs.static_shape[-1] == 1:
            inputs = squeeze(inputs, -1)
        return encoded(self._bins_of(inputs), self.output_mode, self.num_bins, self._record.dtype)

    def _bins_of(self, values: Any) -> Any:
        masks = self.mask_value is not None and self.num_bins > 1
        texts = cast(values, "int64") if values.dtype.is_floating else values
        texts = texts if texts.dtype.name == "string" else as_string(texts)
        bins = self._hashed(texts, self.num_bins - masks)
        return where(equal(values, self.mask_value), zeros_like(bins), bins + 1) if masks else bins

    def _hashed(self, texts: Tensor, count: int) -> Any:
        if self.salt is None:
            return to_hash_bucket_fast(texts, count)
        return to_hash_bucket_strong(texts, count, self.salt)
