"""What an engine is: it runs graphs, whole or in parts, and says beforehand which nodes it can't run.

The rest of the project knows engines by this protocol alone. `partition` finds the parts of a graph that an engine
takes; `region` runs such a part: by its plan until compiling pays (see `costs`), then by the engine's code for the
shapes at hand, and by the plan again where that gives up. `planning` asks the engines in the order in which they were
registered; what none takes runs through NumPy.

To add one: a folder here with a class that has what `Engine` names, and a call of `register`.
"""

from __future__ import annotations

import functools
import importlib.util
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol

from autograph.errors import GraphError
from autograph.packaging import plugins

from ..base.devices import Device
from ..ir.graph import Graph, Node, Type

Entry = Callable[..., Any]
"""Code for exact types. It takes an array for each of `Graph.inputs`, then for each variable of `held.held_in` what
that holds, and has no effects. It gives a tuple: the outputs, then for each variable of `held.changed_in` what that is
to hold. Or it gives None, for arguments of other types; or False, as it gives up: the plan has to run in its place,
perhaps to raise a user's error."""


class NotLowered(Exception):
    """An engine has no code for a graph after all: the node to blame, and the outermost one that it stands in.

    ``ends``: there can be code for a part that ends with the outermost one, and for one that begins behind it.
    """

    def __init__(
        self, reason: str, node: Node | None = None, outermost: Node | None = None, ends: bool = False
    ) -> None:
        super().__init__(reason)
        self.reason, self.node, self.outermost, self.ends = reason, node, outermost, ends


class Engine(Protocol):
    """Runs graphs.

    Attributes
    ----------
    name: of the nodes that stand for parts.
    library: the module that it needs, which the extra of its name brings; "" where it needs none.
    product: what graphs become, in words: "machine code".
    device: where it runs graphs, if that is not where Python is.
    cuts_loops: whether loops and branches that it can't run have parts of their own. Results of code may differ in the
        last digits: an engine that comes in late would change them from one turn to the next.
    most_nodes: a part ends when it has so many nodes, those of sub-graphs included: what is compiled at once holds up
        the program.
    """

    name: str
    library: str
    product: str
    most_nodes: int
    cuts_loops: bool
    device: Device | None

    def is_wanted(self) -> bool:
        """Whether graphs are given to it without being asked for. It may not load anything for that."""

    def missing(self) -> str | None:
        """Why it can't run on this machine at all, in words a user can read."""

    def obstacle(self, node: Node) -> str | None:
        """Why it can't run a node, in words a user can read.

        The nodes in the graphs that a ``cond`` or ``while`` holds are asked for by themselves, but for those that
        always raise (`Graph.never_returns`): a plan makes the error with its text (see `raising`). Nodes
        with effects, but on variables and errors, are in the way: a plan that has run half of a part is broken off
        when compiling pays.
        """

    def pays(self, nodes: Sequence[Node]) -> bool:
        """Whether code of these nodes alone saves more than a call of it costs."""

    def work_of_compiling(self, nodes: Iterable[Node]) -> int:
        """The work of compiling nodes, in the units of `costs`; those in sub-graphs count where they are among them."""

    def compile(self, graph: Graph, types: Sequence[Type], look: Callable[[], None] | None = None) -> Entry | None:
        """Code for exact types, of the inputs and of the variables; None: the plan raises for all of these types.

        ``look``: to be called now and then by loops that may wait for a variable to change.
        Raises `NotLowered` where there can be no code.
        """


@functools.cache
def is_installed(library: str) -> bool:
    """Whether a module is there, which takes long to load, and may not work. It is not loaded for that."""
    try:
        return not library or importlib.util.find_spec(library) is not None
    except ValueError:  # a module without a specification stands in its place
        return False


ENGINES: dict[str, Engine] = {}
"""All engines by name, in the order in which they are asked."""


def register(engine: Engine) -> None:
    """Put an engine behind the others. Raises `GraphError` when the name is taken."""
    if engine.name in ENGINES:
        raise GraphError(f"there already is an engine {engine.name!r}")
    ENGINES[engine.name] = engine


# Those of other packages

_HAS = "name library product most_nodes cuts_loops device is_wanted missing obstacle pays work_of_compiling compile"


def plugged(name: str) -> Engine | None:
    """The engine that a package offers under a name; None where there is none. Raises `PluginError`."""
    found = plugins.load(plugins.ENGINES, name)
    if found is None:
        return None
    try:
        engine: Engine = found() if isinstance(found, type) else found
    except Exception as error:
        raise plugins.unfit(plugins.ENGINES, name, f"{type(error).__name__}: {error}") from error
    missing = [each for each in _HAS.split() if not hasattr(engine, each)]
    if missing:
        raise plugins.unfit(plugins.ENGINES, name, f"it has no {', '.join(missing)}")
    if engine.name != name:
        raise plugins.unfit(plugins.ENGINES, name, f"its name is {engine.name!r}")
    register(engine)
    return engine


def known() -> list[str]:
    """The names of all engines that there are."""
    return sorted({*ENGINES, *plugins.offered(plugins.ENGINES)})
