"""Stores into items and attributes, and `del`."""

# ruff: noqa: B018, B023, C4, E731, F541, F821, F841, F842, RUF, SIM

from __future__ import annotations

import contextlib

from .loud import Loud

shared = {"count": 0}


def item_store_order(t):
    x = Loud(t)
    t("x", x)[t("i", 1)] = t("v", 2)
    x[t("i", 1)] = t("v", 2)
    x[t("a", 1) : t("b", 2)] = t("v", 3)
    x[t("a", 1) : t("b", 2) : t("c", 3), t("d", 4)] = t("v", 5)
    return len(x.items)


def item_update_order(t):
    x = Loud(t)
    x[t("i", 1)] += t("v", 2)
    x[t("i", 1)] **= t("v", 2)
    t("x", x)[t("i", 1)] -= t("v", 2)
    x[1:2] = 4
    x[1:2] += t("v", 3)
    return list(x.items.values())


def item_update_sees_old_value(t):
    x = [1, 2]

    def change():
        x[0] = 100
        return 1

    x[0] += change()
    return x


def item_update_in_place(t):
    x = [[1], [2]]
    alias = x[0]
    x[0] += [3]
    x[1] *= 2
    return x, alias, alias is x[0]


def item_update_in_tuple(t):
    x = ([1], 2)
    alias = x[0]
    try:
        x[0] += [t("v", 5)]
    except TypeError as error:
        return str(error), alias


def item_store_error(t):
    x = (1, 2)
    x[t("i", 0)] = t("v", 1)


def item_store_of_unbound(t):
    x[t("i", 0)] = t("v", 1)
    x = []


def item_update_with_walrus(t):
    x = [1, 2]
    x[0] += (n := 3)
    return x, n


def attribute_item_order(t):
    class Owner:
        @property
        def items(self):
            t("items")
            return items

    items = Loud(t)
    owner = Owner()
    t("owner", owner).items[t("i", 1)] = t("v", 2)
    owner.items[t("i", 1)] += t("v", 2)
    owner.items[1:2] = 3
    del owner.items[t("i", 4)]
    return len(items.items)


def attribute_stores(t):
    class Owner:
        __private = {}

        def store(self, v):
            self.a = v
            self.b = self.c = t("v", v)
            self.b += 1
            self.__private["k"] = v
            self.__private["k"] += 1
            self.d, (self.e, *self.f) = 1, (2, 3, 4)
            del self.c
            return self.__private

    owner = Owner()
    return owner.store(3), sorted(vars(owner).items())


def nested_item_stores(t):
    grid = [[0, 0], [0, 0]]
    i, j = 0, 1
    grid[i][j] = 5
    grid[1][-1] = t("v", 6)
    grid[t("i", 1)][t("j", 0)] = t("v", 7)
    grid[i][j] += 1
    tree = {"a": {"b": [1]}}
    tree["a"]["b"][0] = 2
    tree["a"]["c"] = tree["a"]["b"]
    return grid, tree


def nested_item_of_tuple(t):
    pair = ([1], {"k": 2})
    pair[0][0] = 5
    pair[1]["k"] += 1
    return pair


def swaps(t):
    x = [1, 2, 3]
    i, j = 0, 2
    x[i], x[j] = x[j], x[i]
    i, x[i] = 1, i
    x[i], i = 7, 2
    return x, i, j


def targets_in_order(t):
    x, y = Loud(t, "x"), Loud(t, "y")
    x[t("i", 1)], (y[t("j", 2)], *x[t("k", 3)]), z = t("v", (1, (2, 3, 4), 5))
    a = x[t("l", 4)] = b = t("w", 6)
    return a, b, z, x.items, y.items


def targets_unpack_late(t):
    x = Loud(t)

    def values():
        t("first")
        yield 1
        t("second")
        yield values_of_second()

    def values_of_second():
        yield t("inner", 2)
        yield t("inner", 3)

    x[0], (x[1], y) = values()
    return x.items, y


def too_many_values(t):
    x = Loud(t)
    x[0], x[1] = t("v", [1, 2, 3])


def for_targets(t):
    x = [0, 0]
    for x[0] in range(3):
        t("x", list(x))
    for i, x[i] in enumerate([5, 6]):
        t("x", list(x))
    else:
        t("else")
    return x, i


def with_targets(t):
    x = [0, 0]
    with contextlib.nullcontext(3) as x[0], contextlib.nullcontext((1, 4)) as (i, x[i]), contextlib.nullcontext() as n:
        t("inside", list(x))
    return x, n


def with_target_fails(t):
    class Manager:
        def __enter__(self):
            return t("enter", 1)

        def __exit__(self, *error):
            t("exit", error[0])
            return True

    x = ()
    with Manager() as x[0]:
        t("never")
    return x


def annotated_stores(t):
    x = [0]
    x[t("i", 0)]: t("annotation") = t("v", 2)
    y: int = x[0]
    z: int
    return x, y


def deletions(t):
    x = Loud(t)
    y = [1, 2, 3]
    del x[t("i", 1)], y[0], y[-1:]
    n = 1
    del n
    return y


def stores_to_outer(t):
    x = [0]
    global shared

    def inner():
        x[0] = 1
        x[0] += 1
        shared["count"] = x[0]

    inner()
    return x, shared


def store_to_loop_variable(t):
    rows = [[1], [2]]
    for row in rows:
        row[0] *= 10
        row[:0] = [0]
    return rows


def store_in_class_body(t):
    class Inner:
        x = [1, 2]
        x[0] = t("v", 5)
        x[1] += 1
        x[0], y = 3, 4

    return Inner.x, Inner.y
