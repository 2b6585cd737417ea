"""`tf.keras.preprocessing`: data made ready to learn from."""

from typing import TYPE_CHECKING

from autograph.tracebacks import leaving

from ..base.absent import refusing
from . import image as image
from . import sequence as sequence
from .image_files import image_dataset_from_directory as image_dataset_from_directory
from .text_files import text_dataset_from_directory as text_dataset_from_directory
from .timeseries import timeseries_dataset_from_array as timeseries_dataset_from_array

__all__ = ["image", "image_dataset_from_directory", "sequence", "text_dataset_from_directory",
           "timeseries_dataset_from_array"]  # fmt: skip
__dir__ = __all__.copy
if not TYPE_CHECKING:
    __getattr__ = refusing(__name__)
leaving.public_module(__name__)
