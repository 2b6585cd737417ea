"""Both ways to run a function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import autograph as tf


def eagerly(function: Callable[..., Any], *args: Any) -> Any:
    return np.asarray(function(*[tf.constant(x) for x in args]))


def staged(function: Callable[..., Any], *args: Any) -> Any:
    """In a graph that knows no dimension of its arguments."""
    specs = [tf.TensorSpec([None] * np.ndim(x), np.asarray(x).dtype) for x in args]
    return np.asarray(tf.function(function, input_signature=specs)(*[tf.constant(x) for x in args]))


WAYS = [eagerly, staged]
