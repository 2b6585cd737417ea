"""Configurations of layers: plain values that an equal layer can be made of."""

from __future__ import annotations

import inspect
from typing import Any

from . import activations, constraints, initializers, regularizers

__all__ = ["config_of", "dtype_config", "plain"]

_PLAIN = (int, float, str, bool, type(None))


def dtype_config(name: str) -> dict[str, Any]:
    """How Keras writes a dtype into a configuration."""
    return {"module": "keras", "class_name": "DTypePolicy", "config": {"name": name}, "registered_name": None}


def plain(value: Any) -> Any:
    """A value of a configuration: numbers, strings, sequences and dicts as they are, the rest by name.

    Raises `ValueError` for a function or object that has no name that a configuration can hold.
    """
    if isinstance(value, _PLAIN):
        return value
    if isinstance(value, (list, tuple)):
        return type(value)([plain(each) for each in value])
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, initializers.Initializer):
        return initializers.serialize(value)
    if isinstance(value, regularizers.Regularizer):
        return regularizers.serialize(value)
    if isinstance(value, constraints.Constraint):
        return constraints.serialize(value)
    if hasattr(value, "name") and hasattr(type(value), "is_floating"):  # a dtype
        return value.name
    if hasattr(value, "get_config"):
        return {"module": type(value).__module__, "class_name": type(value).__name__, "config": value.get_config(),
                "registered_name": None}  # fmt: skip
    return activations.serialize(value)


def config_of(layer: Any) -> dict[str, Any]:
    """The name, trainability and dtype of a layer, then its settings.

    Layers of the library say in ``settings`` which attributes those are. For a class of the user they are the
    arguments of its constructor. Raises `NotImplementedError` when these are no plain values.
    """
    config: dict[str, Any] = {"name": layer.name, "trainable": layer.trainable, "dtype": dtype_config(layer.dtype)}
    settings = getattr(type(layer), "settings", None)
    if settings is not None:
        return config | {name: plain(getattr(layer, name)) for name in settings}
    args, kwargs = layer._record.arguments
    bound = inspect.signature(type(layer).__init__).bind(layer, *args, **kwargs)
    bound.apply_defaults()
    given: dict[str, Any] = {}
    for name, value in list(bound.arguments.items())[1:]:
        kind = bound.signature.parameters[name].kind
        given |= value if kind is inspect.Parameter.VAR_KEYWORD else {name: value}
    try:
        taken = {name: plain(value) for name, value in given.items()}
    except ValueError:
        raise NotImplementedError(
            f"Layer {type(layer).__name__} was created by passing non-serializable argument values in `__init__()`, "
            "and therefore the layer must override `get_config()` in order to be serializable."
        ) from None
    accepted = inspect.signature(type(layer).__init__).parameters
    if not any(each.kind is each.VAR_KEYWORD for each in accepted.values()):
        config = {name: value for name, value in config.items() if name in accepted}
    return config | {name: value for name, value in taken.items() if name not in ("name", "dtype", "trainable")}
