"""Weights in HDF5 files as Keras 3 writes them: ``model.save_weights("model.weights.h5")``.

Each part of the model has a group at its place (see `places`), and in it a group ``vars`` with its variables, ``0``,
``1`` …, and the name of the part as an attribute.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from autograph.errors import InvalidArgumentError
from autograph.runtime.base.places import warn
from autograph.runtime.functions.deferred import array_of
from autograph.runtime.state.variable import Variable
from autograph.runtime.tensors import trace
from autograph.runtime.tools.export.hdf5 import Hdf5Content, hdf5_bytes, hdf5_content, path_of

from ..formulas.optimizer_variables import VariablesOfOptimizer
from ..networks.model import Model
from .places import IdfWeights, Part, parts_by_place, saved_variables

__all__ = ["Problem", "load_content", "read_weights", "weights_content", "write_weights"]

_VARS = "vars"
_OLD_LAYERS = "_layer_checkpoint_dependencies"  # how Keras 2.13 called them


def write_weights(model: Model) -> bytes:
    """The file with the weights of a model, and with the variables of its optimizer, if it is compiled."""
    return hdf5_bytes(weights_content(model))


def weights_content(model: Model) -> Hdf5Content:
    """What `write_weights` writes."""
    content = Hdf5Content()
    for place, part in parts_by_place(model):
        variables = saved_variables(part)
        name = getattr(part, "name", None)
        if isinstance(name, str) and hasattr(part, "variables"):
            content.attributes[path_of(place, _VARS)] = {"name": name}
        for key, variable in variables.items():
            content.arrays[path_of(place, _VARS, key)] = _stored(value_of(variable), place or model.name)
    return content


def _stored(array: np.ndarray[Any, Any], place: str) -> np.ndarray[Any, Any]:
    if array.dtype.kind not in "biuf":
        raise InvalidArgumentError(
            f"a weight of {place} has the dtype {'string' if array.dtype == object else array.dtype.name}, which HDF5 "
            "files of Keras don't hold",
            remedy="give the file a name that does not end in .h5: it is written in the safetensors format then",
        )
    return array


def value_of(variable: IdfWeights | Variable) -> np.ndarray[Any, Any]:
    """The value of what `saved_variables` gives."""
    return np.asarray(variable.array) if isinstance(variable, IdfWeights) else array_of(variable)


# In


@dataclass
class Problem:
    """What of a file does not fit, and the part of the model that it is about."""

    part: Part
    text: str


def read_weights(
    model: Model, data: bytes, path: str | os.PathLike[str], skip_mismatch: bool = False,
    objects_to_skip: Sequence[object] | None = None
) -> None:  # fmt: skip
    """Set the weights of a model to what a file holds, see `load_content`."""
    load_content(model, hdf5_content(data, os.fspath(path)), os.fspath(path), skip_mismatch, objects_to_skip)


def load_content(
    model: Model, content: Hdf5Content, path: str, skip_mismatch: bool = False,
    objects_to_skip: Sequence[object] | None = None
) -> None:  # fmt: skip
    """Set the weights of a model, and the variables of its optimizer, to what a file holds.

    With ``skip_mismatch`` what does not fit is left out, with a warning. Raises `InvalidArgumentError` else, with all
    that does not fit, and changes nothing then. An optimizer with other variables than the file has stays as it is,
    with a warning.
    """
    seen = {id(each) for each in objects_to_skip or ()}
    pairs: list[tuple[Any, Any]] = []
    problems: list[Problem] = []
    known: set[str] = set()
    for place, part in parts_by_place(model, seen=seen):
        saved = _saved(content, place)
        known.add(place)
        if isinstance(part, VariablesOfOptimizer):
            pairs += _optimizer_pairs(model, part, saved, problems, path)
        else:
            pairs += _fitting(part, place or f"model '{part.name}'", saved, problems)
    raise_or_warn(model, problems, path, skip_mismatch)
    if not objects_to_skip:
        _warn_of_others(model, content, known, path)
    assign(pairs)


def _saved(content: Hdf5Content, place: str) -> dict[str, Any]:
    found = content.groups.get(path_of(place, _VARS))
    return found or content.groups.get(path_of(place.replace("layers", _OLD_LAYERS), _VARS), {})


def _fitting(part: Part, place: str, saved: dict[str, Any], problems: list[Problem]) -> list[tuple[Any, Any]]:
    """The variables of a part with their values; what does not fit goes to the problems."""
    variables = saved_variables(part)
    name = getattr(part, "name", type(part).__name__)
    if not variables and not saved:
        return []
    if len(variables) != len(saved):
        unbuilt = not variables and not getattr(part, "built", True)
        hint = ", as it is not built: call the model, or build it, first" if unbuilt else ""
        text = f"layer '{name}' ({place}) has {len(variables)} variables{hint}; the file has {len(saved)}"
        problems.append(Problem(part, text))
        return []
    pairs = []
    for key, variable in variables.items():
        problem = mismatch(variable, saved.get(key))
        if problem is not None:
            problems.append(Problem(part, f"{_own_name(variable, key)} of layer '{name}' ({place}) {problem}"))
        elif not (problems and problems[-1].part is part):  # Keras stops at the first variable of a part
            pairs.append((variable, saved[key]))
    return pairs


def _own_name(variable: object, key: str) -> str:
    return str(getattr(variable, "path", None) or key).rpartition("/")[2]


def mismatch(variable: IdfWeights | Variable, array: Any) -> str | None:
    """Why an array is no value for a variable; None where it is one."""
    if array is None:
        return "is not in the file"
    target = value_of(variable)
    if array.shape != target.shape:
        return f"is of shape {array.shape} in the file, {target.shape} in the model"
    kinds = array.dtype.kind + target.dtype.kind
    if kinds in ("bb", "ff"):
        return None
    if set(kinds) <= set("iuf") and np.array_equal(array.astype(target.dtype), array):
        return None
    return f"is {array.dtype} in the file, {target.dtype} in the model"


def raise_or_warn(model: Model, problems: Iterable[Problem], path: str, skip_mismatch: bool) -> None:
    """Say what does not fit: as an error, or as a warning with ``skip_mismatch``."""
    texts = [each.text for each in problems]
    if not texts:
        return
    message = f"the weights in {path} do not fit model '{model.name}': " + "; ".join(texts)
    if not skip_mismatch:
        raise InvalidArgumentError(message, remedy="make the model as it was when it was saved")
    warn(f"{message}. These were left as they are")


def _warn_of_others(model: Model, content: Hdf5Content, known: set[str], path: str) -> None:
    """Say which parts of the file the model does not have; Keras leaves them out in silence."""
    places = {each.rpartition("/")[0].rpartition("/")[0] for each in content.arrays}
    places = {each.replace(_OLD_LAYERS, "layers") for each in places}
    others = sorted(each for each in places - known if each.partition("/")[0] not in ("optimizer", "metrics"))
    if others:
        warn(f"{path} has weights that model '{model.name}' has no layers for, which are left out: {', '.join(others)}")


def assign(pairs: Iterable[tuple[Any, Any]]) -> None:
    """Give variables their values."""
    with trace.building(None):
        for variable, array in pairs:
            if isinstance(variable, IdfWeights):
                variable.layer.idf_weights = np.asarray(array, np.float32)
            else:
                variable.assign(np.asarray(array, variable.dtype.numpy))


# Optimizers


def _optimizer_pairs(
    model: Model, optimizer: Any, saved: dict[str, Any], problems: list[Problem], path: str
) -> list[tuple[Any, Any]]:  # fmt: skip
    """The optimizer's variables and their saved values; none, with a warning, when there are others in the file."""
    if not saved:
        return []
    variables = saved_variables(optimizer)
    if len(variables) != len(saved) and not optimizer.built:
        with trace.building(None):
            optimizer.build(model.trainable_variables)
        variables = saved_variables(optimizer)
    if len(saved) == len(variables) - 1 and "learning_rate" in str(variables["1"].path):
        del variables["1"]  # Keras 2 has it in the configuration alone
        variables = {str(number): each for number, each in enumerate(variables.values())}
    if len(variables) != len(saved):
        warn(
            f"the optimizer's variables in {path} are left out: {optimizer.name!r} has {len(variables)} variables, "
            f"the file {len(saved)}"
        )
        return []
    found = []
    for key, variable in variables.items():
        problem = mismatch(variable, saved.get(key))
        if problem is not None:
            problems.append(Problem(optimizer, f"variable {key} of optimizer '{optimizer.name}' {problem}"))
        else:
            found.append((variable, saved[key]))
    return found
