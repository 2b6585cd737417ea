"""Functions of PyTorch's that ask a tensor for what only the run knows: what is done, or said, instead."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from autograph.errors import StagedValueError, UnimplementedError

from ..staging.heap.locations import where
from .programs import Value
from .scopes import Scope, spec_of


def number(scope: Scope, value: torch.Tensor, kind: type) -> torch.Tensor:
    """A tensor of one value as a number of Python's."""
    dtype = {bool: torch.bool, int: torch.int64, float: torch.float64, complex: torch.complex128}[kind]
    is_other = spec_of(scope.here(value)).dtype != dtype
    found = scope.call(torch.Tensor.to, value, dtype) if is_other else scope.call(torch.clone, value)
    if spec_of(found).shape:
        found = scope.call(torch.Tensor.reshape, found, ())
    return scope.trace.number(found, kind)


def kind_of(dtype: torch.dtype) -> type:
    """Python's type of the values of a dtype."""
    if dtype == torch.bool:
        return bool
    return complex if dtype.is_complex else float if dtype.is_floating_point else int


def _item(scope: Scope, function: object, value: torch.Tensor) -> Any:
    here = scope.here(value)
    if here.numel() != 1:
        raise RuntimeError(f"a Tensor with {here.numel()} elements cannot be converted to Scalar")
    return number(scope, value, kind_of(here.dtype))


def _refused(what: str, remedy: str) -> Callable[..., Any]:
    def refuse(scope: Scope, function: object, *arguments: object, **keywords: object) -> Any:
        raise StagedValueError(
            f"{what} of a tensor is asked for while PyTorch traces: only the run knows it",
            **where(),
            construct=str(getattr(function, "__name__", "")),
            remedy=remedy,
        )

    return refuse


def _unstaged(scope: Scope, function: object, *arguments: object, **keywords: object) -> Any:
    name = getattr(function, "__name__", "")
    raise UnimplementedError(
        f"`{name}` in converted code that PyTorch traces",
        **where(),
        construct=name,
        remedy="do it outside, to what the compiled function returns or gets",
    )


def _set(scope: Scope, function: Value, *arguments: object, **keywords: object) -> Any:
    return _unstaged(scope, function.__self__, *arguments)


def _get_item(scope: Scope, function: object, value: torch.Tensor, index: Value) -> Any:
    if not _holds_position(scope, index):
        return NotImplemented
    found = scope.call(_select, value, index)
    scope.seal_part(found)
    return found


def _set_item(scope: Scope, function: object, value: torch.Tensor, index: Value, new: Value) -> Any:
    if not _holds_position(scope, index):
        return NotImplemented
    if not isinstance(new, torch.Tensor):
        here = scope.here(value)
        new = scope.call(torch.full, (), new, dtype=here.dtype, device=here.device)
    elif scope.here(new).dtype != scope.here(value).dtype:
        new = scope.call(torch.Tensor.to, new, scope.here(value).dtype)
    return scope.call(_store, value, index, new)


def _holds_position(scope: Scope, index: Value) -> bool:
    """Whether a tensor is a part of an index, as a number."""
    return any(_is_position(scope, each) for each in (index if isinstance(index, tuple) else (index,)))


def _is_position(scope: Scope, value: Value) -> bool:
    if not isinstance(value, torch.Tensor):
        return False
    here = scope.here(value)
    return here.dim() == 0 and here.dtype != torch.bool and not here.dtype.is_floating_point


def _spread(value: torch.Tensor, index: Value) -> tuple[Any, list[Any]]:
    """A view and an index for `index_put` and `index`, of an index of numbers that the run knows and others."""
    parts = list(index) if isinstance(index, tuple) else [index]
    if not all(each is Ellipsis or isinstance(each, (int, slice, torch.Tensor)) for each in parts):
        raise UnimplementedError(
            "an index of tensors and None, or lists", **where(), construct="x[i]", remedy="index in two steps"
        )
    if Ellipsis in [each for each in parts if not isinstance(each, torch.Tensor)]:
        at = next(number for number, each in enumerate(parts) if each is Ellipsis)
        parts[at : at + 1] = [slice(None)] * (value.dim() - len(parts) + 1)
    view, found, axis = value, [], 0
    for each in parts:
        if isinstance(each, torch.Tensor):
            found.append(each)
            axis += 1
        elif isinstance(each, slice):
            view = view[(slice(None),) * axis + (each,)]
            found.append(None)
            axis += 1
        else:
            view = view.select(axis, each)
    return view, found


def _select(value: torch.Tensor, index: Value) -> torch.Tensor:
    view, found = _spread(value, index)
    return torch.ops.aten.index.Tensor(view, found)


def _store(value: torch.Tensor, index: Value, new: torch.Tensor) -> None:
    view, found = _spread(value, index)
    torch.ops.aten.index_put_.default(view, found, new)


_ASK = "convert the function that asks (autograph.convert), or choose with torch.where"
READING: dict[str, Callable[..., Any]] = {
    "__bool__": _refused("the truth", _ASK),
    "__int__": _refused("the value", "in converted code int(x) is staged; elsewhere use x.long()"),
    "__float__": _refused("the value", "in converted code float(x) is staged; elsewhere use x.double()"),
    "__complex__": _refused("the value", "use x.to(torch.complex128)"),
    "__index__": _refused("the value", "index with the tensor: x[i], torch.index_select, torch.narrow"),
    "__contains__": _refused("whether it contains a value", "write (x == value).any()"),
    "numpy": _refused("the NumPy array", "use functions of torch"),
    "__array__": _refused("the NumPy array", "use functions of torch"),
    "data_ptr": _refused("the address", "use functions of torch"),
    "item": _item,
    "backward": _unstaged,
    "register_hook": _unstaged,
    "retain_grad": _unstaged,
    "requires_grad_": _unstaged,
    "__set__": _set,
    "__getitem__": _get_item,
    "__setitem__": _set_item,
}
"""By the name of the function; NotImplemented: it is called as it is."""
