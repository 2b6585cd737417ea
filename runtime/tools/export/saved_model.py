"""Saved models: a folder with graphs, variables and objects as data, which runs without the Python source.

The folder holds two files. ``saved_model.json`` is

    {"format": "autograph saved model", "version": 1, "checksum": <SHA-256 of the content's JSON>, "content": {
        "weights": "weights-0123456789abcdef.safetensors",      or null
        "variables": [{"name": "w:0", "dtype": "float32", "shape": [2, null], "trainable": true}, …],
        "graphs": […], "functions": […],                        see `graphs`
        "traces": […],                                          see `functions`
        "objects": […],                                         see `objects`
        "signatures": {"serving_default": {"graph": 0, "inputs": ["x"], "outputs": ["output_0"]}},
        "state": {…}}}                                          see `state`; left out when there is none

and the other file holds arrays, as `weights` has them: ``variables/0`` … and ``constants/0`` …. Its name has the first
digits of its SHA-256. The checksum is that of the content with keys in the order of the file, without spaces.

Nothing in a saved model is code. What is loaded is checked: every attribute, every type against inference, every graph
as a whole; ops that run Python objects, and those that touch files, are refused.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from autograph.errors import (
    AutographError,
    InvalidArgumentError,
    MissingExtraError,
    MissingFileError,
    SavedFileError,
    SavingError,
)

from ...base import shapes
from ...base.dtypes import from_numpy
from ...base.places import warn
from ...base.provided import Provided
from ...functions.concrete import ConcreteFunction
from ...functions.deferred import array_of
from ...functions.function import Function
from ...ir.graph import Graph
from ...state.variable import Variable, restored
from ...tensors import trace
from . import strict_json
from .file_errors import damaged_error, newer_version_error
from .functions import decode_trace, encode_trace
from .graphs import GraphReader, encode_graph
from .objects import LoadedObject, decode_objects, encode_objects
from .signatures import decode_signatures, encode_signatures
from .state import StateReader, StateWriter
from .values import decode_dtype, decode_shape, encode_shape, is_index, require
from .weights import content_of, read_file, replace_file, tensors_of

__all__ = ["DEFAULT_SERVING_SIGNATURE_DEF_KEY", "contains_saved_model", "load", "save"]

DEFAULT_SERVING_SIGNATURE_DEF_KEY = "serving_default"
FORMAT = "autograph saved model"
VERSION = 1
FILE = "saved_model.json"
OF_TENSORFLOW = "saved_model.pb"
TENSORFLOW: Provided[Callable[[str], Any]] = Provided("readers.model", late=True)
"""Reads a folder that TensorFlow 2 has written."""
_DAMAGE = (AutographError, ArithmeticError, LookupError, MemoryError, RecursionError, TypeError, ValueError)
"""What content that isn't valid leads to."""
_WEIGHTS = re.compile(r"weights-[0-9a-f]{16}\.safetensors")
_CONTENT = {"weights", "variables", "graphs", "functions", "traces", "objects", "signatures"}
_VARIABLE = {"name", "dtype", "shape", "trainable"}


# Saving


class _Writer:
    """Collects what a model consists of. Implements `values.Target`."""

    def __init__(self) -> None:
        self.arrays: dict[str, np.ndarray[Any, Any]] = {}
        self.variables: list[dict[str, Any]] = []
        self.graphs: list[dict[str, Any]] = []
        self.functions: list[Graph] = []
        self.traces: list[dict[str, Any] | None] = []
        self.states = StateWriter(self)
        self._places: dict[int, Any] = {}
        self._kept: list[Any] = []  # so that no other object gets the same id

    def _known(self, value: object) -> Any:
        self._kept.append(value)
        return self._places.get(id(value))

    def array(self, array: np.ndarray[Any, Any]) -> str:
        name = self._known(array)
        if name is None:
            name = self._places[id(array)] = f"constants/{len(self.arrays) - len(self.variables)}"
            self.arrays[name] = array
        return name

    def variable(self, variable: Variable) -> int:
        place = self._known(variable)
        if place is None:
            place = self._places[id(variable)] = len(self.variables)
            self.arrays[f"variables/{place}"] = array_of(variable)
            self.variables.append({
                "name": variable.name, "dtype": variable.dtype.name, "shape": encode_shape(variable.static_shape),
                "trainable": variable.trainable,
            })  # fmt: skip
        return place

    def graph(self, graph: Graph) -> int:
        data = encode_graph(graph, self, False)
        self.graphs.append(data)
        return len(self.graphs) - 1

    def function(self, graph: Graph) -> int:
        place = self._known(graph)
        if place is None:
            place = self._places[id(graph)] = len(self.functions)
            self.functions.append(graph)
        return place

    def entry(self, graph: Graph) -> int:
        """The place of a graph that is called from outside, with its state."""
        place = self.function(graph)
        self.states.add(place, graph)
        return place

    def trace(self, concrete: ConcreteFunction) -> int:
        place = self._known(concrete)
        if place is None:
            place = self._places[id(concrete)] = len(self.traces)
            self.traces.append(encode_trace(concrete, self.entry(concrete.graph), self))
        return place


def save(obj: object, export_dir: str | os.PathLike[str], signatures: object = None, options: object = None) -> None:
    """Save an object with its variables and the traces of its functions into a folder; see `load`.

    Parameters
    ----------
    obj: a `Module`, another object with variables, tensors and traced functions in its attributes (also in lists,
        tuples, dicts and objects inside), or a traced function. Functions are saved with the traces that they have; one
        with an input_signature is traced when it has none.
    export_dir: the folder, made when it does not exist. A model that is there is replaced at once, when everything
        else has been written.
    signatures: a function with an input_signature, or a concrete function, which takes tensors and gives one, a
        sequence, or a dict of them; or a dict of such functions by name. Left out: the only function of the object that
        has an input_signature.
    options: accepted as in TensorFlow, as None.

    Raises `SavingError` for what can't be saved (Python functions in graphs, datasets, Python objects as arguments),
    `MissingExtraError` without the library safetensors, `OSError`.
    """
    if options is not None:
        raise InvalidArgumentError("saved_model.save takes no options", remedy="leave them out")
    _check_root(obj)
    if trace.current_graph() is not None:
        raise SavingError(
            "a model can't be saved while a graph is being traced", remedy="call save outside of the function"
        )
    writer = _Writer()
    places: dict[int, int] = {}
    objects = encode_objects(obj, writer, writer.trace, places)
    content: dict[str, Any] = {
        "weights": None, "variables": writer.variables, "graphs": writer.graphs, "functions": [],
        "traces": writer.traces, "objects": objects, "signatures": encode_signatures(obj, signatures, writer),
    }  # fmt: skip
    state = writer.states.encoded(places)
    if state is not None:
        content["state"] = state
    for graph in writer.functions:  # which grows
        content["functions"].append(encode_graph(graph, writer, True))
    weights = content_of(writer.arrays) if writer.arrays else None
    if weights is not None:
        content["weights"] = f"weights-{hashlib.sha256(weights).hexdigest()[:16]}.safetensors"
    if not writer.traces and not content["signatures"]:
        _warn_of_nothing_to_call(obj)
    _write(os.fspath(export_dir), content, weights)


def _warn_of_nothing_to_call(obj: object) -> None:
    """A warning where a class has methods, of which none can be called once the model is loaded."""
    found: dict[str, Any] = {}
    for kind in reversed(type(obj).__mro__):
        if not kind.__module__.startswith("autograph.") and kind is not object:
            found.update(vars(kind))
    name = type(obj).__name__
    methods = {key: each for key, each in found.items() if not key.startswith("_") or key == "__call__"}
    plain = [key for key, each in methods.items() if isinstance(each, types.FunctionType)]
    held = {**methods, **getattr(obj, "__dict__", {})}
    traced = [key for key, each in held.items() if isinstance(each, Function)]
    if traced:
        warn(
            f"nothing of the saved {name} can be called: {name}.{traced[0]} has never been called, and has no "
            "input_signature. Call it before, or decorate it with @tf.function(input_signature=[tf.TensorSpec(…)])"
        )
    elif plain:
        method = "__call__" if "__call__" in plain else plain[0]
        warn(
            f"nothing of the saved {name} can be called: {name}.{method} is plain Python, which is not saved. Decorate "
            "it with @tf.function(input_signature=[tf.TensorSpec(…)])"
        )


def _check_root(obj: object) -> None:
    functions = (types.FunctionType, types.BuiltinFunctionType, types.MethodType, types.ModuleType, type)
    containers = (str, bytes, int, float, complex, list, tuple, dict, set, type(None))
    if not isinstance(obj, (*functions, *containers)):
        return
    raise SavingError(
        "Expected an object with variables and traced functions, such as `tf.Module`, for export. "
        f"Got {obj!r} with type {type(obj)}.",
        remedy="make functions traced ones with tf.function, and set them as attributes of a tf.Module",
    )  # fmt: skip


def _write(folder: str, content: dict[str, Any], weights: bytes | None) -> None:
    if os.path.exists(folder) and not os.path.isdir(folder):
        raise SavingError(f"{folder} is not a directory")
    body = strict_json.dumps(content)
    head = {"format": FORMAT, "version": VERSION, "checksum": hashlib.sha256(body).hexdigest()}
    os.makedirs(folder, exist_ok=True)
    if weights is not None:
        replace_file(os.path.join(folder, content["weights"]), weights)
    replace_file(os.path.join(folder, FILE), strict_json.dumps(head)[:-1] + b',"content":' + body + b"}")
    for name in os.listdir(folder):
        if _WEIGHTS.fullmatch(name) and name != content["weights"]:
            with contextlib.suppress(OSError):
                os.unlink(os.path.join(folder, name))


# Loading


def contains_saved_model(export_dir: str | os.PathLike[str]) -> bool:
    """Whether there is a saved model in a folder."""
    return os.path.isfile(os.path.join(os.fspath(export_dir), FILE))


class _Source:
    """The arrays and variables of a model. Implements `values.Source`."""

    def __init__(self, content: dict[str, Any], arrays: dict[str, np.ndarray[Any, Any]]) -> None:
        self._arrays = arrays
        self.used: set[str] = set()
        require(type(content["variables"]) is list, "the variables are no table")
        self._variables = [self._variable(i, data) for i, data in enumerate(content["variables"])]
        self.reader: GraphReader | None = None

    def array(self, name: Any) -> np.ndarray[Any, Any]:
        require(type(name) is str and name in self._arrays, "there is no such array")
        self.used.add(name)
        return self._arrays[name]

    def variable(self, index: Any) -> Variable:
        require(is_index(index, len(self._variables)), "there is no such variable")
        return self._variables[index]

    def graph(self, index: object) -> Graph:
        require(False, "a graph stands where none can be")
        raise AssertionError("unreachable")

    function = graph

    def _variable(self, place: int, data: Any) -> Variable:
        require(type(data) is dict and data.keys() == _VARIABLE, "a variable has wrong parts")
        name, dtype, shape = data["name"], decode_dtype(data["dtype"]), decode_shape(data["shape"])
        require(
            type(name) is str and name.isprintable() and type(data["trainable"]) is bool, "a variable has wrong parts"
        )
        array = self.array(f"variables/{place}")
        require(from_numpy(array.dtype) is dtype and shapes.is_subshape(array.shape, shape),
                f"the value of the variable {name!r} has another type")  # fmt: skip
        return restored(array, name, data["trainable"], None, shape)


def load(export_dir: str | os.PathLike[str], tags: object = None, options: object = None) -> Any:
    """The object that `save` has written to a folder, without the Python source.

    It has the attributes that were saved: variables (which several functions may share), tensors, functions, and
    structures and objects of them; objects are `LoadedObject`, which are modules. Functions run the traces that were
    saved. ``signatures`` has functions by name that take tensors by keyword and return a dict of tensors. Gradient
    tapes follow functions and variables as before.

    A folder that TensorFlow 2 has written is read, too, without TensorFlow, for the ops that there are here: a function
    that needs others names all of them when it is called; `UnimplementedError` where none can run.

    Raises `SavedFileError` (an `OSError`) when there is no model, or when it is damaged, of a newer version, or not to
    be trusted; `MissingExtraError` without the library safetensors.
    """
    if options is not None or tags not in (None, "serve", ["serve"]):
        raise InvalidArgumentError(
            "saved_model.load takes no options, and no tags but 'serve'", remedy="leave them out"
        )
    folder = os.fspath(export_dir)
    if not contains_saved_model(folder) and os.path.isfile(os.path.join(folder, OF_TENSORFLOW)):
        return TENSORFLOW.function(folder)
    if not contains_saved_model(folder):
        raise MissingFileError(f"SavedModel file does not exist at: {os.path.join(folder, FILE)}")
    with trace.building(None):
        try:
            return _decoded(_content(folder), folder)
        except (MissingExtraError, SavedFileError):
            raise
        except _DAMAGE as error:
            raise damaged_error(f"the saved model in {folder} is damaged: {_reason(error)}") from None


def _reason(error: Exception) -> str:
    """What is wrong with a saved model, of an error that its content has led to."""
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    return error.message if isinstance(error, AutographError) else str(error) or type(error).__name__


def _content(folder: str) -> dict[str, Any]:
    """The content of the file with everything but arrays, after a look at its version and checksum."""
    path = os.path.join(folder, FILE)
    data = strict_json.loads(read_file(path, follow_links=False), path)
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise SavedFileError(
            f"{path} is no saved model of autograph", remedy="load a folder that tf.saved_model.save has written"
        )
    version = data.get("version")
    content: Any = data.get("content")
    if type(version) is int and version > VERSION:
        raise newer_version_error(path, version, VERSION)
    require(type(version) is int and version == VERSION, "it has no version")
    require(data.keys() == {"format", "version", "checksum", "content"}, "it has wrong parts")
    require(data["checksum"] == hashlib.sha256(strict_json.dumps(content)).hexdigest(), "the checksum does not fit")
    require(type(content) is dict and content.keys() - {"state"} == _CONTENT, "the content has wrong parts")
    return dict(content)


def _arrays(folder: str, name: str) -> dict[str, np.ndarray[Any, Any]]:
    if name is None:
        return {}
    require(type(name) is str and _WEIGHTS.fullmatch(name), "the name of the weights file is not valid")
    path = os.path.join(folder, name)
    data = read_file(path, follow_links=False)
    require(hashlib.sha256(data).hexdigest()[:16] == name[8:24], "the weights file is not the one that was saved")
    return tensors_of(data, path)


def _decoded(content: dict[str, Any], folder: str) -> Any:
    source = _Source(content, _arrays(folder, content["weights"]))
    reader = GraphReader(content["graphs"], content["functions"], source)
    state = StateReader(content.get("state"), reader.functions, source)
    require(type(content["traces"]) is list, "the traces are no table")
    traces = [decode_trace(data, reader.function, source) for data in content["traces"]]
    root, object_at = decode_objects(content["objects"], source, traces)
    state.put_into(object_at)
    signatures = decode_signatures(content["signatures"], reader.function)
    require(source.used == source._arrays.keys(), "the weights file holds arrays that nothing uses")
    if isinstance(root, LoadedObject):
        root.__dict__.setdefault("signatures", signatures)
    else:
        root.signatures = signatures
    return root
