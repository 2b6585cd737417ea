"""What `and` and `or` give for values that have no type in common: only whether it is true can be staged."""

from __future__ import annotations

from typing import Any, NoReturn

from autograph.errors import BranchMismatchError


class Truth:
    """The value of `and` or `or` of which only the truth is known; every other use raises why there is no more.

    ``while n > 0 and stack`` asks for no more than that, whatever `stack` is.
    """

    __slots__ = ("ag__mismatch", "ag__value", "ag__when_true")

    def __init__(self, value: object, mismatch: BranchMismatchError) -> None:
        self.ag__value = value
        self.ag__mismatch = mismatch
        self.ag__when_true: Any = self
        """What it is when it is true, where that is a Python value: as in ``test and "yes" or "no"``."""

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):
            raise AttributeError(f"a condition has no attribute {name!r}")
        raise self.ag__mismatch


def _refuse(self: Truth, *_: object) -> NoReturn:
    raise self.ag__mismatch


def _words(text: str) -> list[str]:
    return text.split()


_BINARY = _words("add sub mul matmul truediv floordiv mod divmod pow lshift rshift and xor or")
_OTHERS = _words(
    """
    abs await bool bytes call complex contains delattr delitem enter eq exit float format ge getitem gt hash index
    int invert iter le len lt ne neg next pos repr reversed round setitem str tensor text_layout trunc
    """
)
for _name in (*_BINARY, *(f"r{each}" for each in _BINARY), *(f"i{each}" for each in _BINARY), *_OTHERS):
    setattr(Truth, f"__{_name}__", _refuse)
