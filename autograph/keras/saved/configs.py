"""Configurations that Keras wrote, as those of the library: what each says in its own way.

Settings of layers that the library does not have are left out where they say what is always so here. All classes,
operations and settings that can't be had are named in one error.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from typing import Any

from autograph.errors import SavedFileError

from ..base.custom_objects import get_registered_object
from ..base.registry import snake_case
from ..base.serialization import library_classes
from ..base.symbolic import OPERATIONS
from ..networks.model import Model

__all__ = ["config_from_keras"]

# What the constructors of all layers take; `autocast` and `build_config` are in no configuration of a layer.
_OF_ALL_LAYERS = frozenset(("name", "trainable", "dtype", "activity_regularizer", "batch_input_shape", "input_shape"))
_ABSENT: dict[str, list[Any]] = {
    "attention_axes": [None, [1], 1, [-2]], "autocast": [True], "groups": [1], "trainable": [True],
}  # fmt: skip
_ABSENT_OF_METRICS = {"AUC": ("multi_label", "num_labels", "label_weights", "from_logits")}
_OPERATORS = {"true_divide": "divide"}
_LAMBDA = "a lambda, whose bytecode is not run: use a named function, and pass it in custom_objects"
_FUNCTIONS = ("function", "builtin_function_or_method")
_CALL_CONTEXT = ("training", "mask")


def config_from_keras(config: object, path: str) -> Any:
    """The configuration of the model that one of Keras describes, in the file at a path.

    Raises `SavedFileError` with all that the library does not have.
    """
    problems: list[str] = []
    found = _value(config, problems)
    if problems:
        raise SavedFileError(
            f"the model in {path} has what autograph does not: " + "; ".join(dict.fromkeys(problems)),
            remedy="make a model without it here, and give its layers their weights: model.load_weights(path)",
        )
    return found


def _value(value: object, problems: list[str]) -> Any:
    if isinstance(value, list):
        return [_value(each, problems) for each in value]
    if not isinstance(value, dict):
        return value
    kind = value.get("class_name")
    if not isinstance(kind, str):
        return {key: _value(each, problems) for key, each in value.items()}
    if kind.startswith("__"):
        return _special(kind, value.get("config"), problems)
    if _is_operation(value):
        return _operation(value, problems)
    name = config.get("name") if isinstance(config := value.get("config"), dict) else None
    inner: list[str] = []
    made = {key: _value(each, inner) for key, each in value.items()}
    problems += [f"a lambda in layer {name!r}, {_LAMBDA[10:]}" if each == _LAMBDA else each for each in inner]
    if "inbound_nodes" in made:
        made["inbound_nodes"] = [_call(node) for node in made["inbound_nodes"]]
    return _object(made, problems)


def _special(kind: str, config: Any, problems: list[str]) -> Any:
    """What JSON does not have."""
    if kind == "__lambda__":
        problems.append(_LAMBDA)
    elif kind == "__slice__" and isinstance(config, dict):
        config = [config.get(part) for part in ("start", "stop", "step")]
    elif kind == "__tuple__" and isinstance(config, dict):
        config = config.get("value")
    elif kind == "__tensor__":
        kind = "__numpy__"
    return {"class_name": kind, "config": _value(config, problems)}


# Operations


def _is_operation(value: dict[str, Any]) -> bool:
    module = value.get("module")
    return isinstance(module, str) and module.startswith(("keras.src.ops", "keras.ops")) and "inbound_nodes" in value


def _operation(value: dict[str, Any], problems: list[str]) -> dict[str, Any]:
    """A step of a functional model that is no layer: those of Python's operators are known."""
    kind = snake_case(value["class_name"])
    kind = _OPERATORS.get(kind, kind)
    config = value.get("config") or {}
    if kind not in OPERATIONS or config.keys() - {"name"}:
        problems.append(f"the operation keras.ops.{kind} (step {config.get('name')!r})")
    nodes = [_call(_value(node, problems)) for node in value["inbound_nodes"]]
    if kind == "get_item":
        for node in nodes:
            node["args"] = [node["args"][0], *map(_as_index, node["args"][1:])]
    return {"module": "keras.ops", "class_name": kind, "config": {"name": config.get("name")}, "registered_name": None,
            "name": value.get("name"), "inbound_nodes": nodes}  # fmt: skip


def _as_index(key: object) -> Any:
    return {"class_name": "__tuple__", "config": key} if isinstance(key, list) else key


def _call(node: object) -> Any:
    """A call, without what Keras adds to it: `training` is that of the model's call, whatever is noted here."""
    if not isinstance(node, dict) or not isinstance(node.get("kwargs"), dict):
        return node
    kwargs = {name: each for name, each in node["kwargs"].items() if name not in _CALL_CONTEXT or each}
    return {**node, "kwargs": kwargs}


# Layers


def _object(value: dict[str, Any], problems: list[str]) -> dict[str, Any]:
    """A layer, an initializer and the like."""
    kind, config = value["class_name"], value.get("config")
    names = [each for each in (value.get("registered_name"), kind) if isinstance(each, str)]
    if any(get_registered_object(each) is not None for each in names) or not isinstance(config, dict):
        return value
    found = library_classes().get(kind)
    module = value.get("module") or ""
    if module == "keras.metrics" and kind in _ABSENT_OF_METRICS:
        return {**value, "config": _without(config, kind, _ABSENT_OF_METRICS[kind], problems)}
    if found is None:
        if module.startswith(("keras.layers", "keras.src.layers", "tf_keras.")):
            problems.append(f"the layer keras.layers.{kind} ({config.get('name')!r})")
        return value
    if kind == "Lambda" and isinstance(config.get("function"), dict):
        config = {**config, "function": _function(config["function"])}
    if module == "keras" or module.startswith(("keras.layers", "keras.src.layers")):
        config = _known_settings(found, kind, config, problems)
    return {**value, "config": config}


def _function(config: dict[str, Any]) -> Any:
    return config.get("config") if config.get("class_name") in _FUNCTIONS else config


def _known_settings(found: type, kind: str, config: dict[str, Any], problems: list[str]) -> dict[str, Any]:
    """The settings that a class of the library takes."""
    if issubclass(found, Model):
        return config
    own = inspect.signature(found).parameters
    open_ = any(each.kind is each.VAR_KEYWORD for each in own.values())
    taken = {*(_OF_ALL_LAYERS if open_ else own), *getattr(found, "settings", ())}
    for each in (*found.__mro__, *getattr(found, "cell_class", object).__mro__):
        if "__init__" in vars(each) and each is not object:
            taken.update(inspect.signature(each).parameters)
    return _without(config, kind, config.keys() - taken, problems)


def _without(config: dict[str, Any], kind: str, names: Iterable[str], problems: list[str]) -> dict[str, Any]:
    """A configuration without settings that the library does not have; those that change what is done are problems."""
    left = dict(config)
    for name in sorted(names):
        value = left.pop(name, None)
        if value not in _ABSENT.get(name, [None, False]):
            problems.append(f"the setting {name}={value!r} of {config.get('name')!r} ({kind})")
    return left
