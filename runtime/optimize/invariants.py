"""Loop-invariant code: what a loop computes anew in every turn from values that it does not change moves before it.

The rule. A node moves out of the **body** only when it is total (see `ir.total`) and holds no list, for the loop
may run no turn at all; and only when its result is not much larger than its inputs, so that a loop of no turns costs
no memory. The **test** runs at least once: out of it moves also what may raise, as long as nothing that may raise,
warn, act, or go on for ever stands before it in the test. Branches keep what they hold: they may not be taken.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..base import shapes
from ..ir.graph import Value
from ..ir.op import Op
from ..ir.total import is_total

# A result may have this many elements, or as many as its largest input.
_LIMIT = 4096


def may_move(op: Op, inputs: Sequence[Value], outputs: Sequence[Any], attributes: dict[str, Any],
             certain: bool) -> bool:  # fmt: skip
    """Whether a node without sub-graphs, whose inputs a loop does not change, may move out; `outputs` are types.

    ``certain``: the node runs whenever the loop does, before anything that could be told from outside.
    """
    if op.effect:
        return False
    sizes = [shapes.size(value.type.shape) for value in inputs]
    limit = max([_LIMIT, *[size for size in sizes if size is not None]])
    for type_ in outputs:
        size = shapes.size(type_.shape)
        if size is None and not (certain or None in sizes):
            return False
        if size is not None and size > limit and not certain:
            return False
    return certain or is_total(op, inputs, attributes)
