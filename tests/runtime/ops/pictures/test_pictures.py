"""Pictures in files' formats: TensorFlow's pixels, in graphs and datasets too."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autograph as tf
from autograph.errors import InvalidArgumentError

from .data.calls import ARRAY, results

pytest.importorskip("PIL")
GOLDEN = json.loads((Path(__file__).parent / "data" / "pictures.json").read_text())
FILES = {name: base64.b64decode(file) for name, file in GOLDEN["files"].items()}
EXPECTED = dict(map(tuple, GOLDEN["results"]))


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    return dict(results(tf, GOLDEN["files"]))


@pytest.mark.parametrize("call", EXPECTED)
def test_pixels_are_tensorflows(found: dict[str, Any], call: str) -> None:
    expected, given = EXPECTED[call], found[call]
    if isinstance(expected, str) or isinstance(given, str):
        assert given == expected
    else:
        assert given[:2] == expected[:2]
        # What TensorFlow reads by its less exact inverse transform: all but the calls that ask for the other one.
        few = 4 if "jpeg" in call.split(" of ")[-1] and not call.startswith("decode_jpeg") or "ratio" in call else 0
        few = few * 257 if given[0] == "uint16" else few / 255 if given[0] == "float32" else few
        np.testing.assert_allclose(given[2], expected[2], rtol=1e-6, atol=few + 1e-6)


def test_shapes_in_graphs() -> None:
    io, shapes = tf.io, {}

    @tf.function
    def decode(contents):
        shapes["png"] = io.decode_png(contents, channels=3).shape
        shapes["jpeg"] = io.decode_jpeg(contents).shape
        shapes["gif"] = io.decode_gif(contents).shape
        shapes["any"] = io.decode_image(contents).shape
        shapes["first"] = io.decode_image(contents, channels=1, expand_animations=False).shape
        shapes["size"] = io.extract_jpeg_shape(contents).shape

    decode.get_concrete_function(tf.TensorSpec((), tf.string))
    chosen = tf.function(lambda contents: io.decode_png(contents) if io.is_jpeg(contents) else io.decode_bmp(contents))
    np.testing.assert_array_equal(chosen(tf.constant(FILES["bmp"])), ARRAY)
    assert chosen(tf.constant(FILES["jpeg"])).shape == (6, 9, 3)
    assert {name: None if shape.rank is None else list(shape) for name, shape in shapes.items()} == {
        "png": [None, None, 3], "jpeg": [None, None, None], "gif": [None, None, None, 3], "any": None,
        "first": [None, None, 1], "size": [3],
    }  # fmt: skip
    with pytest.raises(InvalidArgumentError, match="Invalid JPEG data"):
        chosen(tf.constant(b"\xff\xd8\xff"))


def test_pictures_in_a_dataset(tmp_path: Path) -> None:
    for name in ("png", "jpeg", "bmp"):
        (tmp_path / f"{name}.{name}").write_bytes(FILES[name])
    names = tf.data.Dataset.list_files(str(tmp_path / "*"), shuffle=False)

    def read(name):
        image = tf.io.decode_image(tf.io.read_file(name), channels=3, expand_animations=False)
        return tf.image.resize(image, (2, 2))

    found = list(names.map(read).batch(3))[0]
    assert found.shape == (3, 2, 2, 3)
    np.testing.assert_array_equal(found[0], found[2])  # bmp, jpeg, png


def test_a_part_of_a_jpeg_picture() -> None:
    """The numbers of TensorFlow's whole picture."""
    whole = np.array(EXPECTED["decode_jpeg {'channels': 3} of jpeg"][2]).reshape(6, 9, 3)
    part = tf.io.decode_and_crop_jpeg(FILES["jpeg"], [1, 2, 3, 4], channels=3)
    np.testing.assert_array_equal(part, whole[1:4, 2:6])


def test_colours_of_16_bits() -> None:
    """Read by autograph itself, with all filters of rows."""
    from .data.filters import filtered

    pixels = np.random.RandomState(3).randint(0, 2**16, (10, 5, 3)).astype(np.uint16)
    np.testing.assert_array_equal(tf.io.decode_png(filtered(pixels), dtype=tf.uint16), pixels)
    np.testing.assert_array_equal(tf.io.decode_png(filtered(pixels)), pixels >> 8)


def test_a_saved_model_reads_pictures(tmp_path: Path) -> None:
    class Model(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec((None,), tf.string)])
        def read(self, files):
            return tf.map_fn(lambda file: tf.io.decode_png(file, channels=3), files, fn_output_signature=tf.uint8)

    tf.saved_model.save(Model(), str(tmp_path))
    found = tf.saved_model.load(str(tmp_path)).read(tf.constant([FILES["png"]] * 2))
    np.testing.assert_array_equal(found, [ARRAY, ARRAY])


def test_names_are_tensorflows() -> None:
    for name in ("decode_png", "decode_jpeg", "decode_image", "decode_gif", "decode_bmp", "encode_png", "encode_jpeg"):
        assert getattr(tf.image, name) is getattr(tf.io, name)
