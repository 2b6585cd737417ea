"""How ops run in XLA, by families. Importing this registers all of them, on their records."""

from . import control as control
from . import elementwise as elementwise
from . import errors as errors
from . import lists as lists
from . import variables as variables
