"""first call, chain of ops"""

import numpy as np

from .trace_chain import chain

FRESH = True
TOLERANCE = 1e-3
CASES = {"100": 100, "1,000": 1000, "10,000": 10_000, "100,000": 100_000}
LIMITS = {"TensorFlow": 10_000, "TensorFlow XLA": 1000, "JAX": 1000}


def data(size):
    return size


def in_graph(tf, function, count):
    compiled, x = function(lambda x: chain(x, count)), tf.ones(4)
    return lambda: compiled(x)


def in_jax(count):
    import jax

    compiled, x = jax.jit(lambda x: chain(x, count)), np.ones(4, np.float32)
    return lambda: compiled(x).block_until_ready()
