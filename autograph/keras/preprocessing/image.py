"""`tf.keras.preprocessing.image`: pictures from files and into files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..base.absent import refusing
from .pictures import array_to_img as array_to_img
from .pictures import img_to_array as img_to_array
from .pictures import load_img as load_img
from .pictures import save_img as save_img
from .pictures import smart_resize as smart_resize

__all__ = ["array_to_img", "img_to_array", "load_img", "save_img", "smart_resize"]
__dir__ = __all__.copy
if not TYPE_CHECKING:
    __getattr__ = refusing(__name__)
