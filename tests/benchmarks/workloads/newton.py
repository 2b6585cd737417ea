"""Newton's square root, scalar while"""

TOLERANCE = 1e-5


def data(size):
    return 1234567.0


def root(x):
    guess = x
    while abs(guess * guess - x) > 1e-5 * x:
        guess = 0.5 * (guess + x / guess)
    return guess


def in_graph(tf, function, number):
    def newton(x):
        guess = x
        while tf.abs(guess * guess - x) > 1e-5 * x:
            guess = 0.5 * (guess + x / guess)
        return guess

    compiled, x = function(newton), tf.constant(number)
    return lambda: compiled(x)


def in_jax(number):
    import jax

    def newton(x):
        def wrong(guess):
            return abs(guess * guess - x) > 1e-5 * x

        return jax.lax.while_loop(wrong, lambda guess: 0.5 * (guess + x / guess), x)

    compiled, x = jax.jit(newton), jax.numpy.float32(number)
    return lambda: compiled(x).block_until_ready()


def in_numpy(number):
    return lambda: root(number)


def in_numba(number):
    import numba

    compiled = numba.njit(root)
    return lambda: compiled(number)
