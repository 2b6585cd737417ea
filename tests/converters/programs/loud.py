"""An object that notes what is done to it."""

from __future__ import annotations


class Loud:
    """Notes what is done to it."""

    def __init__(self, t, name="loud", truth=True):
        self.t, self.name, self.truth = t, name, truth
        self.items = {}

    def __bool__(self):
        self.t(f"bool({self.name})")
        return self.truth

    def __getitem__(self, key):
        self.t(f"{self.name}[{key!r}]")
        return self.items.get(repr(key), 0)

    def __setitem__(self, key, value):
        self.t(f"{self.name}[{key!r}] = {value!r}")
        self.items[repr(key)] = value

    def __delitem__(self, key):
        self.t(f"del {self.name}[{key!r}]")

    def __lt__(self, other):
        self.t(f"{self.name} < {other.name}")
        return Loud(self.t, "less", self.truth)

    def __eq__(self, other):
        self.t(f"{self.name} == ...")
        return Loud(self.t, "equal", self.truth)

    __hash__ = object.__hash__

    def __contains__(self, item):
        self.t(f"{item!r} in {self.name}")
        return 7

    def __format__(self, specification):
        self.t(f"format({self.name}, {specification!r})")
        return f"<{specification}>"

    def __repr__(self):
        return f"Loud({self.name})"
