"""What random programs of aliasing are made of: tables of text by kind of container and by symbol.

A symbol in braces stands for one of its alternatives, from the tables of the kinds that a program has; an alternative
that stands twice is chosen twice as often. Symbols:

    L   an expression that is an existing list of numbers (an alias)       F   a list, new or existing
    N   a place that a list can be assigned to                            I   a small number
    C   a condition, mostly one that only a run knows                     V   what is looped over
    W   a simple statement; lines are parted by newlines                  G   one for places that are not in loops
"""

from __future__ import annotations

Table = dict[str, list[str]]

HELPERS = {
    "push": "def push(l, v):\n    l.append(v)\n",
    "pushed": "def pushed(l, v):\n    l.append(v)\n    return l\n",
    "same": "def same(l):\n    return l\n",
    "pick": "def pick(n, l, m):\n    return l if n > 1 else m\n",
    "early": "def early(l, n):\n    if n > 1:\n        return l\n    l.append(n)\n    return l\n",
    "copied": "def copied(l, n):\n    if n > 1:\n        return l\n    return l + [n]\n",
    "unless": "def unless(l, n):\n    if n > 1:\n        return\n    l.append(n)\n",
    "rec": "def rec(l, n):\n    if n <= 0:\n        return l\n    l.append(n)\n    return rec(l, n - 1)\n",
    "down": "def down(l, n):\n    if n > 0:\n        l.append(n)\n        down(l, n - 1)\n",
    "drop": "def drop(l):\n    if l:\n        return l.pop()\n    return 0\n",
    "fill": "def fill(l, n):\n    for i in range(n):\n        l.append(i)\n",
    "trade": "def trade(l, m):\n    l[:], m[:] = m[:], l[:]\n",
    "tried": "def tried(l, n):\n    try:\n        if n > 1:\n            return l\n        l.append(n)\n"
             "        return l\n    finally:\n        l.append(7)\n",
    "first": "def first(l, v):\n    for x in l:\n        if x > v:\n            return x\n    return v\n",
    "keeps": "def keeps(l, v):\n    if len(l) < 4:\n        l.append(v)\n    return v > 1\n",
    "enumerated": "def enumerated(it):\n    for k, v in enumerate(it):\n        yield k + v\n",
    "given": "def given(l):\n    for x in l:\n        yield x\n",
    "onward": "def onward(l):\n    yield from l\n",
    "until": "def until(l, v):\n    while l:\n        if v > 1 and len(l) > 2:\n            return\n"
             "        yield l.pop()\n",
    "put": "def put(x, v):\n    x[0] = v\n",
    "hold": "def hold(o, l):\n    o.items = l\n    return o\n",
    "Box": "class Box:\n    def __init__(self, items):\n        self.items = items\n        self.v = 0\n\n"
           "    def add(self, v):\n        self.items.append(v)\n        self.v += 1\n\n"
           "    def get(self):\n        return self.items\n\n"
           "    @property\n    def last(self):\n        return self.items[-1]\n",
    "Record": "@dataclass\nclass Record:\n    items: list\n    v: int = 0\n",
    "Keep": "class Keep:\n    def __init__(self, items):\n        self.items = items\n\n"
            "    def __enter__(self):\n        return self.items\n\n"
            "    def __exit__(self, *error):\n        self.items.append(8)\n",
}  # fmt: skip

BASE: Table = {
    "L": ["a", "a", "a", "b", "b", "b", "a", "b", "a", "b",
          "same({L})", "(a if {C} else b)", "pushed({L}, {I})"],
    "N": ["a", "b", "b"],
    "F": ["{L}", "{L}", "{L}", "{L}", "{L}", "[{I}]", "[{I}, {I}]", "{L} + [{I}]", "list({L})", "{L}[:]", "[*{L}]",
          "{L} or {L}", "[v for v in {L}]", "pick(n, {L}, {L})", "early({L}, n)", "copied({L}, n)", "rec({L}, n)",
          "tried({L}, n)", "{L} if {C} else {F}", "{L} if {C} else ({L}.append({I}) or {L})"],
    "I": ["n", "n", "n", "s", "0", "1", "2", "5", "len({L})", "sum({L}) % 7", "(n if {C} else s)"],
    "C": ["n > 0", "n > 1", "n > 2", "n < 1", "n % 2 == 0", "n != 1", "s < n", "len({L}) > n", "{L} is {L}",
          "n in {L}",
          "n > 1 and {C}", "n < 1 or {C}", "not n > 1", "0 < n < 3"],
    "V": ["{L}", "{L}", "list({L})", "{L}[:]", "iter({L})", "reversed({L})", "{L} + [{I}]", "range(n)",
          "range(n, 0, -1)", "map(same, {L})", "map(lambda v: v + len({L}), {V})", "filter(None, {V})",
          "map(lambda v: keeps({L}, v), {V})", "filter(lambda v: keeps({L}, v), {V})",
          "filter(lambda v: v < len({L}), {V})"],
    "E": ["a is b", "{L} is {L}", "{L} is not b"],
    "W": ["{L}.append({I})", "{L}.append({I})", "{L}.append({I})", "{L}.append({I})", "{L}.extend([{I}, {I}])",
          "{L}.insert(0, {I})", "{N} += [{I}]", "{N} += [{I}]", "{N} += ({I}, {I})", "{L}[:] = [{I}]",
          "{L}[:0] = [{I}]",
          "{L}[1:] = [{I}, {I}]", "{L}[0] = {I}", "{L}[0] = {I}", "{L}[-1] += 1", "drop({L})", "{L}.pop()",
          "del {L}[0]", "del {L}[1:]", "{L}.clear()", "{L}.reverse()", "{L}.sort()",
          "if 1 in {L@x}:\n    {@x}.remove(1)", "s = len({L})", "s = sum({L}) % 7", "s = first({L}, {I})", "s = {I}",
          "{N} = {F}", "{N} = {F}", "{N} = {F}", "{N} = {F}", "{N} = {F}", "a, b = b, a", "a, b = {F}, {F}",
          "b = (l := {L})", "push({L}, {I})", "push({L}, {I})", "unless({L}, n)", "fill({L}, n)", "down({L}, n)",
          "s = drop({L})",
          "s += {E}", "a = b = {F}"],
    "G": ["{N} *= 2", "{L}.extend({L})", "{N} += {L}", "trade(a, b)", "rec({L}, n)"],
}  # fmt: skip

SMALL: dict[str, Table] = {
    "rows": {
        "L": ["rows[0]", "rows[0]", "rows[-1]"],
        "N": ["rows[0]", "rows[-1]"],
        "W": ["rows.append({L})", "rows.append({L})", "rows.append([{I}])", "rows = [{L}, {L}]", "rows += [{L}]",
              "rows.insert(0, {L})", "rows[:] = [{L}]", "rows.extend([{L}])", "rows = rows + [{L}]",
              "row = rows[0]\nrow.append({I})",
              "for r in rows:\n    r.append({I})", "rows.reverse()", "s = len(rows)", "rows[n % 2] = {L}",
              "rows[n % 2].append({I})", "a = rows[n % 2]", "rows.append((1, {L})[1])"],
        "G": ["rows *= 2", "rows = [r for r in rows]", "rows = [[0]] * 2"],
    },
    "pairs": {
        "L": ["pairs[0][1]", "pairs[-1][1]"],
        "W": ["pairs.append((1, {L}))", "pairs.append((n, {L}))", "pairs[0] = (2, {L})",
              "for k, r in pairs:\n    r.append({I})",
              "pairs += [(0, {L})]", "k, b = pairs[-1]"],
    },
    "dict": {
        "I": ["d['k']", "e['k']", "d.get('k', 3)", "len(d)"],
        "W": ["d['k'] = {I}", "e['k'] = {I}", "d['k'] += 1", "d.update(k={I})", "e |= {'k': {I}}", "d |= {'k': {I}}",
              "e = d",
              "d = e", "e = dict(d)", "e = d if {C} else e", "d = {'k': {I}}", "d.setdefault('k', {I})",
              "d['j'] = {I}",
              "s = d.pop('k', 2)", "e.popitem()", "d.clear()", "if 'k' in d:\n    del d['k']", "s += d is e"],
    },
    "table": {
        "L": ["t['k']", "t['k']", "u['k']", "t.get('k')"],
        "N": ["t['k']", "u['k']"],
        "W": ["t.update(k={L})", "u |= {'k': {L}}", "t |= {'k': {L}}", "u = t", "t = {'k': {L}}",
              "t.setdefault('k', {L}).append({I})",
              "for r in t.values():\n    r.append({I})", "b = t.pop('k', a)\nt['k'] = b", "u = {**t}",
              "u = t.copy()"],
    },
    "box": {
        "L": ["o.items", "o.items", "p.items", "o.get()", "getattr(o, 'items')", "vars(o)['items']"],
        "N": ["o.items", "o.items", "p.items"],
        "I": ["o.v", "p.v", "o.last"],
        "W": ["o.v = {I}", "p.v += 1", "o.add({I})", "p.add({I})", "p = o", "o = p", "p = o if {C} else p",
              "o = Box({L})",
              "setattr(o, 'items', {L})", "o.__dict__['items'] = {L}", "vars(p).update(v={I})", "hold(p, {L})",
              "hold(o, {L}).add({I})",
              "s += o is p", "o.items, p.items = p.items, o.items", "vars(o)['v'] = {I}",
              "o.__dict__.update(items={L})"],
    },
    "boxes": {
        "L": ["boxes[0].items", "boxes[-1].items"],
        "I": ["boxes[-1].v"],
        "W": ["boxes.append(boxes[0])", "boxes[0].v = {I}", "boxes[-1].add({I})", "boxes.append(Box({L}))",
              "for each in boxes:\n    each.v += 1",
              "for each in boxes:\n    each.items.append({I})", "boxes[0].items = {L}"],
    },
    "record": {
        "L": ["q.items", "q.items", "r.items"],
        "N": ["q.items", "r.items"],
        "I": ["q.v", "r.v"],
        "W": ["q.v = {I}", "r.v += 1", "r = q", "q = r", "q = Record({L}, {I})", "r = replace(q, v={I})",
              "r = q if {C} else r", "s += q is r"],
    },
    "pair": {
        "L": ["pair[0]", "pair[0]", "pair[1]"],
        "W": ["pair = ({L}, {L})", "pair = pair[::-1]", "b, a = pair", "l, m = pair\nl.append({I})",
              "pair = ({L},) + pair[1:]",
              "for r in pair:\n    r.append({I})", "pair[0].append({I})"],
    },
    "array": {
        "I": ["x[0]", "y[1]", "x[n % 2]"],
        "W": ["x[0] = {I}", "y[1] = {I}", "x[n % 3] = {I}", "x[1:] = {I}", "y[:2] = {I}", "x += 1", "y *= 2",
              "y = x", "x = y", "x, y = y, x",
              "y = x[::-1]", "y = x.copy()", "put(x, {I})", "put(y, {I})", "y = x if {C} else y", "y[0] += 1",
              "y = x + 1",
              "z = x[:2]\nz[0] = {I}", "y = x.T", "x.fill({I})", "x[:] = y", "held = [x]\nheld[0][0] = {I}"],
    },
    "closure": {
        "L": ["get()", "show()"],
        "W": ["change()", "change()", "note({I})", "note({I})", "s = note(n)"],
    },
    "iterator": {
        "I": ["next(it, 0)"],
        "V": ["it", "enumerated(it)"],
        "W": ["s = next(it, 0)", "it = iter({L})"],
    },
    "generator": {
        "F": ["list(given({L}))", "[*onward({L})]", "[v for v in until({L}, 1)]", "[get() for get in later]"],
        "I": ["next(g, 0)", "sum(given({L})) % 7", "next(given({L}), 2)", "sum(v for v in {L}) % 7", "Total.items"],
        "V": ["g", "given({L})", "onward({L})", "given({V})", "(v for v in {L})", "until({L}, 1)"],
        "W": ["g = given({L})", "g = onward({V})", "g = (v + {I} for v in {L})", "s = next(g, 0)",
              "later = [*((lambda: v) for v in {L})]", "class Total:\n    items = sum([v for v in {L}])"],
    },
    "global": {
        "L": ["G", "H.items", "default()"],
        "I": ["H.v"],
        "W": ["G.append({I})", "H.v = {I}", "H.add({I})", "G[0] = {I}", "default().append({I})"],
    },
}  # fmt: skip

START: dict[str, list[str]] = {
    "base": ["a = [1, 2]\nb = a", "a = [0]\nb = [n]", "a = [1]\nb = [2, 3]", "a = []\nb = a", "a = []\nb = [1]",
             "a = [n, 1]\nb = a",
             "a = [1]\nb = same(a)", "a = [1]\nb = [n, 2]", "a = []\nb = a",
             "a = [1]\nb = a if n > 1 else [3]"],
    "rows": ["rows = [a, b]", "rows = [a, [5]]", "rows = [[0], [1]]", "rows = [a]", "rows = [[n], b]",
             "rows = [b] * 2"],
    "pairs": ["pairs = [(0, a)]", "pairs = [(0, a), (1, b)]", "pairs = [(n, [4])]"],
    "dict": ["d = {'k': 1}\ne = d", "d = {'k': n}\ne = {'k': 2}", "d = {'k': 0, 'j': 1}\ne = d.copy()"],
    "table": ["t = {'k': a}\nu = t", "t = {'k': [1]}\nu = {'k': b}", "t = {'k': a}\nu = {'k': a}",
              "t = dict(k=a)\nu = dict(t)"],
    "box": ["o = Box(a)\np = o", "o = Box(a)\np = Box(a)", "o = Box([0])\np = Box(b)",
            "o = Box(a)\np = Box(o.items)"],
    "boxes": ["boxes = [Box(a)]", "boxes = [Box(a), Box(b)]", "boxes = [Box([1])] * 2"],
    "record": ["q = Record(a)\nr = q", "q = Record(a, n)\nr = Record(b)", "q = Record([1])\nr = Record(q.items)"],
    "pair": ["pair = (a, b)", "pair = (a, [7])", "pair = (b, b)"],
    "array": ["x = np.array([1, 2, 3])\ny = x", "x = np.arange(3)\ny = x[::-1]",
              "x = np.zeros(3, np.int64)\ny = x.copy()",
              "x = np.array([4, 5, 6])\ny = x.reshape(3)", "x = np.array([4, 5, 6])\ny = np.array([0, 1, 2])"],
    "closure": ["{get}\n{show}\n{change}\n{note}"],
    "iterator": ["it = iter(a)", "it = iter([3, 4])", "it = iter(range(3))"],
    "generator": ["g = given(a)\nlater = []\nclass Total:\n    items = 0",
                  "g = onward(b)\nlater = [lambda: s]\nclass Total:\n    items = len(a)"],
    "global": ["b = G", "a = G", "pass"],
}  # fmt: skip

CLOSURES: Table = {
    "get": ["def get(l=a):\n    return l", "def get(l=b):\n    return l", "def get():\n    return b",
            "def get(*, l=a):\n    return l", "def get(l=[0]):\n    return l"],
    "show": ["show = lambda: a", "show = lambda l=b: l", "show = lambda: b if n > 1 else a"],
    "change": ["def change():\n    nonlocal a\n    a = b", "def change():\n    nonlocal b\n    b = {F}",
               "def change():\n    nonlocal a\n    a += [n]", "def change():\n    nonlocal a, b\n    a, b = b, a",
               "def change():\n    nonlocal b\n    if n > 1:\n        b = a", "def change():\n    a.append(n)"],
    "note": ["def note(v):\n    a.append(v)\n    return v",
             "def note(v):\n    if v > 1:\n        return v\n    b.append(v)\n    return 1",
             "def note(v, l=a):\n    l.append(v)\n    return len(l)",
             "def note(v):\n    nonlocal s\n    s += 1\n    a[:0] = [v]\n    return s"],
}  # fmt: skip

RESULT = {
    "base": "s, a, b, a is b",
    "rows": "len(rows), rows, rows[0] is a",
    "pairs": "[v for k, v in pairs], pairs[0][1] is b",
    "dict": "d, e, d is e",
    "table": "t, u, t['k'] is a",
    "box": "o.v, o.items, p.v, p.items, o.items is a",
    "boxes": "[(each.v, len(each.items)) for each in boxes], boxes[0].items",
    "record": "q.items, q.v, r.items, r.v, q.items is a",
    "pair": "pair, pair[0] is a",
    "array": "x, y",
    "closure": "get(), show(), get() is a",
    "iterator": "list(it)",
    "generator": "list(g), Total.items",
    "global": "G, H.items, H.v, G is a",
}
GLOBALS = "G = [0]\nH = Box([1])\n\n\ndef default(l=[2]):\n    return l\n"
