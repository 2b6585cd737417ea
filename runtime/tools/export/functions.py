"""Traced functions as JSON, and the functions that a loaded model has.

A trace is ``{"function": …, "parameters": […], "arguments": […], "outputs": …, "graph": 0, "changed": []}``. A
parameter is ``{"name": "x", "kind": "POSITIONAL_OR_KEYWORD", "default": …}`` (``{"opaque": true}`` for a default that
is no value of `values`); there is one argument for each, with a spec for each tensor, and the Python values that the
trace was made for. The outputs are what the function returns, with ``{"output": i}`` for the tensors. ``changed`` are
the tensors among the arguments that the function may not get as NumPy arrays, because it stores into them.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from autograph.errors import SavingError, SignatureError
from autograph.tracebacks import trimming
from autograph.tracebacks.leaving import public

from ...base import nest, shapes
from ...base.composite import Composite, CompositeSpec
from ...functions import call_state
from ...functions.arguments import (
    ObjectReference,
    Parameters,
    composite_spec,
    is_tensor_like,
    key_of,
    resolved,
    shown,
    spec_of,
)
from ...functions.concrete import ConcreteFunction, WritesOutside
from ...functions.function import Function, Options
from ...ir.graph import Graph
from ...state.tensor_array import TensorArraySpec
from ...state.variable import Variable
from ...tensors import trace
from ...tensors.convert import convert_to_tensor
from ...tensors.spec import TensorSpec
from ...tensors.tensor import SymbolicTensor, Tensor
from .values import CompositeOutput, NotSavable, Output, Source, Target, decode, encode, is_name, require

__all__ = ["RestoredFunction", "decode_parameters", "decode_trace", "encode_parameters", "encode_trace"]

_TRACE = {"function", "parameters", "arguments", "outputs", "graph", "changed"}
_KINDS = {kind.name: kind for kind in type(inspect.Parameter("x", inspect.Parameter.KEYWORD_ONLY).kind)}


class _Opaque:
    """Stands for a default that was not saved."""

    def __repr__(self) -> str:
        return "<not saved>"


OPAQUE = _Opaque()


# Out


def encode_parameters(parameters: Parameters, target: Target) -> list[dict[str, Any]]:
    """The parameters of a function."""
    result = []
    for parameter in parameters.signature.parameters.values():
        data: dict[str, Any] = {"name": parameter.name, "kind": parameter.kind.name}
        if parameter.default is not parameter.empty:
            try:
                data["default"] = encode(parameter.default, target)
            except NotSavable:
                data["default"] = {"opaque": True}
        result.append(data)
    return result


def encode_trace(concrete: ConcreteFunction, graph: int, target: Target) -> dict[str, Any]:
    """The JSON form of a trace; ``graph`` is the place of its graph. Raises `SavingError`."""
    parameters = concrete.parameters
    name = parameters.function_name
    arguments = []
    for parameter, value in zip(parameters.names, concrete.traced_values, strict=True):
        try:
            arguments.append(encode(resolved(value), target))
        except NotSavable as error:
            raise SavingError(
                f"{name}() was traced with {parameter}={resolved(value)!r}, and a saved model can't hold {error}",
                remedy="pass tensors, numbers, strings or structures of them, or save a signature without this trace",
            ) from None
    places = iter(range(len(concrete.graph.outputs)))
    try:
        encoded = encode(nest.map_structure(lambda leaf: _output(leaf, places), concrete.structured_outputs), target)
    except NotSavable as error:
        raise SavingError(f"{name}() returns {error}, which a saved model can't hold",
                          remedy="return tensors, lists of tensors, or tensor arrays") from None  # fmt: skip
    return {
        "function": name, "parameters": encode_parameters(parameters, target), "arguments": arguments,
        "outputs": encoded, "graph": graph, "changed": sorted(getattr(concrete, "changed_inputs", ())),
    }  # fmt: skip


def _output(leaf: object, places: Iterator[int]) -> Any:
    """What stands for a part of a result; ``places`` are those of the graph's outputs that are left."""
    if leaf is None:
        return None
    if not isinstance(leaf, Composite):
        return Output(next(places))
    spec = leaf.type_spec
    if not isinstance(spec, TensorArraySpec):
        raise NotSavable(f"a {type(leaf).__name__}")
    return CompositeOutput(spec, tuple([Output(next(places)) for _ in leaf.components()]))


def traces_of(function: Function) -> list[tuple[ConcreteFunction, Any]]:
    """The traces of a function, with what each depends on besides the arguments; None where that is nothing."""
    if isinstance(function, RestoredFunction):
        return function.traces
    traces = function.trace_cache
    count = len(traces.parameters.names)
    with traces.lock:
        found = {id(each): (each, key[count] if len(key) > count else None) for key, each in traces.by_key.items()}
    return list(found.values())


def is_alive(concrete: ConcreteFunction) -> bool:
    """Whether a trace can still be called: the objects that it was made for exist, and variables hold its constants."""
    leaves = nest.flatten(concrete.traced_values)
    is_there = all(leaf.get() is not None for leaf in leaves if isinstance(leaf, ObjectReference))
    holds = all(guard.key(True) == guard.key(False) for guard in call_state.OUTSIDE.of(concrete.graph).frozen.values())
    return is_there and holds and all(place.is_alive for place in concrete.state)


# In


def decode_parameters(name: str, data: Any, source: Source) -> Parameters:
    """The parameters of a loaded function."""
    require(type(name) is str and len(name) <= 1000 and name.isprintable(), "the name of a function is not valid")
    require(type(data) is list, "the parameters of a function are no list")
    parameters = []
    for each in data:
        require(type(each) is dict and each.keys() - {"default"} == {"name", "kind"}, "a parameter is not valid")
        require(_is_parameter_name(each["name"]) and each["kind"] in list(_KINDS), "a parameter has no name or kind")
        default = inspect.Parameter.empty
        if "default" in each:
            is_opaque = each["default"] == {"opaque": True}
            default = OPAQUE if is_opaque else decode(each["default"], source)  # type: ignore[assignment]
        try:
            parameters.append(inspect.Parameter(each["name"], _KINDS[each["kind"]], default=default))
        except ValueError:
            require(False, "a parameter can't be")
    try:
        return Parameters(callable_with(name, inspect.Signature(parameters)))
    except ValueError as error:
        require(False, f"the parameters of a function don't fit together: {error}")
        raise


def _is_parameter_name(name: str) -> bool:
    return is_name(name) or (type(name) is str and name.startswith("_") and is_name(f"a{name}"))


def callable_with(name: str, signature: inspect.Signature) -> Any:
    """What stands for the Python function, which is not there any more."""

    def function(*args: object, **kwargs: object) -> Any:
        raise SignatureError(f"{name}() was loaded: there is no Python function to run, only graphs")

    function.__name__ = function.__qualname__ = name
    function.__signature__ = signature  # type: ignore[attr-defined]
    return function


def decode_trace(data: Any, graph: Any, source: Source) -> ConcreteFunction:
    """The trace of a JSON form; ``graph`` gives the graph of a place."""
    require(type(data) is dict and data.keys() == _TRACE, "a trace has wrong parts")
    parameters = decode_parameters(data["function"], data["parameters"], source)
    found: Graph = graph(data["graph"])
    require(type(data["arguments"]) is list, "the arguments of a trace are no list")
    values = [_referenced(decode(value, source)) for value in data["arguments"]]
    require(len(values) == len(parameters.names), "a trace has other arguments than parameters")
    specs = [leaf for leaf in nest.flatten(values, expand_composites=True) if isinstance(leaf, TensorSpec)]
    require([spec.type for spec in specs] == [value.type for value in call_state.arguments(found)],
            "the arguments of a trace are not those of its graph")  # fmt: skip
    outputs = decode(data["outputs"], source)
    leaves = nest.flatten(outputs)
    kinds = (Output, CompositeOutput, type(None))
    require(all(isinstance(leaf, kinds) for leaf in leaves), "a result of a trace is no tensor")
    places = [each.index for leaf in leaves for each in getattr(leaf, "outputs", [leaf] if leaf is not None else [])]
    require(places == list(range(len(call_state.results(found)))), "the results of a trace are not those of its graph")
    tensors = nest.map_structure(lambda leaf: _result(leaf, found), outputs)
    changed = data["changed"]
    require(type(changed) is list and all(type(i) is int for i in changed), "what a trace changes is not valid")
    concrete = ConcreteFunction(found, parameters, values, tensors)
    concrete.changed_inputs = frozenset(changed)
    return concrete


def _result(leaf: Any, graph: Graph) -> Any:
    """A part of what a trace returns, as tensors of its graph."""
    if isinstance(leaf, Output):
        return SymbolicTensor(graph.outputs[leaf.index])
    if leaf is None:
        return None
    parts = [SymbolicTensor(graph.outputs[each.index]) for each in leaf.outputs]
    for part, spec in zip(parts, leaf.spec.components(), strict=True):
        require(part.dtype is spec.dtype, "a result of a trace is made of tensors of other types")
    return leaf.spec.pack(parts)


def _referenced(value: object) -> Any:
    """The value with a reference to each variable in it, as in the arguments of a trace."""
    return nest.map_structure(lambda leaf: ObjectReference(leaf) if isinstance(leaf, Variable) else leaf, value)


@public
class RestoredFunction(Function):
    """A function of a loaded model: it has the traces that were saved, and makes no others.

    A call takes the trace that fits the arguments: their structure, dtypes and shapes, where a saved shape may leave
    dimensions unknown, and the values of Python arguments. Python numbers and lists become tensors where no trace has
    been made for them. Raises `SignatureError` (a `ValueError` and a `TypeError`) when no trace fits.
    """

    signatures: Any = None

    def __init__(self, parameters: Parameters, traces: Sequence[tuple[ConcreteFunction, Any]]) -> None:
        super().__init__(callable_with(parameters.function_name, parameters.signature), Options(None, False, False))
        self.traces = list(traces)
        for concrete, ambient in self.traces:
            key = tuple([key_of(value, []) for value in concrete.traced_values])
            self.trace_cache.by_key.setdefault(key if ambient is None else (*key, ambient), concrete)

    @property
    def concrete_functions(self) -> list[ConcreteFunction]:
        """The traces that were saved."""
        return [concrete for concrete, _ in self.traces]

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The variables that the function uses."""
        found = {id(variable): variable for concrete in self.concrete_functions for variable in concrete.variables}
        return tuple(found.values())

    @property
    def trainable_variables(self) -> tuple[Variable, ...]:
        return tuple(variable for variable in self.variables if variable.trainable)

    @trimming
    def __call__(self, *args: object, **kwargs: object) -> Any:
        """Run the graph for these arguments."""
        values = self.trace_cache.parameters.bind(args, kwargs)
        tensors: list[Any] = []
        key = tuple([key_of(value, tensors) for value in values])
        concrete = self.trace_cache.find(key if trace.LOCAL.ambient is None else (*key, trace.LOCAL.ambient))
        if concrete is None:
            concrete, tensors = self._fitting(values)
        if concrete.changed_inputs:
            concrete.check_arguments(values, values)
        try:
            return concrete.call_flat(tensors)
        except WritesOutside:
            raise concrete.not_passed() from None

    def _concrete(
        self, key: object, values: Sequence[Any], tensors: Sequence[Any], called: bool = False
    ) -> ConcreteFunction:
        return self._fitting(values)[0]

    def _fitting(self, values: Sequence[Any]) -> tuple[ConcreteFunction, list[Any]]:
        """The trace for some arguments, the one with the most exact shapes, and the tensors to call it with."""
        ambient = trace.LOCAL.ambient
        wanted = [each for each, needs in self.traces if needs == ambient] or [
            each for each, n in self.traces if n is None
        ]
        for convert in (False, True):
            found: list[Any] = []
            for concrete in wanted:
                tensors: list[Any] = []
                pairs = zip(values, concrete.traced_values, strict=True)
                if all(_fits(value, traced, tensors, convert) for value, traced in pairs):
                    found.append((_unknown_dimensions(concrete), len(found), concrete, tensors))
            if found:
                return min(found, key=lambda each: each[:2])[2:]
        raise self._no_trace(values)

    def _no_trace(self, values: Sequence[Any]) -> SignatureError:
        parameters = self.trace_cache.parameters
        if not self.concrete_functions:
            return SignatureError(
                f"Found zero restored functions for caller function: {parameters.function_name}() had never been "
                "called, and has no input_signature, when it was saved",
                remedy="call it with such arguments before it is saved, or give it an input_signature",
            )
        given = ", ".join(f"{name}={shown(value)}" for name, value in zip(parameters.names, values, strict=True))
        options = [concrete.shown_arguments() for concrete in self.concrete_functions]
        return SignatureError(
            "Could not find matching concrete function to call loaded from the SavedModel. Got:\n"
            f"  {parameters.function_name}({given})\n"
            f"Expected these arguments to match one of the following {len(options)} option(s):\n"
            + "\n".join(f"  {parameters.function_name}{option}" for option in options)
        )

    def __repr__(self) -> str:
        name = self.trace_cache.parameters.function_name
        return f"<RestoredFunction {name} with {len(self.concrete_functions)} traces>"


def _unknown_dimensions(concrete: ConcreteFunction) -> tuple[int, int]:
    shapes_ = [value.type.shape for value in call_state.arguments(concrete.graph)]
    return sum(shape is None for shape in shapes_), sum(shape.count(None) for shape in shapes_ if shape is not None)


def _fits(value: Any, traced: object, tensors: list[Any], convert: bool) -> bool:
    """Whether an argument fits a traced one; its tensors are appended."""
    if isinstance(traced, TensorSpec):
        return _tensor_fits(value, traced, tensors, convert)
    if isinstance(traced, CompositeSpec):
        given = composite_spec(value)
        if given is None or not traced.accepts(given):
            return False
        tensors += value.components()
        return True
    if not nest.is_nested(traced):
        return not is_tensor_like(value) and not nest.is_nested(value) and key_of(value, []) == key_of(traced, [])
    if not nest.is_nested(value) or _kind_of(value) != _kind_of(traced):
        return False
    pairs = zip(nest.children(value), nest.children(traced), strict=True)
    return all(_fits(child, inner, tensors, convert) for (_, child), (_, inner) in pairs)


def _tensor_fits(value: object, spec: TensorSpec, tensors: list[Any], convert: bool) -> bool:
    if not is_tensor_like(value) and not hasattr(type(value), "__tensor__"):
        if not convert or value is None:
            return False
        try:
            value = convert_to_tensor(value, spec.dtype)
        except (TypeError, ValueError):
            return False
    if not isinstance(value, (Tensor, TensorSpec)):
        value = convert_to_tensor(value)
    given = spec_of(value)
    tensors.append(value)
    return given.dtype is spec.dtype and shapes.is_subshape(given.type.shape, spec.type.shape)


def _kind_of(structure: Any) -> Any:
    """What two structures have in common that go for each other: classes of one name are one class."""
    if hasattr(structure, "_fields"):
        return "namedtuple", type(structure).__name__, structure._fields
    if isinstance(structure, Mapping):
        return "mapping", nest.sorted_keys(structure)
    if dataclasses.is_dataclass(structure):
        return "dataclass", type(structure).__name__, [field.name for field in dataclasses.fields(structure)]
    return type(structure), len(structure)
