"""What a library is asked for whose tracers run a function, and whose operators take the branches and loops of it."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from typing import Any, ClassVar, TypeAlias

from ..staging.heap.snapshots import Snapshot

Type: TypeAlias = Any
"""The type of an array, as a library has it: shape, dtype, and whether it stands for a number of Python's."""
Array: TypeAlias = Any
Arrays: TypeAlias = list[Any]
State: TypeAlias = Any
"""Arrays, and tuples and lists of such states."""


class Local(threading.local):
    """What a thread traces: how many calls and bodies are open, and what must not change any more."""

    def __init__(self) -> None:
        self.calls = 0
        self.bodies = 0
        self.uncertain: dict[int, Any] = {}
        self.sealed: dict[int, tuple[Snapshot, dict[str, Any]]] = {}


class Traced(ABC):
    """A body that has been run once, for arrays of some types; its trace is over."""

    types: list[Type]
    """The types of the arrays that it leaves."""

    @abstractmethod
    def run(self, inputs: Iterable[Any]) -> Arrays:
        """Puts what the body computes into the trace at hand; returns its arrays."""

    @abstractmethod
    def is_older(self, leaf: object) -> bool:
        """Whether an array or a number in what the body leaves is there without it."""

    @abstractmethod
    def has_effects(self) -> bool:
        """Whether it does something but compute."""

    @abstractmethod
    def is_cheap(self) -> bool:
        """Whether it may run where Python doesn't run it: it does nothing but compute, and soon ends."""


class Library(ABC):
    """One library. ``name`` is said in errors; ``pad`` and ``cast`` are what to do where shapes or dtypes differ."""

    name: ClassVar[str]
    pad: ClassVar[str]
    cast: ClassVar[str]

    def __init__(self) -> None:
        self.local = Local()

    # Values.

    @abstractmethod
    def is_array(self, value: object) -> bool:
        """Whether a value is an array of the library's."""

    @abstractmethod
    def is_leaf(self, value: object) -> bool:
        """Whether a value is an array, or a number, that a branch or a loop can compute."""

    @abstractmethod
    def flattened(self, value: object) -> tuple[list[Any], Any] | None:
        """The parts of a container that is registered with the library, and what makes one of others."""

    @abstractmethod
    def concrete(self, value: Array) -> bool | None:
        """The truth of a value that is known while tracing, else None."""

    @abstractmethod
    def truth(self, value: Array) -> Array:
        """What a value is as a condition: a scalar bool array."""

    @abstractmethod
    def as_array(self, value: object) -> Any:
        """A number, or an array, as an array."""

    @abstractmethod
    def negated(self, value: Array) -> Array:
        """The contrary of a scalar bool array."""

    def decision(self, test: Array, is_true: bool) -> Array:
        """What is True where a condition holds, and False elsewhere, or the contrary."""
        return test if is_true else self.negated(test)

    @abstractmethod
    def both(self, one: Array, other: Array) -> Array:
        """Whether two scalar bool arrays hold."""

    @abstractmethod
    def either(self, one: Array, other: Array) -> Array:
        """Whether one of two scalar bool arrays holds."""

    @abstractmethod
    def is_bool(self, kind: Type) -> bool:
        """Whether a type is that of bools, and scalar bool arrays."""

    # Types.

    @abstractmethod
    def type_of(self, leaf: Array) -> Type:
        """The type of an array or a number."""

    @abstractmethod
    def is_same_type(self, one: Type, other: Type) -> bool:
        """Whether two types are one."""

    @abstractmethod
    def shape(self, kind: Type) -> tuple[Any, ...]:
        """The shape of the arrays of a type."""

    @abstractmethod
    def joined(self, one: Type, other: Type) -> Type | tuple[str, str]:
        """The type of what is of one type or the other, of the same shape; if there is none, what the two are."""

    @abstractmethod
    def can_hold(self, number: int, kind: Type) -> bool:
        """Whether an array of a type can have a whole number as its value."""

    @abstractmethod
    def described_type(self, kind: Type) -> str:
        """The dtype of arrays of a type, for a person."""

    @abstractmethod
    def as_type(self, value: Array, kind: Type) -> Any:
        """An array, or a number, as an array of a type that it promotes to."""

    @abstractmethod
    def zeros(self, kind: Type) -> Any:
        """An array, or a number, of a type that nobody looks at."""

    @abstractmethod
    def index_type(self, like: object) -> Type:
        """The type of the number of a turn, for a range of so many turns."""

    @abstractmethod
    def first_turn(self, like: Array) -> Any:
        """The number of the first turn, for a range of so many turns, of which only the run knows how many."""

    @abstractmethod
    def item_type(self, values: Array) -> Type:
        """The type of the items of an array."""

    # Tracing, and the library's operators. A state is a tuple or list of arrays and such states.

    @abstractmethod
    def trace(self, function: Callable[..., Arrays], types: Iterable[Type]) -> Traced:
        """Runs a function once, with arrays of some types."""

    @abstractmethod
    def cond(self, test: Array, body: Callable[[], Any], orelse: Callable[[], Any]) -> Any:
        """What one of two functions returns."""

    @abstractmethod
    def while_loop(self, condition: Callable[[Any], Any], turn: Callable[[Any], Any], state: State) -> Any:
        """The state after a loop."""

    @abstractmethod
    def counted_loop(self, turns: Array, turn: Callable[[Any, Any], Any], state: State) -> Any:
        """The state after so many turns; a turn gets its number, from 0 on, and the state."""

    @abstractmethod
    def loop_over(self, values: Array, turn: Callable[[Any, Any], Any], state: State) -> Any:
        """The state after a turn for each item of an array; a turn gets the state and the item."""
