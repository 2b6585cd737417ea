"""Pictures on disk, as Keras 3.15 reads, resizes and writes them: `data/images.py` writes what it gave."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autograph as tf
from autograph.errors import InvalidArgumentError

from .data.images import results, write_folder

pytest.importorskip("PIL")
GOLDEN = json.loads((Path(__file__).parent / "data" / "images.json").read_text())
utils = tf.keras.utils


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("images") / "pictures"
    write_folder(made)
    return made


@pytest.fixture(scope="module")
def found(folder: Path) -> Any:
    return json.loads(json.dumps(results(tf.keras, folder)))


def assert_close(found: Any, expected: Any) -> None:
    """Structures of texts and numbers are the same, but for rounding."""
    if isinstance(expected, list):
        assert len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            assert_close(one, other)
    elif isinstance(expected, float):
        assert found == pytest.approx(expected, rel=1e-5, abs=1e-4)
    else:
        assert found == expected


@pytest.mark.parametrize("call", GOLDEN)
def test_values_are_kerass(found: Any, call: str) -> None:
    assert_close(found[call], GOLDEN[call])


def test_shapes_of_the_dataset(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = utils.image_dataset_from_directory(folder, image_size=(4, 3), seed=1)
    assert capsys.readouterr().out == "Found 4 files belonging to 2 classes.\n"
    assert [spec.shape.as_list() for spec in made.element_spec] == [[None, 4, 3, 3], [None]]
    single = utils.image_dataset_from_directory(folder, labels=None, batch_size=None, seed=1, color_mode="rgba")
    assert single.element_spec.shape.as_list() == [256, 256, 4]
    assert sorted(Path(path).name for path in single.file_paths) == ["1.png", "2.PNG", "3.png", "4.png"]


def test_a_model_learns_from_pictures(folder: Path) -> None:
    made = utils.image_dataset_from_directory(folder, image_size=(4, 4), batch_size=2, seed=1, verbose=False)
    model = tf.keras.Sequential([tf.keras.Input((4, 4, 3)), tf.keras.layers.Rescaling(1 / 255),
                                 tf.keras.layers.Conv2D(2, 3), tf.keras.layers.Flatten(),
                                 tf.keras.layers.Dense(2)])  # fmt: skip
    model.compile("sgd", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    assert len(model.fit(made, epochs=2, verbose=0).history["loss"]) == 2


def test_pictures_in_memory_and_for_jpeg() -> None:
    file = io.BytesIO()
    with pytest.warns(UserWarning, match="does not support RGBA"):
        utils.save_img(file, np.ones((2, 3, 4)), file_format="jpg")
    file.seek(0)
    assert utils.img_to_array(utils.load_img(file)).shape == (2, 3, 3)


@tf.function
def resized(image: Any) -> Any:
    return tf.keras.preprocessing.image.smart_resize(image, (3, 3))


def test_images_of_unknown_size_are_resized_in_a_graph() -> None:
    image = (np.arange(24.0).reshape(2, 4, 3) * 20).astype(np.float32)
    graph = resized.get_concrete_function(tf.TensorSpec((None, None, 3), tf.float32))
    assert_close(graph(image).numpy().reshape(-1).tolist(),
                 np.ravel(GOLDEN["resized (3, 3)"][0][1]).tolist())  # fmt: skip


@pytest.mark.parametrize(
    "options, text",
    [({"color_mode": "cmyk"}, "`color_mode` must be one of"), ({"image_size": (1, 2, 3)}, "Invalid `image_size` value"),
     ({"interpolation": "linear"}, "Argument `interpolation`"), ({"format": "grain"}, "grain"),
     ({"label_mode": "none"}, "`label_mode` argument"), ({"data_format": "last"}, "`data_format` argument"),
     ({"crop_to_aspect_ratio": True, "pad_to_aspect_ratio": True}, "Only one of"),
     ({"labels": [1]}, "Expected the lengths of `labels`"), ({"labels": 3}, "`labels` argument")],
)  # fmt: skip
def test_arguments_that_do_not_fit(folder: Path, options: dict[str, Any], text: str) -> None:
    with pytest.raises(InvalidArgumentError, match=text):
        utils.image_dataset_from_directory(folder, verbose=False, **options)


def test_wrong_words(folder: Path) -> None:
    for options, text in (({"color_mode": "bgr"}, "color_mode must be"),
                          ({"target_size": (2, 2), "interpolation": "x"}, "Invalid interpolation method x")):
        with pytest.raises(InvalidArgumentError, match=text):
            utils.load_img(folder / "b" / "1.png", **options)
    with pytest.raises(InvalidArgumentError, match="Unsupported channel number: 2"):
        utils.array_to_img(np.zeros((2, 2, 2)))
    with pytest.raises(InvalidArgumentError, match="Expected `size`"):
        tf.keras.preprocessing.image.smart_resize(np.zeros((2, 2, 3)), (3,))
