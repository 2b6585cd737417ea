"""`tf.keras.layers`: the layers, and the base class of all."""

from __future__ import annotations

from ..layer import InputSpec as InputSpec
from ..layer import Layer as Layer
from ..symbolic import Input as Input
from .core import *  # noqa: F403
