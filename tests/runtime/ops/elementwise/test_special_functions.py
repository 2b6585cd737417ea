"""Special functions against TensorFlow's values, and what else the tables of `tf` have."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest

import autograph as tf

# What TensorFlow 2.21 gives: name, arguments, values, derivatives by each argument (None: it has none).
VALUES = [
    ("igamma",
     [[0.5, 1.0, 2.5, 30.0, 150.0, 1000.0], [0.25, 3.0, 2.5, 35.0, 140.0, 1010.0]],
     [0.5204998778130466, 0.950212931632136, 0.5841198130044921, 0.8229545478999415, 0.20954362391859022,
      0.6276789447368795],
     [[-0.797947316783223, -0.09648294199134624, -0.2608449623686695, -0.04640702202834377, -0.023793726651200352,
      -0.011945731337228625], [0.8787825789354448, 0.049787068367863944, 0.2440830426987748, 0.042768852614691,
      0.024606378364522702, 0.011884515036029953]]),
    ("igammac",
     [[0.5, 1.0, 2.5, 30.0, 150.0, 1000.0], [0.25, 3.0, 2.5, 35.0, 140.0, 1010.0]],
     [0.47950012218695337, 0.04978706836786395, 0.41588018699550794, 0.17704545210005848, 0.7904563760814098,
      0.37232105526312054],
     [[0.797947316783223, 0.09648294199134624, 0.2608449623686695, 0.04640702202834377, 0.023793726651200352,
      0.011945731337228625], [-0.8787825789354448, -0.049787068367863944, -0.2440830426987748, -0.042768852614691,
      -0.024606378364522702, -0.011884515036029953]]),
    ("betainc",
     [[0.5, 1.0, 2.5, 30.0, 150.0, 1000.0], [0.25, 3.0, 2.5, 35.0, 140.0, 1010.0], [0.1, 0.2, 0.30000000000000004,
      0.4, 0.5, 0.6]],
     [0.12378745600993665, 0.488, 0.18696696190887357, 0.15979990140795675, 0.27822469721516196, 0.9999999999999999],
     [None, None, [0.6525982457299121, 1.9199999999999997, 1.3069765165094391, 4.014169757685282, 11.418590940796063,
      7.286802243744371e-18]]),
    ("zeta",
     [[1.5, 3.0, 30.5], [3.0, 2.5, 35.0]],
     [1.2588219580922144, 0.11810202582086368, 1.4156663374322045e-47],
     [None, [-0.24706584293142045, -0.11195292440862604, -1.207959307543962e-47]]),
    ("erfcinv",
     [[1e-30, 0.1, 0.5, 1.0, 1.7, 2.0]],
     [8.148616223169864, 1.1630871536766743, 0.4769362762044699, -0.0, -0.7328690779592171, -inf],
     [[-6.090812638752759e+28, -3.428042811451841, -1.1125848189719496, -0.8862269254527579, -1.516363217333765,
      -inf]]),
    ("ndtri",
     [[1e-30, 0.1, 0.5, 0.9, 0.999999999, 1.0]],
     [-11.464024688443613, -1.2815515655446004, 0.0, 1.2815515655446004, 5.997807019601637, inf],
     [[8.658027783341037e+28, 5.698059856117003, 2.5066282746310002, 5.698059856117003, 162434118.90350318, inf]]),
    ("bessel_i0e",
     [[-40.0, -1.0, 0.0, 0.5, 29.0, 100.0]],
     [0.06327827987523534, 0.46575960759364043, 1.0, 0.6450352704491502, 0.07440746822222558, 0.03994437929909669],
     [[0.0007960508007932715, 0.257849192243932, 0.0, -0.4886144672642786, -0.0012943502828372117,
      -0.00020022627396643067]]),
    ("bessel_i1e",
     [[-40.0, -1.0, 0.0, 0.5, 29.0, 100.0]],
     [-0.062482229074442064, -0.20791041534970844, 0.0, 0.15642080318487162, 0.07311311793938836,
      0.039744153025130256],
     [[-0.0007660049260677787, 0.04993877689422355, 0.5, 0.17577286089453537, -0.001226791715072742,
      -0.0001972152562848689]]),
]  # fmt: skip


@pytest.mark.parametrize(("name", "arguments", "values", "slopes"), VALUES, ids=[each[0] for each in VALUES])
def test_values_and_derivatives_of_tensorflow(name, arguments, values, slopes):
    function = getattr(tf.math, name)
    given = [tf.constant(each, tf.float64) for each in arguments]
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(given)
        found = function(*given)
    np.testing.assert_allclose(found, values, rtol=1e-9, atol=1e-300)
    for argument, slope in zip(given, slopes, strict=True):
        if slope is None:
            with pytest.raises(LookupError, match="is defined"):
                tape.gradient(found, argument)
        else:
            np.testing.assert_allclose(tape.gradient(found, argument), slope, rtol=1e-9, atol=1e-300)
    single = function(*[tf.constant(each, tf.float32) for each in arguments])
    assert single.dtype is tf.float32
    np.testing.assert_allclose(tf.function(function)(*given), found)


def test_incomplete_functions_add_up():
    a, x = np.logspace(-2, 3, 23)[:, None], np.logspace(-3, 3, 31)
    np.testing.assert_allclose(tf.math.igamma(a, x) + tf.math.igammac(a, x), 1.0, rtol=1e-12)
    b, p = np.logspace(-1, 2, 7)[:, None], np.linspace(0, 1, 9)
    np.testing.assert_allclose(tf.math.betainc(a[:7], b, p) + tf.math.betainc(b, a[:7], 1 - p), 1.0, rtol=1e-11)


def test_inverses():
    p = np.concatenate([np.logspace(-290, -1, 50), np.linspace(0.1, 1.9, 19)])
    np.testing.assert_allclose(tf.math.erfc(tf.math.erfcinv(p)), p, rtol=1e-12)
    np.testing.assert_allclose(tf.math.erf(tf.math.ndtri(p[:50]) / np.sqrt(2)), 2 * p[:50] - 1, rtol=1e-12)


def test_the_logit_is_exact_near_one_half_and_at_both_ends():
    p = np.concatenate([np.logspace(-300, -1, 60), 0.5 + np.linspace(-0.3, 0.3, 41), 1 - np.logspace(-15, -1, 30)])
    wide = p.astype(np.longdouble)
    low, high = wide[p < 0.25], wide[p >= 0.25]
    odds = np.concatenate([np.log(low / (1 - low)), np.log1p((2 * high - 1) / (1 - high))]).astype(float)
    np.testing.assert_allclose(tf.math.logit(np.concatenate([p[p < 0.25], p[p >= 0.25]])), odds, rtol=1e-15)
    np.testing.assert_allclose(tf.sigmoid(tf.math.logit(p)), p, rtol=1e-13)
    np.testing.assert_array_equal(tf.math.logit([0.0, 0.5, 1.0, -0.5, 2.0]), [-np.inf, 0.0, np.inf, np.nan, np.nan])


def test_second_derivatives():
    x = tf.constant([0.5, 2.0], tf.float64)
    others = lambda v: tf.math.igamma(2.5, v), lambda v: tf.math.zeta(3.0, v)
    for function in (tf.math.ndtri, tf.math.bessel_i1e, *others):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = function(x / 3)
            first = tape.gradient(y, x)
        step = 1e-5
        wanted = (function((x + step) / 3) - 2 * y + function((x - step) / 3)) / step**2
        np.testing.assert_allclose(outer.gradient(first, x), wanted, rtol=1e-3, atol=1e-5)


def test_logarithms_of_matrices():
    m = np.array([[1.0, 2.0], [0.5, 4.0]])
    wanted = [[-0.20782134, 1.0095037], [0.25237593, 1.3064343]]  # TensorFlow's, in complex64
    np.testing.assert_allclose(tf.linalg.logm(m.astype("complex64")), wanted, rtol=2e-6)
    np.testing.assert_allclose(tf.linalg.expm(tf.linalg.logm(np.stack([m, 9 * m]))), np.stack([m, 9 * m]), rtol=1e-12)
    turned = tf.linalg.logm(tf.constant([[-1.0, 0.0], [0.0, 2.0]], tf.complex64))
    np.testing.assert_allclose(turned, [[np.pi * 1j, 0], [0, np.log(2)]], atol=1e-6)
    with pytest.raises(ValueError, match="cast it to complex128"):
        tf.linalg.logm([[-1.0, 0.0], [0.0, 2.0]])


def test_local_response_normalization():
    images = tf.reshape(tf.range(24.0) / 10, (1, 2, 2, 6))
    found = tf.nn.lrn(images, depth_radius=1, bias=2.0, alpha=0.5, beta=0.6)
    wanted = [0, 0.06548547, 0.12925513, 0.18978633, 0.24589543, 0.3111178]
    np.testing.assert_allclose(found[0, 0, 0], wanted, rtol=1e-6)
    found = tf.nn.local_response_normalization(images)
    wanted = [0.35039085, 0.369857, 0.38932317, 0.4087893, 0.4282555, 0.44772163]
    np.testing.assert_allclose(found[0, 1, 1], wanted, rtol=1e-6)
    with pytest.raises(ValueError):
        tf.nn.lrn(images[0])


def test_what_is_made_of_triangular_factors():
    matrices = np.array([[[4.0, 3.0, 1.0], [6.0, 3.0, -2.0], [1.0, 5.0, 2.0]], np.eye(3) * 2])
    factors, order = tf.linalg.lu(matrices)
    np.testing.assert_allclose(tf.linalg.lu_reconstruct(factors, order), matrices, atol=1e-12)
    rhs = np.arange(12.0).reshape(2, 3, 2)
    solved = tf.linalg.lu_solve(factors, order, rhs)
    np.testing.assert_allclose(matrices @ solved, rhs, atol=1e-12)
    np.testing.assert_allclose(tf.linalg.lu_matrix_inverse(factors, order), np.linalg.inv(matrices), atol=1e-12)
    first = tf.linalg.lu(matrices[0])
    np.testing.assert_allclose(tf.linalg.lu_solve(*first, rhs[0]), solved[0])
    with pytest.raises(ValueError):
        tf.linalg.lu_solve(factors[:, :2], order, rhs)


def test_other_names_of_convolutions_and_poolings():
    x = tf.reshape(tf.range(24.0), (1, 4, 6, 1))
    filters = tf.reshape(tf.range(4.0), (2, 2, 1, 1))
    means = tf.nn.pool(x, [2, 2], "AVG", strides=[2, 1])[0, :, :, 0]
    assert means.numpy().tolist() == [[3.5, 4.5, 5.5, 6.5, 7.5], [15.5, 16.5, 17.5, 18.5, 19.5]]
    assert tf.nn.pool(x, 2, "MAX").shape == (1, 3, 5, 1)
    apart = tf.nn.atrous_conv2d(x, filters, 2, "SAME")[0, ::3, :, 0]
    assert apart.numpy().tolist() == [[21, 36, 41, 46, 51, 20], [13, 14, 15, 16, 17, 0]]
    wider = tf.nn.conv_transpose(x, filters, [1, 8, 12, 1], 2)[0, :2, :3, 0]
    assert wider.numpy().tolist() == [[0, 0, 0], [0, 0, 2]]
    for make in (lambda: tf.nn.pool(x, 2, "SUM"), lambda: tf.nn.pool(x, 2, "MAX", dilations=[2, 1]),
                 lambda: tf.nn.conv_transpose(x, filters[0], [1, 8, 12, 1], 2)):  # fmt: skip
        with pytest.raises(ValueError):
            make()


def test_hessians():
    x = tf.constant([1.0, 2.0])

    @tf.function
    def cubes(x):
        return tf.hessians(tf.reduce_sum(x**3), x)

    np.testing.assert_allclose(cubes(x), [[[6, 0], [0, 12]]])

    @tf.function(input_signature=[tf.TensorSpec((None,)), tf.TensorSpec((None, 2))])
    def of_several(x, y):
        return tf.hessians([tf.reduce_sum(x**2), tf.reduce_sum(y**3) * tf.reduce_sum(x)], [x, y])

    first, second = of_several(x, tf.ones((2, 2)))
    np.testing.assert_allclose(first, 2 * np.eye(2))
    np.testing.assert_allclose(np.reshape(second, (4, 4)), 6 * 3 * np.eye(4))
    with pytest.raises(RuntimeError, match="eager execution"):
        tf.hessians(x, x)
    with pytest.raises(ValueError, match="do not depend"):
        tf.function(lambda x: tf.hessians(tf.constant(1.0), x))(x)


def test_integers_that_no_tensor_holds():
    for value in (2**63, -(2**63) - 1, 2**64, [1, 2**63], [2**63, -1]):
        with pytest.raises(ValueError, match="out-of-range integer"):
            tf.constant(value)
    assert tf.constant(2**31).dtype is tf.int64 and tf.constant([2.0, 2**63]).dtype is tf.float32
    assert tf.constant(2**63, tf.uint64).numpy() == 2**63


def test_names_that_are_modules_of_keras_too():
    assert tf.version.VERSION == tf.__version__
    assert tf.initializers.GlorotUniform is tf.keras.initializers.GlorotUniform
    assert tf.optimizers.Adam is tf.keras.optimizers.Adam and tf.losses.Huber is tf.keras.losses.Huber
    assert np.array_equal(tf.ones_initializer()((2,)), [1, 1]) and tf.metrics.Mean is tf.keras.metrics.Mean


@pytest.mark.filterwarnings("ignore:overflow:RuntimeWarning")
@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "uint64"])
def test_sigmoid_of_integers(dtype):
    x = np.array([0, 1, 100, np.iinfo(dtype).min], dtype)
    wanted = 1 / (1 + np.exp(-x.astype(np.float64)))
    for found in (tf.sigmoid(x), tf.function(tf.sigmoid)(tf.constant(x))):
        np.testing.assert_allclose(found, wanted, rtol=1e-3, atol=1e-4)
