"""call of x + 1 in turn with signatures"""

import itertools

import numpy as np

CASES = {"1": 1, "10": 10, "100": 100, "1,000": 1000}
QUICK = 10
LIMITS = {"TensorFlow": 100, "TensorFlow XLA": 100}
SILENT = True  # one graph for each signature is what is measured; TensorFlow and autograph would warn


def data(size):
    return size


def _in_turn(add, tensors):
    given = itertools.cycle(tensors)
    for x in tensors:
        add(x)
    add(tensors[0])

    def run():
        add(next(given))
        return True

    return run


def in_graph(tf, function, count):
    return _in_turn(function(lambda x: x + 1), [tf.zeros(n + 1) for n in range(count)])


def in_jax(count):
    import jax

    return _in_turn(jax.jit(lambda x: x + 1), [jax.numpy.zeros(n + 1, np.float32) for n in range(count)])
