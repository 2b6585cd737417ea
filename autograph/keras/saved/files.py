"""`Model.save_weights` and `Model.load_weights`: which format a file has."""

from __future__ import annotations

import io
import os
import zipfile
from collections.abc import Sequence

from autograph.errors import InvalidArgumentError, SavedFileError
from autograph.runtime.tools.export.file_errors import damaged_error
from autograph.runtime.tools.export.hdf5 import hdf5_content, is_hdf5
from autograph.runtime.tools.export.weights import read_file, replace_file, tensors_of

from ..base import weights as safetensors
from ..networks.model import LOAD_WEIGHTS, SAVE_WEIGHTS, Model
from .legacy import is_legacy, load_legacy_weights
from .weights import load_content, write_weights

__all__ = ["load_weights", "save_weights"]

_HDF5_NAMES = (".h5", ".hdf5", ".keras")


@SAVE_WEIGHTS.give
def save_weights(model: Model, filepath: str | os.PathLike[str], overwrite: bool = True) -> None:
    """Write the weights of a model, and the variables of its optimizer, if it is compiled, into a file.

    The name tells the format: ``.weights.h5`` is Keras's, all others are safetensors. Raises `InvalidArgumentError` for
    a model without weights that is not built, for a file that exists unless ``overwrite``, and for a name that ends as
    those of whole models; `MissingExtraError` without the library that the format needs.
    """
    path = os.fspath(filepath)
    if not path.endswith(".weights.h5"):
        if path.endswith(_HDF5_NAMES):
            raise InvalidArgumentError(
                f"The filename must end in `.weights.h5`. Received: filepath={path}",
                remedy="for the safetensors format, which other names have, let it end in .safetensors",
            )
        safetensors.save_weights(model, path, overwrite)
        return
    safetensors.check_saving(model, path, overwrite)
    replace_file(path, write_weights(model))


@LOAD_WEIGHTS.give
def load_weights(
    model: Model, filepath: str | os.PathLike[str], skip_mismatch: bool = False, by_name: bool | None = None,
    objects_to_skip: Sequence[object] | None = None
) -> None:  # fmt: skip
    """Set the weights of a model to those of a file. What it holds tells the format, not its name.

    With ``skip_mismatch``, weights that the file does not hold, or holds with another shape, stay as they are.

    Raises `SavedFileError` for a missing or damaged file, `InvalidArgumentError` for one that does not fit the model,
    and for arguments that its format does not know; nothing is changed then.
    """
    path = os.fspath(filepath)
    data = read_file(path)
    if path.endswith(".keras") and zipfile.is_zipfile(io.BytesIO(data)) and objects_to_skip is None and not by_name:
        data = _weights_of_model(data, path)
    content = hdf5_content(data, path) if is_hdf5(data) else None
    if content is not None and is_legacy(content):
        if objects_to_skip is not None:
            raise InvalidArgumentError(f"`objects_to_skip` only supports loading '.weights.h5' files. Received: {path}")
        safetensors.check_loading(model)
        load_legacy_weights(model, content, path, skip_mismatch, bool(by_name))
        return
    if by_name:
        raise InvalidArgumentError(
            f"`by_name` only supports loading legacy '.h5' or '.hdf5' files. Received: {path}"
        )
    if content is not None:
        safetensors.check_loading(model)
        load_content(model, content, path, skip_mismatch, objects_to_skip)
        return
    if objects_to_skip is not None:
        raise InvalidArgumentError(f"`objects_to_skip` only supports loading '.weights.h5' files. Received: {path}")
    safetensors.load_arrays(model, tensors_of(data, path), path, skip_mismatch)


def _weights_of_model(data: bytes, path: str) -> bytes:
    """The weights in the file of a model."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            found = [name for name in archive.namelist() if name in ("model.weights.h5", "model.safetensors")]
            if found and archive.getinfo(found[0]).file_size <= len(data):
                return archive.read(found[0])
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, ValueError, EOFError) as error:
        raise damaged_error(f"{path} is no `.keras` file, or damaged: {error}") from None
    raise SavedFileError(f"{path} has no weights that can be read", remedy="save the model anew: model.save(path)")
