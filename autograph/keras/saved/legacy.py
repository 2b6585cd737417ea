"""HDF5 files of Keras 2, which Keras 3 still writes for names that end in ``.h5``.

A file of weights has a group for each layer that the model holds directly, by name, and in it all weights of the layer,
those that are trained first; attributes hold the names in their order. The file of a model has all that under
``model_weights``, the configuration and what `compile` was given as JSON in attributes, and the optimizer's variables
under ``optimizer_weights``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph.errors import InvalidArgumentError, SavedFileError
from autograph.runtime.base.places import warn
from autograph.runtime.tensors import trace
from autograph.runtime.tools.export import strict_json
from autograph.runtime.tools.export.file_errors import damaged_error
from autograph.runtime.tools.export.hdf5 import Hdf5Content, hdf5_content, path_of, text_of, texts_of

from ..base.layer import Layer
from ..base.tracking import own_variables
from ..networks.model import Model
from ..networks.model_files import MODEL_IN_HDF5
from .configs import config_from_keras
from .models import compile_model, made_of
from .old_configs import modern_config
from .weights import Problem, assign, mismatch, raise_or_warn

__all__ = ["is_legacy", "load_legacy_weights", "model_in_hdf5"]

_MODEL = "model_weights"
_OWN = "top_level_model_weights"


def is_legacy(content: Hdf5Content) -> bool:
    """Whether a file has attributes as Keras 2 writes them."""
    root = content.attributes.get("", {})
    return _MODEL in content.attributes or any(name.startswith("layer_names") for name in root)


# Weights


def load_legacy_weights(
    model: Model, content: Hdf5Content, path: str, skip_mismatch: bool = False, by_name: bool = False
) -> None:  # fmt: skip
    """Set the weights of a model to those of a file: layers in their order, or ``by_name``.

    Raises `InvalidArgumentError` for what does not fit, all of it, unless ``skip_mismatch``; nothing is changed then.
    """
    root = content.attributes.get("", {})
    group = "" if any(name.startswith("layer_names") for name in root) else _MODEL
    names = texts_of(content.attributes.get(group, {}), "layer_names")
    saved = {name: _weights(content, group, name, path) for name in names}
    problems: list[Problem] = []
    pairs: list[tuple[Any, Any]] = []
    for layer, name in _by_name(model, saved) if by_name else _in_order(model, saved, path):
        pairs += _fitting(layer, _weights_of(layer), saved[name], name, problems)
    if path_of(group, _OWN) in content.attributes:
        own = _weights(content, group, _OWN, path)
        pairs += _fitting(model, _own_weights(model), own, _OWN, problems)
    raise_or_warn(model, problems, path, skip_mismatch)
    assign(pairs)


def _weights(content: Hdf5Content, group: str, name: str, path: str) -> list[tuple[str, Any]]:
    """The weights of a layer with their names."""
    place = path_of(group, name)
    if place not in content.attributes:
        raise damaged_error(f"{path} has no weights of layer {name!r}, which it lists")
    found = []
    for each in texts_of(content.attributes[place], "weight_names"):
        array = content.arrays.get(path_of(place, each))
        if array is None:
            raise damaged_error(f"{path} does not have the weight {each!r} of layer {name!r}, which it lists")
        found.append((each, array))
    return found


def _weights_of(layer: Layer) -> list[Any]:
    return [*layer.trainable_weights, *layer.non_trainable_weights]


def _own_weights(model: Model) -> list[Any]:
    own = own_variables(model)
    return sorted(own, key=lambda variable: not variable.trainable)


def _in_order(model: Model, saved: dict[str, Any], path: str) -> list[tuple[Any, str]]:
    layers = [layer for layer in model.layers if _weights_of(layer)]
    names = [name for name, weights in saved.items() if weights]
    if len(layers) != len(names):
        raise InvalidArgumentError(
            f"Layer count mismatch when loading weights from file. Model expected {len(layers)} layers, found "
            f"{len(names)} saved layers in {path}: {', '.join(names)}; the model has "
            f"{', '.join(layer.name for layer in layers)}",
            remedy="make the model as it was when it was saved, or give layers the names that they have in the file, "
            "and pass by_name=True",
        )
    return list(zip(layers, names, strict=True))


def _by_name(model: Model, saved: dict[str, Any]) -> list[tuple[Any, str]]:
    return [(layer, layer.name) for layer in model.layers if layer.name in saved]


def _fitting(
    layer: Layer, variables: list[Any], saved: list[tuple[str, Any]], name: str, problems: list[Problem]
) -> list[tuple[Any, Any]]:  # fmt: skip
    if len(variables) != len(saved):
        problems.append(
            Problem(layer, f"layer '{layer.name}' has {len(variables)} weights; {name!r} in the file has {len(saved)}")
        )
        return []
    pairs = []
    for variable, (key, array) in zip(variables, saved, strict=True):
        problem = mismatch(variable, array)
        if problem is not None:
            problems.append(Problem(layer, f"{variable.path} of layer '{layer.name}' ({key} in the file) {problem}"))
        else:
            pairs.append((variable, array))
    return pairs


# Models


@MODEL_IN_HDF5.give
def model_in_hdf5(data: bytes, path: str, compile: bool) -> Model:
    """The model in a file with some bytes. Raises as `load_model`."""
    content = hdf5_content(data, path)
    root = content.attributes.get("", {})
    if "model_config" not in root:
        raise SavedFileError(
            f"{path} has weights and no model: No model config found in the file",
            remedy="make the model, and load them with model.load_weights(path)",
        )
    config = strict_json.loads(text_of(root["model_config"]).encode(), path)
    model = made_of(config_from_keras(modern_config(config), path), content)
    if not model.built:
        raise SavedFileError(
            f"the model in {path} has no input layer, so that the shapes of its weights are not known",
            remedy="save it with Keras after it was called, or as a `.keras` file",
        )
    load_legacy_weights(model, content, path)
    if compile and "training_config" in root:
        training = strict_json.loads(text_of(root["training_config"]).encode(), path)
        compile_model(model, training, path)
        if "optimizer_weights" in content.attributes and model.compiled:
            _load_optimizer(model, content, path)
    return model


def _load_optimizer(model: Model, content: Hdf5Content, path: str) -> None:
    """Set the optimizer's variables; where the file has others, a warning says so."""
    saved = _weights(content, "", "optimizer_weights", path)
    with trace.building(None):
        model.optimizer.build(model.trainable_variables)
    variables = list(model.optimizer.variables)
    if len(saved) == len(variables) - 1 and variables[1].path.endswith("learning_rate"):
        del variables[1]  # Keras 2 has it in the configuration alone
    arrays = _interleaved(saved, len(model.trainable_variables))
    if len(arrays) != len(variables) or any(map(mismatch, variables, arrays)):
        warn(
            f"the optimizer's variables in {path} are left out, as they are not those of {model.optimizer.name!r} "
            "here: it begins anew"
        )
        return
    assign(zip(variables, arrays, strict=True))


def _interleaved(saved: list[tuple[str, Any]], count: int) -> list[np.ndarray[Any, Any]]:
    """The arrays of an optimizer with all those of one variable together.

    Up to Keras 2.10 all first moments came before all second ones: ``Adam/dense/kernel/m:0``.
    """
    arrays = [array for _, array in saved]
    ends = [name.rpartition("/")[2] for name, _ in saved[1:]]
    if count and ends == ["m:0"] * count + ["v:0"] * count:
        first, second = arrays[1 : 1 + count], arrays[1 + count :]
        return [arrays[0], *(each for pair in zip(first, second, strict=True) for each in pair)]
    return arrays
