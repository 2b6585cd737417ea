"""How ops are lowered, by families: loading this puts the forms on the ops' records.

==============  =====================================================================================================
elementwise.py  the elementwise ops, as one table
control.py      loops and branches; errors.py: checks; lists.py: lists and arrays of tensors; variables.py
views.py        shapes, items and stores; gathers.py, joining.py
reductions.py   sums, extremes, positions, softmax; statistics.py, running.py, order.py
products.py     products of matrices, in vector registers (multiply.py) or by NumPy's own BLAS
convolutions.py convolutions as such products; poolings.py; both over windows.py; contractions.py: tensordot, einsum
==============  =====================================================================================================
"""

from . import (  # noqa: F401
    contractions,
    control,
    convolutions,
    elementwise,
    errors,
    gathers,
    joining,
    lists,
    order,
    poolings,
    products,
    reductions,
    running,
    statistics,
    variables,
    views,
)
