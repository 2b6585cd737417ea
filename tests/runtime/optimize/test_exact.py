"""Every identity is exact: over all values of the small dtypes, and many of the large ones, bit by bit but for NaN."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as tf
from autograph.runtime.base import dtypes
from autograph.runtime.engines.interpreter import interpret
from autograph.runtime.engines.numpy.plan import Plan
from autograph.runtime.ir.graph import Graph, Type
from autograph.runtime.ir.op import OPS
from autograph.runtime.optimize import optimize

from ..graphs import graph_of

INTEGERS = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
SIGNED = ["int8", "int16", "int32", "int64"]
FLOATS = ["float16", "float32", "float64"]
COMPLEX = ["complex64", "complex128"]


def values(name: str) -> np.ndarray[Any, Any]:
    """All values of a dtype of up to 16 bits; else the special ones and random bits."""
    dtype = getattr(dtypes, name if name != "bool" else "bool_").numpy
    if name == "bool":
        return np.array([False, True])
    if dtype.itemsize <= 2:
        return np.arange(2 ** (8 * dtype.itemsize)).astype(f"u{dtype.itemsize}").view(dtype)
    random = np.random.default_rng(1).bytes(4096 * dtype.itemsize)
    found = np.frombuffer(random, dtype)
    if dtype.kind in "iu":
        edges = [0, 1, 2, 3, np.iinfo(dtype).max, np.iinfo(dtype).min]
    else:
        real = np.finfo(dtype)
        edges = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, real.max, real.min, real.tiny, real.tiny / 8, 1e-30]
    return np.concatenate([np.array(edges, dtype), found])


def one(x: Any, number: Any) -> Any:
    """A constant in the dtype of x."""
    return np.asarray(number).astype(x.dtype.numpy)


# The op that the rule is for, what fires it, and the dtypes.
FIRING: list[tuple[str, Callable[[Any], Any], list[str]]] = [
    ("add", lambda x: x + one(x, 0), INTEGERS),
    ("add", lambda x: one(x, 0) + x, INTEGERS),
    ("add", lambda x: x + one(x, -0.0), FLOATS),
    ("add", lambda x: one(x, -0.0) + x, FLOATS),
    ("subtract", lambda x: x - one(x, 0), INTEGERS + FLOATS),
    ("multiply", lambda x: x * one(x, 1), INTEGERS + FLOATS),
    ("multiply", lambda x: one(x, 1) * x, INTEGERS + FLOATS),
    ("divide", lambda x: x / one(x, 1), INTEGERS[:4] + FLOATS),
    ("divide", lambda x: x / one(x, 2), FLOATS),
    ("divide", lambda x: x / one(x, -0.125), FLOATS),
    ("divide", lambda x: x / one(x, 4096), FLOATS),
    ("floor_divide", lambda x: x // one(x, 1), INTEGERS),
    ("power", lambda x: x ** one(x, 1), INTEGERS + FLOATS),
    ("power", lambda x: x ** one(x, 2), INTEGERS),
    ("negative", lambda x: -(-x), INTEGERS + FLOATS + COMPLEX),
    ("negative", lambda x: abs(-x), SIGNED + FLOATS + COMPLEX),
    ("conjugate", lambda x: tf.math.conj(tf.math.conj(x)), COMPLEX),
    ("maximum", lambda x: tf.maximum(x, x), INTEGERS + FLOATS),
    ("minimum", lambda x: tf.minimum(x, x), INTEGERS + FLOATS),
    ("invert", lambda x: ~~x, [*INTEGERS, "bool"]),
    ("bitwise_and", lambda x: x & x, INTEGERS),
    ("bitwise_and", lambda x: x & one(x, -1), SIGNED),
    ("bitwise_or", lambda x: x | one(x, 0), [*INTEGERS, "bool"]),
    ("bitwise_xor", lambda x: x ^ one(x, 0), [*INTEGERS, "bool"]),
    ("left_shift", lambda x: x << one(x, 0), INTEGERS),
    ("right_shift", lambda x: x >> one(x, 0), INTEGERS),
    ("logical_not", lambda x: tf.logical_not(tf.logical_not(x)), ["bool"]),
    ("logical_not", lambda x: tf.logical_not(x == one(x, 1)), [*INTEGERS, *FLOATS, *COMPLEX, "bool"]),
    ("logical_not", lambda x: tf.logical_not(x != one(x, 1)), INTEGERS + FLOATS),
    ("logical_not", lambda x: tf.logical_not(x < one(x, 3)), INTEGERS),
    ("logical_not", lambda x: tf.logical_not(x <= one(x, 3)), INTEGERS),
    ("logical_not", lambda x: tf.logical_not(x > one(x, 3)), INTEGERS),
    ("logical_not", lambda x: tf.logical_not(x >= one(x, 3)), INTEGERS),
    ("logical_and", lambda x: tf.logical_and(x, True), ["bool"]),
    ("logical_or", lambda x: tf.logical_or(False, x), ["bool"]),
    ("logical_xor", lambda x: tf.math.logical_xor(x, False), ["bool"]),
    ("where", lambda x: tf.where(True, x, one(x, 0)), INTEGERS + FLOATS + COMPLEX),
    ("where", lambda x: tf.where(x[0] == x[0], x, x), INTEGERS + FLOATS),
    ("logit", lambda x: tf.math.logit(tf.cast(x, tf.float32)), ["bool"]),
    ("identity", tf.identity, INTEGERS + FLOATS),
    ("stop_gradient", tf.stop_gradient, FLOATS),
    ("add_n", lambda x: tf.add_n([x]), FLOATS),
    ("concat", lambda x: OPS["concat"](x, axis=0), FLOATS),
]
# Casts that one cast can do: (from, between).
WIDENED = [("int8", "int32"), ("uint8", "int16"), ("bool", "int32"), ("int32", "int64"), ("uint16", "uint64")]
# What looks like an identity and is none: the op has to stay.
STAYING: list[tuple[str, Callable[[Any], Any], list[str]]] = [
    ("add", lambda x: x + one(x, 0.0), FLOATS),
    ("subtract", lambda x: x - one(x, -0.0), FLOATS),
    ("add", lambda x: x + one(x, -0.0), COMPLEX),
    ("multiply", lambda x: x * one(x, 1), COMPLEX),
    ("multiply", lambda x: x * one(x, 0), INTEGERS + FLOATS),
    ("divide", lambda x: x / one(x, 1), INTEGERS[4:] + COMPLEX),
    ("divide", lambda x: x / one(x, 3), FLOATS),
    ("divide", lambda x: x / one(x, 0), FLOATS),
    ("divide", lambda x: x / one(x, np.inf), FLOATS),
    ("divide", lambda x: x / one(x, 2.0**-24), ["float16"]),
    ("power", lambda x: x ** one(x, 2), FLOATS),
    ("floor_divide", lambda x: x // one(x, 1), FLOATS),
    ("subtract", lambda x: one(x, 0) - x, INTEGERS + FLOATS),
    ("divide", lambda x: one(x, 1) / x, FLOATS),
    ("floor_divide", lambda x: one(x, 1) // x, INTEGERS),
    ("power", lambda x: one(x, 1) ** x, FLOATS),
    ("power", lambda x: one(x, 2) ** x, ["uint8", "uint32"]),
    ("left_shift", lambda x: one(x, 0) << x, INTEGERS),
    ("right_shift", lambda x: one(x, 0) >> x, INTEGERS),
    ("bitwise_and", lambda x: x & one(x, 1), INTEGERS),
    ("bitwise_or", lambda x: x | one(x, 1), INTEGERS),
    ("logical_not", lambda x: tf.logical_not(x < one(x, 3)), FLOATS),
    ("negative", lambda x: abs(-x), ["uint8", "uint32"]),
    ("logical_not", lambda x: tf.logical_not(tf.logical_not(x)), ["int8", "float32"]),
]


def cases(table: list[Any]) -> list[Any]:
    return [pytest.param(name, function, dtype, id=f"{name}-{dtype}-{i}") for i, (name, function, names) in
            enumerate(table) for dtype in names]  # fmt: skip


def same(found: Any, expected: Any) -> None:
    """Equal bit by bit, but for what kind of NaN."""
    found, expected = np.asarray(found), np.asarray(expected)
    assert found.dtype == expected.dtype and found.shape == expected.shape
    if found.dtype.kind in "fc":
        for part in (np.real, np.imag):
            a, b = part(found), part(expected)
            np.testing.assert_array_equal(np.isnan(a), np.isnan(b))
            np.testing.assert_array_equal(np.signbit(a)[~np.isnan(a)], np.signbit(b)[~np.isnan(b)])
    np.testing.assert_array_equal(found, expected)


def ops_of(graph: Graph) -> list[str]:
    return [node.op.name for node in graph.walk()]


def optimized(function: Any, dtype: str, passes: Any, shape: Any = (None,)) -> tuple[Graph, Graph]:
    graph = graph_of(function, Type(getattr(dtypes, dtype if dtype != "bool" else "bool_"), shape))
    return graph, optimize(graph, [*passes, "dead_code"]).graph


def compare(graph: Graph, other: Graph, x: Any) -> None:
    expected = interpret(graph, [x])
    for results in (interpret(other, [x]), Plan(other).run(x)):
        for found, wanted in zip(results, expected, strict=True):
            same(found, wanted)


@pytest.mark.parametrize(("name", "function", "dtype"), cases(FIRING))
def test_identities_are_exact(name: str, function: Any, dtype: str) -> None:
    graph, simpler = optimized(function, dtype, ["identities"])
    assert name in ops_of(graph)
    # a view that keeps an output apart from the input is all that may be left
    left = ops_of(simpler) if name != "stop_gradient" else ops_of(simpler)[:-1]
    assert left.count(name) < ops_of(graph).count(name)
    compare(graph, simpler, values(dtype))
    compare(graph, simpler, values(dtype)[:1])


@pytest.mark.parametrize(("name", "function", "dtype"), cases(STAYING))
def test_what_is_no_identity_stays(name: str, function: Any, dtype: str) -> None:
    graph, other = optimized(function, dtype, ["identities"])
    assert ops_of(other) == ops_of(graph)


@pytest.mark.parametrize("target", [*INTEGERS, *FLOATS, "bool"])
@pytest.mark.parametrize(("source", "between"), WIDENED)
def test_two_casts_are_one(source: str, between: str, target: str) -> None:
    types = [dtypes.as_dtype(name) for name in (between, target)]
    graph, simpler = optimized(lambda x: OPS["cast"](OPS["cast"](x, dtype=types[0]), dtype=types[1]), source,
                               ["identities"])  # fmt: skip
    assert ops_of(simpler).count("cast") < 2
    compare(graph, simpler, values(source))


@pytest.mark.parametrize(("source", "between"), [("int32", "int16"), ("int64", "float64"), ("float32", "float64"),
                                                 ("int8", "uint8")])  # fmt: skip
def test_casts_that_change_something_stay(source: str, between: str) -> None:
    types = [dtypes.as_dtype(name) for name in (between, source)]
    graph, other = optimized(lambda x: OPS["cast"](OPS["cast"](x, dtype=types[0]), dtype=types[1]), source,
                             ["identities"])  # fmt: skip
    assert ops_of(other).count("cast") == 2


@pytest.mark.parametrize("shape", [(2, 3, 1), (None, 3, None), (0, 3, 1)])
def test_chains_of_shapes(shape: Any) -> None:
    def function(x: Any) -> list[Any]:
        y = tf.transpose(x, (2, 0, 1))
        flat = tf.reshape(x, (-1,))
        return [
            tf.transpose(y, (1, 2, 0)), tf.transpose(y), tf.transpose(x, (0, 1, 2)), tf.transpose(tf.transpose(x)),
            tf.reshape(flat, (3, -1)) if shape[0] != 0 else flat, tf.reshape(tf.expand_dims(x, 1), (-1,)),
            tf.squeeze(tf.expand_dims(x, -1), -1), x[:], x[..., :], tf.shape(x), tf.rank(x), tf.size(x),
            tf.ensure_shape(x, (None, 3, None)), tf.reshape(tf.squeeze(x, 2), (-1,)),
        ]  # fmt: skip

    graph, simpler = optimized(function, "float32", ["shapes"], shape)
    known = tuple(2 if n is None and i == 0 else 1 if n is None else n for i, n in enumerate(shape))
    compare(graph, simpler, np.arange(np.prod(known), dtype=np.float32).reshape(known))
    assert sum(name not in ("placeholder", "constant", "stop_gradient") for name in ops_of(simpler)) < 14


def test_what_may_raise_is_not_replaced_by_an_input() -> None:
    def function(x: Any, y: Any) -> Any:
        return tf.where(True, x, y), tf.where(y > 0, x, x), tf.where(True, x, y[0])

    graph = graph_of(lambda x, y: list(function(x, y)), Type(dtypes.float32, (3,)), Type(dtypes.float32, (None,)))
    assert ops_of(optimize(graph).graph).count("where") == 2


def test_every_rule_has_a_case() -> None:
    """A rule without a test here, or in `test_chains_of_shapes` and the golden file of shapes, is not proved."""
    tested = {name for name, _, _ in FIRING} | {"cast", "absolute"}
    OPS.load()
    assert {name for name, record in OPS.items() if record.identities} <= tested
    assert {name for name, record in OPS.items() if record.chains} <= {
        "reshape", "transpose", "squeeze", "get_item", "shape", "size", "rank", "ensure_shape", "broadcast_to",
        "broadcast_to_shape_of", "sum_to_shape_of",
    }  # fmt: skip
