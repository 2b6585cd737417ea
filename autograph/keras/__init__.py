"""`tf.keras`: layers, models, losses, metrics, optimizers. What it offers loads when it is first used."""

from __future__ import annotations

from typing import Any as _Any

from .. import lazy as _lazy

_NAMES = {
    "keras.initializers": "Initializer",
    "keras.base.layer": "InputSpec Layer",
    "keras.losses": "Loss",
    "keras.metrics": "Metric",
    "keras.models": "Model Sequential",
    "keras.optimizers": "Optimizer",
    "keras.regularizers": "Regularizer",
    "keras.layers.core": "Input",
    "keras.base.symbolic": "KerasTensor",
    "keras.base.variable": "Variable=KerasVariable",
    "keras.base.defaults": "DTypePolicy",
}

_MODULES = (
    "activations", "backend", "callbacks", "config", "constraints", "datasets", "distribution", "initializers",
    "layers", "losses", "metrics", "mixed_precision", "models", "optimizers", "preprocessing", "regularizers",
    "saving", "utils",
)  # fmt: skip

_names = _lazy.parse(_NAMES)
__all__ = [*_names, *_MODULES]
__dir__ = __all__.copy


def __getattr__(name: str) -> _Any:
    if name in _MODULES:
        return _lazy.module(f"{__name__}.{name}")
    try:
        if name not in _names and not name.startswith("_"):
            _lazy.module(f"{__name__}.base.absent").refusing(__name__)(name)
        value = globals()[name] = _lazy.load(_names, name, __name__)
    except AttributeError as error:
        _lazy.trimmed(error)
        raise
    return value
