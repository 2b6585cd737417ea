"""`tf.saved_model`: models as folders. All ops are known here, also those that only converted code uses."""

from __future__ import annotations

from . import connect as connect
from .operators.staging import backend as backend
from .runtime.state import random_generator as random_generator
from .runtime.tools.export.saved_model import DEFAULT_SERVING_SIGNATURE_DEF_KEY as DEFAULT_SERVING_SIGNATURE_DEF_KEY
from .runtime.tools.export.saved_model import contains_saved_model as contains_saved_model
from .runtime.tools.export.saved_model import load as load
from .runtime.tools.export.saved_model import save as save
