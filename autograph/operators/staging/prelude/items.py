"""Items of staged values, and of Python lists under a staged index."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph.errors import BranchMismatchError, MutationError, StagedValueError, StagingError
from autograph.runtime.base.dtypes import Array
from autograph.runtime.ops.shape import index as index_ops
from autograph.runtime.tensors.convert import convert_to_tensor
from autograph.runtime.tensors.in_place import note_store
from autograph.runtime.tensors.operands import array, item_kind
from autograph.runtime.tensors.tensor import SymbolicTensor, Tensor

from ..control.errors import where
from ..heap import aliases, array_forms, array_memory, heap, rebinding, refusals, state
from ..values.dicts import StagedDict
from ..values.elements import PythonList
from ..values.iterables import StagedIterable, StagedRange
from ..values.list_methods import require_index
from ..values.lists import ListState, StagedList, staged
from ..values.lookups import is_staged_key, look_up
from ..values.maybe import Maybe
from ..values.specs import SCALARS, as_number


def get_item(container: Any, index: Any) -> Any:
    """``container[index]``."""
    if isinstance(index, Maybe):
        index = index.ag__checked("is used as an index")
    if isinstance(container, Maybe):
        container = container.ag__checked("is subscripted")
    container = heap.staged(container)
    if isinstance(container, (Tensor, StagedList, StagedDict)):
        return container[index]
    if isinstance(container, StagedIterable):
        return container.at(index)
    if isinstance(container, np.ndarray):
        item = convert_to_tensor(container)[index]
        return as_number(item, item_kind(item, index))
    if isinstance(container, str):
        return convert_to_tensor(container)[index]
    if isinstance(container, (list, tuple, range)) and isinstance(index, slice):
        bounds = index.start, index.stop, index.step
        unknown = any(isinstance(each, (SymbolicTensor, Maybe)) for each in bounds)
        return _slice(container, index) if unknown else container[index]
    if isinstance(container, dict) and is_staged_key(index) and not hasattr(type(container), "__missing__"):
        return look_up(container, index)
    if isinstance(container, range):
        return StagedRange(container.start, container.stop, container.step).at(index)
    if isinstance(container, (list, tuple)):
        require_index(index)
        try:
            return PythonList(container)[index]
        except (BranchMismatchError, StagedValueError):
            raise
        except StagingError as error:
            raise _refused("the items of a Python list, which differ in type", error) from None
    return container[index]


def _slice(values: list[Any] | tuple[Any, ...] | range, index: slice) -> StagedList:
    """Some of the items of a list or tuple, as many as only the run tells.

    Raises:
        StagedValueError: the items are objects that can change, of which a graph would hold copies.
    """
    if any(map(_may_change, values)):
        raise StagedValueError(
            "a staged slice of a Python list whose items are lists, dicts or objects",
            **where(),
            construct="x[a:b]",
            remedy="use a tensor in place of the list, or a loop over it with an `if`",
        )
    return staged(ListState.of(list(values), tuple if isinstance(values, tuple) else list))[index]


def _may_change(value: object) -> bool:
    if isinstance(value, tuple):
        return any(map(_may_change, value))
    return not isinstance(value, (Tensor, np.generic, *SCALARS))


def set_item(value: Any, container: Any, index: Any) -> Any:
    """``container[index] = value``; returns what the variable that held the container holds afterwards."""
    if isinstance(container, Maybe):
        container = container.ag__checked("is changed")
    if isinstance(container, (Tensor, np.ndarray)):
        array(container, "does not support item assignment")
        if isinstance(container, np.ndarray):  # of strings or objects, or of a class of its own
            raise _not_numbers(container)
        if isinstance(container, SymbolicTensor):
            note_store(container)
        return index_ops.set_item(convert_to_tensor(container), index, value)
    if heap.has_form(container) or (isinstance(container, list) and isinstance(index, (Tensor, slice))):
        rebinding.form_of(container, "list")[index] = heap.staged(value) if isinstance(index, slice) else value
        return container
    if array_memory.seen_through(container):
        raise _window(container)
    state.about_to_change(container)
    refusals.about_to_store(container)
    container[index] = value
    return container


def set_in_element(value: object, container: object, place: object, array: Array, index: object) -> bool:
    """``container[place][index] = value`` for an array that is an element of a staged list; whether it is one."""
    form = heap.form(container)
    if not isinstance(form, StagedList) and not (isinstance(form, list) and isinstance(place, Tensor)):
        return False
    held = array_forms.current(array)
    made = as_number(index_ops.set_item(held, index, heap.given(value)), np.ndarray)
    form = rebinding.form_of(container, "list")
    aliases.change(form.root, element=True)
    form[place] = made
    return True


def _not_numbers(array: Array) -> MutationError:
    return MutationError(
        f"an array of {array.dtype} ({type(array).__name__}) is stored into by staged code, which can change arrays of "
        "numbers alone",
        **where(),
        construct="item store",
        remedy="use a list, or a tensor: tf.constant(x)",
    )


def _window(container: object) -> MutationError:
    kind = type(container).__name__
    return MutationError(
        f"staged code stores into a {kind}, which changes the memory that it looks into",
        **where(),
        construct=f"{kind} store",
        remedy="store into the array itself, or a view of it: a.reshape(-1)[i] = v",
    )


def _refused(what: str, error: StagingError) -> StagedValueError:
    return StagedValueError(
        f"a staged index can't choose among {what}: {error.message}",
        **where(),
        remedy="use a tensor in place of the list, or give all items the same type and structure",
    )
