"""`tf.keras.layers`: the layers, and the base class of all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from autograph.tracebacks import leaving

from ..base.absent import refusing
from ..base.layer import InputSpec as InputSpec
from ..base.layer import Layer as Layer
from . import (
    adaptive_pooling,
    advanced_activations,
    attention,
    cells,
    convolutional,
    convolutional_recurrent,
    core,
    features,
    grouped_attention,
    images,
    merging,
    multi_head_attention,
    normalization,
    pooling,
    recurrent,
    regularization,
    reshaping,
    wrappers,
)
from .adaptive_pooling import *  # noqa: F403
from .advanced_activations import *  # noqa: F403
from .attention import *  # noqa: F403
from .cells import *  # noqa: F403
from .convolutional import *  # noqa: F403
from .convolutional_recurrent import *  # noqa: F403
from .core import *  # noqa: F403
from .core import Input as Input
from .features import *  # noqa: F403
from .grouped_attention import *  # noqa: F403
from .images import *  # noqa: F403
from .merging import *  # noqa: F403
from .multi_head_attention import *  # noqa: F403
from .normalization import *  # noqa: F403
from .pooling import *  # noqa: F403
from .recurrent import *  # noqa: F403
from .regularization import *  # noqa: F403
from .reshaping import *  # noqa: F403
from .wrappers import *  # noqa: F403

__all__ = ["Input", "InputSpec", "Layer"]
for _module in (adaptive_pooling, advanced_activations, attention, cells, convolutional,
                convolutional_recurrent, core, features, grouped_attention, images, merging,
                multi_head_attention, normalization, pooling, recurrent, regularization, reshaping,
                wrappers):  # fmt: skip
    __all__ += _module.__all__
__dir__ = __all__.copy
if not TYPE_CHECKING:
    __getattr__ = refusing(__name__)
leaving.public_module(__name__)
