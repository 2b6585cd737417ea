"""Models in the layout of Keras 3's `.keras` files: ``model.save(path, weights_format="h5")``."""

from __future__ import annotations

from typing import Any

from autograph.errors import InvalidArgumentError
from autograph.runtime.tools.export import strict_json
from autograph.runtime.tools.export.hdf5 import path_of

from ..layers.features.index_lookup import IndexLookup
from ..networks.model import Model
from ..networks.model_files import MEMBERS_FOR_KERAS
from .places import parts_by_place
from .weights import write_weights

__all__ = ["config_for_keras", "members_for_keras"]

_VERSION = "3.0.0"  # of Keras, whose layout it is
_CLASSES = {"divide": "TrueDivide"}
_ONE_DIMENSIONAL = {"Cropping1D": "cropping", "ZeroPadding1D": "padding"}


@MEMBERS_FOR_KERAS.give
def members_for_keras(model: Model, config: dict[str, Any]) -> dict[str, bytes]:
    """The members of a file with a model of some configuration, by name.

    Raises `InvalidArgumentError` for weights and vocabularies that such files don't hold, `MissingExtraError` without
    the library h5py.
    """
    arguments = config.get("call_arguments")
    made = config_for_keras(config)
    if arguments and "build_config" not in made and isinstance(shape := _shape_of(arguments), (list, tuple)):
        made["build_config"] = {"input_shape": list(shape)}
    members = {
        "metadata.json": strict_json.dumps({"keras_version": _VERSION, "written_by": "autograph"}),
        "config.json": strict_json.dumps(made), "model.weights.h5": write_weights(model),
    }  # fmt: skip
    for place, part in parts_by_place(model):
        lookup = vars(part).get("_lookup_layer", part)  # that of words has it twice
        if isinstance(lookup, IndexLookup) and lookup.input_vocabulary is None:
            members[path_of("assets", place, "vocabulary.txt")] = _vocabulary(lookup)
    return members


def _shape_of(arguments: Any) -> Any:
    """The shape of the one tensor that a model was first called with."""
    args, kwargs = arguments
    specs = [each for each in args if isinstance(each, dict) and each.get("class_name") == "__tensor_spec__"]
    return specs[0]["config"][0] if len(args) == len(specs) == 1 and not kwargs else None


def _vocabulary(layer: IndexLookup) -> bytes:
    tokens = [str(token) for token in layer.get_vocabulary()]
    if any(len(token.splitlines()) > 1 or token.endswith("\n") for token in tokens):
        raise InvalidArgumentError(
            f"the vocabulary of layer '{layer.name}' has tokens with line breaks, which files of Keras don't hold",
            remedy="save the model without weights_format",
        )
    return "\n".join(tokens).encode()


def config_for_keras(value: object) -> Any:
    """A configuration of the library as Keras reads it."""
    if isinstance(value, (list, tuple)):
        return [config_for_keras(each) for each in value]
    if not isinstance(value, dict):
        return value
    kind, config = value.get("class_name"), value.get("config")
    if kind == "__slice__":
        parts = dict(zip(("start", "stop", "step"), config or (), strict=False))
        return {"class_name": kind, "config": config_for_keras(parts)}
    if kind == "__tuple__":
        return config_for_keras(config)
    made = {name: config_for_keras(each) for name, each in value.items()}
    if kind == "__ellipsis__":
        return {**made, "config": {}}
    if not isinstance(kind, str) or not isinstance(config, dict):
        return made
    if value.get("module") == "keras.ops":
        name = _CLASSES.get(kind) or "".join(each.capitalize() for each in kind.split("_"))
        return {**made, "module": "keras.src.ops.numpy", "class_name": name, "registered_name": name}
    if value.get("module") != "keras.layers":
        return made
    if kind == "Functional":
        return {**made, "module": "keras.src.models.functional", "registered_name": kind}
    if kind == "Sequential":
        return {**made, "module": "keras"}
    return {**made, "config": _settings(kind, made["config"])}


def _settings(kind: str, settings: dict[str, Any]) -> dict[str, Any]:
    """What Keras's class of a layer takes."""
    left = dict(settings)
    if kind.endswith("Transpose") and left.get("groups") == 1:
        del left["groups"]
    if kind.startswith("SpatialDropout"):
        left.pop("trainable", None)
    if kind in _ONE_DIMENSIONAL:
        left.pop("data_format", None)
        name = _ONE_DIMENSIONAL[kind]
        if len(left[name]) == 1:
            left[name] = left[name][0]
    return left
