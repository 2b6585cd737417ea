"""predict"""

from tests.benchmarks import models

CASES = models.CASES
TOLERANCE = 1e-3
WITHOUT = ("TensorFlow XLA",)  # Keras takes XLA by itself where it can


def data(size):
    return models.data(size)


def _run(keras, given):
    number, (x, _) = given
    model = models.model(keras, number)
    return lambda: model.predict(x, batch_size=models.BATCH, verbose=0)


def in_graph(tf, function, given):
    return _run(tf.keras, given)


def in_jax(given):
    return _run(models.keras_on_jax(), given)
