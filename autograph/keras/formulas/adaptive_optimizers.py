"""More optimizers whose steps depend on the gradients that there have been."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from autograph.errors import InvalidArgumentError
from autograph.runtime.ops.elementwise.elementwise import cast, clip_by_value
from autograph.runtime.ops.elementwise.math import absolute, maximum, minimum, power, sign, sqrt, square
from autograph.runtime.tensors.convert import convert_to_tensor

from .. import initializers
from .optimizer import Optimizer

if TYPE_CHECKING:
    from autograph.runtime.state.variable import Variable
    from autograph.runtime.tensors.likes import TensorLike
    from autograph.runtime.tensors.tensor import Tensor

__all__ = ["Adadelta", "Adamax", "Ftrl", "Lion", "Moments", "Nadam", "ScheduleFreeAdamW"]


class Adadelta(Optimizer):
    """Adadelta (Zeiler, 2012): `a = rho * a + (1 - rho) * g ** 2`, `d = sqrt(b + epsilon) / sqrt(a + epsilon) * g`.

    Then `b = rho * b + (1 - rho) * d ** 2` and `w = w - learning_rate * d`. Further arguments are those of `Optimizer`.
    """

    def __init__(
        self, learning_rate: TensorLike = 0.001, rho: float = 0.95, epsilon: float = 1e-7, *args: Any, **kwargs: Any
    ) -> None:
        super().__init__(learning_rate, *args, **kwargs)
        self.rho, self.epsilon = rho, epsilon

    def build(self, variables: Sequence[Any]) -> None:
        super().build(variables)
        names = ("accumulated_grad", "accumulated_delta_var")
        self._gradients, self._moves = self.add_optimizer_variables(variables, names)

    def update_step(self, gradient: Tensor, variable: Variable, learning_rate: Tensor) -> None:
        index = self.index_of(variable)
        gradients, moves = self._gradients[index], self._moves[index]
        gradients.assign(self.rho * gradients + (1 - self.rho) * square(gradient))
        move = sqrt(moves + self.epsilon) / sqrt(gradients + self.epsilon) * gradient
        moves.assign(self.rho * moves + (1 - self.rho) * square(move))
        variable.assign_sub(learning_rate * move)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "rho": self.rho, "epsilon": self.epsilon}


class Moments(Optimizer):
    """What optimizers with two moments share: their settings and variables."""

    names = ("momentum", "velocity")

    def __init__(
        self, learning_rate: object = 0.001, beta_1: float = 0.9, beta_2: float = 0.999, epsilon: float = 1e-7,
        *args: Any, **kwargs: Any
    ) -> None:  # fmt: skip
        super().__init__(learning_rate, *args, **kwargs)
        self.beta_1, self.beta_2, self.epsilon = beta_1, beta_2, epsilon

    def build(self, variables: Sequence[Any]) -> None:
        super().build(variables)
        self._first, self._second = self.add_optimizer_variables(variables, self.names)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "beta_1": self.beta_1, "beta_2": self.beta_2, "epsilon": self.epsilon}


class Adamax(Moments):
    """Adam with the greatest absolute gradient (Kingma & Ba, 2015, section 7.1).

    `m = m + (1 - beta_1) * (g - m)`, `u = max(beta_2 * u, abs(g))` and, at step `t`,
    `w = w - learning_rate / (1 - beta_1 ** t) * m / (u + epsilon)`. Further arguments are those of `Optimizer`.
    """

    names = ("momentum", "norm")

    def update_step(self, gradient: Tensor, variable: Variable, learning_rate: Tensor) -> None:
        index, dtype = self.index_of(variable), variable.dtype
        m, u = self._first[index], self._second[index]
        decayed = power(convert_to_tensor(self.beta_1, dtype), cast(self.iterations + 1, dtype))
        m.assign_add((gradient - m) * (1 - self.beta_1))
        u.assign(maximum(self.beta_2 * u, absolute(gradient)))
        variable.assign_sub(learning_rate * m / ((1 - decayed) * (u + self.epsilon)))


class Nadam(Moments):
    """Adam with Nesterov's momentum (Dozat, 2016).

    With `c(t) = beta_1 * (1 - 0.96 ** t / 2)`, `p` the product of all `c` so far and Adam's moments m and v,
    `n = c(t + 1) * m / (1 - p * c(t + 1)) + (1 - c(t)) * g / (1 - p)` and
    `w = w - learning_rate * n / (sqrt(v / (1 - beta_2 ** t)) + epsilon)`. Further arguments are those of `Optimizer`.
    """

    def build(self, variables: Sequence[Any]) -> None:
        super().build(variables)
        self._product = self.add_variable((), initializers.Ones(), "float32", name="u_product")

    def _momentum_at(self, step: Any) -> Any:
        return self.beta_1 * (1.0 - 0.5 * power(convert_to_tensor(0.96, step.dtype), step))

    def _update(self, grads: list[Any], variables: list[Any]) -> None:
        self._product.assign(self._product * self._momentum_at(cast(self.iterations + 1, "float32")))
        super()._update(grads, variables)

    def update_step(self, gradient: Tensor, variable: Variable, learning_rate: Tensor) -> None:
        index, dtype = self.index_of(variable), variable.dtype
        m, v = self._first[index], self._second[index]
        step = cast(self.iterations + 1, dtype)
        product, now, following = cast(self._product, dtype), self._momentum_at(step), self._momentum_at(step + 1)
        decayed = power(convert_to_tensor(self.beta_2, dtype), step)
        m.assign_add((gradient - m) * (1 - self.beta_1))
        v.assign_add((square(gradient) - v) * (1 - self.beta_2))
        ahead = following * m / (1 - product * following) + (1 - now) * gradient / (1 - product)
        variable.assign_sub(learning_rate * ahead / (sqrt(v / (1 - decayed)) + self.epsilon))


class ScheduleFreeAdamW(Moments):
    """AdamW that needs no schedule (Defazio et al., 2024): the variables are near a mean of all steps.

    With Adam's second moment `v`, and `z` that begins with the variable: `z = z - learning_rate * g / (sqrt(v / (1 -
    beta_2 ** t)) + epsilon)`, `x = (w - (1 - beta_1) * z) / beta_1`, `x = (1 - 1 / t) * x + z / t` and
    `w = (1 - beta_1) * z + beta_1 * x`. In the first ``warmup_steps`` the learning rate grows from 0 on. The first
    `x` is made with the new `z`, as Keras's on TensorFlow is. Further arguments are those of `Optimizer`.
    """

    def __init__(
        self, learning_rate: object = 0.0025, beta_1: float = 0.9, beta_2: float = 0.999, epsilon: float = 1e-8,
        warmup_steps: int = 0, *args: Any, **kwargs: Any
    ) -> None:  # fmt: skip
        super().__init__(learning_rate, beta_1, beta_2, epsilon, *args, **kwargs)
        self.warmup_steps = warmup_steps

    def build(self, variables: Sequence[Any]) -> None:
        super().build(variables)
        for start, variable in zip(self._first, variables, strict=True):
            start.assign(variable)

    def update_step(self, gradient: Tensor, variable: Variable, learning_rate: Tensor) -> None:
        index, dtype = self.index_of(variable), variable.dtype
        z, v = self._first[index], self._second[index]
        step = cast(self.iterations + 1, dtype)
        if self.warmup_steps > 0:
            learning_rate = learning_rate * minimum(step / self.warmup_steps, 1)
        v.assign_add((square(gradient) - v) * (1 - self.beta_2))
        decayed = power(convert_to_tensor(self.beta_2, dtype), step)
        z.assign_sub(learning_rate * gradient / (sqrt(v / (1 - decayed)) + self.epsilon))
        x = (variable - (1 - self.beta_1) * z) / self.beta_1
        x = (1 - 1 / step) * x + 1 / step * z
        variable.assign((1 - self.beta_1) * z + self.beta_1 * x)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "warmup_steps": self.warmup_steps}


class Lion(Optimizer):
    """Signs of moments (Chen et al., 2023): `w = w - learning_rate * sign(beta_1 * m + (1 - beta_1) * g)`.

    Then `m = beta_2 * m + (1 - beta_2) * g`. Further arguments are those of `Optimizer`. Raises `ValueError` for a
    ``beta_1`` that is 0 or less, or above 1.
    """

    def __init__(
        self, learning_rate: object = 0.001, beta_1: float = 0.9, beta_2: float = 0.99, *args: Any, **kwargs: Any
    ) -> None:
        super().__init__(learning_rate, *args, **kwargs)
        if not 0 < beta_1 <= 1:
            raise InvalidArgumentError("Argument `beta_1` must be in the [0, 1] range. Otherwise, the optimizer "
                                       f"degenerates to SignSGD. Received: beta_1={beta_1}.")  # fmt: skip
        self.beta_1, self.beta_2 = beta_1, beta_2

    def build(self, variables: Sequence[Any]) -> None:
        super().build(variables)
        self._momentums = self.add_optimizer_variables(variables, "momentum")

    def update_step(self, gradient: Tensor, variable: Variable, learning_rate: Tensor) -> None:
        m = self._momentums[self.index_of(variable)]
        variable.assign_sub(learning_rate * sign(m * self.beta_1 + gradient * (1 - self.beta_1)))
        m.assign(m * self.beta_2 + gradient * (1 - self.beta_2))

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "beta_1": self.beta_1, "beta_2": self.beta_2}


class Ftrl(Optimizer):
    """Follow the regularised leader (McMahan et al., 2013).

    With `q = -learning_rate_power`, `n` the sum of `g ** 2` from `initial_accumulator_value` on, `n'` that before and
    `s` the `l2_shrinkage_regularization_strength`, `z = z + g + 2 * s * w - (n ** q - n' ** q) / learning_rate * w`
    and `w = (clip(z, -l1, l1) - z) / (n ** q / learning_rate + 2 * (l2 + beta / (2 * learning_rate)))`, with `l1`
    and `l2` the regularization strengths. Further arguments are those of `Optimizer`. Raises `ValueError` for a
    positive power, and other arguments below 0.
    """

    def __init__(
        self, learning_rate: TensorLike = 0.001, learning_rate_power: float = -0.5,
        initial_accumulator_value: float = 0.1, l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0, l2_shrinkage_regularization_strength: float = 0.0, beta: float = 0.0,
        *args: Any, **kwargs: Any
    ) -> None:  # fmt: skip
        super().__init__(learning_rate, *args, **kwargs)
        if learning_rate_power > 0:
            raise InvalidArgumentError("`learning_rate_power` needs to be negative or zero. Received: "
                                       f"learning_rate_power={learning_rate_power}.")  # fmt: skip
        self.learning_rate_power, self.initial_accumulator_value = learning_rate_power, initial_accumulator_value
        self.l1_regularization_strength = l1_regularization_strength
        self.l2_regularization_strength = l2_regularization_strength
        self.l2_shrinkage_regularization_strength = l2_shrinkage_regularization_strength
        self.beta = beta
        for name in ("initial_accumulator_value", "l1_regularization_strength", "l2_regularization_strength",
                     "l2_shrinkage_regularization_strength"):  # fmt: skip
            if getattr(self, name) < 0:
                raise InvalidArgumentError(
                    f"`{name}` needs to be positive or zero. Received: {name}={getattr(self, name)}."
                )

    def build(self, variables: Sequence[Any]) -> None:
        super().build(variables)
        start = initializers.Constant(self.initial_accumulator_value)
        pairs = self.add_optimizer_variables(variables, ("accumulator", "linear"), (start, "zeros"))
        self._accumulators, self._linears = pairs

    def update_step(self, gradient: Any, variable: Any, learning_rate: Tensor) -> None:
        index = self.index_of(variable)
        accumulator, linear = self._accumulators[index], self._linears[index]
        l1, l2 = self.l1_regularization_strength, self.l2_regularization_strength
        total = accumulator + square(gradient)
        before, after = (power(each, -self.learning_rate_power) for each in (accumulator, total))
        shrunk = gradient + 2 * self.l2_shrinkage_regularization_strength * variable
        linear.assign_add(shrunk - (after - before) / learning_rate * variable)
        scale = after / learning_rate + 2 * (l2 + self.beta / (2 * learning_rate))
        variable.assign((clip_by_value(linear, -l1, l1) - linear) / scale)
        accumulator.assign(total)

    def get_config(self) -> dict[str, Any]:
        names = ("learning_rate_power", "initial_accumulator_value", "l1_regularization_strength",
                 "l2_regularization_strength", "l2_shrinkage_regularization_strength", "beta")  # fmt: skip
        return {**super().get_config(), **{name: getattr(self, name) for name in names}}
