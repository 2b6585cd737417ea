"""Datasets of records, lines, pieces and rows of files: values are those that TensorFlow 2.21 gave."""

from __future__ import annotations

import gzip
import zlib

import numpy as np
import pytest

import autograph as tf
from autograph.errors import DataLossError, InvalidArgumentError, NotFoundError

Dataset, Csv = tf.data.Dataset, tf.data.experimental.CsvDataset


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "a.csv").write_bytes(b'h1,h2\n1,"a\nb"\n2,c\r\n3,\n"4","x""y"')
    (tmp_path / "b.csv").write_bytes(b"1,2,3\n\n4,x,6\n7,8,9\n")
    (tmp_path / "c.csv").write_bytes(b"a\n\nb\n")
    (tmp_path / "pieces").write_bytes(bytes(range(20)))
    return tmp_path


def values(dataset):
    return list(dataset.as_numpy_iterator())


def test_lines(folder):
    assert values(tf.data.TextLineDataset(folder / "c.csv")) == [b"a", b"", b"b"]
    lines = [b"h1,h2", b'1,"a', b'b"', b"2,c", b"3,", b'"4","x""y"', b"a", b"", b"b"]
    files = [str(folder / "a.csv"), str(folder / "c.csv")]
    assert values(tf.data.TextLineDataset(files)) == lines
    assert values(tf.data.TextLineDataset(tf.constant(files))) == lines
    assert values(tf.data.TextLineDataset(Dataset.from_tensor_slices(files))) == lines
    assert values(tf.data.TextLineDataset(Dataset.from_tensors(files))) == lines
    assert values(tf.data.TextLineDataset([])) == []
    assert isinstance(tf.data.TextLineDataset(files), Dataset)


def test_files_that_are_read_in_turn(folder):
    files = [str(folder / "a.csv"), str(folder / "b.csv")]
    expected = [b"h1,h2", b"1,2,3", b'1,"a', b"", b'b"', b"4,x,6", b"2,c", b"7,8,9", b"3,", b'"4","x""y"']
    assert values(tf.data.TextLineDataset(files, num_parallel_reads=2)) == expected


def test_compressed_lines(folder):
    (folder / "packed.gz").write_bytes(gzip.compress(b"a\nb\n" * 50_000))
    (folder / "packed.z").write_bytes(zlib.compress(b"a\nb\n" * 50_000))
    for name, kind in (("packed.gz", "GZIP"), ("packed.z", "ZLIB")):
        assert values(tf.data.TextLineDataset(folder / name, kind)) == [b"a", b"b"] * 50_000
    (folder / "packed.gz").write_bytes((folder / "packed.gz").read_bytes()[:-20])
    with pytest.raises(DataLossError, match=r"packed\.gz is damaged"):
        values(tf.data.TextLineDataset(folder / "packed.gz", "GZIP"))


def test_pieces(folder):
    pieces = tf.data.FixedLengthRecordDataset
    file = folder / "pieces"
    assert values(pieces(file, 5)) == [bytes(range(i, i + 5)) for i in (0, 5, 10, 15)]
    assert values(pieces(file, 4, 2, 6)) == [bytes(range(i, i + 4)) for i in (2, 6, 10)]
    assert values(pieces(file, 3, 20)) == []
    assert tf.io.decode_raw(next(iter(pieces(file, tf.constant(5)))), tf.uint8).numpy().tolist() == [0, 1, 2, 3, 4]
    for arguments in ((7,), (3, 22), (6, 1)):
        with pytest.raises(InvalidArgumentError, match="is not made of records"):
            values(pieces(file, *arguments))


def test_rows(folder):
    rows = Csv(folder / "a.csv", [tf.int32, ["q"]], header=True)
    assert values(rows) == [(1, b"a\nb"), (2, b"c"), (3, b"q"), (4, b'x"y')]
    assert rows.element_spec == (tf.TensorSpec((), tf.int32), tf.TensorSpec((), tf.string))
    with pytest.raises(InvalidArgumentError, match="Field 1 is required but missing"):
        values(Csv(folder / "a.csv", [tf.int32, tf.string], header=True))
    numbers = Csv(folder / "b.csv", [0, 0, 0])
    assert values(numbers.ignore_errors()) == [(1, 2, 3), (7, 8, 9)]
    chosen = Csv(folder / "b.csv", [tf.float32, tf.float64], select_cols=[0, 2])
    assert values(chosen.ignore_errors()) == values(Csv(folder / "b.csv", [0.0, 0.0], exclude_cols=[1]).ignore_errors())
    assert values(Csv(folder / "c.csv", ["q"])) == [(b"a",), (b"q",), (b"b",)]


def test_names_of_files(folder):
    pattern = str(folder / "*.csv")
    expected = [str(folder / f"{name}.csv").encode() for name in "abc"]
    assert values(Dataset.list_files(pattern, shuffle=False)) == expected
    assert len(Dataset.list_files(pattern)) == 3
    orders = {tuple(values(Dataset.list_files(pattern, seed=seed))) for seed in range(20)}
    assert len(orders) > 1 and all(sorted(order) == expected for order in orders)
    several = Dataset.list_files([pattern, str(folder / "a*")], shuffle=False)
    assert values(several) == [expected[0], *expected]
    with pytest.raises(InvalidArgumentError, match="No files matched pattern"):
        Dataset.list_files(str(folder / "*.txt"))


def test_files_in_a_graph(folder):
    @tf.function
    def total(pattern):
        result = tf.constant(0)
        files = Dataset.list_files(pattern, shuffle=False)
        for line in files.interleave(lambda name: tf.data.TextLineDataset(name).skip(1), cycle_length=1):
            result += tf.strings.length(line)
        return result

    assert total(str(folder / "*.csv")) == 32
    (folder / "d.csv").write_text("head\n12345")
    assert total(str(folder / "*.csv")) == 37
    with pytest.raises(InvalidArgumentError, match="No files matched"):
        total(str(folder / "*.txt"))


def test_a_file_that_is_not_there_is_an_error_of_the_iteration():
    for made in (tf.data.TextLineDataset, tf.data.TFRecordDataset, lambda name: Csv(name, [0])):
        dataset = made("no such file")
        with pytest.raises(NotFoundError, match="no such file; No such file"):
            next(iter(dataset))


@pytest.mark.parametrize("cut", range(1, 39))
def test_records_of_a_damaged_file(tmp_path, cut):
    """Cut off anywhere, or with any byte changed: the records before are given, then an error."""
    path = str(tmp_path / "records")
    with tf.io.TFRecordWriter(path) as writer:
        writer.write(b"abcde")
        writer.write(b"xy")
    whole = (tmp_path / "records").read_bytes()
    assert len(whole) == 39
    changed = bytearray(whole)
    changed[cut] ^= 16
    for damaged in (whole[:cut], bytes(changed)):
        (tmp_path / "records").write_bytes(damaged)
        iterator = iter(tf.data.TFRecordDataset(path))
        if cut >= 21:
            assert next(iterator) == b"abcde"
        if damaged != whole[:21]:
            with pytest.raises(DataLossError):
                next(iterator)


def test_large_records(tmp_path):
    """Check sums of long records are found piece by piece."""
    records = [np.random.default_rng(i).bytes(size) for i, size in enumerate((1023, 1024, 1025, 4097, 300_001))]
    with tf.io.TFRecordWriter(tmp_path / "records") as writer:
        for record in records:
            writer.write(record)
    assert values(tf.data.TFRecordDataset(tmp_path / "records")) == records
