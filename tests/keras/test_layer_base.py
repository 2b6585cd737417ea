"""What all layers have in common: weights and what holds them, building, training, losses, conversion in traces."""

from __future__ import annotations

import copy
import gc
import subprocess
import sys
import weakref

import numpy as np
import pytest

import autograph as tf
from autograph.errors import StagingError

layers = tf.keras.layers
Layer = layers.Layer


@pytest.fixture(autouse=True)
def _fresh_names():
    tf.keras.utils.clear_session()


class Scale(Layer):
    """A weight of its own and layers in attributes, a list and a dict."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.first = layers.Dense(3)
        self.more = [layers.Dense(3), layers.Dense(3)]
        self.named = {"last": layers.Dense(2)}

    def build(self, input_shape):
        self.scale = self.add_weight((input_shape[-1],), "ones", name="scale")
        self.count = self.add_weight(initializer="zeros", trainable=False, name="count")

    def call(self, x):
        x = self.first(x * self.scale)
        for layer in self.more:
            x = layer(x)
        return self.named["last"](x)


# Weights


def test_weights_of_attributes_lists_and_dicts():
    layer = Scale()
    assert layer.weights == []
    assert not layer.built
    layer(np.ones((2, 4)))
    assert layer.built
    paths = ["scale/scale", "scale/count"]
    paths += [
        f"scale/{name}/{weight}" for name in ("dense", "dense_1", "dense_2", "dense_3") for weight in ("kernel", "bias")
    ]
    assert [weight.path for weight in layer.weights] == paths
    assert [weight.name for weight in layer.weights[:4]] == ["scale", "count", "kernel", "bias"]
    assert len(layer.trainable_weights) == 9
    assert [weight.name for weight in layer.non_trainable_weights] == ["count"]
    assert layer.count_params() == 4 + 1 + 15 + 12 + 12 + 8


def test_a_list_may_grow_after_it_was_set():
    class Growing(Layer):
        def __init__(self):
            super().__init__()
            self.parts = []
            for _ in range(2):
                self.parts.append(layers.Dense(1))

        def call(self, x):
            return sum(part(x) for part in self.parts)

    layer = Growing()
    layer(np.ones((1, 2)))
    assert len(layer.weights) == 4
    layer.parts.append(layers.Dense(1))
    layer(np.ones((1, 2)))
    assert len(layer.weights) == 6


def test_plain_variables_count_as_weights():
    class Own(Layer):
        def __init__(self):
            super().__init__()
            self.v = tf.Variable(2.0)
            self.frozen = tf.Variable(3.0, trainable=False)

        def call(self, x):
            return x * self.v

    layer = Own()
    assert layer.trainable_weights == [layer.v] or layer.trainable_weights[0] is layer.v
    assert len(layer.weights) == 2
    assert len(layer.non_trainable_weights) == 1


def test_a_weight_shared_by_two_layers_counts_once():
    shared = layers.Dense(2)

    class Twice(Layer):
        def __init__(self):
            super().__init__()
            self.a, self.b = shared, [shared]

        def call(self, x):
            return self.a(x) + self.b[0](x)

    layer = Twice()
    layer(np.ones((1, 2)))
    assert len(layer.weights) == 2


def test_trainable_holds_for_the_layers_inside():
    layer = Scale()
    layer(np.ones((1, 2)))
    layer.first.trainable = False
    assert len(layer.trainable_weights) == 7
    layer.trainable = False
    assert layer.trainable_weights == []
    assert len(layer.non_trainable_weights) == 10
    with tf.GradientTape() as tape:
        layer(np.ones((1, 2)))
    assert tape.watched_variables() == ()
    layer.trainable = True
    assert len(layer.trainable_weights) == 9
    assert not layer.count.trainable


def test_weights_of_a_frozen_layer_are_frozen_when_they_are_made():
    layer = layers.Dense(2, trainable=False)
    layer(np.ones((1, 2)))
    assert layer.trainable_weights == []
    layer.trainable = True
    assert len(layer.trainable_weights) == 2


def test_get_and_set_weights():
    layer = layers.Dense(2)
    layer.build((None, 3))
    values = [np.arange(6.0).reshape(3, 2), [1.0, 2.0]]
    layer.set_weights(values)
    np.testing.assert_array_equal(layer.get_weights()[0], values[0])
    got = layer.get_weights()
    got[0][:] = 0  # a copy
    np.testing.assert_array_equal(layer.get_weights()[0], values[0])
    with pytest.raises(ValueError, match="weight list of length 1, but the layer was expecting 2 weights"):
        layer.set_weights(values[:1])
    with pytest.raises(ValueError, match=r"weight shape \(2,\) is not compatible with provided weight shape \(3,\)"):
        layer.set_weights([np.zeros((3, 2)), np.zeros(3)])
    np.testing.assert_array_equal(layer.get_weights()[0], values[0])
    with pytest.raises(
        ValueError, match=r"You tried to call `count_params` on layer 'dense_1', but the layer isn't built"
    ):
        layers.Dense(1).count_params()


def test_weights_as_keras_writes_them():
    layer = layers.Dense(1, kernel_initializer="ones", name="d")
    layer.build((None, 2))
    assert repr(layer.weights[0]) == ("<Variable path=d/kernel, shape=(2, 1), dtype=float32, value=[[1.]\n [1.]]>")
    assert repr(layer) == "<Dense name=d, built=True>"


def test_initializers_regularizers_and_constraints_of_weights():
    layer = layers.Dense(
        2,
        kernel_initializer=lambda shape, dtype=None: tf.fill(shape, -3.0),
        kernel_regularizer=tf.keras.regularizers.L1L2(0.5, 2.0),
        bias_regularizer="l1",
        kernel_constraint="non_neg",
    )
    layer(np.ones((1, 2)))
    l1, bias = layer.losses
    assert float(l1) == 0.5 * 12 + 2 * 36
    assert float(bias) == 0
    model = tf.keras.Sequential([layer])
    model.compile("sgd", "mse")
    model.fit(np.ones((4, 2)), np.ones((4, 2)), verbose=0)
    assert (layer.get_weights()[0] >= 0).all()


def test_names_count_by_class():
    assert [layers.Dense(1).name for _ in range(3)] == ["dense", "dense_1", "dense_2"]
    assert layers.LSTM(1).name == "lstm"
    assert layers.MaxPooling2D().name == "max_pooling2d"
    assert layers.BatchNormalization().name == "batch_normalization"
    assert Scale().name == "scale"
    tf.keras.utils.clear_session()
    assert layers.Dense(1).name == "dense"


# Inputs


def test_floating_inputs_are_cast_to_the_dtype_of_the_layer():
    class Show(Layer):
        def call(self, x):
            return x

    assert Show()(np.ones(2)).dtype == tf.float32
    assert Show(dtype="float64")(tf.ones(2)).dtype == tf.float64
    assert Show(autocast=False)(tf.ones(2, tf.float64)).dtype == tf.float64
    assert Show()(np.arange(2)).dtype == tf.int64
    assert layers.Dense(2, dtype="float64")(np.ones((1, 2))).dtype == tf.float64
    assert layers.Dense(2, dtype="float64").dtype == "float64"


def test_structures_of_inputs_and_several_arguments():
    class Both(Layer):
        def build(self, first_shape, second_shape):
            self.shapes = first_shape, second_shape

        def call(self, first, second, factor=1.0):
            return (first["a"] + second[0]) * factor

    layer = Both()
    a, b = np.ones((2, 3)), np.ones((2, 1))
    for call in (layer, tf.function(layer)):
        np.testing.assert_array_equal(call({"a": a}, [b], factor=2.0), np.full((2, 3), 4.0))
    assert layer.shapes == ({"a": (2, 3)}, [(2, 1)])


# Building


def test_build_runs_once_and_paths_tell_where():
    built = []

    class Inner(Layer):
        def build(self, input_shape):
            built.append(input_shape)
            self.w = self.add_weight((input_shape[-1],), name="w")

        def call(self, x):
            return x * self.w

    class Outer(Layer):
        def __init__(self):
            super().__init__(name="out")
            self.inner = Inner(name="in")

        def call(self, x):
            return self.inner(x)

    layer = Outer()
    layer(np.ones((2, 3)))
    layer(np.ones((4, 3)))
    assert built == [(2, 3)]
    assert layer.inner.w.path == "out/in/w"
    assert layer.inner.path == "out/in"
    alone = Inner()
    alone.build((None, 5))
    assert alone.built
    assert alone.w.path == "inner/w"
    assert alone.w.shape == (5,)


def test_weights_made_in_the_constructor():
    class Own(Layer):
        def __init__(self):
            super().__init__()
            self.w = self.add_weight(3, "ones", name="w")

        def call(self, x):
            return x * self.w

    np.testing.assert_array_equal(tf.function(Own())(np.arange(3.0)), [0, 1, 2])


def test_a_forgotten_constructor():
    class Forgetful(Layer):
        def __init__(self):
            self.a = 3

        def call(self, x):
            return x

    with pytest.raises(RuntimeError, match=r"In layer 'Forgetful', you forgot to call `super\(\).__init__\(\)`"):
        Forgetful()(np.ones(2))


def test_layers_without_call():
    with pytest.raises(NotImplementedError, match="Layer Layer does not have a `call` method implemented"):
        Layer()(np.ones(2))


@pytest.mark.parametrize("text, make", [
    ("shape of a weight must be known", lambda layer: layer.add_weight((None, 2))),
    ("Unrecognized keyword arguments passed to add_weight", lambda layer: layer.add_weight((2,), colour=1)),
])  # fmt: skip
def test_weights_that_can_not_be(text, make):
    with pytest.raises(ValueError, match=text):
        make(Layer())


# In traced functions


def test_the_first_call_may_be_in_a_graph():
    layer = Scale()
    function = tf.function(lambda x: layer(x))
    x = np.ones((2, 4), np.float32)
    found = function(x)
    np.testing.assert_allclose(found, layer(x), rtol=1e-6)
    assert function.experimental_get_tracing_count() == 1
    assert len(layer.weights) == 10


def test_a_layer_made_anew_in_each_trace_is_refused():
    @tf.function
    def function(x):
        return layers.Dense(2)(x)

    with pytest.raises(ValueError, match="tf.function only supports singleton tf.Variables created on the first call"):
        function(np.ones((1, 2)))


def test_a_layer_made_in_the_first_trace():
    class Lazy(Layer):
        def __init__(self):
            super().__init__()
            self.dense = None

        @tf.function
        def call(self, x):
            if self.dense is None:
                self.dense = layers.Dense(2)
            return self.dense(x)

    layer = Lazy()
    np.testing.assert_array_equal(layer(np.ones((1, 2))), layer(np.ones((1, 2))))
    assert len(layer.weights) == 2


def test_a_layer_in_a_staged_branch_is_built_outside():
    class Branching(Layer):
        def __init__(self):
            super().__init__()
            self.dense = layers.Dense(2)

        def call(self, x):
            if tf.reduce_sum(x) > 0:
                return self.dense(x)
            return x

    layer = Branching()
    function = tf.function(lambda x: layer(x))
    x = np.ones((1, 2), np.float32)
    np.testing.assert_array_equal(function(-x), -x)
    np.testing.assert_allclose(function(x), layer(x))
    assert len(layer.weights) == 2


def test_calls_are_converted_in_traces():
    class Control(Layer):
        def call(self, x):
            total = tf.zeros(())
            for row in x:
                if tf.reduce_sum(row) < 0:
                    continue
                total += tf.reduce_sum(row)
            return total

    class Outer(Layer):
        def __init__(self):
            super().__init__()
            self.inner = Control()

        def call(self, x):
            return self.inner(x) if tf.size(x) > 2 else -self.inner(x)

    layer = Outer()
    function = tf.function(layer, input_signature=None)
    for x in ([[1.0, 2.0], [-3.0, 1.0]], [[4.0, -1.0], [2.0, 2.0]]):
        assert float(function(np.array(x))) == float(layer(np.array(x)))
    assert function.experimental_get_tracing_count() == 1


def test_errors_in_call_show_the_line_of_the_user():
    class Bad(Layer):
        def call(self, x):
            return tf.matmul(x, x)  # here

    with pytest.raises(ValueError) as caught:
        tf.function(Bad())(np.ones((2, 3)))
    assert caught.value.line == Bad.call.__code__.co_firstlineno + 1
    assert caught.value.function == "call"


def test_state_of_the_user_in_call_is_written_when_the_graph_runs():
    class Remembering(Layer):
        def call(self, x):
            self.last = tf.reduce_sum(x)
            return x

    layer = Remembering()
    function = tf.function(lambda x: layer(x))
    for value in (1.0, 2.0):
        function(np.full(2, value))
        assert float(layer.last) == 2 * value


def test_nodes_are_named_by_layers():
    layer = Scale()
    layer(np.ones((1, 2)))
    graph = tf.function(layer).get_concrete_function(tf.TensorSpec((1, 2))).graph
    assert {"scale/dense/matmul", "scale/dense_1/matmul"} <= {node.name for node in graph.nodes}


def test_instances_are_not_kept_alive():
    class Own(Layer):
        def __init__(self):
            super().__init__()
            self.dense = layers.Dense(2)

        @tf.function
        def call(self, x):
            return self.dense(x) if tf.reduce_sum(x) > 0 else x

    layer = Own()
    layer(np.ones((1, 2)))
    gone = weakref.ref(layer), weakref.ref(layer.dense)
    del layer
    gc.collect()
    assert [each() for each in gone] == [None, None]


# Training


class Told(Layer):
    """Returns 1 when it is told that this is training, -1 that it isn't, 0 when it is told nothing."""

    def call(self, x, training=None):
        return x * 0 + (0 if training is None else 1 if training else -1)


class Outer(Layer):
    def __init__(self):
        super().__init__()
        self.inner = Told()

    def call(self, x):
        return self.inner(x)


@pytest.mark.parametrize("wrap", [lambda layer: layer, tf.function], ids=["eager", "graph"])
def test_training_goes_to_the_layers_inside(wrap):
    layer, x = Outer(), np.zeros(1, np.float32)
    call = wrap(layer)
    assert float(call(x)[0]) == 0
    assert float(call(x, training=True)[0]) == 1
    assert float(call(x, training=False)[0]) == -1
    assert float(call(x)[0]) == 0


def test_a_traced_call_is_traced_for_each_training():
    layer, x = Outer(), np.zeros(1, np.float32)
    layer.call = tf.function(layer.call)
    assert [float(layer(x, training=training)[0]) for training in (None, True, False, True)] == [0, 1, -1, 1]
    assert layer.call.experimental_get_tracing_count() == 3
    assert "training: the Python value True (before: the Python value None)" in layer.call.explain()


def test_training_given_to_an_inner_layer_and_defaults():
    class Own(Layer):
        def __init__(self):
            super().__init__()
            self.told = Told()

        def call(self, x, training=False):
            return self.told(x), self.told(x, training=True)

    layer, x = Own(), np.zeros(1, np.float32)
    assert [float(each[0]) for each in layer(x)] == [-1, 1]
    assert [float(each[0]) for each in layer(x, training=True)] == [1, 1]
    assert float(Told()(x)[0]) == 0  # nothing is left over


def test_training_is_forgotten_after_an_error():
    class Failing(Layer):
        def call(self, x):
            raise KeyError("no")

    with pytest.raises(KeyError):
        Failing()(np.zeros(1), training=True)
    assert float(Told()(np.zeros(1))[0]) == 0


# Losses


def test_losses_of_the_last_call():
    class Adding(Layer):
        def call(self, x):
            self.add_loss(tf.reduce_sum(x))
            return x

    class Two(Layer):
        def __init__(self):
            super().__init__()
            self.parts = [Adding(), Adding()]

        def call(self, x):
            for part in self.parts:
                x = part(x)
            return x

    layer = Two()
    for total in (3.0, 6.0):
        layer(np.full(3, total / 3))
        assert [float(loss) for loss in layer.losses] == [total, total]

    @tf.function
    def function(x):
        layer(x)
        return sum(layer.losses)

    assert float(function(np.ones(3))) == 6
    assert layer.losses == []  # those of the graph are of no use here


def test_activity_regularizer():
    layer = layers.Dense(2, activity_regularizer=tf.keras.regularizers.L2(0.5))
    found = np.asarray(layer(np.ones((4, 3))))
    assert float(layer.losses[0]) == pytest.approx(0.5 * (found**2).sum() / 4, rel=1e-5)


# Copies and imports


def test_a_deep_copy_has_weights_of_its_own():
    layer = Scale()
    x = np.ones((1, 2), np.float32)
    before = np.asarray(layer(x))
    other = copy.deepcopy(layer)
    np.testing.assert_array_equal(other(x), before)
    assert [weight.path for weight in other.weights] == [weight.path for weight in layer.weights]
    other.set_weights([weight * 0 for weight in other.get_weights()])
    np.testing.assert_array_equal(layer(x), before)


def test_configuration_of_a_class_of_the_user():
    class Own(Layer):
        def __init__(self, units, power=2, **kwargs):
            super().__init__(**kwargs)
            self.units = units

    layer = Own(3, name="own")
    config = layer.get_config()
    assert (config["units"], config["power"], config["name"]) == (3, 2, "own")
    assert Own.from_config(config).get_config() == config
    with pytest.raises(NotImplementedError, match="must override `get_config"):
        Own(object()).get_config()


def test_keras_loads_when_it_is_used():
    program = (
        "import sys, autograph as tf\n"
        "assert not any(name.startswith('autograph.keras') for name in sys.modules)\n"
        "from autograph.keras.layers import Dense\n"
        "from autograph import keras\n"
        "assert Dense is tf.keras.layers.Dense and keras is tf.keras and keras.Model is tf.keras.models.Model\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)


def test_a_weight_in_a_staged_branch_of_a_new_layer_is_refused():
    @tf.function
    def function(x):
        if tf.reduce_sum(x) > 0:
            return layers.Dense(2)(x)
        return x

    with pytest.raises(StagingError, match="is created in a branch or loop"):
        function(np.ones((1, 2), np.float32))
