"""What `compile` was given, as plain values."""

from __future__ import annotations

from typing import Any

from autograph.errors import InvalidArgumentError

from .. import losses, metrics, optimizers
from ..base.custom_objects import get_registered_object
from ..base.registry import Registry
from ..base.serialization import UnknownClassError
from ..base.tracking import record_of
from .compiled import BY_SHAPE

__all__ = ["compile_from_config", "compile_to_config"]

# Metrics keep a number for each threshold and class: no sensible one has more.
_GREATEST = 1_000_000


def compile_to_config(model: Any) -> dict[str, Any]:
    """The arguments of `compile`. Raises `ValueError` for lambdas and other objects without a configuration."""
    given = record_of(model).compiled.arguments
    encoded = {name: _encode(given[name], module.registry) for name, module in _KINDS.items()}
    return {"optimizer": optimizers.serialize(model.optimizer), **encoded, **{name: given[name] for name in _PLAIN}}


_KINDS: dict[str, Any] = {"loss": losses, "metrics": metrics, "weighted_metrics": metrics}
_PLAIN = ("loss_weights", "run_eagerly", "steps_per_execution", "jit_compile")


def _encode(value: object, registry: Registry) -> Any:
    if value is None or isinstance(value, (str, int, float)):
        return value
    if isinstance(value, (list, tuple)):
        return [_encode(each, registry) for each in value]
    if isinstance(value, dict):
        return {key: _encode(each, registry) for key, each in value.items()}
    return registry.serialize(value)


def compile_from_config(model: Any, config: dict[str, Any]) -> None:
    """Compile a model with what `compile_to_config` gave.

    Raises `UnknownClassError` for classes and functions that are not known, `ValueError` for what is no configuration.
    """
    _check_small({name: config[name] for name in ("metrics", "weighted_metrics")})
    optimizer = _known(config["optimizer"], optimizers.registry)
    decoded = {name: _decode(config[name], module.registry) for name, module in _KINDS.items()}
    model.compile(optimizer=optimizer, **decoded, **{name: config[name] for name in _PLAIN})


def _decode(value: object, registry: Registry) -> Any:
    if isinstance(value, list):
        return [_decode(each, registry) for each in value]
    if isinstance(value, dict) and "class_name" not in value:
        return {key: _decode(each, registry) for key, each in value.items()}
    if isinstance(value, str):
        found = get_registered_object(value)
        if found is None and value.lower() not in BY_SHAPE:
            _known(value, registry)
        return value if found is None else found
    return value if value is None else _known(value, registry)


def _known(config: Any, registry: Registry) -> Any:
    name = config.get("class_name") if isinstance(config, dict) else config
    names = [name, config.get("registered_name")] if isinstance(config, dict) else [name]
    if isinstance(name, str) and not any(registry.knows(each) for each in names):
        raise UnknownClassError(registry.kind, name)
    return registry.deserialize(config)


def _check_small(value: object) -> None:
    for each in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        if isinstance(each, int) and abs(each) > _GREATEST:
            raise InvalidArgumentError(f"a metric can't have {each} parts")
        _check_small(each)
