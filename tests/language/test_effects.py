"""L14, L17: library functions in staged bodies: what computes or prints runs, what reaches outside is refused."""

from __future__ import annotations

import abc
import calendar
import collections
import copy
import csv
import datetime
import functools
import io
import itertools
import json
import logging
import math
import operator
import os
import pathlib
import random
import subprocess
import sys
import threading
import time
import unittest.mock
import warnings
import weakref

import numpy as np
import pytest

import autograph as tf

GENERATOR = np.random.default_rng(0)
ITERATOR = iter(range(100))
Point = collections.namedtuple("Point", "x y")
HERE = pathlib.Path(__file__)
MOCK = unittest.mock.Mock()


class Abstract(abc.ABC): ...


FINALIZER = weakref.finalize(Abstract, print)
FINALIZER.atexit = False


@functools.singledispatch
def dispatching(x):
    return x


REACHING = {
    "open": lambda: open("none"),  # noqa: SIM115
    "remove": lambda: os.remove("none"),
    "getcwd": lambda: os.getcwd(),
    "exists": lambda: os.path.exists("none"),
    "get": lambda: os.environ.get("HOME"),
    "Path.exists": lambda: HERE.exists(),
    "random": lambda: random.random(),
    "rand": lambda: np.random.rand(),
    "normal": lambda: GENERATOR.normal(),
    "sleep": lambda: time.sleep(0),
    "time": lambda: time.time(),
    "now": lambda: datetime.datetime.now(),
    "input": lambda: input(),
    "run": lambda: subprocess.run(["true"]),
    "Thread": lambda: threading.Thread(target=print),
    "exit": lambda: sys.exit(),
    "save": lambda: np.save("none", np.zeros(1)),
    "next": lambda: next(ITERATOR),
    "sum of an iterator": lambda: sum(ITERATOR),
    "list of an iterator": lambda: list(map(str, ITERATOR)),
    "zip of an iterator": lambda: dict(zip(ITERATOR, "ab")),  # noqa: B905
    "join of an iterator": lambda: " ".join(map(str, ITERATOR)),
    "loop": lambda: [item for item in ITERATOR],  # noqa: C416
    "register a class": lambda: Abstract.register(int),
    "register a function": lambda: dispatching.register(int, abs),
    "filterwarnings": lambda: warnings.filterwarnings("ignore", "none"),
    "setfirstweekday": lambda: calendar.setfirstweekday(0),
    "register_dialect": lambda: csv.register_dialect("none", delimiter=";"),
    "disable": lambda: logging.disable(0),
    "finalize": lambda: FINALIZER(),
    "Mock": lambda: MOCK(),
}
COMPUTING = {
    "math": lambda: math.comb(4, 2),
    "numpy": lambda: np.zeros(3).sum() + np.sum([1, 2]),
    "str": lambda: " ".join(["a"]).upper(),
    "itertools": lambda: list(itertools.chain([1], itertools.repeat(2, 3))),
    "functools": lambda: functools.partial(max, 1)(2) + functools.reduce(operator.add, [1, 2]),
    "copy": lambda: copy.deepcopy([1]),
    "operator": lambda: operator.itemgetter(0)([1]),
    "collections": lambda: collections.Counter("aa")["a"] + collections.OrderedDict(a=1)["a"],
    "namedtuple": lambda: Point(1, 2)._replace(x=3).x,
    "json": lambda: json.loads(json.dumps([1])),
    "datetime": lambda: datetime.timedelta(days=1).days,
    "path": lambda: os.path.join("a", "b") + pathlib.PurePath("a/b").name,
    "iterator": lambda: next(iter([1])),
    "made here": lambda: io.StringIO().write("a"),
    "print": lambda: print("", end=""),
    "logging": lambda: logging.getLogger("autograph test").info("x"),
    "stdout": lambda: sys.stdout.write(""),
    "warnings": lambda: warnings.warn("x", stacklevel=1),
}


@pytest.mark.parametrize("name", REACHING)
def test_what_reaches_outside_is_refused_in_a_branch(name):
    action = REACHING[name]

    @tf.function
    def f(x):
        if x > 0:
            action()
        return x

    with pytest.raises(tf.errors.MutationError, match="staged branch or loop") as caught:
        f(tf.constant(-1))
    assert caught.value.file == __file__ and caught.value.remedy


def test_iterators_are_where_they_were():
    assert next(ITERATOR) == 0


@pytest.mark.parametrize("name", COMPUTING)
@pytest.mark.filterwarnings("ignore:x")
def test_what_computes_or_prints_runs_in_branches_and_loops(name):
    action = COMPUTING[name]

    @tf.function
    def f(x):
        if x > 0:
            action()
        while x > 5:
            action()
            x -= 1
        return x

    assert int(f(tf.constant(7))) == 5


def test_at_the_top_of_a_trace_all_run_once_while_tracing():
    @tf.function
    def f(x):
        return x * random.random() * 0 + time.time() * 0 + x

    assert float(f(tf.constant(2.0))) == 2.0


HELD = {"a": 1}


def executes():
    exec("a = 5", HELD)


def executes_locally():
    exec("a = 5", {}, HELD)


def evaluates():
    return eval("held.update(a=5)", {"held": HELD})


def executes_for_all():
    exec("REACHED = 5", globals())


@pytest.mark.parametrize("helper", [executes, executes_locally, evaluates, executes_for_all])
def test_texts_that_a_helper_executes_in_a_branch_are_refused(helper):
    @tf.function
    def f(x):
        if x > 5:
            helper()
        return x

    with pytest.raises(tf.errors.MutationError, match="`(exec|eval)` in a staged branch") as caught:
        f(tf.constant(1))
    assert caught.value.line == helper.__code__.co_firstlineno + 1 and "as code" in caught.value.remedy
    assert HELD["a"] == 1 and "REACHED" not in globals()


def test_texts_are_executed_outside_of_branches():
    held = {"a": 1}

    @tf.function
    def f(x):
        exec("a = a + 5", held)
        return x + eval("a", held)

    assert int(f(tf.constant(1))) == 7 and held["a"] == 6


def first_of(items):
    return next(items)


def total_of(items):
    total = 0
    for each in items:
        total += each
    return total


@pytest.mark.parametrize("helper", [first_of, total_of, sum, list])
@pytest.mark.parametrize(
    "make", [lambda: iter([1, 2]), lambda: (k for k in (1, 2)), lambda: map(abs, [1, 2]), lambda: zip([1, 2], [3, 4])]
)
def test_an_iterator_from_outside_that_a_helper_moves_in_a_branch_is_refused(helper, make):
    items = make()

    @tf.function
    def f(x):
        if x > 5:
            helper(items)
        return x

    with pytest.raises(tf.errors.MutationError, match="made outside"):
        f(tf.constant(1))
    assert len(list(items)) == 2
