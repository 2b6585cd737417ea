"""The gradient of `py_function` in a graph: the call is followed by a tape, which the way back asks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..base.dtypes import variant
from ..ir.graph import Type
from ..ir.op import STRUCTURAL, op
from ..ops.declare import TAPE
from ..ops.host.host import FOLLOWED_CALL, PY_FUNCTION
from ..tensors import trace
from ..tensors.convert import wrap
from .backprop import RULES, Pairs, type_of, zeros_like
from .nested import exchange
from .records import Record, is_differentiable

_FOLLOWED = Type(variant, ())


@FOLLOWED_CALL.give
class FollowedCall:
    """A call of a Python function with eager tensors, or of the gradients of one: its results, and their gradients."""

    def __init__(self, inputs: Sequence[Any], call: Callable[[], list[Any]], before: object = None) -> None:
        self._inputs = inputs
        self._tape = TAPE.function(persistent=True)
        if before is not None:
            self._tape.remember(before)
        tapes, trace.LOCAL.tapes = trace.LOCAL.tapes, ()
        try:
            with trace.building(None), self._tape:
                self._tape.watch([x for x in inputs if is_differentiable(x.dtype)])
                self.results = call()
        finally:
            trace.LOCAL.tapes = tapes

    def gradients(self, places: Sequence[int], given: Sequence[Any]) -> list[Any]:
        """The gradients of the inputs at some places, from those of the results."""
        with trace.building(None):
            return self._tape.gradient(self.results, [self._inputs[place] for place in places], list(given), "zero")

    def followed(self, places: Sequence[int], given: Sequence[Any]) -> FollowedCall:
        """`gradients` as a call whose inputs are what is given, and then those of this call."""
        return FollowedCall([*given, *self._inputs], lambda: self.gradients(places, given), self._tape)


def _gradients(
    call: object, *inputs: object, places: tuple[int, ...], types: tuple[Type, ...], followed: bool = False
) -> tuple[Any, ...]:
    assert isinstance(call, FollowedCall)  # no other op gives one, and saved models hold none
    given = [wrap(array) for array in inputs[: len(call.results)]]
    made = call.followed(places, given) if followed else None
    found = call.gradients(places, given) if made is None else made.results
    return (*[np.asarray(gradient.array) for gradient in found], *([] if made is None else [made]))


GRADIENT = op(
    "py_function_gradient", numpy=_gradients,
    infer=lambda *_, places, types, followed=False: (*types, *([_FOLLOWED] if followed else [])),
    gradient=STRUCTURAL, unsavable=PY_FUNCTION.unsavable,
    doc="The gradients of the inputs of a call of a Python function at some ``places``, from those of its results. "
    "All inputs of the call come last. When it is ``followed``, another output is what gradients of it need.",
)  # fmt: skip


def pull_python(record: Record, given: list[Any], active: set[Any]) -> Pairs:
    """None for a function of arrays, as in TensorFlow."""
    return _pull(record, given, active, 0) if record.attributes["eager"] else []


def pull_gradient(record: Record, given: list[Any], active: set[Any]) -> Pairs:
    """Gradients of gradients, of any order."""
    return _pull(record, given, active, 1)


def _pull(record: Record, given: list[Any], active: set[Any], first: int) -> Pairs:
    """Asks the call that a node has made, whose inputs are those of the node from the ``first`` on."""
    node = record.node
    inputs, keys = record.inputs[first:], record.keys[first:]
    places = [i for i, x in enumerate(inputs) if keys[i] in active and is_differentiable(x.dtype)]
    if node is None or not places:
        return []
    if not node.attributes.get("followed"):  # a copy of a node that is followed is followed too
        exchange(node, node.inputs, {**node.attributes, "followed": True}, (), [_FOLLOWED])
        record.renew()
    call = record.outputs[-1]
    count = len(record.attributes["types"])
    outputs = zip(record.outputs[:count], given[:count], strict=True)
    weights = [zeros_like(x) if g is None else g for x, g in outputs]
    wanted = [inputs[place] for place in places]
    types = tuple([type_of(x) for x in wanted])
    found = GRADIENT(call, *weights, *inputs, places=tuple(places), types=types)
    return list(zip(wanted, found, strict=True))


RULES[PY_FUNCTION] = pull_python
RULES[GRADIENT] = pull_gradient
