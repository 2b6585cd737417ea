"""Optimizers that look at a variable as a whole: at its norm, its rows and columns, or as a matrix."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from autograph.runtime.ops.elementwise.elementwise import cast, where
from autograph.runtime.ops.elementwise.math import maximum, minimum, power, sqrt, square
from autograph.runtime.ops.linalg.linalg import matmul
from autograph.runtime.ops.reduce.reduce import reduce_mean, reduce_sum
from autograph.runtime.ops.shape.shape import expand_dims, transpose
from autograph.runtime.tensors.convert import convert_to_tensor

from .adaptive_optimizers import Moments
from .optimizer import Optimizer
from .optimizer_variables import path_of

if TYPE_CHECKING:
    from autograph.runtime.state.variable import Variable
    from autograph.runtime.tensors.likes import TensorLike
    from autograph.runtime.tensors.tensor import Tensor

__all__ = ["Adafactor", "Lamb", "Muon"]


def _corrections(step: Tensor, betas: tuple[float, float]) -> tuple[Tensor, Tensor]:
    """What the moments of Adam are divided by at step `t`: `1 - beta ** t` for both."""
    first, second = (1 - power(convert_to_tensor(beta, step.dtype), step) for beta in betas)
    return first, second


def _root_mean_square(x: TensorLike) -> Tensor:
    return sqrt(reduce_mean(square(x)))


class Lamb(Moments):
    """Adam with steps as long as the variable (You et al., 2020).

    With Adam's moments `m` and `v`, `u = m / (1 - beta_1 ** t) / (sqrt(v / (1 - beta_2 ** t)) + epsilon)` and
    `w = w - learning_rate * norm(w) / norm(u) * u`, where the quotient of the norms is 1 if one of them is 0. Further
    arguments are those of `Optimizer`.
    """

    def update_step(self, gradient: Tensor, variable: Variable, learning_rate: Tensor) -> None:
        index = self.index_of(variable)
        m, v = self._first[index], self._second[index]
        first, second = _corrections(cast(self.iterations + 1, variable.dtype), (self.beta_1, self.beta_2))
        m.assign_add((gradient - m) * (1 - self.beta_1))
        v.assign_add((square(gradient) - v) * (1 - self.beta_2))
        update = (m / first) / (sqrt(v / second) + self.epsilon)
        of_variable, of_update = (sqrt(reduce_sum(square(each))) for each in (variable, update))
        both = (of_variable > 0) & (of_update > 0)
        ratio = where(both, of_variable / of_update, convert_to_tensor(1, variable.dtype))
        variable.assign_sub(ratio * learning_rate * update)


class Adafactor(Optimizer):
    """Adam that keeps means over rows and columns in place of second moments (Shazeer & Stern, 2018).

    At step `t`, with `rms(x) = sqrt(mean(x ** 2))`, `b = 1 - t ** beta_2_decay` and `s = g ** 2 + epsilon_1`:

    * of variables with two axes or more `r = b * r + (1 - b) * mean(s, axis=-1)`,
      `c = b * c + (1 - b) * mean(s, axis=-2)` and `v = r / mean(r, axis=-1) * c`, of the others
      `v = b * v + (1 - b) * s`;
    * `u = g / sqrt(v)`, and
      `w = w - max(epsilon_2, rms(w)) * min(learning_rate, 1 / sqrt(t)) * u / max(1, rms(u) / clip_threshold)`.

    ``relative_step`` changes nothing, as in Keras: the learning rate is at most `1 / sqrt(t)` in any case. Further
    arguments are those of `Optimizer`.
    """

    def __init__(
        self, learning_rate: object = 0.001, beta_2_decay: float = -0.8, epsilon_1: float = 1e-30,
        epsilon_2: float = 1e-3, clip_threshold: float = 1.0, relative_step: bool = True, *args: Any, **kwargs: Any
    ) -> None:  # fmt: skip
        super().__init__(learning_rate, *args, **kwargs)
        self.beta_2_decay, self.epsilon_1, self.epsilon_2 = beta_2_decay, epsilon_1, epsilon_2
        self.clip_threshold, self.relative_step = clip_threshold, relative_step

    def build(self, variables: Sequence[Any]) -> None:
        super().build(variables)
        self._rows, self._columns, self._second = [], [], []
        for variable in variables:
            shape, name = tuple(variable.shape), path_of(variable).split("/")[-1].split(":")[0]
            # Keras keeps numbers, which nothing sets, for variables that have no rows and columns.
            of_rows, of_columns = (shape[:-1], (*shape[:-2], shape[-1])) if len(shape) > 1 else ((), ())
            self._rows.append(self.add_variable(of_rows, dtype=variable.dtype, name=name))
            self._columns.append(self.add_variable(of_columns, dtype=variable.dtype, name=name))
            self._second.append(self.add_variable_from_reference(variable, "velocity"))

    def _second_moment(self, index: int, squares: Tensor, decay: Tensor) -> Tensor:
        if len(squares.shape) < 2:
            return decay * self._second[index] + (1 - decay) * squares
        rows, columns = self._rows[index], self._columns[index]
        rows.assign(decay * rows + (1 - decay) * reduce_mean(squares, -1))
        columns.assign(decay * columns + (1 - decay) * reduce_mean(squares, -2))
        return expand_dims(rows / reduce_mean(rows, -1, keepdims=True), -1) * expand_dims(columns, -2)

    def update_step(self, gradient: Tensor, variable: Variable, learning_rate: Tensor) -> None:
        index, dtype = self.index_of(variable), variable.dtype
        step = cast(self.iterations + 1, dtype)
        decay = 1 - power(step, convert_to_tensor(self.beta_2_decay, dtype))
        second = self._second[index]
        second.assign(self._second_moment(index, square(gradient) + self.epsilon_1, decay))
        update = gradient / sqrt(second)
        too_long = maximum(convert_to_tensor(1, dtype), _root_mean_square(update) / self.clip_threshold)
        size = maximum(convert_to_tensor(self.epsilon_2, dtype), _root_mean_square(variable))
        variable.assign_sub(size * minimum(learning_rate, 1 / sqrt(step)) * (update / too_long))

    def get_config(self) -> dict[str, Any]:
        names = ("beta_2_decay", "epsilon_1", "epsilon_2", "clip_threshold", "relative_step")
        return {**super().get_config(), **{name: getattr(self, name) for name in names}}


class Muon(Optimizer):
    """Steps of which all singular values are about 1, for matrices (Jordan et al., 2024; Liu et al., 2025).

    For a matrix `m = momentum * m + g`, and `u` is `g + momentum * m`, or `m` without ``nesterov``. It is divided by
    its norm and brought near the orthogonal matrix next to it by `x = muon_a * x + (muon_b * y + muon_c * y @ y) @ x`
    with `y = x @ x.T`, ``ns_steps`` times. Then `w = w - learning_rate * sqrt(max(rows, columns)) * rms_rate * u`,
    without the last two factors if ``rms_rate`` is None.

    Variables that are no matrices, those with ``embedding`` in their path if ``exclude_embeddings``, and those in whose
    path one of the patterns ``exclude_layers`` is found, take the steps of `AdamW` instead, with the learning rate
    times ``adam_lr_ratio``, and ``adam_weight_decay``. Further arguments are those of `Optimizer`.
    """

    def __init__(
        self, learning_rate: object = 0.001, adam_beta_1: float = 0.9, adam_beta_2: float = 0.999,
        adam_weight_decay: float | None = 0.004, epsilon: float = 1e-7, weight_decay: float | None = 0.004,
        clipnorm: float | None = None, clipvalue: float | None = None, global_clipnorm: float | None = None,
        use_ema: bool = False, ema_momentum: float = 0.99, ema_overwrite_frequency: int | None = None,
        loss_scale_factor: float | None = None, gradient_accumulation_steps: int | None = None,
        name: str | None = None, exclude_layers: Sequence[str] | None = None, exclude_embeddings: bool = True,
        muon_a: float = 3.4445, muon_b: float = -4.7750, muon_c: float = 2.0315, adam_lr_ratio: float = 1,
        momentum: float = 0.95, ns_steps: int = 5, nesterov: bool = True, rms_rate: float | None = 0.2
    ) -> None:  # fmt: skip
        super().__init__(
            learning_rate, weight_decay, clipnorm, clipvalue, global_clipnorm, use_ema, ema_momentum,
            ema_overwrite_frequency, loss_scale_factor, gradient_accumulation_steps, name=name,
        )  # fmt: skip
        self.adam_beta_1, self.adam_beta_2, self.adam_weight_decay = adam_beta_1, adam_beta_2, adam_weight_decay
        self.epsilon, self.adam_lr_ratio = epsilon, adam_lr_ratio
        self.exclude_layers, self.exclude_embeddings = list(exclude_layers or ()), exclude_embeddings
        self.muon_a, self.muon_b, self.muon_c = muon_a, muon_b, muon_c
        self.momentum, self.ns_steps, self.nesterov, self.rms_rate = momentum, ns_steps, nesterov, rms_rate

    def build(self, variables: Sequence[Any]) -> None:
        super().build(variables)
        self._momentums: list[Any] = []
        self._velocities: list[Any] = []
        for variable in variables:
            self._momentums.append(self.add_variable_from_reference(variable, "momentum"))
            velocity = self.add_variable_from_reference(variable, "velocity") if self._is_adams(variable) else None
            self._velocities.append(velocity)

    def _is_adams(self, variable: Variable) -> bool:
        """Whether a variable takes the steps of AdamW."""
        path = path_of(variable)
        if len(variable.shape) != 2 or (self.exclude_embeddings and "embedding" in path.lower()):
            return True
        return any(re.search(pattern, path) for pattern in self.exclude_layers)

    def _decay_of(self, variable: Variable) -> float | None:
        if not self._is_decayed(variable):
            return None
        return self.adam_weight_decay if self._is_adams(variable) else self.weight_decay

    def update_step(self, gradient: Tensor, variable: Variable, learning_rate: Tensor) -> None:
        index = self.index_of(variable)
        if self._velocities[index] is not None:
            self._step_of_adam(index, gradient, variable, learning_rate * self.adam_lr_ratio)
            return
        m = self._momentums[index]
        m.assign_add(gradient + m * (self.momentum - 1))
        update = learning_rate * self._orthogonal(gradient + self.momentum * m if self.nesterov else m)
        if self.rms_rate is not None:
            update = update * max(each or 0 for each in variable.shape) ** 0.5 * self.rms_rate
        variable.assign_sub(update)

    def _orthogonal(self, x: Tensor) -> Tensor:
        """About the orthogonal matrix that is next to one, by Newton's and Schulz's iteration of degree five."""
        is_tall = x.shape[0] > x.shape[1]
        x = transpose(x) if is_tall else x
        x = x / (sqrt(reduce_sum(square(x))) + 1e-7)
        for _ in range(self.ns_steps):
            y = matmul(x, x, transpose_b=True)
            x = self.muon_a * x + matmul(self.muon_b * y + self.muon_c * matmul(y, y), x)
        return transpose(x) if is_tall else x

    def _step_of_adam(self, index: int, gradient: Tensor, variable: Variable, rate: Tensor) -> None:
        m, v = self._momentums[index], self._velocities[index]
        first, second = _corrections(cast(self.iterations + 1, variable.dtype), (self.adam_beta_1, self.adam_beta_2))
        m.assign_add((gradient - m) * (1 - self.adam_beta_1))
        v.assign_add((square(gradient) - v) * (1 - self.adam_beta_2))
        variable.assign_sub(m * (rate * sqrt(second) / first) / (sqrt(v) + self.epsilon))

    def get_config(self) -> dict[str, Any]:
        names = ("adam_beta_1", "adam_beta_2", "epsilon", "exclude_layers", "muon_a", "muon_b", "muon_c",
                 "adam_lr_ratio", "momentum", "ns_steps", "nesterov", "exclude_embeddings", "adam_weight_decay",
                 "rms_rate")  # fmt: skip
        return {**super().get_config(), **{name: getattr(self, name) for name in names}}
