"""The variables that an optimizer keeps, in their order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from autograph.errors import InvalidArgumentError

from .. import initializers
from ..base.variable import KerasVariable

if TYPE_CHECKING:
    from autograph.runtime.state.variable import Variable
    from autograph.runtime.tensors.likes import DTypeLike, ShapeLike

    from ..base.registry import Identifier

__all__ = ["VariablesOfOptimizer", "path_of"]


def path_of(variable: object) -> str:
    """The path of a variable of a layer; of another one, its name."""
    return str(getattr(variable, "path", None) or getattr(variable, "name", variable))


class VariablesOfOptimizer:
    """The part of an optimizer that makes variables and sets them."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._variables: list[Any] = []

    @property
    def variables(self) -> list[Any]:
        """All variables of the optimizer: the counter, the learning rate, then those for each variable."""
        return list(self._variables)

    def _trackable_children(self) -> dict[str, Any]:
        """What checkpoints save: not what is trained, whose place is in the model."""
        return {"variables": self._variables}

    def add_variable(
        self, shape: ShapeLike, initializer: Identifier = "zeros", dtype: DTypeLike | None = None,
        name: str | None = None
    ) -> Any:  # fmt: skip
        """A variable of the optimizer."""
        name = name or "variable"
        initializer = initializers.get(initializer)
        made = KerasVariable(initializer, shape, dtype, trainable=False, name=name, path=f"{self.name}/{name}")
        self._variables.append(made)
        return made

    def add_variable_from_reference(
        self, reference_variable: Variable, name: str | None = None, initializer: Identifier = "zeros"
    ) -> Any:
        """A variable with the shape and dtype of another, named after it."""
        of = path_of(reference_variable)
        full = f"{of.replace('/', '_').replace(':', '_')}_{name or 'var'}"
        made = self.add_variable(reference_variable.shape, initializer, reference_variable.dtype, full)
        made.layout = getattr(reference_variable, "layout", None)
        return made

    def add_optimizer_variables(
        self, trainable_variables: Sequence[Any], name: str | Sequence[str],
        initializer: Identifier | list[Identifier] | tuple[Identifier, ...] = "zeros"
    ) -> Any:  # fmt: skip
        """One variable for each of some variables, with its shape and dtype: a list.

        With several names a tuple of such lists; then there may be an initializer for each. Raises `ValueError` for
        another number of these.
        """
        names = [name] if isinstance(name, str) else list(name)
        starts = list(initializer) if isinstance(initializer, list | tuple) else [initializer] * len(names)
        if len(starts) != len(names):
            raise InvalidArgumentError(
                "The number of provided names must match the number of provided initializers. Received "
                f"name='{name}', initializer='{initializer}'"
            )
        # All those of one variable come before those of the next, in files too.
        rows = [[self.add_variable_from_reference(v, *each) for each in zip(names, starts, strict=True)]
                for v in trainable_variables]  # fmt: skip
        columns = tuple([row[number] for row in rows] for number in range(len(names)))
        return columns[0] if isinstance(name, str) else columns

    def set_weights(self, weights: Sequence[Any]) -> None:
        """Set the variables of the optimizer, in their order. Raises `ValueError` for another number or shape."""
        variables = self.variables
        if len(weights) != len(variables):
            raise InvalidArgumentError(
                f"The optimizer {self.name!r} has {len(variables)} variables, not {len(weights)}: build it for "
                "the variables that it trains before calling `set_weights()`"
            )
        for variable, weight in zip(variables, weights, strict=True):
            variable.assign(weight)
