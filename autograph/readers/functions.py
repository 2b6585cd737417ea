"""The functions of a graph of TensorFlow's, run node by node: a `tf.function` that does so has them as its graph.

What is known of constants alone is computed at once, so that axes and shapes that are tensors there are numbers here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from autograph.errors import SavedFileError, UnimplementedError
from autograph.runtime.tensors import trace
from autograph.runtime.tensors.tensor import EagerTensor

from .messages import Message
from .ops import OPS
from .ops.table import Attributes, Unread

__all__ = ["Library"]

_SEVERAL = {
    "FusedBatchNormV3": "y batch_mean batch_variance reserve_space_1 reserve_space_2 reserve_space_3",
    "TopKV2": "values indices",
    "Unique": "y idx",
    "UniqueWithCounts": "y idx count",
    "TensorListPopBack": "output_handle tensor",
    "SparseSoftmaxCrossEntropyWithLogits": "loss backprop",
    "SoftmaxCrossEntropyWithLogits": "loss backprop",
    "Svd": "s u v",
    "Qr": "q r",
    "SelfAdjointEigV2": "e v",
}
"""The outputs of ops that have several of different names, in their order."""


class Step(NamedTuple):
    """A node: its inputs are names of arguments, or of nodes with a place."""

    kind: str
    name: str
    inputs: Sequence[tuple[str, int]]
    after: Sequence[str]
    attributes: Attributes


class _Function(NamedTuple):
    arguments: Sequence[str]
    steps: Sequence[Step]
    results: Sequence[tuple[str, int]]


class Library:
    """The functions of a graph by name."""

    def __init__(self, functions: Sequence[Message]) -> None:
        self._messages = {each.signature.name: each for each in functions}
        self._read: dict[str, _Function] = {}
        self._running: list[str] = []

    def function(self, name: str) -> _Function:
        """A function, its nodes in an order in which they can run. Raises `SavedFileError`."""
        if name not in self._read:
            if name not in self._messages:
                raise SavedFileError(f"the graph has no function {name!r}")
            self._read[name] = _read(self._messages[name])
        return self._read[name]

    def missing(self, name: str) -> dict[str, str]:
        """The ops of a function, and of those that it calls, that there are not here; each with a node of it."""
        found: dict[str, str] = {}
        for function in self._called(name):
            for step in self.function(function).steps:
                if step.kind not in OPS:
                    found.setdefault(step.kind, f"node {step.name!r} of {function}")
        return found

    def _called(self, name: str) -> Iterator[str]:
        waiting, seen = [name], {name}
        while waiting:
            name = waiting.pop()
            yield name
            for step in self.function(name).steps:
                new = [each for each in step.attributes.functions() if each not in seen]
                seen.update(new)
                waiting += new

    def call(self, name: str, arguments: Sequence[Any]) -> list[Any]:
        """What a function gives. Raises `UnimplementedError` for what an op can't be here."""
        function = self.function(name)
        if name in self._running:
            raise UnimplementedError(f"{name} calls itself, which functions of TensorFlow's graphs are not read with")
        self._running.append(name)
        try:
            values = {(argument, 0): value for argument, value in zip(function.arguments, arguments, strict=True)}
            for step in function.steps:
                given = [values[each] for each in step.inputs]
                for i, result in enumerate(self._ran(name, step, given)):
                    values[step.name, i] = result
            return [values[each] for each in function.results]
        finally:
            self._running.pop()

    def _ran(self, function: str, step: Step, given: Sequence[Any]) -> Sequence[Any]:
        form = OPS[step.kind]
        try:
            if form.is_pure and all(type(x) is EagerTensor for x in given):
                with trace.building(None):
                    found = form.run(step.attributes, *given)
            elif form.calls:
                found = form.run(step.attributes, self.call, *given)
            else:
                found = form.run(step.attributes, *given)
        except Unread as error:
            raise UnimplementedError(
                f"the op {step.kind} of TensorFlow (node {step.name!r} of {function}) has no form here: {error}"
            ) from None
        return found if type(found) in (tuple, list) else (found,)


def _read(message: Message) -> _Function:
    arguments = [each.name for each in message.signature.inputs]
    kinds = {node.name: node.op for node in message.nodes}
    steps = [_step(node, kinds) for node in message.nodes]
    results = [_place(message.results[each.name], kinds) for each in message.signature.outputs]
    ordered = list(_ordered(steps, arguments, message.signature.name))
    return _Function(arguments, _needed(ordered, results), results)


def _needed(steps: Sequence[Step], results: Sequence[tuple[str, int]]) -> list[Step]:
    """The nodes that results are made of, and those that do something besides, or of which that is not known."""
    names, kept = {name for name, _ in results}, []
    for step in reversed(steps):
        form = OPS.get(step.kind)
        if step.name in names or form is None or form.acts:
            kept.append(step)
            names.update(name for name, _ in step.inputs)
    return kept[::-1]


def _step(node: Message, kinds: dict[str, str]) -> Step:
    inputs = [_place(each, kinds) for each in node.inputs if not each.startswith("^")]
    after = [each[1:] for each in node.inputs if each.startswith("^")]
    return Step(node.op, node.name, inputs, after, Attributes(node.attributes))


def _place(text: str, kinds: dict[str, str]) -> tuple[str, int]:
    """``node:output:1``, or an argument."""
    name, *rest = text.split(":")
    if len(rest) < 2:
        return name, int(rest[0]) if rest else 0
    several = _SEVERAL.get(kinds.get(name, ""), "").split()
    return name, int(rest[1]) + (several.index(rest[0]) if rest[0] in several else 0)


def _ordered(steps: Sequence[Step], arguments: Sequence[str], function: str) -> Iterator[Step]:
    """The nodes in an order in which each comes behind what it needs: files have them in any."""
    done, waiting = set(arguments), list(steps)
    while waiting:
        later = []
        for step in waiting:
            if all(name in done for name, _ in step.inputs) and done.issuperset(step.after):
                done.add(step.name)
                yield step
            else:
                later.append(step)
        if len(later) == len(waiting):
            raise SavedFileError(f"the graph of {function} has a circle, or a node that is not there")
        waiting = later
