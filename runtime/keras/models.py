"""`tf.keras.models`: the classes of models."""

from __future__ import annotations

from .model import Functional as Functional
from .model import Model as Model
from .sequential import Sequential as Sequential

__all__ = ["Functional", "Model", "Sequential"]
