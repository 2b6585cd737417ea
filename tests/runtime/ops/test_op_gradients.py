"""Gradients in the op records agree with finite differences, eagerly and in graphs, on all samples that are smooth."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograph.operators.staging  # noqa: F401  (declares ops)
from autograph.runtime import ops  # noqa: F401
from autograph.runtime.engines.numpy.plan import Plan
from autograph.runtime.gradient import GradientTape
from autograph.runtime.ir.graph import Graph
from autograph.runtime.ir.op import NOT_DIFFERENTIABLE, OPS, STRUCTURAL, Op
from autograph.runtime.tensors import trace  # noqa: F401
from autograph.runtime.tensors.convert import convert_to_tensor, wrap
from autograph.runtime.tensors.tensor import SymbolicTensor

from .test_ops import CASES, outputs, promoted, type_of

STEP = 1e-6
# Refused: what they do to their inputs can't be told from what they return.
REFUSED = {"random_shuffle"}
# Its own test asks for it.
REFUSED_TWICE = {"ctc_loss_gradient"}
# Refused too, by tests/runtime/ops/random/test_random_counts.py.
GAMMA = {"random_gamma", "stateless_random_gamma"}
# Refused by some of their inputs; tests/runtime/ops/elementwise/test_special_functions.py has the others.
PARTLY = {"betainc", "igamma_grad_a", "zeta"}
PARTLY_TWICE = {"ctc_loss", "igamma", "igammac"}
# The whole bases of these are not determined by the matrix.
UNKNOWN = {"qr-2", "svd-1"}
# Only one triangle is read, but the gradient is spread over both, as TensorFlow does.
SYMMETRIC = {"cholesky"}
# The gradient is that of a fixed draw.
RANDOM = {"random_uniform", "random_normal", "random_truncated_normal"}


def is_float(array: Any) -> bool:
    return isinstance(array, np.ndarray) and array.dtype.kind == "f"


def cases() -> list[Any]:
    found = []
    with np.errstate(all="ignore"):
        _collect(found)
    return [case for case in found if case.id not in UNKNOWN]


def _collect(found: list[Any]) -> None:
    for case in CASES:
        record, inputs, attributes = case.values
        if not callable(record.gradient) or record.name in REFUSED | REFUSED_TWICE | RANDOM | GAMMA | PARTLY:
            continue
        results = outputs(record.numpy(*promoted(record, inputs), **attributes))
        if not all(isinstance(wrap(x).array, np.ndarray) for x in (*inputs, *results)):
            continue  # lists: test_gradient_control.py has them
        smooth = all(not is_float(x) or (np.isfinite(x).all() and (np.abs(x) < 50).all()) for x in inputs)
        if smooth and any(is_float(x) and x.size for x in inputs):
            if not any(getattr(x, "dtype", None) is not None and x.dtype.kind == "c" for x in inputs):
                found.append(case)


def prepared(record: Op, inputs: Any, attributes: Any) -> tuple[list[Any], dict[str, Any], list[Any], list[Any]]:
    """The inputs in float64, the attributes, the results, and random weights for the results."""
    inputs = [np.asarray(x) if isinstance(x, np.generic) else x for x in inputs]
    arrays = promoted(record, [x.astype(np.float64) if is_float(x) else x for x in inputs])
    attributes = dict(attributes)
    if "dtype" in attributes and attributes["dtype"].is_floating:
        attributes["dtype"] = convert_to_tensor(np.float64(0)).dtype
    results = value(record, arrays, attributes)
    numbers = [x for x in results if is_float(x)]
    if not is_float(results[0]) or not all((np.abs(x) < 1e100).all() for x in numbers):
        pytest.skip("the sample lies outside the domain")
    random = np.random.default_rng(0)
    weights = [random.standard_normal(x.shape) if is_float(x) else None for x in results]
    return arrays, attributes, results, weights


def value(record: Op, inputs: list[Any], attributes: dict[str, Any]) -> list[Any]:
    return [np.asarray(wrap(x)) for x in outputs(record.numpy(*inputs, **attributes))]


def gradients(record: Op, tensors: list[Any], attributes: Any, weights: list[Any]) -> list[Any]:
    with GradientTape() as tape:
        for x in tensors:
            if x.dtype.kind in "fc":
                tape.watch(x)
        results = outputs(record(*tensors, **attributes))
    pairs = [(y, w) for y, w in zip(results, weights, strict=True) if w is not None]
    targets, given = [y for y, _ in pairs], [w for _, w in pairs]
    return tape.gradient(targets, tensors, output_gradients=given)


def in_graph(record: Op, arrays: list[Any], attributes: Any, weights: list[Any]) -> list[Any]:
    graph = Graph("test")
    with trace.building(graph):
        tensors = [SymbolicTensor(graph.parameter(type_of(x))) for x in arrays]
        found = gradients(record, tensors, attributes, weights)
        graph.outputs = [trace.value_of(g) for g in found if g is not None]
    results = iter(Plan(graph).run(*arrays))
    return [None if g is None else np.asarray(next(results)) for g in found]


@pytest.mark.parametrize("record, inputs, attributes", cases())
@pytest.mark.filterwarnings("ignore:The dtype of the watched tensor")
def test_gradient_is_the_slope(record: Op, inputs: Any, attributes: Any) -> None:
    with np.errstate(all="ignore"):
        arrays, attributes, _, weights = prepared(record, inputs, attributes)
        eager = gradients(record, [wrap(x) for x in arrays], attributes, weights)
        staged = in_graph(record, arrays, attributes, weights)
        for i, (x, found, same) in enumerate(zip(arrays, eager, staged, strict=True)):
            assert (found is None) == (same is None)
            if not is_float(x) or found is None:
                assert found is None or is_float(x)
                left, right = slopes(record, arrays, i, attributes, weights) if is_float(x) else (0, 0)
                assert not np.any((left == right) & (np.abs(left) > 1e-3)), "the gradient is missing"
                continue
            found = np.asarray(found)
            np.testing.assert_allclose(found, same, rtol=1e-9, atol=1e-12)
            assert found.shape == x.shape and found.dtype == x.dtype
            agree(record, found, *slopes(record, arrays, i, attributes, weights))


def agree(record: Op, found: Any, left: Any, right: Any) -> None:
    expected = (left + right) / 2
    smooth = np.abs(right - left) < 1e-3 * (1 + np.abs(expected))
    if record.name in SYMMETRIC:
        expected = (expected + np.swapaxes(expected, -1, -2)) / 2
    np.testing.assert_allclose(found[smooth], expected[smooth], rtol=1e-4, atol=1e-5)


def slopes(record: Op, arrays: list[Any], i: int, attributes: Any, weights: list[Any]) -> tuple[Any, Any]:
    """The slopes to the left and to the right of each element: they differ at a kink or a jump."""

    def total(moved: Any) -> float:
        values = value(record, [*arrays[:i], moved, *arrays[i + 1 :]], attributes)
        return sum((w * v).sum() for w, v in zip(weights, values, strict=True) if w is not None)

    return differences(total, arrays[i])


def differences(total: Any, array: Any) -> tuple[Any, Any]:
    left, right = np.zeros(array.shape), np.zeros(array.shape)
    here = total(array)
    for place in np.ndindex(array.shape):
        for sign, result in ((-1, left), (1, right)):
            moved = array.copy()
            moved[place] += sign * STEP
            result[place] = (total(moved) - here) / (sign * STEP)
    return left, right


def second_cases() -> list[Any]:
    """For each op the first two samples of some size."""
    found: dict[str, list[Any]] = {}
    for case in cases():
        if any(is_float(x) and 1 < x.size < 30 for x in case.values[1]):
            found.setdefault(case.values[0].name, []).append(case)
    return [case for name, group in found.items() if name not in PARTLY_TWICE for case in group[:2]]


@pytest.mark.parametrize("record, inputs, attributes", second_cases())
def test_second_gradient_is_the_slope_of_the_first(record: Op, inputs: Any, attributes: Any) -> None:
    with np.errstate(all="ignore"):
        arrays, attributes, _, weights = prepared(record, inputs, attributes)
        random = np.random.default_rng(1)
        for i, x in enumerate(arrays):
            if not is_float(x):
                continue
            again = random.standard_normal(x.shape)

            def first(moved: Any) -> Any:
                tensors = [wrap(a) for a in [*arrays[:i], moved, *arrays[i + 1 :]]]
                with GradientTape() as tape:
                    tape.watch(tensors[i])
                    results = outputs(record(*tensors, **attributes))
                pairs = [(y, w) for y, w in zip(results, weights, strict=True) if w is not None]
                return tape.gradient([y for y, _ in pairs], tensors[i], output_gradients=[w for _, w in pairs])

            watched = wrap(x)
            with GradientTape() as outer:
                outer.watch(watched)
                slope = first_of(record, arrays, i, watched, attributes, weights)
                total = None if slope is None else OPS["sum"](slope * again)
            found = None if total is None else outer.gradient(total, watched)
            if found is None:
                continue

            def weighted(moved: Any) -> float:
                return float((np.asarray(first(moved)) * again).sum())

            left, right = differences(weighted, x)
            if np.isfinite(left).all() and np.isfinite(right).all() and record.name not in SYMMETRIC:
                agree(record, np.asarray(found), left, right)


def first_of(record: Op, arrays: list[Any], i: int, watched: Any, attributes: Any, weights: list[Any]) -> Any:
    tensors = [watched if j == i else wrap(x) for j, x in enumerate(arrays)]
    with GradientTape() as tape:
        tape.watch(watched)
        results = outputs(record(*tensors, **attributes))
    pairs = [(y, w) for y, w in zip(results, weights, strict=True) if w is not None]
    return tape.gradient([y for y, _ in pairs], watched, output_gradients=[w for _, w in pairs])


@pytest.mark.parametrize("name", sorted(RANDOM))
def test_gradient_of_a_draw_is_that_of_its_parameters(name: str) -> None:
    a, b = convert_to_tensor(np.array([1.0, 2.0])), convert_to_tensor(np.array([3.0, 5.0]))
    with GradientTape() as tape:
        tape.watch([a, b])
        drawn = OPS[name](a, b, shape=(4, 2), dtype=a.dtype)
    first, second = (np.asarray(g) for g in tape.gradient(drawn, [a, b]))
    low, high, values = np.asarray(a), np.asarray(b), np.asarray(drawn)
    if name == "random_uniform":
        place = (values - low) / (high - low)
        np.testing.assert_allclose(first, (1 - place).sum(0))
        np.testing.assert_allclose(second, place.sum(0))
    else:
        np.testing.assert_allclose(first, [4, 4])
        np.testing.assert_allclose(second, ((values - low) / high).sum(0))


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_what_has_no_gradient_says_so(name: str) -> None:
    x = convert_to_tensor([1.0, 2.0])
    with GradientTape() as tape:
        tape.watch(x)
        y = OPS[name](x)
    with pytest.raises(LookupError, match=name):
        tape.gradient(y, x)


def test_every_op_says_what_its_gradient_is() -> None:
    silent = [
        name
        for name, record in OPS.items()
        if not callable(record.gradient)
        and record.gradient not in (NOT_DIFFERENTIABLE, STRUCTURAL)
        # reads are found by their attribute; assignments have no outputs
        and name not in ("read_variable", "assign", "assign_add", "assign_sub", "update_variable")
        and not record.name.startswith("double_for_doctest")
    ]
    assert silent == []
