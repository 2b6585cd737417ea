"""`tf.compat`: names of TensorFlow 1."""

from . import v1 as v1
