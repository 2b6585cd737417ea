"""`tf.data.experimental.TFRecordWriter`: the elements of a dataset as a file of records."""

from __future__ import annotations

from autograph.errors import InvalidArgumentError, InvalidTypeError
from autograph.runtime.base.dtypes import string
from autograph.runtime.base.files import Path
from autograph.runtime.ir.graph import foreign_value_error
from autograph.runtime.tensors import trace
from autograph.runtime.tensors.convert import wrap
from autograph.runtime.tensors.spec import TensorSpec
from autograph.runtime.tools.files import records

from .dataset import Dataset
from .failures import raised
from .functions import Environment

__all__ = ["TFRecordWriter"]


class TFRecordWriter:
    """Writes all elements of a dataset, strings, into a new file; see `tf.io.TFRecordWriter`."""

    def __init__(self, filename: Path, compression_type: str | None = None) -> None:
        self._path, self._compression = filename, compression_type

    def write(self, dataset: Dataset) -> None:
        """Raises `InvalidTypeError` for elements that are no scalar strings, `InvalidArgumentError` in a trace."""
        if trace.current_graph() is not None:
            raise InvalidArgumentError("a dataset can't be written while a graph is being traced: write it outside")
        for tensor in dataset.graph_tensors():
            raise foreign_value_error(tensor.value)
        spec = dataset.element_spec
        if not (isinstance(spec, TensorSpec) and spec.dtype is string and spec.shape.is_compatible_with(())):
            raise InvalidTypeError(f"`dataset` must have elements that are scalar strings, not {spec!r}")
        with records.TFRecordWriter(self._path, self._compression) as writer:
            for (part,) in raised(dataset.elements(Environment())):
                writer.write(wrap(part).array[()])
