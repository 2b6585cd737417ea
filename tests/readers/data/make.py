"""Writes the SavedModels of this folder, with TensorFlow 2, and what they give: ``python make.py``.

Run it with a Python that has TensorFlow; the tests read what it has written without it.
"""

import os
import shutil
from pathlib import Path

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

import numpy as np
import tensorflow as tf

HERE = Path(__file__).parent
RANDOM = np.random.default_rng(0)


class Programs(tf.Module):
    """Control flow, variables, structures, several traces of a function."""

    def __init__(self):
        super().__init__()
        self.scale = tf.Variable([2.0, 3.0], name="scale")
        self.count = tf.Variable(0, trainable=False, name="count")
        self.steps = [tf.Variable(1.0), {"deep": tf.Variable(np.int64(7))}]
        self.table = tf.constant([[1, 2], [3, 4]])

    @tf.function(input_signature=[tf.TensorSpec((), tf.int32)])
    def collatz(self, n):
        steps = 0
        while n != 1:
            if n % 2 == 0:
                n = n // 2
            else:
                n = 3 * n + 1
            steps += 1
        self.count.assign_add(1)
        return steps

    @tf.function
    def scaled(self, x, power=1.0, *, negative=False):
        y = x * self.scale**power
        return {"y": -y if negative else y, "both": (y, [self.count + 1])}

    @tf.function(input_signature=[tf.TensorSpec((None, 2)), tf.TensorSpec((), tf.float32)])
    def first_above(self, x, limit):
        found = -1
        for i in tf.range(tf.shape(x)[0]):
            if tf.reduce_sum(x[i]) > limit:
                found = i
                break
        return found

    @tf.function(input_signature=[tf.TensorSpec((None, 2))])
    def collected(self, x):
        array = tf.TensorArray(tf.float32, size=tf.shape(x)[0])
        for i in tf.range(tf.shape(x)[0]):
            array = array.write(i, x[i] * tf.cast(i, tf.float32))
        return array.stack()

    @tf.function(input_signature=[tf.TensorSpec((None, 2))])
    def pieces(self, x):
        y = tf.concat([x, tf.reverse(x, [0])], 1)
        y = tf.where(y > 1, y, tf.zeros_like(y))
        top = tf.math.top_k(y, 2)
        parts = tf.split(y, [1, 3], 1)
        return (tf.gather(y, [0, 0]), top.values, top.indices, parts[1][..., tf.newaxis, ::2], tf.argmax(y, 1),
                tf.one_hot(tf.constant([0, 2]), 3), tf.cumsum(y), tf.transpose(y), tf.tile(y[:1], [2, 1]), self.table,
                tf.einsum("ij,kj->ik", y, y), tf.reduce_max(y, 1, keepdims=True), tf.pad(y, [[1, 0], [0, 1]]))


class Ops(tf.Module):
    """Many ops, on six floats and six integers."""

    @tf.function(input_signature=[tf.TensorSpec((None, 3), tf.float32), tf.TensorSpec((2, 3), tf.int32)])
    def several(self, x, n):
        nn, math = tf.nn, tf.math
        of_floats = [
            tf.abs(x), tf.exp(x), math.expm1(x), tf.floor(x), math.ceil(x), tf.round(x), math.rint(x), tf.sign(x),
            tf.square(x), tf.sqrt(tf.abs(x)), math.rsqrt(tf.abs(x) + 1), math.reciprocal(x + 9), tf.sin(x), tf.cos(x),
            tf.tan(x), tf.sinh(x), tf.cosh(x), tf.tanh(x), tf.asin(x / 4), tf.acos(x / 4), tf.atan(x), tf.asinh(x),
            tf.acosh(x + 4), tf.atanh(x / 4), tf.sigmoid(x), nn.relu(x), nn.relu6(x), nn.elu(x), nn.selu(x),
            nn.leaky_relu(x, 0.3), nn.softplus(x), nn.softsign(x), nn.softmax(x), nn.log_softmax(x), math.erf(x),
            math.erfc(x), math.lgamma(x + 3), math.digamma(x + 3), math.log1p(x + 3), tf.pow(tf.abs(x), x),
            math.divide_no_nan(x, x), math.multiply_no_nan(x, x), math.xlogy(tf.abs(x), x + 3), math.xdivy(x, x + 9),
            tf.atan2(x, x + 1), math.squared_difference(x, 1.0), math.floordiv(x, 0.7), math.floormod(x, 0.7),
            tf.truncatemod(x, 0.7), tf.maximum(x, 0.1), tf.minimum(x, 0.1), tf.clip_by_value(x, -1.0, 1.0), nn.gelu(x),
            tf.add_n([x, x, x]), math.is_finite(1 / x), math.is_inf(1 / x), math.is_nan(x / x), nn.l2_loss(x),
        ]
        of_whole = [
            n // 2, n // -2, n % 4, n % -4, tf.truncatediv(n, 2), tf.truncatemod(n, 4), n / 2, tf.cast(n, tf.float64),
            tf.bitwise.bitwise_and(n, 6), tf.bitwise.bitwise_or(n, 6), tf.bitwise.bitwise_xor(n, 6),
            tf.bitwise.invert(n),
            tf.bitwise.left_shift(n, 2), tf.bitwise.right_shift(n, 1), tf.cast(x, tf.int32), tf.cast(n, tf.uint8),
            tf.reduce_mean(n, 0), tf.reduce_sum(n, [0, 1]), tf.reduce_prod(n, -1, True), tf.pow(n, 3), n == 2, n != 2,
            tf.logical_and(n > 0, n < 6), tf.logical_or(n <= 0, n >= 6), tf.logical_not(n > 0),
            tf.bitcast(n, tf.float32),
        ]
        order = [
            tf.reduce_sum(x), tf.reduce_mean(x, 1), tf.reduce_max(x), tf.reduce_min(x, 0), tf.reduce_all(x > 0, 0),
            tf.reduce_any(x > 3, 1), tf.argmax(x, 0), tf.argmin(x, 1, tf.int32), tf.cumsum(x, 1, True, True),
            math.cumprod(x, 0), tf.sort(x, 0), tf.argsort(n, 1), math.top_k(x, 2)[1], tf.reduce_logsumexp(x, 1),
            math.reduce_std(x, 0), tf.norm(x, axis=1), tf.identity(x),
        ]
        shapes = [
            tf.reshape(x, [-1, 2]), tf.transpose(x), tf.expand_dims(x, 1), tf.squeeze(x[:1], 0), tf.tile(x, [1, 2]),
            tf.reverse(x, [1]), tf.roll(x, 1, 1), tf.concat([x, x], 0), tf.stack([x, x], 1), tf.unstack(x, axis=1)[2],
            tf.split(x, 3, 1)[1], tf.split(x, [1, -1], 1)[1], tf.pad(x, [[1, 0], [0, 2]], constant_values=9.0),
            tf.pad(x, [[0, 0], [1, 1]], "REFLECT"), tf.pad(x, [[0, 0], [1, 1]], "SYMMETRIC"), tf.shape(x),
            tf.size(x, tf.int64), tf.rank(x), tf.fill([2, 2], 3.0), tf.range(2, 9, 3), tf.linspace(0.0, 1.0, 5),
            tf.zeros_like(x), tf.ones_like(n), tf.broadcast_to(x[:1], [4, 3]), tf.one_hot(n, 4, 2.0, -1.0),
            tf.gather(x, [1, 0], axis=1), tf.gather(x, [[0, 2], [1, 1]], axis=1, batch_dims=1),
            tf.gather_nd(x, [[1, 2]]),
            tf.where(x > 0), tf.where(x > 0, x, -x), tf.boolean_mask(x, x[:, 0] > 1), tf.slice(x, [0, 1], [-1, 2]),
            x[::-1, 1:], x[..., -1], x[:, None, ::2], x[1], tf.linalg.band_part(tf.stack([x[0]] * 3), 1, 0),
            tf.scatter_nd([[1], [3]], x[:2], [4, 3]), tf.tensor_scatter_nd_update(x, [[0]], [[9.0, 9.0, 9.0]]),
            tf.tensor_scatter_nd_add(x, [[0]], x[:1]), math.unsorted_segment_sum(x[:2], [1, 1], 3),
            math.unsorted_segment_max(n, [0, 0], 1), tf.linalg.diag(x[0]), math.invert_permutation([2, 0, 1]),
        ]
        products = [
            tf.matmul(x, x, transpose_b=True), tf.matmul(x, x, True), tf.einsum("ij,kj->ik", x, x),
            tf.matmul(x[None], tf.transpose(x)[None]), tf.tensordot(x, x, [[1], [1]]),
            nn.conv1d(x[None], tf.ones([2, 3, 2]), 1, "SAME"),
            nn.conv2d(x[None, :, :, None], tf.ones([2, 2, 1, 3]), 1, "VALID"),
            nn.conv2d(x[None, :, :, None], tf.ones([2, 2, 1, 3]), 2, [[0, 0], [1, 1], [0, 1], [0, 0]]),
            nn.conv2d_transpose(x[None, :, :, None], tf.ones([2, 2, 3, 1]), [1, 4, 6, 3], 2),
            nn.max_pool2d(x[None, :, :, None], 2, 1, "SAME"), nn.avg_pool2d(x[None, :, :, None], 2, 1, "SAME"),
            nn.depthwise_conv2d(x[None, :, :, None], tf.ones([2, 2, 1, 2]), [1, 1, 1, 1], "SAME"),
            nn.bias_add(x, [1.0, 2.0, 3.0]), nn.softmax_cross_entropy_with_logits(nn.softmax(x), x),
            nn.sparse_softmax_cross_entropy_with_logits([0, 2], x),
            nn.sigmoid_cross_entropy_with_logits(nn.sigmoid(x), x),
        ]
        return [*of_floats, *of_whole, *order, *shapes, *products]


def keras(*layers):
    tf.keras.utils.set_random_seed(0)
    return tf.keras.Sequential(list(layers))


class Served(tf.Module):
    def __init__(self, model, shape, dtype=tf.float32):
        super().__init__()
        self.weights = model.weights and [weight.value for weight in model.weights]
        self.serve = tf.function(lambda x: model(x, training=False), input_signature=[tf.TensorSpec(shape, dtype, "x")])


class Refused(tf.Module):
    @tf.function(input_signature=[tf.TensorSpec((None,), tf.string)])
    def parsed(self, x):
        return tf.strings.to_number(tf.strings.regex_replace(x, "a", "1")), tf.io.decode_raw(x, tf.uint8)

    @tf.function(input_signature=[tf.TensorSpec((2,), tf.float32)])
    def doubled(self, x):
        return x * 2


def write(name, module, signatures=None, **arrays):
    folder = HERE / name
    shutil.rmtree(folder, ignore_errors=True)
    options = tf.saved_model.SaveOptions(save_debug_info=False, experimental_skip_saver=True)
    tf.saved_model.save(module, str(folder), signatures, options)
    for extra in ("fingerprint.pb", "assets"):
        path = folder / extra
        shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
    if arrays:
        np.savez_compressed(folder / "expected.npz", **arrays)


def network(name, model, x, dtype=tf.float32):
    module = Served(model, (None, *x.shape[1:]), dtype)
    write(name, module, module.serve, x=x, y=model(x, training=False).numpy())


def main():
    layers = tf.keras.layers
    programs = Programs()
    x = np.array([[1, 2], [3, 4], [0.5, 0.25]], np.float32)
    programs.scaled(tf.constant(x))
    programs.scaled(tf.constant(x), 2.0, negative=True)
    pieces = {f"p{i:02}": each.numpy() for i, each in enumerate(programs.pieces(x))}
    write("programs", programs, {"collatz": programs.collatz, "first_above": programs.first_above}, x=x, **pieces)
    dense = keras(
        layers.Input((4,)), layers.Dense(5, "relu"), layers.BatchNormalization(), layers.Dropout(0.5),
        layers.Dense(3, "softmax"),
    )  # fmt: skip
    network("dense", dense, RANDOM.normal(size=(3, 4)).astype(np.float32))
    cnn = keras(
        layers.Input((8, 8, 2)), layers.Conv2D(4, 3, padding="same", strides=2, activation="relu"),
        layers.DepthwiseConv2D(3), layers.BatchNormalization(), layers.MaxPooling2D(),
        layers.GlobalAveragePooling2D(), layers.Dense(2),
    )  # fmt: skip
    network("cnn", cnn, RANDOM.normal(size=(2, 8, 8, 2)).astype(np.float32))
    lstm = keras(layers.Input((5, 3)), layers.LSTM(4, return_sequences=True), layers.GRU(3))
    network("lstm", lstm, RANDOM.normal(size=(2, 5, 3)).astype(np.float32))
    words = layers.Input((6,), dtype="int32")
    embedded = layers.Embedding(10, 4)(words)
    attended = layers.MultiHeadAttention(2, 2)(embedded, embedded)
    normal = layers.LayerNormalization()(embedded + attended)
    model = tf.keras.Model(words, layers.Dense(2, "gelu")(normal))
    network("transformer", model, RANDOM.integers(0, 10, (2, 6)).astype(np.int32), tf.int32)
    write("refused", Refused())
    ops = Ops()
    floats = np.array([[0.5, -1.25, 2.0], [3.5, -0.75, 0.0]], np.float32)
    whole = np.array([[7, -7, 5], [-3, 2, 9]], np.int32)
    results = ops.several(floats, whole)
    write("ops", ops, floats=floats, whole=whole, **{f"r{i:03}": each.numpy() for i, each in enumerate(results)})


if __name__ == "__main__":
    main()
