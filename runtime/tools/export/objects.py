"""The tree of objects that hold variables, tensors and functions, as JSON.

The tree is a list, the root first. Objects refer to each other by their places, also in circles. Each is one of

    {"kind": "object", "type": "Model", "attributes": {"layers": 1, …}}
    {"kind": "list", "items": [2, 3]}, {"kind": "tuple", …}, {"kind": "dict", "items": [["a", 4], …]}
    {"kind": "namedtuple", "type": "Point", "fields": ["x", "y"], "items": [5, 6]}
    {"kind": "variable", "variable": 0}
    {"kind": "function", "function": …, "parameters": […], "traces": [[0, null], [1, true]]}
    {"kind": "trace", "trace": 0}
    {"kind": "value", "value": …}

The traces of a function come with what they depend on besides arguments: whether a layer around them was training.
"""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Callable, Mapping
from typing import Any

from autograph.errors import InvalidTypeError
from autograph.tracebacks.leaving import public

from ...base.streams import Stream
from ...functions.arguments import Parameters
from ...functions.concrete import ConcreteFunction
from ...functions.function import Function
from ...state.module import Module
from ...state.variable import Variable
from ...tensors.tensor import EagerTensor
from .functions import RestoredFunction, decode_parameters, encode_parameters, is_alive, traces_of
from .values import NotSavable, Source, Target, decode, encode, is_index, require

__all__ = ["LoadedObject", "decode_objects", "encode_objects"]

_NEVER_WALKED = (
    type, types.ModuleType, types.FunctionType, types.MethodType, types.BuiltinFunctionType, Stream, str, bytes, int,
    float, complex, set, frozenset,
)  # fmt: skip
_LEAVES = (Variable, Function, ConcreteFunction, EagerTensor)


# Out


def children_of(value: object, in_model: bool = False) -> dict[str, Any]:
    """The attributes of an object by name, and the traced methods of its class.

    A class may say itself what is to be saved, by a method ``_trackable_children()`` that gives such a dict, or for
    saved models alone ``_saved_children()``.
    """
    own = getattr(type(value), "_saved_children", None) if in_model else None
    own = own or getattr(type(value), "_trackable_children", None)
    if own is not None:
        return dict(own(value))
    found: dict[str, Any] = {}
    for kind in reversed(type(value).__mro__):
        for name, attribute in vars(kind).items():
            is_slot = isinstance(attribute, types.MemberDescriptorType) and hasattr(value, name)
            if isinstance(attribute, Function) or is_slot:
                found[name] = getattr(value, name)
    found.update(getattr(value, "__dict__", {}))
    return {name: child for name, child in found.items() if name == "__call__" or not name.startswith("__")}


class _Walk:
    """Numbers the objects that hold something to be saved."""

    def __init__(self, root: object) -> None:
        self.objects: list[Any] = []
        self._places: dict[int, int] = {}
        self.children: list[list[tuple[Any, int]]] = []  # (name or key, place)
        self.place(root)
        at = 0
        while at < len(self.objects):
            self.children.append([(name, self.place(child)) for name, child in parts_of(self.objects[at], True)])
            at += 1
        self.useful = self._reaching()

    def place(self, value: object) -> int:
        value = value.origin if isinstance(value, Variable) else value
        known = self._places.get(id(value))
        if known is None:
            known = self._places[id(value)] = len(self.objects)
            self.objects.append(value)
        return known

    def _reaching(self) -> set[int]:
        """The places of objects from which there is a way to a variable, tensor or function; and the root."""
        parents: list[list[int]] = [[] for _ in self.objects]
        for i, children in enumerate(self.children):
            for _, child in children:
                parents[child].append(i)
        waiting = [0, *[i for i, value in enumerate(self.objects) if isinstance(value, _LEAVES)]]
        reached = set(waiting)
        while waiting:
            for parent in parents[waiting.pop()]:
                if parent not in reached:
                    reached.add(parent)
                    waiting.append(parent)
        return reached


def parts_of(value: object, in_model: bool = False) -> list[tuple[Any, Any]]:
    """What an object holds that may be saved (in a saved model, or in a checkpoint), by attribute, place or key."""
    if value is None or isinstance(value, (*_LEAVES, *_NEVER_WALKED, Signatures)):
        return []
    if isinstance(value, (list, tuple)):
        return list(enumerate(value))
    if isinstance(value, Mapping):
        return list(value.items())
    if type(value).__module__.startswith("autograph.runtime.gradient"):
        return []
    return list(children_of(value, in_model).items())


def encode_objects(root: object, target: Target, trace: Callable[[ConcreteFunction], int],
                   places: dict[int, int]) -> list[dict[str, Any]]:  # fmt: skip
    """The tree below an object; ``trace`` gives the place of a trace. Raises `SavingError` for functions.

    ``places`` gets the place of each object that has attributes, and of each dict, by its identity.
    """
    walk = _Walk(root)
    order: list[int] = [0]
    numbers = {0: 0}

    def number(place: int) -> int:
        if place not in numbers:
            numbers[place] = len(order)
            order.append(place)
        return numbers[place]

    result = []
    for place in order:  # which grows
        value = walk.objects[place]
        children = walk.children[place]
        result.append(_encode_object(value, children, walk.useful, number, target, trace))
        if result[-1]["kind"] in ("object", "dict"):
            places[id(value)] = len(result) - 1
    return result


def _encode_object(value: object, children: list[tuple[Any, int]], useful: set[int], number: Callable[[int], int],
                   target: Target, trace: Callable[[ConcreteFunction], int]) -> dict[str, Any]:  # fmt: skip
    if isinstance(value, Variable):
        return {"kind": "variable", "variable": target.variable(value)}
    if isinstance(value, ConcreteFunction):
        return {"kind": "trace", "trace": trace(value)}
    if isinstance(value, Function):
        return _encode_function(value, target, trace)
    if isinstance(value, (list, tuple)):
        items = [number(child) for _, child in children]
        if hasattr(value, "_fields"):
            return {"kind": "namedtuple", "type": type(value).__name__, "fields": list(value._fields), "items": items}
        return {"kind": "list" if isinstance(value, list) else "tuple", "items": items}
    if isinstance(value, Mapping) and all(type(key) in (str, int, bool, float) for key, _ in children):
        return {"kind": "dict", "items": [[encode(key, target), number(child)] for key, child in children]}
    try:
        if dataclasses.is_dataclass(value):
            raise NotSavable  # it may hold itself
        return {"kind": "value", "value": encode(value, target)}
    except (NotSavable, RecursionError):
        attributes = {} if isinstance(value, Mapping) else {n: number(i) for n, i in children if i in useful}
        return {"kind": "object", "type": type(value).__name__, "attributes": attributes}


def _encode_function(function: Function, target: Target, trace: Callable[[ConcreteFunction], int]) -> dict[str, Any]:
    parameters = function.trace_cache.parameters
    if not isinstance(function, RestoredFunction) and function.input_signature is not None:
        function.get_concrete_function()
    traces = [[trace(each), encode(ambient, target)] for each, ambient in traces_of(function) if is_alive(each)]
    return {
        "kind": "function", "function": parameters.function_name,
        "parameters": encode_parameters(parameters, target), "traces": traces,
    }  # fmt: skip


# In


_OF_MODULES = {name: vars(Module)[name].fget for name in ("name", "name_scope", "submodules", "variables")}


class _Fallback:
    """A property that an attribute of the same name in an instance hides."""

    def __init__(self, get: Callable[[Any], Any]) -> None:
        self._get = get

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        return self if instance is None else self._get(instance)


def _variables(loaded: object) -> tuple[Variable, ...]:
    """The variables of an object's attributes, and those that its functions use besides."""
    found = {id(variable): variable for variable in _OF_MODULES["variables"](loaded)}
    for function in functions_of(loaded):
        for variable in function.variables:
            found.setdefault(id(variable), variable)
    return tuple(found.values())


class Signatures(dict[str, Any]):
    """The signatures of a loaded model by name. Saving the model again saves them as its signatures."""


@public
class LoadedObject(Module):
    """An object of a loaded model, with the attributes that were saved: variables, functions, objects, structures.

    It is a `Module`. Calling it calls its function ``__call__``. ``signatures`` of a model are functions by name, which
    take tensors by keyword and return a dict.
    """

    holds_state = True

    def __init__(self, type_name: str) -> None:
        super().__init__()
        self._type_name = type_name

    name = _Fallback(_OF_MODULES["name"])
    name_scope = _Fallback(_OF_MODULES["name_scope"])
    submodules = _Fallback(_OF_MODULES["submodules"])
    variables = _Fallback(_variables)
    trainable_variables = _Fallback(lambda self: tuple(v for v in _variables(self) if v.trainable))
    non_trainable_variables = _Fallback(lambda self: tuple(v for v in _variables(self) if not v.trainable))

    def __call__(self, *args: object, **kwargs: object) -> Any:
        """Call the function ``__call__``. Raises `TypeError` when there is none."""
        function = self.__dict__.get("__call__")
        if function is None:
            raise InvalidTypeError(f"the loaded object {self._type_name!r} is not callable: it has no traced __call__")
        return function(*args, **kwargs)

    def __repr__(self) -> str:
        return f"<LoadedObject {self._type_name!r} at {id(self):#x}>"


def functions_of(loaded: object) -> list[Any]:
    """The functions in an object's attributes, at any depth."""
    found: dict[int, Any] = {}
    waiting, seen = [loaded], set()
    while waiting:
        value = waiting.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        if isinstance(value, (RestoredFunction, ConcreteFunction)):
            found[id(value)] = value
        elif isinstance(value, LoadedObject):
            waiting += vars(value).values()
        elif isinstance(value, (list, tuple)):
            waiting += value
        elif isinstance(value, dict):
            waiting += value.values()
    return list(found.values())


class _Reader:
    """Makes the objects of a tree: first all that can be filled later, then what can't."""

    def __init__(self, data: Any, source: Source, traces: list[ConcreteFunction]) -> None:
        require(type(data) is list and data and all(type(each) is dict for each in data), "there is no tree of objects")
        self._data = data
        self._source = source
        self._traces = traces
        self._made: dict[int, Any] = {}
        self._under_way: set[int] = set()
        for i in range(len(data)):
            self._shell(i)
        for i in range(len(data)):
            self.object(i)
        for i in range(len(data)):
            self._fill(i)

    def object(self, place: Any) -> Any:
        """The object at a place, without what it holds when that can be added later."""
        require(is_index(place, len(self._data)), "there is no such object")
        if place not in self._made:
            require(place not in self._under_way, "a tuple holds itself")
            self._under_way.add(place)
            self._made[place] = self._tuple(self._data[place])
        return self._made[place]

    def _shell(self, place: int) -> None:
        data = self._data[place]
        kind, keys = data.get("kind"), data.keys() - {"kind"}
        require(type(kind) is str and keys == _KEYS.get(kind), "an object is of no known kind")
        match kind:
            case "object":
                require(type(data["type"]) is str and data["type"].isprintable(), "an object has no type")
                self._made[place] = LoadedObject(data["type"])
            case "list":
                self._made[place] = []
            case "dict":
                self._made[place] = {}
            case "variable":
                self._made[place] = self._source.variable(data["variable"])
            case "trace":
                self._made[place] = self._trace(data["trace"])
            case "value":
                self._made[place] = decode(data["value"], self._source)
            case "function":
                parameters = decode_parameters(data["function"], data["parameters"], self._source)
                require(type(data["traces"]) is list, "a function has no traces")
                traces = [self._trace_of(parameters, each) for each in data["traces"]]
                self._made[place] = RestoredFunction(parameters, traces)

    def _trace_of(self, parameters: Parameters, data: Any) -> tuple[ConcreteFunction, Any]:
        require(type(data) is list and len(data) == 2, "a function has no traces")
        trace, ambient = self._trace(data[0]), decode(data[1], self._source)
        require(trace.parameters.names == parameters.names, "a trace has other parameters")
        require(ambient is None or type(ambient) in (bool, int, str), "what a trace depends on is not valid")
        return trace, ambient

    def _trace(self, place: Any) -> ConcreteFunction:
        require(is_index(place, len(self._traces)), "there is no such trace")
        return self._traces[place]

    def _tuple(self, data: dict[str, Any]) -> Any:
        items = [self.object(place) for place in self._items(data)]
        if data["kind"] == "tuple":
            return tuple(items)
        type_, fields = data["type"], data["fields"]
        require(type(fields) is list and len(fields) == len(items), "a named tuple has other fields than items")
        empty = decode({"namedtuple": [type_, fields, [None] * len(items)]}, self._source)
        return type(empty)(*items)

    def _items(self, data: dict[str, Any]) -> list[Any]:
        require(type(data["items"]) is list, "a structure has no items")
        return data["items"]

    def _fill(self, place: int) -> None:
        data, made = self._data[place], self._made[place]
        match data["kind"]:
            case "object":
                attributes = data["attributes"]
                require(type(attributes) is dict, "an object has no attributes")
                for name, child in attributes.items():
                    require(name == "__call__" or not name.startswith("__"), f"an attribute can't be called {name!r}")
                    made.__dict__[name] = self.object(child)
                function = made.__dict__.get("__call__")
                require(
                    function is None or isinstance(function, (Function, ConcreteFunction)), "__call__ is no function"
                )
            case "list":
                made.extend(map(self.object, self._items(data)))
            case "dict":
                for pair in self._items(data):
                    require(type(pair) is list and len(pair) == 2, "a dict has no items")
                    key = decode(pair[0], self._source)
                    require(type(key) in (str, int, bool, float) and key not in made, "a dict has a wrong key")
                    made[key] = self.object(pair[1])


_KEYS = {
    "object": {"type", "attributes"}, "list": {"items"}, "tuple": {"items"}, "dict": {"items"},
    "namedtuple": {"type", "fields", "items"}, "variable": {"variable"}, "trace": {"trace"}, "value": {"value"},
    "function": {"function", "parameters", "traces"},
}  # fmt: skip


def decode_objects(data: object, source: Source, traces: list[ConcreteFunction]) -> tuple[Any, Callable[[Any], Any]]:
    """The root of a tree, and what gives the object of a place. Raises `InvalidArgumentError`."""
    reader = _Reader(data, source, traces)
    root = reader.object(0)
    require(isinstance(root, (LoadedObject, RestoredFunction, ConcreteFunction)), "the root of the tree is no object")
    return root, reader.object
