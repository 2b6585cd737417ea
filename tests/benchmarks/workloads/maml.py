"""MAML, 10 meta-steps of 25 tasks"""

import numpy as np

TOLERANCE = 1e-2
STEPS, TASKS, POINTS, HIDDEN = 10, 25, 10, 40
INNER, OUTER = 0.01, 0.001


def data(size):
    """Sines of random amplitude and phase, as in the paper of MAML; points to learn from and points to test with."""
    random = np.random.default_rng(0)
    amplitude, phase = random.uniform(0.1, 5, (STEPS, TASKS, 1, 1)), random.uniform(0, np.pi, (STEPS, TASKS, 1, 1))
    x = random.uniform(-5, 5, (2, STEPS, TASKS, POINTS, 1))
    shapes = (1, HIDDEN), (HIDDEN,), (HIDDEN, HIDDEN), (HIDDEN,), (HIDDEN, 1), (1,)
    parameters = [random.normal(size=shape) * (shape[0] ** -0.5 if len(shape) > 1 else 0) for shape in shapes]
    return [array.astype(np.float32) for array in [*x, *(amplitude * np.sin(x + phase)), *parameters]]


def in_graph(tf, function, given):
    def loss(parameters, x, y):
        w1, b1, w2, b2, w3, b3 = parameters
        h = tf.nn.relu(tf.matmul(x, w1) + b1)
        h = tf.nn.relu(tf.matmul(h, w2) + b2)
        error = tf.matmul(h, w3) + b3 - y
        return tf.reduce_mean(error * error, axis=[1, 2])

    def train(x, test_x, y, test_y, *parameters):
        for i in tf.range(STEPS):
            with tf.GradientTape() as outer:
                outer.watch(parameters)
                each = [tf.tile(tf.reshape(p, (1, 1, -1) if p.shape.rank == 1 else (1, *p.shape)), (TASKS, 1, 1))
                        for p in parameters]  # fmt: skip
                with tf.GradientTape() as inner:
                    inner.watch(each)
                    before = tf.reduce_sum(loss(each, x[i], y[i]))
                gradients = inner.gradient(before, each)
                each = [p - INNER * d for p, d in zip(each, gradients, strict=True)]
                after = tf.reduce_mean(loss(each, test_x[i], test_y[i]))
            gradients = outer.gradient(after, parameters)
            parameters = tuple([p - OUTER * d for p, d in zip(parameters, gradients, strict=True)])
        return parameters

    compiled, args = function(train), [*map(tf.constant, given)]
    return lambda: compiled(*args)


def in_jax(given):
    import jax
    from jax import numpy as jnp

    def loss(parameters, x, y):
        w1, b1, w2, b2, w3, b3 = parameters
        h = jax.nn.relu(jax.nn.relu(x @ w1 + b1) @ w2 + b2)
        return ((h @ w3 + b3 - y) ** 2).mean()

    def adapted(parameters, x, y, test_x, test_y):
        gradients = jax.grad(loss)(parameters, x, y)
        return loss(tuple(p - INNER * d for p, d in zip(parameters, gradients, strict=True)), test_x, test_y)

    def meta_loss(parameters, *tasks):
        return jax.vmap(adapted, (None, 0, 0, 0, 0))(parameters, *tasks).mean()

    def train(x, test_x, y, test_y, *parameters):
        def turn(i, parameters):
            gradients = jax.grad(meta_loss)(parameters, x[i], y[i], test_x[i], test_y[i])
            return tuple(p - OUTER * d for p, d in zip(parameters, gradients, strict=True))

        return jax.lax.fori_loop(0, STEPS, turn, parameters)

    compiled, args = jax.jit(train), [*map(jnp.asarray, given)]
    return lambda: jax.block_until_ready(compiled(*args))
