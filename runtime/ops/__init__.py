"""The op families. Importing this package declares every op.

A new family is a module here and a line below; its public names go into the table of ``autograph/__init__.py``.
"""

from . import array_api as array_api
from . import arrays as arrays
from . import control as control
from . import convolution as convolution
from . import counts as counts
from . import create as create
from . import cumulative as cumulative
from . import dropout as dropout
from . import elementwise as elementwise
from . import gather as gather
from . import host as host
from . import index as index
from . import joining as joining
from . import linalg as linalg
from . import lists as lists
from . import math as math
from . import matrix_functions as matrix_functions
from . import nn as nn
from . import numpy_functions as numpy_functions
from . import pooling as pooling
from . import random as random
from . import random_counts as random_counts
from . import reduce as reduce
from . import scatter as scatter
from . import shape as shape
from . import sort as sort
from . import special_functions as special_functions
from . import state as state
from . import strings as strings
from . import text as text
