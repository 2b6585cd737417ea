"""Machine code and the variables that it changes: it takes what they hold, and puts back what they are to hold.

The code itself has no effects. It runs on what the variables held at one moment, while other threads go on; at its end
all that it has made of them takes its place at one moment, if they still hold what was taken. If one does not, another
thread has come between: nothing has happened yet, and the code runs again. So a run is as if each assignment in it had
been made at its end, and no assignment of any thread is lost. (H. Kung, J. Robinson, "On optimistic methods for
concurrency control", 1981.) Variables that are only read may have been assigned to meanwhile: as in TensorFlow, a graph
does not promise in which order it comes to different variables. But where a loop may wait for one of them, the code
looks now and then whether it is another, and runs again then: the loop would never end.

Code that has been forestalled takes turns with other such code, so that one of them gets through. If it is forestalled
again and again, by assignments outside of such code, the plan runs, whose assignments are atomic one by one. No lock is
held while a graph runs but this one, which nobody waits for longer than a second: there is no deadlock.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from ..base import atomic
from ..ir.graph import Graph
from .awaited import awaited_in
from .held import Held, changed_in

__all__ = ["StandIns", "Superseded", "Transaction"]

# After code was forestalled, so many of its runs wait for their turn from the start.
_TURNS = 100
_LONGEST_WAIT = 1.0
_turn = threading.RLock()


class Superseded(BaseException):
    """A variable that a loop waits for has been assigned to while its code ran."""


class _Running(threading.local):
    """What the run on this thread has taken."""

    taken: tuple[Any, ...] = ()


class Transaction:
    """What the variables of a graph hold, taken at one moment and replaced at one moment.

    Attributes
    ----------
    variables: those that the graph reads or changes.
    changed: those that it changes.
    take: gives what `variables` hold, in a tuple.
    put: ``put(taken, results)``: of results, of which the last are for `changed`, gives the others, once the variables
        hold these; None if one of them does not hold any more what was taken.
    turns: how many of the next runs wait for their turn.
    awaited: whether there are variables that loops may wait for. `look` raises `Superseded` when one of them does not
        hold any more what the run on this thread has taken, which is in `running`.

    ``held``: what `held_in` gives for the graph.
    """

    def __init__(self, graph: Graph, held: Sequence[Held]) -> None:
        self.variables = [key.variable for key in held]
        self.changed = [key.variable for key in changed_in(graph)]
        self.turns = 0
        awaited = set(map(id, awaited_in(graph)))
        self.awaited = bool(awaited)
        self._awaited = [(i, each) for i, each in enumerate(self.variables) if id(each) in awaited]
        self.running = _Running()
        self.take, self.put = _written(self.variables, self.changed, len(graph.outputs))

    def forestalled(self) -> None:
        """Another thread has changed a variable meanwhile."""
        self.turns = _TURNS

    def take_turn(self) -> None:
        """Wait until no other thread has its turn, or for a second."""
        self.turns = max(self.turns - 1, 0)
        _turn.acquire(timeout=_LONGEST_WAIT)

    def end_turn(self) -> None:
        with suppress(RuntimeError):  # it was not got
            _turn.release()

    def look(self) -> None:
        """Code calls this now and then while it runs, if there are variables that loops may wait for."""
        taken = self.running.taken
        if any(self.holds(variable) is not taken[i] for i, variable in self._awaited):
            raise Superseded

    @staticmethod
    def holds(variable: Any) -> Any:
        """What a variable holds now, as `take` gives it."""
        return variable.array


def _written(variables: Sequence[Any], changed: Sequence[Any], count: int) -> tuple[Callable[..., Any], ...]:
    """`Transaction.take` and `Transaction.put`, made for the variables at hand.

    They are written out variable by variable because Python runs such lines without a break: neither a thread nor a
    handler of signals comes between a comparison and a store, or between two stores.
    """
    names = {id(variable): f"v{i}" for i, variable in enumerate(variables)}
    taken = "".join(f"t{i}, " for i in range(len(variables)))
    made = [(names[id(variable)], f"a{i}") for i, variable in enumerate(changed)]
    lines = [
        "def take():",
        f"    return ({''.join(f'{name}.array, ' for name in names.values())})",
        "def put(taken, results):",
        *[f"    {taken}= taken",
          f"    {''.join(f'{array}, ' for _, array in made)}= results[{count}:]",
          "    with lock:",
          f"        if {' and '.join(f'{name}.array is t{name[1:]}' for name, _ in made)}:",
          *[f"            {name}.array = {array}" for name, array in made],
          f"            return results[:{count}]"] * bool(made),
        "    return None" if made else "    return results",
    ]  # fmt: skip
    scope: dict[str, Any] = {"lock": atomic.lock}
    scope.update(zip(names.values(), variables, strict=True))
    exec(compile("\n".join(lines), "<autograph transaction>", "exec"), scope)
    return scope["take"], scope["put"]


class StandIn(threading.local):
    """Stands for a variable in a plan that may be broken off: it has a value of its own for each thread."""

    def __init__(self, variable: Any) -> None:
        self.name, self.dtype, self.static_shape = variable.name, variable.dtype, variable.static_shape
        self.array: Any = None


class StandIns:
    """What stands for the variables of a transaction while a plan runs that may be broken off."""

    def __init__(self, transaction: Transaction) -> None:
        self.of = {id(variable): StandIn(variable) for variable in transaction.variables}
        self._all = list(self.of.values())
        self._changed = [self.of[id(variable)] for variable in transaction.changed]

    def held(self) -> tuple[Any, ...]:
        """What they hold that stand for variables that are changed."""
        return tuple([each.array for each in self._changed])

    @contextmanager
    def holding(self, arrays: Sequence[Any]) -> Iterator[None]:
        """They hold some arrays to begin with; afterwards what they held before, should a handler of signals run."""
        before = [each.array for each in self._all]
        try:
            self._set(arrays)
            yield
        finally:
            self._set(before)

    def _set(self, arrays: Sequence[Any]) -> None:
        for each, array in zip(self._all, arrays, strict=True):
            each.array = array
