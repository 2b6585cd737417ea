"""Files of TensorFlow's are read, and written byte for byte: `data/make_files.py` made those here with TensorFlow."""

from __future__ import annotations

import copy
import json
import pickle
from pathlib import Path

import numpy as np
import pytest

import autograph as tf

from .data.golden_values import RECORDS, TENSORS

DATA = Path(__file__).parent / "data"
GOLDEN = json.loads((DATA / "tensorflow.json").read_text())
FIELDS = {
    "same": [1.5, 1.5, 1.5, 1.5], "ints": [1, -2], "halves": [1.5, 2], "bools": [True, False], "texts": [b"x", b"yz"],
    "doubles": [1, 2], "complex": [1j], "unsigned": [2**32 - 1],
}  # fmt: skip
train, io = tf.train, tf.io


@pytest.mark.parametrize("kind", ["", "GZIP", "ZLIB"])
def test_records(kind, tmp_path):
    theirs = str(DATA / f"records{kind.lower()}.tfrecord")
    assert list(tf.data.TFRecordDataset(theirs, kind).as_numpy_iterator()) == RECORDS
    with io.TFRecordWriter(tmp_path / "own", io.TFRecordOptions(compression_type=kind)) as writer:
        for record in RECORDS:
            writer.write(record)
        writer.flush()
    if not kind:
        assert (tmp_path / "own").read_bytes() == Path(theirs).read_bytes()
    assert list(tf.data.TFRecordDataset(tmp_path / "own", kind).as_numpy_iterator()) == RECORDS


@pytest.mark.parametrize("name", TENSORS)
def test_serialized_tensors(name):
    data, value = bytes.fromhex(GOLDEN["tensors"][name]), TENSORS[name]
    assert io.serialize_tensor(value) == data
    found = io.parse_tensor(data, tf.constant(value).dtype).numpy()
    np.testing.assert_array_equal(found, value, strict=isinstance(value, np.ndarray))


@pytest.mark.parametrize("name", FIELDS)
def test_tensors_in_other_fields(name):
    data, dtype = GOLDEN["fields"][name]
    found = tf.function(lambda x: io.parse_tensor(x, dtype))(bytes.fromhex(data))
    assert found.dtype == tf.as_dtype(dtype) and found.numpy().tolist() == FIELDS[name]


@pytest.mark.parametrize("name", GOLDEN["examples"])
def test_examples_as_bytes_and_text(name):
    data, text = GOLDEN["examples"][name]
    example = train.Example.FromString(bytes.fromhex(data))
    assert example.SerializeToString() == bytes.fromhex(data) and str(example) == text
    for made in (copy.deepcopy(example), pickle.loads(pickle.dumps(example))):
        assert made.SerializeToString() == bytes.fromhex(data)


FEATURES = {
    "label": io.FixedLenFeature([], tf.int64),
    "pixels": io.FixedLenFeature([2, 2], tf.float32, [[0, 0], [0, -1]]),
    "words": io.FixedLenSequenceFeature([], tf.string, allow_missing=True, default_value="none"),
    "absent": io.FixedLenSequenceFeature([2], tf.int64, allow_missing=True),
}


def check(found, expected):
    assert found.keys() == expected.keys()
    for name, (dtype, shape, value) in expected.items():
        tensor = found[name]
        assert (tensor.dtype.name, tensor.shape.as_list()) == (dtype, shape), name
        listed = tensor.numpy().tolist()
        assert (np.vectorize(bytes.decode, otypes=[object])(listed).tolist() if dtype == "string" else listed) == value


def test_parsed_examples():
    batch = [bytes.fromhex(each) for each in GOLDEN["batch"]]
    check(io.parse_example(batch, FEATURES), GOLDEN["parsed"])
    staged = tf.function(lambda each: io.parse_single_example(each, FEATURES))
    for serialized, expected in zip(batch, GOLDEN["single"], strict=True):
        check(io.parse_single_example(serialized, FEATURES), expected)
        check(staged(tf.constant(serialized)), expected)


CONTEXT = {"id": io.FixedLenFeature([], tf.int64), "more": io.FixedLenFeature([1], tf.float32, [0.5])}
LISTS = {
    "pairs": io.FixedLenSequenceFeature([2], tf.float32),
    "words": io.FixedLenSequenceFeature([], tf.string),
    "none": io.FixedLenSequenceFeature([], tf.int64, allow_missing=True),
}


def test_parsed_sequences():
    steps = [bytes.fromhex(each) for each in GOLDEN["steps"]]
    for found, expected in zip(io.parse_sequence_example(steps, CONTEXT, LISTS), GOLDEN["sequences"], strict=True):
        check(found, expected)
    staged = tf.function(lambda each: io.parse_single_sequence_example(each, CONTEXT, LISTS))
    for found, expected in zip(staged(tf.constant(steps[2])), GOLDEN["sequence"], strict=True):
        check(found, expected)


def test_repeated_fields_as_arrays():
    lists = (train.FloatList(value=[1.5, 2]), train.Int64List(value=[1, 2]), train.BytesList(value=[b"a", b"bc"]))
    arrays = [np.array(each.value) for each in lists]
    assert [array.dtype.str for array in arrays] == ["<f4", "<i8", "|S2"] and arrays[0].tolist() == [1.5, 2]
    assert train.Int64List(value=[tf.constant(True), np.True_, np.uint8(7), tf.constant(9)]).value == [1, 1, 7, 9]


@pytest.mark.parametrize("kind", [None, "GZIP"])
def test_a_dataset_as_a_file_of_records(tmp_path, kind):
    dataset = tf.data.Dataset.from_tensor_slices([b"a", b"", b"bcd"])
    tf.data.experimental.TFRecordWriter(str(tmp_path / "file"), kind).write(dataset)
    assert list(tf.data.TFRecordDataset(tmp_path / "file", kind).as_numpy_iterator()) == [b"a", b"", b"bcd"]


def test_shapes_of_parsed_examples_are_known_while_tracing():
    seen = []

    @tf.function
    def parse(batch):
        found = io.parse_example(batch, FEATURES)
        seen.append({name: each.shape.as_list() for name, each in found.items()})
        return found["label"]

    parse(tf.constant([bytes.fromhex(each) for each in GOLDEN["batch"]]))
    assert seen == [{"absent": [3, None, 2], "label": [3], "pixels": [3, 2, 2], "words": [3, None]}]


def test_a_pipeline_from_records_to_batches(tmp_path):
    """What the guides do: write examples, read them in a staged loop over parsed batches."""
    path = str(tmp_path / "data.tfrecord")
    with io.TFRecordWriter(path) as writer:
        for i in range(10):
            feature = {
                "x": train.Feature(float_list=train.FloatList(value=np.arange(4, dtype=np.float32) * i)),
                "y": train.Feature(int64_list=train.Int64List(value=[i])),
                "name": train.Feature(bytes_list=train.BytesList(value=[f"n{i}".encode()])),
            }
            writer.write(train.Example(features=train.Features(feature=feature)).SerializeToString())

    description = {"x": io.FixedLenFeature([4], tf.float32), "y": io.FixedLenFeature([], tf.int64, 0)}
    dataset = tf.data.TFRecordDataset([path]).map(lambda each: io.parse_single_example(each, description)).batch(4)

    @tf.function
    def total():
        result, count = 0.0, tf.constant(0, tf.int64)
        for batch in dataset:
            result += tf.reduce_sum(batch["x"])
            count += tf.reduce_sum(batch["y"])
        return result, count

    result, count = total()
    assert result == 6 * 45 and count == 45


def test_messages_are_changed_as_protocol_buffers_are():
    example = train.Example()
    assert not example.HasField("features") and example.features.feature == {}
    example.features.feature["n"].int64_list.value.extend([1, 2])
    values = example.features.feature["n"].int64_list.value
    values.append(np.int64(3))
    values[0] = 7
    values += [4]
    assert example.features.feature["n"].WhichOneof("kind") == "int64_list" and example.HasField("features")
    assert train.Example.FromString(example.SerializeToString()).features.feature["n"].int64_list.value == [7, 2, 3, 4]
    example.features.feature["n"].float_list.value.append(0.5)
    assert example.features.feature["n"].int64_list.value == []
    example.features.feature["n"].int64_list.value[:] = [5, 6]
    assert example.features.feature["n"].WhichOneof("kind") == "int64_list"
    other = train.Example()
    other.CopyFrom(example)
    other.features.feature["m"].bytes_list.value.append(b"x")
    assert list(example.features.feature) == ["n"] and sorted(other.features.feature) == ["m", "n"]
    assert example == train.Example.FromString(example.SerializeToString()) and example != other
    del other.features.feature["m"]
    assert example == other


def test_sequences_as_messages():
    step = train.Feature(int64_list=train.Int64List(value=[1, 2]))
    lists = train.FeatureLists(feature_list={"steps": train.FeatureList(feature=[step, step])})
    made = train.SequenceExample(feature_lists=lists)
    made.feature_lists.feature_list["steps"].feature.add().float_list.value.append(1.5)
    read = train.SequenceExample.FromString(made.SerializeToString())
    steps = read.feature_lists.feature_list["steps"].feature
    assert [each.WhichOneof("kind") for each in steps] == ["int64_list", "int64_list", "float_list"]
    assert read == made and str(read).count("int64_list") == 2
