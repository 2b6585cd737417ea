"""How ops become operators of ONNX, by families. Importing this registers all of them, on their records.

==============  =====================================================================================================
dims.py         dimensions as values; keys.py: items by NumPy's keys
elementwise.py  arithmetic, comparisons, logic, conversion; division.py: quotients, remainders, powers
integers.py     divisors, shifts, counts
analysis.py     exponentials, logarithms, trigonometry; special.py: special functions
reductions.py   sums, extremes, means; order.py: sorting, places in sorted sequences
shapes.py       shapes, and what makes tensors of nothing, joins, cuts and repeats them
indices.py      items and elements at indices; scatters.py: storing there, and segments
products.py     products of matrices and tensors; linalg.py: inverses and solvers
nn.py           convolutions, poolings, losses
control.py      loops, branches and calls; loops.py: loops that ops are made of; lists.py, variables.py, errors.py
==============  =====================================================================================================
"""

from . import analysis as analysis
from . import control as control
from . import division as division
from . import elementwise as elementwise
from . import errors as errors
from . import indices as indices
from . import integers as integers
from . import linalg as linalg
from . import lists as lists
from . import loops as loops
from . import nn as nn
from . import order as order
from . import products as products
from . import reductions as reductions
from . import scatters as scatters
from . import shapes as shapes
from . import special as special
from . import variables as variables
