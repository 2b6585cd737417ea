"""Variables that may be undefined, or hold `None`, at run time."""

from __future__ import annotations

from typing import Any

from .dispatch import Thunk, backend_of


class Undefined:
    """The one value that stands for "no value" where Python would have an unbound variable."""

    _only: Undefined | None = None

    def __new__(cls) -> Undefined:
        if cls._only is None:
            cls._only = super().__new__(cls)
        return cls._only

    def __repr__(self) -> str:
        return "UNDEFINED"

    def __reduce__(self) -> str:
        return "UNDEFINED"


UNDEFINED = Undefined()


def ld(load: Thunk, name: str, local: bool = True) -> Any:
    """Loads a variable that may be undefined: ``ag__.ld(lambda: x, 'x')``; not `local`, if it is another function's.

    Raises:
        UnboundLocalError: the variable has no value, as in Python. When that depends on a staged condition, the error
            comes at run time.
        NameError: the same for a variable that is not local.
    """
    try:
        value = load()
    except NameError:
        if not local or name not in load.__code__.co_freevars:
            raise
        message = f"cannot access local variable {name!r} where it is not associated with a value"
        raise UnboundLocalError(message) from None
    backend = backend_of(value)
    return value if backend is None else backend.load(value, name)
