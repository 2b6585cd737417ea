"""`tf.data`: datasets, with the functions given to them converted as those of `tf.function` are."""

from __future__ import annotations

from autograph.tracebacks import leaving

from .. import connect as connect
from . import experimental as experimental
from . import kinds as kinds
from . import optional as optional
from .dataset import AUTOTUNE as AUTOTUNE
from .dataset import INFINITE_CARDINALITY as INFINITE_CARDINALITY
from .dataset import UNKNOWN_CARDINALITY as UNKNOWN_CARDINALITY
from .dataset import Dataset as Dataset
from .iterator import DatasetIterator
from .kinds.files import FixedLengthRecordDataset as FixedLengthRecordDataset
from .kinds.files import TextLineDataset as TextLineDataset
from .kinds.files import TFRecordDataset as TFRecordDataset
from .options import Options as Options
from .values import DatasetSpec as DatasetSpec
from .values import IteratorSpec as IteratorSpec

Iterator = DatasetIterator
__all__ = [
    "AUTOTUNE",
    "INFINITE_CARDINALITY",
    "UNKNOWN_CARDINALITY",
    "Dataset",
    "DatasetSpec",
    "FixedLengthRecordDataset",
    "Iterator",
    "IteratorSpec",
    "Options",
    "TFRecordDataset",
    "TextLineDataset",
    "experimental",
]  # fmt: skip
__dir__ = __all__.copy
leaving.public_module(__name__)
