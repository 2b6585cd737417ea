"""Objects of which staged conditions have chosen one: what each may be, and which of them are out of date.

Where branches merge, an object is made of what one of two holds: in Python it *is* one of the two. Such an object, a
*choice*, is known by its roots: the objects that hold something of their own, each with the decision under which it is
the one. A choice of choices has the roots of both; one that may be an object that a branch has made is a root itself,
of others too that may be that object.

A root has a version, which grows with each change, and a choice knows the versions that it has seen. One that is used
and has not seen the last is made to hold what the root does, where it is the root. A change of a choice is one of its
roots, which get it when they are used. So each use and each change takes as long as there are roots.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from .. import asked
from . import decisions
from .array_memory import memory_of
from .decisions import Decision, and_, within
from .forms import original


class Root:
    """An object that choices may be."""

    __slots__ = ("choices", "obj", "pending", "version")

    def __init__(self, obj: object) -> None:
        self.obj = obj
        self.version = 0
        self.pending: Choice | None = None
        """The choice that has been changed since this has."""
        self.choices: dict[int, Choice] = {}


class Choice:
    """An object that is one of some roots, or new."""

    __slots__ = ("obj", "roots", "seen")

    def __init__(self, obj: object) -> None:
        self.obj = obj
        self.roots: dict[int, tuple[Root, Decision]] = {}
        self.seen: dict[int, int] = {}

    def is_current(self, root: Root) -> bool:
        return root.obj is self.obj or self.seen[id(root.obj)] == root.version


_Old = tuple[Any, int | None, Any]


class Changes:
    """What a staged body has done to versions, which is undone at its end: by root, or choice and root."""

    def __init__(self) -> None:
        self.log: list[_Old] = []
        self.made: list[Choice] = []
        self.after: dict[tuple[int, int | None], Any] = {}

    def undo(self) -> None:
        for record, root, _ in self.log:
            self.after[id(record), root] = record.seen[root] if root is not None else record.version
        for record, root, old in reversed(self.log):
            if root is not None:
                record.seen[root] = old
            else:
                record.version, record.pending = old

    def version(self, root: Root) -> int:
        """That of a root at the end of the body."""
        return int(self.after.get((id(root), None), root.version))

    def is_current(self, choice: Choice, root: Root) -> bool:
        key = id(root.obj)
        if root.obj is choice.obj:
            return True
        return bool(self.after.get((id(choice), key), choice.seen[key]) == self.version(root))


class _Local(threading.local):
    def __init__(self) -> None:
        self.roots: dict[int, Root] = {}
        self.choices: dict[int, Choice] = {}
        self.open: list[Changes] = []
        self.clock = 0
        self.settling = False


_local = _Local()


def forget() -> None:
    """Called when a trace ends."""
    _local.__init__()  # type: ignore[misc]


def any_known() -> bool:
    """Whether there are choices."""
    return bool(_local.choices)


def choice_of(obj: object) -> Choice | None:
    return _local.choices.get(id(memory_of(original(obj))))


def is_known(obj: object) -> bool:
    """Whether an object is a choice, or what choices may be."""
    return id(obj) in _local.choices or id(obj) in _local.roots


def is_settling() -> bool:
    """Whether an object is being brought up to date."""
    return _local.settling


@contextmanager
def as_they_are() -> Iterator[None]:
    """Objects that are read meanwhile are not brought up to date."""
    before, _local.settling = _local.settling, True
    try:
        yield
    finally:
        _local.settling = before


def open_changes() -> Changes:
    """Begins to note the changes of a staged body."""
    made = Changes()
    _local.open.append(made)
    return made


def close_changes(changes: Changes) -> None:
    """Ends that, and undoes them."""
    _local.open.remove(changes)
    changes.undo()


def _set_version(root: Root, version: int, pending: Choice | None) -> None:
    if _local.open:
        _local.open[-1].log.append((root, None, (root.version, root.pending)))
    root.version, root.pending = version, pending


def _set_seen(choice: Choice, root: Root, version: int) -> None:
    key = id(root.obj)
    if _local.open and choice.seen.get(key) != version:
        _local.open[-1].log.append((choice, key, choice.seen[key]))
    choice.seen[key] = version


def _tick() -> int:
    _local.clock += 1
    return _local.clock


def use(obj: object, here: Decision) -> None:
    """Brings an object up to date."""
    choice = _local.choices.get(id(obj))
    if choice is None:
        root = _local.roots.get(id(obj))
        if root is not None:
            _settle(root, here)
        return
    for root, when in list(choice.roots.values()):
        truth = within(when, here)
        if truth is not False:
            if root.pending is not choice:  # else it may be about to change
                _settle(root, here)
            if not choice.is_current(root):
                _assign(truth, choice.obj, root.obj)
                _set_seen(choice, root, root.version)


def _settle(root: Root, here: Decision) -> None:
    """Gives a root what has been done to a choice."""
    choice = root.pending
    if choice is not None:
        truth = within(choice.roots[id(root.obj)][1], here)
        if truth is not False:
            _assign(truth, root.obj, choice.obj)
            _set_version(root, root.version, None)


def _assign(truth: Decision, target: object, source: object) -> None:
    backend = asked.ACTIVE.function()
    assert backend is not None
    with as_they_are():
        backend.assign_where(truth, target, source)


def change(obj: object, here: Decision) -> None:
    """Notes that an object, which is up to date, is about to be changed."""
    choice = _local.choices.get(id(obj))
    if choice is None:
        renew(obj)
        return
    for root, when in choice.roots.values():
        if and_(when, here) is not False:
            _set_version(root, _tick(), None if root.obj is obj else choice)
            _set_seen(choice, root, root.version)


def renew(obj: object) -> None:
    """Notes that an object holds something else."""
    root = _local.roots.get(id(obj))
    if root is not None:
        _set_version(root, _tick(), root.pending)


def settle(here: Decision) -> None:
    """Gives all roots what has been done to choices."""
    for root in list(_local.roots.values()):
        _settle(root, here)


def update(here: Decision, is_available: Callable[[Decision], bool], objects: list[Any] | None) -> None:
    """Brings the choices up to date that are among some objects, or all; but for those of a branch that is over."""
    found = _local.choices.values() if objects is None else map(_local.choices.get, map(id, objects))
    for choice in [each for each in found if each is not None]:
        if all(is_available(when) for _, when in choice.roots.values()):
            use(choice.obj, here)


def put_out_of_date() -> list[Any]:
    """The choices that the innermost staged body has put out of date, by changing what they may be."""
    changed = [record for record, root, _ in _local.open[-1].log if root is None] if _local.open else []
    found = {id(each): each.obj for root in changed for each in root.choices.values() if not each.is_current(root)}
    return list(found.values())


def family(obj: object) -> Iterator[tuple[Any, Decision]]:
    """The objects that an object may be, itself among them, with the decisions."""
    yield obj, True
    choice = _local.choices.get(id(obj))
    if choice is None:
        root = _local.roots.get(id(obj))
        for each in list(root.choices.values()) if root is not None else ():
            yield each.obj, each.roots[id(obj)][1]
        return
    for root, when in list(choice.roots.values()):
        if root.obj is not obj:
            yield root.obj, when
        for each in list(root.choices.values()):
            if each is not choice:
                yield each.obj, and_(when, each.roots[id(root.obj)][1])


def is_current(one: object, other: object) -> bool:
    """Whether an object has seen the changes of another one of its family."""
    choice, root = _local.choices.get(id(one)), _local.roots.get(id(other))
    return choice is None or root is None or id(other) not in choice.roots or choice.is_current(root)


def same(one: object, other: object) -> Decision:
    """Where two objects are one."""
    mine, others = (_known_roots(each) for each in (one, other))
    found: Decision = False
    for key, when in mine.items():
        found = decisions.or_(found, and_(when, others.get(key, False)))
    return found


def _known_roots(obj: object) -> dict[int, Decision]:
    choice = _local.choices.get(id(obj))
    return {id(obj): True} if choice is None else {key: when for key, (_, when) in choice.roots.items()}


class Alternative(NamedTuple):
    """What a merged object is after one of the branches."""

    merged: Any
    obj: Any


class Branch(NamedTuple):
    """What a branch has left."""

    truth: Decision
    changes: Changes
    alternatives: list[Alternative]
    new: dict[int, Any]
    """The objects that it has made, by identity, of which merged ones have the contents."""


def merge_versions(bodies: list[Changes]) -> None:
    """Notes after branches which objects one of them has changed, and which choices are out of date in one."""
    roots = {id(record): record for body in bodies for record, root, _ in body.log if root is None}
    for root in roots.values():
        if any(body.version(root) != root.version for body in bodies):
            version = _tick()
            for choice in root.choices.values():
                if id(choice) in _made(bodies):
                    continue
                is_current = all(body.is_current(choice, root) for body in bodies)
                _set_seen(choice, root, version if is_current else -1)
            _set_version(root, version, root.pending)
    for body in bodies:
        for record, key, _ in body.log:
            if key is not None and id(record) not in _made(bodies) and key in record.roots:
                root = record.roots[key][0]
                if id(root) not in roots and all(each.is_current(record, root) for each in bodies):
                    _set_seen(record, root, root.version)


def _made(bodies: list[Changes]) -> set[int]:
    return {id(each) for body in bodies for each in body.made}


class Merged(NamedTuple):
    """What merged objects are in the place of, and which others they may be without the graph's knowledge."""

    stands: dict[int, list[tuple[Any, Decision]]]
    """By identity of an object that a branch has made: those that are in its place, with the decisions."""
    unknown: list[tuple[Any, Any, Decision]]


def merge(branches: list[Branch], is_available: Callable[[Decision], bool]) -> Merged:
    """Notes what merged objects may be."""
    found: dict[int, Choice] = {}
    stale: set[tuple[int, int]] = set()
    merged = Merged({}, [])
    for branch in branches:
        for made, obj in branch.alternatives:
            if made is obj:
                continue
            choice = found.setdefault(id(made), Choice(made))
            for root, when, is_fresh in _roots(obj, branch, is_available, merged):
                key = id(root.obj)
                known = choice.roots.get(key, (root, False))[1]
                choice.roots[key] = root, decisions.or_(known, and_(branch.truth, when))
                if not is_fresh:
                    stale.add((id(made), key))
    new = {key: obj for branch in branches for key, obj in branch.new.items()}
    remove([choice for branch in branches for choice in branch.changes.made])
    for key in new:
        _local.roots.pop(key, None)
    users: dict[int, list[Choice]] = {}
    for choice in found.values():
        for key in choice.roots:
            users.setdefault(key, []).append(choice)
    for key, choices in users.items():
        if key in new:
            merged.stands[key] = _owners(key, choices)
    for choice in found.values():
        if choice.roots.keys() - {id(choice.obj)}:
            _add(choice, stale)
    return merged


def _roots(
    obj: object, branch: Branch, is_available: Callable[[Decision], bool], merged: Merged
) -> Iterator[tuple[Root, Decision, bool]]:
    """The roots of an object after a branch, and whether it is up to date with each."""
    choice = _local.choices.get(id(obj))
    if choice is None:
        yield _local.roots.get(id(obj)) or Root(obj), True, True
    elif all(is_available(when) for _, when in choice.roots.values()):
        for root, when in choice.roots.values():
            yield root, when, branch.changes.is_current(choice, root)
    else:  # by a condition in the branch
        yield Root(obj), True, True
        merged.unknown.extend((obj, root.obj, branch.truth) for root, _ in choice.roots.values())


def _owners(key: int, users: list[Choice]) -> list[tuple[Any, Decision]]:
    """The merged objects that are in the place of one that a branch has made, which is gone: the first where it is."""
    owners: list[tuple[Any, Decision]] = []
    rest: Decision = True
    for choice in users:
        when = choice.roots.pop(key)[1]
        own = and_(when, rest)
        if own is not False:
            owners.append((choice.obj, own))
            rest = and_(rest, decisions.not_(own))
        for owner, part in owners:
            both = and_(when, part)
            if both is not False:
                root, known = choice.roots.get(id(owner), (Root(owner), False))
                choice.roots[id(owner)] = root, decisions.or_(known, both)
    return owners


def _add(choice: Choice, stale: set[tuple[int, int]]) -> None:
    _local.choices[id(choice.obj)] = choice
    for body in _local.open[-1:]:
        body.made.append(choice)
    for key, (root, when) in list(choice.roots.items()):
        root = _local.roots.setdefault(key, root)
        choice.roots[key] = root, when
        root.choices[id(choice)] = choice
        choice.seen[key] = -1 if (id(choice.obj), key) in stale else root.version


def remove(choices: Iterable[Choice]) -> None:
    """Forgets the choices of a body that is over."""
    for choice in choices:
        _local.choices.pop(id(choice.obj), None)
        for root, _ in choice.roots.values():
            root.choices.pop(id(choice), None)
