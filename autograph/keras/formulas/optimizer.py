"""The base of optimizers.

An optimizer keeps the number of its steps, its learning rate and, for each variable that it was built for, further
variables. It builds them for the variables of its first step, also while that is being traced.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from autograph.distribute.context import summed_over_replicas
from autograph.errors import InvalidArgumentError, InvalidTypeError, UnimplementedError
from autograph.runtime.base.pickling.carried import Travelling
from autograph.runtime.base.places import warn
from autograph.runtime.gradient import GradientTape
from autograph.runtime.ops.combined import clip_by_global_norm, clip_by_norm
from autograph.runtime.ops.elementwise.elementwise import cast, clip_by_value, where
from autograph.runtime.ops.elementwise.math import not_equal
from autograph.runtime.ops.shape.create import zeros_like
from autograph.runtime.state.variable import Variable
from autograph.runtime.tensors import trace
from autograph.runtime.tensors.convert import convert_to_tensor
from autograph.runtime.tensors.tensor import Tensor
from autograph.runtime.tensors.trace import name_scope

from .. import initializers
from ..base.names import auto_name
from ..base.registry import Registry
from ..base.staging import call_if, converted_call
from . import schedules
from .optimizer_variables import VariablesOfOptimizer, path_of

__all__ = ["Optimizer", "registry"]

_NUMBERS = (int, float, np.number, np.ndarray, Tensor, Variable)


class Optimizer(VariablesOfOptimizer, Travelling):
    """The base of optimizers; subclasses define `build` and `update_step`.

    Parameters
    ----------
    learning_rate: a number, which is kept in a variable and can be set; a schedule; or a function without parameters.
    weight_decay: before each step, variables lose this part of themselves, times the learning rate.
    clipnorm, clipvalue, global_clipnorm: the greatest norm of each gradient, the greatest absolute value of their
        elements, or the greatest norm of all gradients together; at most one of them.
    use_ema, ema_momentum: keep `average = ema_momentum * average + (1 - ema_momentum) * variable`.
    ema_overwrite_frequency: after so many steps, each time, variables are set to their averages.
    loss_scale_factor: gradients are divided by it: those of `scale_loss(loss)`.
    gradient_accumulation_steps: so many steps become one, with the mean of their gradients; they count as one in
        `iterations`.
    name: after the class when left out.

    Raises `ValueError` for arguments out of range.
    """

    def __init__(
        self, learning_rate: Any, weight_decay: float | None = None, clipnorm: float | None = None,
        clipvalue: float | None = None, global_clipnorm: float | None = None, use_ema: bool = False,
        ema_momentum: float = 0.99, ema_overwrite_frequency: int | None = None,
        loss_scale_factor: float | None = None, gradient_accumulation_steps: int | None = None, *,
        name: str | None = None
    ) -> None:  # fmt: skip
        if sum(each is not None for each in (clipnorm, clipvalue, global_clipnorm)) > 1:
            raise InvalidArgumentError(
                "Only one of `clipnorm`, `clipvalue` and `global_clipnorm` can be set. Received: "
                f"clipnorm={clipnorm}, clipvalue={clipvalue}, global_clipnorm={global_clipnorm}"
            )
        if use_ema and not 0 <= ema_momentum <= 1:
            raise InvalidArgumentError(
                f"`ema_momentum` must be in the range [0, 1]. Received: ema_momentum={ema_momentum}"
            )
        if use_ema and ema_overwrite_frequency is not None and ema_overwrite_frequency < 1:
            raise InvalidArgumentError("`ema_overwrite_frequency` must be an integer >= 1 or None. Received: "
                             f"ema_overwrite_frequency={ema_overwrite_frequency}")  # fmt: skip
        if gradient_accumulation_steps is not None and gradient_accumulation_steps < 2:
            raise InvalidArgumentError("`gradient_accumulation_steps` must be an integer >= 2. Received: "
                             f"gradient_accumulation_steps={gradient_accumulation_steps}")  # fmt: skip
        if not callable(learning_rate) and not isinstance(learning_rate, _NUMBERS):
            raise InvalidArgumentError(
                "Argument `learning_rate` should be float, or an instance of LearningRateSchedule, or a callable "
                f"without parameters that returns the learning rate. Received instead: learning_rate={learning_rate!r}"
            )
        super().__init__(name or auto_name(type(self).__name__))
        self.weight_decay = weight_decay
        self.clipnorm, self.clipvalue, self.global_clipnorm = clipnorm, clipvalue, global_clipnorm
        self.use_ema, self.ema_momentum, self.ema_overwrite_frequency = use_ema, ema_momentum, ema_overwrite_frequency
        self.loss_scale_factor = loss_scale_factor
        self.gradient_accumulation_steps = gradient_accumulation_steps
        self.built = False
        self._trainable: list[Any] = []
        self._indices: dict[int, int] = {}
        self._averages: list[Any] = []
        self._sums: list[Any] = []
        self._undecayed: list[Any] = []
        self._undecayed_keys: set[int] = set()
        self._undecayed_names: re.Pattern[str] | None = None
        self._iterations = self.add_variable((), dtype="int64", name="iteration")
        self._learning_rate = learning_rate
        if not callable(learning_rate):
            self._learning_rate = self.add_variable((), initializers.Constant(learning_rate), name="learning_rate")

    # Variables

    @property
    def iterations(self) -> Any:
        """The variable that counts the steps, an int64; of gradients that are gathered, the number of whole ones."""
        if self.gradient_accumulation_steps is None:
            return self._iterations
        return self._iterations // self.gradient_accumulation_steps

    def build(self, variables: Sequence[Any]) -> None:
        """Make what the optimizer keeps for each variable; subclasses extend it."""
        if self.use_ema:
            self._averages = self.add_optimizer_variables(variables, "average")
        if self.gradient_accumulation_steps is not None:
            self._sums = self.add_optimizer_variables(variables, "gradient_accumulator")
        self._trainable = list(variables)
        self._number()
        self.built = True

    @property
    def averages(self) -> list[tuple[Any, Any]]:
        """The variables that are trained, each with the one that holds its average; empty without ``use_ema``."""
        return list(zip(self._trainable, self._averages, strict=True)) if self.use_ema else []

    def _number(self) -> None:
        self._indices = {_key(v): i for i, v in enumerate(self._trainable)}
        self._undecayed_keys = {_key(v) for v in self._undecayed}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._number()  # the variables are other objects now

    def index_of(self, variable: Variable) -> int:
        """The position of a variable among those that the optimizer was built for. Raises `ValueError` for others."""
        found = self._indices.get(_key(variable))
        if found is None:
            raise InvalidArgumentError(
                f"Unknown variable: {variable!r}. This optimizer can only be called for the variables it was "
                "originally built with. When working with a new set of variables, you should recreate a new "
                "optimizer instance."
            )
        return found

    # The learning rate

    @property
    def learning_rate(self) -> Any:
        """The learning rate of the next step: the variable, or what the schedule or the function gives."""
        rate = self._learning_rate
        if isinstance(rate, Variable):
            return rate
        if isinstance(rate, schedules.LearningRateSchedule):
            return converted_call(rate)(self._iterations)
        return converted_call(rate)()

    @learning_rate.setter
    def learning_rate(self, value: Any) -> None:
        if callable(value) and not isinstance(value, Variable):
            self._variables = [v for v in self._variables if v is not self._learning_rate]
            self._learning_rate = value
        elif isinstance(self._learning_rate, Variable):
            self._learning_rate.assign(cast(value, self._learning_rate.dtype))
        else:
            raise InvalidTypeError(
                "This optimizer was created with a `LearningRateSchedule` object as its `learning_rate` constructor "
                "argument, hence its learning rate is not settable. If you need the learning rate to be settable, you "
                "should instantiate the optimizer with a float `learning_rate` argument."
            )

    # Steps

    def apply_gradients(self, grads_and_vars: Iterable[tuple[Any, Any]]) -> Any:
        """One step, from pairs of a gradient and its variable; returns the counter of the steps.

        A variable whose gradient is ``None`` stays as it is, with a warning. Raises `ValueError` when all are.
        """
        pairs = list(grads_and_vars)
        if not pairs:
            raise no_gradients(())
        self.apply([g for g, _ in pairs], [v for _, v in pairs])
        return self._iterations

    def apply(self, grads: Sequence[Any], trainable_variables: Sequence[Any] | None = None) -> None:
        """One step, from gradients and their variables: those that the optimizer was built for when left out."""
        if len(grads) == 0:
            return
        variables = self._known(grads) if trainable_variables is None else list(trainable_variables)
        for variable in variables:
            if not hasattr(variable, "assign"):
                raise InvalidTypeError(
                    f"an optimizer trains variables, not {variable!r}",
                    remedy="give apply_gradients pairs of a gradient and its variable: zip(gradients, variables)",
                )
        with name_scope(self.name):
            if not self.built:
                # Outside of all graphs: their values depend on none, and a loop may be what is being traced.
                with trace.building(None):
                    self.build(variables)
            for variable in variables:
                self.index_of(variable)
            gradients, present = _present(grads, variables)
            self._step(*self._overwritten(summed_over_replicas(gradients), present))
            self._iterations.assign_add(1)

    def _known(self, grads: Sequence[Any]) -> list[Any]:
        if not self.built:
            raise InvalidArgumentError(
                "When passing `grads` without `variables`, the optimizer must already be built on a list of variables. "
                "Call `optimizer.build(trainable_variables)` first."
            )
        if len(grads) != len(self._trainable):
            raise InvalidArgumentError(
                "When passing `grads` as a list of gradient tensors, the gradients must match `optimizer.variables` "
                f"one-to-one. Received a list of {len(grads)} gradients, but the optimizer is tracking "
                f"{len(self._trainable)} trainable variables."
            )
        return self._trainable

    def _overwritten(self, grads: list[Any], variables: list[Any]) -> tuple[list[Any], list[Any]]:
        """Set variables that ask for it (``overwrite_with_gradient``) to their gradients; gives the others."""
        rest: list[tuple[Any, Any]] = []
        for gradient, variable in zip(grads, variables, strict=True):
            if not getattr(variable, "overwrite_with_gradient", False):
                rest.append((gradient, variable))
            elif self.gradient_accumulation_steps is not None:
                raise UnimplementedError(
                    f"{variable.name!r} is to be overwritten with its gradient, and gradients are gathered over steps",
                    remedy="leave out gradient_accumulation_steps, or assign the variable yourself",
                )
            else:
                variable.assign(cast(gradient, variable.dtype))
        return [g for g, _ in rest], [v for _, v in rest]

    def _step(self, grads: list[Any], variables: list[Any]) -> None:
        if not grads:
            return
        if self.loss_scale_factor is not None:
            grads = [g / self.loss_scale_factor for g in grads]
        if self.gradient_accumulation_steps is None:
            self._update(grads, variables)
        else:
            self._gather(grads, variables, self.gradient_accumulation_steps)
        if self.use_ema:
            self._average()
        for variable in variables:
            if variable.constraint is not None:
                variable.assign(variable.constraint(variable))

    def _gather(self, grads: list[Any], variables: list[Any], count: int) -> None:
        """Add up gradients; when there are enough of them, make a step of their mean."""
        sums = [self._sums[self.index_of(variable)] for variable in variables]
        for total, gradient in zip(sums, grads, strict=True):
            total.assign_add(gradient)

        def step() -> None:
            self._update([total / count for total in sums], variables)
            for total in self._sums:
                total.assign(zeros_like(total))

        call_if((self._iterations + 1) % count == 0, step)

    def _update(self, grads: list[Any], variables: list[Any]) -> None:
        grads = self._clipped(grads)
        rate = convert_to_tensor(self.learning_rate)
        for variable in variables:
            decay = self._decay_of(variable)
            if decay is not None:
                variable.assign_sub(variable * decay * cast(rate, variable.dtype))
        update = converted_call(self.update_step)
        for gradient, variable in zip(grads, variables, strict=True):
            update(cast(gradient, variable.dtype), variable, cast(rate, variable.dtype))

    def exclude_from_weight_decay(
        self, var_list: Sequence[Any] | None = None, var_names: Sequence[str] | None = None
    ) -> None:  # fmt: skip
        """Leave variables out of the weight decay: these, and those whose path one of some patterns is found in.

        To be called before the first step is made or traced. What an earlier call said no longer counts.
        """
        self._undecayed = list(var_list or ())
        self._number()
        self._undecayed_names = re.compile("|".join(var_names)) if var_names else None

    def _decay_of(self, variable: Variable) -> float | None:
        """The weight decay of a variable; None where it has none."""
        return self.weight_decay if self._is_decayed(variable) else None

    def _is_decayed(self, variable: Variable) -> bool:
        pattern = self._undecayed_names
        return _key(variable) not in self._undecayed_keys and not (pattern and pattern.search(path_of(variable)))

    def _clipped(self, grads: list[Any]) -> list[Any]:
        if self.clipnorm:
            return [clip_by_norm(g, self.clipnorm) for g in grads]
        if self.global_clipnorm:
            return clip_by_global_norm(grads, self.global_clipnorm)[0]
        if self.clipvalue:
            return [clip_by_value(g, -self.clipvalue, self.clipvalue) for g in grads]
        return grads

    def _average(self) -> None:
        """Move the averages; the first step begins with the variables themselves."""
        for variable, average in self.averages:
            momentum = self.ema_momentum * cast(not_equal(self.iterations, 0), variable.dtype)
            average.assign(momentum * average + (1 - momentum) * variable)
            if self.ema_overwrite_frequency:
                due = (self.iterations + 1) % self.ema_overwrite_frequency == 0
                variable.assign(where(due, average, variable))

    def finalize_variable_values(self, var_list: Sequence[Any]) -> None:
        """Set variables to their averages, if the optimizer keeps some."""
        if self.use_ema:
            for variable in var_list:
                variable.assign(self._averages[self.index_of(variable)])

    def update_step(self, gradient: Tensor, variable: Variable, learning_rate: Tensor) -> None:
        """Change a variable by its gradient; both and the learning rate have its dtype."""
        raise UnimplementedError(f"{type(self).__name__} does not define update_step()")

    def stateless_apply(
        self, optimizer_variables: Sequence[Any], grads: Sequence[Any], trainable_variables: Sequence[Any]
    ) -> tuple[list[Any], list[Any]]:
        """What a step would make of values of the variables that are trained, and of the optimizer's own.

        All are given, and returned, in the order in which the optimizer has them; the variables keep their values.
        Raises `ValueError` for other numbers of them, and before the optimizer is built.
        """
        if not self.built:
            raise InvalidArgumentError(f"To call `stateless_apply`, {type(self).__name__} must be built: call "
                                       "`optimizer.build(trainable_variables)`.")  # fmt: skip
        trained = self._trainable
        variables, given = [*trained, *self.variables], [*trainable_variables, *optimizer_variables]
        if len(given) != len(variables) or len(trainable_variables) != len(trained):
            raise InvalidArgumentError(
                f"stateless_apply needs values of the optimizer's {len(variables) - len(trained)} variables and of the "
                f"{len(trained)} that it trains: there are {len(optimizer_variables)} and {len(trainable_variables)}"
            )
        before = [convert_to_tensor(variable) for variable in variables]
        try:
            for variable, value in zip(variables, given, strict=True):
                variable.assign(value)
            self.apply(grads)
            after = [convert_to_tensor(variable) for variable in variables]
        finally:
            for variable, value in zip(variables, before, strict=True):
                variable.assign(value)
        return after[: len(trained)], after[len(trained) :]

    def minimize(self, loss: object, var_list: Sequence[Any], tape: Any = None) -> Any:
        """One step on a loss: a function without parameters, or a tensor with the tape that recorded it.

        Raises `ValueError` for a tensor without a tape.
        """
        if callable(loss):
            with GradientTape() as tape:
                loss = converted_call(loss)()
        elif tape is None:
            raise InvalidArgumentError("`tape` is required when a `Tensor` loss is passed.")
        return self.apply_gradients(zip(tape.gradient(loss, list(var_list)), var_list, strict=True))

    def scale_loss(self, loss: Any) -> Any:
        """The loss times the `loss_scale_factor`, if there is one."""
        return loss if self.loss_scale_factor is None else loss * self.loss_scale_factor

    def get_config(self) -> dict[str, Any]:
        """The arguments that make an equal optimizer, without what it has learnt."""
        rate: Any = self._learning_rate
        if isinstance(rate, Variable):
            rate = float(rate.numpy())
        elif isinstance(rate, schedules.LearningRateSchedule):
            rate = schedules.serialize(rate)
        names = ("weight_decay", "clipnorm", "global_clipnorm", "clipvalue", "use_ema", "ema_momentum",
                 "ema_overwrite_frequency", "loss_scale_factor", "gradient_accumulation_steps")  # fmt: skip
        return {"name": self.name, "learning_rate": rate, **{name: getattr(self, name) for name in names}}

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: dict[str, Callable[..., Any]] | None = None) -> Any:
        """An optimizer with the arguments that `get_config` returned."""
        rate = config.get("learning_rate")
        if isinstance(rate, dict):
            config = {**config, "learning_rate": schedules.deserialize(rate, custom_objects)}
        return cls(**config)


class _Optimizers(Registry):
    def fits(self, found: object) -> bool:
        return isinstance(found, Optimizer)


registry = _Optimizers("optimizer", "keras.optimizers", (), lower=True)
"""All optimizers; `optimizers` adds those of the library."""


def _key(variable: Variable) -> int:
    return id(getattr(variable, "origin", variable))


def no_gradients(variables: Sequence[Any]) -> InvalidArgumentError:
    """The error of a step without a gradient that is not None."""
    named = f" All are None: those of {[path_of(each) for each in variables]}" if variables else ""
    return InvalidArgumentError(
        f"No gradients provided for any variable.{named}",
        remedy="compute the loss of these variables inside `with tf.GradientTape() as tape:`, with tensors all the way "
        "(no x.numpy())",
    )


def _present(grads: Sequence[Any], variables: Sequence[Any]) -> tuple[list[Any], list[Any]]:
    """The gradients that are not None, as tensors, and their variables; a warning names the others."""
    pairs = [(convert_to_tensor(g), v) for g, v in zip(grads, variables, strict=True) if g is not None]
    if not pairs:
        raise no_gradients(variables)
    missing = [path_of(v) for g, v in zip(grads, variables, strict=True) if g is None]
    if missing:
        warn(
            f"Gradients do not exist for variables {missing} when minimizing the loss. If using `model.compile()`, did "
            "you forget to provide a `loss` argument?",
        )
    return [g for g, _ in pairs], [v for _, v in pairs]
