"""Configurations of layers: plain values that an equal layer can be made of."""

from __future__ import annotations

import functools
import inspect
from importlib import import_module
from typing import TYPE_CHECKING, Any

from autograph.errors import InvalidTypeError, UnimplementedError

from .. import activations
from .custom_objects import custom_object_scope, get_registered_name, get_registered_object
from .tracking import record_of

if TYPE_CHECKING:
    from .layer import Layer
    from .registry import Registry

__all__ = ["UnknownClassError", "config_of", "deserialize", "deserialize_object", "dtype_config", "plain"]

_PLAIN = (int, float, str, bool, type(None))


class UnknownClassError(InvalidTypeError):
    """A configuration mentions a class or function of the user that is not known."""

    def __init__(self, kind: str, name: str) -> None:
        super().__init__(
            f"Could not locate {kind} '{name}'",
            remedy="pass it in custom_objects, or decorate it with @tf.keras.utils.register_keras_serializable() and "
            "import its module before",
        )


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
    for registry in _registries():
        if registry.objects.get(type(value).__name__) is type(value):
            return registry.serialize(value)
    if hasattr(value, "name") and hasattr(type(value), "is_floating"):  # a dtype
        return value.name
    if hasattr(value, "get_config"):
        return _layer_config(value)
    return activations.serialize(value)


def _layer_config(layer: Layer) -> dict[str, Any]:
    """The class and the settings of a layer, and the shape that it was built for."""
    kind = type(layer)
    known = library_classes().get(kind.__name__) is kind
    config = {
        "module": "keras.layers" if known else kind.__module__, "class_name": kind.__name__,
        "config": layer.get_config(), "registered_name": None if known else get_registered_name(kind),
    }  # fmt: skip
    record = getattr(layer, "_record", None)
    if record is not None and record.build_shape is not None and record.built:
        config["build_config"] = {"input_shape": plain(record.build_shape)}
    return config


@functools.cache
def library_classes() -> dict[str, Any]:
    """The classes of layers and models of the library by name."""
    # They are what is made here, so they can't be imported above: found by name, and loaded when one is wanted.
    layers, models = (import_module(f"autograph.keras.{name}") for name in ("layers", "models"))
    named = {name: getattr(layers, name) for name in layers.__all__} | vars(models)
    return {name: each for name, each in named.items() if isinstance(each, type) and hasattr(each, "get_config")}


@functools.cache
def _registries() -> list[Registry]:
    """Those of the library's classes that are no layers and models."""
    # Some are above this one, so they can't be imported above: found by name, and loaded when one is wanted.
    names = ("initializers", "regularizers", "constraints", "losses", "metrics", "optimizers", "formulas.schedules")
    return [import_module(f"autograph.keras.{name}").registry for name in names]


def deserialize_object(config: object, custom_objects: dict[str, Any] | None = None) -> Any:
    """The layer, model, optimizer, loss or the like for what `plain` gave of it. Raises as `deserialize`."""
    module = config.get("module") if isinstance(config, dict) else None
    for registry in _registries():
        if module == registry.module:
            return registry.deserialize(config, custom_objects)
    return deserialize(config, custom_objects)


def deserialize(config: object, custom_objects: dict[str, Any] | None = None) -> Any:
    """The layer or model for what `plain` gave of it, without its weights.

    Classes of the user are looked up in ``custom_objects``, the scopes around and among the registered ones. Raises
    `InvalidTypeError` for a class that is not known, and for what is no configuration.
    """
    if not isinstance(config, dict) or not isinstance(config.get("class_name"), str):
        raise InvalidTypeError(f"Could not interpret the configuration of a layer: {config!r}")
    with custom_object_scope(custom_objects or {}):
        return _made(config)


def _made(config: dict[str, Any]) -> Any:
    names = [each for each in (config.get("registered_name"), config["class_name"]) if isinstance(each, str)]
    found = next(filter(None, map(get_registered_object, names)), None) or library_classes().get(config["class_name"])
    if not isinstance(found, type):
        raise UnknownClassError("class", config["class_name"])
    return found.from_config(config.get("config") or {})  # type: ignore[attr-defined]


def config_of(layer: Layer) -> dict[str, Any]:
    """The name, trainability and dtype of a layer, then its settings.

    Layers of the library say in ``settings`` which attributes those are. For a class of the user they are the
    arguments of its constructor. Raises `NotImplementedError` when these are no plain values.
    """
    config: dict[str, Any] = {"name": layer.name, "trainable": layer.trainable, "dtype": dtype_config(layer.dtype)}
    settings = getattr(type(layer), "settings", None)
    if settings is not None:
        return config | {name: plain(getattr(layer, name)) for name in settings}
    args, kwargs = record_of(layer).arguments
    bound = inspect.signature(type(layer).__init__).bind(layer, *args, **kwargs)
    bound.apply_defaults()
    given: dict[str, Any] = {}
    for name, value in list(bound.arguments.items())[1:]:
        kind = bound.signature.parameters[name].kind
        given |= value if kind is inspect.Parameter.VAR_KEYWORD else {name: value}
    try:
        taken = {name: plain(value) for name, value in given.items()}
    except ValueError:
        raise UnimplementedError(
            f"Layer {type(layer).__name__} was created by passing non-serializable argument values in `__init__()`, "
            "and therefore the layer must override `get_config()` in order to be serializable."
        ) from None
    accepted = inspect.signature(type(layer).__init__).parameters
    if not any(each.kind is each.VAR_KEYWORD for each in accepted.values()):
        config = {name: value for name, value in config.items() if name in accepted}
    return config | {name: value for name, value in taken.items() if name not in ("name", "dtype", "trainable")}
