"""`raise` asks first whether it stands in staged code, where it must become part of the graph.

>>> from autograph.converters.base import show
>>> show(Raises, "raise ValueError(x) from error")
raise ag__.raising(ValueError(x)) from error
>>> show(Raises, '''
... try:
...     f()
... except ValueError:
...     raise
... ''')
try:
    f()
except ValueError:
    raise ag__.raising()
"""

from __future__ import annotations

import gast

from ..base import Context, Pass
from ..build import operator_call


class Raises(Pass):
    """Rewrites `raise`, but for a bare one in `except*`."""

    looks_at = (gast.Raise,)

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._bare: set[gast.AST] = set()

    def leave_Raise(self, node: gast.Raise) -> gast.AST:
        if node.exc is None:
            self._bare.add(node)
        node.exc = operator_call("raising", [] if node.exc is None else [node.exc], node.exc or node)
        return node

    def leave_TryStar(self, node: gast.TryStar) -> gast.AST:
        for handler in node.handlers:  # what is raised again there is a part of a group
            for each in gast.walk(handler):
                if each in self._bare:
                    each.exc = None
        return node
