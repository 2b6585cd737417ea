"""Tensors and graphs. Knows nothing of syntax trees; works without the rest of the package.

`trace` comes first: tensors and tracing refer to each other, and load in the order that it sets.
"""

if __name__ == "runtime":
    raise ImportError("import autograph.runtime instead: the package must not be loaded twice")

from .tensors import trace as trace
