"""loop of one addition, turns"""

TOLERANCE = 1e-6
CASES = {"1,000": 1000, "10,000": 10_000, "100,000": 100_000, "1,000,000": 1_000_000}
QUICK = 1000
LIMITS = {"TensorFlow": 10_000}


def data(size):
    return size


def in_graph(tf, function, turns):
    def count(n):
        i = tf.constant(0, tf.int64)
        x = tf.constant(0.0, tf.float64)
        while i < n:
            x = x * 0.5 + 1.0
            i += 1
        return x

    compiled, n = function(count), tf.constant(turns, tf.int64)
    return lambda: compiled(n)


def in_jax(turns):
    import jax
    from jax import numpy as jnp

    compiled = jax.jit(lambda n: jax.lax.fori_loop(0, n, lambda _, x: x * 0.5 + 1.0, jnp.float64(0)))
    n = jnp.int64(turns)
    return lambda: compiled(n).block_until_ready()


def in_numpy(turns):
    def count():
        x = 0.0
        for _ in range(turns):
            x = x * 0.5 + 1.0
        return x

    return count
