"""fit, one epoch"""

from tests.benchmarks import models

CASES = models.CASES
TOLERANCE = 0.2  # dropout draws other numbers
WITHOUT = ("TensorFlow XLA",)  # Keras takes XLA by itself where it can


def data(size):
    return models.data(size)


def _run(keras, given):
    number, (x, labels) = given
    model = models.model(keras, number)
    model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    return lambda: model.fit(x, labels, batch_size=models.BATCH, epochs=1, verbose=0, shuffle=False).history["loss"][0]


def in_graph(tf, function, given):
    return _run(tf.keras, given)


def in_jax(given):
    return _run(models.keras_on_jax(), given)
