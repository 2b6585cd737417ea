"""`tf.keras.config`: what holds where nothing else is said."""

from __future__ import annotations

from typing import TYPE_CHECKING

from autograph.errors import InvalidArgumentError, UnimplementedError
from autograph.runtime.state.debugging import disable_traceback_filtering as disable_traceback_filtering
from autograph.runtime.state.debugging import enable_traceback_filtering as enable_traceback_filtering
from autograph.runtime.state.debugging import is_traceback_filtering_enabled as is_traceback_filtering_enabled
from autograph.tracebacks import leaving

from .backend import backend as backend
from .base.absent import refusing
from .base.defaults import dtype_policy as dtype_policy
from .base.defaults import epsilon as epsilon
from .base.defaults import floatx as floatx
from .base.defaults import image_data_format as image_data_format
from .base.defaults import set_dtype_policy as set_dtype_policy
from .base.defaults import set_epsilon as set_epsilon
from .base.defaults import set_floatx as set_floatx
from .base.defaults import set_image_data_format as set_image_data_format
from .fit.progress import disable_interactive_logging as disable_interactive_logging
from .fit.progress import enable_interactive_logging as enable_interactive_logging
from .fit.progress import is_interactive_logging_enabled as is_interactive_logging_enabled

__all__ = [
    "backend", "disable_interactive_logging", "disable_traceback_filtering", "dtype_policy",
    "enable_interactive_logging", "enable_traceback_filtering", "epsilon", "floatx", "image_data_format",
    "is_interactive_logging_enabled", "is_traceback_filtering_enabled", "set_backend", "set_dtype_policy",
    "set_epsilon", "set_floatx", "set_image_data_format",
]  # fmt: skip
__dir__ = __all__.copy
if not TYPE_CHECKING:
    __getattr__ = refusing(__name__)


def set_backend(backend: str) -> None:
    """Nothing, for ``"tensorflow"``; raises `UnimplementedError` for other ones of Keras, `ValueError` for others."""
    if backend in ("jax", "torch", "numpy", "openvino"):
        raise UnimplementedError(f"Keras's backend {backend!r} is not there: layers make autograph's own graphs",
                                 remedy="leave it out; AUTOGRAPH_ENGINE=xla runs graphs by JAX's compiler")  # fmt: skip
    if backend != "tensorflow":
        raise InvalidArgumentError(f"the backend is 'tensorflow', not {backend!r}")


leaving.public_module(__name__)
