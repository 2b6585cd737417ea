"""`tf.io`: whole files in traced functions, rows of text, bytes; `tf.io.gfile`: as TensorFlow 2.21 did."""

from __future__ import annotations

import os

import numpy as np
import pytest

import autograph as tf
from autograph.errors import AlreadyExistsError, InvalidArgumentError, NotFoundError, SavingError
from autograph.runtime.base import crc32c

gfile, io = tf.io.gfile, tf.io


def test_files_are_written_and_read_in_order_on_every_run(tmp_path):
    @tf.function
    def twice(path, text):
        io.write_file(path, text)
        first = io.read_file(path)
        io.write_file(path, first + first)
        return io.read_file(path)

    path = str(tmp_path / "new" / "folder" / "file")
    assert twice(path, "ab") == b"abab" and twice(path, "c") == b"cc"
    assert (tmp_path / "new" / "folder" / "file").read_bytes() == b"cc"
    assert io.read_file(tmp_path / "new" / "folder" / "file") == b"cc"


def test_a_missing_file_in_a_staged_try(tmp_path):
    @tf.function
    def read(path):
        try:
            return io.read_file(path)
        except tf.errors.NotFoundError:
            return tf.constant("nothing")

    (tmp_path / "file").write_text("text")
    with pytest.raises(tf.errors.AutographError):  # what a graph raises can't be caught in it: said, not guessed
        read(str(tmp_path / "none"))


def test_a_branch_that_is_not_taken_writes_nothing(tmp_path):
    @tf.function
    def save(path, wanted):
        if wanted:
            io.write_file(path, "text")

    save(str(tmp_path / "file"), tf.constant(False))
    assert not gfile.exists(tmp_path / "file")
    save(str(tmp_path / "file"), tf.constant(True))
    assert gfile.exists(tmp_path / "file")


def test_pictures_from_file_names(tmp_path):
    """The pipeline of the guides: names, bytes, numbers."""
    for i in range(3):
        (tmp_path / f"{i}.raw").write_bytes(bytes([i, 2 * i]))
    names = tf.data.Dataset.list_files(str(tmp_path / "*.raw"), shuffle=False)
    dataset = names.map(lambda name: io.decode_raw(io.read_file(name), tf.uint8))
    assert [x.tolist() for x in dataset.as_numpy_iterator()] == [[0, 0], [1, 2], [2, 4]]


def test_functions_that_touch_files_are_not_saved(tmp_path):
    module = tf.Module()
    module.read = tf.function(io.read_file, input_signature=[tf.TensorSpec((), tf.string)])
    with pytest.raises(SavingError, match="read the file outside"):
        tf.saved_model.save(module, tmp_path / "model")


def test_matching_files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    gfile.makedirs("n/m")
    for name in ("b.txt", "a.txt", ".c.txt", "n/d.txt"):
        (tmp_path / name).touch()
    assert io.matching_files("*.txt").numpy().tolist() == [b"./.c.txt", b"./a.txt", b"./b.txt"]
    assert io.matching_files(["*/*", "a.txt"]).numpy().tolist() == [b"a.txt", b"n/d.txt", b"n/m"]
    assert io.matching_files("none*").shape == (0,)


def columns(records, defaults, **options):
    return [np.asarray(x).tolist() for x in tf.function(lambda r: io.decode_csv(r, defaults, **options))(records)]


def test_rows_of_text():
    assert columns("1,2.5,a", [0, 0.0, ""]) == [1, 2.5, b"a"]
    assert columns(["1,2.5,a", ",,"], [[0], [0.0], ["x"]]) == [[1, 0], [2.5, 0.0], [b"a", b"x"]]
    assert columns('"a,b","c""d"', [""] * 2) == [b"a,b", b'c"d']
    assert columns("NA,1", [7, 8], na_value="NA") == [7, 1]
    assert columns("5|6|7", [7, 8], select_cols=[0, 2], field_delim="|") == [5, 7]
    assert columns('"a', [""], use_quote_delim=False) == [b'"a']
    assert columns('"",b', ["q"] * 2) == [b"q", b"b"]
    assert columns(" 1 ,+2,1e400", [0, 0, 0.0]) == [1, 2, np.inf]
    assert columns([["a,"]], ["", "x"]) == [[[b"a"]], [[b"x"]]]
    assert columns(np.empty(0, object), [0, 1.0]) == [[], []]


@pytest.mark.parametrize(
    ("record", "defaults", "text"),
    [('a "b",c', ["", ""], "Unquoted fields"), ('"a,b" ,c', ["", ""], "has to be escaped"), ("1.5", [1], "valid int32"),
     ("", [""], "Expect 1 fields but have 0"), ("1,99999999999", [1, 1], "Field 1 in record 0 is not"),
     ("1_0", [0.0], "not a valid float32"), ("a\nb", [""], "CRLFs"), ("a,b", [""], "Expect 1 fields but have 2"),
     (",1", [np.zeros(0, np.int32), 1], "Field 0 is required but missing in record 0"),
     ("a", [["x", "y"]], "only be 1 default per field")],
)  # fmt: skip
def test_rows_that_do_not_fit(record, defaults, text):
    with pytest.raises(InvalidArgumentError, match=text):
        io.decode_csv(record, defaults)


def test_numbers_of_bytes():
    assert io.decode_raw(["abcd", "efgh"], tf.int16).numpy().tolist() == [[25185, 25699], [26213, 26727]]
    assert io.decode_raw("ab", tf.int16, little_endian=False).numpy().tolist() == [24930]
    assert io.decode_raw("abc", tf.int16, fixed_length=4).numpy().tolist() == [25185, 99]
    with pytest.raises(InvalidArgumentError, match="all be the same size"):
        io.decode_raw(["abcd", "abc"], tf.uint8)


def test_base_64():
    texts = [b"", b"a", b"\xff\xfe\xfd", "Héllo?".encode()]
    for pad in (False, True):
        assert io.decode_base64(io.encode_base64(texts, pad)).numpy().tolist() == texts
    assert io.encode_base64("a") == b"YQ" and io.encode_base64(b"\xff\xfe\xfd") == b"__79"
    for wrong in ("a", "a+bc", "YQ=", "Y Q"):
        with pytest.raises(InvalidArgumentError):
            io.decode_base64(wrong)


# gfile


def test_a_file_as_text_and_bytes(tmp_path):
    path = tmp_path / "file"
    with gfile.GFile(path, "w") as file:
        file.write("héllo\n")
        file.write("world\r\n")
    assert gfile.GFile(path).read() == "héllo\nworld\r\n"
    assert gfile.GFile(path, "rb").readlines() == ["héllo\n".encode(), b"world\n"]
    with gfile.GFile(path) as file:
        assert file.readline() == "héllo\n" and list(file) == ["world\n"] and file.size() == 14
        file.seek(0)
        assert file.read(1) == "h" and file.tell() == 1
    with gfile.GFile(path, "a") as file:
        file.write("end")
    assert path.read_bytes().endswith(b"\r\nend")
    with gfile.GFile(tmp_path / "empty", "w"):
        pass
    assert gfile.stat(tmp_path / "empty").length == 0
    with pytest.raises(NotFoundError):
        gfile.GFile(tmp_path / "none").read()


def test_folders(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    gfile.makedirs("d/e")
    gfile.makedirs("d/e")
    gfile.mkdir("d")
    (tmp_path / "a.txt").write_text("xyz")
    gfile.copy("a.txt", "b.txt")
    with pytest.raises(AlreadyExistsError):
        gfile.copy("a.txt", "b.txt")
    gfile.copy("a.txt", "b.txt", overwrite=True)
    assert sorted(gfile.listdir(".")) == ["a.txt", "b.txt", "d"] and gfile.isdir("d") and not gfile.isdir("a.txt")
    assert gfile.glob("*.txt") == ["./a.txt", "./b.txt"] and gfile.glob(["b*", "d/*"]) == ["./b.txt", "d/e"]
    gfile.rename("a.txt", "d/c.txt")
    assert gfile.stat("d/c.txt").length == 3 and gfile.stat("d").is_directory
    assert list(gfile.walk(".")) == [(".", ["d"], ["b.txt"]), ("./d", ["e"], ["c.txt"]), ("./d/e", [], [])]
    gfile.remove("b.txt")
    gfile.rmtree("d")
    assert gfile.listdir(".") == [] and gfile.join("a", "b") == os.path.join("a", "b")
    for missing in (gfile.remove, gfile.rmtree, gfile.stat, gfile.listdir, lambda path: gfile.copy(path, "x")):
        with pytest.raises(NotFoundError):
            missing("none")


@pytest.mark.parametrize("size", [0, 1, 9, 200, 201, 255, 256, 257, 513, 1025, 5000, 70_001])
def test_check_sums(size):
    """Against the sum taken bit by bit; and the standard's own example."""
    data = np.random.default_rng(size).bytes(size)
    state = 0xFFFFFFFF
    for byte in data:
        state ^= byte
        for _ in range(8):
            state = state >> 1 ^ (0x82F63B78 if state & 1 else 0)
    assert crc32c.crc32c(data) == state ^ 0xFFFFFFFF and crc32c.crc32c(b"123456789") == 0xE3069283


def test_the_check_sum_of_long_data(monkeypatch):
    """In several parts: what is joined is the same."""
    data = np.random.default_rng(1).bytes(1_000_003)
    whole = crc32c.crc32c(data)
    monkeypatch.setattr(crc32c, "_AT_ONCE", 7)
    assert crc32c.crc32c(data) == whole
