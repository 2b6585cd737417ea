"""Functions of the user in a pipeline: traced once, with the types of the elements, and run for each element."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from autograph.errors import InvalidTypeError, SavingError
from autograph.runtime.base import nest
from autograph.runtime.base.devices import HOST
from autograph.runtime.base.pickling.carried import Carried
from autograph.runtime.engines.executable import Executable
from autograph.runtime.functions import call_state
from autograph.runtime.functions.arguments import name_of
from autograph.runtime.functions.concrete import outputs_of
from autograph.runtime.functions.variable_creation import traced_twice
from autograph.runtime.ir.graph import Graph
from autograph.runtime.ir.notes import DEVICE
from autograph.runtime.tensors import trace
from autograph.runtime.tensors.front_half import CONNECTED, CONVERTED
from autograph.runtime.tensors.tensor import SymbolicTensor

from .failures import Failure, Item
from .structure import Element, normalised, specs_of, types_of

__all__ = ["ElementFunction", "Environment"]


class Environment:
    """The arrays of the graph tensors that a pipeline depends on, while it runs."""

    def __init__(self, tensors: Sequence[Any] = (), arrays: Sequence[Any] = ()) -> None:
        self._arrays = dict(zip([tensor.value for tensor in tensors], arrays, strict=True))

    def array(self, tensor: Any) -> Any:
        """The array of an eager tensor or of one of the graph tensors."""
        return self._arrays[tensor.value] if isinstance(tensor, SymbolicTensor) else tensor.array

    def number(self, tensor: object) -> int:
        """The integer or bool that a scalar tensor holds."""
        return int(self.array(tensor))


class ElementFunction:
    """A function of the user for elements of known specs.

    Where the element is a tuple, its parts are the arguments. ``result`` is what the function returned while it was
    traced, with tensors for all leaves, or a dataset.
    """

    def __init__(self, function: Callable[..., Any], specs: object) -> None:
        if not callable(function):
            raise InvalidTypeError(f"a dataset takes a function here, not {function!r}")
        self._made_of = function, specs
        graph = Graph(name_of(function), parent=trace.current_graph())
        with trace.building(graph, function):
            leaves = [SymbolicTensor(graph.parameter(type_, "element")) for type_ in types_of(specs)]
            inputs = nest.pack_sequence_as(specs, leaves, expand_composites=True)
            arguments = inputs if type(inputs) is tuple else (inputs,)
            result = traced_twice(False, (), lambda: CONVERTED.function(function)(*arguments))
            self.result = normalised(tuple(result) if isinstance(result, list) else result)
        tensors = nest.flatten(outputs_of(self.result, function, graph), expand_composites=True)
        call_state.finish(graph, [tensor.value for tensor in tensors])
        self.captured = [SymbolicTensor(value) for value in graph.captures]
        self._state, self._arguments, self._results = call_state.state_of(graph), len(leaves), len(tensors)
        DEVICE.of(graph)[:] = [HOST]  # elements are arrays of NumPy's
        self._executable = Executable(graph)

    def __reduce__(self) -> tuple[Any, ...]:
        """By the Python function, which is traced anew. Raises `SavingError` where pickle can't find it by its name."""
        if self.captured:
            raise SavingError(
                "a dataset whose functions use tensors of a graph can't be pickled",
                remedy="make the dataset outside of the traced function",
            )
        function, specs = self._made_of
        return _traced_anew, (Carried(function), specs)

    def __deepcopy__(self, memo: dict[int, Any]) -> ElementFunction:
        function, specs = self._made_of
        copied = copy.deepcopy(function, memo)
        return self if copied is function else ElementFunction(copied, specs)

    @property
    def specs(self) -> Any:
        """The specs of what the function gives."""
        return specs_of(self.result)

    def bind(self, environment: Environment) -> Callable[[Item], Item]:
        """From the components of an element to those of the result, or to a failure; failures are handed on."""
        run = call_state.running(self._executable.plan.run, self._state, self._arguments, self._results)
        captured = [environment.array(tensor) for tensor in self.captured]

        def bound(item: Item) -> Item:
            if isinstance(item, Failure):
                return item
            try:
                made: Element = run(*item, *captured)
            except Exception as error:
                return Failure(error)
            return made

        return bound

    def bind_dataset(self, environment: Environment) -> Callable[[Item], Iterator[Item]]:
        """From the components of an element to an iterator over the dataset that the function makes of it.

        For a failure, or where the function fails, that is all that the iterator gives.
        """
        run = self.bind(environment)

        def bound(item: Item) -> Iterator[Item]:
            made = run(item)
            return iter([made]) if isinstance(made, Failure) else iter(made[0])

        return bound


def _traced_anew(function: Callable[..., Any], specs: object) -> ElementFunction:
    CONNECTED.function()
    return ElementFunction(function, specs)
