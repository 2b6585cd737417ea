"""From a graph to a program that is compiled for exact types, and is called with NumPy's arrays, or with JAX's.

Where Python is: what variables hold stays where the program has put it (see resident.py). On a device: all results are
JAX's arrays, see `engines.placed`. A program that is made while a `Spread` is in effect is for all of its devices.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import SingleDeviceSharding

from autograph.errors import UnavailableError
from autograph.settings import settings

from ...base import copies
from ...base.devices import Device
from ...ir.graph import Graph, Type
from ...ir.primitive import Replicated
from ..engine import Entry, NotLowered
from ..held import Held, changed_in, held_in
from ..spread import Spread, in_effect
from . import machine
from . import ops as ops  # puts the forms of ops on their records
from .entry import written
from .lowering import Fails, Lowering
from .replicas import on_all
from .resident import original, placed, remember, view
from .values import Lowered, Rows, leaves, rebuilt

# Lists get so much room where it has to be guessed, more each time that it is too little, and no more than this.
_ROOM, _MORE, _MOST_ROOM = 64, 8, 1 << 24
# What a turn of a loop takes on an accelerator, in the units of `costs`, before it does anything: kernels are launched,
# and the host asks whether there is another turn; 15 us for Mandelbrot's on an H100.
_LAUNCHES = 2_000
# Seconds between two looks whether a program has ended.
_SHORTEST_PAUSE, _LONGEST_PAUSE = 5e-5, 5e-3


def compiled(
    graph: Graph, types: Sequence[Type], look: Callable[[], None] | None = None, device: Device | None = None
) -> Entry | None:
    """As `Engine.compile`."""
    program = _Program(graph, types, look) if device is None else _PlacedProgram(graph, types, look, device)
    try:
        program.make(_ROOM)
    except Fails:
        return None
    return program.entry()


class _Made(NamedTuple):
    """A function of JAX, which is compiled when it first runs.

    Attributes
    ----------
    run: gives flags, if it ``has_flags``: 1 for a failure, 2 if another program is to run; then leaves of results.
    results: what these are the leaves of; None: arrays.
    looks: whether it calls `_Program._is_to_stop`.
    """

    run: Callable[..., Any]
    has_flags: bool
    results: list[Lowered] | None
    capacity: int
    looks: bool


class _Stopped(threading.local):
    """What has ended a loop of the run on this thread."""

    by: BaseException | None = None


class _Program:
    """A graph for exact types; see `compiled`."""

    _options: Mapping[str, Any] = {}
    _kinds = frozenset((np.ndarray,))
    _polls = False
    """Whether flags tell of loops that have been ended: the program may run on while Python waits for them."""

    def __init__(self, graph: Graph, types: Sequence[Type], look: Callable[[], None] | None) -> None:
        self._graph, self._look = graph, look
        self._held, self._changed = held_in(graph), changed_in(graph)
        self._given = [jax.ShapeDtypeStruct(each.shape, each.dtype.numpy) for each in types]
        self._exact = [(each.shape, each.dtype) for each in self._given]
        self._outputs = len(graph.outputs)
        self._everywhere = self._common_layout(in_effect())
        self._layouts = self._layouts_for(in_effect())
        self._stopped = _Stopped()
        self._made: _Made

    def _layouts_for(self, spread: Spread | None) -> dict[Held, Any]:
        """How variables lie over several devices: as a spread says; else, where there are replicas, each has all."""
        if spread is not None:
            return {key: spread.layout_of(key.variable) for key in self._held}
        return {} if self._everywhere is None else dict.fromkeys(self._held, self._everywhere)

    def _common_layout(self, spread: Spread | None) -> Any:
        """The layout of an array that all of the program's devices have, if these are not Python's one."""
        if spread is not None:
            return spread.layout_of(None)
        node = next((node for node in self._graph.walk() if isinstance(node, Replicated)), None)
        return None if node is None else on_all(node.program.devices)

    @property
    def _is_of_many(self) -> bool:
        """Whether other processes run it, too, on devices of theirs. Each is given all, and gets all results."""
        return self._everywhere is not None and not self._everywhere.is_fully_addressable

    @property
    def _is_on_cpu(self) -> bool:
        return jax.default_backend() == "cpu"

    def make(self, capacity: int) -> None:
        """Make the function, with so much room for lists. Raises `Fails`, and `NotLowered`."""
        count = len(self._graph.inputs)
        found: list[Any] = []

        def function(*arrays: Lowered) -> Any:
            least = 1 if self._is_on_cpu else _LAUNCHES
            here = Lowering(self._graph, capacity, capacity > _ROOM, self._is_to_stop, least)
            here.holds = dict(zip(self._held, arrays[count:], strict=True))
            found[:] = [here]
            results = here.run(self._graph, arrays[:count])
            results = [x if isinstance(x, Rows) else jnp.asarray(x) for x in results]
            if self._is_of_many:
                results = rebuilt(results, map(self._shared, leaves(results)))
            results += [jnp.asarray(self._constrained(key, here.holds[key])) for key in self._changed]
            failed = here.failed if here.stopped is False or not self._polls else here.failed | here.stopped
            has_flags = failed is not False or here.short is not False
            leaf_of = results if any(isinstance(x, Rows) for x in results) else None
            found[:] = [here, has_flags, leaf_of, capacity, here.looks]
            flags = [jnp.uint8(failed) + jnp.uint8(2) * jnp.uint8(here.short)] if has_flags else []
            return [*flags, *leaves(results)]

        run = jax.jit(function, keep_unused=True, **self._options)
        with jax.enable_x64(True):
            try:
                run.trace(*self._given)
            except Fails:
                raise
            except Exception as error:
                raise self._refusal(error, found[0]) from error
        self._made = _Made(run, *found[1:])

    def _refusal(self, error: Exception, here: Lowering) -> Exception:
        """The error to raise for one while the graph was lowered."""
        if not isinstance(error, NotLowered):
            if settings.checks:  # a mistake of ours, which must not stop users
                return error
            return NotLowered(str(error), here.node, here.outermost)
        ends = error.ends and error.node in self._graph.nodes
        outermost = error.node if ends else here.outermost
        return NotLowered(error.reason, error.node or here.node, outermost, ends)

    def entry(self) -> Entry:
        """What is called: `run`, or what is as quick as can be where all results are arrays of one device's."""
        run, has_flags, results, *_ = self._made
        if self._polls or self._look is not None or results is not None or self._layouts or in_effect() is not None:
            return self.run
        counts = len(self._graph.inputs), self._outputs, len(self._changed)
        return written(run, has_flags, self._given, *counts, self)

    def is_current(self, run: Callable[..., Any]) -> bool:
        """Whether a function is the one to run: another one is made when lists run out of room."""
        return self._made.run is run

    def run(self, *arrays: Any) -> Any:
        """As `Entry`."""
        if [(x.shape, x.dtype) if type(x) in self._kinds else None for x in arrays] != self._exact:
            return None
        try:
            return self._ran(arrays)
        except (jax.errors.JaxRuntimeError, ValueError) as error:
            return self.broken_off(error)

    def broken_off(self, error: Exception) -> bool:
        """False: the plan is to run in its place. Raises what the program has been broken off by."""
        text = str(error)
        if "\nKeyboardInterrupt" in text:  # JAX tells so what a handler of signals has raised
            raise KeyboardInterrupt from None
        if "CpuCallback" in text:
            raise error
        if self._is_of_many:
            raise UnavailableError(
                f"a program of several processes was broken off: {text.splitlines()[0]}",
                remedy="start all of them again, from a checkpoint, as `python -m autograph launch` does",
            ) from None
        return False  # there is not enough memory, for example: the plan will say so

    def _ran(self, arrays: Sequence[np.ndarray]) -> Any:
        while True:
            made = self._made
            self._stopped.by = None
            with jax.enable_x64(True):
                results = self._started(made, arrays)
            if self._look is not None:
                self._end(results)
            if not made.has_flags:
                return self._taken(made, results)
            flags = self._flags(made, results[0])
            if self._stopped.by is not None:
                raise self._stopped.by
            if flags == 0:
                return self._taken(made, results[1:])
            if flags & 1 or made.capacity > _MOST_ROOM:
                return False
            self.make(made.capacity * _MORE)

    def _end(self, results: Sequence[Any]) -> None:
        """Raises what a loop has been ended by, or would be now."""
        jax.block_until_ready(results)
        if self._stopped.by is not None:
            raise self._stopped.by
        assert self._look is not None
        self._look()

    def _laid_out(self, arrays: Sequence[np.ndarray]) -> Iterable[Any]:
        """What a program is given: arrays where they are, and those of variables where their layouts say."""
        if not self._layouts:
            return map(original, arrays)
        count = len(self._graph.inputs)
        held = zip(arrays[count:], self._layouts.values(), strict=True)
        return [*map(original, arrays[:count]), *[placed(x, layout) for x, layout in held]]

    def _shared(self, x: Any) -> Any:
        """A result of which each process has all."""
        return jax.lax.with_sharding_constraint(x, self._everywhere)

    def _constrained(self, key: Held, x: Lowered) -> Any:
        """What a variable is to hold, laid out as before: else the next call would be compiled anew."""
        return jax.lax.with_sharding_constraint(x, self._layouts[key]) if key in self._layouts else x

    def _flags(self, made: _Made, x: Any) -> int:
        return int(np.asarray(x))

    def _is_to_stop(self) -> bool:
        """Loops call this now and then; they are to end then. Python comes to handle signals here."""
        if self._look is not None and self._stopped.by is None:
            try:
                self._look()
            except BaseException as error:  # it is raised when the loop has ended
                self._stopped.by = error
        return self._stopped.by is not None

    def _started(self, made: _Made, arrays: Sequence[Any]) -> Any:
        """What the program gives; it may still be running."""
        return made.run(*self._laid_out(arrays))

    def _taken(self, made: _Made, results: Sequence[Lowered]) -> tuple[Any, ...]:
        """What a program has given, as NumPy's arrays: outputs are the caller's own, what variables hold is not."""
        values = results if made.results is None else rebuilt(made.results, results)
        outputs = map(_copy, values[: self._outputs])
        return (*outputs, *map(view, values[self._outputs :])) if self._changed else tuple(outputs)


class _PlacedProgram(_Program):
    """A graph for exact types on a device: it takes arrays of NumPy's, which are copied, and of JAX's, and gives these.

    What variables hold is copied once.
    """

    _polls = True

    def __init__(self, graph: Graph, types: Sequence[Type], look: Callable[[], None] | None, device: Device) -> None:
        super().__init__(graph, types, look)
        self._layouts, self._everywhere = {}, None
        self._device, self._place = device, machine.jax_device(device)
        self._stops: list[None] = []
        self._starting: set[int] = set()
        where = SingleDeviceSharding(self._place)
        self._options = {"in_shardings": where, "out_shardings": where}
        self._kinds = frozenset((np.ndarray, type(jax.device_put(np.int32(0), self._place))))

    def _end(self, results: Sequence[Any]) -> None:
        assert self._look is not None
        self._look()

    @property
    def _is_on_cpu(self) -> bool:
        return self._device.kind == "CPU"

    def _started(self, made: _Made, arrays: Sequence[Any]) -> Any:
        given, me = self._moved(arrays), threading.get_ident()
        self._starting.add(me)
        try:
            return made.run(*given)
        finally:
            self._starting.discard(me)

    def _moved(self, arrays: Sequence[Any]) -> list[Any]:
        """The arrays as the program takes them."""
        count, started = len(self._graph.inputs), copies.clock()
        size = copied = 0
        found = []
        for i, x in enumerate(arrays):
            there = self._there(x)
            if there is None:
                there = self._kept(x) if i >= count or type(x) is not np.ndarray else x
                size, copied = size + x.nbytes, copied + 1
            found.append(there)
        if copied:
            copies.note(f"copy to {self._device.short}", started, copied, size, False)
        return found

    def _there(self, x: Any) -> Any:
        """The array on the device, if it is there."""
        if type(x) is np.ndarray:
            x = original(x)
        return x if type(x) is not np.ndarray and x.device == self._place else None

    def _kept(self, x: Any) -> Any:
        """A copy of what a variable holds, for later runs too."""
        found = jax.device_put(x, self._place)
        if type(x) is np.ndarray:
            remember(x, found)
        return found

    def _flags(self, made: _Made, x: Any) -> int:
        """The flags, when the program has ended. While its loops may take long, Python handles signals."""
        pause = _SHORTEST_PAUSE
        try:
            while made.looks and not x.is_ready():
                time.sleep(pause)
                pause = min(2 * pause, _LONGEST_PAUSE)
                if self._look is not None:
                    self._look()
        except BaseException:
            self._stops.append(None)
            x.block_until_ready()
            self._stops.pop()
            raise
        return int(np.asarray(x))

    def _is_to_stop(self) -> bool:
        """On a CPU this runs on the thread that has started the program. Elsewhere it is one of JAX's, on which signals
        are not seen, nor what the other has taken: that one looks, in `_flags`.
        """
        if threading.get_ident() in self._starting:
            return super()._is_to_stop()
        return bool(self._stops)

    def _taken(self, made: _Made, results: Sequence[Lowered]) -> tuple[Any, ...]:
        values = results if made.results is None else rebuilt(made.results, results)
        return tuple([self._rows(x) if type(x) is Rows else x for x in values])

    def _rows(self, x: Rows) -> np.ndarray:
        """The elements of a list that has grown: another length is no program of its own, so that Python cuts them."""
        return copies.to_host(x.items, self._device.short)[: int(x.count)].copy()


def _copy(x: Lowered) -> np.ndarray:
    return np.asarray(x.items)[: int(x.count)].copy() if type(x) is Rows else np.array(x)
