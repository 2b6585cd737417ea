"""One body of a staged statement, run once, with what it changed found and put back."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from autograph.errors import MutationError

from ..exceptions import refuse_in_try
from ..staging.control.errors import keywords_of
from ..staging.control.refused import is_refusal
from ..staging.heap.locations import Attribute, Cell, Contents, Global, Location, where
from ..staging.heap.refusals import known_as
from ..staging.heap.state import Journal
from ..variables import UNDEFINED
from . import tracing
from .library import Library, Traced, Type
from .structure import leaves_of

Key = tuple[Any, ...]


class Outcome:
    """What a body has computed and changed. Its arrays are those of its own trace, which is over."""

    def __init__(self, library: Library, journal: Journal) -> None:
        self._library = library
        self.journal = journal
        self._place = where()
        self.result: Any = None
        self.changes: dict[Key, tuple[Location, Any]] = {}
        self._leaves: list[Any] = []
        self._numbers: dict[int, int] = {}
        self.traced: Traced

    def close(self, result: object) -> list[Any]:
        """Called when the body is done; returns the arrays and numbers in what it leaves."""
        self.result = result
        changes = self.journal.changes()
        for place, _, new in changes.values():
            if not isinstance(place, Cell):
                raise _refused(self._library, place, self.journal, self._place)
            self.changes[place.key] = place, new
        self.journal.undo()
        values = (result, *(new for _, new in self.changes.values() if new is not UNDEFINED))
        for leaf in leaves_of(self._library, values):
            if id(leaf) not in self._numbers:
                self._numbers[id(leaf)] = len(self._leaves)
                self._leaves.append(leaf)
        return self._leaves

    def type_of(self, leaf: object) -> Type:
        """The type of an array or a number in what the body leaves, or of one that is older."""
        number = self._numbers.get(id(leaf))
        return self._library.type_of(leaf) if number is None else self.traced.types[number]

    def value_of(self, place: Location) -> Any:
        """What a place holds after the body."""
        found = self.changes.get(place.key)
        return place.get() if found is None else found[1]

    def run(self, inputs: Iterable[Any] = ()) -> Callable[[Any], Any]:
        """Puts what the body computes into the trace at hand; returns what gives an array for one of its leaves."""
        arrays = self.traced.run(inputs)

        def found(leaf: object) -> Any:
            number = self._numbers.get(id(leaf))
            return leaf if number is None else arrays[number]

        return found

    def is_older(self, leaf: object) -> bool:
        """Whether an array or a number in what the body leaves is there without it."""
        return self.traced.is_older(leaf)

    def is_new(self, obj: object) -> bool:
        """Whether the body has made an object: nothing else can have it afterwards."""
        return self.journal.is_created(obj)


def trace_body(
    library: Library, run: Callable[..., Any], bodies: tuple[Callable[..., Any], ...], names: tuple[str, ...],
    types: Iterable[Type] = (),
) -> Outcome:  # fmt: skip
    """Runs something that calls the user's bodies, with arrays of some types; all that it has changed is put back.

    Raises:
        MutationError: it changes something other than variables.
    """
    outcome = Outcome(library, Journal(bodies, names))

    def traced(*inputs: Any) -> list[Any]:
        with tracing.body(library), outcome.journal:
            try:
                return outcome.close(run(*inputs))
            except Exception as error:
                if not is_refusal(error):  # Python would raise it only where the body is run
                    refuse_in_try(error)
                raise

    outcome.traced = library.trace(traced, types)
    tracing.check_sealed(library)
    return outcome


def _refused(library: Library, place: Location, journal: Journal, statement: dict[str, Any]) -> MutationError:
    """The error for what a body changes that is no variable."""
    owner = place.owner
    kind = type(owner).__name__
    name = known_as(owner, journal.bodies) or place.label
    what, remedy = f"an object of class {kind}, `{name}`,", "make a new object, and give it to a variable"
    if isinstance(place, Global):
        what, remedy = f"the global variable `{place.name}`", "use a variable of the function, and return it"
    elif isinstance(place, Attribute):
        what = f"the attribute `{place.label}`"
        remedy = "have the value in a variable, and set the attribute after the branch or loop"
    elif isinstance(place, Contents):
        what = f"the {kind} `{name}`"
        remedy = f"make a new {kind}, and give it to the variable: " + (
            "x = [*x, value]" if isinstance(owner, list) else "x = {**x, key: value}"
        )
    at = journal.announced_at(owner)
    return MutationError(
        f"{what} is changed in a branch or loop that {library.name} stages, in which only variables can change",
        **(statement if at is None else keywords_of(at.location)),
        construct=place.label,
        remedy=remedy,
    )
