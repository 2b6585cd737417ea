"""Written by `python -m tests.stubs`."""

from .saved_models import DEFAULT_SERVING_SIGNATURE_DEF_KEY as DEFAULT_SERVING_SIGNATURE_DEF_KEY
from .saved_models import contains_saved_model as contains_saved_model
from .saved_models import load as load
from .saved_models import save as save
