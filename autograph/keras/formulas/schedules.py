"""Learning rates that depend on the number of the step."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from autograph.errors import InvalidArgumentError, UnimplementedError
from autograph.runtime.base.pickling.carried import Travelling
from autograph.runtime.ops.elementwise.elementwise import cast, where
from autograph.runtime.ops.elementwise.math import ceil, cos, floor, log, minimum, power
from autograph.runtime.tensors.convert import convert_to_tensor
from autograph.runtime.tensors.trace import name_scope
from autograph.tracebacks import leaving

from ..base.registry import Registry

if TYPE_CHECKING:
    from autograph.runtime.tensors.likes import TensorLike

__all__ = [
    "CosineDecay", "CosineDecayRestarts", "ExponentialDecay", "InverseTimeDecay", "LearningRateSchedule",
    "PiecewiseConstantDecay", "PolynomialDecay", "deserialize", "serialize",
]  # fmt: skip


class LearningRateSchedule(Travelling):
    """The base of schedules; subclasses define ``__call__(step)`` and `get_config`."""

    def __call__(self, step: TensorLike) -> Any:
        """The learning rate at a step, a number or a tensor."""
        raise UnimplementedError(
            f"Learning rate schedule '{type(self).__name__}' must override `__call__(self, step)`."
        )

    def get_config(self) -> dict[str, Any]:
        """The arguments that make an equal schedule."""
        raise UnimplementedError(
            f"Learning rate schedule '{type(self).__name__}' must override `get_config()` in order to be serializable."
        )

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """A schedule with the arguments that `get_config` returned."""
        return cls(**config)


class _Decay(LearningRateSchedule):
    """A schedule that starts at a rate and has a number of steps; its attributes named in `settings` are its config."""

    settings: tuple[str, ...]

    def __init__(self, initial_learning_rate: object, steps: float, name: str, what: str = "decay_steps") -> None:
        if steps <= 0:
            raise InvalidArgumentError(f"Argument `{what}` must be > 0. Received: {what}={steps}")
        self.initial_learning_rate = initial_learning_rate
        self.name = name
        setattr(self, what, steps)

    def _start(self, step: TensorLike) -> tuple[Any, Any]:
        """The first rate, and the step in its dtype."""
        rate = convert_to_tensor(self.initial_learning_rate)
        return rate, cast(step, rate.dtype)

    def get_config(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("initial_learning_rate", *self.settings, "name")}


class _RateDecay(_Decay):
    """What `ExponentialDecay` and `InverseTimeDecay` are given."""

    settings = ("decay_steps", "decay_rate", "staircase")
    decay_steps: float

    def __init__(
        self, initial_learning_rate: object, decay_steps: float, decay_rate: float, staircase: bool = False,
        name: str | None = None
    ) -> None:  # fmt: skip
        super().__init__(initial_learning_rate, decay_steps, name or type(self).__name__)
        self.decay_rate, self.staircase = decay_rate, staircase

    def _periods(self, step: Any) -> Any:
        """How often `decay_steps` have passed."""
        return floor(step / self.decay_steps) if self.staircase else step / self.decay_steps


class ExponentialDecay(_RateDecay):
    """`initial_learning_rate * decay_rate ** (step / decay_steps)`, the exponent rounded down if `staircase`."""

    def __call__(self, step: TensorLike) -> Any:
        with name_scope(self.name):
            rate, step = self._start(step)
            return rate * power(cast(self.decay_rate, rate.dtype), self._periods(step))


class InverseTimeDecay(_RateDecay):
    """`initial_learning_rate / (1 + decay_rate * step / decay_steps)`, the quotient rounded down if `staircase`."""

    def __call__(self, step: TensorLike) -> Any:
        with name_scope(self.name):
            rate, step = self._start(step)
            return rate / (1 + self.decay_rate * self._periods(step))


class PolynomialDecay(_Decay):
    """`(initial - end) * (1 - step / decay_steps) ** power + end`, from `decay_steps` on `end`.

    With `cycle`, `decay_steps` is instead multiplied by the smallest whole number that makes it at least `step`.
    """

    settings = ("decay_steps", "end_learning_rate", "power", "cycle")
    decay_steps: float

    def __init__(
        self, initial_learning_rate: object, decay_steps: float, end_learning_rate: float = 0.0001, power: float = 1.0,
        cycle: bool = False, name: str = "PolynomialDecay"
    ) -> None:  # fmt: skip
        super().__init__(initial_learning_rate, decay_steps, name)
        self.end_learning_rate, self.power, self.cycle = end_learning_rate, power, cycle

    def __call__(self, step: Any) -> Any:
        with name_scope(self.name):
            rate, step = self._start(step)
            if self.cycle:
                steps = self.decay_steps * where(step == 0, 1.0, ceil(step / self.decay_steps))
            else:
                steps = cast(self.decay_steps, rate.dtype)
                step = minimum(step, steps)
            left = power(1 - step / steps, cast(self.power, rate.dtype))
            return (rate - self.end_learning_rate) * left + self.end_learning_rate


class CosineDecay(_Decay):
    """From a rate down to `alpha` times it along half a cosine (Loshchilov & Hutter, 2017).

    `rate * ((1 - alpha) * (1 + cos(pi * step / decay_steps)) / 2 + alpha)`, with `step` at most `decay_steps`. With a
    `warmup_target` the rate first grows linearly to it in `warmup_steps`, and decays from there.
    """

    settings = ("decay_steps", "alpha", "warmup_target", "warmup_steps")
    decay_steps: float

    def __init__(
        self, initial_learning_rate: object, decay_steps: float, alpha: float = 0.0, name: str = "CosineDecay",
        warmup_target: float | None = None, warmup_steps: float = 0
    ) -> None:  # fmt: skip
        super().__init__(initial_learning_rate, decay_steps, name)
        self.alpha, self.warmup_target, self.warmup_steps = alpha, warmup_target, warmup_steps

    def _decayed(self, rate: TensorLike, step: TensorLike) -> Any:
        wave = 0.5 * (1 + cos(math.pi * minimum(step, self.decay_steps) / self.decay_steps))
        return rate * ((1 - self.alpha) * wave + self.alpha)

    def __call__(self, step: Any) -> Any:
        with name_scope(self.name):
            rate, step = self._start(step)
            if self.warmup_target is None:
                return self._decayed(rate, step)
            target = cast(self.warmup_target, rate.dtype)
            decayed = self._decayed(target, step - self.warmup_steps)
            if not self.warmup_steps:
                return decayed
            return where(step < self.warmup_steps, (target - rate) * step / self.warmup_steps + rate, decayed)


class CosineDecayRestarts(_Decay):
    """As `CosineDecay`, again and again: each period is `t_mul` times as long as the last, and starts `m_mul` as high.

    (Loshchilov & Hutter, 2017.)
    """

    settings = ("first_decay_steps", "t_mul", "m_mul", "alpha")
    first_decay_steps: float

    def __init__(
        self, initial_learning_rate: object, first_decay_steps: float, t_mul: float = 2.0, m_mul: float = 1.0,
        alpha: float = 0.0, name: str = "SGDRDecay"
    ) -> None:  # fmt: skip
        super().__init__(initial_learning_rate, first_decay_steps, name, "first_decay_steps")
        self.t_mul, self.m_mul, self.alpha = t_mul, m_mul, alpha

    def __call__(self, step: Any) -> Any:
        with name_scope(self.name):
            rate, step = self._start(step)
            done = step / self.first_decay_steps
            if self.t_mul == 1:
                period = floor(done)
                done = done - period
            else:
                # The first n periods take (1 - t_mul ** n) / (1 - t_mul) times the length of the first.
                period = floor(log(1 - done * (1 - self.t_mul)) / math.log(self.t_mul))
                length = power(cast(self.t_mul, rate.dtype), period)
                done = (done - (1 - length) / (1 - self.t_mul)) / length
            wave = 0.5 * power(cast(self.m_mul, rate.dtype), period) * (1 + cos(math.pi * done))
            return rate * ((1 - self.alpha) * wave + self.alpha)


class PiecewiseConstantDecay(LearningRateSchedule):
    """`values[0]` up to and with the step `boundaries[0]`, then `values[1]` up to `boundaries[1]`, and so on.

    Raises `ValueError` unless there is one value more than there are boundaries.
    """

    def __init__(self, boundaries: Sequence[float], values: Sequence[float], name: str = "PiecewiseConstant") -> None:
        if len(boundaries) != len(values) - 1:
            raise InvalidArgumentError(
                "The length of boundaries should be 1 less than the length of values. "
                f"Received: boundaries={boundaries} of length {len(boundaries)}, and values={values} "
                f"of length {len(values)}."
            )
        self.boundaries, self.values, self.name = boundaries, values, name

    def __call__(self, step: TensorLike) -> Any:
        with name_scope(self.name):
            step = convert_to_tensor(step)
            rate = convert_to_tensor(self.values[-1])
            for boundary, value in list(zip(self.boundaries, self.values, strict=False))[::-1]:
                rate = where(step <= cast(boundary, step.dtype), cast(value, rate.dtype), rate)
            return rate

    def get_config(self) -> dict[str, Any]:
        return {"boundaries": self.boundaries, "values": self.values, "name": self.name}


registry = Registry(
    "learning rate schedule", "keras.optimizers.schedules",
    [CosineDecay, CosineDecayRestarts, ExponentialDecay, InverseTimeDecay, PiecewiseConstantDecay, PolynomialDecay],
)  # fmt: skip

serialize = registry.serialize
deserialize = registry.deserialize


leaving.public_module(__name__)
