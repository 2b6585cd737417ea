"""warm-up: a loop and a condition, traced before first calls are timed"""


def data(size):
    return 3.0


def in_graph(tf, function, number):
    def halved(x):
        while x > 1.0:
            if x > 2.0:
                x = x / 2.0
            else:
                x = x - 1.0
        return tf.nn.relu(tf.matmul([[x]], [[x]]))

    compiled, x = function(halved), tf.constant(number)
    return lambda: compiled(x)


def in_jax(number):
    import jax

    compiled, x = jax.jit(lambda x: jax.lax.while_loop(lambda x: x > 1, lambda x: x / 2, x)), jax.numpy.float32(number)
    return lambda: compiled(x).block_until_ready()


def in_numpy(number):
    return lambda: number / 2


def in_numba(number):
    import numba

    compiled = numba.njit(lambda x: x / 2)
    return lambda: compiled(number)
