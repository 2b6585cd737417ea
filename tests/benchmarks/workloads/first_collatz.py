"""first call, Collatz"""

from .collatz import TOLERANCE as TOLERANCE
from .collatz import data as data
from .collatz import in_graph as in_graph
from .collatz import in_jax as in_jax
from .collatz import in_numba as in_numba

FRESH = True
