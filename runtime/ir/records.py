"""The records of all ops as attributes: ``records.add`` is ``OPS["add"]``, for who asks ``node.op is records.add``.

The families load when one of their ops is first asked for: modules below `runtime.ops` ask inside functions.
"""

from __future__ import annotations

from .op import OPS, Op


def __getattr__(name: str) -> Op:
    if name.startswith("__"):
        raise AttributeError(name)
    try:
        found = globals()[name] = OPS[name]
    except KeyError as error:
        raise AttributeError(error.args[0]) from None
    return found
