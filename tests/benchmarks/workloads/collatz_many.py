"""Collatz over 10,000 numbers, loop in a loop"""

TOLERANCE = 0
QUICK = 100


def data(size):
    return size or 10_000


def total(limit):
    count = 0
    for i in range(1, limit + 1):
        n = i
        while n != 1:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            count += 1
    return count


def in_graph(tf, function, limit):
    def collatz(limit):
        count = tf.constant(0, tf.int64)
        for i in tf.range(tf.constant(1, tf.int64), limit + 1):
            n = i
            while n != 1:
                if n % 2 == 0:
                    n = n // 2
                else:
                    n = 3 * n + 1
                count += 1
        return count

    compiled, limit = function(collatz), tf.constant(limit, tf.int64)
    return lambda: compiled(limit)


def in_jax(limit):
    import jax
    from jax import lax

    def turn(state):
        n, count = state
        return lax.cond(n % 2 == 0, lambda n: n // 2, lambda n: 3 * n + 1, n), count + 1

    def outer(i, count):
        return lax.while_loop(lambda state: state[0] != 1, turn, (i, count))[1]

    compiled = jax.jit(lambda limit: lax.fori_loop(jax.numpy.int64(1), limit + 1, outer, jax.numpy.int64(0)))
    limit = jax.numpy.int64(limit)
    return lambda: compiled(limit).block_until_ready()


def in_numpy(limit):
    return lambda: total(limit)


def in_numba(limit):
    import numba

    compiled = numba.njit(total)
    return lambda: compiled(limit)
