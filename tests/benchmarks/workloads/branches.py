"""call of a 30-line function of loops and branches"""

from ..subjects import loops_and_branches

TOLERANCE = 0


def data(size):
    return 20


def in_graph(tf, function, count):
    def staged(n):
        total, odd, i, k = tf.constant(0), tf.constant(0), tf.constant(0), tf.constant(0)
        while i < n:
            i += 1
            if i % 3 == 0:
                total += i
            elif i % 5 == 0:
                total -= 1
            else:
                total += 2
            for j in tf.range(8):
                if j > i:
                    break
                if j % 2 == 1:
                    odd += 1
                    continue
                if total > 1000:
                    total = total // 2
                else:
                    total = total + j
            k = i
            while k > 0:
                if tf.bitwise.bitwise_and(k, 1) == 1:
                    odd += 1
                k = k // 4
            if odd > 500 and total < 900:
                odd -= 400
        return total, odd

    compiled, n = function(staged), tf.constant(count)
    return lambda: compiled(n)


def in_jax(count):
    import jax
    from jax import lax
    from jax import numpy as jnp

    def inner(state):
        j, i, total, odd = state
        is_odd = j % 2 == 1
        total = jnp.where(is_odd, total, jnp.where(total > 1000, total // 2, total + j))
        return j + 1, i, total, odd + is_odd

    def bits(state):
        k, odd = state
        return k // 4, odd + (k & 1)

    def turn(state):
        n, i, total, odd = state
        i += 1
        total = jnp.where(i % 3 == 0, total + i, jnp.where(i % 5 == 0, total - 1, total + 2))
        _, _, total, odd = lax.while_loop(lambda s: (s[0] < 8) & (s[0] <= s[1]), inner, (jnp.int32(0), i, total, odd))
        _, odd = lax.while_loop(lambda s: s[0] > 0, bits, (i, odd))
        return n, i, total, jnp.where((odd > 500) & (total < 900), odd - 400, odd)

    zero = jnp.int32(0)
    compiled = jax.jit(lambda n: lax.while_loop(lambda s: s[1] < s[0], turn, (n, zero, zero, zero))[2:])
    n = jnp.int32(count)
    return lambda: jax.block_until_ready(compiled(n))


def in_numpy(count):
    return lambda: loops_and_branches(count)


def in_numba(count):
    import numba

    compiled = numba.njit(loops_and_branches)
    return lambda: compiled(count)
