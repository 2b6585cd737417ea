"""The op families. Importing this package declares every op.

A new family is a folder here and a line below. Records have the public places of functions that are made of one op; the
names of all others go into the table of ``autograph/__init__.py``.
"""

from importlib import import_module

FAMILIES = {
    "elementwise": "dropout elementwise math nn special_functions",
    "files": "bytes csv examples files sequence_examples serialized",
    "host": "assert_true checks collective host progress state",
    "linalg": "convolution linalg matrix_functions",
    "lists": "arrays lists",
    "numpy": "array_api numpy_functions",
    "pictures": "decoding encoding",
    "random": "random random_counts random_states",
    "reduce": "counts ctc cumulative pooling reduce",
    "shape": "create gather index joining scatter shape sort",
    "signal": "transforms",
    "text": "hashing strings text tokens",
}
"""The modules of each family that declare ops: imported by name, for a module may have the name of its family."""

for _family, _modules in FAMILIES.items():
    for _module in _modules.split():
        import_module(f"{__name__}.{_family}.{_module}")
