"""Layers for raw columns give what Keras gives: eagerly, in graphs, datasets and models, and after saving."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autograph as tf
from autograph.keras.base.assets import load_assets, named_assets

from .cases import CASES, ERRORS, error_of, run
from .golden import PATH

layers = tf.keras.layers
GOLDEN = json.loads(PATH.read_text())


def plain(value: object) -> Any:
    return json.loads(json.dumps(value))


@pytest.mark.parametrize("number", range(len(CASES)))
def test_values_are_those_of_keras(number: int) -> None:
    found, wanted = plain(run(layers, CASES[number])), GOLDEN["values"][number]
    assert found["dtype"] == wanted["dtype"]
    assert found["config"] == wanted["config"]
    if found["dtype"].startswith("float"):
        np.testing.assert_allclose(found["values"], wanted["values"], rtol=2e-6, atol=1e-6)
    else:
        assert found["values"] == wanted["values"]


@pytest.mark.parametrize("number", range(len(ERRORS)))
def test_errors_are_those_of_keras(number: int) -> None:
    assert error_of(layers, ERRORS[number]) == GOLDEN["errors"][number]


@pytest.mark.parametrize("number", range(len(CASES)))
def test_a_graph_gives_the_same_and_so_does_a_copy_by_configuration(number: int) -> None:
    kind, arguments, data, inputs = CASES[number]
    layer = getattr(layers, kind)(**arguments)
    if data is not None:
        layer.adapt(data)
    tensor = tf.constant(inputs)
    eager = layer(tensor)
    staged = tf.function(layer)(tensor)
    assert staged.dtype == eager.dtype
    np.testing.assert_array_equal(eager.numpy(), staged.numpy())

    copy = type(layer).from_config(plain(layer.get_config()))
    assert load_assets(copy, named_assets(layer)) == {}
    copy(tensor)
    copy.set_weights(layer.get_weights())
    np.testing.assert_array_equal(copy(tensor).numpy(), eager.numpy())


NUMBERS = np.arange(60, dtype=np.float32).reshape(20, 3) ** 1.3


def test_batches_are_adapted_to_as_their_whole() -> None:
    whole = layers.Normalization()
    whole.adapt(NUMBERS)
    batches = tf.data.Dataset.from_tensor_slices(NUMBERS).batch(7)
    for data in (batches, tf.data.Dataset.from_tensor_slices((NUMBERS, NUMBERS)).batch(7), [NUMBERS[:3], NUMBERS[3:]],
                 tf.data.Dataset.from_tensor_slices(NUMBERS)):  # fmt: skip
        layer = layers.Normalization()
        layer.adapt(data)
        np.testing.assert_allclose(layer.mean, whole.mean, rtol=1e-5)
        np.testing.assert_allclose(layer.variance, whole.variance, rtol=1e-5)


def test_adapting_again_forgets_the_first_data_also_in_a_traced_function() -> None:
    layer = layers.Normalization(axis=None)
    layer.adapt(np.array([0.0, 2.0]))
    staged = tf.function(layer)
    assert staged(tf.constant([3.0])).numpy() == 2.0
    layer.adapt(np.array([3.0, 5.0]))
    assert staged(tf.constant([3.0])).numpy() == -1.0


def test_in_a_dataset_and_in_a_model_that_is_saved(tmp_path: Path) -> None:
    pytest.importorskip("safetensors")
    normalize, bins = layers.Normalization(), layers.Discretization(num_bins=4, output_mode="one_hot")
    normalize.adapt(NUMBERS)
    bins.adapt(NUMBERS[:, 0])
    mapped = tf.data.Dataset.from_tensor_slices(NUMBERS).batch(5).map(normalize)
    np.testing.assert_allclose(np.concatenate(list(mapped)), normalize(NUMBERS), rtol=1e-6)

    numbers, ids = tf.keras.Input((3,)), tf.keras.Input((2,), dtype="int64")
    joined = layers.Concatenate()([normalize(numbers), bins(numbers[:, :1]), layers.CategoryEncoding(5)(ids)])
    model = tf.keras.Model([numbers, ids], layers.Dense(1)(joined))
    inputs = [NUMBERS, np.arange(40).reshape(20, 2) % 5]
    expected = model.predict(inputs, verbose=0)
    model.save(tmp_path / "model.keras")
    np.testing.assert_array_equal(
        tf.keras.models.load_model(tmp_path / "model.keras").predict(inputs, verbose=0), expected
    )


def test_steps_bound_what_is_read() -> None:
    layer = layers.Discretization(num_bins=2)
    layer.adapt(tf.data.Dataset.from_tensor_slices([0.0, 1.0, 2.0, 3.0]).batch(2).repeat(), steps=2)
    np.testing.assert_allclose(layer.bin_boundaries, [1.0])


def test_weights_count() -> None:
    layer = layers.CategoryEncoding(num_tokens=4, output_mode="count")
    counts = layer([[1, 1], [0, 5]], count_weights=[[0.1, 0.2], [0.5, 0.4]])
    np.testing.assert_allclose(counts, [[0, 0.3, 0, 0], [0.5, 0, 0, 0]], rtol=1e-6)
    with pytest.raises(ValueError, match="count_weights"):
        layers.CategoryEncoding(num_tokens=4)([[1]], count_weights=[[1.0]])


WORDS = np.array([["red", "blue"], ["blue", "blue"], ["green", "red"]])


def lookup_model() -> Any:
    ids, hot = layers.StringLookup(), layers.StringLookup(output_mode="tf_idf")
    years = layers.IntegerLookup(output_mode="multi_hot")
    ids.adapt(WORDS)
    hot.adapt(WORDS)
    years.adapt([1999, 2001, 1999])
    words, numbers = tf.keras.Input((2,), dtype="string"), tf.keras.Input((1,), dtype="int64")
    embedded = layers.Flatten()(layers.Embedding(9, 3)(ids(words)))
    joined = layers.Concatenate()([embedded, hot(words), layers.Rescaling(1.0)(years(numbers))])
    return tf.keras.Model([words, numbers], layers.Dense(1)(joined))


def test_what_was_adapted_is_saved_with_a_model(tmp_path: Path) -> None:
    pytest.importorskip("safetensors")
    model, inputs = lookup_model(), [WORDS, np.array([[1999], [2001], [5]])]
    expected = model.predict(inputs, verbose=0)
    assert expected.shape == (3, 1)
    model.save(tmp_path / "model.keras")
    loaded = tf.keras.models.load_model(tmp_path / "model.keras")
    np.testing.assert_array_equal(loaded.predict(inputs, verbose=0), expected)

    tf.saved_model.save(model, str(tmp_path / "exported"))
    served = tf.saved_model.load(str(tmp_path / "exported"))
    np.testing.assert_allclose(served([tf.constant(WORDS), tf.constant(inputs[1])]), expected, rtol=1e-6)


def test_a_subclassed_model_keeps_its_vocabulary_in_a_file(tmp_path: Path) -> None:
    pytest.importorskip("safetensors")

    @tf.keras.utils.register_keras_serializable("features")
    class Counts(tf.keras.Model):
        def __init__(self, **kwargs: Any) -> None:
            super().__init__(**kwargs)
            self.lookup = layers.StringLookup(mask_token="")
            self.embedding = layers.Embedding(9, 2)

        def call(self, words: Any) -> Any:
            return self.embedding(self.lookup(words))

    model = Counts()
    model.lookup.adapt(["new\nline", "\u00e9t\u00e9", "a b"])
    expected = model(WORDS.astype(object)), model.lookup.get_vocabulary()
    model.save(tmp_path / "model.keras")
    loaded = tf.keras.models.load_model(tmp_path / "model.keras")
    assert loaded.lookup.get_vocabulary() == expected[1]
    np.testing.assert_array_equal(loaded(WORDS.astype(object)), expected[0])


def test_vocabularies_of_files_and_of_datasets(tmp_path: Path) -> None:
    (tmp_path / "words.txt").write_text("red\nblue\n")
    assert layers.StringLookup(vocabulary=str(tmp_path / "words.txt")).get_vocabulary() == ["[UNK]", "red", "blue"]
    words = tf.data.Dataset.from_tensor_slices(WORDS).batch(2)
    layer = layers.StringLookup()
    layer.adapt(words)
    assert layer.get_vocabulary() == ["[UNK]", "blue", "red", "green"]
    assert layer.get_vocabulary(include_special_tokens=False) == ["blue", "red", "green"]
    assert layer.vocabulary_size() == 4
    mapped = [batch.tolist() for batch in words.map(layer).as_numpy_iterator()]
    assert mapped == [[[2, 1], [1, 1]], [[3, 2]]]
    with pytest.raises(ValueError, match="vocabulary file"):
        layers.StringLookup.from_config({"vocabulary": str(tmp_path / "words.txt")})


def test_unknown_tokens_are_refused_where_they_have_no_index() -> None:
    layer = layers.StringLookup(vocabulary=["a"], num_oov_indices=0)
    for call in (layer, tf.function(layer)):
        assert call(tf.constant(["a"])).numpy().tolist() == [0]
        with pytest.raises(tf.errors.InvalidArgumentError, match="should be in vocabulary"):
            call(tf.constant(["a", "b"]))


def test_the_size_of_vectors_stays() -> None:
    layer = layers.StringLookup(output_mode="one_hot")
    layer.adapt(["a", "b"])
    with pytest.raises(RuntimeError, match="Old vocab size is 3"):
        layer.adapt(["a", "b", "c"])


TEXTS = ["The cat, and the dog!", "A dog; no cat", "the  end"]


@tf.keras.utils.register_keras_serializable("features")
def without_tags(texts: Any) -> Any:
    return tf.strings.regex_replace(tf.strings.lower(texts), "<[^>]*>", " ")


def test_texts_in_a_dataset_and_in_a_model_that_is_saved(tmp_path: Path) -> None:
    pytest.importorskip("safetensors")
    vectorize = layers.TextVectorization(standardize=without_tags, output_sequence_length=4)
    texts = tf.data.Dataset.from_tensor_slices(["<b>Red</b> wine", "white<br/>WINE wine", "water"]).batch(2)
    vectorize.adapt(texts)
    assert vectorize.get_vocabulary() == ["", "[UNK]", "wine", "white", "water", "red"]
    rows = [batch.tolist() for batch in texts.map(vectorize).as_numpy_iterator()]
    assert rows == [[[5, 2, 0, 0], [3, 2, 2, 0]], [[4, 0, 0, 0]]]

    model = tf.keras.Sequential([
        tf.keras.Input((1,), dtype="string"), vectorize, layers.Embedding(6, 3, mask_zero=True),
        layers.GlobalAveragePooling1D(), layers.Dense(1),
    ])  # fmt: skip
    inputs = np.array([["red WINE"], ["<i>beer</i>"]])
    expected = model.predict(inputs, verbose=0)
    model.save(tmp_path / "model.keras")
    loaded = tf.keras.models.load_model(tmp_path / "model.keras")
    np.testing.assert_array_equal(loaded.predict(inputs, verbose=0), expected)
    assert loaded.layers[0].get_vocabulary() == vectorize.get_vocabulary()


def test_a_function_may_split() -> None:
    def in_pairs(texts: Any) -> Any:
        return tf.stack([tf.strings.substr(texts, 0, 2), tf.strings.substr(texts, 2, 2)], 1)  # "" beyond the end

    layer = layers.TextVectorization(split=in_pairs, vocabulary=["ab", "cd"])
    assert layer(["abcd", "CDxy"]).numpy().tolist() == [[2, 3], [3, 1]]
    assert tf.function(layer)(tf.constant(["abcd"])).numpy().tolist() == [[2, 3]]
    layer = layers.TextVectorization(split=in_pairs, ngrams=2)
    layer.adapt(["abcd", "ef"])
    assert layer.get_vocabulary() == ["", "[UNK]", "ef", "cd", "ab cd", "ab"]
