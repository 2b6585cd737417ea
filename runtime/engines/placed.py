"""A graph that an engine runs on a device: values stay there, and so does what variables hold, until Python looks."""

from __future__ import annotations

import functools
from collections import deque
from collections.abc import Sequence
from operator import call
from typing import Any

import numpy as np

from ..base import atomic
from ..tensors.convert import wrap
from ..tensors.tensor import EagerTensor
from . import recorder
from .device_tensor import DeviceTensor, held_by
from .region import PLACED, Region
from .transaction import Transaction

__all__ = ["Placed"]


@PLACED.give
class Placed(Region):
    """A graph, with an engine's code for each combination of shapes, which takes and gives values where they are.

    ``run`` is that of `Plan`, of NumPy's arrays.
    """

    @functools.cached_property
    def _transaction(self) -> Transaction | None:
        return PlacedTransaction(self.graph, self._held) if self._held else None

    @functools.cached_property
    def gives_fresh(self) -> bool:
        return True

    def call(self, tensors: Sequence[EagerTensor]) -> list[EagerTensor]:
        """Run the graph on eager tensors. The results are on the device, but for those that NumPy has made."""
        return [_tensor(x) for x in self.run_there(*map(held_by, tensors))]

    def run(self, *inputs: object) -> tuple[Any, ...]:
        return tuple([_here(x) for x in self.run_there(*inputs)])

    def run_profiled(self, *inputs: object) -> tuple[Any, ...]:
        return self.run(*inputs)

    def run_there(self, *inputs: Any) -> tuple[Any, ...]:
        """Run the graph on arrays of NumPy's and of JAX's. Raises what its plan raises."""
        started = recorder.clock()
        if self._transaction is not None:
            results = self._run_with_care(inputs)
        else:
            found = self._entry(*inputs)
            if type(found) is not tuple:
                found = self._run_otherwise(found, inputs)
            results = found if type(found) is tuple else self._run_plan(found, inputs)
        if recorder.active is not None:
            self._record(results, started)
        return results

    def _record(self, results: Sequence[Any], started: int) -> None:
        for each in results:
            if type(each) is not np.ndarray and hasattr(each, "block_until_ready"):
                each.block_until_ready()
        assert recorder.active is not None
        recorder.active.add(self.title, started)

    def _run_plan(self, plan: Any, inputs: Sequence[Any]) -> tuple[Any, ...]:
        return plan.run(*[_here(x) for x in inputs])

    def _as_given(self, inputs: Sequence[Any]) -> list[Any]:
        pairs = zip(inputs, self._dtypes, strict=True)
        return [x if _is_there(x) else np.asarray(x, dtype, order="C") for x, dtype in pairs]


def _is_there(x: object) -> bool:
    return not isinstance(x, (np.ndarray, np.generic)) and hasattr(x, "addressable_shards")


def _here(x: Any) -> Any:
    return DeviceTensor(x).array if _is_there(x) else x


def _tensor(x: Any) -> EagerTensor:
    """An eager tensor of its own for a result."""
    if _is_there(x):
        return DeviceTensor(x)
    return wrap(x.view() if type(x) is np.ndarray else x)  # a plan may give what a tensor or variable holds


class PlacedTransaction(Transaction):
    """What variables hold is taken where it is, and is put there; see `Variable.held`."""

    def __init__(self, graph: Any, held: Any) -> None:
        super().__init__(graph, held)
        self._count = len(graph.outputs)
        places = {id(variable): i for i, variable in enumerate(self.variables)}
        self._places = [(variable, places[id(variable)]) for variable in self.changed]
        self.take, self.put = self._take, self._put

    def _take(self) -> tuple[Any, ...]:
        return tuple([variable.held for variable in self.variables])

    def _put(self, taken: Sequence[Any], results: Sequence[Any]) -> Any:
        """As `Transaction.put`. All variables are changed in one step of the interpreter, so that no handler of signals
        comes between.
        """
        steps = []
        for (variable, _), new in zip(self._places, results[self._count :], strict=True):
            inside = vars(variable)
            steps.append(functools.partial(inside.update, resident=new))
            steps.append(functools.partial(inside.pop, "array", None))
        with atomic.lock:
            if all(variable.held is taken[i] for variable, i in self._places):
                _old = deque(map(call, steps))  # their end comes after the lock
                return results[: self._count]
        return None

    @staticmethod
    def holds(variable: Any) -> Any:
        return variable.held
