"""first call, a training step of a Keras model of 50 layers"""

import numpy as np

FRESH = True
TOLERANCE = 1e-3
RATE = 0.1


def data(size):
    random = np.random.default_rng(0)
    layers = [(random.normal(size=(32, 32)) / 5).astype(np.float32) for _ in range(size or 50)]
    return random.normal(size=(20, 32)).astype(np.float32), random.integers(0, 32, 20).astype(np.int32), layers


def in_graph(tf, function, given):
    x, labels, kernels = tf.constant(given[0]), tf.constant(given[1]), given[2]
    layers = [tf.keras.layers.Dense(32, activation="relu") for _ in kernels]
    model = tf.keras.Sequential([tf.keras.Input((32,)), *layers])
    model.set_weights([weights for kernel in kernels for weights in (kernel, np.zeros(32, np.float32))])
    loss_of = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    optimizer = tf.keras.optimizers.SGD(RATE)
    optimizer.build(model.trainable_variables)

    def step(x, labels):
        with tf.GradientTape() as tape:
            loss = loss_of(labels, model(x, training=True))
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
        return loss

    compiled = function(step)
    return lambda: compiled(x, labels)


def in_jax(given):
    import jax
    from jax import numpy as jnp

    x, labels, kernels = jax.tree.map(jnp.asarray, given)
    weights = [(kernel, jnp.zeros(32, jnp.float32)) for kernel in kernels]

    def loss(weights, x, labels):
        for kernel, bias in weights:
            x = jax.nn.relu(x @ kernel + bias)
        return -jnp.take_along_axis(jax.nn.log_softmax(x), labels[:, None], 1).mean()

    def step(weights, x, labels):
        found, gradients = jax.value_and_grad(loss)(weights, x, labels)
        return found, jax.tree.map(lambda weight, gradient: weight - RATE * gradient, weights, gradients)

    compiled = jax.jit(step)

    def run():
        nonlocal weights
        found, weights = compiled(weights, x, labels)
        return found.block_until_ready()

    return run
