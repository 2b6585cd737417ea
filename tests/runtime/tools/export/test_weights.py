"""Named arrays in safetensors files."""

from __future__ import annotations

import json
import os
import random

import numpy as np
import pytest
import safetensors.numpy

import autograph as tf
from autograph.errors import InvalidArgumentError, MissingExtraError, SavedFileError, StagedValueError
from autograph.runtime.base.dtypes import ALL, variant
from autograph.runtime.tools.export import weights
from autograph.runtime.tools.export.weights import load_tensors, save_tensors

EXAMPLES = {
    "matrix": np.arange(6.0).reshape(2, 3),
    "columns first": np.asfortranarray(np.arange(6).reshape(2, 3)),
    "every second": np.arange(10, dtype=np.int8)[::2],
    "big-endian": np.arange(3, dtype=">i4"),
    "empty": np.zeros((0, 3), np.float16),
    "one": np.uint64(2**64 - 1),
    "complex": np.array([[1 + 2j, complex(np.nan, -0.0)]]),
    "complex empty": np.zeros((2, 0), np.complex64),
    "strings": np.array([[b"abc", b""], [b"\xff\x00", "é".encode()]], object),
    "no strings": np.zeros((0, 2), object),
}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "weights.safetensors"


def same(a, b):
    assert a.shape == b.shape
    assert a.dtype == b.dtype
    assert a.tolist() == b.tolist() or (a.dtype.kind in "fc" and a.tobytes() == b.tobytes())


def test_every_kind_of_array_comes_back(path):
    save_tensors(path, EXAMPLES)
    loaded = load_tensors(path)
    assert list(loaded) == sorted(EXAMPLES)
    for name, array in EXAMPLES.items():
        array = np.asarray(array)
        same(loaded[name], array.astype(array.dtype.newbyteorder("=")))
        assert loaded[name].flags.writeable


@pytest.mark.parametrize("dtype", [d for d in ALL if d is not variant], ids=str)
@pytest.mark.parametrize("shape", [(), (3,), (2, 0)])
def test_every_dtype(path, dtype, shape):
    array = np.ones(shape).astype(dtype.numpy) if dtype is not tf.string else np.full(shape, b"x", object)
    save_tensors(path, {"x": array})
    same(load_tensors(path)["x"], array)


def test_tensors_variables_and_python_values(path):
    save_tensors(path, {"tensor": tf.constant([1, 2]), "variable": tf.Variable(2.0), "text": "hé", "flag": True})
    loaded = load_tensors(path)
    same(loaded["tensor"], np.array([1, 2], np.int32))
    same(loaded["variable"], np.array(2.0, np.float32))
    assert loaded["text"][()] == "hé".encode()
    assert loaded["flag"][()] == np.True_


def test_the_file_is_plain_safetensors_for_others(path):
    save_tensors(path, {"a": np.ones(2, np.float32)})
    np.testing.assert_array_equal(safetensors.numpy.load_file(path)["a"], np.ones(2, np.float32))
    safetensors.numpy.save_file({"b": np.zeros(3)}, path, metadata={"made by": "another library"})
    same(load_tensors(path)["b"], np.zeros(3))


def test_the_same_values_give_the_same_bytes(path, tmp_path):
    save_tensors(path, EXAMPLES)
    save_tensors(tmp_path / "other", dict(reversed(EXAMPLES.items())))
    assert path.read_bytes() == (tmp_path / "other").read_bytes()


def test_what_cannot_be_saved(path):
    with pytest.raises(InvalidArgumentError, match="name of a saved tensor"):
        save_tensors(path, {3: np.ones(1)})
    with pytest.raises(InvalidArgumentError, match="name of a saved tensor"):
        save_tensors(path, {"__metadata__": np.ones(1)})
    with pytest.raises(InvalidArgumentError, match="name of a saved tensor"):
        save_tensors(path, {"\ud800": np.ones(1)})
    with pytest.raises(InvalidArgumentError, match="unsupported type"):
        save_tensors(path, {"x": object()})
    assert not path.exists()


def test_a_graph_tensor_cannot_be_saved(path):
    name = str(path)

    @tf.function
    def f(x):
        save_tensors(name, {"x": x})

    with pytest.raises(StagedValueError):
        f(tf.constant(1.0))
    assert not path.exists()


def test_variables_can_be_saved_while_a_graph_is_traced(path):
    v = tf.Variable([1.0, 2.0])

    name = str(path)

    @tf.function
    def f():
        save_tensors(name, {"v": v})

    f()
    same(load_tensors(path)["v"], np.array([1, 2], np.float32))


def test_an_old_file_stays_when_writing_fails(path, monkeypatch):
    save_tensors(path, {"a": np.zeros(1)})
    monkeypatch.setattr(weights.os, "fsync", lambda _: (_ for _ in ()).throw(OSError("disk full")))
    with pytest.raises(OSError, match="disk full"):
        save_tensors(path, {"a": np.ones(1)})
    assert load_tensors(path)["a"] == 0
    assert os.listdir(path.parent) == [path.name]


def test_a_link_keeps_pointing_to_the_file(path, tmp_path):
    save_tensors(path, {"a": np.zeros(1)})
    link = tmp_path / "link"
    link.symlink_to(path)
    save_tensors(link, {"a": np.ones(1)})
    assert link.is_symlink()
    assert load_tensors(path)["a"] == 1


def test_without_the_library_the_error_names_the_extra(path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "safetensors", None)
    with pytest.raises(MissingExtraError, match=r"autograph-py\[saved\]"):
        save_tensors(path, {})
    with pytest.raises(ImportError, match="safetensors"):
        load_tensors(path)


def with_header(header, data=b""):
    text = json.dumps(header).encode() if not isinstance(header, bytes) else header
    return len(text).to_bytes(8, "little") + text + data


def described(encoding, data=b"", dtype="U8", shape=None, version=1):
    text = json.dumps({"version": version, "encoded": {"x": encoding}})
    tensor = {"dtype": dtype, "shape": [len(data)] if shape is None else shape, "data_offsets": [0, len(data)]}
    return with_header({"__metadata__": {"autograph": text}, "x": tensor}, data)


FAULTY = {
    "empty": b"",
    "short": b"\x01\x00",
    "header longer than the file": (2**40).to_bytes(8, "little") + b"{}",
    "header longer than any": (2**64 - 1).to_bytes(8, "little") + b"{}",
    "not JSON": with_header(b"{'a'}"),
    "not UTF-8": with_header(b"\xff\xfe"),
    "a list": with_header([]),
    "duplicate": with_header(b'{"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},'
                             b'"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}}'),
    "deep": with_header(b"[" * 200_000),
    "offsets outside": with_header({"a": {"dtype": "U8", "shape": [9], "data_offsets": [0, 9]}}),
    "unknown dtype": with_header({"a": {"dtype": "BF16", "shape": [1], "data_offsets": [0, 2]}}, b"ab"),
    "huge shape": with_header({"a": {"dtype": "U8", "shape": [0, 2**62, 2**62], "data_offsets": [0, 0]}}),
    "bool of 7": with_header({"a": {"dtype": "BOOL", "shape": [1], "data_offsets": [0, 1]}}, b"\x07"),
    "encodes what is not there": with_header(
        {"__metadata__": {"autograph": '{"version":1,"encoded":{"y":{"dtype":"string","shape":[]}}}'}}),
    "huge count of strings": described({"dtype": "string", "shape": [2**62]}),
    "negative length": described({"dtype": "string", "shape": [2]}, np.array([-1, 1], "<i8").tobytes()),
    "lengths too long": described({"dtype": "string", "shape": [1]}, np.array([5], "<i8").tobytes() + b"abc"),
    "strings of floats": described({"dtype": "string", "shape": [1]}, b"12345678", "F32", [2]),
    "complex without parts": described({"dtype": "complex64", "shape": [2]}, b"12345678", "F32", [2]),
    "complex of bytes": described({"dtype": "complex64", "shape": [1]}, b"12", "U8", [1, 2]),
    "encoded as something else": described({"dtype": "float32", "shape": [1]}, b"1"),
    "a shape of strings": described({"dtype": "string", "shape": ["1"]}, b"1"),
    "metadata NaN": with_header({"__metadata__": {"autograph": '{"version":NaN,"encoded":{}}'}}),
    "no version": with_header({"__metadata__": {"autograph": '{"encoded":{}}'}}),
    "version true": with_header({"__metadata__": {"autograph": '{"version":true,"encoded":{}}'}}),
}  # fmt: skip


@pytest.mark.parametrize("case", FAULTY)
def test_a_faulty_file_is_refused(path, case):
    path.write_bytes(FAULTY[case])
    with pytest.raises(SavedFileError):
        load_tensors(path)


def test_a_newer_version_is_refused_with_a_remedy(path):
    path.write_bytes(described({"dtype": "string", "shape": [0]}, version=2))
    with pytest.raises(SavedFileError, match="version 2 of its format.*\n.*install a newer version"):
        load_tensors(path)


def test_what_is_no_regular_file_is_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for name in ("missing", "pipe", "."):
        with pytest.raises(SavedFileError):
            load_tensors(tmp_path / name)


def test_damaged_bytes_give_arrays_or_our_error(path):
    save_tensors(path, EXAMPLES)
    whole = path.read_bytes()
    chance = random.Random(0)
    refused = 0
    for _ in range(500):
        data = bytearray(whole)
        if chance.random() < 0.3:
            del data[chance.randrange(len(data)) :]
        else:
            data[chance.randrange(min(len(data), 900))] ^= 1 << chance.randrange(8)
        path.write_bytes(bytes(data))
        try:
            loaded = load_tensors(path)
        except SavedFileError:
            refused += 1
        else:
            assert all(isinstance(array, np.ndarray) for array in loaded.values())
    assert refused > 200
