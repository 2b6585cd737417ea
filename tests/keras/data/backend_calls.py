"""What Keras's backend and autograph's are compared by; with TensorFlow `python -m` writes what Keras gave."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

NAMES = {
    "A": np.arange(24, dtype=np.float32).reshape(2, 3, 4) / 8 - 1,
    "M": np.arange(6, dtype=np.float32).reshape(2, 3) - 2,
    "B": np.array([[True, False, True]]), "I": np.arange(6).reshape(2, 3), "P": np.array([[0.2, 0.3, 0.5]], np.float32),
    "T": np.array([[0.0, 1.0, 0.0]], np.float32), "IMAGE": np.arange(8, dtype=np.float32).reshape(1, 2, 2, 2),
}  # fmt: skip
CALLS = [
    "K.abs(M)", "K.all(M, -1)", "K.any(I, 0, True)", "K.arange(5)", "K.arange(1, 7, 2, 'float32')", "K.argmax(M)",
    "K.argmin(A, 1)", "K.batch_dot(A, A, 2)", "K.batch_dot(A, A, (1, 1))", "K.batch_dot(M, M)",
    "K.batch_dot(A, M, 1)", "K.batch_dot(M, A, (1, 1))", "K.batch_flatten(A)",
    "K.bias_add(A, tf.constant([1.0, 2.0, 3.0, 4.0]))", "K.bias_add(tf.constant(A), tf.constant(A[0]))",
    "K.bias_add(tf.constant(A), K.reshape(A[0], (4, 3)), 'channels_first')", "K.binary_crossentropy(T, P)",
    "K.binary_crossentropy(T, P, True)", "K.cast(M, 'int32')", "K.cast_to_floatx(I)",
    "K.categorical_crossentropy(T, P)", "K.categorical_crossentropy(T, P, True)",
    "K.categorical_crossentropy(T, 3 * P)", "K.clip(M, -1, 2)", "K.clip(M, 1, 0)", "K.clip(M, None, 1.0)",
    "K.concatenate([tf.constant(M)] * 2)", "K.concatenate([M, M], 0)", "K.constant([1, 2])",
    "K.constant(3, shape=(2,))", "K.cos(M)", "K.count_params(K.variable(A))", "K.cumprod(M)", "K.cumsum(M, 1)",
    "K.dot(tf.constant(M), K.transpose(M))", "K.dot(tf.constant(A), K.permute_dimensions(A, (0, 2, 1)))",
    "K.dtype(K.variable(I))", "K.elu(M)", "K.elu(M, 0.5)", "K.equal(M, 1.0)", "K.eval(K.variable([1.0]))", "K.exp(M)",
    "K.expand_dims(M)", "K.eye(2)", "K.flatten(A)", "K.gather(A, [1, 0])", "K.get_value(K.variable([3.0]))",
    "K.greater(M, 0.0)", "K.hard_sigmoid(M)", "K.in_top_k(P, [1], 2)", "K.int_shape(K.variable(A))",
    "K.l2_normalize(M, 1)", "K.less_equal(M, 0.0)", "K.log(P)", "K.max(A, 1)", "K.max(A, (0, 2), True)",
    "K.maximum(M, 0.0)", "K.mean(tf.constant(M), 0)", "K.mean(tf.constant(B))", "K.min(A)", "K.ndim(K.variable(A))",
    "K.not_equal(M, 1.0)", "K.one_hot([2, 0], 3)", "K.ones((2,))", "K.ones_like(M)",
    "K.permute_dimensions(A, (2, 0, 1))", "K.pow(M, 2.0)", "K.prod(M, 1)", "K.relu(M)", "K.relu(M, 0.1)",
    "K.relu(M, 0.1, 2.0, 1.0)", "K.relu(M, max_value=6)", "K.repeat(tf.constant(M), 2)",
    "K.repeat_elements(tf.constant(A), 2, 1)", "K.reshape(M, (3, 2))",
    "K.resize_images(tf.constant(IMAGE), 2, 3, 'channels_last')",
    "K.resize_images(tf.constant(IMAGE), 2, 2, 'channels_first', 'bilinear')", "K.reverse(M, 1)", "K.round(M / 2)",
    "K.shape(A)", "K.sigmoid(M)", "K.sign(M)", "K.sin(M)", "K.softmax(tf.constant(M))", "K.softplus(M)",
    "K.softsign(M)", "K.spatial_2d_padding(IMAGE)", "K.spatial_2d_padding(IMAGE, ((1, 0), (0, 2)), 'channels_first')",
    "K.sqrt(P)", "K.square(M)", "K.squeeze(IMAGE, 0)", "K.stack([M, M], 1)", "K.standardize_dtype(tf.int64)",
    "K.standardize_dtype(None)", "K.std(tf.constant(M), 1)", "K.stop_gradient(M)", "K.sum(M, 1, True)",
   
    "K.switch(tf.constant(True), lambda: tf.constant(1.0), lambda: tf.constant(2.0))",
    "K.tanh(M)", "K.temporal_padding(A, (2, 0))",
    "K.tile(M, (1, 2))", "K.transpose(M)", "K.update(K.variable(M), M + 1)", "K.update_add(K.variable(M), M)",
    "K.update_sub(K.variable(M), M)", "K.moving_average_update(K.variable(M), 1.0, 0.9)", "K.var(tf.constant(B))",
    "K.variable(I)", "K.zeros((2, 1))", "K.zeros_like(M)", "K.map_fn(lambda x: x * 2, M)",
    "K.is_float_dtype('float16')", "K.is_int_dtype('uint8')", "K.backend()", "K.epsilon()", "K.floatx()",
    "K.image_data_format()", "K.gradients", "K.is_keras_tensor(tf.keras.Input((2,)))",
    "K.batch_get_value([K.variable(2.0)])",
]  # fmt: skip


def plain(value: Any) -> Any:
    """Dtype, shape and elements; other values as they are."""
    if isinstance(value, (str, bool, int, float, type(None), tuple)):
        return value
    if callable(value):
        return "a function"
    array = np.asarray(value)
    return [array.dtype.name, list(array.shape), array.astype(float).reshape(-1).tolist()]


def results(tf: Any) -> dict[str, Any]:
    """What a library gives for all calls."""
    given = {"K": tf.keras.backend, "tf": tf, **NAMES}
    return {call: plain(eval(call, given)) for call in CALLS}


if __name__ == "__main__":
    import tensorflow

    text = json.dumps(results(tensorflow)).replace('], "K', '],\n"K')
    (Path(__file__).parent / "backend.json").write_text(text + "\n")
