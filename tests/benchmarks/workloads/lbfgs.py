"""L-BFGS, 78,400 parameters, 20 iterations"""

import numpy as np

TOLERANCE = 1e-2
ITERATIONS, HISTORY, INPUTS, OUTPUTS = 20, 5, 784, 100


def data(size):
    random = np.random.default_rng(0)
    x = (random.normal(size=(100, INPUTS)) / 28).astype(np.float32)
    return x, random.normal(size=(100, OUTPUTS)).astype(np.float32)


def compared(result):
    return result[1]  # the loss: parameters that do as well may differ


def _loss_and_gradient(xp, matmul, transpose, x, y, w):
    error = matmul(x, xp.reshape(w, (INPUTS, OUTPUTS))) - y
    loss = 0.5 * xp.sum(error * error) + 0.0005 * xp.sum(w * w)
    return loss, xp.reshape(matmul(transpose(x), error), (-1,)) + 0.001 * w


def in_graph(tf, function, given):
    class Names:
        reshape, sum = staticmethod(tf.reshape), staticmethod(tf.reduce_sum)

    def minimize(x, y):
        w = tf.zeros((INPUTS * OUTPUTS,))
        steps, changes = tf.zeros((HISTORY, INPUTS * OUTPUTS)), tf.zeros((HISTORY, INPUTS * OUTPUTS))
        loss, g = _loss_and_gradient(Names, tf.matmul, tf.transpose, x, y, w)
        for _ in tf.range(ITERATIONS):
            direction = -g
            factors = []
            for k in range(HISTORY):
                product = tf.reduce_sum(steps[k] * changes[k])
                known = product > 1e-10
                safe = tf.where(known, product, 1.0)
                a = tf.where(known, tf.reduce_sum(steps[k] * direction) / safe, 0.0)
                direction -= a * changes[k]
                factors.append((a, known, safe))
            square = tf.reduce_sum(changes[0] * changes[0])
            scale = tf.where(square > 0, tf.reduce_sum(steps[0] * changes[0]) / tf.maximum(square, 1e-20), 1.0)
            direction *= scale
            for k in range(HISTORY - 1, -1, -1):
                a, known, safe = factors[k]
                b = tf.reduce_sum(changes[k] * direction) / safe
                direction += tf.where(known, a - b, 0.0) * steps[k]
            slope = tf.reduce_sum(g * direction)
            t = tf.constant(1.0)
            new_loss, new_g = _loss_and_gradient(Names, tf.matmul, tf.transpose, x, y, w + t * direction)
            while new_loss > loss + 1e-4 * t * slope and t > 1e-3:
                t = t * 0.5
                new_loss, new_g = _loss_and_gradient(Names, tf.matmul, tf.transpose, x, y, w + t * direction)
            steps = tf.concat([(t * direction)[tf.newaxis], steps[:-1]], 0)
            changes = tf.concat([(new_g - g)[tf.newaxis], changes[:-1]], 0)
            w, loss, g = w + t * direction, new_loss, new_g
        return w, loss

    compiled, args = function(minimize), [*map(tf.constant, given)]
    return lambda: compiled(*args)


def in_jax(given):
    import jax
    from jax import lax
    from jax import numpy as jnp

    def evaluate(x, y, w):
        return _loss_and_gradient(jnp, jnp.matmul, jnp.transpose, x, y, w)

    def minimize(x, y):
        def turn(_, state):
            w, loss, g, steps, changes = state
            direction = -g
            factors = []
            for k in range(HISTORY):
                product = jnp.sum(steps[k] * changes[k])
                known = product > 1e-10
                safe = jnp.where(known, product, 1.0)
                a = jnp.where(known, jnp.sum(steps[k] * direction) / safe, 0.0)
                direction -= a * changes[k]
                factors.append((a, known, safe))
            square = jnp.sum(changes[0] * changes[0])
            direction *= jnp.where(square > 0, jnp.sum(steps[0] * changes[0]) / jnp.maximum(square, 1e-20), 1.0)
            for k in range(HISTORY - 1, -1, -1):
                a, known, safe = factors[k]
                direction += jnp.where(known, a - jnp.sum(changes[k] * direction) / safe, 0.0) * steps[k]
            slope = jnp.sum(g * direction)

            def too_far(state):
                t, new_loss, _ = state
                return (new_loss > loss + 1e-4 * t * slope) & (t > 1e-3)

            def shorter(state):
                t = state[0] * 0.5
                return t, *evaluate(x, y, w + t * direction)

            t, new_loss, new_g = lax.while_loop(too_far, shorter, (jnp.float32(1), *evaluate(x, y, w + direction)))
            steps = jnp.concatenate([(t * direction)[None], steps[:-1]])
            changes = jnp.concatenate([(new_g - g)[None], changes[:-1]])
            return w + t * direction, new_loss, new_g, steps, changes

        w = jnp.zeros(INPUTS * OUTPUTS, jnp.float32)
        history = jnp.zeros((HISTORY, INPUTS * OUTPUTS), jnp.float32)
        return lax.fori_loop(0, ITERATIONS, turn, (w, *evaluate(x, y, w), history, history))[:2]

    compiled, args = jax.jit(minimize), [*map(jnp.asarray, given)]
    return lambda: jax.block_until_ready(compiled(*args))


def in_numpy(given):
    x, y = given

    def evaluate(w):
        return _loss_and_gradient(np, np.matmul, np.transpose, x, y, w)

    def minimize():
        w = np.zeros(INPUTS * OUTPUTS, np.float32)
        history: list = []
        loss, g = evaluate(w)
        for _ in range(ITERATIONS):
            direction, factors = -g, []
            for step, change in history:
                a = step @ direction / (step @ change)
                direction -= a * change
                factors.append(a)
            if history:
                step, change = history[0]
                direction *= step @ change / (change @ change)
            for (step, change), a in zip(reversed(history), reversed(factors), strict=True):
                direction += (a - change @ direction / (step @ change)) * step
            slope, t = g @ direction, np.float32(1)
            new_loss, new_g = evaluate(w + t * direction)
            while new_loss > loss + 1e-4 * t * slope and t > 1e-3:
                t *= np.float32(0.5)
                new_loss, new_g = evaluate(w + t * direction)
            step, change = t * direction, new_g - g
            history = [(step, change), *history][:HISTORY]
            w, loss, g = w + step, new_loss, new_g
        return w, loss

    return minimize
