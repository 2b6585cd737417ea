"""Models that Keras 3 has written: ``.keras`` files with a configuration, weights in HDF5, and vocabularies."""

from __future__ import annotations

from typing import Any

from autograph.errors import SavedFileError
from autograph.runtime.tools.export import strict_json
from autograph.runtime.tools.export.hdf5 import Hdf5Content, hdf5_content, path_of

from ..base import allocation
from ..fit.compile_config import compile_from_config
from ..layers.features.index_lookup import IndexLookup
from ..networks.model import Model
from ..networks.model_files import MODEL_OF_KERAS, made
from .configs import config_from_keras
from .old_configs import modern_compile_config, modern_config
from .places import parts_by_place
from .weights import load_content

__all__ = ["compile_model", "made_of", "model_of_keras"]

_COMPILED = {"run_eagerly": False, "steps_per_execution": 1, "jit_compile": "auto"}


@MODEL_OF_KERAS.give
def model_of_keras(members: dict[str, bytes], path: str, compile: bool) -> Model:
    """The model in the members of a file. Raises as `load_model`."""
    if "model.weights.h5" not in members:
        raise SavedFileError(
            f"{path} has no model.weights.h5: weights in other formats can't be read",
            remedy="save the model with Keras in its own format: model.save(path)",
        )
    content = hdf5_content(members["model.weights.h5"], f"model.weights.h5 in {path}")
    config = config_from_keras(modern_config(strict_json.loads(members["config.json"], path)), path)
    model = made_of(config, content)
    if compile:
        compile_model(model, config.get("compile_config"), path)
    _take_vocabularies(model, members, content)
    load_content(model, content, path)
    return model


def made_of(config: Any, content: Hdf5Content) -> Model:
    """The model of a configuration, built, with weights that take no more room than those of a file."""
    with allocation.at_most(sum(array.nbytes for array in content.arrays.values())):
        model: Model = made(config)
        built = config.get("build_config")
        if not model.built and isinstance(built, dict) and built.get("input_shape") is not None:
            model.build(_shape(built["input_shape"]))
    return model


def _shape(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _shape(each) for key, each in value.items()}
    if isinstance(value, list) and all(each is None or isinstance(each, int) for each in value):
        return tuple(value)
    return [_shape(each) for each in value]


def compile_model(model: Model, config: object, path: str) -> None:
    """Compile a model as Keras's configuration says; nothing happens for one that was not compiled.

    What `jit_compile` was is left out: it says what Keras found fit for the machine.
    """
    graph = model.graph_of_calls
    outputs = [] if graph is None else [each.keras_history[0].operation.name for each in model.outputs]
    wanted = config_from_keras(modern_compile_config(config, outputs), path)
    if wanted is not None:
        compile_from_config(model, {**_COMPILED, **wanted})


def _take_vocabularies(model: Model, members: dict[str, bytes], content: Hdf5Content) -> None:
    for place, part in parts_by_place(model):
        text = members.get(path_of("assets", place, "vocabulary.txt"))
        if text is None or not isinstance(part, IndexLookup) or part.input_vocabulary is not None:
            continue
        tokens: list[Any] = text.decode().splitlines()
        while tokens and not tokens[-1]:
            tokens.pop()
        if part.vocabulary_dtype != "string":
            tokens = [int(token) for token in tokens]
        part.set_vocabulary(tokens, content.groups.get(path_of(place, "vars"), {}).get("idf_weights"))
