"""Which code objects autograph has compiled.

Functions that generated code defines keep their user's file and positions, so their source can be found again;
only the comparison with what the file compiles to would be wrong for them.
"""

from __future__ import annotations

import weakref
from types import CodeType

_generated: weakref.WeakValueDictionary[int, CodeType] = weakref.WeakValueDictionary()


def register_generated(code: CodeType) -> None:
    """Note that ``code`` was compiled from a generated tree."""
    _generated[id(code)] = code


def is_generated(code: CodeType) -> bool:
    """Whether ``code`` was compiled from a generated tree (the function itself, or one nested in it)."""
    return _generated.get(id(code)) is code or is_body(code)


_bodies: weakref.WeakValueDictionary[int, CodeType] = weakref.WeakValueDictionary()


def register_body(code: CodeType) -> None:
    """Note that ``code`` is generated, as part of the user's function around it: the body of a statement, as a rule."""
    _bodies[id(code)] = code


def is_body(code: CodeType) -> bool:
    """Whether the user has written ``code`` as a part of the function around it, not as a function."""
    return _bodies.get(id(code)) is code
