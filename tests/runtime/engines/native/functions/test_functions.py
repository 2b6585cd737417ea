"""The bounds that functions/ states, against references of higher precision; and what is exact, as in NumPy."""

from __future__ import annotations

import functools
import math
import re
from decimal import Decimal, localcontext
from typing import Any

import numpy as np
import pytest

import autograph as tf
from autograph.runtime import ops  # noqa: F401  (declares the ops)
from autograph.runtime.engines.native.emit.lowering import Lowering
from autograph.runtime.engines.native.foreign import llvm
from autograph.runtime.engines.native.foreign.machine import fuses
from autograph.runtime.engines.native.run.assemble import module_text
from autograph.runtime.engines.native.run.compiler import Code
from autograph.runtime.engines.numpy.plan import Plan
from autograph.runtime.ir.graph import Graph
from autograph.runtime.ir.op import OPS, type_of
from autograph.runtime.tensors import trace  # noqa: F401  (declares the ops)
from autograph.runtime.tensors.tensor import SymbolicTensor
from tests.runtime.engines.native.common import graph_of_op, needs_llvm, region_of

pytestmark = [needs_llvm, pytest.mark.filterwarnings("ignore::RuntimeWarning")]
# At most so many units in the last place; the tables of functions/ say the same.
BOUNDS = {
    "exp": 2, "exp2": 2, "expm1": 2, "tanh": 3, "sinh": 3, "cosh": 2, "log": 1, "log2": 1, "log10": 1, "log1p": 1,
    "arcsinh": 3, "arccosh": 3, "arctanh": 3, "cbrt": 1, "sin": 2, "cos": 2, "tan": 4, "arctan": 2, "arcsin": 2,
    "arccos": 2,
}  # fmt: skip
BOUNDS_OF_TWO = {"power": 2, "hypot": 2, "arctan2": 3}
EDGES = [709.78271289338, 709.782712893385, 710.475860073943, 710.475860073944, 745.13321910194, 745.13321910195,
         88.72283, 88.72284, 89.415985, 89.415986, 103.97207, 103.972084, 127.99999, 128, 149, 150.0, 1023.9999999999,
         1024, 1074, 1075.0, 36.8, 18.0, math.pi, 1e6, 999999.9, 1000001.0, 1e15, 1e22, 1e30, 0.5, 2, 3, 8.0, 1000,
         math.sqrt(0.5), math.sqrt(2), math.sqrt(2) - 1, math.sqrt(2) + 1]  # fmt: skip


def special(dtype: Any) -> np.ndarray:
    info = np.finfo(dtype)
    sizes = [0.0, 1.0, math.inf, info.max, info.tiny, info.smallest_subnormal, info.eps, 3 * info.tiny / 7, *EDGES]
    sizes += [np.nextafter(dtype(1), dtype(0)), np.nextafter(dtype(1), dtype(2))]
    with np.errstate(all="ignore"):
        positive = np.array(sizes).astype(dtype)
    return np.concatenate([positive, -positive, [dtype(math.nan)]])


def points(dtype: Any) -> np.ndarray:
    """Numbers of all exponents, of those where functions change most, and close to multiples of pi/2 and to 1."""
    generator = np.random.default_rng(0)
    bits = np.int32 if dtype is np.float32 else np.int64
    limits = np.iinfo(bits)
    anything = generator.integers(limits.min, limits.max, 10_000, dtype=bits).view(dtype)
    anything[np.isnan(anything)] = math.nan  # none that signals: C's pow(1, ...) tells these apart
    usual = [generator.uniform(-size, size, 8_000) for size in (1, 2, 10, 100, 800)]
    small = generator.uniform(-1, 1, 8_000) * 10.0 ** generator.uniform(-12, 0, 8_000)
    turns = np.arange(-5_000, 5_000) * (math.pi / 2)
    return np.concatenate([anything, *[each.astype(dtype) for each in (*usual, small, 1 + small, turns)],
                           special(dtype)])  # fmt: skip


def pairs(name: str, dtype: Any) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(1)
    x, y = points(dtype), points(dtype)
    generator.shuffle(y)
    edges = np.meshgrid(special(dtype), special(dtype))
    x, y = np.concatenate([x, edges[0].ravel()]), np.concatenate([y, edges[1].ravel()])
    if name == "power":  # results of all exponents
        base = np.abs(points(dtype)[:40_000])
        logarithm = np.maximum(np.abs(np.log2(base.astype(np.float64))), 1e-9)
        exponent = generator.uniform(-1.05, 1.05, base.size) * (128 if dtype is np.float32 else 1075) / logarithm
        x, y = np.concatenate([x, base]), np.concatenate([y, exponent.astype(dtype)])
    return x, y


def native(name: str, *inputs: np.ndarray) -> np.ndarray:
    region = region_of(graph_of_op(OPS[name], inputs, {}))
    result = region.run(*inputs)[0]
    assert region.is_compiled and not region.failures
    return result


def check(got: np.ndarray, exact: np.ndarray, bound: float, *inputs: np.ndarray) -> None:
    dtype, wider = got.dtype, exact.dtype
    rounded = exact.astype(dtype)
    finite = np.isfinite(rounded)
    np.testing.assert_array_equal(got[~finite], rounded[~finite])
    assert np.isfinite(got[finite]).all()
    unit = np.maximum(np.spacing(np.abs(rounded[finite])), np.finfo(dtype).smallest_subnormal).astype(wider)
    error = np.abs(got[finite].astype(wider) - exact[finite]) / unit
    worst = error.argmax()
    assert error.max() <= bound, f"{error.max()} ulps at {[x[finite][worst] for x in inputs]}"
    wrong = finite & (np.signbit(got) != np.signbit(rounded))
    assert not wrong.any(), f"the sign of {got[wrong][0]} at {[x[wrong][0] for x in inputs]}"


def skip_without(dtype: Any, wider: Any) -> None:
    if np.finfo(wider).nmant <= np.finfo(dtype).nmant:
        pytest.skip("this machine has no wider floats")


PRECISIONS = pytest.mark.parametrize("dtype, wider", [(np.float32, np.float64), (np.float64, np.longdouble)])


@PRECISIONS
@pytest.mark.parametrize("name", BOUNDS)
def test_functions_keep_their_bounds(name: str, dtype: Any, wider: Any) -> None:
    skip_without(dtype, wider)
    x = points(dtype)
    check(native(name, x), getattr(np, name)(x.astype(wider)), BOUNDS[name], x)


@PRECISIONS
@pytest.mark.parametrize("name, bound", [("sigmoid", 4), ("softplus", 3)])
def test_functions_of_networks_keep_their_bounds(name: str, bound: int, dtype: Any, wider: Any) -> None:
    skip_without(dtype, wider)
    x = points(dtype)
    wide = x.astype(wider)
    exact = 1 / (1 + np.exp(-wide)) if name == "sigmoid" else np.logaddexp(wide, wider(0))
    if name == "sigmoid":  # exp(-x) overflows a little before the result is a subnormal number, as in NumPy
        inside = ~(wide < 0.01 - np.log(np.finfo(dtype).max))
        x, exact = x[inside], exact[inside]
    check(native(name, x), exact, bound, x)


@PRECISIONS
def test_logaddexp_keeps_its_bound(dtype: Any, wider: Any) -> None:
    """Of the larger one of the numbers and the result, and of their difference: as in NumPy, digits cancel out."""
    skip_without(dtype, wider)
    x, y = pairs("logaddexp", dtype)
    got, exact = native("logaddexp", x, y), np.logaddexp(x.astype(wider), y.astype(wider))
    finite = np.isfinite(exact.astype(dtype))
    np.testing.assert_array_equal(got[~finite], exact.astype(dtype)[~finite])
    size = np.maximum(np.abs(np.maximum(x, y)), np.abs(got))[finite]
    unit = np.maximum(np.spacing(size), np.finfo(dtype).smallest_subnormal)
    gap = np.minimum(np.abs(x - y)[finite], 1000)
    assert (np.abs(got[finite] - exact[finite]) <= 2 * unit + np.spacing(gap) * np.exp(-gap)).all()


@PRECISIONS
@pytest.mark.parametrize("name", BOUNDS_OF_TWO)
def test_functions_of_two_numbers_keep_their_bounds(name: str, dtype: Any, wider: Any) -> None:
    skip_without(dtype, wider)
    x, y = pairs(name, dtype)
    check(native(name, x, y), getattr(np, name)(x.astype(wider), y.astype(wider)), BOUNDS_OF_TWO[name], x, y)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("divisor", [1.0, 2.0, -4.0, 2.0**100, 0.5, 3.0, -0.7])
@pytest.mark.parametrize("name", ["fmod", "remainder", "floor_divide"])
def test_known_divisors(name: str, divisor: float, dtype: Any) -> None:
    x = np.concatenate([points(dtype), np.arange(-40, 40).astype(dtype) / 2])
    with trace.building(Graph("division")) as graph:
        result = OPS[name](SymbolicTensor(graph.parameter(type_of(x))), dtype(divisor))
        graph.outputs = [trace.value_of(result)]
    got, expected = region_of(graph).run(x)[0], getattr(np, name)(x, dtype(divisor))
    np.testing.assert_array_equal(got, expected)
    assert (np.signbit(got) == np.signbit(expected))[~np.isnan(expected)].all()


@PRECISIONS
@pytest.mark.parametrize("exponent", [-3.0, -2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0, 3.0, 4.0, 5.0, 1.5])
def test_known_exponents(exponent: float, dtype: Any, wider: Any) -> None:
    skip_without(dtype, wider)
    x = points(dtype)
    with trace.building(Graph("power")) as graph:
        result = SymbolicTensor(graph.parameter(type_of(x))) ** exponent
        graph.outputs = [trace.value_of(result)]
    got = region_of(graph).run(x)[0]
    check(got, x.astype(wider) ** wider(exponent) if exponent != 0.5 else np.sqrt(x.astype(wider)), 2, x)
    edges = special(dtype)
    expected = Plan(graph).run(edges)[0]
    np.testing.assert_allclose(region_of(graph).run(edges)[0], expected, rtol=4 * float(np.finfo(dtype).eps), atol=0)


@pytest.mark.parametrize("size", [1, 3, 1000])
@pytest.mark.parametrize("dtype", [tf.float32, tf.float64])
def test_functions_work_together(dtype: Any, size: int) -> None:
    """Several in a loop nest, of both precisions, in reductions, in branches and in a loop; some elements are far."""

    def program(x: Any, n: Any) -> Any:
        other = tf.cast(x, tf.float32 if dtype == tf.float64 else tf.float64)
        total = tf.reduce_sum(tf.sin(x) * tf.cast(tf.cos(other) + tf.tan(other / 7), x.dtype))
        for i in range(n):
            if total > 0:
                x = tf.cos(x) + tf.pow(tf.abs(x), 0.7) - tf.math.erf(x)
            else:
                x = tf.math.log1p(tf.abs(x)) * tf.sin(x * 3) + x % 1.7
            total += tf.reduce_mean(tf.math.softplus(x)) - tf.sin(total) - 0.5
        return x, total, tf.reduce_max(tf.sin(tf.reshape(x, [size, 1]) + x[:3]), axis=0)

    x = np.linspace(-20, 20, size).astype(dtype.as_numpy_dtype)
    x[::7] *= 1e6
    arguments = tf.constant(x), tf.constant(6)
    expected = tf.function(program, jit_compile=False)(*arguments)
    tolerance = 1e-3 if dtype == tf.float32 else 1e-9
    for a, b in zip(expected, tf.function(program, jit_compile=True)(*arguments), strict=True):
        np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_scalars_get_what_elements_get(dtype: Any) -> None:
    names = [*BOUNDS, "erf", "erfc", "sigmoid", "softplus"]
    x, y = np.array([0.7, 2.5, -0.3, 3e7], dtype), np.array([1.5, -2.5, 4.5, 2.0], dtype)

    def results(*given: np.ndarray) -> tuple[Any, ...]:
        with trace.building(Graph("functions")) as graph:
            first, second = (SymbolicTensor(graph.parameter(type_of(each))) for each in given)
            found = [OPS[name](first) for name in names] + [OPS[name](first, second) for name in BOUNDS_OF_TWO]
            graph.outputs = [trace.value_of(result) for result in found]
        return region_of(graph).run(*given)

    elements = results(x, y)
    for i in range(len(x)):
        for name, of_all, alone in zip([*names, *BOUNDS_OF_TWO], elements, results(x[i], y[i]), strict=True):
            np.testing.assert_allclose(alone, of_all[i], rtol=2 * float(np.finfo(dtype).eps), err_msg=name)


@functools.cache
def decimal_erf(x: Decimal) -> tuple[Decimal, Decimal]:
    """erf and erfc of a positive number, by the Taylor series and by the continued fraction."""
    with localcontext() as context:
        context.prec = 80
        root = Decimal("3.14159265358979323846264338327950288419716939937510582097494459230781640628620899").sqrt()
        if x >= 3:
            fraction = Decimal(0)
            for k in range(250, 0, -1):
                fraction = Decimal(k) / 2 / (x + fraction)
            rest = (-x * x).exp() / root / (x + fraction)
            return 1 - rest, rest
        term = total = x
        k = 0
        while abs(term) > abs(total) * Decimal(10) ** -60:
            k += 1
            term = -term * x * x / k
            total += term / (2 * k + 1)
        return 2 * total / root, 1 - 2 * total / root


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name, bound, bound_of_plan", [("erf", 2, 4), ("erfc", 4, 8)])
def test_the_error_function_keeps_its_bounds(name: str, bound: int, bound_of_plan: int, dtype: Any) -> None:
    generator = np.random.default_rng(2)
    info = np.finfo(dtype)
    tail = 9 if dtype is np.float32 else 26
    sizes = np.concatenate([generator.uniform(0, 1.1, 150), generator.uniform(0.3, 6, 150), [0.5, 1, 2, 3, 4],
                            generator.uniform(3, tail, 80), 10.0 ** generator.uniform(-30, 0, 30)]).astype(dtype)
    x = np.concatenate([sizes, -sizes])
    for each, got, planned in zip(x, native(name, x), OPS[name].numpy(x), strict=True):
        erf, erfc = decimal_erf(Decimal(float(abs(each))))
        exact = (erf if each > 0 else -erf) if name == "erf" else (erfc if each > 0 else 2 - erfc)
        unit = max(float(np.spacing(dtype(abs(float(exact))))), float(info.smallest_subnormal))
        assert abs(Decimal(float(got)) - exact) <= bound * Decimal(unit), f"{name}({each})"
        assert abs(Decimal(float(planned)) - exact) <= bound_of_plan * Decimal(unit), f"the plan's {name}({each})"
    edges = special(dtype)
    edges = edges[(np.abs(edges) < 1e-6) | (np.abs(edges) > 40) | np.isnan(edges)]
    got, expected = native(name, edges), OPS[name].numpy(edges)
    np.testing.assert_allclose(got, expected, rtol=float(info.eps), atol=0)
    assert (np.signbit(got) == np.signbit(expected))[~np.isnan(edges)].all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_next_numbers(dtype: Any) -> None:
    x, y = pairs("nextafter", dtype)
    got, expected = native("nextafter", x, y), np.nextafter(x, y)
    np.testing.assert_array_equal(got, expected)
    assert (np.signbit(got) == np.signbit(expected))[~np.isnan(expected)].all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", ["fmod", "remainder", "floor_divide"])
def test_remainders_are_exact(name: str, dtype: Any) -> None:
    generator = np.random.default_rng(3)
    x, y = pairs(name, dtype)
    whole, divisor = generator.integers(-50, 50, (2, 5_000)).astype(dtype)
    size = generator.uniform(0.1, 10, 5_000).astype(dtype)
    multiple = (generator.integers(1, 2**20, 5_000) * size).astype(dtype)
    far = (size * 10.0 ** generator.uniform(0, 20, 5_000)).astype(dtype)
    x = np.concatenate([x, whole, whole / 2, multiple, np.nextafter(multiple, dtype(0)), far])
    y = np.concatenate([y, divisor, divisor, size, size, size[::-1]])
    got, expected = native(name, x, y), getattr(np, name)(x, y)
    np.testing.assert_array_equal(got, expected)
    assert (np.signbit(got) == np.signbit(expected))[~np.isnan(expected)].all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_what_is_a_number_is_exact(dtype: Any) -> None:
    x, y = np.meshgrid(np.arange(-12, 13).astype(dtype), np.arange(0, 7).astype(dtype))
    np.testing.assert_array_equal(native("power", x, y), x.astype(np.int64) ** y.astype(np.int64))
    cubes = np.arange(1, 250 if dtype is np.float32 else 20_000)
    np.testing.assert_array_equal(native("power", cubes.astype(dtype), dtype(3)), cubes**3)
    whole = np.arange(-20, 21).astype(dtype)
    np.testing.assert_array_equal(native("exp2", whole), np.ldexp(dtype(1), whole.astype(int)))
    np.testing.assert_array_equal(native("log2", np.exp2(whole)), whole)
    tens = np.arange(0, 11 if dtype is np.float32 else 23)
    np.testing.assert_array_equal(native("log10", np.array([10**int(n) for n in tens], dtype)), tens)
    np.testing.assert_array_equal(native("cbrt", whole**3), whole)
    legs = np.array([[3, 4, 5], [5, 12, 13], [8, 15, 17], [20, 21, 29]], dtype)
    np.testing.assert_array_equal(native("hypot", legs[:, 0], legs[:, 1]), legs[:, 2])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", [*BOUNDS, *BOUNDS_OF_TWO, "erf", "erfc", "logaddexp", "nextafter", "sigmoid",
                                  "softplus", "fmod", "remainder", "floor_divide"])  # fmt: skip
def test_loops_are_vectors(name: str, dtype: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """After LLVM's passes no loop calls a function for one element, but for those of rare elements."""
    if not fuses() and name in ("power", "fmod", "remainder", "floor_divide"):
        pytest.skip("this machine has no instruction that multiplies and adds")
    texts = []
    optimize = llvm.optimize

    def kept(module: Any, machine: Any) -> None:
        optimize(module, machine)
        texts.append(str(module))

    monkeypatch.setattr(llvm, "optimize", kept)
    count = 1 if name in BOUNDS or name in ("erf", "erfc", "sigmoid", "softplus") else 2
    graph = graph_of_op(OPS[name], [np.ones(1024, dtype)] * count, {})
    lowering = Lowering(graph, [value.type for value in graph.inputs])
    assert lowering.lower()
    Code(module_text(lowering), list(lowering.e.addresses))
    part = next(text for text in texts[-1].split("\ndefine ") if "@part0" in text.partition("{")[0])
    kind = "float" if dtype is np.float32 else "double"
    assert f"x {kind}> %" in part  # there are vectors
    assert not re.search(rf"call {kind} @(?!llvm\.)", part)  # and nothing is called for one element
