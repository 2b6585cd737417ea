"""Losses as objects: a loss function with its settings, sample weights and a reduction to one number.

``loss(y_true, y_pred, sample_weight=None)`` casts both to the loss's dtype (float32). The reduction
"sum_over_batch_size" (as "mean") divides the weighted sum by the number of values, "mean_with_sample_weight" by the
sum of the weights; "sum" and None (as "none") are the sum and the values themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from autograph.errors import InvalidArgumentError, UnimplementedError
from autograph.runtime.base import nest
from autograph.runtime.base.pickling.carried import Travelling
from autograph.runtime.ops.elementwise.elementwise import cast
from autograph.runtime.tensors.trace import name_scope
from autograph.tracebacks import leaving

from .base.absent import refusing
from .base.context import get_mask
from .base.defaults import floatx
from .base.names import auto_name
from .base.registry import Registry
from .base.staging import converted_call
from .formulas import loss_functions as functions
from .formulas import set_losses
from .formulas.loss_functions import *  # noqa: F403
from .formulas.reduction import reduce_weighted_values, same_rank, standardize_reduction
from .formulas.set_losses import *  # noqa: F403

if TYPE_CHECKING:
    from autograph.runtime.tensors.likes import DTypeLike, TensorLike
    from autograph.runtime.tensors.tensor import Tensor

__all__ = [
    "CTC", "BinaryCrossentropy", "BinaryFocalCrossentropy", "CategoricalCrossentropy", "CategoricalFocalCrossentropy",
    "CategoricalGeneralizedCrossEntropy", "CategoricalHinge", "Circle", "CosineSimilarity", "Dice", "Hinge", "Huber",
    "KLDivergence", "LogCosh", "Loss", "MeanAbsoluteError", "MeanAbsolutePercentageError", "MeanSquaredError",
    "MeanSquaredLogarithmicError", "Poisson", "SparseCategoricalCrossentropy", "SquaredHinge", "Tversky", "deserialize",
    "get", "serialize", *functions.__all__, *set_losses.__all__,
]  # fmt: skip
__dir__ = __all__.copy
if not TYPE_CHECKING:
    __getattr__ = refusing(__name__)

MEAN = "sum_over_batch_size"


class Loss(Travelling):
    """The base of losses; subclasses define ``call(y_true, y_pred)``, which gives values to be reduced.

    Parameters
    ----------
    name: after the class when left out.
    reduction: "sum_over_batch_size", "mean", "mean_with_sample_weight", "sum", "none" or None.
    dtype: the dtype in which it is computed, float32 when left out.

    Raises `ValueError` for another reduction.
    """

    def __init__(self, name: str | None = None, reduction: str | None = MEAN, dtype: DTypeLike | None = None) -> None:
        self.name = name or auto_name(type(self).__name__)
        self.reduction = standardize_reduction(reduction)
        self.dtype = getattr(dtype, "name", dtype) or floatx()

    def __call__(self, y_true: TensorLike, y_pred: TensorLike, sample_weight: TensorLike | None = None) -> Any:
        """The loss: a scalar, or with the reduction None the values."""
        mask = get_mask(y_pred)
        with name_scope(self.name):
            y_true, y_pred = (nest.map_structure(self._cast, each) for each in (y_true, y_pred))
            values = converted_call(self.call)(y_true, y_pred)
            own = get_mask(values)
            if own is not None:
                mask = own if mask is None else mask & own
            return reduce_weighted_values(values, sample_weight, mask, self.reduction, self.dtype)

    def _cast(self, value: Any) -> Any:
        return cast(value, self.dtype)

    def call(self, y_true: TensorLike, y_pred: Tensor) -> Any:
        """The values of the loss, before weights and reduction."""
        raise UnimplementedError(f"{type(self).__name__} does not define call()")

    def get_config(self) -> dict[str, Any]:
        """The arguments that make an equal loss."""
        return {"name": self.name, "reduction": self.reduction}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """A loss with the arguments that `get_config` returned."""
        return cls(**config)


class LossFunctionWrapper(Loss):
    """A function of labels and predictions as a loss; further arguments are passed on to it."""

    def __init__(
        self, fn: Callable[..., Any], reduction: str | None = MEAN, name: str | None = None,
        dtype: DTypeLike | None = None, **kwargs: object
    ) -> None:  # fmt: skip
        super().__init__(name, reduction, dtype)
        self.fn = fn
        self.settings = kwargs

    def call(self, y_true: TensorLike, y_pred: TensorLike) -> Any:
        if not nest.is_nested(y_true) and not nest.is_nested(y_pred):
            y_true, y_pred = same_rank(y_true, y_pred)
        return converted_call(self.fn)(y_true, y_pred, **self.settings)

    def get_config(self) -> dict[str, Any]:
        own = {} if type(self) is not LossFunctionWrapper else {"fn": serialize(self.fn)}
        return {**super().get_config(), **own, **self.settings}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        return cls(**{**config, "fn": get(config["fn"])}) if "fn" in config else cls(**config)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}({self.fn}, kwargs={self.settings})>"


class MeanSquaredError(LossFunctionWrapper):
    """The mean of `(y_true - y_pred) ** 2`."""

    def __init__(
        self, reduction: str | None = MEAN, name: str = "mean_squared_error", dtype: DTypeLike | None = None
    ) -> None:
        super().__init__(functions.mean_squared_error, reduction, name, dtype)


class MeanAbsoluteError(LossFunctionWrapper):
    """The mean of `abs(y_true - y_pred)`."""

    def __init__(
        self, reduction: str | None = MEAN, name: str = "mean_absolute_error", dtype: DTypeLike | None = None
    ) -> None:
        super().__init__(functions.mean_absolute_error, reduction, name, dtype)


class MeanAbsolutePercentageError(LossFunctionWrapper):
    """The mean of `100 * abs((y_true - y_pred) / y_true)`."""

    def __init__(
        self, reduction: str | None = MEAN, name: str = "mean_absolute_percentage_error", dtype: DTypeLike | None = None
    ) -> None:
        super().__init__(functions.mean_absolute_percentage_error, reduction, name, dtype)


class MeanSquaredLogarithmicError(LossFunctionWrapper):
    """The mean of `(log(y_true + 1) - log(y_pred + 1)) ** 2`."""

    def __init__(
        self, reduction: str | None = MEAN, name: str = "mean_squared_logarithmic_error", dtype: DTypeLike | None = None
    ) -> None:
        super().__init__(functions.mean_squared_logarithmic_error, reduction, name, dtype)


class Huber(LossFunctionWrapper):
    """Half the squared error up to `delta`, and linear in the error beyond; see `huber`."""

    def __init__(
        self, delta: float = 1.0, reduction: str | None = MEAN, name: str = "huber_loss", dtype: DTypeLike | None = None
    ) -> None:
        super().__init__(functions.huber, reduction, name, dtype, delta=delta)


class LogCosh(LossFunctionWrapper):
    """The mean of `log(cosh(y_pred - y_true))`."""

    def __init__(self, reduction: str | None = MEAN, name: str = "log_cosh", dtype: DTypeLike | None = None) -> None:
        super().__init__(functions.log_cosh, reduction, name, dtype)


class CosineSimilarity(LossFunctionWrapper):
    """Minus the cosine of the angle between labels and predictions."""

    def __init__(
        self,
        axis: int = -1,
        reduction: str | None = MEAN,
        name: str = "cosine_similarity",
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__(functions.cosine_similarity, reduction, name, dtype, axis=axis)


class Hinge(LossFunctionWrapper):
    """The mean of `max(1 - y_true * y_pred, 0)`."""

    def __init__(self, reduction: str | None = MEAN, name: str = "hinge", dtype: DTypeLike | None = None) -> None:
        super().__init__(functions.hinge, reduction, name, dtype)


class SquaredHinge(LossFunctionWrapper):
    """The mean of `max(1 - y_true * y_pred, 0) ** 2`."""

    def __init__(
        self, reduction: str | None = MEAN, name: str = "squared_hinge", dtype: DTypeLike | None = None
    ) -> None:
        super().__init__(functions.squared_hinge, reduction, name, dtype)


class CategoricalHinge(LossFunctionWrapper):
    """How much less than 1 the prediction for the right class is above the best wrong one."""

    def __init__(
        self, reduction: str | None = MEAN, name: str = "categorical_hinge", dtype: DTypeLike | None = None
    ) -> None:
        super().__init__(functions.categorical_hinge, reduction, name, dtype)


class KLDivergence(LossFunctionWrapper):
    """The sum of `y_true * log(y_true / y_pred)` over the last axis."""

    def __init__(
        self, reduction: str | None = MEAN, name: str = "kl_divergence", dtype: DTypeLike | None = None
    ) -> None:
        super().__init__(functions.kl_divergence, reduction, name, dtype)


class Poisson(LossFunctionWrapper):
    """The mean of `y_pred - y_true * log(y_pred)`."""

    def __init__(self, reduction: str | None = MEAN, name: str = "poisson", dtype: DTypeLike | None = None) -> None:
        super().__init__(functions.poisson, reduction, name, dtype)


class BinaryCrossentropy(LossFunctionWrapper):
    """The cross-entropy of labels of 0 and 1; see `binary_crossentropy`."""

    def __init__(
        self, from_logits: bool = False, label_smoothing: float = 0.0, axis: int = -1, reduction: str | None = MEAN,
        name: str = "binary_crossentropy", dtype: DTypeLike | None = None
    ) -> None:  # fmt: skip
        super().__init__(functions.binary_crossentropy, reduction, name, dtype, from_logits=from_logits,
                         label_smoothing=label_smoothing, axis=axis)  # fmt: skip


class CategoricalCrossentropy(LossFunctionWrapper):
    """The cross-entropy of distributions over classes, such as one-hot labels; see `categorical_crossentropy`."""

    def __init__(
        self, from_logits: bool = False, label_smoothing: float = 0.0, axis: int = -1, reduction: str | None = MEAN,
        name: str = "categorical_crossentropy", dtype: DTypeLike | None = None
    ) -> None:  # fmt: skip
        super().__init__(functions.categorical_crossentropy, reduction, name, dtype, from_logits=from_logits,
                         label_smoothing=label_smoothing, axis=axis)  # fmt: skip


class SparseCategoricalCrossentropy(LossFunctionWrapper):
    """The cross-entropy of the numbers of classes; see `sparse_categorical_crossentropy`."""

    def __init__(
        self, from_logits: bool = False, ignore_class: int | None = None, reduction: str | None = MEAN, axis: int = -1,
        name: str = "sparse_categorical_crossentropy", dtype: DTypeLike | None = None
    ) -> None:  # fmt: skip
        super().__init__(functions.sparse_categorical_crossentropy, reduction, name, dtype, from_logits=from_logits,
                         ignore_class=ignore_class, axis=axis)  # fmt: skip


class BinaryFocalCrossentropy(LossFunctionWrapper):
    """The cross-entropy of labels of 0 and 1, little where it is small; see `binary_focal_crossentropy`."""

    def __init__(
        self, apply_class_balancing: bool = False, alpha: float = 0.25, gamma: float = 2.0, from_logits: bool = False,
        label_smoothing: float = 0.0, axis: int = -1, reduction: str | None = MEAN,
        name: str = "binary_focal_crossentropy", dtype: DTypeLike | None = None
    ) -> None:  # fmt: skip
        super().__init__(functions.binary_focal_crossentropy, reduction, name, dtype, from_logits=from_logits,
                         label_smoothing=label_smoothing, axis=axis, apply_class_balancing=apply_class_balancing,
                         alpha=alpha, gamma=gamma)  # fmt: skip


class CategoricalFocalCrossentropy(LossFunctionWrapper):
    """The cross-entropy of distributions, little where it is small; see `categorical_focal_crossentropy`."""

    def __init__(
        self, alpha: float = 0.25, gamma: float = 2.0, from_logits: bool = False, label_smoothing: float = 0.0,
        axis: int = -1, reduction: str | None = MEAN, name: str = "categorical_focal_crossentropy",
        dtype: DTypeLike | None = None
    ) -> None:  # fmt: skip
        super().__init__(functions.categorical_focal_crossentropy, reduction, name, dtype, from_logits=from_logits,
                         label_smoothing=label_smoothing, axis=axis, alpha=alpha, gamma=gamma)  # fmt: skip


class CategoricalGeneralizedCrossEntropy(LossFunctionWrapper):
    """A loss that wrong labels harm little; see `categorical_generalized_cross_entropy`.

    Raises `ValueError` for a `q` that is not between 0 and 1.
    """

    def __init__(
        self, q: float = 0.5, reduction: str | None = MEAN, name: str = "categorical_generalized_cross_entropy",
        dtype: DTypeLike | None = None
    ) -> None:  # fmt: skip
        if not 0 < q < 1:
            raise InvalidArgumentError(f"q must be in the interval (0, 1). Received: q={q}")
        super().__init__(set_losses.categorical_generalized_cross_entropy, reduction, name, dtype, q=q)


class CTC(LossFunctionWrapper):
    """How unlikely rows of labels are in rows of steps; see `ctc`."""

    def __init__(self, reduction: str | None = MEAN, name: str = "ctc", dtype: DTypeLike | None = None) -> None:
        super().__init__(set_losses.ctc, reduction, name, dtype)


class Dice(LossFunctionWrapper):
    """How little two regions overlap; see `dice`."""

    def __init__(
        self, reduction: str | None = MEAN, name: str = "dice", axis: int | Sequence[int] | None = None,
        dtype: DTypeLike | None = None
    ) -> None:  # fmt: skip
        super().__init__(set_losses.dice, reduction, name, dtype, axis=axis)


class Tversky(LossFunctionWrapper):
    """How little two regions overlap, what is missed and what is wrong weighed; see `tversky`."""

    def __init__(
        self, alpha: float = 0.5, beta: float = 0.5, reduction: str | None = MEAN, name: str = "tversky",
        axis: int | Sequence[int] | None = None, dtype: DTypeLike | None = None
    ) -> None:  # fmt: skip
        super().__init__(set_losses.tversky, reduction, name, dtype, alpha=alpha, beta=beta, axis=axis)


class Circle(LossFunctionWrapper):
    """How far samples of one class lie apart, and of different ones together; see `circle`."""

    def __init__(
        self, gamma: float = 80.0, margin: float = 0.4, remove_diagonal: bool = True, reduction: str | None = MEAN,
        name: str = "circle", dtype: DTypeLike | None = None
    ) -> None:  # fmt: skip
        super().__init__(set_losses.circle, reduction, name, dtype, gamma=gamma, margin=margin,
                         remove_diagonal=remove_diagonal)  # fmt: skip


_CLASSES = [
    CTC, BinaryCrossentropy, BinaryFocalCrossentropy, CategoricalCrossentropy, CategoricalFocalCrossentropy,
    CategoricalGeneralizedCrossEntropy, CategoricalHinge, Circle, CosineSimilarity, Dice, Hinge, Huber, KLDivergence,
    LogCosh, LossFunctionWrapper, MeanAbsoluteError, MeanAbsolutePercentageError, MeanSquaredError,
    MeanSquaredLogarithmicError, Poisson, SparseCategoricalCrossentropy, SquaredHinge, Tversky,
]  # fmt: skip
_FUNCTIONS = [*functions.FUNCTIONS, set_losses.circle, set_losses.ctc, set_losses.dice, set_losses.tversky]
_SHORT = {"kld": functions.kld, **functions.SHORT}
_SHORT |= {name.upper(): function for name, function in _SHORT.items()}
registry = Registry("loss", "keras.losses", [*_FUNCTIONS, *_CLASSES], aliases=_SHORT)

get = registry.get
serialize = registry.serialize
deserialize = registry.deserialize
leaving.public_module(__name__)
