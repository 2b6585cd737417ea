"""100 Dense(64) + ReLU, batch 20"""

import numpy as np

TOLERANCE = 1e-3


def data(size):
    random = np.random.default_rng(0)
    weights = [(random.normal(size=(64, 64)) / 6).astype(np.float32) for _ in range(size or 100)]
    biases = [random.normal(size=64).astype(np.float32) for _ in weights]
    return random.normal(size=(20, 64)).astype(np.float32), weights, biases


def in_graph(tf, function, given):
    x, weights, biases = tf.constant(given[0]), [*map(tf.constant, given[1])], [*map(tf.constant, given[2])]

    def network(x):
        for w, b in zip(weights, biases, strict=True):
            x = tf.nn.relu(tf.matmul(x, w) + b)
        return x

    compiled = function(network)
    return lambda: compiled(x)


def in_jax(given):
    import jax

    x, weights, biases = jax.tree.map(jax.numpy.asarray, given)

    def network(x):
        for w, b in zip(weights, biases, strict=True):
            x = jax.nn.relu(x @ w + b)
        return x

    compiled = jax.jit(network)
    return lambda: compiled(x).block_until_ready()


def in_numpy(given):
    first, weights, biases = given

    def network():
        x = first
        for w, b in zip(weights, biases, strict=True):
            x = x @ w
            x += b
            np.maximum(x, 0, out=x)
        return x

    return network
