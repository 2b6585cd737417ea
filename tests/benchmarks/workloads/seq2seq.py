"""seq2seq, greedy, batch 32, 64 steps, vocabulary 1,000"""

import numpy as np

TOLERANCE = 1e-2
BATCH, STEPS, WORDS, STATE = 32, 64, 1000, 256


def data(size):
    random = np.random.default_rng(0)
    shapes = (WORDS, STATE), (STATE, STATE), (STATE, STATE), (STATE, WORDS)
    scales = 1, 0.06, 0.06, 0.1
    weights = [(random.normal(size=shape) * scale).astype(np.float32)
               for shape, scale in zip(shapes, scales, strict=True)]  # fmt: skip
    return random.integers(0, WORDS, (BATCH, STEPS)).astype(np.int32), *weights


def compared(result):
    """Where two words are as likely, rounding decides, and what follows differs: the first words are compared."""
    return np.asarray(result)[:, :8]


def in_graph(tf, function, given):
    def translate(source, words, encode, decode, project):
        state = tf.zeros((BATCH, STATE))
        for i in tf.range(STEPS):
            state = tf.tanh(tf.gather(words, source[:, i]) + tf.matmul(state, encode))
        token = tf.zeros((BATCH,), tf.int32)
        outputs = tf.TensorArray(tf.int32, size=STEPS, element_shape=(BATCH,))
        for i in tf.range(STEPS):
            state = tf.tanh(tf.gather(words, token) + tf.matmul(state, decode))
            token = tf.argmax(tf.matmul(state, project), axis=1, output_type=tf.int32)
            outputs = outputs.write(i, token)
        return tf.transpose(outputs.stack())

    compiled, args = function(translate), [*map(tf.constant, given)]
    return lambda: compiled(*args)


def in_jax(given):
    import jax
    from jax import numpy as jnp

    def translate(source, words, encode, decode, project):
        def read(state, tokens):
            return jnp.tanh(words[tokens] + state @ encode), None

        def write(given, _):
            state, token = given
            state = jnp.tanh(words[token] + state @ decode)
            token = jnp.argmax(state @ project, 1).astype(jnp.int32)
            return (state, token), token

        state, _ = jax.lax.scan(read, jnp.zeros((BATCH, STATE), jnp.float32), source.T)
        return jax.lax.scan(write, (state, jnp.zeros(BATCH, jnp.int32)), length=STEPS)[1].T

    compiled, args = jax.jit(translate), [*map(jnp.asarray, given)]
    return lambda: compiled(*args).block_until_ready()


def in_numpy(given):
    source, words, encode, decode, project = given

    def translate():
        state, token = np.zeros((BATCH, STATE), np.float32), np.zeros(BATCH, np.int32)
        outputs = np.empty((BATCH, STEPS), np.int32)
        for i in range(STEPS):
            state = np.tanh(words[source[:, i]] + state @ encode)
        for i in range(STEPS):
            state = np.tanh(words[token] + state @ decode)
            outputs[:, i] = token = (state @ project).argmax(1)
        return outputs

    return translate
