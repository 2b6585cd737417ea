"""The traces of one function: by their keys, under way on other threads, and the history of how they came about."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from ..ir.graph import Graph
from ..ir.notes import Note
from ..tensors import trace
from . import recursion
from .arguments import Parameters, is_gone, key_of, name_of, variables_of
from .call_state import OUTSIDE
from .fast_calls import FastCalls
from .guards import Guard
from .recursion import Pending
from .retracing import History, Outside

if TYPE_CHECKING:
    from ..tensors.spec import TensorSpec
    from .concrete import ConcreteFunction


_SHOWN = 10
_SWEEP = 64  # keys, at which a first look is taken for those that no call can have any more


class _ByKey:
    """Traces by their keys. One for variables as arguments lives as long as the first; its graph refers to them all."""

    def __init__(self) -> None:
        self._found: dict[Any, ConcreteFunction | weakref.ref[ConcreteFunction]] = {}

    def get(self, key: object) -> ConcreteFunction | None:
        found = self._found.get(key)
        return found() if isinstance(found, weakref.ref) else found

    def __contains__(self, key: object) -> bool:
        return self.get(key) is not None

    def __len__(self) -> int:
        return len(self._found)

    def __setitem__(self, key: object, concrete: ConcreteFunction) -> None:
        owner = next(variables_of(key), None)
        if owner is None:
            self._found[key] = concrete
            return
        # The variable holds the trace, and that the variable: the garbage collector takes both.
        vars(owner).setdefault("_traces", weakref.WeakKeyDictionary()).setdefault(self, {})[key] = concrete
        self._found[key] = weakref.ref(concrete)

    def __delitem__(self, key: object) -> None:
        del self._found[key]
        for owner in variables_of(key):
            vars(owner).get("_traces", {}).get(self, {}).pop(key, None)

    def setdefault(self, key: object, concrete: ConcreteFunction) -> None:
        if key not in self:
            self[key] = concrete

    def items(self) -> list[tuple[Any, ConcreteFunction]]:
        found = [(key, self.get(key)) for key in self._found]
        return [(key, concrete) for key, concrete in found if concrete is not None]

    def values(self) -> list[ConcreteFunction]:
        return [concrete for _, concrete in self.items()]

    def gone(self) -> list[Any]:
        """The keys that no call can have any more."""
        return [key for key in self._found if is_gone(key)]


NESTED: Note[dict[Traces, dict[Any, ConcreteFunction]]] = Note(dict, of_parts=True)
"""The traces of functions that captured tensors of a graph: they hold in that graph only, until it is cut short."""


class Traces:
    """The traces of one function (of one method and one instance); at most ``maximum`` of them, when it is given."""

    def __init__(self, parameters: Parameters, maximum: int | None = None) -> None:
        self.parameters = parameters
        self._maximum = maximum
        self._sweep_at = _SWEEP
        self.by_key = _ByKey()
        self.fast = FastCalls()
        self.pending: dict[tuple[Any, Any], Pending] = {}
        """Those under way, for arguments and surroundings: whether they fit the rest is told when they are done."""
        self.nested: weakref.WeakSet[Graph] = weakref.WeakSet()
        """The graphs that have `NESTED` traces of this function."""
        self.relaxed: dict[Any, list[TensorSpec]] = {}
        self.history = History(parameters.function_name, parameters.names)
        self.outside: dict[Any, Callable[[], tuple[str, Any]]] = {}
        """What gives name and value of the places outside the function whose values are constants of its graphs."""
        self.frozen: dict[Any, Guard] = {}
        """The variables outside the function whose values are constants of its graphs."""
        self.varying: set[Any] = set()
        """The keys of those that have held several tensors, and are inputs of graphs."""
        self.calls = 0
        self.count = 0
        self.lock = threading.Lock()

    @property
    def depend(self) -> bool:
        """Whether the traces depend on more than arguments."""
        return bool(self.outside or self.frozen)

    def key_of_call(self, key: Any, ambient: object, known: Mapping[Any, Guard] = MappingProxyType({})) -> Any:
        """The key of a call: that of the arguments, and of what else its trace depends on.

        ``known`` has the variables that it was made with, rather than those of now.
        """
        if self.outside or self.frozen:
            parts = [place() for place in self.outside.values()]
            constants = [known.get(place, guard).key(place in known) for place, guard in self.frozen.items()]
            return *key, ambient, Outside(tuple([(name, key_of(v, [])) for name, v in parts]), tuple(constants))
        return key if ambient is None else (*key, ambient)

    def constants(self) -> list[str]:
        """Lines that say what of Python the graphs have as constants."""
        seen = sorted({f"`{guard.label}`" for guard in self.frozen.values()})
        unseen = sorted({f"`{label}`" for each in self.distinct() for label in OUTSIDE.of(each.graph).unseen})
        lines = [f"constants that each call looks at: {', '.join(seen)}"] if seen else []
        if unseen:
            shown = ", ".join(unseen[:_SHOWN]) + (", …" if len(unseen) > _SHOWN else "")
            lines.append(f"constants that no call looks at, as they were when it was traced: {shown}")
        return lines

    def note_varying(self) -> None:
        """A call needs another trace: where that is for a tensor or array in a variable, it shall be an input."""
        with self.lock:
            varying = [place for place, guard in self.frozen.items() if guard.is_array and not guard.is_same()]
            for place in varying:
                del self.frozen[place]
            self.varying.update(varying)

    def find(self, key: object) -> ConcreteFunction | None:
        """The trace for a key, on this thread and in the graph that it builds."""
        found = self.by_key.get(key)
        if found is None and self.nested:
            graph = trace.current_graph()
            while graph is not None and found is None:
                found = self._nested_in(graph).get(key)
                graph = graph.parent
        return found

    def claim(
        self, key: object, general: object, function: Callable[..., Any]
    ) -> tuple[ConcreteFunction | Pending, bool]:
        """The trace for a key, or for all that ``general`` stands for; waits for one that another thread is making.

        Where this thread is making it, what stands for it meanwhile. Where nobody is: a new `Pending`, and True; then
        the caller has to trace, and to call `release`.
        """
        while True:
            with self.lock:
                # Another thread may have found out meanwhile what else the traces depend on.
                key, general = self._renewed(key), self._renewed(general)
                identity = self, general
                found = self.find(general) or recursion.under_way(identity) or recursion.member(identity)
                if found is not None:
                    known = self.by_key.get(general)
                    if known is not None:
                        self.by_key.setdefault(key, known)
                    return found, False
                others = self.pending.setdefault(self._own(general), made := self._pending(identity, function))
                if others is made:
                    return made.begun(), True
            if not others.wait():  # its thread waits for this one: both make the trace
                return self._pending(identity, function).begun(), True

    def _renewed(self, key: Any, known: Mapping[Any, Guard] = MappingProxyType({})) -> Any:
        """The key of a call that was made before it was known what else the traces depend on."""
        return self.key_of_call(*self._own(key), known)

    def _own(self, key: Any) -> tuple[Any, Any]:
        """The part of a key that stays the same when more is known of what the traces depend on."""
        count = len(self.parameters.names)
        return key[:count], key[count] if len(key) > count else None

    def _pending(self, identity: Any, function: Callable[..., Any]) -> Pending:
        code = getattr(function, "__code__", None)
        return Pending(name_of(function), identity, (code or self, identity[1]))

    def release(self, pending: Pending, general: object) -> None:
        """The trace is made, or has failed: other threads need not wait any more."""
        with self.lock:
            if self.pending.get(self._own(general)) is pending:
                del self.pending[self._own(general)]
        pending.release()

    def remember(self, concrete: ConcreteFunction, key: Any, general: object, warn: bool) -> None:
        """Keep a new trace under the key of its arguments, and under that of all arguments that it serves.

        Warns of too many traces when ``warn`` is true.
        """
        parent = concrete.graph.parent
        with self.lock:
            outside = OUTSIDE.of(concrete.graph)
            if outside.constants or outside.frozen:
                self.outside.update(outside.constants)
                self.frozen.update(outside.frozen)
                self.fast.forget()
            key, general = self._renewed(key, outside.frozen), self._renewed(general, outside.frozen)
            if concrete.graph.captures and parent is not None:
                table = NESTED.of(parent).setdefault(self, {})
                table[key] = table[general] = concrete
                self.nested.add(parent)
            else:
                concrete.graph.parent = None
                self.by_key[key] = self.by_key[general] = concrete
                self._drop()
            self.count += 1
            warning = self.history.add(key, self.calls, warn)
        if warning is not None:
            warning()

    def forget(self, concrete: ConcreteFunction) -> None:
        """Trace anew where a trace would be used."""
        with self.lock:
            for key in [key for key, each in self.by_key.items() if each is concrete]:
                del self.by_key[key]
            for table in map(self._nested_in, self.nested):
                for key in [key for key, each in table.items() if each is concrete]:
                    del table[key]
            self.fast.forget()

    def _nested_in(self, graph: Graph) -> dict[Any, ConcreteFunction]:
        return (NESTED.known(graph) or {}).get(self, {})

    def _drop(self) -> None:
        """Forget traces: the oldest, when there are too many; those for objects that are gone, from time to time."""
        gone: list[Any] = []
        if self._maximum is not None:
            old = set(list(dict.fromkeys(self.by_key.values()))[: -self._maximum])
            gone += [key for key, concrete in self.by_key.items() if concrete in old]
            for skeleton in list(self.relaxed)[: -self._maximum]:
                del self.relaxed[skeleton]
        if len(self.by_key) >= self._sweep_at:
            gone += self.by_key.gone()
            self._sweep_at = max(2 * len(self.by_key), _SWEEP)
        if gone:
            self.history.drop(gone)
            for key in dict.fromkeys(gone):
                del self.by_key[key]
            self._sweep_at = max(2 * len(self.by_key), _SWEEP)
            self.fast.forget()

    def distinct(self) -> list[ConcreteFunction]:
        """The traces, in the order in which they were made."""
        with self.lock:
            return list(dict.fromkeys(self.by_key.values()))
