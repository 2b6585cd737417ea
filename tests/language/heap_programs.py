"""Programs that change what several names see, by the items of the review that found them: sources of a function `f(n)`.

Each table is written by hand: a way to change a thing, or to hold one, in a frame that is the same for all of the table.
"""

# ruff: noqa: E501 (programs, a line each)
from __future__ import annotations

import linecache
import textwrap
from collections.abc import Callable
from typing import Any

PRELUDE = '''\
import collections
import contextlib
import weakref
from dataclasses import dataclass

import numpy as np


class Box:
    def __init__(self, l=None):
        self.l = [] if l is None else l
        self.v = 0

    def inc(self):
        self.v += 1


@dataclass
class D:
    k: int
    l: list


class Manager:
    def __enter__(self):
        return self

    def __exit__(self, *error):
        pass


class Named(list):
    """A list that weak references can be made to."""


BIG = [(k,) for k in range(30000)]


'''
NUMBERS = (-1, 0, 1, 2, 3, 4)


def made(source: str, name: str = "heap program") -> Callable[..., Any]:
    """The function `f` of a program."""
    text = PRELUDE + textwrap.dedent(source)
    filename = f"<{name}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    namespace: dict[str, Any] = {"__name__": "heap_program"}
    exec(compile(text, filename, "exec", dont_inherit=True), namespace)
    return namespace["f"]


def filled(frame: str, **parts: str) -> str:
    """A frame with parts in place of the names in capitals, indented as these are."""
    lines = []
    for line in textwrap.dedent(frame).split("\n"):
        name = line.strip()
        if name in parts:
            lines.append(textwrap.indent(textwrap.dedent(parts[name]), line[: len(line) - len(name)]))
        else:
            for key, text in parts.items():
                line = line.replace(key, text)
            lines.append(line)
    return "\n".join(lines)


EARLY = """
    def f(n):
        log = START
        if n > 2:
            return log
        CHANGE
        return log
"""
EARLY_CHANGES = {
    "append": ("[]", "log.append(n)"),
    "slice": ("[]", "log[:] = [n]"),
    "slice of some": ("[1, 2]", "log[1:] = [n, n]"),
    "item": ("[1, 2]", "log[0] = n"),
    "last item added to": ("[1, 2]", "log[-1] += n"),
    "add in place": ("[]", "log += [n]"),
    "multiply in place": ("[1]", "log *= 2"),
    "extend": ("[]", "log.extend([n, 1])"),
    "insert": ("[1]", "log.insert(0, n)"),
    "pop": ("[1, 2]", "log.pop()"),
    "remove": ("[1, 2]", "log.remove(1)"),
    "clear": ("[1, 2]", "log.clear()"),
    "del": ("[1, 2]", "del log[0]"),
    "sort": ("[2, 1]", "log.sort()"),
    "reverse": ("[2, 1]", "log.reverse()"),
    "dict item": ("{'a': 0}", "log['a'] = n"),
    "dict update": ("{'a': 0}", "log.update(a=n)"),
    "dict or": ("{'a': 0}", "log |= {'a': n}"),
    "dict item of a list": ("{'a': [0]}", "log['a'].append(n)"),
    "list of a list": ("[[0]]", "log[0].append(n)"),
    "list in a tuple": ("([0], 1)", "log[0].append(n)"),
    "array": ("np.array([1, 2])", "log[0] = n"),
    "through another name": ("[]", "other = log\nother.append(n)"),
    "through a closure": ("[]", "add = lambda: log.append(n)\nadd()"),
    "in a loop": ("[]", "for i in range(n):\n    log.append(i)"),
    "in a branch": ("[]", "if n > 0:\n    log.append(n)"),
    "in another branch than the return's": ("[]", "if n > 1:\n    log.append(n)\nelse:\n    return log"),
}
EARLY_FORMS = {
    "else": "def f(n):\n    log = []\n    if n > 2:\n        return log\n    else:\n        log.append(n)\n        return log\n",
    "change before the return": "def f(n):\n    log = []\n    if n > 2:\n        log.append(n)\n        return log\n    return log\n",
    "both change": "def f(n):\n    log = []\n    if n > 2:\n        log.append(1)\n        return log\n    log.append(n)\n    return log\n",
    "elif": "def f(n):\n    log = []\n    if n > 2:\n        return log\n    elif n > 1:\n        log.append(n)\n    return log\n",
    "match": "def f(n):\n    log = []\n    match n:\n        case 3:\n            return log\n    log.append(n)\n    return log\n",
    "match that changes": "def f(n):\n    log = []\n    match n:\n        case 3:\n            log.append(n)\n            return log\n        case _:\n"
    "            return log\n",
    "try": "def f(n):\n    log = []\n    try:\n        if n > 2:\n            return log\n        log.append(n)\n        return log\n"
    "    finally:\n        pass\n",
    "finally that changes": "def f(n):\n    log = []\n    try:\n        if n > 2:\n            return log\n        log.append(n)\n"
    "        return log\n    finally:\n        log.append(7)\n",
    "with": "def f(n):\n    log = []\n    with Manager():\n        if n > 2:\n            return log\n        log.append(n)\n    return log\n",
    "nullcontext": "def f(n):\n    log = []\n    with contextlib.nullcontext():\n        if n > 2:\n            return log\n        log.append(n)\n"
    "    return log\n",
    "helper": "def add(l, n):\n    if n > 2:\n        return l\n    l.append(n)\n    return l\n\n\n"
    "def f(n):\n    l = []\n    r = add(l, n)\n    return r, l\n",
    "helper's identity": "def add(l, n):\n    if n > 2:\n        return l\n    l.append(n)\n    return l\n\n\n"
    "def f(n):\n    l = []\n    r = add(l, n)\n    r.append(5)\n    return l, r is l\n",
    "attribute": "def f(n):\n    o = Box()\n    if n > 2:\n        return o.l\n    o.l.append(n)\n    return o.l\n",
    "conditional expression": "def f(n):\n    l = []\n    return l if n > 2 else (l.append(n) or l)\n",
    "element": "def f(n):\n    rows = [[]]\n    if n > 2:\n        return rows[0]\n    rows[0].append(n)\n    return rows[0]\n",
    "tuple": "def f(n):\n    log = []\n    if n > 2:\n        return log, 1\n    log.append(n)\n    return log, 2\n",
    "dict": "def f(n):\n    log = []\n    if n > 2:\n        return {'log': log}\n    log.append(n)\n    return {'log': log}\n",
    "loop": "def f(n):\n    log = []\n    for i in range(n):\n        if i > 1:\n            return log\n        log.append(i)\n    return log\n",
    "while": "def f(n):\n    log = []\n    while n > 0:\n        n -= 1\n        log.append(n)\n        if n > 2:\n            return log\n    return log\n",
    "closure": "def f(n):\n    log = []\n    def add():\n        if n > 2:\n            return log\n        log.append(n)\n        return log\n"
    "    return add(), log\n",
    "method": "class Log:\n    def __init__(self):\n        self.l = []\n    def add(self, n):\n        if n > 2:\n            return self.l\n"
    "        self.l.append(n)\n        return self.l\n\n\ndef f(n):\n    log = Log()\n    return log.add(n), log.l\n",
    "attribute of the object": "class Log:\n    def __init__(self):\n        self.k = 0\n    def add(self, n):\n        if n > 2:\n"
    "            return self\n        self.k = n\n        return self\n\n\ndef f(n):\n    log = Log()\n    return log.add(n).k, log.k\n",
}

HELD = """
    def f(n):
        items = ITEMS; rows = ROWS; o = Box()
        x, y = items, ROWS
        HOLD
        CHANGE
        return items, RESULT
"""
HOLDS = {
    "name": ("[1]", "if n < 0:\n    rows = items", "rows"),
    "element": ("[[1]]", "if n < 0:\n    rows[0] = items", "rows[0]"),
    "appended": ("[[1]]", "if n < 0:\n    rows.append(items)", "rows[-1]"),
    "in a new list": ("[[1]]", "if n < 0:\n    rows = [items]", "rows[0]"),
    "in a tuple": ("([1],)", "if n < 0:\n    rows = (items,)", "rows[0]"),
    "attribute": ("[1]", "if n < 0:\n    o.l = items", "o.l"),
    "conditional expression": ("[1]", "rows = items if n < 0 else [1]", "rows"),
    "loop": ("[1]", "for i in range(n):\n    rows = items", "rows"),
    "while": ("[1]", "while n < 0:\n    rows = items\n    n += 1", "rows"),
    "one of two names": ("[1]", "if n < 0:\n    y = x", "y"),
    "replaced": ("[1]", "if n < 0:\n    x = [3]", "x"),
    "dict": ("{'k': [1]}", "if n < 0:\n    rows['k'] = items", "rows['k']"),
    "match": ("[1]", "match n:\n    case -1:\n        rows = items", "rows"),
    "helper": ("[1]", "def pick(l):\n    return l if n < 0 else [1]\nrows = pick(items)", "rows"),
    "walrus": ("[1]", "if n < 0 and (rows := items):\n    pass", "rows"),
}
IN_PLACE = {"add": "items += [5]", "multiply": "items *= 2", "add of a tuple": "items += (5, 6)"}
DICTS = {
    "name": "    if n < 0:\n        rows = items\n",
    "conditional expression": "    rows = items if n < 0 else {'k': 1}\n",
    "attribute": "    if n < 0:\n        o.l = items\n    rows = o.l\n",
    "loop": "    for i in range(n):\n        rows = items\n",
}

PUT = """
    def f(n):
        o = THING
        rows = []
        t = ()
        for i in range(n):
            CHANGE
            PUT
        return RESULT
"""
THINGS = {
    "dict": ("{'v': 0}", "o['v'] = i", "[r['v'] for r in rows]"),
    "list": ("[0]", "o.append(i)", "[len(r) for r in rows]"),
    "list's item": ("[0]", "o[0] = i", "[r[0] for r in rows]"),
    "object": ("Box()", "o.v = i", "[r.v for r in rows]"),
    "method": ("Box()", "o.inc()", "[r.v for r in rows]"),
    "dataclass": ("D(0, [])", "o.k = i", "[r.k for r in rows]"),
    "object's list": ("Box()", "o.l.append(i)", "[len(r.l) for r in rows]"),
    "array": ("np.array([0, 1])", "o[0] = i", "[r[0] for r in rows]"),
}
PUTS = {
    "append": "rows.append(o)", "add in place": "rows += [o]", "add": "rows = rows + [o]", "insert": "rows.insert(0, o)",
    "extend": "rows.extend([o])", "closure": "put = lambda: rows.append(o)\nput()", "tuple": "t = t + (o,)\nrows = list(t)",
    "slice": "rows[len(rows):] = [o]", "other name": "p = o\nrows.append(p)",
}  # fmt: skip

COPIES = {
    "a tuple": "items = [0]; rows = [0]\nif n > 0:\n    rows.append((1, items))\nitems.append(5)\nreturn len(rows), items, rows[-1]",
    "a tuple, then the element": "items = [0]; rows = [(0, [9])]\nif n > 0:\n    rows.append((1, items))\nitems.append(5)\nreturn items, rows[-1][1]",
    "a dataclass": "items = [0]; rows = [D(0, [9])]\nif n > 0:\n    rows.append(D(1, items))\nitems.append(5)\nreturn items, rows[-1].l",
    "an object": "items = [0]; rows = [Box()]\nif n > 0:\n    rows.append(Box(items))\nitems.append(5)\nreturn items, rows[-1].l",
    "a dict": "items = [0]; rows = [{'l': [9]}]\nif n > 0:\n    rows.append({'l': items})\nitems.append(5)\nreturn items, rows[-1]['l']",
    "a tuple in a tuple": "items = [0]; rows = [(0, (0, [9]))]\nif n > 0:\n    rows.append((1, (2, items)))\nitems.append(5)\nreturn items, rows[-1][1][1]",
    "a tuple by insert": "items = [0]; rows = [(0, [9])]\nif n > 0:\n    rows.insert(0, (1, items))\nitems.append(5)\nreturn items, rows[0][1]",
    "a tuple by extend": "items = [0]; rows = [(0, [9])]\nif n > 0:\n    rows.extend([(1, items)])\nitems.append(5)\nreturn items, rows[-1][1]",
    "a list of lists": "items = [[0]]; rows = [[[9]]]\nif n > 0:\n    rows.append(items)\nitems[0].append(5)\nreturn items, rows[-1]",
    "a list of a box": "box = Box([0]); rows = [Box([9])]\nif n > 0:\n    rows.append(box)\nbox.l.append(5)\nreturn box.l, rows[-1].l",
    "an array": "x = np.array([1, 2]); rows = [np.array([3, 4])]\nif n > 0:\n    rows.append(x)\nx[0] = 5\nreturn x, rows[-1]",
    "a chosen row": "a = [0]; rows = [[1], [2]]\nif n > 0:\n    rows[0] = a\nrows[n % 2].append(5)\nreturn a, rows",
    "a row twice": "rows = [[1], [2]]\nif n > 0:\n    rows.append(rows[0])\nrows[0].append(5)\nreturn rows[0], rows[-1]",
    "a row twice by +": "rows = [[1], [2]]\nif n > 0:\n    rows = rows + [rows[0]]\nrows[0].append(5)\nreturn rows[0], rows[-1]",
    "rows twice": "rows = [[1], [2]]\nif n > 0:\n    rows = rows * 2\nrows[0].append(5)\nreturn rows[0], len(rows), rows[len(rows) // 2 % 2 * -1]",
    "rows twice in place": "rows = [[1]]\nif n > 0:\n    rows *= 2\nrows[0].append(5)\nreturn rows[0], rows[-1]",
    "vars": "p = Box(); q = Box(); o = p if n < 0 else q\nvars(o).update(v=5)\nreturn p.v, q.v, o.v",
    "vars item": "p = Box(); q = Box(); o = p if n < 0 else q\nvars(o)['v'] = 5\nreturn p.v, q.v, o.v",
    "__dict__": "p = Box(); q = Box(); o = p if n < 0 else q\no.__dict__['v'] = 5\nreturn p.v, q.v, o.v",
    "__dict__ that is kept": "p = Box(); q = Box(); o = p if n < 0 else q\nd = o.__dict__\nd['v'] = 5\nreturn p.v, q.v, o.v",
    "__dict__ in a branch": "p = Box()\nif n < 0:\n    p.__dict__['v'] = 5\nreturn p.v",
    "setattr": "p = Box(); q = Box(); o = p if n < 0 else q\nsetattr(o, 'v', 5)\nreturn p.v, q.v, o.v",
    "object.__setattr__": "p = Box(); q = Box(); o = p if n < 0 else q\nobject.__setattr__(o, 'v', 5)\nreturn p.v, q.v, o.v",
}
PROPERTY = """
    class Q:
        def __init__(self, items):
            self.items = items

        @property
        def first(self):
            return self.items[0]

        @first.setter
        def first(self, value):
            self.items[0] = value


    def f(n):
        pairs = [(0, [1]), (2, [3])]
        o = q = Q([4])
        b = pairs[0][1] if n else q.items
        o.items = pairs[0][1]
        o.first = n
        return b, pairs[0][1], o.items
"""
CELLS = {
    "nonlocal": "items = [0]; rows = [1]\ndef g():\n    nonlocal rows\n    rows = items\nif n < 0:\n    g()\nitems.append(5)\nreturn items, rows",
    "nonlocal in a loop": "items = [0]; rows = [1]\ndef g():\n    nonlocal rows\n    rows = items\nfor i in range(n):\n    g()\nitems.append(5)\nreturn items, rows",
    "nonlocal two deep": "items = [0]; rows = [1]\ndef g():\n    def h():\n        nonlocal rows\n        rows = items\n    h()\nif n < 0:\n    g()\nitems.append(5)\nreturn items, rows",
    "nonlocal, changed in place": "items = [0]; rows = [1]\ndef g():\n    nonlocal rows\n    rows = items\nif n < 0:\n    g()\nitems += [5]\nreturn items, rows",
    "nonlocal, the other changed": "items = [0]; rows = [1]\ndef g():\n    nonlocal rows\n    rows = items\nif n < 0:\n    g()\nrows.append(5)\nreturn items, rows",
    "nonlocal number": "k = 0\ndef g():\n    nonlocal k\n    k += n\nif n > 0:\n    g()\nreturn k",
    "branch inside": "items = [0]; rows = [1]\ndef g():\n    nonlocal rows\n    if n < 0:\n        rows = items\ng()\nitems.append(5)\nreturn items, rows",
    "default": "items = [0]; rows = [[1]]\ndef g(l=items):\n    return l\nif n < 0:\n    rows = [g()]\nitems.append(5)\nreturn items, rows",
    "default, in place": "items = [0]; rows = [[1]]\ndef g(l=items):\n    return l\nif n < 0:\n    rows = [g()]\nitems += [5]\nreturn items, rows",
    "default by keyword": "items = [0]; rows = [[1]]\ndef g(*, l=items):\n    return l\nif n < 0:\n    rows = [g()]\nitems.append(5)\nreturn items, rows",
    "default of a lambda": "items = [0]; rows = [[1]]\ng = lambda l=items: l\nif n < 0:\n    rows = [g()]\nitems.append(5)\nreturn items, rows",
    "default that is changed": "items = [0]\ndef g(l=items):\n    l.append(5)\n    return l\nif n < 0:\n    g()\nreturn items, g()",
    "default of its own": "def g(l=[0]):\n    l.append(5)\n    return l\nif n < 0:\n    g()\nreturn g()",
    "cell that a lambda gives": "items = [0]; rows = [1]\ng = lambda: items\nif n < 0:\n    rows = g()\nitems.append(5)\nreturn items, rows",
}
FAR = {
    "many objects of its own": "a = [1]; d = {'x': {'y': a}}; big = [(k,) for k in range(30000)]\nif n > 0:\n    a.append(5)\nreturn len(d['x']['y']), len(a)",
    "a large global": "a = [1]; d = {'x': {'y': a}}; big = BIG\nif n > 0:\n    a.append(5)\nreturn len(d['x']['y']), len(a)",
    "behind many objects": "a = [1]; d = {'x': [(k,) for k in range(30000)] + [a]}\nif n > 0:\n    a.append(5)\nreturn len(d['x'][-1]), len(a)",
    "many, in place": "a = [1]; d = {'x': {'y': a}}; big = [(k,) for k in range(30000)]\nif n > 0:\n    a += [5]\nreturn len(d['x']['y']), len(a)",
    "many, a loop": "a = [1]; d = {'x': {'y': a}}; big = [(k,) for k in range(30000)]\nfor i in range(n):\n    a.append(5)\nreturn len(d['x']['y']), len(a)",
    "many, a dict": "a = {'k': 1}; d = {'x': {'y': a}}; big = [(k,) for k in range(30000)]\nif n > 0:\n    a['k'] = 5\nreturn d['x']['y']['k'], a['k']",
    "many, an array": "a = np.array([1, 2]); d = {'x': {'y': a}}; big = [(k,) for k in range(30000)]\nif n > 0:\n    a[0] = 5\nreturn d['x']['y'][0], a[0]",
    "a helper named run_trace": "a = [1]; d = {'x': {'y': a}}\ndef run_trace(step):\n    step()\ndef step():\n    if n > 0:\n        a.append(5)\nrun_trace(step)\nreturn len(d['x']['y']), len(a)",
    "a helper named run_trace with an argument": "a = [1]; d = {'x': {'y': a}}\ndef run_trace(l):\n    if n > 0:\n        l.append(5)\nrun_trace(a)\nreturn len(d['x']['y']), len(a)",
    "a weak dictionary": "w = weakref.WeakValueDictionary(); a = Named([1]); w['a'] = a\nif n > 0:\n    a.append(5)\nreturn len(w['a']), len(a)",
    "a weak reference": "a = Named([1]); w = weakref.ref(a)\nif n > 0:\n    a.append(5)\nreturn len(w()), len(a)",
    "a deque": "a = [1]; w = collections.deque([[0], a])\nif n > 0:\n    a.append(5)\nreturn len(w[1]), len(a)",
}
DEEP = {
    "list": "a",
    "enumerate": "enumerate(a)",
    "3 deep": "enumerate(enumerate(enumerate(a)))",
    "4 deep": "enumerate(enumerate(enumerate(enumerate(a))))",
    "5 deep": "enumerate(enumerate(enumerate(enumerate(enumerate(a)))))",
    "many kinds": "enumerate(zip(a, map(str, filter(None, a))))",
    "zip": "zip(zip(zip(zip(a))))",
    "map": "map(tuple, zip(enumerate(map(abs, a))))",
    "iter": "iter(enumerate(iter(enumerate(iter(a)))))",
}
DEEP_LOOP = """
    def f(n):
        a = [1, 2, 3]
        t = 0
        for x in VALUES:
            if n > 0 and len(a) < 6:
                a.append(1)
            t += 1
        return t, len(a)
"""
ENDLESS = {
    "__getitem__": """
        class Items:
            def __init__(self, n):
                self.n = n
            def __getitem__(self, k):
                if k >= self.n:
                    raise IndexError
                return k * 2
        def f(n):
            t = 0
            for x in Items(n):
                t += x
            return t
        """,
    "__getitem__ with a bound": """
        class Items:
            def __init__(self, n):
                self.n = n
            def __getitem__(self, k):
                if k >= 6 or k >= self.n:
                    raise IndexError
                return k * 2
        def f(n):
            t = 0
            for x in Items(n):
                t += x
            return t
        """,
    "__getitem__ in list()": """
        class Items:
            def __init__(self, n):
                self.n = n
            def __getitem__(self, k):
                if k >= self.n:
                    raise IndexError
                return k * 2
        def f(n):
            return sum(list(Items(n)))
        """,
    "__next__": """
        class Items:
            def __init__(self, n):
                self.n = n
            def __iter__(self):
                return self
            def __next__(self):
                if self.n <= 0:
                    raise StopIteration
                self.n -= 1
                return self.n
        def f(n):
            t = 0
            for x in Items(n):
                t += x
            return t
        """,
    "generator": """
        def values(n):
            k = 0
            while k < n:
                yield k
                k += 1
        def f(n):
            t = 0
            for x in values(n):
                t += x
            return t
        """,
    "generator that changes state": """
        def f(n):
            o = Box()
            o.k = 0
            def gen():
                yield n
                o.k += n
                yield n + 1
            for k in gen():
                if k > 2:
                    break
            return o.k
        """,
    "generator that changes a list": """
        def f(n):
            log = []
            def gen():
                yield n
                log.append(n)
                yield n + 1
            for k in gen():
                if k > 2:
                    break
            return log
        """,
    "generator that changes a name": """
        def f(n):
            s = 0
            def gen():
                nonlocal s
                yield n
                s += n
                yield n + 1
            for k in gen():
                if k > 2:
                    break
            return s
        """,
    "iter of a function": """
        def f(n):
            t = 0
            def step():
                nonlocal t
                t += 1
                return t
            for x in iter(step, n):
                if t > 5:
                    break
            return t
        """,
}
