"""Models of Keras on eight devices: data parallel, and model parallel."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import autograph as tf
from autograph.runtime.engines.xla.resident import original

from .checks import Compilations, assert_close

layers, keras = tf.keras.layers, tf.keras.distribution
NUMBERS = np.random.default_rng(0)
# 70 samples in batches of 32: the last batch has 6, which do not divide.
IMAGES = NUMBERS.normal(size=(70, 6, 6, 1)).astype(np.float32)
TEXTS = NUMBERS.integers(0, 12, size=(70, 5)).astype(np.int32)
CLASSES = NUMBERS.integers(0, 4, size=70).astype(np.int32)


def mlp() -> Any:
    return tf.keras.Sequential([
        tf.keras.Input((6, 6, 1)), layers.Flatten(), layers.Dense(16, activation="relu"), layers.BatchNormalization(),
        layers.Dropout(0.5), layers.Dense(4),
    ])  # fmt: skip


def cnn() -> Any:
    return tf.keras.Sequential([
        tf.keras.Input((6, 6, 1)), layers.Conv2D(4, 3, activation="relu"), layers.BatchNormalization(),
        layers.MaxPooling2D(), layers.Flatten(), layers.Dense(4),
    ])  # fmt: skip


def lstm() -> Any:
    return tf.keras.Sequential([tf.keras.Input((5,)), layers.Embedding(12, 8), layers.LSTM(8), layers.Dense(4)])


def transformer() -> Any:
    inputs = tf.keras.Input((5,), dtype="int32")
    x = layers.Embedding(12, 8)(inputs)
    x = layers.LayerNormalization()(x + layers.MultiHeadAttention(2, 4)(x, x))
    x = layers.LayerNormalization()(x + layers.Dense(8)(layers.Dense(16, activation="gelu")(x)))
    return tf.keras.Model(inputs, layers.Dense(4)(layers.GlobalAveragePooling1D()(x)))


def trained(make: Callable[[], Any], inputs: Any, distribution: Any) -> tuple[Any, Any]:
    """A model trained over devices, and all that can be seen of that."""
    tf.keras.utils.clear_session()
    tf.keras.utils.set_random_seed(1)
    keras.set_distribution(distribution)
    model = make()
    model.compile(
        tf.keras.optimizers.Adam(0.01, epsilon=1e-3, global_clipnorm=0.5), metrics=["accuracy"],
        loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
    )  # fmt: skip
    history = model.fit(inputs, CLASSES, batch_size=32, epochs=2, verbose=0).history
    x, y = inputs[:32], CLASSES[:32]
    seen = history, model.get_weights(), model.predict(x, verbose=0), model.evaluate(x, y, verbose=0)
    keras.set_distribution(None)
    return model, seen


def spec_of(variable: Any) -> Any:
    """The layout in which the array of a variable lies: the names of the axes of the mesh, up to the last one."""
    spec = list(original(variable.array).sharding.spec)
    while spec and spec[-1] is None:
        spec.pop()
    return tuple(spec)


def _data_parallel(make: Callable[[], Any], inputs: Any) -> None:
    model, seen = trained(make, inputs, keras.DataParallel())
    assert len(original(model.weights[0].array).sharding.device_set) == 8
    assert_close(seen, trained(make, inputs, None)[1])


def check_mlp() -> None:
    """With normalisation over batches, dropout and clipping by the global norm."""
    _data_parallel(mlp, IMAGES)


def check_cnn() -> None:
    _data_parallel(cnn, IMAGES)


def check_lstm() -> None:
    _data_parallel(lstm, TEXTS)


def check_transformer() -> None:
    _data_parallel(transformer, TEXTS)


def check_model_parallel_transformer() -> None:
    layouts = keras.LayoutMap(keras.DeviceMesh((4, 2), ["batch", "model"]))
    layouts[".*embeddings"] = (None, "model")
    layouts[".*dense.*kernel"] = (None, "model")
    layouts[".*dense.*bias"] = ("model",)
    layouts[".*(query|key|value)/kernel"] = (None, "model", None)
    model, seen = trained(transformer, TEXTS, keras.ModelParallel(layout_map=layouts, batch_dim_name="batch"))
    assert_close(seen, trained(transformer, TEXTS, None)[1])
    specs = {each.path: spec_of(each) for each in model.weights + model.optimizer.variables}
    assert specs["dense/kernel"] == specs["adam/dense_kernel_momentum"] == (None, "model")
    assert specs["embedding/embeddings"] == (None, "model") and specs["dense_2/bias"] == ("model",)
    kernel = next(each for each in model.weights if each.path == "dense/kernel")
    assert {shard.data.shape for shard in original(kernel.array).addressable_shards} == {(16, 4)}


def check_steps_compile_once() -> None:
    tf.keras.utils.set_random_seed(1)
    with keras.DataParallel().scope():
        model = mlp()
        model.compile("adam", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
        model.fit(IMAGES[:64], CLASSES[:64], batch_size=32, verbose=0)
        with Compilations() as after:
            model.fit(IMAGES[:64], CLASSES[:64], batch_size=32, epochs=3, verbose=0)
    assert after.count == 0


def check_a_training_loop_of_ones_own() -> None:
    mesh = keras.DeviceMesh((8,), ["batch"])
    x = NUMBERS.normal(size=(16, 3)).astype(np.float32)
    with keras.DataParallel(mesh).scope():
        weight = tf.keras.Variable(np.ones((3, 2), np.float32))

        @tf.function
        def step(x: Any) -> Any:
            weight.assign_sub(0.1 * tf.matmul(x, tf.matmul(x, weight), transpose_a=True))
            return tf.reduce_sum(weight)

        divided = keras.distribute_tensor(x, keras.TensorLayout(("batch", None), mesh))
        total = step(divided)
    expected = np.ones((3, 2), np.float32)
    expected -= np.float32(0.1) * (x.T @ (x @ expected))
    assert_close([weight.numpy(), total], [expected, expected.sum()])
    assert np.array_equal(divided, x) and spec_of(weight) == ()
    assert {shard.data.shape for shard in original(divided.array).addressable_shards} == {(2, 3)}


def check_layouts_that_do_not_fit() -> None:
    layouts = keras.LayoutMap(keras.DeviceMesh((4, 2), ["batch", "model"]))
    layouts[".*kernel"] = (None, "model")
    with keras.ModelParallel(layout_map=layouts).scope():
        try:
            layers.Dense(3).build((None, 4))
        except tf.errors.InvalidArgumentError as error:
            assert "kernel' of shape (4, 3)" in str(error), error
        else:
            raise AssertionError("3 columns are no multiple of 2 devices")


def check_keys_of_layouts_fit_whole_paths() -> None:
    layouts = keras.LayoutMap(keras.DeviceMesh((4, 2), ["batch", "model"]))
    layouts["dense/kernel"], layouts[".*/dense/(kernel|bias)"] = (None, "model"), ("model",)
    assert layouts["dense/kernel"].axes == (None, "model") and layouts["a/dense/bias"].axes == ("model",)
    assert layouts["a/dense/kernel"].axes == ("model",) and layouts["a/dense/kernel_1"] is layouts["kernel"] is None


def check_tensors_that_do_not_divide() -> None:
    mesh = keras.DeviceMesh((8,), ["batch"])
    for shape, axes in (((7,), ("batch",)), ((8,), ("batch", None))):
        try:
            keras.distribute_tensor(np.zeros(shape), keras.TensorLayout(axes, mesh))
        except tf.errors.InvalidArgumentError as error:
            assert f"a tensor of shape {shape} on a mesh of (8,)" in str(error), error
        else:
            raise AssertionError(f"{shape} is not divided by {axes}")
    assert keras.distribute_tensor(np.ones((8, 2)), keras.TensorLayout(("batch",), mesh)).numpy().sum() == 16


def check_devices() -> None:
    assert keras.list_devices() == [f"cpu:{number}" for number in range(8)] and keras.get_device_count("gpu") == 0
    data = keras.DataParallel(devices=["cpu:1", "cpu:3"])
    assert data.num_model_replicas == 2 and data.device_mesh.devices.tolist() == ["cpu:1", "cpu:3"]
    assert data.get_data_layout((None, 3)).axes == ("batch", None)
