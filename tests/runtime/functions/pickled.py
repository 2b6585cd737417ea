"""What `test_copies.py` pickles, and runs in other processes."""

from __future__ import annotations

import functools

import autograph as tf


@tf.function
def halved(x):
    steps = 0
    while x > 1.0:
        x, steps = x / 2.0, steps + 1
    return x, steps


def logged(function):
    @functools.wraps(function)
    def wrapper(*args):
        return function(*args)

    return wrapper


@logged
@tf.function
def negative(x):
    return -x


def doubled(x):
    if x > 0:
        x = x * 2
    return x


also_doubled = tf.function(doubled, reduce_retracing=True)
by_lambda = tf.function(lambda x: x + 1)
same_body = tf.function(halved.python_function, jit_compile=False)


@tf.autograph.convert()
def converted(x):
    return x if x > 0 else -x


@tf.custom_gradient
def passed(x):
    return x, lambda upstream: upstream * 10


def scaled(by):
    @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
    def inner(x):
        if x > 0:
            x = x * by
        return x

    return inner


class Counter(tf.Module):
    def __init__(self):
        super().__init__()
        self.total = tf.Variable(0.0)
        self.same = self.total
        self.bound = tf.function(self._add)
        self.shadowed = tf.function(self.shadowed)
        self.list = [self.total, {"a": self.total}]

    def _add(self, x):
        if x > 0:
            self.total.assign_add(x)
        return self.total.read_value()

    @tf.function
    def add(self, x):
        return self._add(x)

    def shadowed(self, x):
        return self._add(x) * 10


class Slots:
    @tf.function
    def plus(self, x):
        return x + self.number

    def __init__(self, number):
        self.number = number


PROGRAM = '''
import autograph as tf

rate = tf.Variable(2.0)

def helper(x):
    if x > 0:
        return x
    return -x

@tf.function
def grown(x):
    while x < 100.0:
        x = helper(x) * rate
    return x

@tf.function
def factorial(n):
    if n <= 1:
        return 1
    return n * factorial(n - 1)

by_lambda = tf.function(lambda x: helper(x) + 1 if x > 0 else x)
converted = tf.autograph.to_graph(helper)

class Model(tf.Module):
    def __init__(self):
        super().__init__()
        self.v = tf.Variable(1.0)
        self.step = tf.function(self._step)

    def _step(self, x):
        if x > 0:
            self.v.assign_add(x)
        return self.helped(self.v)

    def helped(self, x):
        return x if x > 3 else -x

class Dense(tf.keras.layers.Layer):
    def call(self, x):
        for _ in tf.range(3):
            x = helper(x[0])[None] - 1.0
        return x
'''
