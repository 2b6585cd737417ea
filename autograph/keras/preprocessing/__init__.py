"""`tf.keras.preprocessing`: data made ready to learn from."""

from . import sequence as sequence
from .text_files import text_dataset_from_directory as text_dataset_from_directory
from .timeseries import timeseries_dataset_from_array as timeseries_dataset_from_array

__all__ = ["sequence", "text_dataset_from_directory", "timeseries_dataset_from_array"]
__dir__ = __all__.copy
