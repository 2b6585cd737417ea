"""`tf.keras.saving`: classes of the user by name, configurations of objects, models as files."""

from __future__ import annotations

from autograph.tracebacks import leaving

from .base.custom_objects import CustomObjectScope as CustomObjectScope
from .base.custom_objects import custom_object_scope as custom_object_scope
from .base.custom_objects import get_custom_objects as get_custom_objects
from .base.custom_objects import get_registered_name as get_registered_name
from .base.custom_objects import get_registered_object as get_registered_object
from .base.custom_objects import register_keras_serializable as register_keras_serializable
from .base.serialization import deserialize_object as deserialize_keras_object
from .base.serialization import plain as serialize_keras_object
from .networks.model_files import load_model as load_model
from .networks.model_files import save_model as save_model

__all__ = [
    "CustomObjectScope", "custom_object_scope", "deserialize_keras_object", "get_custom_objects",
    "get_registered_name", "get_registered_object", "load_model", "register_keras_serializable", "save_model",
    "serialize_keras_object",
]  # fmt: skip
__dir__ = __all__.copy
leaving.public_module(__name__)
