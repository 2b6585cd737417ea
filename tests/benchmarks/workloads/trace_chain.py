"""trace a chain of 1,000 ops"""

import numpy as np

FRESH = True
CASES = {"": 1000}
WITHOUT = ("TensorFlow XLA",)


def data(size):
    return size


def chain(x, count):
    for _ in range(count // 2):
        x = x * 1.0001
        x = x + 0.5
    return x


def in_graph(tf, function, count):
    traced = function(lambda x: chain(x, count))
    return lambda: bool(traced.get_concrete_function(tf.TensorSpec((4,), tf.float32)))


def in_jax(count):
    import jax

    x = np.ones(4, np.float32)
    return lambda: bool(jax.jit(lambda x: chain(x, count)).trace(x))
