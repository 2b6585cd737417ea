"""gradient of the RNN, batch 32, 64 steps"""

from . import rnn

TOLERANCE = 1e-3
data = rnn.data


def in_graph(tf, function, given):
    forward = rnn.forward(tf)

    def gradient(x, lengths, w, u, b):
        with tf.GradientTape() as tape:
            tape.watch((w, u, b))
            outputs, state = forward(x, lengths, w, u, b)
            loss = tf.reduce_mean(outputs * outputs) + tf.reduce_mean(state)
        return tape.gradient(loss, (w, u, b))

    compiled, args = function(gradient), [*map(tf.constant, given)]
    return lambda: compiled(*args)


def in_jax(given):
    import jax

    forward = rnn.forward_in_jax()

    def loss(x, lengths, w, u, b):
        outputs, state = forward(x, lengths, w, u, b)
        return (outputs * outputs).mean() + state.mean()

    compiled, args = jax.jit(jax.grad(loss, (2, 3, 4))), [*map(jax.numpy.asarray, given)]
    return lambda: jax.block_until_ready(compiled(*args))
