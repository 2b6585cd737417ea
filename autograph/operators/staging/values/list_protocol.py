"""NumPy's protocols for staged lists: a NumPy function takes one as the tensor of its elements."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn

from autograph.errors import StagedValueError
from autograph.runtime.tensors.convert import convert_to_tensor

from ..control.errors import where

if TYPE_CHECKING:
    from autograph.runtime.tensors.likes import DTypeLike


class ListProtocol:
    """What a staged list inherits."""

    __slots__ = ()

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **keywords: Any) -> Any:
        return getattr(ufunc, method)(*map(_as_tensors, inputs), **keywords)

    def __array_function__(
        self, function: Callable[..., Any], types: Any, arguments: tuple[Any, ...], keywords: dict[str, Any]
    ) -> Any:
        converted = {name: _as_tensors(value) for name, value in keywords.items()}
        return function(*map(_as_tensors, arguments), **converted)

    def __array__(self, dtype: DTypeLike | None = None, copy: object = None) -> NoReturn:
        raise StagedValueError(
            f"{self!r} can't become a NumPy array while tracing: its elements are known only when the graph runs",
            **where(),
            remedy="make a tensor of it with tf.stack(x) or np.stack(x), and use NumPy's functions on that",
        )


def _as_tensors(value: Any) -> Any:
    if isinstance(value, ListProtocol):
        return convert_to_tensor(value)
    return type(value)(map(_as_tensors, value)) if type(value) in (list, tuple) else value
