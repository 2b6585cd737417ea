"""The ops of TensorFlow that are read, by families."""

from . import arrays as arrays
from . import control as control
from . import elementwise as elementwise
from . import networks as networks
from .table import OPS as OPS
