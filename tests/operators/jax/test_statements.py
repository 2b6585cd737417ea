"""Python's statements on JAX's tracers do what they do on Python's numbers."""

from __future__ import annotations

import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph as tf
import autograph.jax

from .programs import PROGRAMS


def arrays(arguments):
    return tuple(jnp.asarray(each) if isinstance(each, list) else each for each in arguments)


def check(found, expected):
    assert jax.tree.structure(found) == jax.tree.structure(expected)
    for one, other in zip(jax.tree.leaves(found), jax.tree.leaves(expected), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-6)


IDS = [f"{function.__name__}{arguments}" for function, arguments in PROGRAMS]


@pytest.mark.parametrize(("function", "arguments"), PROGRAMS, ids=IDS)
def test_jit(function, arguments):
    check(autograph.jax.jit(function)(*arrays(arguments)), function(*arguments))


@pytest.mark.parametrize(("function", "arguments"), PROGRAMS, ids=IDS)
def test_on_arrays_without_a_trace_python_runs(function, arguments):
    check(tf.autograph.convert()(function)(*arrays(arguments)), function(*arguments))


@pytest.mark.parametrize(("function", "arguments"), PROGRAMS, ids=IDS)
def test_vmap(function, arguments):
    batch = tuple(jnp.stack([each, each]) for each in map(jnp.asarray, arguments))
    found = jax.vmap(tf.autograph.convert()(function))(*batch)
    check(jax.tree.map(lambda each: each[1], found), function(*arguments))


def test_options_of_jit():
    @autograph.jax.jit(static_argnames="n")
    def power(x, n):
        y = 1.0
        for _ in range(n):
            y = y * x if x > 0 else y
        return y

    assert power(2.0, n=3) == 8.0


def test_methods_and_lambdas():
    class Model:
        def __init__(self, limit):
            self.limit = limit

        def __call__(self, x):
            while x < self.limit:
                x = x * 2
            return x

    model = Model(10.0)
    assert jax.jit(tf.autograph.convert()(model))(3.0) == 12.0
    assert jax.jit(tf.autograph.convert()(model.__call__))(3.0) == 12.0
    assert jax.jit(tf.autograph.convert()(lambda x: x if x > 0 else -x))(-3.0) == 3.0


def test_functions_given_to_jax_are_converted():
    def positive(x):
        return x if x > 0 else -x

    def total(carry, x):
        if x > 1:
            carry = carry + x
        return carry, carry

    @autograph.jax.jit
    def run(xs):
        return jax.vmap(positive)(xs), jax.lax.scan(total, 0.0, xs), jax.grad(positive)(xs[0])

    found, (last, sums), slope = run(jnp.asarray([-1.0, 2.0, 3.0]))
    assert found.tolist() == [1, 2, 3] and last == 5.0 and sums.tolist() == [0, 2, 5] and slope == -1.0


def test_a_trace_runs_the_body_once(capsys):
    @autograph.jax.jit
    def function(x):
        print("before")
        if x > 0:
            print("in the branch")
            x = x + 1
        return x

    assert function(1.0) == 2.0 and function(2.0) == 3.0
    assert capsys.readouterr().out == "before\nin the branch\n"


def test_stores_into_arrays_give_variables_new_ones():
    @autograph.jax.jit
    def function(x):
        old = x
        x[1] = 5.0
        for i in range(3):
            if x[i] > 1:
                x[i] += 1.0
        return old, x

    old, new = function(jnp.arange(4.0))
    assert old.tolist() == [0, 1, 2, 3] and new.tolist() == [0, 6, 3, 3]


def test_assert_becomes_a_check():
    from jax.experimental import checkify

    def function(x):
        while x < 10:
            assert x != 4, "four, {}"
            x = x * 2
        return x

    checked = jax.jit(checkify.checkify(tf.autograph.convert()(function)))
    error, found = checked(3.0)
    error.throw()
    assert found == 12.0
    with pytest.raises(Exception, match="four, {}"):
        checked(1.0)[0].throw()


@pytest.mark.parametrize("key", [jax.random.key(0), jax.random.PRNGKey(0)], ids=["typed", "raw"])
def test_random_keys_are_state(key):
    def until(key, x):
        count = 0
        while x < 0.9:
            key, part = jax.random.split(key)
            x = jax.random.uniform(part)
            count += 1
        return x, count

    check(autograph.jax.jit(until)(key, 0.0), until(key, 0.0))


def test_weak_types():
    @autograph.jax.jit
    def function(n, x):
        count = 0
        while count < n:
            count = count + 1
        return x * count, (x if n > 2 else 1.0)

    found, chosen = function(3, jnp.bfloat16(2.0))
    assert found.dtype == chosen.dtype == jnp.bfloat16 and found == 6.0


def test_64_bits():
    def function(n, x):
        total = 0
        for i in range(n):
            total = total + i * x if x > 0 else total
        return total

    with jax.enable_x64(True):
        found = autograph.jax.jit(function)(np.int64(4), np.float64(0.5))
        assert found.dtype == np.float64 and found == 3.0


def test_a_program_that_does_not_import_jax_does_not_get_it():
    program = """
import sys
import autograph as tf
f = tf.autograph.convert()(lambda x: x if x > 0 else -x)
assert f(-1) == 1
assert tf.function(f)(tf.constant(-1)).numpy() == 1
assert "jax" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", program], check=True)
