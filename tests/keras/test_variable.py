"""`tf.keras.Variable`: made by users, and by layers, metrics and optimizers."""

from __future__ import annotations

import numpy as np
import pytest

import autograph as tf

keras = tf.keras


def test_variables_of_values_and_of_initializers():
    given = keras.Variable(np.array([1.0, -2.0]), name="v")
    assert (given.name, given.path, given.dtype, given.trainable) == ("v", "v", "float64", True)
    number, whole = keras.Variable(1.5), keras.Variable(3, trainable=False)
    assert (number.dtype, whole.dtype, whole.trainable) == ("float32", "int32", False)
    ones = keras.Variable(keras.initializers.Ones(), (2,), "int32")
    zeros = keras.Variable("zeros", shape=(2, 1))
    made = keras.Variable(lambda shape, dtype: tf.fill(shape, tf.cast(7, dtype)), shape=(1,))
    assert (ones.numpy().tolist(), zeros.numpy().tolist(), made.numpy().tolist()) == ([1, 1], [[0], [0]], [7])
    assert (ones.dtype, zeros.dtype, made.dtype) == ("int32", "float32", "float32")
    assert repr(ones).endswith(", shape=(2,), dtype=int32, value=[1 1]>")
    for initializer in ("zeros", lambda shape, dtype: 1):
        with pytest.raises(ValueError, match="the `shape` argument should be specified"):
            keras.Variable(initializer)


def test_names_are_numbered():
    keras.utils.clear_session()
    assert [keras.Variable(1.0).name for _ in range(2)] == ["variable", "variable_1"]


def test_layers_have_the_variables_in_their_attributes():
    class Scale(keras.layers.Layer):
        def __init__(self):
            super().__init__()
            self.factor = keras.Variable(2.0, name="factor")
            self.count = keras.Variable(0, trainable=False)

        def call(self, x):
            self.count.assign_add(1)
            return x * self.factor

    layer = Scale()
    assert tf.function(layer)(tf.constant(3.0)).numpy() == 6
    assert [v.name for v in layer.trainable_weights] == ["factor"]
    assert layer.count.numpy() == 1
    assert all(isinstance(v, keras.Variable) for v in [*layer.weights, *keras.optimizers.SGD().variables])


def test_a_traced_function_makes_one_in_its_first_call():
    class Model:
        v = None

        @tf.function
        def __call__(self, x):
            if self.v is None:
                self.v = keras.Variable("ones", (2,))
            return self.v.assign_add(x)

    model = Model()
    model(tf.constant([1.0, 2.0]))
    assert model(tf.constant([1.0, 2.0])).numpy().tolist() == [3, 5]
