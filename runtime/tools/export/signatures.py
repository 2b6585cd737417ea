"""Signatures: functions of a saved model by name, which take tensors by keyword and return a dict of tensors.

``{"serving_default": {"graph": 0, "inputs": ["x"], "outputs": ["output_0"]}}`` names the inputs and outputs of a graph
of the table of functions. Results that have no names are ``output_0``, ``output_1`` ….
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from autograph.errors import SavingError

from ...base.provided import Provided
from ...functions.arguments import Parameters
from ...functions.call_state import arguments, results
from ...functions.concrete import ConcreteFunction
from ...functions.function import Function
from ...ir.graph import Graph
from ...tensors.convert import convert_to_tensor
from ...tensors.spec import TensorSpec
from ...tensors.tensor import SymbolicTensor, Tensor
from .functions import callable_with
from .objects import Signatures, children_of
from .state import bound_to_a_graph
from .values import is_name, require

__all__ = [
    "EXPORTER", "ONNX", "SERVING", "STABLEHLO", "SignatureFunction", "decode_signatures", "encode_signatures",
    "input_names", "output_names",
]  # fmt: skip

DEFAULT = "serving_default"
SERVING: Provided[Callable[..., Any]] = Provided("keras.networks.model", lambda value, signature: None)
"""What a model does for `predict`, as a traced function, for a signature or None; None for all else."""
ONNX: Provided[Callable[..., None]] = Provided("runtime.tools.export.onnx.exporting", late=True)
"""`tf.export.onnx`."""
STABLEHLO: Provided[Callable[..., None]] = Provided("runtime.tools.export.stablehlo.exporting", late=True)
"""`tf.export.stablehlo`."""
EXPORTER: Provided[Callable[..., Any]] = Provided("runtime.tools.export.plugged", late=True)
"""The exporter that another package has for a format, or None."""


# Out


def encode_signatures(root: object, signatures: object, writer: object) -> dict[str, Any]:
    """The signatures given to `save`, or the only one that the object offers. Raises `SavingError`."""
    own = getattr(root, "signatures", None)
    if signatures is None and isinstance(own, Signatures):
        signatures = own
    if signatures is None:
        found = _offered(root)
        return {} if found is None else {DEFAULT: _encode(DEFAULT, found, writer)}
    if not isinstance(signatures, Mapping):
        signatures = {DEFAULT: signatures}
    result = {}
    for name, function in signatures.items():
        if not isinstance(name, str) or not name.isprintable():
            raise SavingError(f"the name of a signature must be a string, not {name!r}")
        result[name] = _encode(name, _concrete(function), writer)
    return result


def _offered(root: object) -> ConcreteFunction | None:
    """The trace of the only function of an object that has an input signature and results with names.

    A class may offer one by a method ``_serving_trace()`` besides.
    """
    functions = [root] if isinstance(root, Function) else list(children_of(root).values())
    candidates = [f for f in functions if isinstance(f, Function) and f.input_signature is not None]
    traces = [f.get_concrete_function() for f in candidates]
    found = [concrete for concrete in traces if output_names(concrete) is not None]
    if found:
        return found[0] if len(found) == 1 else None
    own = getattr(type(root), "_serving_trace", None)
    concrete = None if own is None else own(root)
    return None if concrete is None or output_names(concrete) is None else concrete


def _concrete(function: object) -> ConcreteFunction:
    if isinstance(function, ConcreteFunction):
        return function
    if isinstance(function, Function) and function.input_signature is not None:
        return function.get_concrete_function()
    raise SavingError(
        f"Expected a traced function for which to generate a signature, but got {function!r}. Only functions with an "
        "input signature or concrete functions can be used as a signature.",
        remedy="give the function an input_signature, or pass function.get_concrete_function(…)",
    )


def output_names(concrete: ConcreteFunction) -> list[str] | None:
    """The names of the outputs of a graph, in their order; None when they are not to be named."""
    outputs = concrete.structured_outputs
    if isinstance(outputs, Tensor):
        return ["output_0"]
    if isinstance(outputs, Mapping):
        fits = all(isinstance(key, str) and isinstance(value, Tensor) for key, value in outputs.items())
        return sorted(outputs) if fits else None
    if isinstance(outputs, (list, tuple)) and all(isinstance(value, Tensor) for value in outputs):
        return [f"output_{i}" for i in range(len(outputs))]
    return None


def _encode(name: str, concrete: ConcreteFunction, writer: Any) -> dict[str, Any]:
    if isinstance(concrete, SignatureFunction):
        inputs, outputs = concrete.input_names, concrete.output_names
    else:
        found = output_names(concrete)
        if found is None:
            raise SavingError(
                f"{concrete.graph.name}() returns {concrete.structured_outputs!r} as the signature {name!r}. "
                "Outputs for functions used as signatures must be a single Tensor, a sequence of Tensors, or a "
                "dictionary from string to Tensor.",
            )
        inputs, outputs = input_names(concrete), found
    if concrete.graph.captures:
        raise bound_to_a_graph(concrete.graph)
    return {"graph": writer.entry(concrete.graph), "inputs": inputs, "outputs": outputs}


def input_names(concrete: ConcreteFunction) -> list[str]:
    """The names of the placeholders, made identifiers."""
    names: list[str] = []
    for value in arguments(concrete.graph):
        base = re.sub(r"\W", "_", value.node.name, flags=re.ASCII).lstrip("_") or "input"
        base = base if is_name(base) else f"input_{base}"
        name, count = base, 1
        while name in names:
            name, count = f"{base}_{count}", count + 1
        names.append(name)
    return names


# In


class SignatureFunction(ConcreteFunction):
    """A signature of a loaded model: called with a tensor for each name, it returns a dict of tensors."""

    def __init__(self, name: str, graph: Graph, inputs: Sequence[str], outputs: Sequence[str]) -> None:
        self.input_names = list(inputs)
        self.output_names = list(outputs)
        keyword = inspect.Parameter.KEYWORD_ONLY
        signature = inspect.Signature([inspect.Parameter(each, keyword) for each in inputs])
        specs = [TensorSpec(value.type.shape, value.type.dtype, each)
                 for value, each in zip(arguments(graph), inputs, strict=True)]  # fmt: skip
        tensors = {each: SymbolicTensor(value) for each, value in zip(outputs, results(graph), strict=True)}
        super().__init__(graph, Parameters(callable_with(f"signature_wrapper_{name}", signature)), specs, tensors)

    def packed(self, results: list[Any]) -> Any:
        """What a call returns, made of the tensors that the graph gives."""
        return dict(zip(self.output_names, results, strict=True))

    def _flat_arguments(self, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> list[Any]:
        given = {name: self._converted(name, value) for name, value in keywords.items()}
        return super()._flat_arguments(arguments, given)

    def _converted(self, name: str, value: object) -> Any:
        if name not in self.input_names or isinstance(value, Tensor):
            return value
        return convert_to_tensor(value)


def decode_signatures(data: Any, function: Callable[[Any], Graph]) -> Signatures:
    """The signatures of a loaded model; ``function`` gives the graph of a place. Raises `InvalidArgumentError`."""
    require(type(data) is dict, "the signatures are no table")
    result = Signatures()
    for name, each in data.items():
        require(type(each) is dict and each.keys() == {"graph", "inputs", "outputs"}, "a signature has wrong parts")
        graph = function(each["graph"])
        for names, values in ((each["inputs"], arguments(graph)), (each["outputs"], results(graph))):
            require(type(names) is list and all(type(n) is str for n in names), "a signature has no names")
            require(len(names) == len(values) == len(set(names)), "a signature has other names than its graph")
        require(name.isprintable() and all(map(is_name, each["inputs"])), "a signature has wrong names")
        result[name] = SignatureFunction(name, graph, each["inputs"], each["outputs"])
    return result
