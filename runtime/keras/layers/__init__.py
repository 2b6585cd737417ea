"""`tf.keras.layers`: the layers, and the base class of all."""

from __future__ import annotations

from ..layer import InputSpec as InputSpec
from ..layer import Layer as Layer
from ..symbolic import Input as Input
from . import cells, convolutional, core, normalization, recurrent, reshaping
from .cells import *  # noqa: F403
from .convolutional import *  # noqa: F403
from .core import *  # noqa: F403
from .normalization import *  # noqa: F403
from .recurrent import *  # noqa: F403
from .reshaping import *  # noqa: F403

__all__ = ["Input", "InputSpec", "Layer"]
__all__ += [name for each in (cells, convolutional, core, normalization, recurrent, reshaping) for name in each.__all__]
