"""A SavedModel of TensorFlow's: its objects, with variables from the checkpoint and functions of the graph."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import autograph as tf
from autograph.errors import AutographError, SavedFileError, UnimplementedError
from autograph.runtime.state.variable import Variable
from autograph.runtime.tensors import trace
from autograph.runtime.tools.export.objects import LoadedObject, Signatures
from autograph.runtime.tools.export.saved_model import TENSORFLOW

from .bundle import Bundle
from .calls import DAMAGE, Absent, ReadFunction, Trace
from .functions import Library
from .messages import Message, decode
from .tensors import array_of, structure_of

__all__ = ["load"]


@TENSORFLOW.give
def load(folder: str) -> Any:
    """The object in a folder that TensorFlow 2 has written: variables, functions, signatures, structures of them.

    Raises `SavedFileError` where it is damaged, or of TensorFlow 1; `UnimplementedError` where none of its functions
    can run here, which names all ops that there are not. A function that can't run says so when it is called.
    """
    with trace.building(None):
        try:
            return _Reader(folder).root()
        except AutographError:
            raise
        except OSError as error:
            raise SavedFileError(f"the SavedModel in {folder} can't be read: {error}") from None
        except DAMAGE as error:
            raise SavedFileError(f"the SavedModel in {folder} is damaged: {type(error).__name__}: {error}") from None


class _Reader:
    """Makes the objects of a model: all of them first, then what hangs on each."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        with open(os.path.join(folder, "saved_model.pb"), "rb") as file:
            graphs = decode("SavedModel", file.read()).meta_graphs
        if len(graphs) != 1 or graphs[0].objects is None or not graphs[0].objects.nodes:
            raise SavedFileError(f"the SavedModel in {folder} is one of TensorFlow 1, or has several graphs",
                                 remedy="load it in TensorFlow 2, and save it again")  # fmt: skip
        self._graph: Message = graphs[0]
        self._nodes: list[Message] = self._graph.objects.nodes
        self._library = Library(self._graph.graph.library.functions if self._graph.graph.library else [])
        self._constants = {node.name: node for node in self._graph.graph.nodes if node.op == "Const"}
        self._keys = self._checkpoint_keys()
        self._made: dict[int, Any] = {}

    def root(self) -> Any:
        order = sorted(range(len(self._nodes)), key=lambda i: self._nodes[i].function is not None)
        for place in order:
            self._made[place] = self._object(place, self._nodes[place])
        for place in order:
            self._hang(place)
        root = self._made[0]
        self._check_any_runs()
        if isinstance(root, LoadedObject):
            found = root.__dict__.get("signatures")
            root.__dict__["signatures"] = found if isinstance(found, Signatures) else Signatures()
        return root

    def _checkpoint_keys(self) -> dict[int, str]:
        """The key in the checkpoint of the value of each variable, by the places of these."""
        prefix = os.path.join(self._folder, "variables", "variables")
        if not os.path.exists(prefix + ".index"):
            return {}
        self._bundle = Bundle(prefix)
        tracked = decode("Tracked", self._bundle.array("_CHECKPOINTABLE_OBJECT_GRAPH").item()).nodes
        found, waiting, seen = {}, [(0, 0)], {(0, 0)}
        while waiting:
            place, other = waiting.pop()
            for value in tracked[other].values:
                if value.name == "VARIABLE_VALUE":
                    found[place] = value.key
            there = {child.name: child.node for child in tracked[other].children}
            for child in self._nodes[place].children:
                pair = child.node, there.get(child.name, -1)
                if pair[1] >= 0 and pair not in seen:
                    seen.add(pair)
                    waiting.append(pair)
        return found

    def _object(self, place: int, node: Message) -> Any:
        if node.variable is not None:
            return self._variable(place, node.variable)
        if node.function is not None or node.bare_function is not None:
            return self._function(node)
        if node.constant is not None or node.captured is not None:
            return self._constant((node.constant or node.captured).name)
        if node.asset is not None:
            name = self._graph.assets[node.asset.place].filename
            if os.path.basename(name) != name:
                raise SavedFileError(f"the SavedModel in {self._folder} names a file outside of it: {name!r}")
            return tf.constant(os.path.join(self._folder, "assets", name))
        if node.resource is not None:
            return Absent("a table, or another object of TensorFlow's runtime")
        identifier = node.user.identifier if node.user is not None else "object"
        if identifier in ("trackable_list_wrapper", "trackable_tuple_wrapper"):
            return []
        if identifier == "trackable_dict_wrapper":
            return {}
        return Signatures() if identifier == "signature_map" else LoadedObject(identifier)

    def _variable(self, place: int, variable: Message) -> Any:
        if place not in self._keys:
            return Absent(f"the variable {variable.name!r}, of which the checkpoint has no value")
        array = self._bundle.array(self._keys[place])
        value: Any = array.tolist() if array.dtype == object else array
        return Variable(value, trainable=variable.trainable, name=variable.name or "Variable")

    def _constant(self, name: str) -> Any:
        node = self._constants.get(name)
        if node is None:
            return Absent(f"the tensor {name!r}")
        array = array_of(node.attributes["value"].tensor)
        return tf.constant(array.tolist() if array.dtype == object else array)

    # Functions

    def _function(self, node: Message) -> Any:
        """A function; its traces are made when all objects are there, which they are bound to."""
        bare = node.bare_function
        names = [bare.function] if bare is not None else node.function.functions
        spec = None if bare is not None else node.function.spec
        arguments, defaults = (None, {}) if spec is None else _parameters(spec)
        return ReadFunction(names[0] if names else "function", [], arguments, defaults)

    def _traces(self, node: Message) -> Iterator[Trace]:
        names = [node.bare_function.function] if node.bare_function is not None else node.function.functions
        for name in names:
            found = self._graph.objects.functions[name]
            bound = [self._made[place] for place in found.bound]
            try:
                yield Trace(self._library, name, bound, structure_of(found.inputs), structure_of(found.outputs))
            except UnimplementedError as error:
                yield Trace(self._library, name, [*bound, Absent(error.message)], ((Absent(""),), {}), None)

    def _hang(self, place: int) -> None:
        made, node = self._made[place], self._nodes[place]
        if isinstance(made, ReadFunction):
            made.traces = list(self._traces(node))
            return
        children = {child.name: self._made[child.node] for child in node.children}
        for name, value in children.items():
            if isinstance(value, ReadFunction):
                value.__name__ = name
        if isinstance(made, list):
            made.extend(children[name] for name in sorted(filter(str.isdecimal, children), key=int))
        elif isinstance(made, dict):
            made.update(children)
        elif isinstance(made, LoadedObject):
            vars(made).update(children)

    def _check_any_runs(self) -> None:
        """Raises `UnimplementedError` where no function can run."""
        functions = [each for each in self._made.values() if isinstance(each, ReadFunction)]
        traces = {trace.name: trace for function in functions for trace in function.traces}
        refusals = [each.refusal for each in traces.values()]
        if refusals and all(refusals):
            raise UnimplementedError(
                f"no function of the SavedModel in {self._folder} can run here:\n" + "\n".join(map(str, refusals))
            )


def _parameters(spec: Message) -> tuple[list[str], dict[str, Any]]:
    """The names of a function's parameters, and the defaults."""
    full = structure_of(spec.arguments)
    names = list(full.args or [])[int(bool(full.args) and full.args[0] == "self") :]
    defaults = list(full.defaults or [])
    found = dict(zip(names[len(names) - len(defaults) :], defaults, strict=True))
    return names, {**found, **(full.kwonlydefaults or {})}
