"""`ConcreteFunction`: one trace of a function, with its graph, its plan, and the structure of what goes in and out."""

from __future__ import annotations

import functools
import inspect
import itertools
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np

from autograph.errors import InvalidArgumentError, MutationError, SavingError, SignatureError, StagedTypeError
from autograph.tracebacks import trim
from autograph.tracebacks.leaving import public

from ..base import nest, places, shapes
from ..base.composite import Composite, CompositeSpec
from ..base.devices import Device
from ..engines.executable import Executable
from ..engines.numpy.plan import Plan
from ..gradient.call import run as run_recorded
from ..gradient.copying import copy_graph
from ..ir.graph import Graph, Type
from ..ir.notes import DEVICE
from ..ops.control import call_node
from ..optimize import Optimized
from ..tensors import trace
from ..tensors.convert import as_numbers, convert_to_tensor, strong, weak_kind, wrap
from ..tensors.in_place import changed_inputs
from ..tensors.spec import TensorSpec
from ..tensors.tensor import SymbolicTensor, Tensor
from . import call_state, signatures
from .arguments import (
    Parameters,
    check_not_changed,
    converted_to,
    is_tensor_key,
    is_tensor_like,
    key_of,
    name_of,
    resolved,
    spec_of,
)  # fmt: skip
from .choices import forbid_choices
from .optional import has_optional, with_values
from .own_results import handed_on
from .placement import run_on

_numbers = itertools.count(1)
observers: list[Callable[[Graph], None]] = []
"""What is told of each graph that is called and run; see `runtime.tools.summary.graphs`."""
# TensorFlow's names of element types in its error messages.
_LONG_NAMES = {"float32": "float", "float64": "double", "float16": "half"}


class WritesOutside(Exception):
    """A graph with state is called in a trace, where what its places hold now can't be passed on to it."""


@public
class ConcreteFunction:
    """A traced function: a graph for fixed dtypes, shapes and Python values.

    Calling it takes the function's own arguments, positionally or by name; Python arguments stay in the signature,
    pinned to their traced values, and may be left out. It is made by `Function.get_concrete_function`.

    ``state`` lists the places outside the function (attributes, items, globals, variables of functions around it) that
    each call reads before the graph runs, or writes after it; see `runtime.functions.call_state`.
    """

    def __init__(self, graph: Graph, parameters: Parameters, values: Sequence[Any], outputs: object,
                 jit_compile: bool | None = None) -> None:  # fmt: skip
        self.graph = graph
        self._jit_compile = jit_compile
        self.name = f"__inference_{graph.name}_{next(_numbers)}"
        self.parameters = parameters
        self.traced_values = values
        self.state = tuple(call_state.state_of(graph))
        self._types = [value.type for value in call_state.arguments(graph)]
        self._outputs = outputs
        leaves = nest.flatten(outputs, expand_composites=True)
        self._single = len(leaves) == 1 and outputs is leaves[0] and outputs is not None
        self._has_outputs = [leaf is not None for leaf in leaves]
        self.result_count = self._has_outputs.count(True)
        """How many outputs of the graph are results; the others are for the state."""
        self._numbers = [leaf.python for leaf in leaves if leaf is not None]
        self.has_optional_outputs = has_optional(outputs)
        self._elsewhere: dict[Device, ConcreteFunction] = {}
        self.changed_inputs = frozenset(i for i in changed_inputs(graph) if i < len(self._types))

    def on(self, device: Device) -> ConcreteFunction:
        """The same function, to run on a device; made once."""
        found = self._elsewhere.get(device)
        if found is None:
            found = object.__new__(ConcreteFunction)
            vars(found).update(vars(self))
            found.graph = copy_graph(self.graph, self.graph.parent, {})
            DEVICE.of(found.graph)[:] = [device]
            for name in ("_executable", "_assigned", "handed_on"):
                vars(found).pop(name, None)
            found = self._elsewhere.setdefault(device, found)
        return found

    def __reduce__(self) -> NoReturn:
        raise SavingError(
            f"{self.name}: one trace of a function can't be pickled or copied, as its graph refers to the variables of "
            "this program",
            remedy="pickle or copy the tf.function that it is of, or the object that has the variables, and call "
            "get_concrete_function again; tf.saved_model.save writes traces to files",
        )

    def __copy__(self) -> ConcreteFunction:
        return self

    # Looking

    @property
    def device(self) -> Device | None:
        """Where the graph runs, if a `tf.device` says so that was around the call which made it, or in the function."""
        return next(iter(DEVICE.known(self.graph) or ()), None)

    @property
    def inputs(self) -> list[SymbolicTensor]:
        return [SymbolicTensor(value) for value in self.graph.inputs]

    @property
    def outputs(self) -> list[SymbolicTensor]:
        return [SymbolicTensor(value) for value in self.graph.outputs]

    @property
    def captured_inputs(self) -> list[Any]:
        """What the graph reads from outside besides its arguments: tensors of graphs around it, eager ones, variables.

        Eager tensors are constants of the graph, and listed as long as they exist.
        """
        outer = [SymbolicTensor(value) for value in self.graph.captures]
        return [*outer, *self._eager_inputs(), *self.variables]

    def _eager_inputs(self) -> list[Any]:
        """The eager tensors from outside that nodes take, each once."""
        found: dict[int, Any] = {}
        for node in self.graph.walk():
            for value in node.inputs:
                reference = trace.EAGER_INPUTS.of(value.node.graph).get(value)
                tensor = None if reference is None else reference()
                if tensor is not None:
                    found.setdefault(id(tensor), tensor)
        return list(found.values())

    @property
    def variables(self) -> tuple[Any, ...]:
        """The variables that the graph, or one that it calls, reads or changes."""
        found: dict[int, Any] = {}
        for node in self.graph.walk():
            variable = node.attributes.get("variable", node.attributes.get("target"))
            if variable is not None:
                found.setdefault(id(variable), variable)
        return tuple(found.values())

    @functools.cached_property
    def _assigned(self) -> list[Any]:
        return [node.attributes["target"] for node in self.graph.walk() if "target" in node.attributes]

    @property
    def trainable_variables(self) -> tuple[Any, ...]:
        return tuple(variable for variable in self.variables if variable.trainable)

    @property
    def structured_input_signature(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Positional and keyword arguments, with a `TensorSpec` for each tensor."""
        return self.parameters.split([resolved(value) for value in self.traced_values])

    @property
    def structured_outputs(self) -> Any:
        """What the function returned while it was traced."""
        return self._outputs

    @property
    def output_dtypes(self) -> Any:
        """The dtypes of the results, in their structure."""
        return nest.map_structure(lambda leaf: getattr(leaf, "dtype", None), self._outputs)

    @property
    def output_shapes(self) -> Any:
        """The shapes of the results, in their structure."""
        return nest.map_structure(lambda leaf: getattr(leaf, "shape", shapes.TensorShape(None)), self._outputs)

    @functools.cached_property
    def _executable(self) -> Executable:
        return Executable(self.graph, self._jit_compile)

    @property
    def optimized(self) -> Optimized:
        """What the plan runs, and what the optimiser did to get there."""
        return self._executable.optimized

    @property
    def optimized_graph(self) -> Graph:
        """The graph as it runs, after the passes of the optimiser; `graph` is what was traced."""
        return self.optimized.graph

    @property
    def is_placed(self) -> bool:
        """Whether all of it runs on a device, which takes and gives tensors that are there."""
        return self._executable.placed is not None

    @property
    def plan(self) -> Plan:
        """The plan that runs the graph."""
        return self._executable.plan

    @property
    def numpy_plan(self) -> Plan:
        """The plan of the whole graph as calls of NumPy, whatever of it is machine code."""
        return self._executable.numpy_plan

    @property
    def compiled(self) -> str:
        """What of the graph is machine code, and for the rest the operation and the line that stand in the way."""
        return self._executable.compiled

    def plan_code(self) -> str:
        """The Python source that runs the graph, unless parts of it are machine code (see `compiled`)."""
        return self.numpy_plan.source

    # Calling

    def __call__(self, *args: object, **kwargs: object) -> Any:
        """Run the graph.

        Raises `SignatureError` for arguments that do not fit the parameters, or Python values other than the traced
        ones; `InvalidArgumentError` for tensors of another dtype or shape.
        """
        try:
            return self.call_flat(self._checked(self._flat_arguments(args, kwargs)))
        except WritesOutside:
            raise self.not_passed() from None
        except RecursionError:  # no room to call anything
            raise
        except Exception as error:
            trim(error)
            raise

    def not_passed(self) -> MutationError:
        """The error for a call in a trace where `call_flat` raises `WritesOutside`, and there is no Python to trace."""
        label = next((place.label for place in self.state if place.taken() is None), "")
        location = trace.user_location()
        return MutationError(
            f"{self.graph.name}() reads or writes `{label}`, which holds something here that can't be passed on to its "
            "graph",
            **({} if location is None else location._asdict()),
            construct=label,
            remedy=f"hold there what {self.graph.name}() was traced for, or call the tf.function itself, not one of "
            "its concrete functions",
        )

    def call_flat(self, tensors: Sequence[Any]) -> Any:
        """Run on one tensor for each argument of the graph, in order: at once, or as a ``call`` node in a trace.

        Raises `WritesOutside` in a trace, for a graph with state that can't be passed on to it.
        """
        graph = trace.current_graph()
        if graph is not None:
            return self._call_in_trace(tensors)
        if trace.LOCAL.device is not None and self.device is None:
            return self.on(trace.LOCAL.device).call_flat(tensors)
        for observer in observers:
            observer(self.graph)
        if self.state:
            return self._run_with_state(tensors)
        if trace.LOCAL.tapes:
            return self.packed(run_recorded(self.graph, lambda: self._executable, tensors))
        if self._single and not self.handed_on and not self.is_placed:
            return wrap(self._executable.plan.run(*[tensor.array for tensor in tensors])[0])
        return self.packed(self._run(tensors))

    def _run(self, tensors: Sequence[Any]) -> list[Any]:
        results = self._executable.call(tensors)
        if self.is_placed:
            return results
        for i, sources in self.handed_on.items():
            array = results[i].array
            if sources is None or any(array is tensors[source].array for source in sources):
                results[i] = wrap(array.view())
        return results

    @functools.cached_property
    def handed_on(self) -> dict[int, tuple[int, ...] | None]:
        """The results that may be the array of another tensor, and then become views, each a tensor of its own."""
        return handed_on(self.optimized_graph)

    def _call_in_trace(self, tensors: Sequence[Any]) -> Any:
        held = call_state.taken(self.state)
        if held is None:
            raise WritesOutside
        if self.device is not None:
            run_on(self.device)
        for variable in self._assigned:
            forbid_choices(variable)
        results = call_node(self.graph, [*tensors, *held])
        if self.state:
            call_state.given(self.state, results[self.result_count :])
            results = results[: self.result_count]
        return self.packed(as_numbers(results, self._numbers))

    def _run_with_state(self, tensors: Sequence[Any]) -> Any:
        tensors = [*tensors, *call_state.read(self.state)]
        recorded = bool(trace.LOCAL.tapes)
        results = run_recorded(self.graph, lambda: self._executable, tensors) if recorded else self._run(tensors)
        call_state.write(self.state, results[self.result_count :])
        return self.packed(results[: self.result_count])

    def check_arguments(self, values: Sequence[Any], given: Sequence[Any]) -> None:
        """Refuses NumPy arrays for parameters that the function stores into (see `runtime.tensors.in_place`)."""
        check_not_changed(self.graph.name, self.parameters.names, values, given, self.changed_inputs)

    def packed(self, results: list[Any]) -> Any:
        """What a call returns, made of the tensors that the graph gives."""
        if self._single:
            return results[0]
        remaining = iter(results)
        leaves = [next(remaining) if present else None for present in self._has_outputs]
        packed = nest.pack_sequence_as(self._outputs, leaves, expand_composites=True)
        return with_values(packed) if self.has_optional_outputs else packed

    def _flat_arguments(self, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> list[Any]:
        """The tensors of a call, after a check that everything else equals what was traced."""
        if not keywords and len(arguments) == len(self._types) and all(map(is_tensor_like, arguments)):
            if self.changed_inputs and len(self.traced_values) == len(arguments):
                self.check_arguments(arguments, arguments)
            return list(arguments)
        signature = self.parameters.signature
        try:
            given = signature.bind_partial(*arguments, **keywords).arguments
        except TypeError as error:
            raise SignatureError(f"{self.graph.name}{signature} can't be called so: {error}") from None
        tensors: list[Any] = []
        for name, traced in zip(self.parameters.names, self.traced_values, strict=True):
            if name in given:
                first = len(tensors)
                self._take(name, given[name], traced, tensors)
                if self.changed_inputs:
                    changed = frozenset(position - first for position in self.changed_inputs)
                    check_not_changed(self.graph.name, [name], [given[name]], [given[name]], changed)
            elif any(isinstance(leaf, (TensorSpec, CompositeSpec)) for leaf in nest.flatten(traced)):
                raise SignatureError(f"{self.graph.name}() misses the argument {name!r}, a tensor ({traced})")
        return tensors

    def _take(self, name: str, value: object, traced: object, tensors: list[Any]) -> None:
        value = strong(value) if type(value) is SymbolicTensor else converted_to(value, traced)
        found: list[Any] = []
        if _without_types(key_of(value, found)) != _without_types(key_of(traced, [])):
            raise SignatureError(
                f"{self.graph.name}() was traced with {name}={traced!r} and can't be called with {name}={value!r}",
                remedy="call the traced function itself, which makes a trace for each Python value",
            )
        tensors.extend(found)

    def _checked(self, tensors: list[Any]) -> list[Any]:
        result = []
        for i, (tensor, wanted) in enumerate(zip(tensors, self._types, strict=True)):
            tensor = convert_to_tensor(tensor, wanted.dtype if isinstance(tensor, (np.ndarray, np.generic)) else None)
            if tensor.dtype is not wanted.dtype:
                raise InvalidArgumentError(
                    f"cannot compute {self.name} as input #{i}(zero-based) was expected to be a {_long(wanted)} tensor "
                    f"but is a {_long(Type(tensor.dtype, None))} tensor [Op:{self.name}]"
                )
            if not shapes.is_subshape(tensor.static_shape, wanted.shape):
                raise InvalidArgumentError(
                    f"cannot compute {self.name} as input #{i}(zero-based) was expected to have the shape "
                    f"{shapes.show(wanted.shape)} but has {tensor.shape} [Op:{self.name}]"
                )
            result.append(tensor)
        return result

    def pretty_printed_signature(self, verbose: bool = True) -> str:
        """The signature: ``name(a, b=2)``, and the types of arguments and results when ``verbose``."""
        if not verbose:
            return signatures.summary(self.parameters, self.traced_values)
        return signatures.pretty(self.parameters, self.traced_values, signatures.specs_of_outputs(self))

    def __repr__(self) -> str:
        return f"<ConcreteFunction {self.parameters.function_name}{self.shown_arguments()} at {id(self):#x}>"

    def __str__(self) -> str:
        captures = [spec_of(tensor) for tensor in self.captured_inputs]
        outputs = signatures.specs_of_outputs(self)
        return "ConcreteFunction " + signatures.concrete_text(self.parameters, self.traced_values, outputs, captures)

    def shown_arguments(self) -> str:
        """The parameters, with what each was given, as messages show them."""
        pairs = zip(self.parameters.names, self.traced_values, strict=True)
        return f"({', '.join(f'{name}={value!r}' for name, value in pairs)})"


def _without_types(key: object) -> Any:
    """A key without the dtypes and shapes of tensors: their structure, and the Python values."""
    if isinstance(key, tuple):
        if is_tensor_key(key):
            return "tensor"
        return tuple(map(_without_types, key))
    return key


def _long(type: Type) -> str:
    return _LONG_NAMES.get(type.dtype.name, type.dtype.name)


def outputs_of(result: object, function: Callable[..., Any], graph: Graph, numbers: bool = False) -> Any:
    """The structure a traced function returned, with a tensor of the graph for every leaf but None.

    ``numbers``: what is a Python number stays one for those that call the function.
    Raises `StagedTypeError` for leaves that are no tensors.
    """

    def convert(leaf: object) -> Any:
        if leaf is None:
            return None
        if isinstance(leaf, Composite):
            return leaf.type_spec.pack([SymbolicTensor(trace.value_of(part)) for part in leaf.components()])
        try:
            tensor = convert_to_tensor(leaf)
            python = weak_kind(leaf) if numbers and tensor.static_shape == () else None
            return SymbolicTensor(trace.value_of(tensor), python) if isinstance(tensor, Tensor) else tensor
        except (TypeError, ValueError):
            if isinstance(leaf, Tensor):
                raise
            raise _no_output(leaf, function) from None

    with trace.building(graph, function):
        places.returned()
        return nest.map_structure(convert, result)


def _no_output(value: object, function: Callable[..., Any]) -> StagedTypeError:
    location = trace.user_location()
    where: dict[str, Any] = {} if location is None else location._asdict()
    remedy = "return tensors, numbers, strings, arrays, None, or lists, tuples and dicts of them"
    if inspect.iscoroutine(value):
        where["line"] = value.cr_code.co_firstlineno
        remedy = "write it without `async`: a graph does not wait for Python"
    return StagedTypeError(
        "To be compatible with tf.function, Python functions must return zero or more Tensors or None values; in "
        f"compilation of {name_of(function)}(), found return value of type {type(value).__name__}, not a Tensor.",
        **where,
        construct=type(value).__name__,
        remedy=remedy,
    )
