"""How ops run in XLA, by families. Importing this registers all of them, on their records.

==============  =====================================================================================================
arrays.py       what all share: values, dtypes, shapes that have to be known
elementwise.py  arithmetic, comparisons, bits, conversion; special.py: special functions
shapes.py       shapes, and what makes tensors of nothing, joins, cuts and repeats them
indices.py      items and elements at indices; scatters.py: storing there, and segments
reductions.py   sums, extremes, norms, running sums; order.py: sorting, positions
collectives.py  replicas on several devices
products.py     products of matrices and tensors, convolutions; linalg.py: decompositions
nn.py           softmax, losses, poolings; random.py: uniform numbers of a seed
control.py      loops, branches and calls; variables.py, errors.py, lists.py
==============  =====================================================================================================
"""

from . import collectives as collectives
from . import control as control
from . import elementwise as elementwise
from . import errors as errors
from . import indices as indices
from . import linalg as linalg
from . import lists as lists
from . import nn as nn
from . import order as order
from . import products as products
from . import random as random
from . import reductions as reductions
from . import scatters as scatters
from . import shapes as shapes
from . import special as special
from . import variables as variables
