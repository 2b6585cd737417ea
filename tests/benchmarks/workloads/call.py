"""call of x + 1"""

import numpy as np


def data(size):
    return np.float32(1)


def in_graph(tf, function, x):
    add = function(lambda x: x + 1)
    x = tf.constant(x)
    return lambda: add(x)


def in_jax(x):
    import jax

    add = jax.jit(lambda x: x + 1)
    x = jax.numpy.asarray(x)
    return lambda: add(x)


def in_numpy(x):
    return lambda: x + 1


def in_numba(x):
    import numba

    add = numba.njit(lambda x: x + np.float32(1))
    return lambda: add(x)
