"""Models as files: configuration, weights and what `compile` was given.

A file is a ZIP archive, without compression, of three members; a folder holds them as files:

* ``metadata.json``: ``{"format": "autograph keras model", "version": 1}``;
* ``config.json``: the class and the configuration of the model (see `serialization`), under ``call_arguments`` what a
  model of another kind than functional and sequential was first called with, under ``compile_config`` what `compile`
  was given;
* ``model.safetensors``: the weights, and the variables of the optimizer, as `weights` has them, and what layers have
  learnt besides (vocabularies), as `assets` has it.

Nothing in it is code. Classes and functions of the user go by their names, and are found only among those that the
user passes or has registered. What a file makes the library do is bounded: weights may take no more room than those
that the file holds.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import zipfile
from collections.abc import Callable, Iterator
from typing import Any

from autograph.errors import (
    AutographError,
    InvalidArgumentError,
    InvalidTypeError,
    MissingExtraError,
    MissingFileError,
    SavedFileError,
)
from autograph.runtime.base.places import warn
from autograph.runtime.base.provided import Provided
from autograph.runtime.tensors import trace
from autograph.runtime.tensors.spec import TensorSpec
from autograph.runtime.tools.export import strict_json
from autograph.runtime.tools.export.file_errors import damaged_error, newer_version_error
from autograph.runtime.tools.export.hdf5 import is_hdf5
from autograph.runtime.tools.export.weights import content_of, read_file, replace_file, tensors_of

from ..base import allocation
from ..base.assets import load_assets, named_assets
from ..base.custom_objects import custom_object_scope
from ..base.serialization import UnknownClassError, deserialize, plain
from ..base.symbolic import KerasTensor
from ..base.tracking import record_of
from ..base.weights import load_arrays, named_weights
from ..fit.compile_config import compile_from_config, compile_to_config
from .model import SAVE_MODEL, TO_JSON, Model

__all__ = ["load_model", "made", "making", "model_from_json", "save_model", "to_json"]

FORMAT = "autograph keras model"
VERSION = 1
_METADATA, _CONFIG, _WEIGHTS = "metadata.json", "config.json", "model.safetensors"
_KERAS_STEM, _KERAS_WEIGHTS = "model.weights.", "model.weights.h5"

MODEL_OF_KERAS: Provided[Callable[..., Any]] = Provided("keras.saved.models", late=True)
"""The model in the members of a file that Keras has written."""
MEMBERS_FOR_KERAS: Provided[Callable[..., dict[str, bytes]]] = Provided("keras.saved.written", late=True)
"""The members of a file that Keras reads, for a model and its configuration."""
MODEL_IN_HDF5: Provided[Callable[..., Any]] = Provided("keras.saved.legacy", late=True)
"""The model in an HDF5 file."""


# Out


@SAVE_MODEL.give
def save_model(
    model: object, filepath: str | os.PathLike[str], overwrite: bool = True, zipped: bool | None = None,
    weights_format: str = "safetensors"
) -> None:  # fmt: skip
    """Write a model, with its weights and what `compile` was given, for `load_model`.

    Parameters
    ----------
    model: a model of the library, or of a class of the user that has a configuration: its constructor takes plain
        values, or it defines `get_config`.
    filepath: a file whose name ends in ``.keras``, or a folder, whose name has no extension.
    overwrite: whether what is there is replaced.
    zipped: whether to write one file; left out, the name tells.
    weights_format: "safetensors", or "h5" for a file that Keras 3 reads, too, where it has all of the model's classes;
        it needs the library h5py.

    What `compile` was given is left out, with a warning, where it can't be written, such as a lambda.

    Raises `ValueError` for a name with another extension, for what is there already without ``overwrite``, and for
    configurations that hold other things than plain values; `NotImplementedError` for classes without a configuration;
    `MissingExtraError` without the library safetensors; `OSError`.
    """
    path = os.fspath(filepath)
    extension = os.path.splitext(os.path.basename(os.path.normpath(path)))[1]
    if zipped is None:
        if extension not in ("", ".keras"):
            raise InvalidArgumentError(
                "Invalid filepath extension for saving. Please add either a `.keras` extension, or none for a folder. "
                f"Use `model.export(filepath)` to export a saved model. Received: filepath={path}."
            )
        zipped = extension == ".keras"
    if not overwrite and os.path.exists(path):
        raise InvalidArgumentError(f"{path} exists already: pass overwrite=True to replace it")
    if weights_format not in ("safetensors", "h5"):
        raise InvalidArgumentError(f'weights_format is "safetensors" or "h5", not {weights_format!r}')
    if weights_format == "h5":
        members = MEMBERS_FOR_KERAS.function(model, _config(model))
    else:
        metadata = {"format": FORMAT, "version": VERSION}
        members = {
            _METADATA: strict_json.dumps(metadata), _CONFIG: strict_json.dumps(_config(model)),
            _WEIGHTS: content_of(named_weights(model) | named_assets(model)),
        }  # fmt: skip
    if zipped:
        replace_file(path, _archive(members))
        return
    os.makedirs(path, exist_ok=True)
    for name, content in members.items():
        os.makedirs(os.path.dirname(os.path.join(path, name)), exist_ok=True)
        replace_file(os.path.join(path, name), content)


def _archive(members: dict[str, bytes]) -> bytes:
    """A ZIP archive that depends on its members alone."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name), content)
    return file.getvalue()


def _config(model: Any) -> dict[str, Any]:
    config: dict[str, Any] = plain(model)
    arguments = record_of(model).call_arguments
    if model.graph_of_calls is None and arguments is not None:
        config["call_arguments"] = _encode(arguments)
    if model.compiled:
        try:
            config["compile_config"] = compile_to_config(model)
        except (NotImplementedError, ValueError) as error:
            warn(
                f"what `compile` was given can't be saved, so that the model has to be compiled again: {error}",
            )
    return config


def _encode(value: object) -> Any:
    """Arguments of a call, with specs for tensors."""
    if isinstance(value, TensorSpec):
        return {"class_name": "__tensor_spec__", "config": [value.type.shape, value.dtype.name]}
    if isinstance(value, (list, tuple)):
        return [_encode(each) for each in value]
    if isinstance(value, dict):
        return {key: _encode(each) for key, each in value.items()}
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    raise InvalidArgumentError(f"the model was called with {value!r}, which a file can't hold")


@TO_JSON.give
def to_json(model: object, **kwargs: Any) -> str:
    """The configuration of a model as JSON; ``kwargs`` go to `json.dumps`. Raises as `save_model`."""
    return json.dumps(_config(model), **kwargs)


# In


def load_model(
    filepath: str | os.PathLike[str], custom_objects: dict[str, Any] | None = None, compile: bool = True,
    safe_mode: bool = True
) -> Any:  # fmt: skip
    """The model that `save_model` or Keras 3 has written, with its weights, compiled as it was.

    Parameters
    ----------
    filepath: the file or folder.
    custom_objects: the classes and functions of the user that the model uses, by name; those that
        `register_keras_serializable` has registered are known.
    compile: whether to compile the model, if it was compiled.
    safe_mode: accepted as in Keras: files hold no code, and the code in those of Keras is never run.

    Raises `SavedFileError` for a file that is missing, damaged, of a newer version, or not of the format;
    `InvalidTypeError` (a `TypeError`) for a class or function that is not known; `MissingExtraError` without the
    library that its format needs, safetensors or h5py.
    """
    path = os.fspath(filepath)
    if os.path.isfile(path) and is_hdf5(data := read_file(path)):
        with making(path, custom_objects):
            return MODEL_IN_HDF5.function(data, path, compile)
    members = _members(path)
    metadata = strict_json.loads(members[_METADATA], path)
    with making(path, custom_objects):
        if isinstance(metadata, dict) and "keras_version" in metadata:
            return MODEL_OF_KERAS.function(members, path, compile)
        _check_metadata(metadata, path)
        config = strict_json.loads(members[_CONFIG], path)
        arrays = tensors_of(members[_WEIGHTS], path)
        with allocation.at_most(sum(array.nbytes for array in arrays.values())):
            model = made(config)
        if compile and "compile_config" in config:
            compile_from_config(model, config["compile_config"])
        load_arrays(model, load_assets(model, arrays), path)
    return model


@contextlib.contextmanager
def making(path: str, custom_objects: dict[str, Any] | None) -> Iterator[None]:
    """A model is made of the file at a path, with classes of the user: what goes wrong is an error of the file."""
    with custom_object_scope(custom_objects or {}), trace.building(None):
        try:
            yield
        except (MissingExtraError, SavedFileError, UnknownClassError):
            raise
        except Exception as error:
            reason = error.message if isinstance(error, AutographError) else f"{type(error).__name__}: {error}"
            raise SavedFileError(
                f"the model in {path} can't be made: {reason}",
                remedy="copy the file again from where it is whole, or save the model anew; where it has classes or "
                "functions of yours, see whether they have changed since",
            ) from error


def model_from_json(json_string: str, custom_objects: dict[str, Any] | None = None) -> Any:
    """A model for what `Model.to_json` gave, with new weights. Raises as `load_model`."""
    config = strict_json.loads(json_string.encode(), "the configuration")
    with custom_object_scope(custom_objects or {}), trace.building(None):
        model = made(config)
        if "compile_config" in config:
            compile_from_config(model, config["compile_config"])
    return model


def made(config: Any) -> Any:
    """The model of a configuration, called with what it was first called with, if that is in it."""
    model = deserialize(config)
    if not isinstance(model, Model):
        raise InvalidTypeError(
            f"{config['class_name']} is no class of models", remedy="pass what to_json() of a model gave"
        )
    if "call_arguments" in config:
        args, kwargs = _decode(config["call_arguments"])
        model(*args, **kwargs)
    return model


def _decode(value: object) -> Any:
    if isinstance(value, list):
        return [_decode(each) for each in value]
    if not isinstance(value, dict):
        return value
    if value.get("class_name") == "__tensor_spec__":
        return KerasTensor(*value["config"])
    return {key: _decode(each) for key, each in value.items()}


def _check_metadata(metadata: object, path: str) -> None:
    if not isinstance(metadata, dict) or metadata.get("format") != FORMAT:
        raise SavedFileError(f"{path} is no model of autograph", remedy="load a file that model.save has written")
    version = metadata.get("version")
    if type(version) is int and version > VERSION:
        raise newer_version_error(path, version, VERSION)
    if type(version) is not int or version != VERSION:
        raise damaged_error(f"{path} is damaged: it has no version")


def _members(path: str) -> dict[str, bytes]:
    """The members of a file or folder by name."""
    if os.path.isdir(path):
        return _files(path)
    if not os.path.exists(path):
        raise MissingFileError(
            f"File not found: filepath={path}. Please ensure the file is an accessible `.keras` file."
        )
    try:
        with zipfile.ZipFile(io.BytesIO(read_file(path))) as archive:
            return _unpacked(archive, path)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, ValueError, EOFError) as error:
        raise damaged_error(f"{path} is no `.keras` file, or damaged: {error}") from None


def _files(path: str) -> dict[str, bytes]:
    """The files of a folder: those of the library, or those of Keras, with what layers have learnt."""
    if not os.path.exists(os.path.join(path, _KERAS_WEIGHTS)):
        names = [_METADATA, _CONFIG, _WEIGHTS]
    else:
        names = [_METADATA, _CONFIG, _KERAS_WEIGHTS]
        for folder, _, files in os.walk(os.path.join(path, "assets")):
            names += [os.path.relpath(os.path.join(folder, each), path) for each in files]
    return {name.replace(os.sep, "/"): read_file(os.path.join(path, name), follow_links=False) for name in names}


def _unpacked(archive: zipfile.ZipFile, path: str) -> dict[str, bytes]:
    found = [info for info in archive.infolist() if not info.is_dir()]
    names = [info.filename for info in found]
    wanted = [_METADATA, _CONFIG, _WEIGHTS]
    is_of_keras = _METADATA in names and _CONFIG in names and any(each.startswith(_KERAS_STEM) for each in names)
    if sorted(names) != sorted(wanted) and not is_of_keras:
        raise damaged_error(f"{path} is damaged: it does not hold {', '.join(wanted)}, and nothing else")
    if any(info.compress_type != zipfile.ZIP_STORED or info.file_size != info.compress_size for info in found):
        raise SavedFileError(
            f"the members of {path} are compressed, which those of a saved model are not",
            remedy="pack them again with `zip -0`, or save the model anew",
        )
    return {name: archive.read(name) for name in names}
