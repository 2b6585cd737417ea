"""The calls that are compared, and what is kept of their results."""

import hashlib
import json

import numpy as np

CALLS = {
    "mnist": [{}], "fashion_mnist": [{}], "cifar10": [{}], "cifar100": [{}, {"label_mode": "coarse"}],
    "boston_housing": [{}, {"test_split": 0.5, "seed": 3}], "california_housing": [{}, {"version": "small"}],
    "imdb": [{}, {"num_words": 20}, {"maxlen": 10, "skip_top": 5}, {"start_char": None, "index_from": 0},
             {"oov_char": None, "num_words": 30, "seed": 1}],
    "reuters": [{}, {"num_words": 20, "test_split": 0.5}, {"maxlen": 8, "start_char": None},
                {"oov_char": None, "skip_top": 9}],
}  # fmt: skip


def digest(array):
    """The shape, the dtype and a hash of what it holds."""
    content = json.dumps(array.tolist()).encode() if array.dtype == object else np.ascontiguousarray(array).tobytes()
    return [list(array.shape), array.dtype.str, hashlib.sha256(content).hexdigest()]


def digests(loaded):
    return [digest(array) for part in loaded for array in part]
