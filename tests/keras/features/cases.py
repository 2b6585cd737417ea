"""Layers for raw columns with what they adapt to and are called with: as JSON, for Keras and for autograph."""

from __future__ import annotations

from typing import Any

import numpy as np

Case = tuple[str, dict[str, Any], Any, Any]
"""The class, its arguments, the data for `adapt` (or None), the inputs."""

F = "float32"
_A = np.arange(24, dtype=F).reshape(4, 3, 2) ** 1.5
_WORDS = ["c", "a", "b", "b", "a", "d"]
_TEXTS = ["The cat, and the dog!", "A dog; no cat", "the  end"]
_DOCUMENTS = np.array([["a", "b"], ["a", "a"], ["c", "d"]])
_IDS = np.array([[1, 2, 2, 5], [0, 0, 3, 1]])

CASES: list[Case] = [
    ("Normalization", {}, _A[0], _A[0]),
    ("Normalization", {"axis": None}, _A, _A),
    ("Normalization", {"axis": (1, 2)}, _A, _A),
    ("Normalization", {"axis": -2, "invert": True}, _A, _A),
    ("Normalization", {"axis": 1}, np.array([[1, 2], [3, 5], [5, 5]]), np.array([[1, 2]])),
    ("Normalization", {"mean": 3.0, "variance": 2.0}, None, _A[0]),
    ("Normalization", {"mean": [1.0, 2.0], "variance": [2.0, 4.0]}, None, _A),
    ("Normalization", {"axis": (-1,), "mean": 1.0, "variance": 0.0, "dtype": "float64"}, None, _A[0]),
    ("CategoryEncoding", {"num_tokens": 6}, None, _IDS),
    ("CategoryEncoding", {"num_tokens": 6}, None, _IDS[0]),
    ("CategoryEncoding", {"num_tokens": 6, "output_mode": "count"}, None, _IDS),
    ("CategoryEncoding", {"num_tokens": 4, "output_mode": "count"}, None, _IDS[1]),
    ("CategoryEncoding", {"num_tokens": 4, "output_mode": "one_hot"}, None, _IDS),
    ("CategoryEncoding", {"num_tokens": 4, "output_mode": "one_hot"}, None, _IDS[:, :1]),
    ("CategoryEncoding", {"num_tokens": 4, "output_mode": "multi_hot"}, None, 3),
    ("CategoryEncoding", {"num_tokens": 4, "output_mode": "one_hot", "dtype": "int32"}, None, [3, 1]),
    ("CategoryEncoding", {"num_tokens": 6}, None, _IDS.reshape(2, 2, 2)),
    ("CategoryEncoding", {"num_tokens": 6, "output_mode": "count"}, None, _IDS.reshape(2, 2, 2)),
    ("Discretization", {"bin_boundaries": [0.0, 1.0, 10.0]}, None, np.array([[-1.0, 0.0], [1.5, 10.0]])),
    ("Discretization", {"bin_boundaries": [0.0, 1.0, 10.0]}, None, np.array([[-1, 0], [7, 11]])),
    ("Discretization", {"bin_boundaries": [0.5], "output_mode": "one_hot"}, None, np.array([[0.0], [2.0]])),
    ("Discretization", {"bin_boundaries": [0.5], "output_mode": "count"}, None, np.array([[0.0, 3.0], [2.0, 1.0]])),
    ("Discretization", {"bin_boundaries": [0.5], "output_mode": "multi_hot"}, None, np.array([0.0, 0.1])),
    ("Discretization", {"num_bins": 3}, np.arange(10.0), np.arange(10.0)),
    ("Discretization", {"num_bins": 4, "epsilon": 0.1}, _A, _A),
    ("Discretization", {"num_bins": 7}, np.sin(np.arange(1000.0)), np.linspace(-1, 1, 20)),
    ("StringLookup", {}, _WORDS, ["b", "q", "a"]),
    ("StringLookup", {"max_tokens": 3, "mask_token": "a"}, _WORDS, [["b", "q"], ["a", "c"]]),
    ("StringLookup", {"vocabulary": ["x", "y"], "num_oov_indices": 3, "mask_token": ""}, None, ["x", "", "1", "2"]),
    ("StringLookup", {"vocabulary": ["x", "y"], "num_oov_indices": 5, "salt": 7}, None, ["y", "", "1", "2", "3"]),
    ("StringLookup", {"vocabulary": ["", "[UNK]", "x"], "mask_token": ""}, None, "x"),
    ("StringLookup", {"vocabulary": ["x", "y"], "invert": True}, None, [[1, 2], [0, 9]]),
    ("StringLookup", {"vocabulary": ["x", "y"], "invert": True, "mask_token": "-"}, None, [0, 1, 2, 3, 4]),
    ("StringLookup", {"vocabulary": ["x", "y"], "num_oov_indices": 0}, None, [["y"], ["x"]]),
    ("StringLookup", {"output_mode": "one_hot"}, _WORDS, [["b"], ["q"]]),
    ("StringLookup", {"output_mode": "multi_hot", "mask_token": "c"}, _WORDS, [["b", "q", "b"], ["a", "c", "c"]]),
    ("StringLookup", {"output_mode": "count", "max_tokens": 6, "pad_to_max_tokens": True}, _WORDS, [["b", "q", "b"]]),
    ("StringLookup", {"output_mode": "tf_idf"}, _DOCUMENTS, [["a", "q"], ["b", "b"]]),
    ("StringLookup", {"output_mode": "tf_idf", "vocabulary": ["a", "b"], "idf_weights": [0.5, 2.0], "max_tokens": 5,
                      "pad_to_max_tokens": True}, None, [["a", "q"], ["b", "b"]]),
    ("IntegerLookup", {}, [5, 7, 7, 5, 7, 8], [[7, 8], [100, -1]]),
    ("IntegerLookup", {"mask_token": 0, "num_oov_indices": 2, "max_tokens": 4}, _IDS, [0, 5, 6, 7]),
    ("IntegerLookup", {"vocabulary": [4, 9], "num_oov_indices": 4, "oov_method": "farmhash"}, None, [1, 2, 3, 4, 5]),
    ("IntegerLookup", {"vocabulary": [4, 9], "invert": True}, None, [0, 1, 2, 3]),
    ("IntegerLookup", {"vocabulary": [4, 9], "output_mode": "multi_hot"}, None, [[4, 4], [9, 1]]),
    ("TextVectorization", {}, _TEXTS, _TEXTS),
    ("TextVectorization", {}, np.array(_TEXTS), "The dog\tate  a cat."),
    ("TextVectorization", {"max_tokens": 4, "output_sequence_length": 3}, _TEXTS, [["a dog ran off"], ["The"]]),
    ("TextVectorization", {"output_sequence_length": 9, "standardize": "lower"}, _TEXTS, ["the dog, the", "dog, x"]),
    ("TextVectorization", {"standardize": None, "split": "character"}, _TEXTS, ["The d\u00f6g", ""]),
    ("TextVectorization", {"ngrams": 2}, _TEXTS, _TEXTS),
    ("TextVectorization", {"ngrams": (2, 3), "standardize": "strip_punctuation"}, _TEXTS, ["The cat sat.", "a"]),
    ("TextVectorization", {"output_mode": "multi_hot"}, _TEXTS, _TEXTS),
    ("TextVectorization", {"output_mode": "count", "max_tokens": 5, "ngrams": 2}, _TEXTS, _TEXTS),
    ("TextVectorization", {"output_mode": "tf_idf", "max_tokens": 9, "pad_to_max_tokens": True}, _TEXTS, _TEXTS),
    ("TextVectorization", {"vocabulary": ["cat", "dog"], "split": None, "standardize": None}, None, [["cat", "cow"]]),
    ("Hashing", {"num_bins": 5}, None, [["a"], ["b"], [""]]),
    ("Hashing", {"num_bins": 5, "dtype": "int32"}, None, np.array([1, 2, -3])),
    ("Hashing", {"num_bins": 5}, None, np.array([1.7, 2.0])),
    ("Hashing", {"num_bins": 5, "mask_value": ""}, None, ["", "a", "b"]),
    ("Hashing", {"num_bins": 9, "salt": [3, 4], "mask_value": 2}, None, np.array([1, 2, 3])),
    ("Hashing", {"num_bins": 4, "output_mode": "one_hot"}, None, [["a"], ["b"]]),
    ("Hashing", {"num_bins": 4, "output_mode": "count"}, None, [["a", "b"], ["b", "b"]]),
]  # fmt: skip

ERRORS: list[Case] = [
    ("Normalization", {"mean": 1.0}, None, None),
    ("Normalization", {"mean": [1.0], "variance": 2.0}, None, None),
    ("Normalization", {"axis": None, "mean": [1.0], "variance": [2.0]}, None, None),
    ("Normalization", {"axis": 3}, _A, None),
    ("Normalization", {}, 5, None),
    ("Normalization", {}, [], None),
    ("CategoryEncoding", {}, None, None),
    ("CategoryEncoding", {"num_tokens": 0}, None, None),
    ("CategoryEncoding", {"num_tokens": 3, "output_mode": "int"}, None, None),
    ("Discretization", {}, None, None),
    ("Discretization", {"num_bins": 2, "bin_boundaries": [1.0]}, None, None),
    ("Discretization", {"num_bins": -2}, None, None),
    ("Discretization", {"num_bins": 2, "output_mode": "tf_idf"}, None, None),
    ("Discretization", {"bin_boundaries": [1.0]}, _A, None),
    ("Discretization", {"num_bins": 2}, None, _A),
    ("StringLookup", {"max_tokens": 1}, None, None),
    ("StringLookup", {"num_oov_indices": -1}, None, None),
    ("StringLookup", {"pad_to_max_tokens": True}, None, None),
    ("StringLookup", {"output_mode": "many_hot"}, None, None),
    ("StringLookup", {"invert": True, "output_mode": "count"}, None, None),
    ("StringLookup", {"vocabulary": ["a", "a"]}, None, None),
    ("StringLookup", {"vocabulary": []}, None, None),
    ("StringLookup", {"vocabulary": ["a", "", "b"], "mask_token": ""}, None, None),
    ("StringLookup", {"vocabulary": ["a", "b"], "max_tokens": 2}, None, None),
    ("StringLookup", {"vocabulary": ["a"], "output_mode": "tf_idf"}, None, None),
    ("StringLookup", {"vocabulary": ["a"], "idf_weights": [1.0]}, None, None),
    ("StringLookup", {"vocabulary": ["a"], "idf_weights": [1.0, 2.0], "output_mode": "tf_idf"}, None, None),
    ("StringLookup", {"vocabulary": "no such file"}, None, None),
    ("StringLookup", {"vocabulary": ["a"]}, _WORDS, None),
    ("StringLookup", {"output_mode": "one_hot"}, None, ["a"]),
    ("IntegerLookup", {"vocabulary_dtype": "int32"}, None, None),
    ("IntegerLookup", {"salt": 3}, None, None),
    ("IntegerLookup", {"oov_method": "md5"}, None, None),
    ("TextVectorization", {"standardize": "upper"}, None, None),
    ("TextVectorization", {"split": "lines"}, None, None),
    ("TextVectorization", {"ngrams": "two"}, None, None),
    ("TextVectorization", {"output_mode": "words"}, None, None),
    ("TextVectorization", {"output_sequence_length": 2, "output_mode": "count"}, None, None),
    ("TextVectorization", {"output_sequence_length": 2.5}, None, None),
    ("TextVectorization", {}, None, [["a", "b"]]),
    ("Hashing", {"num_bins": 0}, None, None),
    ("Hashing", {"num_bins": 2, "salt": "pepper"}, None, None),
    ("Hashing", {"num_bins": 2, "dtype": "float32"}, None, None),
    ("Hashing", {"num_bins": 2, "output_mode": "tf_idf"}, None, None),
]  # fmt: skip


def run(layers: Any, case: Case) -> Any:
    """What a case's layer gives, with dtype and configuration."""
    kind, arguments, data, inputs = case
    layer = getattr(layers, kind)(**arguments)
    if data is not None:
        layer.adapt(data)
    if inputs is None:
        return layer
    outputs = layer(inputs)
    config = layer.get_config()
    config.pop("name")
    values = outputs.numpy()
    texts = np.vectorize(lambda value: value.decode(), otypes=[object])(values) if values.dtype == object else values
    dtype = outputs.dtype.name
    return {"dtype": dtype, "values": texts.tolist(), "config": config}


def error_of(layers: Any, case: Case) -> str:
    """The standard class of error that a case raises."""
    try:
        run(layers, case)
    except Exception as error:
        return next(each.__name__ for each in (TypeError, ValueError, RuntimeError) if isinstance(error, each))
    return "none"
