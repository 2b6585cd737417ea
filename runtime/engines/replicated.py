"""One graph that several replicas run, each on its own part of some inputs.

All replicas read the same variables, which hold the same at the end: `autograph.distribute` sees to that. XLA runs each
replica on a device of its own. NumPy's plan runs them on threads, which wait for each other where they meet: that is
what the graph means, also where replicas get arrays of different shapes or do what no engine can, and how errors come
about.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Sequence
from typing import Any

from autograph.errors import FailedPreconditionError
from autograph.settings import settings

from ..ir.effects import Effects
from ..ir.graph import Graph, Type
from ..ir.op import Op
from ..ir.primitive import Replicated
from ..ops.declare import no_gradient
from ..ops.host.collective import among_replicas
from ..ops.random.generators import as_replica, replica_seed
from .engine import ENGINES
from .held import changed_in, held_in
from .numpy.plan import Plan
from .partition import is_whole
from .region import Region
from .transaction import StandIns, Transaction

__all__ = ["REPLICATED", "Replicas"]


class Replicas:
    """A graph that replicas run.

    Attributes
    ----------
    graph: it takes what one replica does.
    devices: the names of the devices, one for each replica.
    split: for each input of the graph, whether each replica has its own; a node gives one value for each of them then.
    """

    def __init__(
        self, graph: Graph, devices: Sequence[str], split: Sequence[bool], only_on_threads: bool = False
    ) -> None:  # fmt: skip
        self.graph, self.devices, self.split = graph, tuple(devices), tuple(split)
        self.count = len(self.devices)
        self._only_on_threads = only_on_threads

    def given(self, inputs: Sequence[Any]) -> list[list[Any]]:
        """What stands for a node's inputs, for each input of the graph: one thing, or one for each replica."""
        remaining = iter(inputs)
        return [[next(remaining) for _ in range(self.count if split else 1)] for split in self.split]

    def types(self, *_: Type) -> tuple[Type, ...]:
        """The types of a node's outputs: one for each output of the graph and each replica."""
        return tuple([value.type for value in self.graph.outputs for _ in range(self.count)])

    @functools.cached_property
    def _on_threads(self) -> tuple[Plan, StandIns, Transaction]:
        transaction = Transaction(self.graph, held_in(self.graph))
        stand_ins = StandIns(transaction)
        return Plan(self.graph, stand_ins=stand_ins.of), stand_ins, transaction

    @functools.cached_property
    def _draws(self) -> bool:
        return any(node.op.effects & Effects.RANDOM for node in self.graph.walk())

    @functools.cached_property
    def _on_devices(self) -> Region | None:
        """What runs the replicas on their devices, where the graph around them does not: one node, in a graph."""
        engine = ENGINES.get("xla")
        if self._only_on_threads or engine is None or engine.missing() or settings.engine not in ("", None, "xla"):
            return None
        alone = Graph(self.graph.name)
        inputs = zip(self.split, self.graph.inputs, strict=True)
        given = [alone.parameter(x.type) for split, x in inputs for _ in range(self.count if split else 1)]
        program = Replicas(self.graph, self.devices, self.split, only_on_threads=True)
        node = alone.add(REPLICATED, given, {"program": program}, types=self.types(), subgraphs=(self.graph,))
        alone.outputs = list(node.outputs)
        return Region(alone, engine) if is_whole(engine, alone) else None

    def run(self, *arrays: object) -> tuple[Any, ...]:
        """Run the replicas. Raises what the first of them raises that does, and changes nothing then."""
        return self._run_on_threads(*arrays) if self._on_devices is None else self._on_devices.run(*arrays)

    def _run_on_threads(self, *arrays: object) -> tuple[Any, ...]:
        plan, stand_ins, transaction = self._on_threads
        taken, meeting = transaction.take(), _Meeting(self.count)
        seed = replica_seed() if self._draws else 0
        given = self.given(arrays)
        inputs = [[each[number if len(each) > 1 else 0] for each in given] for number in range(self.count)]

        def replica(number: int) -> tuple[Any, ...]:
            with as_replica(seed, number), stand_ins.holding(taken):
                among_replicas(_Place(meeting, number))
                return plan.run(*inputs[number]), stand_ins.held()

        ends = meeting.run(replica)
        outputs = [results[i] for i in range(len(self.graph.outputs)) for results, _ in ends]
        for key, array in zip(changed_in(self.graph), ends[0][1], strict=True):
            key.variable.array = array
        return tuple(outputs)


class _Apart(BaseException):
    """Another replica has failed, or will never come to where this one waits."""


class _Place:
    """A replica in a meeting; see `AmongReplicas`."""

    def __init__(self, meeting: _Meeting, number: int) -> None:
        self.meet, self.number = functools.partial(meeting.meet, number), number


class _Meeting:
    """Threads that run replicas, and wait for each other where they exchange something."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._changed = threading.Condition()
        self._waiting: dict[int, tuple[object, Any]] = {}
        self._met: list[Any] = []
        self._times = 0
        self._gone = 0
        self._is_over = False
        self._errors: list[BaseException] = []

    def run(self, replica: Callable[[int], Any]) -> list[Any]:
        """What each replica gives. Raises the first error of one."""
        ends: list[Any] = [None] * self._count

        def run_one(number: int) -> None:
            try:
                ends[number] = replica(number)
            except _Apart:
                pass
            except BaseException as error:
                self._end(error)
            finally:
                self._leave()

        threads = [threading.Thread(target=run_one, args=(number,), daemon=True) for number in range(self._count)]
        for thread in threads:
            thread.start()
        try:
            for thread in threads:
                thread.join()
        except BaseException as error:  # Ctrl-C, for example
            self._end(error)
            raise
        if self._errors:
            raise self._errors[0]
        return ends

    def meet(self, number: int, what: object, given: object) -> Sequence[Any]:
        """As `AmongReplicas.meet`, for one replica."""
        with self._changed:
            self._waiting[number] = what, given
            self._look()
            times = self._times
            if len(self._waiting) == self._count and not self._is_over:
                self._met = [self._waiting[each][1] for each in range(self._count)]
                self._waiting.clear()
                self._times += 1
                self._changed.notify_all()
            while self._times == times and not self._is_over:
                self._changed.wait()
            if self._is_over:
                raise _Apart
            return self._met

    def _look(self) -> None:
        """Raise an error if those who wait will never be all, as they wait for different things or some are gone."""
        if self._is_over:
            return
        if len({what for what, _ in self._waiting.values()}) > 1 or (self._waiting and self._gone):
            raise FailedPreconditionError(
                "replicas have taken different ways: they do not all come to the same collective, with one shape",
                remedy="call `all_reduce` and the like, and change variables, where all replicas do",
            )

    def _end(self, error: BaseException) -> None:
        with self._changed:
            self._errors.append(error)
            self._is_over = True
            self._changed.notify_all()

    def _leave(self) -> None:
        with self._changed:
            self._gone += 1
            try:
                self._look()
            except FailedPreconditionError as error:
                self._end(error)


def _run(*arrays: object, program: Replicas) -> tuple[Any, ...]:
    return program.run(*arrays)


def _gradient(*_: object, program: Replicas) -> Any:
    return no_gradient("replicated", "take gradients in the function that replicas run")


REPLICATED = Op(name="replicated", node=Replicated, infer=lambda *types, program: program.types(*types), numpy=_run,
                effects=Effects.UPDATES | Effects.RAISES, gradient=_gradient,
                unsavable="save a function that runs in one replica")  # fmt: skip
"""The op of what replicas run; it is not in the registry, as what it runs is no attribute that a file could hold."""
