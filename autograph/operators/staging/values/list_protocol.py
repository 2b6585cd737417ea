"""What staged lists inherit besides the methods of lists: that they hold copies, and NumPy's protocols.

A NumPy function takes one as the tensor of its elements.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn

from autograph.errors import StagedValueError
from autograph.runtime.tensors.convert import convert_to_tensor

from ..control.errors import where
from ..heap import aliases, heap
from ..heap.alias_paths import may_be_in
from .values import mutables

if TYPE_CHECKING:
    from autograph.runtime.tensors.likes import DTypeLike


class HoldsCopies:
    """A staged list as the holder of copies of objects: it notes what they are copies of."""

    __slots__ = ()
    depth: int
    root: Any

    def _own(self, value: object) -> None:
        """Notes that the list gets a copy of a value, of which Python would have the value itself."""
        self.root.own()
        self.hold(heap.staged(value))

    def hold(self, value: object) -> None:
        """Notes that an object and those in it are elements, of which the graph has copies."""
        root = self.root
        for each in mutables(value):
            aliases.use(each)
            is_element = isinstance(each, HoldsCopies) and each.depth > 0
            if is_element:
                self._hold_some_of(each.root)
            elif may_be_in(each, root):
                root.may_repeat()
            aliases.relate(each, root, aliases.SOMETIMES, aliases.PUT, label=getattr(each, "name", "") or "")

    def _hold_some_of(self, other: Any) -> None:
        """Notes that elements of a list have become elements of this one."""
        root = self.root
        if may_be_in(other, root, is_any_of=True):
            root.may_repeat()
        aliases.relate(other, root, aliases.SOMETIMES, aliases.SHARED)

    def _share(self, other: Any) -> Any:
        """Notes that another list has elements of this one."""
        aliases.relate(self.root, other.root, aliases.SOMETIMES, aliases.SHARED)
        return other

    def _release(self, value: Any) -> Any:
        """Notes what an element is that is in the list no more: one of the objects that were put into it."""
        root = self.root
        for each in mutables(value):
            kind = aliases.TAKEN if root.get_state().spec.repeats else aliases.RELEASED
            aliases.relate(each, root, aliases.SOMETIMES, kind)
        return value


class ListProtocol:
    """NumPy's protocols of a staged list."""

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
