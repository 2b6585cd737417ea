"""Static shapes and `TensorShape`."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import autograph as tf
from autograph.errors import InvalidArgumentError
from autograph.runtime.base import shapes
from autograph.runtime.base.shapes import Shape

known = st.lists(st.integers(0, 3), max_size=3).map(tuple)


def forget(shape: tuple[int, ...], mask: int) -> Shape:
    return tuple(None if mask >> i & 1 else d for i, d in enumerate(shape))


@given(known, known)
def test_broadcast_is_numpys(a: tuple[int, ...], b: tuple[int, ...]) -> None:
    try:
        expected = np.broadcast_shapes(a, b)
    except ValueError:
        with pytest.raises(InvalidArgumentError, match="can't be broadcast"):
            shapes.broadcast(a, b)
    else:
        assert shapes.broadcast(a, b) == expected


@given(known, known, st.integers(0, 7), st.integers(0, 7))
def test_broadcast_of_partly_known_shapes_allows_the_result(
    a: tuple[int, ...], b: tuple[int, ...], mask_a: int, mask_b: int
) -> None:
    try:
        result = np.broadcast_shapes(a, b)
    except ValueError:
        return
    assert shapes.is_subshape(result, shapes.broadcast(forget(a, mask_a), forget(b, mask_b)))


def test_relax_and_merge() -> None:
    assert shapes.relax((2, 3), (2, 4)) == (2, None)
    assert shapes.relax((2, None), (2, 4)) == (2, None)
    assert shapes.relax((2,), (2, 3)) is None and shapes.relax(None, (2,)) is None
    assert shapes.merge((None, 3), (2, None)) == (2, 3) and shapes.merge(None, (1,)) == (1,)
    with pytest.raises(InvalidArgumentError, match="incompatible"):
        shapes.merge((2,), (3,))


def test_relax_is_an_upper_bound() -> None:
    some: list[Shape] = [None, (), (2,), (None,), (2, 3), (None, 3), (2, None)]
    for a, b in itertools.product(some, repeat=2):
        joined = shapes.relax(a, b)
        assert shapes.is_subshape(a, joined) and shapes.is_subshape(b, joined)


def test_tensor_shape_prints_as_tensorflows() -> None:
    assert repr(tf.TensorShape([2, None])) == "TensorShape([2, None])" and str(tf.TensorShape([2, None])) == "(2, None)"
    assert repr(tf.TensorShape(None)) == "TensorShape(None)" and str(tf.TensorShape(None)) == "<unknown>"
    assert str(tf.TensorShape([3])) == "(3,)" and str(tf.TensorShape(())) == "()"


def test_tensor_shape() -> None:
    shape = tf.TensorShape([2, None, 4])
    assert shape == (2, None, 4) and shape == [2, None, 4] and shape != (2, 3, 4) and shape != None  # noqa: E711
    assert shape.rank == shape.ndims == len(shape) == 3 and shape.as_list() == [2, None, 4]
    assert shape[0] == 2 and shape[1:] == tf.TensorShape([None, 4]) and list(shape) == [2, None, 4]
    assert shape.num_elements() is None and tf.TensorShape((2, 3)).num_elements() == 6
    assert not shape.is_fully_defined() and shape.is_compatible_with((2, 9, 4)) and not shape.is_compatible_with((2, 9))
    assert shape.merge_with((None, 3, None)) == (2, 3, 4) and shape.concatenate([5]) == (2, None, 4, 5)
    assert hash(shape) == hash(tf.TensorShape((2, None, 4)))
    assert tf.TensorShape(3) == (3,) and tf.TensorShape(np.array([1, 2])) == (1, 2)


def test_tensor_shape_refuses_what_does_not_fit() -> None:
    shape = tf.TensorShape([2, None])
    assert shape.with_rank(2) == shape and shape.is_subtype_of((None, None))
    assert shape.most_specific_compatible_shape((3, None)) == (None, None)
    shape.assert_is_compatible_with((2, 5))
    for refused in (lambda: shape.with_rank(3), lambda: shape.assert_is_compatible_with((3, 5)),
                    shape.assert_is_fully_defined):  # fmt: skip
        with pytest.raises(ValueError):
            refused()


def test_tensor_shape_of_unknown_rank() -> None:
    unknown = tf.TensorShape(None)
    assert unknown.rank is None and not unknown and tf.TensorShape(()) and unknown.is_compatible_with((1, 2))
    with pytest.raises(ValueError, match="unknown rank"):
        len(unknown)
    with pytest.raises(ValueError, match="at least 0"):
        tf.TensorShape([-1])
    with pytest.raises(TypeError, match="whole numbers"):
        tf.TensorShape(2.5)


def test_ranks_are_asserted() -> None:
    shape, unknown = tf.TensorShape([2, None]), tf.TensorShape(None)
    for each in (shape, unknown):
        assert each.with_rank_at_least(2) is each and each.with_rank_at_most(2) is each
        each.assert_has_rank(2)
    for act, text in (
        (lambda: shape.with_rank_at_least(3), r"Shape \(2, None\) must have rank at least 3"),
        (lambda: shape.with_rank_at_most(1), "must have rank at most 1"),
        (lambda: shape.assert_has_rank(1), "must have rank 1"),
    ):
        with pytest.raises(ValueError, match=text):
            act()
