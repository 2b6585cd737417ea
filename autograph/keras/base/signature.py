"""What the `call` and `build` methods of a layer take."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

__all__ = ["CallSignature", "shapes_for_build"]


class CallSignature:
    """The parameters of a `call` method."""

    def __init__(self, call: Callable[..., Any]) -> None:
        self.signature = inspect.signature(call)
        parameters = self.signature.parameters
        kinds = [parameter.kind for parameter in parameters.values()]
        self.names = [name for name, each in parameters.items() if each.kind is each.POSITIONAL_OR_KEYWORD]
        self.open = inspect.Parameter.VAR_KEYWORD in kinds
        self.takes_training = "training" in parameters
        self.takes_mask = "mask" in parameters
        self.masks_of = [(name, f"{name}_mask") for name in parameters if f"{name}_mask" in parameters]
        self.default_training = parameters["training"].default if self.takes_training else None
        if self.default_training is inspect.Parameter.empty:
            self.default_training = None

    def given(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """What a call passes for a parameter, None when it passes nothing."""
        if name in kwargs:
            return kwargs[name]
        position = self.names.index(name) if name in self.names else len(args)
        return args[position] if position < len(args) else None

    def bind(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        """The arguments by name."""
        return dict(self.signature.bind(*args, **kwargs).arguments)


def shapes_for_build(build: Callable[..., Any], shapes: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments of `build` for the shapes of the arguments of `call`, which are given by name.

    One parameter takes the shape of the first argument; several take those of the arguments that they are named
    after: ``build(self, query_shape, value_shape)`` for ``call(self, query, value)``.
    """
    parameters = [each for each in inspect.signature(build).parameters.values() if each.kind is not each.VAR_KEYWORD]
    first = next(iter(shapes.values()), None)
    named = {f"{name}_shape": shape for name, shape in shapes.items()}
    if len(parameters) > 1 and all(each.name in named or each.default is not each.empty for each in parameters):
        return (), {each.name: named[each.name] for each in parameters if each.name in named}
    return (first,), {}
