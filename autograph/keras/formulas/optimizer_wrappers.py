"""Optimizers that have others make their steps."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, MutableMapping, Sequence
from typing import TYPE_CHECKING, Any

from autograph.distribute.context import summed_over_replicas
from autograph.errors import InvalidArgumentError, InvalidTypeError
from autograph.runtime.ops.elementwise.elementwise import cast
from autograph.runtime.ops.elementwise.math import is_finite
from autograph.runtime.ops.reduce.reduce import reduce_all, reduce_sum
from autograph.runtime.ops.shape.joining import stack
from autograph.runtime.tensors import trace
from autograph.runtime.tensors.convert import convert_to_tensor

from .. import initializers
from ..base.staging import call_if, converted_call
from .optimizer import Optimizer, no_gradients, registry
from .optimizer_variables import path_of

if TYPE_CHECKING:
    from autograph.runtime.state.variable import Variable
    from autograph.runtime.tensors.likes import TensorLike
    from autograph.runtime.tensors.tensor import Tensor

__all__ = ["LossScaleOptimizer", "MultiOptimizer", "OptimizerMap", "Wrapper"]


class Wrapper(Optimizer):
    """An optimizer that has others make its steps."""

class LossScaleOptimizer(Wrapper):
    """An optimizer for float16: losses are multiplied by a number, gradients divided by it (Micikevicius et al., 2018).

    The number begins with ``initial_scale``. A step with a gradient that is not finite is left out, and halves the
    number; after ``dynamic_growth_steps`` steps in a row that are made it is doubled. `fit` multiplies the loss;
    training loops of one's own have `scale_loss`.

    The learning rate, `iterations` and all other settings are those of ``inner_optimizer``, whose own
    ``loss_scale_factor`` is set to None. Raises `ValueError` for other arguments.
    """

    def __init__(
        self, inner_optimizer: Optimizer, initial_scale: float = 2.0**15, dynamic_growth_steps: int = 2000,
        name: str | None = None, **kwargs: object
    ) -> None:  # fmt: skip
        if not kwargs.pop("dynamic", True):
            raise InvalidArgumentError("LossScaleOptimizer no longer supports `dynamic=False`. Instead, simply set "
                                       "`loss_scale_factor` directly on the `inner_optimizer`.")  # fmt: skip
        for given, value in kwargs.items():
            if given not in _SETTINGS:
                raise InvalidArgumentError(f"LossScaleOptimizer does not support arguments: `{given}`.")
            if value != _SETTINGS[given]:
                raise InvalidArgumentError(f"LossScaleOptimizer does not support `{given}`. Instead, set `{given}` on "
                                           "the `inner_optimizer`.")  # fmt: skip
        super().__init__(0.0, name=name)
        self.inner_optimizer = inner_optimizer
        self.initial_scale, self.dynamic_growth_steps = initial_scale, dynamic_growth_steps
        inner_optimizer.loss_scale_factor = None
        # Here and not when the optimizer is built: a step that is traced before that is to read the variable.
        self.step_counter = self.add_variable((), dtype="int64", name="step_counter")
        start = initializers.Constant(initial_scale)
        self.dynamic_scale = self.add_variable((), start, "float32", "dynamic_scale")

    def build(self, variables: Sequence[Any]) -> None:
        self.inner_optimizer.build(variables)
        super().build(variables)

    @property
    def variables(self) -> list[Any]:
        """The variables of its own, then those of the inner optimizer."""
        return [*self._variables, *self.inner_optimizer.variables]

    def _trackable_children(self) -> dict[str, Any]:
        return {"variables": self._variables, "inner_optimizer": self.inner_optimizer}

    @property
    def iterations(self) -> Any:
        """The steps that the inner optimizer has made."""
        return self.inner_optimizer.iterations

    @property
    def learning_rate(self) -> Any:
        """That of the inner optimizer."""
        return self.inner_optimizer.learning_rate

    @learning_rate.setter
    def learning_rate(self, value: object) -> None:
        self.inner_optimizer.learning_rate = value

    def scale_loss(self, loss: TensorLike) -> Any:
        """The loss times the number."""
        loss = convert_to_tensor(loss)
        return loss * cast(self.dynamic_scale, loss.dtype)

    def apply(self, grads: Sequence[Any], trainable_variables: Sequence[Any] | None = None) -> None:
        """One step of the inner optimizer, unless a gradient is not finite."""
        variables = self._known(grads) if trainable_variables is None else list(trainable_variables)
        if not self.built:
            with trace.building(None):
                self.build(variables)
        grads = [None if each is None else convert_to_tensor(each) for each in grads]
        is_step = _all_finite(grads)

        def step() -> None:
            self.inner_optimizer.apply([*map(self._unscaled, grads, variables)], variables)
            is_due = self.step_counter == self.dynamic_growth_steps - 1
            call_if(is_due, lambda: self.dynamic_scale.assign(self.dynamic_scale * 2.0))
            self.step_counter.assign((self.step_counter + 1) * cast(~is_due, "int64"))

        def leave_out() -> None:
            self.step_counter.assign(0)
            self.dynamic_scale.assign(self.dynamic_scale * 0.5)

        call_if(is_step, step, leave_out)

    def _unscaled(self, gradient: Tensor | None, variable: Variable) -> Tensor | None:
        if gradient is None or getattr(variable, "overwrite_with_gradient", False):
            return gradient
        return gradient / cast(self.dynamic_scale, gradient.dtype)

    def finalize_variable_values(self, var_list: Sequence[Any]) -> None:
        """Set variables to their averages, if the inner optimizer keeps some."""
        self.inner_optimizer.finalize_variable_values(var_list)

    def get_config(self) -> dict[str, Any]:
        """The arguments that make an equal optimizer, without what it has learnt."""
        return {"name": self.name, "inner_optimizer": registry.serialize(self.inner_optimizer),
                "initial_scale": self.initial_scale, "dynamic_growth_steps": self.dynamic_growth_steps}  # fmt: skip

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: dict[str, Callable[..., Any]] | None = None) -> Any:
        """An optimizer with the arguments that `get_config` returned."""
        return cls(**{**config, "inner_optimizer": registry.deserialize(config["inner_optimizer"], custom_objects)})


_SETTINGS: dict[str, Any] = {
    "weight_decay": None, "clipnorm": None, "global_clipnorm": None, "clipvalue": None, "use_ema": False,
    "ema_momentum": 0.99, "ema_overwrite_frequency": None, "loss_scale_factor": None,
    "gradient_accumulation_steps": None,
}  # fmt: skip


def _all_finite(grads: Sequence[Any]) -> Any:
    """Whether all gradients are finite, those of all replicas."""
    finite = [reduce_all(is_finite(each)) for each in grads if each is not None]
    if not finite:
        raise no_gradients(())
    (bad,) = summed_over_replicas([reduce_sum(cast(~stack(finite), "int32"))])
    return bad == 0


class OptimizerMap(MutableMapping[str, Optimizer]):
    """Optimizers by the paths of variables, for `MultiOptimizer`; ``default_optimizer`` takes all others.

    A key is a path, or a pattern that has to match all of one. Raises `TypeError` for what are no optimizers, and no
    dict.
    """

    def __init__(self, default_optimizer: Optimizer, optimizer_map: dict[str, Optimizer] | None = None) -> None:
        if not isinstance(default_optimizer, Optimizer):
            raise InvalidTypeError(
                f"default_optimizer must be a Keras Optimizer instance. Received: {default_optimizer}"
            )
        if optimizer_map is not None and not isinstance(optimizer_map, dict):
            raise InvalidTypeError(f"optimizer_map must be a dictionary. Received: {optimizer_map}")
        self.default_optimizer = default_optimizer
        self._by_pattern = {} if optimizer_map is None else optimizer_map

    def __getitem__(self, key: str) -> Optimizer:
        """The optimizer for a path. Raises `ValueError` where several patterns match."""
        if key in self._by_pattern:
            return self._by_pattern[key]
        found = [each for pattern, each in self._by_pattern.items() if re.fullmatch(pattern, key)]
        if len(found) > 1:
            raise InvalidArgumentError(f"Multiple optimizers assigned to variable {key}.")
        return found[0] if found else self.default_optimizer

    def __setitem__(self, key: str, optimizer: Optimizer) -> None:
        """Name the optimizer of a path or pattern. Raises `ValueError` for one that has one, and wrong arguments."""
        if key in self._by_pattern:
            raise InvalidArgumentError(
                f"'{key}' already exists in the OptimizerMap with value {self._by_pattern[key].name!r}. Please make "
                "sure to not use duplicated keys."
            )
        if not isinstance(key, str):
            raise InvalidArgumentError(f"key must be a string. Received: {key}")
        if not isinstance(optimizer, Optimizer):
            raise InvalidArgumentError(f"optimizer must be a Keras Optimizer instance. Received: {optimizer}")
        if isinstance(optimizer, Wrapper):
            raise InvalidArgumentError(f"optimizer cannot be {type(optimizer).__name__}.")
        self._by_pattern[key] = optimizer

    def __delitem__(self, key: str) -> None:
        del self._by_pattern[key]

    def __len__(self) -> int:
        return len(self._by_pattern)

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_pattern)

    def __call__(self, variable: Variable) -> Optimizer:
        """The optimizer for a variable."""
        return self[path_of(variable)]

    def get_config(self) -> dict[str, Any]:
        """The arguments that make an equal map."""
        return {"default_optimizer": registry.serialize(self.default_optimizer),
                "optimizer_map": {key: registry.serialize(each) for key, each in self._by_pattern.items()}}  # fmt: skip

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: dict[str, Callable[..., Any]] | None = None) -> Any:
        """A map with the arguments that `get_config` returned."""
        made = {key: registry.deserialize(each, custom_objects) for key, each in config["optimizer_map"].items()}
        return cls(registry.deserialize(config["default_optimizer"], custom_objects), made)


class MultiOptimizer(Wrapper):
    """Several optimizers, each for some of the variables.

    ``optimizer_map`` gives the optimizer for a variable: an `OptimizerMap` or a function. ``loss_scale_factor`` becomes
    that of all of them. The learning rates are theirs (`optimizers`). Raises `ValueError` when it is built, for what
    are no optimizers, and for those that wrap others.
    """

    def __init__(
        self, optimizer_map: Callable[[Any], Any], loss_scale_factor: float | None = None, name: str | None = None
    ) -> None:
        self.optimizers: list[Any] = []
        super().__init__(0.0, loss_scale_factor=loss_scale_factor, name=name)
        self._map = optimizer_map
        self._places: list[int] = []
        if isinstance(optimizer_map, OptimizerMap):
            for each in (*optimizer_map.values(), optimizer_map.default_optimizer):
                self._place_of(each)

    def _place_of(self, optimizer: Optimizer) -> int:
        """The position of an optimizer among the inner ones, where it is put if it is not there."""
        for place, each in enumerate(self.optimizers):
            if each is optimizer:
                return place
        optimizer.loss_scale_factor = self.loss_scale_factor
        self.optimizers.append(optimizer)
        return len(self.optimizers) - 1

    def build(self, variables: Sequence[Any]) -> None:
        self._places = []
        for variable in variables:
            optimizer = self._map(variable)
            if not isinstance(optimizer, Optimizer):
                raise InvalidArgumentError(f"Optimizer for variable {path_of(variable)} is not an Optimizer instance.")
            if isinstance(optimizer, Wrapper):
                raise InvalidArgumentError(f"{type(optimizer).__name__} cannot be used inside a MultiOptimizer.")
            self._places.append(self._place_of(optimizer))
        super().build(variables)
        for optimizer, own in zip(self.optimizers, self._divided(variables, variables), strict=True):
            if own:
                optimizer.build([variable for _, variable in own])

    def _divided(self, values: Sequence[Any], variables: Sequence[Any]) -> list[list[tuple[Any, Any]]]:
        """For each inner optimizer its variables, with their values."""
        parts: list[list[tuple[Any, Any]]] = [[] for _ in self.optimizers]
        for value, variable in zip(values, variables, strict=True):
            parts[self._places[self.index_of(variable)]].append((value, variable))
        return parts

    @property
    def variables(self) -> list[Any]:
        """The variables of its own, then those of the inner optimizers."""
        return [*self._variables, *(each for optimizer in self.optimizers for each in optimizer.variables)]

    def _trackable_children(self) -> dict[str, Any]:
        return {"variables": self._variables, "optimizers": self.optimizers}

    @property
    def loss_scale_factor(self) -> float | None:
        """What losses are multiplied by; to set it sets those of all inner optimizers."""
        return self._loss_scale_factor

    @loss_scale_factor.setter
    def loss_scale_factor(self, value: float | None) -> None:
        self._loss_scale_factor = value
        for each in self.optimizers:
            each.loss_scale_factor = value

    @property
    def iterations(self) -> Any:
        """The variable that counts the steps."""
        return self._iterations

    @property
    def learning_rate(self) -> Any:
        """There is none: raises `AttributeError`."""
        raise AttributeError("a MultiOptimizer has no learning rate: use those of its `optimizers`")

    @learning_rate.setter
    def learning_rate(self, value: object) -> None:
        raise AttributeError("a MultiOptimizer has no learning rate: set those of its `optimizers`")

    def apply(self, grads: Sequence[Any], trainable_variables: Sequence[Any] | None = None) -> None:
        """One step of each inner optimizer."""
        if len(grads) == 0:
            return
        variables = self._known(grads) if trainable_variables is None else list(trainable_variables)
        if not self.built:
            with trace.building(None):
                self.build(variables)
        for optimizer, own in zip(self.optimizers, self._divided(grads, variables), strict=True):
            if own:
                converted_call(optimizer.apply)(*(list(each) for each in zip(*own, strict=True)))
        self._iterations.assign_add(1)

    def finalize_variable_values(self, var_list: Sequence[Any]) -> None:
        """Set variables to their averages, where their optimizers keep some."""
        for optimizer, own in zip(self.optimizers, self._divided(var_list, var_list), strict=True):
            optimizer.finalize_variable_values([variable for _, variable in own])

    def get_config(self) -> dict[str, Any]:
        """The arguments that make an equal optimizer. Raises `ValueError` for a map that is a lambda."""
        config = registry.serialize(self._map)
        if isinstance(self._map, OptimizerMap):
            config = {**config, "module": registry.module, "registered_name": None}
        return {"optimizer_map": config, "loss_scale_factor": self.loss_scale_factor, "name": self.name}

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: dict[str, Callable[..., Any]] | None = None) -> Any:
        """An optimizer with the arguments that `get_config` returned."""
        given = config["optimizer_map"]
        if isinstance(given, dict) and given.get("class_name") == "OptimizerMap":
            found = OptimizerMap.from_config(given["config"], custom_objects)
        else:
            found = registry.deserialize(given, custom_objects)
        return cls(**{**config, "optimizer_map": found})
