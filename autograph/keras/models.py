"""`tf.keras.models`: the classes of models, and what makes copies and files of them."""

from __future__ import annotations

from autograph.tracebacks import leaving

from .networks import summary as summary
from .networks.cloning import clone_model as clone_model
from .networks.model import Functional as Functional
from .networks.model import Model as Model
from .networks.model_files import load_model as load_model
from .networks.model_files import model_from_json as model_from_json
from .networks.model_files import save_model as save_model
from .networks.sequential import Sequential as Sequential

__all__ = ["Functional", "Model", "Sequential", "clone_model", "load_model", "model_from_json", "save_model"]
__dir__ = __all__.copy
leaving.public_module(__name__)
