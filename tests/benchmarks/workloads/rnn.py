"""dynamic RNN, batch 32, 64 steps, 50 -> 256, masks"""

import numpy as np

TOLERANCE = 1e-4
BATCH, STEPS, WIDTH, STATE = 32, 64, 50, 256


def data(size):
    random = np.random.default_rng(0)
    lengths = random.integers(STEPS // 2, STEPS + 1, BATCH).astype(np.int32)
    lengths[0] = STEPS
    shapes = (BATCH, STEPS, WIDTH), (WIDTH, STATE), (STATE, STATE), (STATE,)
    scales = 1, 0.1, 0.06, 0.1
    x, w, u, b = [(random.normal(size=shape) * scale).astype(np.float32)
                  for shape, scale in zip(shapes, scales, strict=True)]  # fmt: skip
    return x, lengths, w, u, b


def forward(tf):
    """The AutoGraph paper's loop."""

    def rnn(x, lengths, w, u, b):
        x = tf.transpose(x, [1, 0, 2])
        outputs = tf.TensorArray(tf.float32, size=STEPS, element_shape=(BATCH, STATE))
        state = tf.zeros((BATCH, STATE))
        for i in tf.range(tf.reduce_max(lengths)):
            new = tf.tanh(tf.matmul(x[i], w) + tf.matmul(state, u) + b)
            state = tf.where((i < lengths)[:, tf.newaxis], new, state)
            outputs = outputs.write(i, state)
        return tf.transpose(outputs.stack(), [1, 0, 2]), state

    return rnn


def forward_in_jax():
    import jax
    from jax import numpy as jnp

    def rnn(x, lengths, w, u, b):
        def turn(state, given):
            i, row = given
            state = jnp.where((i < lengths)[:, None], jnp.tanh(row @ w + state @ u + b), state)
            return state, state

        steps = jnp.arange(STEPS, dtype=jnp.int32)
        state, outputs = jax.lax.scan(turn, jnp.zeros((BATCH, STATE), jnp.float32), (steps, x.transpose(1, 0, 2)))
        return outputs.transpose(1, 0, 2), state

    return rnn


def in_graph(tf, function, given):
    compiled, args = function(forward(tf)), [*map(tf.constant, given)]
    return lambda: compiled(*args)


def in_jax(given):
    import jax

    compiled, args = jax.jit(forward_in_jax()), [*map(jax.numpy.asarray, given)]
    return lambda: jax.block_until_ready(compiled(*args))


def in_numpy(given):
    x, lengths, w, u, b = given

    def rnn():
        state = np.zeros((BATCH, STATE), np.float32)
        outputs = np.empty((BATCH, STEPS, STATE), np.float32)
        for i in range(lengths.max()):
            new = np.tanh(x[:, i] @ w + state @ u + b)
            outputs[:, i] = state = np.where((i < lengths)[:, None], new, state)
        return outputs, state

    return rnn
