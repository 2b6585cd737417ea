"""Which stores may write into the array that they are given, because nobody will ever look at it again.

``set_item`` and its like give a changed copy. The copy is saved where the array was made by this very graph, and no
value that may share memory with it is used afterwards. A variable of a loop is copied once, before the loop, when
the stores in the body can then go without copies.

Arrays are told apart by the `Root` that they may share memory with. Every value has a set of roots; a root knows the
values that hold it and are still needed. An array may be changed when all its roots are owned and nobody else holds
them; what comes out of the change has a root of its own. For the variables of a loop that is proved by induction: the
body starts with one root for each, and has to end with arrays that are owned and apart from each other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence, Set
from typing import NamedTuple

from ...base.dtypes import variant
from ...ir import records
from ...ir.effects import LOOKS_AT_INPUTS
from ...ir.graph import Graph, Node, Value
from ...ir.primitive import CONSTANT, PLACEHOLDER, Cond, While

# Values that may share memory with more roots than this lose all of them: nothing is known of them any more.
_MANY = 12


class Root:
    """Memory that one or several values may share."""

    __slots__ = ("escaped", "holders", "owned")

    def __init__(self, owned: bool) -> None:
        self.owned = owned
        self.escaped = False
        self.holders: set[Value] = set()


Roots = frozenset[Root]
_NONE: Roots = frozenset()
_OUTSIDE: Roots = frozenset([Root(False)])


class Ownership:
    """The decisions for one graph.

    Attributes
    ----------
    in_place: nodes that store into their first input.
    views: nodes that give a view, of which a copy is made, so that a store into what they view can go without one.
    copied: loops, and the indices of their variables that are copied at the start.
    """

    def __init__(self) -> None:
        self.in_place: set[Node] = set()
        self.views: set[Node] = set()
        self.copied: dict[Node, set[int]] = {}

    def update(self, other: Ownership) -> None:
        self.in_place |= other.in_place
        self.views |= other.views
        for node, slots in other.copied.items():
            self.copied.setdefault(node, set()).update(slots)


class _Loop(NamedTuple):
    """What a ``while`` node does to its inputs; slots and operands are counted as the node's inputs."""

    owned: frozenset[int]
    escaped: frozenset[int]
    shared: dict[int, tuple[frozenset[int], bool]]
    """For a slot that isn't owned: the inputs its result may share memory with, and whether all else is owned."""


def ownership(graph: Graph, kept: Set[Node], live: Set[Value]) -> Ownership:
    """Decide for a graph whose nodes in ``kept`` run and whose values in ``live`` are needed."""
    analysis = _Analysis(kept, live)
    if analysis.stores(graph):
        block = _Block(analysis)
        for value in graph.inputs:
            block.roots[value] = _OUTSIDE
        block.run(graph, graph.outputs)
        analysis.result.update(block.decided)
    return analysis.result


def gives_fresh(graph: Graph) -> bool:
    """Whether a plan's results share memory neither with each other nor with inputs, constants and variables."""
    nodes = set(graph.walk())
    block = _Block(_Analysis(nodes, {value for node in nodes for value in (*node.inputs, *node.outputs)}))
    for value in graph.inputs:
        block.roots[value] = _OUTSIDE
    found = block.run(graph, graph.outputs)
    roots = [root for value, each in zip(graph.outputs, found, strict=True) if _holds_memory(value) for root in each]
    return len(set(roots)) == len(roots) and all(root.owned for root in roots)


class _Analysis:
    """What all blocks of one graph share."""

    def __init__(self, kept: Set[Node], live: Set[Value]) -> None:
        self.kept = kept
        self.live = live
        self.result = Ownership()
        self._stores: dict[Graph, bool] = {}
        self._loops: dict[Node, _Loop] = {}

    def stores(self, graph: Graph) -> bool:
        """Whether the graph, or a loop or branch in it, stores into an array."""
        found = self._stores.get(graph)
        if found is None:
            kept = self.kept
            found = any(
                node.op.in_place is not None
                or (isinstance(node, Cond | While) and any(map(self.stores, node.subgraphs)))
                for node in graph.nodes
                if node in kept
            )
            self._stores[graph] = found
        return found

    def loop(self, node: While) -> _Loop:
        """The summary of a loop, which does not depend on where it stands."""
        found = self._loops.get(node)
        if found is None:
            found = self._loops[node] = self._summary(node)
        return found

    def _summary(self, node: While) -> _Loop:
        """Assume that all slots are owned; drop those for which a turn of the body breaks that, and try again."""
        owned: frozenset[int] = frozenset()
        if self.stores(node.body):
            owned = frozenset(k for k, value in enumerate(node.body.parameters) if _holds_memory(value))
        while True:
            turn = _Turn(self, node, owned)
            sound = turn.sound()
            needed = turn.with_sources(turn.used & sound)
            if turn.used <= sound:
                self.result.update(turn.decided)
                shared = {k: turn.shared(k) for k in turn.slots if k not in needed}
                return _Loop(needed, turn.escaped(), shared)
            owned = needed


class _Block:
    """One walk over the nodes of a graph, branches included, in the order in which they run."""

    def __init__(self, analysis: _Analysis) -> None:
        self.analysis = analysis
        self.roots: dict[Value, Roots] = {}
        self.decided = Ownership()
        self._last: dict[Value, Node] = {}
        self._position: dict[Node, int] = {}
        self.relied: set[Root] = set()
        """The roots whose ownership the decisions rest on."""

    def run(self, graph: Graph, results: Sequence[Value]) -> list[Roots]:
        """Walk over a graph whose inputs have roots already; return the roots of the results."""
        kept = self.analysis.kept
        nodes = [node for node in graph.nodes if node in kept]
        live = self.analysis.live  # branches and loops may have operands that none of their nodes needs
        last: dict[Value, Node] = {value: node for node in nodes for value in node.inputs if value in live}
        for value in results:
            last.pop(value, None)
        self._last.update(last)
        self._position.update(zip(nodes, range(len(nodes)), strict=True))
        dying: dict[Node, list[Value]] = {}
        for value, node in last.items():
            dying.setdefault(node, []).append(value)
        stay = set(results)
        for value in graph.inputs:
            if value in last or value in stay:
                self._hold(value)
        for node in nodes:
            if node.op in (CONSTANT, PLACEHOLDER):
                continue
            self._node(node, dying.get(node, ()))
            for value in node.outputs:
                if value in last or value in stay:
                    self._hold(value)
        found = [self._of(value) for value in results]
        for value in stay:
            self._drop(value)
        return found

    def _of(self, value: Value) -> Roots:
        if value.node.op is CONSTANT:
            return _OUTSIDE
        return self.roots.get(value, _NONE)  # values that nothing needs have none

    def _hold(self, value: Value) -> None:
        for root in self.roots[value]:
            if root.owned:
                root.holders.add(value)

    def _drop(self, value: Value) -> None:
        for root in self.roots.get(value, _NONE):
            root.holders.discard(value)

    def _node(self, node: Node, dying: Iterable[Value]) -> None:
        """Give the outputs their roots, and release the values that nobody needs after the node."""
        for value in dying:
            self._drop(value)
        op = node.op
        if op.in_place is not None:
            if self._may_consume(node.inputs[0], self._uses(node)):
                self.relied |= self.roots[node.inputs[0]]
                self.decided.in_place.add(node)
            self.roots[node.outputs[0]] = _fresh()
        elif _is_fresh(node):
            for value in node.outputs:
                self.roots[value] = _fresh()
        elif isinstance(node, Cond):
            self._cond(node)
        elif isinstance(node, While):
            self._while(node)
        elif node.effect and not (op.effect and op.effects in LOOKS_AT_INPUTS):
            for value in node.inputs:  # whoever sees the array may keep it
                self._escape(self._of(value))
            self.roots.update(dict.fromkeys(node.outputs, _OUTSIDE))
        elif op is records.identity:
            self.roots[node.outputs[0]] = self._of(node.inputs[0])
        elif op is records.get_item and self._outlives_a_store(node):
            self.decided.views.add(node)
            self.roots[node.outputs[0]] = _fresh()
        else:
            joined = self._joined([_OUTSIDE, *map(self._of, node.inputs)])
            self.roots.update(dict.fromkeys(node.outputs, joined))

    def _uses(self, node: Node) -> Counter[Root]:
        """How many inputs of a node may share each root."""
        return Counter(root for value in node.inputs for root in self._of(value))

    def _may_consume(self, value: Value, uses: Counter[Root]) -> bool:
        """Whether the array of an input may be changed, after the values that die at the node were dropped."""
        roots = self._of(value)
        if not roots or not _holds_memory(value):
            return False
        return all(root.owned and not root.holders and uses[root] == 1 for root in roots)

    def _outlives_a_store(self, node: Node) -> bool:
        """Whether a view is needed at, or after, a store into the array that dies there."""
        store = self._last.get(node.inputs[0])
        if store is None or store.op.in_place is None or store.inputs[0] is not node.inputs[0]:
            return False
        last = self._last.get(node.outputs[0])
        return last is None or self._position[last] >= self._position[store]

    def _cond(self, node: Cond) -> None:
        wanted = [i for i, value in enumerate(node.outputs) if value in self.analysis.live]
        found: list[list[Roots]] = []
        for region in node.regions:
            branch = region.graph
            self.roots.update([(inner, self._of(operand)) for operand, inner in region.pairs])
            results = self.run(branch, [] if branch.never_returns else [branch.outputs[i] for i in wanted])
            found.append(results or [_NONE] * len(wanted))
        for i, *roots in zip(wanted, *found, strict=True):
            self.roots[node.outputs[i]] = self._joined(roots)
        for value in node.outputs:
            self.roots.setdefault(value, _NONE)

    def _while(self, node: While) -> None:
        loop = self.analysis.loop(node)
        for i in loop.escaped:
            self._escape(self._of(node.inputs[i]))
        uses = self._uses(node)
        for k in loop.owned:
            if self._may_consume(node.inputs[k], uses):
                self.relied |= self._of(node.inputs[k])
            else:
                self.decided.copied.setdefault(node, set()).add(k)
            self.roots[node.outputs[k]] = _fresh()
        for k, (sources, rest_owned) in loop.shared.items():
            rest = _fresh() if rest_owned else _OUTSIDE
            self.roots[node.outputs[k]] = self._joined([rest, *[self._of(node.inputs[i]) for i in sources]])

    def _joined(self, parts: Sequence[Roots]) -> Roots:
        joined = _NONE.union(*parts)
        if len(joined) <= _MANY:
            return joined
        self._escape(joined)
        return _OUTSIDE

    def _escape(self, roots: Roots) -> None:
        for root in roots:
            root.owned, root.escaped = False, True


class _Turn(_Block):
    """One turn of a loop, of whose slots some are taken to be owned."""

    def __init__(self, analysis: _Analysis, node: While, owned: Set[int]) -> None:
        super().__init__(analysis)
        self.slots = range(node.count)
        self._seen = [Root(False) for _ in node.inputs]
        self._given = [Root(i in owned) for i in range(len(node.inputs))]
        self._index = {root: i for i, root in enumerate(self._given)}
        self._walk(node.test, self._seen)
        self._results = self._walk(node.body, self._given)
        self._count = Counter(root for roots in self._results for root in roots)

    def _walk(self, graph: Graph, given: Sequence[Root]) -> list[Roots]:
        self.roots.update((value, frozenset([root])) for value, root in zip(graph.inputs, given, strict=True))
        return self.run(graph, [] if graph.never_returns else graph.outputs)

    @property
    def used(self) -> frozenset[int]:
        """The slots whose ownership was relied on."""
        return frozenset(self._index[root] for root in self.relied if root in self._index)

    def escaped(self) -> frozenset[int]:
        """The inputs of the loop that something outside may keep."""
        pairs = enumerate(zip(self._seen, self._given, strict=True))
        return frozenset(i for i, (seen, given) in pairs if seen.escaped or given.escaped)

    def sound(self) -> frozenset[int]:
        """The slots that hold owned arrays, apart from all others, after the turn if they all did before."""
        if not self._results:
            return frozenset(self.slots)
        sound = {k for k in self.slots if all(r.owned and self._count[r] == 1 for r in self._results[k])}
        while True:
            broken = {k for k in sound if not self._direct(k) <= sound}
            if not broken:
                return frozenset(sound)
            sound -= broken

    def _direct(self, slot: int) -> set[int]:
        """The inputs whose memory a slot may hold after the turn."""
        return {self._index[root] for root in self._results[slot] if root in self._index} if self._results else set()

    def with_sources(self, slots: Set[int]) -> frozenset[int]:
        """Slots and those whose arrays they take over, in any number of turns."""
        found, waiting = set(slots), list(slots)
        while waiting:
            i = waiting.pop()
            fresh = self._direct(i) - found if i in self.slots else set()
            found |= fresh
            waiting += fresh
        return frozenset(found)

    def shared(self, slot: int) -> tuple[frozenset[int], bool]:
        """The inputs whose memory a slot may hold after the loop, and whether all else in it is owned and apart."""
        sources = self.with_sources({slot})
        rest = [r for i in sources if i in self.slots and self._results for r in self._results[i]]
        return sources, all(self._apart(root) for root in rest)

    def _apart(self, root: Root) -> bool:
        """Whether a root of one result is in no other; what operands share is told by their own roots."""
        i = self._index.get(root)
        return (root.owned if i is None else i not in self.slots) or (i is not None and self._count[root] == 1)


def _fresh() -> Roots:
    return frozenset([Root(True)])


def _is_fresh(node: Node) -> bool:
    return node.op.is_fresh([value.type for value in node.inputs], node.attributes)


def _holds_memory(value: Value) -> bool:
    """Whether a value can be an array with elements to store into."""
    return value.type.shape != () and value.type.dtype is not variant
