"""L06, L10, L11: staged lists of tuples, dicts, objects and lists: made, read, changed, compared, sorted, returned."""

from __future__ import annotations

import bisect
import collections
import dataclasses
import functools
import heapq
import itertools
import linecache

import numpy as np
import pytest

import autograph as tf

from .support import check

P = collections.namedtuple("P", "a b")
TABLE = [[1, 2], [3, 4]]


@dataclasses.dataclass
class D:
    a: object
    b: object


# Bodies of functions of a vector `xs`, each under its name.
PROGRAMS = """
# tuples sum
l = []
for i, x in enumerate(xs):
    l.append((i, x))
t = 0
for a, b in l:
    t += a * b
return t, len(l), l[0], l[-1][1]
# tuples returned
l = []
for i, x in enumerate(xs):
    l.append((i, x))
return l
# tuples comp
return [(a, b) for a in xs for b in xs if a > b]
# dict comp elements
l = [{'k': x, 'j': x * 2.5} for x in xs]
return l[0]['k'], sum(e['j'] for e in l), len(l)
# dicts returned
return [{'k': x, 'j': x * 2.5} for x in xs]
# namedtuples
l = [P(x, x + 1) for x in xs]
return l[1].a, l[1].b, sum([p.a * p.b for p in l]), l[-1]
# dataclasses
l = [D(x, x + 1) for x in xs]
return l[1].a, l[1].b, sum([p.a * p.b for p in l])
# zip lists of tuples
l = [(x, x * x) for x in xs]
t = 0
for (a, b), y in zip(l, xs):
    t += a * y + b
return t
# enumerate list of tuples
l = [(x, x * x) for x in xs]
t = 0
for i, (a, b) in enumerate(l):
    t += a * i + b
return t
# sorted tuples key
l = [(x, i) for i, x in enumerate(xs)]
l2 = sorted(l, key=lambda p: p[0])
return l2[0], l2[-1], [b for a, b in l2]
# sort tuples key
l = [(x, i) for i, x in enumerate(xs)]
l.sort(key=lambda p: -p[0])
return l[0], [b for a, b in l]
# sorted tuples
l = [(x % 3, i) for i, x in enumerate(xs)]
l2 = sorted(l)
return [a for a, b in l2], [b for a, b in l2]
# sort tuples reverse
l = [(x % 3, i) for i, x in enumerate(xs)]
l.sort(reverse=True)
return [a for a, b in l], [b for a, b in l]
# max of tuples
l = [(x % 3, i) for i, x in enumerate(xs)]
return max(l), min(l), max(l, key=lambda p: p[1])
# max of generator of tuples
return max((x, i) for i, x in enumerate(xs))
# reversed tuples
l = [(x, i) for i, x in enumerate(xs)]
t = 0
for a, b in reversed(l):
    t = t * 3 + a * b
return t
# in tuples
l = [(x, i) for i, x in enumerate(xs)]
return (3, 0) in l, (3, 1) in l, (1, 0) not in l
# eq tuples
l = [(x, i) for i, x in enumerate(xs)]
m = [(x, i) for i, x in enumerate(xs)]
n = [(x, 0) for i, x in enumerate(xs)]
return l == m, l == n, l != n
# index count remove tuples
l = [(x, i) for i, x in enumerate(xs)]
l.append((5, 1))
k = l.index((5, 1))
c = l.count((5, 1))
l.remove((5, 1))
return k, c, [a for a, b in l]
# nested append
rows = []
for x in xs:
    rows.append([])
    rows[-1].append(x)
    rows[-1].append(x * 2)
return rows
# nested rows ragged
rows = []
for x in xs:
    rows.append([i for i in range(x)])
return sum(len(r) for r in rows), rows[0]
# ragged returned
return [[i * x for i in range(x)] for x in xs]
# groups
groups = [[], [], []]
for x in xs:
    groups[x % 3].append(x)
return groups[0], groups[1], groups[2]
# adjacency
adj = [[] for _ in range(4)]
for i, x in enumerate(xs):
    adj[i % 4].append(x)
    adj[x % 4].append(i)
t = 0
for i in range(4):
    for j in adj[i]:
        t = t * 3 + j + i
return t
# flatten nested
rows = [[x, x * 2] for x in xs]
return [y for r in rows for y in r]
# list of fixed lists
rows = [[x, x * 2] for x in xs]
return rows, rows[0][1], len(rows[0])
# triple nested
return [[[x + i * j for j in range(2)] for i in range(2)] for x in xs]
# matrix
n = xs[0]
grid = [[0] * 3 for _ in range(n)]
for i in range(n):
    for j in range(3):
        grid[i][j] = i * j
return grid
# matrix py
grid = [[0] * 3 for _ in range(2)]
for x in xs:
    grid[x % 2][x % 3] += x
return grid
# comparisons
l = [x for x in xs]
m = [x + 1 for x in xs]
return l < m, l <= l, m > l, l >= m, l < [3]
# slice store
l = [x for x in xs]
l[1:3] = [7, 8, 9]
return l
# slice store staged
l = [x for x in xs]
m = [x * 2 for x in xs]
l[1:2] = m
l[:0] = m
return l
# slice store step
l = [x for x in xs]
l[::2] = [7 for _ in l[::2]]
return l
# sort by second
l = sorted(((x, i) for i, x in enumerate(xs)), key=lambda p: -p[1])
return [a for a, b in l]
# sorted dicts
l = sorted([{'k': x, 'i': i} for i, x in enumerate(xs)], key=lambda d: d['k'])
return [d['i'] for d in l]
# sort key tuple
l = sorted(xs, key=lambda x: (x % 2, -x))
return l
# map filter lists
l = [(x, i) for i, x in enumerate(xs)]
return list(map(lambda p: p[0] + p[1], l)), [a for a, b in filter(lambda p: p[0] > 1, l)]
# functools reduce
l = [(x, i) for i, x in enumerate(xs)]
return functools.reduce(lambda t, p: t * 2 + p[0] * p[1], l, 0)
# stack of pairs dfs
s = [(xs[0], 0)]
t = 0
while s:
    n, d = s.pop()
    t += d
    if n > 0:
        s.append((n - 1, d + 1))
        s.append((n - 2, d + 1))
return t
# cond append tuple
l = [(0, 0.5)]
if xs[0] > 2:
    l.append((xs[0], 1.5))
return len(l), l[-1]
# list with different tuples
l = []
for x in xs:
    if x > 1:
        l.append((x, 1))
    else:
        l.append((x, 2.5))
return [b for a, b in l]
# dict of lists
d = {'a': [], 'b': []}
for x in xs:
    d['a'].append(x)
    if x > 1:
        d['b'].append((x, x * 2))
return d['a'], len(d['b'])
# sum of lists
rows = [[x, x * 2] for x in xs]
return sum(rows, [])
# any all of list tuples
l = [(x, i) for i, x in enumerate(xs)]
return any(a > 4 for a, b in l), all(a > 0 for a, b in l)
# view read after
rows = [[x] for x in xs]
r = rows[0]
rows[0].append(7)
return len(r)
# view write then read
rows = [[x] for x in xs]
r = rows[xs[1] % 2]
r.append(7)
r.append(8)
return len(rows[0]), len(rows[1]), len(r)
# view in a loop
rows = [[x] for x in xs]
r = rows[xs[1] % 2]
for x in xs:
    r.append(x)
return len(rows[0]), len(rows[1]), len(r)
# view in a branch
rows = [[x] for x in xs]
r = rows[1]
if xs[0] > 2:
    r.append(7)
else:
    r.clear()
return len(rows[0]), len(rows[1]), len(r)
# two views
rows = [[x] for x in xs]
a = rows[xs[0] % 3]
b = rows[xs[1] % 3]
a.append(1)
b.append(2)
a.append(3)
return [len(r) for r in rows], len(a), len(b)
# swap rows
rows = [[x, x + 1] for x in xs]
rows[0], rows[1] = rows[1], rows[0]
return rows
# pop then change
rows = [[x] for x in xs]
r = rows.pop()
r.append(1)
return len(r), len(rows)
# last nonempty
rows = [[x] for x in xs]
for r in rows:
    if r[0] > 1:
        r[0] = 100
    r.extend([1, 2])
return rows
# depth two
cube = [[[x] for x in xs] for y in xs]
cube[0][1].append(5)
c = cube[1]
c[0].append(6)
c.append([3])
return [[len(b) for b in a] for a in cube][0], [[len(b) for b in a] for a in cube][1]
# tuple with list
l = [(x, []) for x in xs]
for i in range(3):
    l[i % 2][1].append(i)
return [len(b) for a, b in l]
# tuple with list loop var
l = [(x, [x]) for x in xs]
for a, b in l:
    b.append(a)
return [sum(b) for a, b in l]
# memo none
memo = [None] * 12
for x in xs:
    memo[x] = x * 2
return memo[xs[0]], memo[4] is None
# memo dict fill
memo = [0] * 12
for x in xs:
    memo[x] += x * 2.5
return memo
# change in helper
def put(g, k, v):
    g[k].append(v)
g = [[], []]
for x in xs:
    put(g, x % 2, x)
return g[0], g[1]
# queue of lists
q = [[xs[0]]]
n = 0
while q:
    path = q.pop(0)
    n += len(path)
    if len(path) < 3:
        q.append(path + [1])
        q.append(path + [2])
return n
# paths copied
path, out = [], []
for x in xs:
    path.append(x)
    out.append(path[:])
return [sum(p) for p in out]
# chunks
cur, out = [], []
for x in xs:
    cur.append(x)
    if len(cur) == 2:
        out.append(cur)
        cur = []
if cur:
    out.append(cur)
return [sum(p) for p in out]
# runs
out = []
for x in xs:
    if out and out[-1][-1] < x:
        out[-1].append(x)
    else:
        out.append([x])
return [len(p) for p in out]
# merge intervals
out = []
for x in xs:
    if out and out[-1][1] >= x:
        out[-1][1] = max(out[-1][1], x + 3)
    else:
        out.append([x, x + 3])
return out
# pascal
rows = [[1]]
for i in range(xs[0]):
    last = rows[-1]
    new = [1]
    for j in range(len(last) - 1):
        new.append(last[j] + last[j + 1])
    new.append(1)
    rows.append(new)
return rows[-1], len(rows)
# global table
return TABLE[xs[0] % 2][xs[1] % 2], sum(TABLE[xs[0] % 2])
"""
# With functions of the standard library, unpacking, and indices that are staged.
MORE_PROGRAMS = """
# heap
h = []
for x in xs:
    heapq.heappush(h, x)
first = heapq.heappop(h)
return first, heapq.heappushpop(h, 0), heapq.heapreplace(h, 9), h
# heap of tuples
h = []
for i, x in enumerate(xs):
    heapq.heappush(h, (x % 3, i))
a, b = heapq.heappop(h)
return a, b, h
# heapify
h = [x for x in xs]
heapq.heapify(h)
return h, heapq.nsmallest(2, h), heapq.nlargest(2, h, key=lambda x: -x), heapq.nlargest(0, h) + [1]
# bisect
l = sorted([x for x in xs])
return bisect.bisect_left(l, 2), bisect.bisect(l, 2), bisect.bisect_right(l, 3), bisect.bisect(l, -2, key=lambda x: -x)
# insort
l = []
for x in xs:
    bisect.insort(l, x)
bisect.insort_left(l, 4)
return l
# unpack two
a, b = [x for x in xs[:2]]
return a, b
# unpack pairs
(a, b), c = [(x, i) for i, x in enumerate(xs[:2])]
return a, b, c
# insert at a tensor
l = [1, 2, 3]
l.insert(xs[1], 7)
return l
# pop at a tensor
l = [1, 2, 3]
a = l.pop(xs[1] % 2)
return l, a
# methods of a list of tensors
l = [xs[0], xs[1], xs[2], xs[0]]
n, k = l.count(xs[0]), l.index(xs[2])
l.remove(xs[1])
l.sort()
return n, k, l
# slice store at tensors
l = [1, 2, 3]
l[xs[1] % 2:] = [5, 6, 7]
return l
# keys that are strings
d = {k: v for k, v in zip('abc', xs)}
return d, dict(zip(['a', 'b'], xs))
"""
# Of a matrix `xs`.
MATRIX_PROGRAMS = """
# nested comp use
rows = [[x * 2 for x in row] for row in xs]
return rows[0][1], len(rows), len(rows[0]), sum(sum(r) for r in rows)
# transpose
rows = [[x for x in row] for row in xs]
return [[r[i] for r in rows] for i in range(3)]
# doubled rows
return [[x * 2 for x in row] for row in xs]
"""
# Changes of what a list holds as a copy, or may hold twice: right or refused.
SHARED = """
# row appended then changed
rows = []
for x in xs:
    row = []
    rows.append(row)
    row.append(x)
return [len(r) for r in rows]
# same row
row = []
rows = []
for x in xs:
    rows.append(row)
row.append(5)
return [len(r) for r in rows]
# branch append
row = [1]
rows = [[0]]
if xs[0] > 2:
    rows.append(row)
row.append(5)
return [len(r) for r in rows]
# names
a = []
b = []
g = [a, b]
for x in xs:
    g[x % 2].append(x)
return a, b
# move then change
rows = [[x] for x in xs]
r = rows[1]
rows.pop(0)
r.append(1)
return [len(r) for r in rows]
# slice shares
rows = [[x] for x in xs]
other = rows[:]
other[0].append(9)
return len(rows[0])
# chosen row
rows = [[x] for x in xs]
if xs[0] > 2:
    r = rows[0]
else:
    r = rows[1]
r.append(1)
return [len(r) for r in rows]
# row of loop kept
rows = [[x] for x in xs]
for r in rows:
    r.append(1)
r.append(2)
return [len(r) for r in rows]
# multiplied
row = [[]] * 2
row[xs[0] % 2].append(1)
return [len(r) for r in row]
# dataclass change
l = [D(x, x + 1) for x in xs]
l[0].a = 7
return l[0].a
# dict change in list
l = [{'k': x} for x in xs]
l[0]['k'] = 5
return l[0]['k'], l[1]['k']
# dict change in loop
l = [{'k': x} for x in xs]
for e in l:
    e['k'] += 1
return sum(e['k'] for e in l)
"""


def programs(text):
    return [block.split("\n", 1) for block in text.strip("\n# ").replace("\n# ", "\0").split("\0")]


def function_of(name, body):
    lines = ["def f(xs):", *["    " + line for line in body.strip("\n").split("\n")]]
    filename, text = f"<list program {name}>", "\n".join(lines)
    linecache.cache[filename] = len(text), None, text.splitlines(True), filename
    namespace = {
        "heapq": heapq,
        "bisect": bisect,
        "tf": tf,
        "np": np,
        "P": P,
        "D": D,
        "TABLE": TABLE,
        "functools": functools,
        "collections": collections,
        "itertools": itertools,
    }
    exec(compile(text, filename, "exec"), namespace)
    return namespace["f"]


INPUTS = (np.array([3, 1, 2], np.int32), np.array([1, 5, 9, 5], np.int32))


@pytest.mark.parametrize(("name", "body"), programs(PROGRAMS) + programs(MORE_PROGRAMS))
def test_as_in_python(name, body):
    check(function_of(name, body), *INPUTS)


@pytest.mark.parametrize(("name", "body"), programs(MATRIX_PROGRAMS))
def test_lists_of_rows_as_in_python(name, body):
    check(function_of(name, body), np.array([[1, 2, 3], [4, 5, 6]], np.int32))


@pytest.mark.parametrize(("name", "body"), programs(SHARED))
def test_changes_that_a_copy_would_not_see_are_refused(name, body):
    with pytest.raises(tf.errors.MutationError) as caught:
        tf.function(function_of(name, body))(tf.constant(INPUTS[0]))
    assert caught.value.remedy and "<list program" in str(caught.value)


def test_unpacking_checks_the_number_of_elements_at_run_time():
    @tf.function(input_signature=[tf.TensorSpec((None,), tf.int32)])
    def f(xs):
        a, b = [x * 2 for x in xs]
        return a + b

    assert int(f(tf.constant([1, 2]))) == 6
    with pytest.raises(ValueError, match="too many values to unpack"):
        f(tf.constant([1, 2, 3]))
    with pytest.raises(ValueError, match=r"not enough values to unpack \(expected 2, got 1\)"):
        f(tf.constant([1]))


@pytest.mark.parametrize(
    ("body", "construct"),
    [
        ("(a, *rest), b = [x for x in xs], 1\nreturn a", r"\*rest"),
        ("return print(*[x for x in xs])", r"\*x"),
        ("return len(frozenset([x for x in xs]))", "frozenset"),
        ("return collections.deque([x for x in xs])[0]", "deque"),
        ("return list(itertools.chain([x for x in xs], xs))", "chain"),
    ],
)
def test_what_needs_the_number_of_elements_is_refused_by_name(body, construct):
    with pytest.raises(tf.errors.StagedValueError, match=construct) as caught:
        tf.function(function_of(construct, body))(tf.constant(INPUTS[0]))
    assert caught.value.remedy


def test_one_row_length_gives_one_tensor_and_others_a_list():
    @tf.function(input_signature=[tf.TensorSpec((None,), tf.int32)])
    def f(xs):
        return [[x * i for i in range(x)] for x in xs]

    assert f(tf.constant([2, 2])).shape == (2, 2)
    rows = f(tf.constant([0, 2, 1]))
    assert isinstance(rows, list)
    assert [row.numpy().tolist() for row in rows] == [[], [0, 2], [0]]
    assert len(f(tf.constant([], tf.int32))) == 0


def test_a_list_of_parts_from_another_traced_function():
    @tf.function
    def inner(xs):
        return [(x, [i for i in range(x)]) for x in xs]

    @tf.function
    def outer(xs):
        total = 0
        for x, below in inner(xs):
            total += x * 100 + sum(below)
        return total

    assert int(outer(tf.constant([3, 0, 2]))) == 504


def test_gradients_go_through_lists_of_parts():
    @tf.function
    def f(xs):
        pairs = [(x, [x * x, x * x * x]) for x in xs]
        pairs[1][1].append(xs[0] * xs[1])
        total = 0.0
        for x, powers in pairs:
            total += x
            for power in powers:
                total += power
        return total, pairs

    xs = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(xs)
        total, pairs = f(xs)
        y = total + 10.0 * pairs[2][1][1]
    assert float(total) == 6 + 14 + 36 + 2
    # 1 + 2 x + 3 x², and of x0 x1; and 10 times that of x2³.
    np.testing.assert_allclose(tape.gradient(y, xs).numpy(), [6 + 2, 17 + 1, 34 + 270])


def test_a_list_that_a_helper_leaves_in_a_reference_cycle():
    def helper(x):
        out = []

        def descend(k):
            out.append(k * x)
            if k > 0:
                descend(k - 1)

        descend(2)
        return sum(out)

    def f(xs):
        total = 0
        for x in xs:
            total += helper(x)
        return total

    check(f, *INPUTS)


def test_a_loop_that_fails_leaves_nothing_for_the_next():
    from autograph.operators.staging.control import loops

    def f(xs):
        total = 0
        for x in xs:
            values = []
            for y in xs:
                values.append(y)
                if len(xs) > 3:
                    raise RuntimeError("no")
            total += x * len(values)
        return total

    with pytest.raises(RuntimeError):
        tf.function(f)(tf.constant(INPUTS[1]))
    assert not loops._local.found and not loops._local.open
    check(f, INPUTS[0])


class Node:
    def __init__(self, value):
        self.value = value
        self.me = self


def list_that_holds_itself(n):
    a = [0]
    a.append(a)
    for i in range(n):
        a[1][0] = i + a[0]
    return a[0], a[1] is a, len(a)


def list_that_holds_itself_in_a_branch_of_a_loop(n):
    a = [0]
    a.append((a, 1))
    turn = 0
    while turn < n:
        turn += 1
        if turn > 2:
            a[1][0][0] += turn
    return a[0]


def two_lists_that_hold_each_other(n):
    a = [0]
    b = [a, 1]
    a.append(b)
    for i in range(n):
        if i > 3:
            break
        a[1][0][0] += i
        b[1] = i
    return a[0], a[1][1]


def dict_that_holds_itself(n):
    d = {"value": 0}
    d["me"] = d
    for i in range(n):
        d["me"]["value"] += i
    return d["value"]


def object_that_holds_itself(n):
    node = Node(0)
    for i in range(n):
        node.me.value += i
    return node.value


@pytest.mark.timeout(120)
@pytest.mark.parametrize(
    "function",
    [
        list_that_holds_itself, list_that_holds_itself_in_a_branch_of_a_loop, two_lists_that_hold_each_other,
        dict_that_holds_itself, object_that_holds_itself,
    ],
)  # fmt: skip
def test_what_holds_itself_in_a_loop(function):
    check(function, 0, 1, 3, 5)
