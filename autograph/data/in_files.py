"""What datasets have to do with files: their elements kept in some, and names of files as elements."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from autograph.errors import UnimplementedError
from autograph.runtime.base.provided import Provided

if TYPE_CHECKING:
    from .dataset import Dataset

__all__ = ["KINDS", "Kept"]

KINDS: dict[str, Callable[..., Dataset]] = {}
"""The kinds of datasets by name, which the methods of `Dataset` make; each is put here when it is declared."""
LIST_FILES: Provided[Callable[..., Dataset]] = Provided("data.kinds.files")
SAVE: Provided[Callable[..., None]] = Provided("data.kinds.saving")
LOAD: Provided[Callable[..., Dataset]] = Provided("data.kinds.saving")


class Kept:
    """The methods of `Dataset` that read or write files."""

    @staticmethod
    def list_files(
        file_pattern: Any, shuffle: bool | None = None, seed: int | None = None, name: str | None = None
    ) -> Dataset:
        """The names (strings) of the files that fit a pattern, or one of several, as they are now.

        In random order, another in each iteration, unless ``shuffle`` is false: then sorted. Raises
        `InvalidArgumentError` when no file fits.
        """
        return LIST_FILES.function(file_pattern, shuffle, seed)

    def cache(self, filename: str = "", name: str | None = None) -> Dataset:
        """The elements, kept by the first iteration that reaches the end, for all others.

        In memory; or, with a name, in a file, from which other runs of the program read them too as long as it is
        there. Raises `InvalidArgumentError` for a file with elements of other specs, `DataLossError` for a damaged one.
        """
        return KINDS["FileCache"](self, os.fspath(filename)) if filename else KINDS["Cache"](self)

    def snapshot(
        self, path: object, compression: object = "AUTO", reader_func: object = None, shard_func: object = None,
        name: str | None = None
    ) -> Dataset:  # fmt: skip
        """Not there: raises `UnimplementedError`. TensorFlow writes a snapshot anew when the pipeline has changed."""
        raise UnimplementedError(
            "autograph takes no snapshots: it can't tell whether a pipeline has changed since",
            remedy="dataset.cache(filename) keeps the elements until you remove the file; or dataset.save and load",
        )

    def save(
        self, path: str | os.PathLike[str], compression: str | None = None, shard_func: object = None,
        checkpoint_args: object = None
    ) -> None:  # fmt: skip
        """Write the elements, which are tensors, into a folder, for `load`; it is made when it does not exist.

        ``shard_func`` and ``checkpoint_args`` are accepted as in TensorFlow. Raises `InvalidArgumentError` for a
        ``compression``, and in a traced function; `InvalidTypeError` for elements that are datasets; `OSError`.
        """
        SAVE.function(self, path, compression)

    @staticmethod
    def load(
        path: str | os.PathLike[str], element_spec: object = None, compression: str | None = None,
        reader_func: object = None, wait: bool = False
    ) -> Dataset:  # fmt: skip
        """The dataset that `save` has written into a folder; it is read while it is iterated over.

        Raises `NotFoundError` when there is none, `SavedFileError` (an `OSError`) for a damaged one or one of a newer
        version, `InvalidArgumentError` for an ``element_spec`` that is not the saved one; an iteration raises
        `DataLossError` for damaged elements.
        """
        return LOAD.function(path, element_spec)
