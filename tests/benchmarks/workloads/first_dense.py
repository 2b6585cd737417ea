"""first call, 100 Dense"""

from .dense import TOLERANCE as TOLERANCE
from .dense import data as data
from .dense import in_graph as in_graph
from .dense import in_jax as in_jax

FRESH = True
