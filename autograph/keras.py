"""`tf.keras`: layers, models, losses, metrics, optimizers. Loads when it is first used."""

from __future__ import annotations

import sys as _sys
from functools import partial as _partial

from .runtime.keras import activations as activations
from .runtime.keras import callbacks as callbacks
from .runtime.keras import constraints as constraints
from .runtime.keras import initializers as initializers
from .runtime.keras import layers as layers
from .runtime.keras import losses as losses
from .runtime.keras import metrics as metrics
from .runtime.keras import models as models
from .runtime.keras import optimizers as optimizers
from .runtime.keras import regularizers as regularizers
from .runtime.keras import saving as saving
from .runtime.keras import utils as utils
from .runtime.keras.initializers import Initializer as Initializer
from .runtime.keras.layer import InputSpec as InputSpec
from .runtime.keras.layer import Layer as Layer
from .runtime.keras.losses import Loss as Loss
from .runtime.keras.metrics import Metric as Metric
from .runtime.keras.models import Model as Model
from .runtime.keras.models import Sequential as Sequential
from .runtime.keras.optimizers import Optimizer as Optimizer
from .runtime.keras.regularizers import Regularizer as Regularizer
from .runtime.keras.symbolic import Input as Input
from .runtime.keras.symbolic import KerasTensor as KerasTensor
from .runtime.keras.variable import KerasVariable as Variable

__all__ = [
    "Initializer", "Input", "InputSpec", "KerasTensor", "Layer", "Loss", "Metric", "Model", "Optimizer", "Regularizer",
    "Sequential", "Variable", "activations", "callbacks", "constraints", "initializers", "layers", "losses",
    "metrics", "models", "optimizers", "regularizers", "saving", "utils",
]  # fmt: skip

# ``from autograph.keras.layers import Dense``
for _name in ("activations", "callbacks", "constraints", "initializers", "layers", "losses", "metrics", "models",
              "optimizers", "regularizers", "saving", "utils"):  # fmt: skip
    _sys.modules[f"{__name__}.{_name}"] = _module = globals()[_name]
    _module.__dir__ = _partial(list, _module.__all__)  # what it offers, not what it is made of
