"""However unconverted code changes what is older than a staged branch, the change is carried, or refused by name."""

# ruff: noqa: E501 (programs, a line each)
from __future__ import annotations

import gc
import operator
import sys
from collections.abc import Callable
from typing import Any

import pytest

import autograph as tf

from .heap_programs import made
from .support import as_python, assert_same

PROGRAM = """
import bisect, collections, copy, functools, heapq, itertools, json, operator, re, threading
import numpy as np
import autograph as tf

class Box:
    def __init__(self):
        self.n, self.items = 0, [1]
    @property
    def first(self):
        return self.items[0]
    @first.setter
    def first(self, value):
        self.items[0] = value

def put(values, value=5):
    values.append(value)

@tf.autograph.experimental.do_not_convert
def maker(rows, table, box, nested, missing, queue, names, array):
    @tf.autograph.experimental.do_not_convert
    def change(*given):
        BODY

    return change

def f(x):
    rows, table, box, nested = [1, 2], {"a": 1}, Box(), [[1], [2]]
    missing, queue, names, array = collections.defaultdict(list), collections.deque([1]), {1}, np.zeros(3)
    change = maker(rows, table, box, nested, missing, queue, names, array)
    if x > 0:
        change(rows, nested)
    return (len(rows), sum(rows), table.get("a"), len(table), box.n, len(box.items), box.items[0], len(missing),
            len(nested), len(nested[0]), nested[0][0], len(queue), len(names), float(array.sum()))
"""
CHANGES = {
    "append": "rows.append(5)",
    "item": "rows[0] = 9",
    "in place": "nonlocal rows; rows += [3]",
    "in place, another name": "r = rows; r += [3]",
    "in place, of an item": "nested[0] += [3]",
    "delete": "del rows[0]",
    "slice": "rows[:] = [7]",
    "sort": "rows.sort(reverse=True); rows.pop()",
    "function of the class": "list.append(rows, 5)",
    "getattr": "getattr(rows, 'app' + 'end')(5)",
    "special method": "rows.__setitem__(0, 9)",
    "special method, mapped": "list(map(rows.__setitem__, [0], [9]))",
    "mapped": "list(map(rows.append, [1, 2]))",
    "mapped, given": "m = rows.append\nreturn list(map(m, [1, 2]))",
    "operator": "operator.setitem(rows, 0, 9)",
    "operator, in place": "operator.iadd(rows, [9])",
    "operator, the method": "operator.methodcaller('append', 1)(rows)",
    "heapq": "heapq.heappush(rows, 0)",
    "bisect": "bisect.insort(rows, 0)",
    "reduce": "functools.reduce(lambda a, b: rows.append(b), [1, 2, 3])",
    "partial": "functools.partial(rows.append, 5)()",
    "key": "max([1, 2], key=lambda v: rows.append(v) or v)",
    "key, a method": "sorted([1], key=rows.append)",
    "re": "re.sub('a', lambda m: rows.append(1) or 'b', 'aa')",
    "json": "json.dumps({'a': Box()}, default=lambda o: rows.append(1) or 3)",
    "dict": "table['b'] = 2",
    "dict, in place": "nonlocal table; table |= {'c': 3}",
    "dict, update": "table.update(c=3)",
    "dict, setdefault": "table.setdefault('c', 3)",
    "attribute": "box.n = 4",
    "attribute, in place": "box.n += 4",
    "attribute, setattr": "setattr(box, 'n', 4)",
    "attribute, dict": "box.__dict__['n'] = 4",
    "attribute, vars": "vars(box)['n'] = 4",
    "attribute, object": "object.__setattr__(box, 'n', 4)",
    "attribute, deleted": "del box.n; box.n = 5",
    "property": "box.first = 6",
    "attribute's list": "box.items.append(1)",
    "item's list": "nested[0].append(3)",
    "loop over lists": "for each in nested: each[0] = 5",
    "comprehension": "[each.append(1) for each in nested]",
    "popped": "first = nested.pop(0); first.append(9); nested.insert(0, first)",
    "popped, another function": "first = nested.pop(0); put(first); nested.insert(0, first)",
    "default dict": "missing['k']",
    "default dict, append": "missing['k'].append(1)",
    "default dict, in a list": "held = [missing]; held[0]['k']",
    "default dict, a function": "(lambda d: d['k'])(missing)",
    "default dict, a result": "(lambda: missing)()['k']",
    "result": "(lambda: rows)()[0] = 9",
    "result, append": "(lambda: rows)().append(9)",
    "another function": "put(rows)",
    "another function, a method": "(lambda a: a(5))(rows.append)",
    "two names": "r, s = rows, table; r[0] = 5; s['a'] = 4",
    "a tuple": "t = (rows,); t[0][0] = 9",
    "an argument": "given[0].append(7)",
    "an argument's list": "given[1][0].append(7)",
    "deque": "queue.append(1)",
    "set": "names.add(2)",
    "set, in place": "nonlocal names; names |= {5}",
    "array": "array[0] = 1",
    "array, in place": "nonlocal array; array += 1",
    "array, fill": "array.fill(3)",
    "array, copyto": "np.copyto(array, np.ones(3))",
    "array, out": "np.add(array, 1, out=array)",
    "array, last argument": "np.add(array, 1, array)",
    "array, a function with out": "np.clip(array, 1, 2, array)",
    "exec": "exec('rows.append(1)', {'rows': rows})",
    "eval": "eval('rows.append(1)', {'rows': rows})",
    "thread": "t = threading.Thread(target=lambda: rows.append(1)); t.start(); t.join()",
    "generator": "list(rows.append(each) for each in [1, 2])",
    "generator function": "def gen():\n    rows.append(1)\n    yield 1\nfor _ in gen(): pass",
    "class": "class C:\n    rows.append(1)",
    "context": "class C:\n    def __enter__(self): rows.append(1)\n    def __exit__(self, *_): pass\nwith C(): pass",
    "operator of a class": "class C:\n    def __add__(self, o): rows.append(1)\nC() + C()",
    "getattr of a class": "class C:\n    def __getattr__(self, n): rows.append(1)\nC().k",
    "caught": "try:\n    rows.append(1)\n    1 // 0\nexcept ZeroDivisionError:\n    rows.append(2)",
    "walrus": "(r := rows).append(5)",
    "match": "match nested:\n    case [first, _]: first.append(1)",
    "star": "[*_, last] = [rows]; last.append(1)",
    "cached": "functools.lru_cache(lambda: rows)().append(4)",
    "chain": "for each in itertools.chain([rows]): each.append(1)",
    "copy": "r = copy.copy(nested); r[0].append(1)",
    "nothing": "return rows[0] + table['a']",
    "own list": "out = []; out.append(1); out[0] = 2; return out",
    "own object": "b = Box(); b.n = 5; b.items.append(1)",
}


def branch(name: str) -> Callable[[Any], Any]:
    return made(PROGRAM.replace("BODY", CHANGES[name].replace("\n", "\n        ")))


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_by_unconverted_code_is_carried_or_refused(name: str) -> None:
    function = branch(name)
    staged = tf.function(function)
    for n in (1, -1):
        try:
            actual = staged(tf.constant(n))
        except tf.errors.StagingError:
            continue
        assert_same(as_python(actual), function(n))


CARRIED = [
    "append", "item", "in place", "attribute", "attribute's list", "item's list", "dict", "an argument", "popped",
    "another function", "nothing", "own list", "own object", "result", "reduce", "key",
]  # fmt: skip


@pytest.mark.parametrize("name", CARRIED)
def test_what_a_graph_can_carry_is_carried(name: str) -> None:
    function = branch(name)
    staged = tf.function(function)
    for n in (1, -1):
        assert_same(as_python(staged(tf.constant(n))), function(n))


def test_finalisers_of_the_garbage_collector_are_no_part_of_a_call() -> None:
    large = [[i] for i in range(30_000)]
    finalised = []

    class Odd:
        """Its finaliser does what a hook can't tell the effects of, in a reach that is too large."""

        def __init__(self):
            self.itself = self

        def __del__(self):
            finalised.append(operator.attrgetter("__class__")(large))

    @tf.autograph.experimental.do_not_convert
    def collects(x):
        return x + len([[i] for i in range(300_000)])

    @tf.function
    def f(x):
        if x > 0:
            x = collects(x)
        return x

    before = gc.get_threshold()
    gc.collect()
    gc.set_threshold(200_000)  # while it runs, not before
    try:
        for _ in range(3):
            Odd()
        assert int(f(tf.constant(2))) == 300_002
    finally:
        gc.set_threshold(*before)
    assert finalised == [list] * 3
    assert sys.getprofile() is None


class Log:
    def __init__(self, lines: Any) -> None:
        self.lines = lines


@tf.autograph.experimental.do_not_convert
def appending(log: Log) -> None:
    log.lines.append(7)


@tf.autograph.experimental.do_not_convert
def storing(log: Log) -> None:
    log.lines["b"] = 7


@tf.autograph.experimental.do_not_convert
def clearing(log: Log) -> None:
    log.lines.clear()


@pytest.mark.parametrize("change", [appending, storing, clearing])
def test_a_list_or_dict_of_an_object_that_staged_code_has_changed(change: Any) -> None:
    def f(n: Any) -> Any:
        log = Log({"a": 1} if change is storing else [1])
        if n > 2:
            if change is storing:
                log.lines["c"] = n
            else:
                log.lines.append(n)
        change(log)
        return len(log.lines)

    with pytest.raises(tf.errors.MutationError, match="code that is not converted has changed") as caught:
        tf.function(f)(tf.constant(1))
    assert caught.value.file == __file__ and caught.value.line and caught.value.remedy
