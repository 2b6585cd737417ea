"""The gradient of `py_function` in a graph: the call is followed by a tape, which the way back asks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .. import trace
from ..dtypes import variant
from ..ir import Type
from ..op import op
from ..ops.declare import no_gradient
from .backprop import RULES, Pairs, type_of, zeros_like
from .nested import add_output, exports
from .records import Record, is_differentiable

_FOLLOWED = Type(variant, ())


class FollowedCall:
    """One call of a Python function with eager tensors: its results, and their gradients."""

    def __init__(self, inputs: Sequence[Any], call: Callable[[], list[Any]]) -> None:
        from .tape import GradientTape

        self._inputs = inputs
        tapes, trace._local.tapes = trace._local.tapes, ()
        try:
            with GradientTape(persistent=True) as self._tape:
                self._tape.watch([x for x in inputs if is_differentiable(x.dtype)])
                self.results = call()
        finally:
            trace._local.tapes = tapes

    def gradients(self, places: Sequence[int], given: Sequence[Any]) -> list[Any]:
        """The gradients of the inputs at some places, from those of the results."""
        wanted = [self._inputs[place] for place in places]
        with trace.building(None):
            return self._tape.gradient(self.results, wanted, list(given), "zero")


def _gradients(call: Any, *given: Any, places: tuple[int, ...], types: tuple[Type, ...]) -> tuple[Any, ...]:
    assert isinstance(call, FollowedCall)  # no other op gives one, and saved models hold none
    return tuple([np.asarray(gradient._array) for gradient in call.gradients(places, given)])


def _no_second(*_: Any, **__: Any) -> Any:
    no_gradient("py_function_gradient", "write the function in ops, give it one with custom_gradient, or use "
                "stop_gradient; in a graph Python functions have first derivatives only")  # fmt: skip


GRADIENT = op(
    "py_function_gradient", infer=lambda *_, places, types: types, numpy=_gradients, gradient=_no_second,
    doc="The gradients of the inputs of a call of a Python function at some ``places``, from those of its results.",
)  # fmt: skip


def pull_python(record: Record, given: list[Any], active: set[Any]) -> Pairs:
    """None for a function of arrays, as in TensorFlow."""
    node, attributes = record.node, record.attributes
    places = [i for i, x in enumerate(record.inputs) if record.keys[i] in active and is_differentiable(x.dtype)]
    if node is None or not attributes["eager"] or not places:
        return []
    known = exports(node)
    if "call" not in known:
        node.attributes["followed"] = True
        known["call"] = add_output(node, _FOLLOWED)
    call = record.see(node.outputs[known["call"]])
    count = len(attributes["types"])
    outputs = zip(record.outputs[:count], given[:count], strict=True)
    weights = [zeros_like(x) if g is None else g for x, g in outputs]
    types = tuple([type_of(record.inputs[place]) for place in places])
    found = GRADIENT(call, *weights, places=tuple(places), types=types)
    return [(record.inputs[place], gradient) for place, gradient in zip(places, found, strict=True)]


RULES["py_function"] = pull_python
