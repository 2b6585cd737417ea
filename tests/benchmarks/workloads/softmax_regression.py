"""softmax regression, 784 -> 10, batch 200, 100 SGD steps in one graph"""

import numpy as np

TOLERANCE = 1e-3
STEPS, RATE = 100, 0.1


def data(size):
    random = np.random.default_rng(0)
    x = random.uniform(size=(200, 784)).astype(np.float32)
    return x, random.integers(0, 10, 200).astype(np.int32)


def in_graph(tf, function, given):
    def train(x, labels):
        w, b = tf.zeros((784, 10)), tf.zeros((10,))
        for _ in tf.range(STEPS):
            with tf.GradientTape() as tape:
                tape.watch((w, b))
                losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, tf.matmul(x, w) + b)
                loss = tf.reduce_mean(losses)
            dw, db = tape.gradient(loss, (w, b))
            w -= RATE * dw
            b -= RATE * db
        return w, b

    compiled, args = function(train), [*map(tf.constant, given)]
    return lambda: compiled(*args)


def in_jax(given):
    import jax
    from jax import numpy as jnp

    def train(x, labels):
        def loss(w, b):
            logits = jax.nn.log_softmax(x @ w + b)
            return -jnp.take_along_axis(logits, labels[:, None], 1).mean()

        def turn(_, state):
            gradients = jax.grad(loss, (0, 1))(*state)
            return tuple(p - RATE * d for p, d in zip(state, gradients, strict=True))

        return jax.lax.fori_loop(0, STEPS, turn, (jnp.zeros((784, 10), jnp.float32), jnp.zeros(10, jnp.float32)))

    compiled, args = jax.jit(train), [*map(jnp.asarray, given)]
    return lambda: jax.block_until_ready(compiled(*args))


def in_numpy(given):
    x, labels = given

    def train():
        w, b = np.zeros((784, 10), np.float32), np.zeros(10, np.float32)
        rows = np.arange(len(x))
        for _ in range(STEPS):
            logits = x @ w + b
            logits -= logits.max(1, keepdims=True)
            d = np.exp(logits)
            d /= d.sum(1, keepdims=True)
            d[rows, labels] -= 1
            d /= len(x)
            w -= np.float32(RATE) * (x.T @ d)
            b -= np.float32(RATE) * d.sum(0)
        return w, b

    return train
