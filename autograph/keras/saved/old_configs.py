"""Configurations as Keras 2 and HDF5 files have them, in the form that `.keras` files of Keras 3 have."""

from __future__ import annotations

from typing import Any, TypeGuard

from ..base.registry import snake_case
from ..base.serialization import library_classes
from ..base.symbolic import OPERATIONS

__all__ = ["modern_compile_config", "modern_config"]

_MODELS = {"Model": "Functional", "Functional": "Functional", "Sequential": "Sequential"}
# Settings that chose between ways to compute the same, and shapes that are found by tracing.
_WITHOUT_MEANING = ("implementation", "input_length", "query_shape", "key_shape", "value_shape", "rng_type")
# Convolutions of each channel by itself have others, and these only as they inherit them.
_KERNELS = ("kernel_initializer", "kernel_regularizer", "kernel_constraint")
_OF_LAMBDAS = ("function_type", "module", "output_shape", "output_shape_type", "output_shape_module")
_RENAMED = {("LeakyReLU", "alpha"): "negative_slope", ("InputLayer", "batch_input_shape"): "batch_shape"}
# What operators were for Keras 2: layers that call a function of TensorFlow.
_FUNCTIONS = {
    "math.add": "Add", "math.subtract": "Subtract", "math.multiply": "Multiply", "math.truediv": "TrueDivide",
    "math.divide": "TrueDivide", "math.negative": "Negative", "math.pow": "Power", "math.abs": "Absolute",
    "linalg.matmul": "Matmul", "__operators__.add": "Add", "math.floordiv": "FloorDivide", "math.mod": "Mod",
    "math.less": "Less", "math.less_equal": "LessEqual", "math.greater": "Greater",
    "math.greater_equal": "GreaterEqual",
}  # fmt: skip
_OPERANDS = ("x", "y", "a", "b")
_CONSTANT = "_CONSTANT_VALUE"
_ALWAYS = ("jit_compile", "is_legacy_optimizer")


def modern_config(config: object) -> Any:
    """The configuration of a model, or of a layer."""
    if not isinstance(config, dict) or not isinstance(config.get("class_name"), str):
        return config
    kind, settings = config["class_name"], config.get("config")
    if kind in _MODELS:
        return {**config, "module": "keras", "class_name": _MODELS[kind], "config": _model(kind, settings)}
    if not isinstance(settings, dict):
        return config
    if "inbound_nodes" in config and settings.keys() <= {"name"} and _is_operator(kind):
        return {**config, "module": "keras.src.ops.numpy"}
    return {**config, "module": config.get("module") or "keras.layers", "config": _settings(kind, settings)}


def _is_operator(kind: str) -> bool:
    name = snake_case(kind)
    return name in OPERATIONS or name == "true_divide" or kind not in library_classes()


def _settings(kind: str, settings: dict[str, Any]) -> dict[str, Any]:
    if kind == "Lambda" and "function_type" in settings:
        settings = {name: value for name, value in settings.items() if name not in _OF_LAMBDAS}
        if isinstance(settings.get("function"), list):
            settings["function"] = {"class_name": "__lambda__", "config": {}}
    found = {}
    for name, value in settings.items():
        if name in _WITHOUT_MEANING or (name in _KERNELS and kind.startswith(("Separable", "Depthwise"))):
            continue
        if name == "axis" and kind == "BatchNormalization" and isinstance(value, list) and len(value) == 1:
            value = value[0]
        if name in ("layer", "backward_layer", "cell"):
            value = modern_config(value)
        elif name == "cells" and isinstance(value, list):
            value = [modern_config(each) for each in value]
        found[_RENAMED.get((kind, name), name)] = value
    return found


# Models


def _model(kind: str, settings: object) -> Any:
    if isinstance(settings, list):  # a Sequential of Keras 2.2
        settings = {"layers": settings}
    if not isinstance(settings, dict) or not isinstance(settings.get("layers"), list):
        return settings
    layers = settings["layers"]
    firsts = {each["name"]: 1 for each in layers if isinstance(each, dict) and _has_own_call(each)}
    made = {**settings, "layers": [_layer(each, firsts) for each in layers]}
    for name in ("input_layers", "output_layers"):
        if name in made and firsts:
            made[name] = _places(made[name], firsts)
    return made


def _has_own_call(layer: dict[str, Any]) -> bool:
    """Whether the calls of a layer are counted from 1 on, as Keras 2 does with models in models."""
    nodes = layer.get("inbound_nodes")
    return layer.get("class_name") in _MODELS and isinstance(nodes, list) and any(isinstance(n, list) for n in nodes)


def _layer(layer: object, firsts: dict[str, int]) -> Any:
    made = modern_config(layer)
    if isinstance(made, dict) and isinstance(made.get("inbound_nodes"), list):
        made = {**made, "inbound_nodes": [_call(node, firsts) for node in made["inbound_nodes"]]}
        if made.get("class_name") == "TFOpLambda":
            return _operator(made)
    return made


def _operator(layer: dict[str, Any]) -> dict[str, Any]:
    """A layer that calls a function of TensorFlow, as the operation that it stands for; itself where there is none."""
    kind = _FUNCTIONS.get(layer["config"].get("function"))
    nodes = [{"args": [*node["args"], *(node["kwargs"][name] for name in _OPERANDS if name in node["kwargs"])],
              "kwargs": {name: each for name, each in node["kwargs"].items() if name not in _OPERANDS and each}}
             for node in layer["inbound_nodes"]]  # fmt: skip
    if kind is None or any(node["kwargs"] for node in nodes):
        return layer
    config = {"name": layer["config"].get("name")}
    return {**layer, "module": "keras.src.ops.numpy", "class_name": kind, "config": config, "inbound_nodes": nodes}


def _call(node: object, firsts: dict[str, int]) -> Any:
    """A call: Keras 2 has a list of the tensors given, each with the keyword arguments of the call."""
    if not isinstance(node, list):
        return node
    if node and isinstance(node[0], str):
        node = [node]
    tensors = [each[2] if each[0] == _CONSTANT else _tensor(_place(each[:3], firsts)) for each in node]
    given: dict[str, Any] = next((each[3] for each in node if len(each) > 3), {})
    kwargs = {name: _argument(value, firsts) for name, value in given.items() if name != "name" or value is not None}
    return {"args": tensors if len(tensors) == 1 else [tensors], "kwargs": kwargs}


def _argument(value: object, firsts: dict[str, int]) -> Any:
    if _is_place(value):
        return _tensor(_place(value, firsts))
    return [_argument(each, firsts) for each in value] if isinstance(value, list) else value


def _tensor(place: list[Any]) -> dict[str, Any]:
    return {"class_name": "__keras_tensor__", "config": {"keras_history": place}}


def _is_place(value: object) -> TypeGuard[list[Any]]:
    return isinstance(value, list) and len(value) == 3 and isinstance(value[0], str)


def _place(place: list[Any], firsts: dict[str, int]) -> list[Any]:
    name, call, index = place
    return [name, call - firsts.get(name, 0), index]


def _places(value: Any, firsts: dict[str, int]) -> Any:
    if _is_place(value):
        return _place(value, firsts)
    if isinstance(value, dict):
        return {name: _places(each, firsts) for name, each in value.items()}
    return [_places(each, firsts) for each in value]


# What compile was given


def modern_compile_config(config: object, outputs: list[str]) -> Any:
    """What `compile` was given, of a model with outputs of some names; None where it was not called."""
    if not isinstance(config, dict):
        return None
    optimizer = config.get("optimizer_config") or config.get("optimizer")
    if optimizer is None:
        return None
    found = {name: config.get(name) for name in ("loss", "loss_weights", "metrics", "weighted_metrics")}
    for name in ("metrics", "weighted_metrics"):
        metrics = _metrics(found[name], outputs)
        is_nested = isinstance(metrics, list) and len(metrics) == 1 and isinstance(metrics[0], list)
        found[name] = metrics[0] if is_nested and len(outputs) == 1 else metrics
    plain = {name: config[name] for name in ("run_eagerly", "steps_per_execution") if config.get(name) is not None}
    return {**found, **plain, "loss": _loss(found["loss"]), "optimizer": _optimizer(optimizer)}


def _optimizer(config: object) -> Any:
    if not isinstance(config, dict):
        return config
    settings = dict(config.get("config") or {})
    for name in _ALWAYS:
        settings.pop(name, None)
    if settings.get("decay") in (0, None):
        settings.pop("decay", None)
    if "lr" in settings:
        settings["learning_rate"] = settings.pop("lr")
    kind = str(config.get("class_name")).removeprefix("Custom>")
    module = config.get("module")
    return {"module": None if module is None else module.replace("tf_keras", "keras"), "class_name": kind,
            "config": settings, "registered_name": config.get("registered_name")}  # fmt: skip


def _loss(value: object) -> Any:
    if isinstance(value, list):
        return [_loss(each) for each in value]
    if not isinstance(value, dict):
        return value
    if "class_name" not in value:
        return {name: _loss(each) for name, each in value.items()}
    settings = dict(value.get("config") or {})
    if value["class_name"] != "LossFunctionWrapper":
        settings.pop("fn", None)
    if settings.get("reduction") == "auto":
        settings["reduction"] = "sum_over_batch_size"
    return {**value, "config": settings}


def _metrics(value: object, outputs: list[str]) -> Any:
    if isinstance(value, list):
        return [_metrics(each, outputs) for each in value]
    if not isinstance(value, dict):
        return value
    if "class_name" not in value:
        return {name: _metrics(each, outputs) for name, each in value.items()}
    settings = dict(value.get("config") or {})
    name = settings.get("name")
    for output in outputs:  # Keras 2 puts the name of the output before the metric's
        if isinstance(name, str) and len(outputs) > 1 and name.startswith(f"{output}_"):
            settings["name"] = name.removeprefix(f"{output}_")
            break
    if value["class_name"] == "MeanMetricWrapper" and isinstance(settings.get("fn"), str):
        short = settings.get("name")
        return short if short in ("accuracy", "acc", "mae", "mse", "crossentropy", "ce") else settings["fn"]
    return {**value, "config": settings}
