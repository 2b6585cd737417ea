"""The base of metrics, sums and means.

A metric keeps what it has seen in variables: `update_state` adds to it, `result` computes from it, `reset_state` sets
it to zero. All work eagerly and in traced functions; make metrics outside, or once, as all variables.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from autograph.errors import FailedPreconditionError, UnimplementedError
from autograph.runtime.base.pickling.carried import Travelling
from autograph.runtime.ops.elementwise.elementwise import cast
from autograph.runtime.ops.elementwise.math import divide_no_nan
from autograph.runtime.ops.reduce.reduce import reduce_mean, reduce_sum
from autograph.runtime.ops.shape.create import zeros
from autograph.runtime.ops.shape.shape import broadcast_to, shape
from autograph.runtime.state.variable import Variable
from autograph.runtime.tensors.convert import convert_to_tensor

from .. import initializers
from ..base.context import get_mask
from ..base.defaults import floatx
from ..base.names import auto_name
from ..base.staging import converted_call
from ..base.variable import KerasVariable
from .reduction import apply_mask, same_rank

if TYPE_CHECKING:
    from autograph.runtime.tensors.likes import DTypeLike, ShapeLike, TensorLike

    from ..base.registry import Identifier

__all__ = ["Mean", "MeanMetricWrapper", "Metric", "Sum"]


class Metric(Travelling):
    """The base of metrics; subclasses make variables in ``__init__`` and define `update_state` and `result`.

    ``dtype`` is that of the results, float32 when left out; ``name`` is after the class when left out. Calling a metric
    updates it and returns the result.
    """

    def __init__(self, dtype: Any = None, name: str | None = None) -> None:
        self.name = name or auto_name(type(self).__name__)
        self.dtype = getattr(dtype, "name", dtype) or floatx()

    def add_variable(
        self,
        shape: ShapeLike,
        initializer: Identifier,
        dtype: DTypeLike | None = None,
        aggregation: str = "sum",
        name: str | None = None,
    ) -> Any:
        """A variable of the metric, which starts as `initializer` says.

        ``aggregation``: "sum": what replicas of a strategy add to it is added up; see `KerasVariable`.
        """
        if not hasattr(self, "dtype"):
            raise FailedPreconditionError(
                "You forgot to call `super().__init__()` in the `__init__()` method. Go add it!"
            )
        name = name or "variable"
        initializer = initializers.get(initializer) or initializers.Zeros()
        made = KerasVariable(
            initializer, shape, dtype, trainable=False, name=name, path=f"{self.name}/{name}", aggregation=aggregation,
            synchronization="on_read",
        )  # fmt: skip
        self.__dict__.setdefault("_added", []).append(made)
        return made

    def add_weight(
        self,
        shape: ShapeLike = (),
        initializer: Identifier = None,
        dtype: DTypeLike | None = None,
        name: str | None = None,
    ) -> Any:
        """As `add_variable`, for a scalar that is zero unless something else is asked for."""
        return self.add_variable(shape, initializer, dtype, name=name)

    @property
    def variables(self) -> list[Any]:
        """The variables of the metric, and those of metrics that its attributes hold."""
        own = [*self.__dict__.get("_added", []), *(v for v in vars(self).values() if isinstance(v, Variable))]
        parts = [v for metric in vars(self).values() if isinstance(metric, Metric) for v in metric.variables]
        return list({id(v): v for v in [*own, *parts]}.values())

    def update_state(self, *args: Any, **kwargs: Any) -> Any:
        """Add what is given to what has been seen."""
        raise UnimplementedError(f"{type(self).__name__} does not define update_state()")

    def result(self) -> Any:
        """The metric of all that has been seen."""
        raise UnimplementedError(f"{type(self).__name__} does not define result()")

    def reset_state(self) -> None:
        """Forget what has been seen: all variables become zero."""
        for variable in self.variables:
            variable.assign(zeros(shape(variable), variable.dtype))

    def __call__(self, *args: object, **kwargs: object) -> Any:
        converted_call(self.update_state)(*args, **kwargs)
        return converted_call(self.result)()

    def get_config(self) -> dict[str, Any]:
        """The arguments that make an equal metric."""
        return {"name": self.name, "dtype": self.dtype}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """A metric with the arguments that `get_config` returned."""
        return cls(**config)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} name={self.name}>"


def _samplewise(values: Any, sample_weight: Any, reduce: Callable[..., Any], dtype: Any) -> tuple[Any, Any]:
    """One weighted value for each sample, and the weights; axes beyond those of the weights are reduced."""
    mask = get_mask(values)
    values = cast(values, dtype)
    if sample_weight is not None:
        weight: Any = apply_mask(cast(sample_weight, dtype), mask, dtype, "sum")
        values, weight = same_rank(values, weight)
        if values.ndim > weight.ndim:
            values = reduce(values, axis=list(range(weight.ndim, values.ndim)))
        weight = broadcast_to(weight, shape(values))
        values = values * weight
        sample_weight = reduce(weight, axis=list(range(1, weight.ndim))) if weight.ndim > 1 else weight
    if values.ndim > 1:
        values = reduce(values, axis=list(range(1, values.ndim)))
    return values, sample_weight


class Sum(Metric):
    """The weighted sum of all values."""

    def __init__(self, name: str = "sum", dtype: Any = None) -> None:
        super().__init__(dtype, name)
        self.total = self.add_variable((), "zeros", self.dtype, name="total")

    def update_state(self, values: object, sample_weight: object = None) -> None:
        values, _ = _samplewise(values, sample_weight, reduce_sum, self.dtype)
        self.total.assign_add(reduce_sum(values))

    def result(self) -> Any:
        return convert_to_tensor(self.total)


class Mean(Metric):
    """The weighted mean of all values; zero before there are any."""

    def __init__(self, name: str = "mean", dtype: Any = None) -> None:
        super().__init__(dtype, name)
        self.total = self.add_variable((), "zeros", self.dtype, name="total")
        self.count = self.add_variable((), "zeros", self.dtype, name="count")

    def update_state(self, values: Any, sample_weight: Any = None) -> None:
        values, weight = _samplewise(values, sample_weight, reduce_mean, self.dtype)
        self.total.assign_add(reduce_sum(values))
        if weight is not None:
            number = reduce_sum(weight)
        else:
            number = cast(shape(values)[0], self.dtype) if values.ndim else cast(1, self.dtype)
        self.count.assign_add(number)

    def result(self) -> Any:
        return divide_no_nan(self.total, self.count)


class MeanMetricWrapper(Mean):
    """The mean of what a function of labels and predictions gives; further arguments are passed on to it."""

    def __init__(self, fn: Callable[..., Any], name: str | None = None, dtype: Any = None, **kwargs: object) -> None:
        super().__init__(name or auto_name(type(self).__name__), dtype)
        self._fn = fn
        self._settings = kwargs

    def update_state(self, y_true: TensorLike, y_pred: Any, sample_weight: Any = None) -> None:  # type: ignore[override]
        mask = get_mask(y_pred)
        values = converted_call(self._fn)(y_true, y_pred, **self._settings)
        super().update_state(values, apply_mask(sample_weight, mask, self.dtype, "sum"))

    def get_config(self) -> dict[str, Any]:
        own = {} if type(self) is not MeanMetricWrapper else {"fn": self._fn}
        return {**super().get_config(), **own, **self._settings}
