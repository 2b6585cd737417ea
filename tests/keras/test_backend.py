"""`tf.keras.backend`, `tf.keras.config` and policies of dtypes: Keras 3.15's values, and what the settings reach."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import autograph as tf
from autograph.errors import InvalidArgumentError, UnimplementedError
from autograph.keras.base import defaults

from .data.backend_calls import NAMES, plain

GOLDEN = json.loads((Path(__file__).parent / "data" / "backend.json").read_text())
K, config, layers = tf.keras.backend, tf.keras.config, tf.keras.layers


@pytest.fixture(autouse=True)
def settings_return() -> Iterator[None]:
    yield
    config.set_floatx("float32")
    config.set_epsilon(1e-7)
    config.set_image_data_format("channels_last")
    defaults._Settings.policy = None


@pytest.mark.parametrize("call", GOLDEN)
def test_values_are_kerass(call: str) -> None:
    found, expected = json.loads(json.dumps(plain(eval(call, {"K": K, "tf": tf, **NAMES})))), GOLDEN[call]
    if isinstance(expected, list) and isinstance(expected[0], str):
        assert found[:2] == expected[:2]
        np.testing.assert_allclose(found[2], expected[2], rtol=1e-5, atol=1e-6)
    else:
        assert found == expected


def test_functions_in_a_graph() -> None:
    @tf.function
    def normalised(x):
        return K.batch_flatten(K.switch(K.sum(x) > 0, lambda: x / K.sum(x), lambda: K.zeros_like(x)))

    x = np.arange(8.0, dtype=np.float32).reshape(2, 2, 2)
    found = normalised.get_concrete_function(tf.TensorSpec((None, 2, None)))(x)
    np.testing.assert_allclose(found, x.reshape(2, 4) / 28)


def test_values_of_variables() -> None:
    kernel, rate = K.variable([[1, 2]]), K.variable(0.1)
    K.set_value(rate, 0.5)
    K.batch_set_value([(kernel, [[3, 4]])])
    assert K.get_value(rate) == 0.5 and K.batch_get_value([kernel])[0].tolist() == [[3, 4]]
    assert K.get_value(3) == 3
    optimizer = tf.keras.optimizers.SGD(0.1)
    K.set_value(optimizer.learning_rate, 0.02)
    assert float(optimizer.learning_rate.numpy()) == pytest.approx(0.02)


def test_names_begin_again() -> None:
    K.clear_session()
    assert [layers.Dense(1).name for _ in range(2)] == ["dense", "dense_1"]
    K.clear_session()
    assert layers.Dense(1).name == "dense"
    assert K.get_uid("a name of this test") == 1 and K.get_uid("a name of this test") == 2


def test_floats_of_another_dtype() -> None:
    """Keras 3.15 has float64 in all these places."""
    config.set_floatx("float64")
    model = tf.keras.Sequential([layers.Dense(1)])
    model.compile("adam", "mse", metrics=["mae"])
    model.fit(np.zeros((2, 2)), np.zeros((2, 1)), verbose=0)
    assert [v.dtype.name for v in model.weights] == ["float64", "float64"]
    assert [v.dtype.name for v in model.optimizer.variables] == ["int64", *["float64"] * 5]
    assert model(np.zeros((1, 2))).dtype == tf.float64
    assert layers.Dense(1).get_config()["dtype"]["config"] == {"name": "float64"}
    assert tf.keras.Input((2,)).dtype == "float64"
    assert tf.keras.metrics.Mean().dtype == tf.keras.losses.MeanSquaredError().dtype == "float64"
    assert tf.keras.initializers.Ones()((1,)).dtype == tf.float64
    assert tf.keras.metrics.binary_accuracy([1.0], [1.0]).dtype == tf.float64
    assert tf.keras.utils.standardize_dtype(None) == "float64"


def test_a_larger_epsilon() -> None:
    """Keras 3.15's numbers."""
    config.set_epsilon(1e-3)
    assert float(tf.keras.losses.binary_crossentropy([1.0], [0.0])) == pytest.approx(6.9077554)
    assert tf.keras.metrics.AUC().thresholds[:2] == [-0.001, 0.005025125628140704]
    assert tf.keras.optimizers.Adam().epsilon == 1e-7


def test_channels_in_front() -> None:
    config.set_image_data_format("channels_first")
    for layer in (layers.Conv2D(2, 2), layers.Flatten(), layers.RandomFlip(), layers.SpatialDropout2D(0.1)):
        assert layer.data_format == "channels_first"
    assert layers.MaxPooling2D()(np.zeros((1, 3, 4, 4), np.float32)).shape == (1, 3, 2, 2)
    assert tf.keras.utils.img_to_array(np.zeros((2, 5))).shape == (1, 2, 5)


def test_policies() -> None:
    policy = tf.keras.mixed_precision.Policy("float64")
    assert repr(policy) == '<DTypePolicy "float64">' and policy == tf.keras.DTypePolicy("float64")
    assert policy.get_config() == {"name": "float64"} and policy.from_config(policy.get_config()) == policy
    assert {policy, tf.keras.DTypePolicy("float64")} == {policy}
    assert (policy.name, policy.compute_dtype, policy.variable_dtype) == ("float64",) * 3
    assert policy.quantization_mode is None
    layer = layers.Dense(1, dtype=policy)
    assert layer.dtype == "float64" and layer.dtype_policy == policy
    assert type(layer).from_config(layer.get_config()).dtype == "float64"
    tf.keras.mixed_precision.set_global_policy(policy)
    assert layers.Dense(1).dtype == "float64" and tf.keras.mixed_precision.global_policy() == policy
    assert config.floatx() == "float32" and tf.keras.metrics.Mean().dtype == "float32"
    config.set_dtype_policy({"class_name": "DTypePolicy", "config": {"name": "float16"}})
    assert layers.Dense(1).dtype == "float16"


def test_tracebacks_and_bars() -> None:
    assert config.is_traceback_filtering_enabled()
    config.disable_traceback_filtering()
    assert tf.config.settings.full_traceback
    config.enable_traceback_filtering()
    assert config.is_traceback_filtering_enabled() and config.is_interactive_logging_enabled()
    config.set_backend("tensorflow")


@pytest.mark.parametrize(
    "call, error, text",
    [("config.set_floatx('int32')", InvalidArgumentError, "Unknown `floatx` value: int32"),
     ("config.set_floatx('bfloat16')", UnimplementedError, "no dtype bfloat16"),
     ("config.set_image_data_format('first')", InvalidArgumentError, "`data_format` argument"),
     ("config.set_dtype_policy('mixed_float16')", UnimplementedError, "mixed precision"),
     ("config.set_dtype_policy('floats')", InvalidArgumentError, "Cannot convert 'floats'"),
     ("config.set_dtype_policy(3)", InvalidArgumentError, "Invalid `policy` argument"),
     ("tf.keras.DTypePolicy(3)", InvalidArgumentError, "'name' must be a string"),
     ("layers.Dense(1, dtype='mixed_bfloat16')", UnimplementedError, "mixed precision"),
     ("config.set_backend('jax')", UnimplementedError, "backend 'jax'"),
     ("config.set_backend('x')", InvalidArgumentError, "the backend is 'tensorflow'"),
     ("K.standardize_dtype('x')", InvalidArgumentError, "Invalid dtype: x"),
     ("K.repeat(np.zeros(3), 2)", InvalidArgumentError, "rank 2"),
     ("K.batch_dot(np.zeros(3), np.zeros(3))", InvalidArgumentError, "rank < 2"),
     ("K.batch_dot(np.zeros((3, 2)), np.zeros((3, 2)), 0)", InvalidArgumentError, "over axis 0"),
     ("K.bias_add(np.zeros((2, 3, 4)), np.zeros((2, 3, 4)))", InvalidArgumentError, "Unexpected bias"),
     ("K.bias_add(np.zeros((2, 3)), np.zeros(3), 'last')", InvalidArgumentError, "Unknown data_format")],
)  # fmt: skip
def test_what_is_refused(call: str, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        eval(call)
