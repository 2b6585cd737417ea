"""Models: by subclassing, sequential, and of symbolic calls; their tables; models inside of traced functions."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

import autograph as tf
from tests.work import work

keras, layers = tf.keras, tf.keras.layers
RANDOM = np.random.default_rng(1)


@pytest.fixture(autouse=True)
def _fresh_names(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    keras.utils.clear_session()


def numbers(*shape):
    return RANDOM.normal(size=shape).astype(np.float32)


class Network(keras.Model):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.hidden = [layers.Dense(4, activation="relu") for _ in range(2)]
        self.dropout = layers.Dropout(0.5)
        self.out = layers.Dense(2)

    def call(self, x, training=False):
        for layer in self.hidden:
            x = layer(x)
        return self.out(self.dropout(x, training=training))


# Sequential


def test_sequential_is_its_layers_one_after_the_other():
    first, second = layers.Dense(4, activation="relu"), layers.Dense(2)
    model = keras.Sequential([first, second])
    assert not model.built
    x = numbers(3, 5)
    np.testing.assert_allclose(model(x), second(first(x)))
    np.testing.assert_allclose(tf.function(model)(x), model(x), rtol=1e-6)
    assert model.built
    assert model.layers == [first, second]
    assert [weight.path for weight in model.weights] == [
        "sequential/dense/kernel", "sequential/dense/bias", "sequential/dense_1/kernel", "sequential/dense_1/bias",
    ]  # fmt: skip


@pytest.mark.parametrize("make", [
    lambda: keras.Sequential([layers.Input((4, 4)), layers.Flatten(), layers.Dense(3)]),
    lambda: keras.Sequential([layers.InputLayer(shape=(4, 4)), layers.Flatten(), layers.Dense(3)]),
    lambda: keras.Sequential((layers.Reshape(target_shape=(16,), input_shape=(4, 4)), layers.Dense(3))),
])  # fmt: skip
def test_sequential_with_a_known_input_is_built_at_once(make):
    model = make()
    assert model.built
    model.build()
    assert (model.input_shape, model.output_shape, model.count_params()) == ((None, 4, 4), (None, 3), 51)
    assert len(model.layers) == 2
    assert model(numbers(2, 4, 4)).shape == (2, 3)
    with pytest.raises(ValueError, match=r"Expected shape \(None, 4, 4\), but input has incompatible shape \(2, 5\)"):
        model(numbers(2, 5))


def test_sequential_add_pop_and_build():
    model = keras.Sequential(name="s")
    model.add(layers.Dense(3))
    model.add(layers.Dense(2))
    model.build((None, 5))
    assert model.output_shape == (None, 2)
    assert model.pop().name == "dense_1"
    assert model.output_shape == (None, 3)
    model.add(layers.Dense(7, name="seven"))
    assert model.output_shape == (None, 7)
    assert model.get_layer("seven") is model.get_layer(index=1)
    again = keras.Sequential.from_config(model.get_config())
    assert [layer.get_config() for layer in again.layers] == [layer.get_config() for layer in model.layers]


@pytest.mark.parametrize("text, use", [
    ("Only instances of `keras.Layer` can be added", lambda model: model.add(3)),
    ("already the name of a layer", lambda model: model.add(layers.Dense(1, name="same"))),
    ("needs the shape of its inputs", lambda model: model.build()),
    ("No such layer: x. Existing layers are: .'same'.", lambda model: model.get_layer("x")),
    ("only has 1 layers", lambda model: model.get_layer(index=3)),
    ("Provide either a layer name or layer index", lambda model: model.get_layer()),
    ("but the layer isn't built", lambda model: model.count_params()),
    ("You must call `compile..` before using the model", lambda model: model.fit(np.ones((1, 1)), np.ones((1, 1)))),
    ("You must call `compile..`", lambda model: model.evaluate(np.ones((1, 1)), np.ones((1, 1)))),
])  # fmt: skip
def test_what_a_sequential_refuses(text, use):
    with pytest.raises(ValueError, match=text):
        use(keras.Sequential([layers.Dense(2, name="same")]))


def test_sequential_in_sequential_and_training():
    inner = keras.Sequential([layers.Dense(100), layers.Dropout(0.5)])
    model = keras.Sequential([inner, layers.Activation("relu")])
    x = numbers(2, 3)
    np.testing.assert_array_equal(model(x), model(x))
    zeros = [(np.asarray(model(x, training=training)) == 0).mean() for training in (False, True)]
    assert zeros[1] > zeros[0]
    assert len(model.weights) == 2


# Symbolic calls


def test_functional_models():
    a, b = keras.Input((3,), name="a"), keras.Input((3,), name="b")
    dense = layers.Dense(4)
    both = layers.Concatenate()([dense(a), dense(b)])
    model = keras.Model([a, b], [layers.Dense(2, name="p")(both), both * 2.0 - 1.0])
    x, y = numbers(2, 3), numbers(2, 3)
    wanted = np.concatenate([dense(x), dense(y)], 1)
    for found in (model([x, y]), model({"a": x, "b": y}), tf.function(model)([x, y])):
        np.testing.assert_allclose(found[1], wanted * 2 - 1, rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(found[0], model.get_layer("p")(wanted), rtol=1e-5, atol=1e-6)
    assert [layer.name for layer in model.layers] == ["a", "b", "dense", "concatenate", "p"]
    assert model.input_shape == [(None, 3), (None, 3)]
    assert model.output_shape == [(None, 2), (None, 8)]
    assert len(model.weights) == 4
    with pytest.raises(ValueError, match="takes 2 inputs, not 1"):
        model(x)
    with pytest.raises(ValueError, match="the inputs miss 'b'"):
        model({"a": x})


def test_functional_models_with_dicts_operators_and_inner_models():
    inner = keras.Sequential([layers.Input((3,)), layers.Dense(2)], name="inner")
    x = keras.Input((3,), name="x")
    model = keras.Model({"x": x}, {"twice": inner(x) + inner(-x), "slice": abs(x)[:, 1:]})
    value = numbers(2, 3)
    found = model({"x": value})
    np.testing.assert_allclose(found["twice"], np.asarray(inner(value)) + np.asarray(inner(-value)), rtol=1e-5)
    np.testing.assert_allclose(found["slice"], np.abs(value)[:, 1:])
    assert set(model.output_shape) == {"twice", "slice"}
    outer = keras.Model(x, model({"x": x})["twice"])
    np.testing.assert_allclose(outer(value), found["twice"])
    assert outer.count_params() == 8


def test_a_part_of_a_functional_model():
    x = keras.Input((3,))
    hidden = layers.Dense(4, activation="relu")(x)
    model = keras.Model(x, layers.Dense(1)(hidden))
    features = keras.Model(x, hidden)
    assert features(numbers(2, 3)).shape == (2, 4)
    assert features.layers[1] is model.layers[1]


def test_inputs_of_functional_models_are_brought_into_shape():
    x = keras.Input((1,), dtype="int32")
    model = keras.Model(x, x + 1)
    np.testing.assert_array_equal(model(np.array([1.0, 2.0])), [[2], [3]])
    assert model(np.array([1.0, 2.0])).dtype == tf.int32


def test_a_subclass_made_of_symbolic_calls():
    class Own(keras.Model):
        def __init__(self):
            x = keras.Input((3,))
            super().__init__(inputs=x, outputs=layers.Dense(2)(x))
            self.factor = 2.0

        def call(self, inputs):
            return super().call(inputs) * self.factor

    model = Own()
    x = numbers(1, 3)
    np.testing.assert_allclose(model(x), np.asarray(model.layers[1](x)) * 2, rtol=1e-6)


def test_symbolic_tensors_are_no_tensors():
    x = keras.Input((3,))
    assert repr(x) == "<KerasTensor shape=(None, 3), dtype=float32, sparse=False, ragged=False, name=keras_tensor>"
    assert keras.utils.is_keras_tensor(x)
    for use in (tf.reduce_sum, np.asarray, bool, len, list):
        with pytest.raises(ValueError, match="Lambda layer"):
            use(x)
    model = keras.Model(x, layers.Lambda(tf.reduce_sum)(x))
    assert float(model(np.ones((2, 3)))) == 6


@pytest.mark.parametrize("text, make", [
    ("must be KerasTensors", lambda x: keras.Model(np.ones(3), x)),
    ("must be KerasTensors", lambda x: keras.Model(x, 3)),
    ("`inputs` not connected to `outputs`", lambda x: keras.Model(keras.Input((3,)), layers.Dense(2)(x))),
    ("the outputs are missing", lambda x: keras.Model(x)),
    ("You must pass a `shape` argument", lambda x: keras.Input()),
    ("sparse", lambda x: keras.Input((3,), sparse=True)),
])  # fmt: skip
def test_what_symbolic_calls_refuse(text, make):
    with pytest.raises(ValueError, match=text):
        make(keras.Input((3,)))


# Subclasses


def test_subclassed_models():
    model = Network()
    x = numbers(2, 3)
    found = model(x)
    a, b, c = model.hidden[0], model.hidden[1], model.out
    np.testing.assert_allclose(found, c(b(a(x))))
    np.testing.assert_allclose(tf.function(model)(x), found, rtol=1e-5, atol=1e-6)
    assert model.layers == [a, b, model.dropout, c]
    assert [weight.path for weight in model.weights[:2]] == ["network/dense/kernel", "network/dense/bias"]
    assert repr(model) == "<Network name=network, built=True>"
    with pytest.raises(AttributeError, match="no output_shape"):
        _ = model.output_shape


def test_a_subclassed_model_is_built_for_a_shape():
    model = Network()
    model.build((None, 3))
    assert model.built
    assert model.count_params() == 16 + 20 + 10
    with pytest.raises(ValueError, match="needs the shape of its inputs"):
        Network().build()


def test_call_is_needed():
    with pytest.raises(NotImplementedError, match="Model Model does not have a `call\\(\\)` method"):
        keras.Model()(np.ones(2))


# The seeds


class CustomModel(keras.models.Model):
    @tf.function
    def call(self, input_data):
        if tf.reduce_mean(input_data) > 0:
            return input_data
        else:
            return input_data // 2


def test_a_decorated_call_that_branches():
    model, other = CustomModel(), CustomModel()
    np.testing.assert_array_equal(model(tf.constant([-2, -4])), [-1, -2])
    np.testing.assert_array_equal(model(tf.constant([2, 4])), [2, 4])
    assert model.call.experimental_get_tracing_count() == 1
    assert other.call.experimental_get_tracing_count() == 0
    other(tf.constant([1.0]))
    assert other.call.experimental_get_tracing_count() == 1
    gone = weakref.ref(other)
    del other
    gc.collect()
    assert gone() is None


class Small(keras.Model):
    """A hundred small layers."""

    def __init__(self, **kwargs):
        super(Small, self).__init__(**kwargs)
        self.flatten = layers.Flatten(input_shape=(28, 28))
        self.my_layers = [layers.Dense(64, activation="relu") for n in range(100)]
        self.dropout = layers.Dropout(0.2)
        self.dense_2 = layers.Dense(10)

    def call(self, x):
        x = self.flatten(x)
        for layer in self.my_layers:
            x = layer(x)
        x = self.dropout(x)
        x = self.dense_2(x)
        return x


def test_a_hundred_small_layers_are_less_work_in_a_graph():
    eager, staged = Small(), Small()
    x = tf.random.uniform([20, 28, 28])
    staged.call = tf.function(staged.call)
    wanted = eager(x)
    staged(x)
    staged.set_weights(eager.get_weights())
    np.testing.assert_allclose(staged(x), wanted, rtol=1e-4, atol=1e-6)
    assert staged.call.experimental_get_tracing_count() == 1
    # Garbage of other tests may be collected meanwhile.
    assert min(work(lambda: staged(x)) for _ in range(3)) * 5 < work(lambda: eager(x))
    whole = tf.function(eager)
    np.testing.assert_allclose(whole(x), wanted, rtol=1e-4, atol=1e-6)


def test_a_convolution_in_a_traced_function():
    conv_layer = layers.Conv2D(10, 3)

    @tf.function
    def conv_fn(image):
        return conv_layer(image)

    image = tf.random.normal([1, 20, 20, 10])
    np.testing.assert_allclose(conv_fn(image), conv_layer(image), rtol=1e-4, atol=1e-5)


# Tables


def shown(model, **kwargs):
    texts = []
    model.summary(print_fn=texts.append, **kwargs)
    (text,) = texts  # all at once, as in Keras
    return text.removesuffix("\n")


def test_summary_of_a_chain():
    model = keras.Sequential(
        [
            layers.Input((8, 8, 1)),
            layers.Conv2D(4, 3),
            layers.BatchNormalization(),
            layers.Flatten(),
            layers.Dense(1000),
        ]
    )
    assert (
        shown(model)
        == """\
Model: "sequential"
┏━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┳━━━━━━━━━━━━━━━━━━━━━━━━┳━━━━━━━━━━━━━━━┓
┃ Layer (type)                    ┃ Output Shape           ┃       Param # ┃
┡━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━╇━━━━━━━━━━━━━━━━━━━━━━━━╇━━━━━━━━━━━━━━━┩
│ conv2d (Conv2D)                 │ (None, 6, 6, 4)        │            40 │
├─────────────────────────────────┼────────────────────────┼───────────────┤
│ batch_normalization             │ (None, 6, 6, 4)        │            16 │
│ (BatchNormalization)            │                        │               │
├─────────────────────────────────┼────────────────────────┼───────────────┤
│ flatten (Flatten)               │ (None, 144)            │             0 │
├─────────────────────────────────┼────────────────────────┼───────────────┤
│ dense (Dense)                   │ (None, 1000)           │       145,000 │
└─────────────────────────────────┴────────────────────────┴───────────────┘
 Total params: 145,056 (566.62 KB)
 Trainable params: 145,048 (566.59 KB)
 Non-trainable params: 8 (32.00 B)"""
    )


def test_summary_with_connections():
    x = keras.Input((4,))
    hidden = layers.Dense(3)(x)
    model = keras.Model(x, layers.Concatenate()([hidden, x]) + 1.0)
    assert (
        shown(model)
        == """\
Model: "functional"
┏━━━━━━━━━━━━━━━━━━━━━┳━━━━━━━━━━━━━━━━━━━┳━━━━━━━━━━━━┳━━━━━━━━━━━━━━━━━━━┓
┃ Layer (type)        ┃ Output Shape      ┃    Param # ┃ Connected to      ┃
┡━━━━━━━━━━━━━━━━━━━━━╇━━━━━━━━━━━━━━━━━━━╇━━━━━━━━━━━━╇━━━━━━━━━━━━━━━━━━━┩
│ input_layer         │ (None, 4)         │          0 │ -                 │
│ (InputLayer)        │                   │            │                   │
├─────────────────────┼───────────────────┼────────────┼───────────────────┤
│ dense (Dense)       │ (None, 3)         │         15 │ input_layer[0][0] │
├─────────────────────┼───────────────────┼────────────┼───────────────────┤
│ concatenate         │ (None, 7)         │          0 │ dense[0][0],      │
│ (Concatenate)       │                   │            │ input_layer[0][0] │
├─────────────────────┼───────────────────┼────────────┼───────────────────┤
│ add (Add)           │ (None, 7)         │          0 │ concatenate[0][0] │
└─────────────────────┴───────────────────┴────────────┴───────────────────┘
 Total params: 15 (60.00 B)
 Trainable params: 15 (60.00 B)
 Non-trainable params: 0 (0.00 B)"""
    )


def test_summary_of_what_is_not_built_and_of_nested_models():
    model = keras.Sequential([layers.Dense(3)])
    assert "│ dense (Dense)                   │ ?                      │   0 (unbuilt) │" in shown(model)
    network = Network()
    network(np.ones((1, 4)))
    table = shown(network)
    assert "│ dense_1 (Dense)                 │ (1, 4)                 │            20 │" in table
    inner = keras.Sequential([layers.Input((3,)), layers.Dense(4, name="q")], name="inner")
    x = keras.Input((3,))
    outer = keras.Model(x, layers.Dense(2)(inner(x)))
    nested = shown(outer, expand_nested=True)
    assert "│    └ q (Dense)                  │ (None, 4)              │            16 │" in nested
    assert "q (Dense)" not in shown(outer)
    inner.trainable = False
    marked = shown(outer, show_trainable=True)
    assert "┃ Layer (type)                ┃ Output Shape          ┃    Param # ┃ Trai… ┃" in marked
    assert "│ inner (Sequential)          │ (None, 4)             │         16 │   N   │" in marked
    assert "inner" not in shown(outer, layer_range=("dense", "dense"))
    with pytest.raises(ValueError, match="do not match"):
        shown(outer, layer_range=("nope", "nope"))


def test_summary_counts_the_variables_of_the_optimizer():
    model = keras.Sequential([layers.Input((4,)), layers.Dense(3)])
    model.compile("adam", "mse")
    model.fit(np.ones((2, 4)), np.ones((2, 3)), verbose=0)
    table = shown(model)
    assert " Total params: 47 (192.00 B)\n" in table
    assert table.endswith(" Optimizer params: 32 (132.00 B)")


def test_the_width_of_the_table(monkeypatch):
    model = keras.Sequential([layers.Input((4,)), layers.Dense(3)])
    monkeypatch.setenv("COLUMNS", "200")
    assert len(shown(model).splitlines()[1]) == 88
    assert len(shown(model, line_length=60).splitlines()[1]) == 60
    with pytest.raises(ValueError, match="Insufficient console width"):
        shown(model, line_length=12)


def test_layers_know_what_their_first_call_was_given_and_gave():
    inputs = keras.Input((4,))
    hidden = layers.Dense(3, name="hidden")
    both = layers.Concatenate(name="both")
    model = keras.Model(inputs, layers.Dense(1)(both([hidden(inputs), inputs])))
    assert hidden.input is inputs and hidden.output.shape == (None, 3)
    assert [id(each) for each in both.input] == [id(hidden.output), id(inputs)]
    part = keras.Model(model.inputs, model.get_layer("hidden").output)
    x = np.ones((2, 4), np.float32)
    np.testing.assert_array_equal(part(x), hidden(x))
    first = hidden.output
    hidden(keras.Input((4,)))
    assert hidden.output is first
    every = keras.Sequential([keras.Input((4,)), layers.Dense(3), layers.Dense(2)])
    assert [layer.output.shape for layer in every.layers] == [(None, 3), (None, 2)]
    alone = layers.Dense(2, name="alone")
    assert not hasattr(alone, "output")
    with pytest.raises(AttributeError, match="The layer alone has never been called and thus has no defined input"):
        alone.input

    class Own(layers.Layer):
        def __init__(self):
            super().__init__()
            self.output = layers.Dense(2)

        def call(self, x):
            return self.output(x)

    assert Own()(x).shape == (2, 2)
