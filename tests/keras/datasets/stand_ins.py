"""Small files in the form of those of `tf.keras.datasets`: tests serve them, `data/make_values.py` shows Keras them."""

from __future__ import annotations

import gzip
import io
import json
import pickle
import tarfile
from pathlib import Path

import numpy as np


def write_all(folder: Path) -> None:
    """Writes them into a folder."""
    rng = np.random.RandomState(7)
    pictures = {f"{kind}_{part}": rng.randint(0, 256, (count, 28, 28) if kind == "x" else count).astype(np.uint8)
                for part, count in (("train", 6), ("test", 3)) for kind in "xy"}  # fmt: skip
    np.savez(folder / "mnist.npz", **pictures)
    for part, name in (("train", "train"), ("test", "t10k")):
        labels, images = pictures[f"y_{part}"], pictures[f"x_{part}"]
        (folder / f"{name}-labels-idx1-ubyte.gz").write_bytes(gzip.compress(b"\0" * 8 + labels.tobytes()))
        (folder / f"{name}-images-idx3-ubyte.gz").write_bytes(gzip.compress(b"\0" * 16 + images.tobytes()))
    np.savez(folder / "boston_housing.npz", x=rng.rand(10, 13), y=rng.rand(10))
    np.savez(folder / "california_housing.npz", x=rng.rand(12, 8), y=rng.rand(12))
    texts = texts_of(rng, 12)
    np.savez(folder / "imdb.npz", x_train=texts[:8], y_train=rng.randint(0, 2, 8), x_test=texts[8:],
             y_test=rng.randint(0, 2, 4))  # fmt: skip
    np.savez(folder / "reuters.npz", x=texts, y=rng.randint(0, 46, 12))
    for name in ("imdb", "reuters"):
        (folder / f"{name}_word_index.json").write_text(json.dumps({"the": 1, "thé": 2}))
    names = [*[f"data_batch_{i}" for i in range(1, 6)], "test_batch"]
    write_archive(folder / "cifar-10-python.tar.gz", "cifar-10-batches-py", names, ["labels"], rng, 10000)
    write_archive(folder / "cifar-100-python.tar.gz", "cifar-100-python", ["train", "test"],
                  ["fine_labels", "coarse_labels"], rng, 4)  # fmt: skip


def texts_of(rng: np.random.RandomState, count: int) -> np.ndarray:
    texts = np.empty(count, object)
    texts[:] = [rng.randint(1, 50, rng.randint(3, 12)).tolist() for _ in range(count)]
    return texts


def write_archive(path: Path, folder: str, names: list[str], labels: list[str], rng: np.random.RandomState,
                  rows: int) -> None:  # fmt: skip
    """An archive of pickles as those of CIFAR; all pictures are of one colour, or it would be large."""
    with tarfile.open(path, "w:gz") as archive:
        for name in names:
            data = np.repeat(rng.randint(0, 256, (4, 3072)).astype(np.uint8), rows // 4, 0)
            content = {b"data": data, **{each.encode(): rng.randint(0, 10, rows).tolist() for each in labels}}
            packed = pickle.dumps(content, protocol=3)
            info = tarfile.TarInfo(f"{folder}/{name}")
            info.size = len(packed)
            archive.addfile(info, io.BytesIO(packed))
