"""Writes the files beside it, with TensorFlow 2.21: records, serialized tensors and examples, and what they hold."""

import json
from pathlib import Path

import numpy as np
import tensorflow as tf
from golden_values import RECORDS, TENSORS

HERE = Path(__file__).parent
train, io = tf.train, tf.io
FIELDS = {
    "same": np.float32([1.5, 1.5, 1.5, 1.5]), "ints": np.int64([1, -2]), "halves": np.float16([1.5, 2]),
    "bools": np.array([True, False]), "texts": np.array([b"x", b"yz"]), "doubles": np.float64([1, 2]),
    "complex": np.complex128([1j]), "unsigned": np.uint32([2**32 - 1]),
}  # fmt: skip


def feature(**lists):
    kinds = {"bytes_list": train.BytesList, "float_list": train.FloatList, "int64_list": train.Int64List}
    return train.Feature(**{name: kinds[name](value=values) for name, values in lists.items()})


def example(**features):
    return train.Example(features=train.Features(feature=features))


ONE = {
    "bytes": example(a=feature(bytes_list=[b"a\x00\xff\"'\\\n", "é".encode()])),
    "floats": example(
        a=feature(float_list=[0.1, 1, 1e10, -2.5e-8, float("inf"), float("nan"), 123456789, 1e-4, 123456.7])
    ),
    "ints": example(é=feature(int64_list=[1, -1, 2**62, 300])),
    "nothing": example(a=train.Feature()),
    "no values": example(a=feature(float_list=[])),
    "empty": train.Example(),
}  # fmt: skip
BATCH = [
    example(label=feature(int64_list=[1]), pixels=feature(float_list=[1, 2, 3, 4]), words=feature(bytes_list=[b"a"])),
    example(label=feature(int64_list=[-2]), words=feature(bytes_list=[b"b", b"c", b"d"])),
    example(label=feature(int64_list=[3]), pixels=feature(float_list=[5, 6, 7, 8])),
]
FEATURES = {
    "label": io.FixedLenFeature([], tf.int64),
    "pixels": io.FixedLenFeature([2, 2], tf.float32, [[0, 0], [0, -1]]),
    "words": io.FixedLenSequenceFeature([], tf.string, allow_missing=True, default_value="none"),
    "absent": io.FixedLenSequenceFeature([2], tf.int64, allow_missing=True),
}


def plain(tensor):
    return np.vectorize(bytes.decode, otypes=[object])(tensor).tolist() if tensor.dtype == object else tensor.tolist()


def parsed(found):
    return {name: [value.dtype.name, list(value.shape), plain(value.numpy())] for name, value in found.items()}


for kind in ("", "GZIP", "ZLIB"):
    with io.TFRecordWriter(str(HERE / f"records{kind.lower()}.tfrecord"), kind or None) as writer:
        for record in RECORDS:
            writer.write(record)
STEPS = [
    train.SequenceExample(
        context=train.Features(feature={"id": feature(int64_list=[i])}),
        feature_lists=train.FeatureLists(feature_list={
            "pairs": train.FeatureList(feature=[feature(float_list=[i, j]) for j in range(i)]),
            "words": train.FeatureList(feature=[feature(bytes_list=[b"w"])] * (2 - i)),
        }),
    ) for i in range(3)
]  # fmt: skip
CONTEXT = {"id": io.FixedLenFeature([], tf.int64), "more": io.FixedLenFeature([1], tf.float32, [0.5])}
LISTS = {
    "pairs": io.FixedLenSequenceFeature([2], tf.float32),
    "words": io.FixedLenSequenceFeature([], tf.string),
    "none": io.FixedLenSequenceFeature([], tf.int64, allow_missing=True),
}
steps = [each.SerializeToString() for each in STEPS]
serialized = [each.SerializeToString() for each in BATCH]
content = {
    "tensors": {name: io.serialize_tensor(value).numpy().hex() for name, value in TENSORS.items()},
    "fields": {name: [tf.make_tensor_proto(value).SerializeToString().hex(), tf.constant(value).dtype.name]
               for name, value in FIELDS.items()},
    "examples": {name: [each.SerializeToString().hex(), str(each)] for name, each in ONE.items()},
    "batch": [each.hex() for each in serialized],
    "parsed": parsed(io.parse_example(serialized, FEATURES)),
    "steps": [each.hex() for each in steps],
    "sequences": [parsed(found) for found in io.parse_sequence_example(steps, CONTEXT, LISTS)],
    "sequence": [parsed(found) for found in io.parse_single_sequence_example(steps[2], CONTEXT, LISTS)],
    "single": [parsed(io.parse_single_example(each, FEATURES)) for each in serialized],
}  # fmt: skip
(HERE / "tensorflow.json").write_text(json.dumps(content, indent=1) + "\n")
