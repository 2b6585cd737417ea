"""beam search, beam 5, 20 steps, vocabulary 10,000"""

import numpy as np

TOLERANCE = 1e-3
BEAM, STEPS, WORDS, STATE, END = 5, 20, 10_000, 64, 1


def data(size):
    random = np.random.default_rng(0)
    words = random.normal(size=(WORDS, STATE)).astype(np.float32)
    return words, (random.normal(size=(STATE, STATE)) / 8).astype(np.float32)


def in_graph(tf, function, given):
    def search(words, u):
        tokens, state = tf.zeros((BEAM,), tf.int32), tf.zeros((BEAM, STATE))
        scores = tf.constant([0.0] + [-1e9] * (BEAM - 1))
        found = tf.zeros((BEAM, STEPS), tf.int32)
        i = tf.constant(0)
        while i < STEPS and tf.reduce_any(tokens != END):
            state = tf.tanh(tf.gather(words, tokens) + tf.matmul(state, u))
            likely = tf.nn.log_softmax(tf.matmul(state, words, transpose_b=True))
            scores, places = tf.math.top_k(tf.reshape(scores[:, tf.newaxis] + likely, (-1,)), k=BEAM)
            beams, tokens = places // WORDS, places % WORDS
            state, found = tf.gather(state, beams), tf.gather(found, beams)
            found = tf.where(tf.range(STEPS) == i, tokens[:, tf.newaxis], found)
            i += 1
        return found, scores

    compiled, args = function(search), [*map(tf.constant, given)]
    return lambda: compiled(*args)


def in_jax(given):
    import jax
    from jax import numpy as jnp

    def search(words, u):
        def turn(state):
            i, tokens, h, scores, found = state
            h = jnp.tanh(words[tokens] + h @ u)
            likely = jax.nn.log_softmax(h @ words.T)
            scores, places = jax.lax.top_k((scores[:, None] + likely).reshape(-1), BEAM)
            beams, tokens = places // WORDS, places % WORDS
            return i + 1, tokens, h[beams], scores, found[beams].at[:, i].set(tokens)

        zeros = jnp.zeros(BEAM, jnp.int32)
        scores = jnp.array([0.0] + [-1e9] * (BEAM - 1), jnp.float32)
        state = 0, zeros, jnp.zeros((BEAM, STATE), jnp.float32), scores, jnp.zeros((BEAM, STEPS), jnp.int32)
        state = jax.lax.while_loop(lambda state: (state[0] < STEPS) & (state[1] != END).any(), turn, state)
        return state[4], state[3]

    compiled, args = jax.jit(search), [*map(jnp.asarray, given)]
    return lambda: jax.block_until_ready(compiled(*args))


def in_numpy(given):
    words, u = given

    def search():
        tokens, state = np.zeros(BEAM, np.int32), np.zeros((BEAM, STATE), np.float32)
        scores = np.array([0.0] + [-1e9] * (BEAM - 1), np.float32)
        found = np.zeros((BEAM, STEPS), np.int32)
        for i in range(STEPS):
            if (tokens == END).all():
                break
            state = np.tanh(words[tokens] + state @ u)
            logits = state @ words.T
            logits -= logits.max(1, keepdims=True)
            flat = (scores[:, None] + logits - np.log(np.exp(logits).sum(1, keepdims=True))).reshape(-1)
            places = np.argpartition(flat, -BEAM)[-BEAM:]
            places = places[np.argsort(-flat[places], kind="stable")]
            scores, beams, tokens = flat[places], places // WORDS, (places % WORDS).astype(np.int32)
            state, found = state[beams], found[beams]
            found[:, i] = tokens
        return found, scores

    return search
