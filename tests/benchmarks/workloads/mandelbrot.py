"""Mandelbrot 200 x 200, 50 steps, staged while"""

import numpy as np

TOLERANCE = 1e-2
STEPS = 50


def data(size):
    x, y = np.meshgrid(np.linspace(-2, 0.5, 200, dtype=np.float32), np.linspace(-1.2, 1.2, 200, dtype=np.float32))
    return np.ascontiguousarray(x), np.ascontiguousarray(y)


def compared(count):
    """The numbers differ where rounding decides: fused multiply-add or not."""
    return np.asarray(count).mean()


def in_graph(tf, function, given):
    def mandelbrot(a, b):
        x, y = tf.zeros_like(a), tf.zeros_like(b)
        count, i = tf.zeros(a.shape, tf.int32), tf.constant(0)
        while i < STEPS:
            xx, yy = x * x, y * y
            inside = xx + yy <= 4.0
            x, y = tf.where(inside, xx - yy + a, x), tf.where(inside, 2.0 * x * y + b, y)
            count += tf.cast(inside, tf.int32)
            i += 1
        return count

    compiled, args = function(mandelbrot), [*map(tf.constant, given)]
    return lambda: compiled(*args)


def in_jax(given):
    import jax
    from jax import numpy as jnp

    def mandelbrot(a, b):
        def turn(state):
            i, x, y, count = state
            xx, yy = x * x, y * y
            inside = xx + yy <= 4.0
            x, y = jnp.where(inside, xx - yy + a, x), jnp.where(inside, 2.0 * x * y + b, y)
            return i + 1, x, y, count + inside.astype(jnp.int32)

        zero = jnp.zeros_like(a)
        state = 0, zero, zero, jnp.zeros(a.shape, jnp.int32)
        return jax.lax.while_loop(lambda state: state[0] < STEPS, turn, state)[3]

    compiled, args = jax.jit(mandelbrot), [*map(jnp.asarray, given)]
    return lambda: compiled(*args).block_until_ready()


def in_numpy(given):
    a, b = given

    def mandelbrot():
        x, y, count = np.zeros_like(a), np.zeros_like(b), np.zeros(a.shape, np.int32)
        for _ in range(STEPS):
            xx, yy = x * x, y * y
            inside = xx + yy <= 4
            x, y = np.where(inside, xx - yy + a, x), np.where(inside, 2 * x * y + b, y)
            count += inside
        return count

    return mandelbrot


def in_numba(given):
    import numba

    @numba.njit
    def mandelbrot(a, b):
        counts = np.zeros(a.shape, np.int32)
        for i in range(a.shape[0]):
            for j in range(a.shape[1]):
                x = y = np.float32(0)
                for _ in range(STEPS):
                    xx, yy = x * x, y * y
                    if xx + yy > 4:
                        break
                    x, y = xx - yy + a[i, j], np.float32(2) * x * y + b[i, j]
                    counts[i, j] += 1
        return counts

    return lambda: mandelbrot(*given)
