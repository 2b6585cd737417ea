"""`Dataset.save` and `Dataset.load`: the elements of a dataset in a folder.

The folder has two files: ``elements``, the components of each element as `cache_file` writes them, and
``dataset.json``, written when that is complete: ``{"format": "autograph dataset", "version": 1, "count": 3,
"bytes": 120, "element_spec": ...}`` with the specs as saved models have them. Nothing in it is code.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator

from autograph.errors import AutographError, DataLossError, InvalidArgumentError, NotFoundError, SavedFileError
from autograph.runtime.base import nest
from autograph.runtime.ir.graph import foreign_value_error
from autograph.runtime.tensors import trace
from autograph.runtime.tensors.convert import wrap
from autograph.runtime.tensors.spec import TensorSpec
from autograph.runtime.tools.export import strict_json
from autograph.runtime.tools.export.file_errors import damaged_error, newer_version_error
from autograph.runtime.tools.export.values import NotSavable, decode, encode
from autograph.runtime.tools.export.weights import read_file, replace_file

from ..dataset import Dataset
from ..failures import Item, raised
from ..functions import Environment
from ..in_files import LOAD, SAVE
from ..structure import tensor_specs
from .cache_file import Reader, read_array, write_array

__all__ = ["load_dataset", "save_dataset"]

FORMAT = "autograph dataset"
VERSION = 1
_CONTENT, _ELEMENTS = "dataset.json", "elements"


@SAVE.give
def save_dataset(dataset: Dataset, path: str | os.PathLike[str], compression: str | None) -> None:
    """As `Dataset.save`."""
    if trace.current_graph() is not None:
        raise InvalidArgumentError("a dataset can't be saved while a graph is being traced: save it outside")
    if compression is not None:
        raise InvalidArgumentError(f"datasets are saved without compression, not with {compression!r}")
    for tensor in dataset.graph_tensors():
        raise foreign_value_error(tensor.value)
    tensor_specs(dataset.element_spec, "save")
    try:
        specs = encode(dataset.element_spec, None)  # type: ignore[arg-type]
    except NotSavable as error:
        raise InvalidArgumentError(f"a file can't hold elements of {error}") from None
    folder = os.fspath(path)
    os.makedirs(folder, exist_ok=True)
    count = 0
    with tempfile.NamedTemporaryFile(dir=folder, prefix=_ELEMENTS, suffix=".part", delete=False) as file:
        try:
            for element in raised(dataset.elements(Environment())):
                count += 1
                for part in element:
                    write_array(file, wrap(part).array)
            size = file.tell()
        except BaseException:
            file.close()
            os.unlink(file.name)
            raise
    os.replace(file.name, os.path.join(folder, _ELEMENTS))
    content = {"format": FORMAT, "version": VERSION, "count": count, "bytes": size, "element_spec": specs}
    replace_file(os.path.join(folder, _CONTENT), strict_json.dumps(content))


@LOAD.give
def load_dataset(path: str | os.PathLike[str], element_spec: object) -> Dataset:
    """As `Dataset.load`."""
    folder = os.fspath(path)
    file = os.path.join(folder, _CONTENT)
    if not os.path.exists(file):
        raise NotFoundError(f"there is no saved dataset in {folder}: {file} is missing")
    content = strict_json.loads(read_file(file, follow_links=False), file)
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise SavedFileError(f"{file} is no dataset of autograph", remedy="load a folder that dataset.save has written")
    version = content.get("version")
    if type(version) is int and version > VERSION:
        raise newer_version_error(file, version, VERSION)
    count, size = content.get("count"), content.get("bytes")
    if version != VERSION or type(count) is not int or type(size) is not int or min(count, size) < 0:
        raise damaged_error(f"{file} is damaged")
    try:
        specs = decode(content.get("element_spec"), None)  # type: ignore[arg-type]
    except (AutographError, AttributeError, TypeError, ValueError):
        specs = None
    if not all(isinstance(spec, TensorSpec) for spec in nest.flatten(specs)):
        raise damaged_error(f"{file} is damaged: the specs of elements are not valid")
    if element_spec is not None and element_spec != specs:
        raise InvalidArgumentError(f"the dataset in {folder} has elements of {specs!r}, not of {element_spec!r}")
    return Loaded(os.path.join(folder, _ELEMENTS), specs, count, size)


class Loaded(Dataset):
    """The elements of a file."""

    _name = "_LoadDataset"

    def __init__(self, path: str, specs: object, count: int, size: int) -> None:
        super().__init__(specs)
        self._path, self._count, self._size = path, count, size

    def elements(self, environment: Environment) -> Iterator[Item]:
        specs = nest.flatten(self._specs)
        if os.path.islink(self._path) or not os.path.isfile(self._path):
            raise _lost(f"{self._path} is missing, or no regular file")
        with open(self._path, "rb") as file:
            if os.fstat(file.fileno()).st_size != self._size:
                raise _lost(f"{self._path} is damaged: it has another size than when it was saved")
            for _ in range(self._count):
                try:
                    yield tuple([read_array(Reader(file, self._size), spec) for spec in specs])
                except ValueError as error:
                    raise _lost(f"{self._path} is damaged: {error}") from None
            if file.tell() != self._size:
                raise _lost(f"{self._path} is damaged: it holds more than {self._count} elements")

    def length(self, environment: Environment) -> int:
        return self._count


def _lost(message: str) -> DataLossError:
    return DataLossError(message, remedy="copy the folder again from where it is whole, or save the dataset anew")
