"""`GradientTape` and its kin: what is followed, what is returned, what is refused. Results are TensorFlow's."""

from __future__ import annotations

import copy
import gc
import pickle
import threading
import weakref

import numpy as np
import pytest

import autograph as tf

from .gradient_ways import ways


def x_squared(persistent: bool = False) -> tuple:
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape(persistent=persistent) as tape:
        tape.watch(x)
        y = x * x
    return x, y, tape


def check(found: object, expected: object) -> None:
    np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-5)


def test_gradient_is_that_of_the_sum_of_the_elements() -> None:
    x, y, tape = x_squared()
    check(tape.gradient(y, x), [2, 4])


def test_structures_of_targets_and_sources() -> None:
    x, z = tf.constant(3.0), tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch({"x": x, "z": [z]})
        a, b = x * z, z * z
    found = tape.gradient({"a": a, "b": [b]}, {"x": x, "others": (z, [x])})
    check(found["x"], 3)
    check(found["others"][0], [5, 7])
    check(found["others"][1][0], 3)


def test_output_gradients_weight_the_elements() -> None:
    x, y, tape = x_squared(persistent=True)
    check(tape.gradient(y, x, output_gradients=tf.constant([1.0, -1.0])), [2, -4])
    check(tape.gradient([y, y], x, output_gradients=[None, tf.constant([1.0, 0.0])]), [4, 4])
    with pytest.raises(ValueError, match="output_gradients"):
        tape.gradient(y, x, output_gradients=[None, None])


def test_what_is_not_watched_or_not_connected_has_no_gradient() -> None:
    x, z = tf.constant(3.0), tf.constant([1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * z
    assert tape.gradient(y, z) is None
    assert tape.gradient(z, x) is None
    check(tape.gradient(y, z, unconnected_gradients="zero"), [0, 0])
    check(tape.gradient(y, [x, z], unconnected_gradients=tf.UnconnectedGradients.ZERO)[1], [0, 0])
    check(tape.gradient(x, x), 1)


def test_what_happens_outside_is_not_followed() -> None:
    x, y, tape = x_squared(persistent=True)
    assert tape.gradient(y * 2.0, x) is None
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        with tape.stop_recording():
            y = x * x
        z = x * y
    check(tape.gradient(z, x), [1, 4])
    assert tape.gradient(y, x) is None


def test_a_tape_that_is_not_persistent_is_used_once() -> None:
    x, y, tape = x_squared()
    tape.gradient(y, x)
    with pytest.raises(RuntimeError, match="non-persistent GradientTape can only be used"):
        tape.gradient(y, x)
    x, y, tape = x_squared(persistent=True)
    check(tape.gradient(y, x), tape.gradient(y, x))


def test_reset_and_use_again() -> None:
    x, y, tape = x_squared()
    tape.gradient(y, x)
    tape.reset()
    with tape:
        tape.watch(x)
        y = x * 3.0
    check(tape.gradient(y, x), [3, 3])
    with tape, pytest.raises(ValueError, match="already recording"), tape:
        pass


def test_integers_warn_and_have_no_gradient() -> None:
    x = tf.constant(3)
    with tf.GradientTape() as tape:
        with pytest.warns(UserWarning, match="must be floating"):
            tape.watch(x)
        y = tf.cast(x, tf.float32) * 2.0
    assert tape.gradient(y, x) is None


def test_what_is_no_tensor_is_refused() -> None:
    with tf.GradientTape() as tape, pytest.raises(ValueError, match="not a tensor"):
        tape.watch("x")
    x, y, tape = x_squared()
    with pytest.raises(ValueError, match="not a tensor"):
        tape.gradient(y, 3.0)


@pytest.mark.parametrize("staged", [False, True])
def test_higher_orders(staged: bool) -> None:
    def derivatives(x):
        with tf.GradientTape() as third, tf.GradientTape() as second, tf.GradientTape() as first:
            for tape in (first, second, third):
                tape.watch(x)
            y = x**4
            a = first.gradient(y, x)
            b = second.gradient(a, x)
            c = third.gradient(b, x)
        return y, a, b, c

    found = (tf.function(derivatives) if staged else derivatives)(tf.constant(2.0))
    check(found, [16, 32, 48, 48])


def test_a_persistent_tape_differentiates_its_own_gradients() -> None:
    x = tf.constant(2.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        first = tape.gradient(x**3, x)
    check(tape.gradient(first, x), 12)


def test_iteration_casts_numpy_functions_and_operators_are_followed() -> None:
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        total = 0.0
        for item in x:
            total = total + np.tanh(item) * np.float64(2)
        total = total + tf.reduce_sum(tf.stack([x[0], 3.0 * x[-1]]))
    check(tape.gradient(total, x), 2 * (1 - np.tanh([1, 2]) ** 2) + [1, 3])


def test_the_same_tensor_returned_is_told_apart() -> None:
    x = tf.constant(2.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = tf.identity(x)
        z = tf.stop_gradient(x)
        w = x * y * z
    check(tape.gradient(w, x), 8)
    check(tape.gradient(w, y), 4)
    assert tape.gradient(z, x) is None


def test_tapes_belong_to_their_thread() -> None:
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        results: list = []
        thread = threading.Thread(target=lambda: results.append(x * x))
        thread.start()
        thread.join()
    assert tape.gradient(results[0], x) is None


def test_nothing_outlives_a_tape() -> None:
    x, y, tape = x_squared()
    reference = weakref.ref(tape)
    tape.gradient(y, x)
    del tape
    gc.collect()
    assert reference() is None


def test_an_error_inside_ends_the_recording() -> None:
    tape = tf.GradientTape()
    with pytest.raises(KeyError), tape:
        raise KeyError
    with tape:
        pass


def test_ops_without_gradient_are_named() -> None:
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.random.shuffle(x)
    with pytest.raises(LookupError, match="random_shuffle"):
        tape.gradient(y, x)


# jacobian, batch_jacobian


@pytest.mark.parametrize("staged", [False, True])
def test_jacobian(staged: bool) -> None:
    def compute(x, z):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch([x, z])
            y = tf.matmul(x, x) * z
        return tape.jacobian(y, [x, z]), tape.jacobian(y, x, unconnected_gradients="zero")

    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    (by_x, by_z), again = (tf.function(compute) if staged else compute)(x, tf.constant(2.0))
    unit, m = np.eye(2), np.asarray(x)
    expected = 2 * (np.einsum("ia,bj->ijab", unit, m) + np.einsum("ia,bj->ijab", m, unit))
    assert by_x.shape == (2, 2, 2, 2) and by_z.shape == (2, 2)
    check(by_x, expected)
    check(again, expected)
    check(by_z, m @ m)


def test_jacobian_of_what_is_not_connected() -> None:
    x, y, tape = x_squared(persistent=True)
    z = tf.constant([1.0, 2.0, 3.0])
    assert tape.jacobian(y, z) is None
    assert tape.jacobian(y, z, unconnected_gradients="zero").shape == (2, 3)


@pytest.mark.parametrize("staged", [False, True])
def test_batch_jacobian(staged: bool) -> None:
    def compute(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.stack([x[:, 0] * x[:, 1], x[:, 0] ** 2, x[:, 1]], axis=1)
        return tape.batch_jacobian(y, x)

    found = (tf.function(compute) if staged else compute)(tf.constant([[1.0, 2.0], [3.0, 4.0]]))
    check(found, [[[2, 1], [2, 0], [0, 1]], [[4, 3], [6, 0], [0, 1]]])


def test_batch_jacobian_wants_equal_batches() -> None:
    x = tf.constant([[1.0, 2.0]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.concat([x, x], 0)
    with pytest.raises(ValueError, match="first dimension"):
        tape.batch_jacobian(y, x)


# custom_gradient


@tf.custom_gradient
def clipped(x, scale):
    def gradient(upstream):
        return tf.clip_by_value(upstream * scale, -1.0, 1.0), None

    return x * scale, gradient


@pytest.mark.parametrize("staged", [False, True])
def test_custom_gradient(staged: bool) -> None:
    def compute(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = clipped(x, 3.0) * 5.0
        return y, tape.gradient(y, x)

    found = (tf.function(compute) if staged else compute)(tf.constant([2.0, 3.0]))
    check(found[0], [30, 45])
    check(found[1], [1, 1])


def test_custom_gradient_in_a_traced_function_and_a_loop() -> None:
    @tf.function
    def repeated(x, n):
        for _ in tf.range(n):
            x = clipped(x, 0.5)
        return x

    x = tf.constant(8.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = repeated(x, tf.constant(3)) * 4.0
    check(y, 4)
    check(tape.gradient(y, x), 0.25)


def test_custom_gradient_of_a_custom_gradient() -> None:
    @tf.custom_gradient
    def outer(x):
        @tf.custom_gradient
        def inner(upstream):
            return upstream * 10.0, lambda again: again * 100.0

        return x * 1.0, inner

    x, up = tf.constant(1.0), tf.constant(2.0)
    with tf.GradientTape() as second:
        second.watch(up)
        with tf.GradientTape() as first:
            first.watch(x)
            y = outer(x)
        g = first.gradient(y, x, output_gradients=up)
    check(g, 20)
    check(second.gradient(g, up), 100)


@ways
def test_second_derivatives_go_through_what_a_custom_gradient_takes_from_the_function(way) -> None:
    @tf.custom_gradient
    def cube(x):
        square = x * x
        factor = tf.exp(square)
        return square * x, lambda upstream: upstream * (3.0 * square + factor)

    found = way(tf.function(lambda x: cube(x) if x > 0 else x), np.float32(0.5))
    g = 0.75 + np.exp(0.25)
    check(found[1], g)
    check(found[2], 2 * g * (3.0 + np.exp(0.25)))


class Scaled:
    def __init__(self, factor: float) -> None:
        self.factor = factor
        self.weight = tf.Variable(2.0)

    @tf.custom_gradient
    def scale(self, x):
        """Times the factor."""
        return x * self.factor, lambda upstream: upstream * 10.0 * self.factor

    @tf.custom_gradient
    def weigh(self, x):
        def gradient(upstream, variables):
            assert len(variables) == 1
            return upstream * 100.0, [upstream * x]

        return x * self.weight, gradient

    @tf.function
    def both(self, x):
        return self.scale(x) + self.weigh(x)


def test_custom_gradients_of_methods() -> None:
    first, second = Scaled(3.0), Scaled(5.0)
    x = tf.constant(4.0)
    for scaled, expected in ((first, [130, 4]), (second, [150, 4])):
        for function in (scaled.both, scaled.both.python_function, tf.function(lambda x, s=scaled: s.both(x))):
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = function(x)
            check(y, 4 * (scaled.factor + 2))
            check(tape.gradient(y, [x, scaled.weight]), expected)
    assert Scaled.scale.__doc__ == first.scale.__doc__ == "Times the factor." and first.scale.__name__ == "scale"


@pytest.mark.parametrize("make", [lambda f: f, tf.function])
def test_custom_gradients_may_have_the_structure_of_the_arguments(make) -> None:
    @tf.custom_gradient
    def product(d):
        return d["a"] * d["b"], lambda upstream: {"a": upstream * 7.0, "b": upstream * 9.0}

    a, b = tf.constant(2.0), tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch([a, b])
        y = make(lambda a, b: product({"b": b, "a": a}))(a, b)
    check(tape.gradient(y, [a, b]), [7, 9])


def test_functions_with_custom_gradients_are_copied_and_pickled_as_functions() -> None:
    assert pickle.loads(pickle.dumps(clipped)) is copy.deepcopy(clipped) is clipped


def test_a_custom_gradient_and_its_function_may_depend_on_tensors_in_a_graph() -> None:
    @tf.custom_gradient
    def steep(x):
        y = x if x > 0 else -x

        def gradient(upstream):
            factor = 1.0
            while factor < y:
                factor *= 2.0
            return upstream * factor

        return y, gradient

    @tf.function
    def both(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = steep(x)
        return y, tape.gradient(y, x)

    for x, expected in ((3.0, (3, 4)), (-9.0, (9, 16))):
        check(both(tf.constant(x)), expected)


@pytest.mark.parametrize("target", [None, 3, "text"])
def test_what_is_no_tensor_has_no_gradient(target) -> None:
    x, _, tape = x_squared()
    with pytest.raises(TypeError, match=f"but received {target!r}"):
        tape.gradient(target, x)


def test_custom_gradient_with_several_results_and_keywords() -> None:
    @tf.custom_gradient
    def both(x, y, flip=False):
        def gradient(difference, sum):  # in the order of the keys
            return [difference, sum] if flip else [sum, difference]

        return {"sum": x + y, "difference": x - y}, gradient

    x, y = tf.constant(1.0), tf.constant(2.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x, y])
        plain, flipped = both(x, y), both(x, y, flip=True)
    assert set(plain) == {"sum", "difference"}
    check(tape.gradient(plain["sum"], [x, y]), [1, 0])
    check(tape.gradient(flipped["sum"], [x, y], output_gradients=tf.constant(3.0)), [0, 3])


def test_custom_gradient_checks_what_it_gets() -> None:
    @tf.custom_gradient
    def wrong(x, y):
        return x * y, lambda upstream: (upstream,)

    x = tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = wrong(x, x)
    with pytest.raises(ValueError, match="expected to return 2 gradients"):
        tape.gradient(y, x)


# gradients


def test_gradients_of_a_graph() -> None:
    @tf.function
    def compute(x):
        y = x * x
        z = y * x
        stopped = tf.gradients(z, x, stop_gradients=y)[0]
        weighted = tf.gradients([y, z], [x], grad_ys=[tf.constant(2.0), None])[0]
        zero = tf.gradients(tf.constant(1.0), x, unconnected_gradients="zero")
        return tf.gradients(z, [x, y]), stopped, weighted, zero

    both, stopped, weighted, zero = compute(tf.constant(3.0))
    check(both, [27, 3])
    check(stopped, 9)
    check(weighted, 12 + 27)
    check(zero, [0])


def test_gradients_needs_a_graph() -> None:
    with pytest.raises(RuntimeError, match="not supported when eager execution is enabled"):
        tf.gradients(tf.constant(1.0), [tf.constant(1.0)])


# Tensors made of others before the tape

HELD = tf.Variable([1.0, 2.0])
CONSTANT = tf.constant([1.0, 2.0])
MADE = {
    "identity": tf.identity,
    "identity_n": lambda w: tf.identity_n([w])[0],
    "squeeze": tf.squeeze,
    "reshape": lambda w: tf.reshape(w, [2]),
    "ensure_shape": lambda w: tf.ensure_shape(w, [2]),
    "slice": lambda w: w[:],
    "stop_gradient": tf.stop_gradient,
    "dropout of nothing": lambda w: tf.nn.dropout(w, 0.0),
    "function": tf.function(lambda w: w),
    "function, optimised": tf.function(lambda w: w * 1.0),
    "function, branch": tf.function(lambda w: tf.cond(w[0] > 0.0, lambda: w, lambda: -w)),
    "function, no turn": tf.function(lambda w: tf.while_loop(lambda x: x[0] > 9.0, lambda x: [x * 2.0], [w])[0]),
}


@pytest.mark.parametrize("calls", [1, 5])  # later calls go a quicker way
@pytest.mark.parametrize("make", MADE.values(), ids=MADE)
def test_what_was_made_of_a_tensor_before_the_tape_is_another_tensor(make, calls: int) -> None:
    w = tf.constant([1.0, 2.0])
    for _ in range(calls):
        made = make(w)
    for watched, other in ((w, made), (made, w)):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(watched)
            y = watched + 3.0 * other
        check(tape.gradient(y, watched), [1, 1])
        assert tape.gradient(y, other) is None


@pytest.mark.parametrize("read", [
    tf.function(lambda: CONSTANT), tf.function(lambda: HELD.read_value()), lambda: HELD.read_value(),
], ids=["constant", "variable in a function", "variable"])  # fmt: skip
def test_tensors_that_were_read_twice_are_two(read) -> None:
    for _ in range(4):
        one, other = read(), read()
    with tf.GradientTape() as tape:
        tape.watch(one)
        y = one + 3.0 * other
    check(tape.gradient(y, one), [1, 1])


def test_results_of_one_call_are_tensors_of_their_own() -> None:
    one, other = tf.function(lambda x: (x * 2.0, x * 2.0))(CONSTANT)
    with tf.GradientTape() as tape:
        tape.watch(one)
        y = one + 3.0 * other
    check(tape.gradient(y, one), [1, 1])


# Complex numbers, by TensorFlow's convention


def test_complex_gradients_are_conjugated() -> None:
    z = tf.constant(1 + 2j, tf.complex128)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(z)
        square, real, size = z * z, tf.math.real(z), tf.abs(z)
    check(tape.gradient(square, z), 2 - 4j)
    check(tape.gradient(real, z), 1)
    check(tape.gradient(size, z), (1 + 2j) / np.sqrt(5))
