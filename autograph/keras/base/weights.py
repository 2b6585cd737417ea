"""The weights of models: as lists of arrays, and as files.

A file is in the safetensors format; those of Keras, in HDF5, are made in `keras.saved`. A weight goes by its place in
the model: the name of each layer on the way to it (of its class, numbered within the layer that holds it) and its
number in its layer: ``layers/dense_1/vars/0``. So the weights fit a model of the same structure, also one that has
other layer names. The variables of the optimizer are ``optimizer/vars/0`` and so on.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from autograph.errors import InvalidArgumentError
from autograph.runtime.functions.deferred import array_of
from autograph.runtime.tensors import trace
from autograph.runtime.tools.export.weights import save_tensors

from .registry import snake_case
from .tracking import layers_by_attribute, own_variables

if TYPE_CHECKING:
    from .layer import Layer

__all__ = [
    "check_loading",
    "check_saving",
    "get_arrays",
    "layers_by_place",
    "load_arrays",
    "named_weights",
    "save_weights",
    "set_arrays",
]

_OPTIMIZER = "optimizer/vars/"


def get_arrays(variables: Sequence[Any]) -> list[np.ndarray[Any, Any]]:
    """The values of variables, as copies."""
    return [array_of(variable).copy() for variable in variables]


def set_arrays(layer: Any, weights: Sequence[Any]) -> None:
    """Set all weights of a layer. Raises `InvalidArgumentError`, and changes nothing, when number or shapes differ."""
    variables = layer.weights
    if len(variables) != len(weights):
        raise InvalidArgumentError(
            f"You called `set_weights(weights)` on layer '{layer.name}' with a weight list of length {len(weights)}, "
            f"but the layer was expecting {len(variables)} weights."
        )
    arrays = [np.asarray(weight) for weight in weights]
    for variable, array in zip(variables, arrays, strict=True):
        if variable.static_shape != array.shape:
            raise InvalidArgumentError(
                f"Layer {layer.name} weight shape {variable.static_shape} is not compatible with provided weight "
                f"shape {array.shape}."
            )
    _assign(zip(variables, arrays, strict=True))


def _assign(pairs: Any) -> None:
    with trace.building(None):
        for variable, array in pairs:
            variable.assign(np.asarray(array, variable.dtype.numpy))


def variables_by_place(layer: Layer) -> dict[str, Any]:
    """All weights of a layer by their places in it; a weight that has several goes by the first."""
    found: dict[str, Any] = {}
    seen: set[int] = set()
    for prefix, part in layers_by_place(layer):
        for number, variable in enumerate(own_variables(part)):
            if id(variable) not in seen:
                seen.add(id(variable))
                found[f"{prefix}vars/{number}"] = variable
    return found


def layers_by_place(layer: Any, prefix: str = "", seen: set[int] | None = None) -> Iterator[tuple[str, Any]]:
    """A layer and all layers in it, each once, behind the beginning of the places of what they have."""
    seen = set() if seen is None else seen
    if id(layer) in seen:
        return
    seen.add(id(layer))
    yield prefix, layer
    counts: Counter[str] = Counter()
    for part in layers_by_attribute(layer):
        name = snake_case(type(part).__name__)
        counts[name] += 1
        number = counts[name] - 1
        yield from layers_by_place(part, f"{prefix}layers/{name}{f'_{number}' if number else ''}/", seen)


def save_weights(model: Any, path: str | os.PathLike[str], overwrite: bool = True) -> None:
    """Write the weights of a model, and the variables of its optimizer, if it is compiled, into a file.

    Raises `InvalidArgumentError` for a model without weights that is not built, and for a file that exists unless
    ``overwrite``; `MissingExtraError` without the library safetensors.
    """
    check_saving(model, path, overwrite)
    save_tensors(path, named_weights(model))


def check_saving(model: Any, path: str | os.PathLike[str], overwrite: bool) -> None:
    """Refuse to replace a file unless ``overwrite``, and to save a model that is not built and has no weights."""
    if not overwrite and os.path.exists(path):
        raise InvalidArgumentError(f"{os.fspath(path)} exists already: pass overwrite=True to replace it")
    if not model.built and not variables_by_place(model):
        raise InvalidArgumentError(
            f"model '{model.name}' has no weights yet: call it, or build it with model.build(input_shape), first"
        )


def check_loading(model: Any) -> None:
    """Refuse to load weights into a model that is not built and has none."""
    if not model.built and not variables_by_place(model):
        raise InvalidArgumentError(
            f"model '{model.name}' has no weights yet: call it, or build it with model.build(input_shape), before "
            "weights are loaded into it"
        )


def named_weights(model: Any) -> dict[str, np.ndarray[Any, Any]]:
    """What `save_weights` writes: the arrays of weights and of the optimizer's variables, by their places."""
    places = variables_by_place(model)
    if places:
        places |= {f"{_OPTIMIZER}{number}": each for number, each in enumerate(_optimizer_variables(model))}
    return {place: array_of(variable) for place, variable in places.items()}


def load_arrays(model: Any, arrays: dict[str, np.ndarray[Any, Any]], path: str, skip_mismatch: bool = False) -> None:
    """Set the weights of a model, and the variables of its optimizer, to what `save_weights` has written to ``path``.

    With ``skip_mismatch``, weights that the file does not hold, or holds with another shape, stay as they are, and so
    does the optimizer then. Raises `InvalidArgumentError` for what does not fit the model; nothing is changed then.
    """
    saved = {name: array for name, array in arrays.items() if not name.startswith(_OPTIMIZER)}
    places = variables_by_place(model)
    if arrays:
        check_loading(model)
    pairs = []
    problems = [f"the file has {name!r}, the model does not" for name in saved.keys() - places.keys()]
    for place, variable in places.items():
        array = saved.get(place)
        if array is None:
            problems.append(f"the model has {place!r}, the file does not")
        elif array.shape != variable.static_shape or array.dtype != variable.dtype.numpy:
            problems.append(
                f"{place!r} is {array.dtype} of shape {array.shape} in the file, {variable.dtype.name} of shape "
                f"{variable.static_shape} in the model"
            )
        else:
            pairs.append((variable, array))
    if problems and not skip_mismatch:
        raise InvalidArgumentError(
            f"the weights in {path} do not fit model '{model.name}': {'; '.join(sorted(problems)[:3])}"
        )
    if not problems:
        pairs += _optimizer_pairs(model, arrays, path)
    _assign(pairs)


def _optimizer_pairs(model: Any, arrays: dict[str, Any], path: str) -> list[tuple[Any, Any]]:
    """The optimizer's variables and their saved values; none when there is no optimizer, or none was saved."""
    saved = [arrays[name] for name in sorted(arrays, key=_number) if name.startswith(_OPTIMIZER)]
    variables = _optimizer_variables(model)
    if not saved or not variables:
        return []
    if [array.shape for array in saved] != [variable.static_shape for variable in variables]:
        raise InvalidArgumentError(
            f"the optimizer's variables in {path} are not those of {model.optimizer.name!r}: there are {len(saved)} in "
            f"the file, {len(variables)} in the optimizer"
            + ("" if len(saved) != len(variables) else ", with other shapes")
        )
    return list(zip(variables, saved, strict=True))


def _optimizer_variables(model: Any) -> list[Any]:
    """The variables of a model's optimizer, which are made if they aren't yet; none where there is no optimizer."""
    optimizer = getattr(model, "optimizer", None)
    if optimizer is None:
        return []
    if not optimizer.built:
        with trace.building(None):
            optimizer.build(model.trainable_variables)
    return list(optimizer.variables)


def _number(name: str) -> tuple[int, str]:
    last = name.rpartition("/")[2]
    return (int(last), name) if name.startswith(_OPTIMIZER) and last.isdigit() else (-1, name)
