"""Collatz of 837799, 524 steps, int64 scalar"""

TOLERANCE = 0


def data(size):
    return 837799


def steps(n):
    count = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        count += 1
    return count


def in_graph(tf, function, number):
    def collatz(n):
        count = tf.constant(0, tf.int64)
        while n != 1:
            if n % 2 == 0:
                n = n // 2
            else:
                n = 3 * n + 1
            count += 1
        return count

    compiled, n = function(collatz), tf.constant(number, tf.int64)
    return lambda: compiled(n)


def in_jax(number):
    import jax
    from jax import lax

    def turn(state):
        n, count = state
        return lax.cond(n % 2 == 0, lambda n: n // 2, lambda n: 3 * n + 1, n), count + 1

    compiled = jax.jit(lambda n: lax.while_loop(lambda state: state[0] != 1, turn, (n, jax.numpy.int64(0)))[1])
    n = jax.numpy.int64(number)
    return lambda: compiled(n).block_until_ready()


def in_numpy(number):
    return lambda: steps(number)


def in_numba(number):
    import numba

    compiled = numba.njit(steps)
    return lambda: compiled(number)
