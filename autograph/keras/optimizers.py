"""Optimizers: how variables follow their gradients."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from autograph.errors import InvalidArgumentError
from autograph.runtime.ops.elementwise.elementwise import cast
from autograph.runtime.ops.elementwise.math import maximum, power, sqrt, square
from autograph.runtime.tensors.convert import convert_to_tensor
from autograph.tracebacks import leaving

from . import initializers
from .formulas import schedules as schedules
from .formulas.adaptive_optimizers import Adadelta, Adamax, Ftrl, Lion, Nadam, ScheduleFreeAdamW
from .formulas.matrix_optimizers import Adafactor, Lamb, Muon
from .formulas.optimizer import Optimizer, registry
from .formulas.optimizer_wrappers import LossScaleOptimizer, MultiOptimizer
from .formulas.optimizer_wrappers import OptimizerMap as OptimizerMap

if TYPE_CHECKING:
    from autograph.runtime.state.variable import Variable
    from autograph.runtime.tensors.tensor import Tensor

__all__ = [
    "SGD", "Adadelta", "Adafactor", "Adagrad", "Adam", "AdamW", "Adamax", "Ftrl", "Lamb", "Lion", "LossScaleOptimizer",
    "MultiOptimizer", "Muon", "Nadam", "Optimizer", "OptimizerMap", "RMSprop", "ScheduleFreeAdamW", "deserialize",
    "get", "schedules", "serialize",
]  # fmt: skip
__dir__ = __all__.copy


class SGD(Optimizer):
    """Gradient descent: `w = w - learning_rate * g`, with momentum if there is any.

    Then `m = momentum * m - learning_rate * g` and `w = w + m`, or with `nesterov` (Sutskever et al., 2013)
    `w = w + momentum * m - learning_rate * g`. Further arguments are those of `Optimizer`. Raises `ValueError` for a
    momentum outside `[0, 1]`.
    """

    def __init__(
        self, learning_rate: object = 0.01, momentum: float = 0.0, nesterov: bool = False, *args: Any, **kwargs: Any
    ) -> None:
        super().__init__(learning_rate, *args, **kwargs)
        if not isinstance(momentum, float | int) or not 0 <= momentum <= 1:
            raise InvalidArgumentError("`momentum` must be a float between [0, 1].")
        self.momentum = momentum
        self.nesterov = nesterov

    def build(self, variables: Sequence[Any]) -> None:
        super().build(variables)
        self.momentums = self.add_optimizer_variables(variables, "momentum") if self.momentum else []

    def update_step(self, gradient: Tensor, variable: Variable, learning_rate: Tensor) -> None:
        move = gradient * learning_rate
        if not self.momentum:
            variable.assign_sub(move)
            return
        m = self.momentums[self.index_of(variable)]
        m.assign(m * self.momentum - move)
        variable.assign_add(m * self.momentum - move if self.nesterov else m)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "momentum": self.momentum, "nesterov": self.nesterov}


class Adam(Optimizer):
    """Adam (Kingma & Ba, 2015), with `amsgrad` as Reddi et al., 2018.

    `m = m + (1 - beta_1) * (g - m)`, `v = v + (1 - beta_2) * (g ** 2 - v)` and, at step `t`,
    `w = w - learning_rate * sqrt(1 - beta_2 ** t) / (1 - beta_1 ** t) * m / (sqrt(v) + epsilon)`; with `amsgrad`
    the greatest `v` so far. Further arguments are those of `Optimizer`.
    """

    def __init__(
        self, learning_rate: object = 0.001, beta_1: float = 0.9, beta_2: float = 0.999, epsilon: float = 1e-7,
        amsgrad: bool = False, *args: Any, **kwargs: Any
    ) -> None:  # fmt: skip
        super().__init__(learning_rate, *args, **kwargs)
        self.beta_1, self.beta_2, self.epsilon, self.amsgrad = beta_1, beta_2, epsilon, amsgrad

    def build(self, variables: Sequence[Any]) -> None:
        super().build(variables)
        pairs = [[self.add_variable_from_reference(v, name) for name in ("momentum", "velocity")] for v in variables]
        self._momentums, self._velocities = [m for m, _ in pairs], [v for _, v in pairs]
        self._greatest = self.add_optimizer_variables(variables, "velocity_hat") if self.amsgrad else []

    def update_step(self, gradient: Tensor, variable: Variable, learning_rate: Tensor) -> None:
        index, dtype = self.index_of(variable), variable.dtype
        m, v = self._momentums[index], self._velocities[index]
        step = cast(self.iterations + 1, dtype)
        first, second = (power(convert_to_tensor(beta, dtype), step) for beta in (self.beta_1, self.beta_2))
        rate = learning_rate * sqrt(1 - second) / (1 - first)
        m.assign_add((gradient - m) * (1 - self.beta_1))
        v.assign_add((square(gradient) - v) * (1 - self.beta_2))
        if self.amsgrad:
            greatest = self._greatest[index]
            greatest.assign(maximum(greatest, v))
            v = greatest
        variable.assign_sub(m * rate / (sqrt(v) + self.epsilon))

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "beta_1": self.beta_1, "beta_2": self.beta_2, "epsilon": self.epsilon,
                "amsgrad": self.amsgrad}  # fmt: skip


class AdamW(Adam):
    """`Adam` with a weight decay apart from the gradients (Loshchilov & Hutter, 2019)."""

    def __init__(
        self, learning_rate: object = 0.001, weight_decay: float | None = 0.004, beta_1: float = 0.9,
        beta_2: float = 0.999, epsilon: float = 1e-7, amsgrad: bool = False, *args: object, **kwargs: object
    ) -> None:  # fmt: skip
        super().__init__(learning_rate, beta_1, beta_2, epsilon, amsgrad, weight_decay, *args, **kwargs)
        if self.weight_decay is None:
            raise InvalidArgumentError(
                f"Argument `weight_decay` must be a float. Received: weight_decay={weight_decay}"
            )


class RMSprop(Optimizer):
    """RMSprop (Hinton, 2012): `v = rho * v + (1 - rho) * g ** 2`, `w = w - learning_rate * g / sqrt(v + epsilon)`.

    `centered` subtracts the square of the mean gradient from `v`, and with `momentum` the steps add up as in
    `m = momentum * m + step`. Further arguments are those of `Optimizer`.
    """

    def __init__(
        self, learning_rate: object = 0.001, rho: float = 0.9, momentum: float = 0.0, epsilon: float = 1e-7,
        centered: bool = False, *args: Any, **kwargs: Any
    ) -> None:  # fmt: skip
        super().__init__(learning_rate, *args, **kwargs)
        self.rho, self.momentum, self.epsilon, self.centered = rho, momentum, epsilon, centered

    def build(self, variables: Sequence[Any]) -> None:
        super().build(variables)
        self._velocities = self.add_optimizer_variables(variables, "velocity")
        self._momentums = self.add_optimizer_variables(variables, "momentum") if self.momentum > 0 else []
        self._means = self.add_optimizer_variables(variables, "average_gradient") if self.centered else []

    def update_step(self, gradient: Tensor, variable: Variable, learning_rate: Tensor) -> None:
        index = self.index_of(variable)
        velocity = self._velocities[index]
        velocity.assign(self.rho * velocity + (1 - self.rho) * square(gradient))
        spread = velocity + self.epsilon
        if self.centered:
            mean = self._means[index]
            mean.assign(self.rho * mean + (1 - self.rho) * gradient)
            spread = velocity - square(mean) + self.epsilon
        step = learning_rate * gradient / sqrt(spread)
        if self.momentum > 0:
            momentum = self._momentums[index]
            momentum.assign(self.momentum * momentum + step)
            step = momentum
        variable.assign_sub(step)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "rho": self.rho, "momentum": self.momentum, "epsilon": self.epsilon,
                "centered": self.centered}  # fmt: skip


class Adagrad(Optimizer):
    """Adagrad (Duchi et al., 2011): `a = a + g ** 2`, `w = w - learning_rate * g / sqrt(a + epsilon)`.

    Further arguments are those of `Optimizer`.
    """

    def __init__(
        self, learning_rate: object = 0.001, initial_accumulator_value: float = 0.1, epsilon: float = 1e-7,
        *args: Any, **kwargs: Any
    ) -> None:  # fmt: skip
        super().__init__(learning_rate, *args, **kwargs)
        self.initial_accumulator_value, self.epsilon = initial_accumulator_value, epsilon

    def build(self, variables: Sequence[Any]) -> None:
        super().build(variables)
        start = initializers.Constant(self.initial_accumulator_value)
        self._accumulators = self.add_optimizer_variables(variables, "accumulator", start)

    def update_step(self, gradient: Tensor, variable: Variable, learning_rate: Tensor) -> None:
        accumulator = self._accumulators[self.index_of(variable)]
        accumulator.assign_add(square(gradient))
        variable.assign_sub(learning_rate * gradient / sqrt(accumulator + self.epsilon))

    def get_config(self) -> dict[str, Any]:
        own = {"initial_accumulator_value": self.initial_accumulator_value, "epsilon": self.epsilon}
        return {**super().get_config(), **own}


registry.add([
    SGD, Adadelta, Adafactor, Adagrad, Adam, AdamW, Adamax, Ftrl, Lamb, Lion, LossScaleOptimizer, MultiOptimizer, Muon,
    Nadam, RMSprop, ScheduleFreeAdamW,
])  # fmt: skip

get = registry.get
serialize = registry.serialize
deserialize = registry.deserialize
leaving.public_module(__name__)
