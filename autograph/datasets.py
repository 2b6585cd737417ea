"""`tf.data`: datasets, with the functions given to them converted as those of `tf.function` are."""

from __future__ import annotations

from . import connect as connect
from .runtime.data import experimental as experimental
from .runtime.data.dataset import AUTOTUNE as AUTOTUNE
from .runtime.data.dataset import INFINITE_CARDINALITY as INFINITE_CARDINALITY
from .runtime.data.dataset import UNKNOWN_CARDINALITY as UNKNOWN_CARDINALITY
from .runtime.data.dataset import Dataset as Dataset
from .runtime.data.iterator import DatasetIterator
from .runtime.data.options import Options as Options
from .runtime.data.values import DatasetSpec as DatasetSpec
from .runtime.data.values import IteratorSpec as IteratorSpec

Iterator = DatasetIterator
