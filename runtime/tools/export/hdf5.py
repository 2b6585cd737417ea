"""HDF5 files: named arrays, and the attributes of groups, by way of the library h5py.

Links that lead elsewhere are not followed, data that other files hold is not read, and arrays may not be very much
larger than the file. Beyond that a file is as safe as the library HDF5, written in C, is with it: one that somebody has
damaged on purpose may keep it busy or end the program.
"""

from __future__ import annotations

import functools
import io
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from autograph.errors import MissingExtraError, SavedFileError

from .file_errors import damaged_error

__all__ = ["Hdf5Content", "hdf5_bytes", "hdf5_content", "is_hdf5"]

_SIGNATURE = b"\x89HDF\r\n\x1a\n"
_LARGE = 1 << 24
_GREATEST_EXPANSION = 1000


@dataclass
class Hdf5Content:
    """What a file holds: arrays by path, as ``layers/dense/vars/0``, and the attributes of groups; the root is ``""``.
    """

    arrays: dict[str, np.ndarray[Any, Any]] = field(default_factory=dict)
    attributes: dict[str, dict[str, Any]] = field(default_factory=dict)

    @functools.cached_property
    def groups(self) -> dict[str, dict[str, np.ndarray[Any, Any]]]:
        """The arrays that each group holds itself, by their names in it."""
        found: dict[str, dict[str, np.ndarray[Any, Any]]] = {}
        for path, array in self.arrays.items():
            group, _, name = path.rpartition("/")
            found.setdefault(group, {})[name] = array
        return found


def is_hdf5(data: bytes) -> bool:
    """Whether the content of a file begins as that of an HDF5 file."""
    return data.startswith(_SIGNATURE)


def hdf5_bytes(content: Hdf5Content) -> bytes:
    """The file with some content. Raises `MissingExtraError` without the library h5py."""
    library = _library()
    file = io.BytesIO()
    with library.File(file, "w") as root:
        for path, attributes in content.attributes.items():
            group = root.require_group(path) if path else root
            for name, value in attributes.items():
                group.attrs[name] = value
        for path, array in content.arrays.items():
            root[path] = array
    return file.getvalue()


def hdf5_content(data: bytes, name: str) -> Hdf5Content:
    """What a file with some bytes holds; ``name`` is for errors.

    Attributes are read where the root has some: the files of weights that Keras 3 writes need none.

    Raises `SavedFileError` for damaged files and for those with data that can't be read safely, `MissingExtraError`
    without the library h5py.
    """
    library = _library()
    found = Hdf5Content()
    try:
        with library.File(io.BytesIO(data), "r") as root:
            with_attributes = len(root.attrs) > 0
            if with_attributes:
                found.attributes[""] = dict(root.attrs)

            items: list[tuple[str | bytes, Any]] = []  # read outside of h5py's own loop, whose frames nobody needs
            root.visititems(lambda path, item: items.append((path, item)))
            for path, item in items:
                _read(found, text_of(path), item, name, len(data), with_attributes)
    except SavedFileError:
        raise
    except Exception as error:  # h5py has no class of errors of its own for what is damaged
        raise damaged_error(f"{name} is no HDF5 file, or damaged") from error
    return found


def _read(found: Hdf5Content, path: str, item: Any, name: str, size: int, with_attributes: bool) -> None:
    """Add a group or an array to what was found."""
    if hasattr(item, "shape"):
        _check(item, name, path, size)
        found.arrays[path] = _array_of(item)
    elif with_attributes:
        found.attributes[path] = dict(item.attrs)


def _check(dataset: Any, name: str, path: str, size: int) -> None:
    if dataset.external or dataset.is_virtual:
        raise SavedFileError(
            f"the array {path!r} of {name} lies in another file, which is not read",
            remedy="write the file again, with all of its data in it",
        )
    if dataset.nbytes > max(_LARGE, _GREATEST_EXPANSION * size):
        raise SavedFileError(
            f"the array {path!r} of {name} would take {dataset.nbytes} bytes, far more than the file has",
            remedy="write the file again without compression",
        )


def _array_of(dataset: Any) -> np.ndarray[Any, Any]:
    array = np.asarray(dataset[()])
    if array.dtype.kind == "V" and array.dtype.itemsize == 2 and text_of(dataset.attrs.get("dtype")) == "bfloat16":
        # NumPy has no such dtype: the upper halves of float32.
        return (array.view("<u2").astype("<u4") << 16).view("<f4").astype(np.float32)
    return array.astype(array.dtype.newbyteorder("="), copy=False)


def path_of(*parts: str) -> str:
    """A path of the parts that are not empty."""
    return "/".join(part for part in parts if part)


def text_of(value: object) -> str:
    """An attribute with a text."""
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def texts_of(attributes: Mapping[str, Any], name: str) -> list[str]:
    """An attribute with a list of texts; a long one lies in several, with numbers behind the name."""
    if name in attributes:
        return [text_of(each) for each in np.asarray(attributes[name]).ravel().tolist()]
    found: list[str] = []
    number = 0
    while f"{name}{number}" in attributes:
        found += [text_of(each) for each in np.asarray(attributes[f"{name}{number}"]).ravel().tolist()]
        number += 1
    return found


def _library() -> Any:
    try:
        import h5py
    except ImportError:
        raise MissingExtraError(
            "HDF5 files need the library h5py, which is not installed", remedy='pip install "autograph-py[h5]"'
        ) from None
    return h5py
