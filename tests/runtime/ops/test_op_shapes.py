"""Random shapes, keys and axes: inference and kernels against NumPy itself; lists against Python's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from autograph.errors import InvalidArgumentError, OutOfRangeError
from autograph.runtime import ops  # noqa: F401
from autograph.runtime.base.list_value import ListValue
from autograph.runtime.base.shapes import is_subshape
from autograph.runtime.ir.op import OPS, Type, type_of
from autograph.runtime.ops.lists.lists import TensorList
from autograph.runtime.ops.shape import index
from autograph.runtime.tensors.convert import wrap
from tests.work import work

SHAPES = hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4)


def filled(shape: tuple[int, ...]) -> Any:
    return np.arange(int(np.prod(shape)), dtype=np.float32).reshape(shape)


@given(st.data(), SHAPES)
@settings(max_examples=300, deadline=None)
def test_indexing_is_numpys(data: Any, shape: tuple[int, ...]) -> None:
    x, parts = filled(shape), []
    used = data.draw(st.integers(0, len(shape)))
    for n in shape[:used]:
        parts.append(data.draw(one_part(n)))
        if data.draw(st.booleans()) and not data.draw(st.booleans()):
            parts.append(None)
    if data.draw(st.booleans()):
        parts.insert(data.draw(st.integers(0, len(parts))) if used == len(shape) else len(parts), Ellipsis)
    key = tuple(parts)
    try:
        expected = x[key]
    except IndexError:
        with pytest.raises((OutOfRangeError, InvalidArgumentError)):
            index.get_item(x, key)
        return
    got = np.asarray(index.get_item(x, key))
    assert got.shape == np.shape(expected)
    np.testing.assert_array_equal(got, expected)
    attribute, inputs = index.encode(key)
    types = [type_of(np.asarray(i)) for i in inputs]
    inferred = OPS["get_item"].infer(type_of(x), *types, key=attribute)
    assert is_subshape(np.shape(expected), inferred.shape)  # type: ignore[union-attr]
    unknown = OPS["get_item"].infer(Type(type_of(x).dtype, (None,) * x.ndim), *types, key=attribute)
    assert is_subshape(np.shape(expected), unknown.shape)  # type: ignore[union-attr]


def one_part(n: int) -> Any:
    indices = st.integers(-n, n - 1) if n else st.nothing()
    return st.one_of(
        st.integers(-n - 1, n), st.slices(n), st.just(slice(None)),
        hnp.arrays(np.int64, st.sampled_from([(2,), (1,), (2, 1)]), elements=indices) if n else st.just(slice(None)),
        hnp.arrays(np.bool_, (n,)),
    )  # fmt: skip


@given(hnp.mutually_broadcastable_shapes(num_shapes=2, min_side=0, max_side=3), st.data())
@settings(max_examples=150, deadline=None)
def test_broadcasting_is_numpys(shapes: Any, data: Any) -> None:
    a, b = (filled(shape) for shape in shapes.input_shapes)
    np.testing.assert_array_equal(np.asarray(OPS["add"](a, b)), a + b)
    hidden = [Type(type_of(x).dtype, tuple(data.draw(st.sampled_from([n, None])) for n in x.shape)) for x in (a, b)]
    inferred = OPS["add"].infer(*hidden)
    assert is_subshape((a + b).shape, inferred.shape)  # type: ignore[union-attr]


@given(SHAPES, SHAPES)
@settings(max_examples=150, deadline=None)
def test_what_does_not_broadcast_is_an_error(a: Any, b: Any) -> None:
    try:
        np.broadcast_shapes(a, b)
    except ValueError:
        with pytest.raises(InvalidArgumentError):
            OPS["add"](filled(a), filled(b))
        with pytest.raises(InvalidArgumentError):
            OPS["add"].infer(type_of(filled(a)), type_of(filled(b)))


@given(st.data(), SHAPES, st.booleans(), st.sampled_from(["sum", "prod", "any", "all", "mean"]))
@settings(max_examples=200, deadline=None)
def test_reductions_are_numpys(data: Any, shape: Any, keepdims: bool, name: str) -> None:
    x = filled(shape)
    axis = data.draw(st.one_of(st.none(), hnp.valid_tuple_axes(len(shape))))
    with np.errstate(all="ignore"):
        if name == "mean" and x.size == 0:
            return
        expected = np.asarray(getattr(np, name)(x, axis=axis, keepdims=keepdims))
        got = np.asarray(OPS[name](x, axis=axis, keepdims=keepdims))
    assert got.dtype == expected.dtype and got.shape == expected.shape
    np.testing.assert_allclose(got, expected, rtol=1e-6)


ACTIONS: Any = st.lists(st.tuples(st.sampled_from(["push", "pop", "set", "back"]), st.integers(0, 5)), max_size=30)


@given(ACTIONS)
@settings(max_examples=200, deadline=None)
def test_lists_are_persistent(actions: Any) -> None:
    versions: list[tuple[ListValue, list[int]]] = [(ListValue.of(), [])]
    current, model = versions[0]
    for action, n in actions:
        if action == "push":
            current, model = current.push(n), [*model, n]
        elif action == "pop" and model:
            current, model = current.pop()[0], model[:-1]
        elif action == "set" and n < len(model):
            current, model = current.set(n, -n), [*model[:n], -n, *model[n + 1 :]]
        elif action == "back":
            current, model = versions[n % len(versions)]
        versions.append((current, model))
    assert [list(value) for value, _ in versions] == [items for _, items in versions]


def test_a_growing_list_takes_linear_time() -> None:
    def grow(n: int) -> None:
        first = items = ListValue.of()
        for i in range(n):
            items = items.push(i)
            items = items.push(i).pop()[0].set(i, i)
        assert len(items) == n and len(first) == 0

    assert work(lambda: grow(4000)) < 11 * work(lambda: grow(400))


def test_tensor_lists() -> None:
    items = TensorList.new("float32", (2,))
    assert np.asarray(items.stack()).shape == (0, 2)
    items = items.push([1, 2]).push(np.float32([3, 4]))
    assert int(items.length()) == 2 and np.asarray(items.get(-1)).tolist() == [3, 4]
    shorter, last = items.set(0, [5.0, 6.0]).pop()
    assert np.asarray(last).tolist() == [3, 4] and np.asarray(shorter.stack()).tolist() == [[5, 6]]
    assert np.asarray(items.stack()).tolist() == [[1, 2], [3, 4]]
    for wrong in (lambda: items.get(2), lambda: items.set(-3, [0, 0]), lambda: TensorList.new("int32", ()).pop()):
        with pytest.raises(OutOfRangeError):
            wrong()
    for wrong in (lambda: items.push([1, 2, 3]), lambda: items.push(wrap(np.int32([1, 2])))):
        with pytest.raises(InvalidArgumentError):
            wrong()
