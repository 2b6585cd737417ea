"""Element types: equality with NumPy's, conversion, promotion."""

from __future__ import annotations

import copy
import itertools
import pickle
from typing import Any

import numpy as np
import pytest

import autograph as tf
from autograph.runtime.base import dtypes

NUMBERS = [d for d in dtypes.ALL if d.kind not in "SV"]


@pytest.mark.parametrize("dtype", NUMBERS, ids=str)
def test_equal_to_numpy(dtype: dtypes.DType) -> None:
    native = np.dtype(dtype.name)
    assert dtype == native and native == dtype
    assert dtype == native.type and dtype == dtype.name
    assert hash(dtype) == hash(native)
    assert np.zeros(2, dtype).dtype == native
    assert tf.as_dtype(native) is dtype and tf.as_dtype(native.type) is dtype and tf.as_dtype(dtype.name) is dtype
    assert dtype.as_numpy_dtype is native.type and dtype.size == native.itemsize


def test_names_as_in_tensorflow() -> None:
    assert repr(tf.float32) == "tf.float32" and str(tf.float32) == "<dtype: 'float32'>"
    assert repr(tf.bool) == "tf.bool" and repr(tf.string) == "tf.string"
    assert tf.half is tf.float16 and tf.double is tf.float64
    assert tf.float32 != tf.float64 and tf.float32 != "nonsense" and tf.float32 != 3


def test_one_instance_also_after_copying() -> None:
    for dtype in dtypes.ALL:
        assert copy.deepcopy(dtype) is dtype and pickle.loads(pickle.dumps(dtype)) is dtype


def test_limits_and_kinds() -> None:
    assert (tf.int8.min, tf.uint8.max, tf.bool.max) == (-128, 255, True)
    assert tf.float16.max == np.finfo(np.float16).max
    assert tf.int8.is_integer and tf.uint8.is_unsigned and tf.float16.is_floating and tf.complex64.is_complex
    assert tf.complex64.real_dtype is tf.float32 and not tf.bool.is_numeric
    with pytest.raises(TypeError, match="no minimum"):
        _ = tf.string.min


@pytest.mark.parametrize("value", ["datetime64[s]", np.longdouble, "nonsense", object()])
def test_no_counterpart(value: Any) -> None:
    if value is np.longdouble and np.dtype(value) == np.float64:
        pytest.skip("long double is float64 on this machine")
    with pytest.raises(TypeError):
        tf.as_dtype(value)


def test_foreign_byte_order_and_strings() -> None:
    assert tf.as_dtype(np.dtype(">i4")) is tf.int32
    assert tf.as_dtype(np.dtype("<U3")) is tf.string and tf.as_dtype(str) is tf.string


def test_promotion_is_numpys() -> None:
    for a, b in itertools.product(NUMBERS, repeat=2):
        assert dtypes.promote(a, b) == np.promote_types(a.numpy, b.numpy)
    with pytest.raises(TypeError, match="no common type"):
        dtypes.promote(tf.string, tf.int32)


@pytest.mark.parametrize("number", [1, 1.0, 1j])
def test_weak_numbers_as_in_numpy(number: Any) -> None:
    for dtype in NUMBERS:
        expected = np.result_type(dtype.numpy, number)
        assert dtypes.result_type(dtype, number) == expected, dtype


def test_numbers_alone() -> None:
    assert dtypes.result_type(1) is tf.int32 and dtypes.result_type(1, 2.0) is tf.float32
    assert dtypes.result_type(True, 1) is tf.int32 and dtypes.result_type(1, 1j) is tf.complex128
    assert dtypes.result_type("a", b"b") is tf.string
    with pytest.raises(TypeError):
        dtypes.result_type("a", 1)
