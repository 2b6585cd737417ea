"""What is asked of PyTorch that it doesn't offer to the public, in one place."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import torch

from autograph.errors import MissingExtraError
from autograph.runtime.base.places import skip

OLDEST = (2, 14)
"""The oldest release whose operators take what is recorded here."""


def _release() -> tuple[int, ...]:
    return tuple(int(each) for each in str(torch.__version__).split("+")[0].split(".")[:2] if each.isdigit())


try:
    _cond = import_module("torch._higher_order_ops.cond").cond_op
    _while_loop = import_module("torch._higher_order_ops.while_loop").while_loop_op
    _active_fake_mode = import_module("torch._guards").active_fake_mode
    _detect_fake_mode = import_module("torch._guards").detect_fake_mode
    _TracingContext = import_module("torch._guards").TracingContext
    _FakeTensor = import_module("torch._subclasses.fake_tensor").FakeTensor
    _FakeTensorMode = import_module("torch._subclasses.fake_tensor").FakeTensorMode
    _ShapeEnv = import_module("torch.fx.experimental.symbolic_shapes").ShapeEnv
    _get_proxy_mode = import_module("torch.fx.experimental.proxy_tensor").get_proxy_mode
    _disable_current_modes = import_module("torch.utils._python_dispatch")._disable_current_modes
    _disable_functional_mode = import_module("torch._subclasses.functional_tensor").disable_functional_mode
    _suspend_functionalization = import_module("torch._higher_order_ops.utils").suspend_functionalization
    _FunctionalTensor = import_module("torch._subclasses.functional_tensor").FunctionalTensor
    _LOST = None if _release() >= OLDEST else "is older than the first that has what is needed"
except (ImportError, AttributeError) as error:
    _LOST = f"lacks what is needed: {error}"

try:  # what `min` and `max` are while `torch.export` runs a function
    IN_EXPORT = import_module("torch._export.non_strict_utils")._tensor_min_max
except (ImportError, AttributeError):
    IN_EXPORT = None

skip(str(Path(torch.__file__).parent))


def check() -> None:
    """Refuses a release of PyTorch in which branches and loops can't be staged.

    Raises:
        MissingExtraError: it is one.
    """
    if _LOST is not None:
        raise MissingExtraError(
            f"PyTorch {torch.__version__} {_LOST}; branches and loops on its tensors can't be staged",
            remedy="pip install 'autograph-py[torch]'",
        )


def is_tracing() -> bool:
    """Whether Python runs now for PyTorch to trace it: on fake tensors, or with proxies that note what is done."""
    return _LOST is None and (_active_fake_mode() is not None or _get_proxy_mode() is not None)


def is_read() -> bool:
    """Whether Dynamo reads bytecode now, and asks for a constant."""
    if _LOST is not None or not torch.compiler.is_compiling() or is_tracing():
        return False
    return _TracingContext.try_get() is not None


@contextmanager
def apart(values: list[Any]) -> Iterator[None]:
    """The modes in which a program is recorded: on fake tensors of the trace at hand, which doesn't see it."""
    mode = _active_fake_mode() or _detect_fake_mode(values) or _FakeTensorMode(shape_env=_ShapeEnv())
    with ExitStack() as stack:
        for each in (_suspend_functionalization, _disable_functional_mode, _disable_current_modes):
            stack.enter_context(each())
        if mode.shape_env is not None:
            stack.enter_context(mode.shape_env.ignore_fresh_unbacked_symbols())
        stack.enter_context(mode)
        yield


def is_fake(tensor: torch.Tensor) -> bool:
    """Whether a tensor stands for others in a trace."""
    with untouched():
        return isinstance(_plain(tensor), _FakeTensor)


def is_transformed(tensor: torch.Tensor) -> bool:
    """Whether a tensor is one of `torch.func`'s transformations."""
    return bool(torch._C._functorch.is_functorch_wrapped_tensor(tensor))


def _plain(tensor: torch.Tensor) -> torch.Tensor:
    """The tensor in one that follows changes in place."""
    return torch._from_functional_tensor(tensor.elem) if isinstance(tensor, _FunctionalTensor) else tensor


def storage_of(tensor: torch.Tensor) -> int:
    """What is the same for two tensors that share memory."""
    with untouched():
        return int(_plain(tensor).untyped_storage()._cdata)


def untouched() -> Any:
    """Stands around functions of PyTorch that are not to be seen by modes."""
    return torch._C.DisableTorchFunction()


def conditional() -> Callable[..., Any]:
    """The operator that runs one of two programs."""
    return _cond


def loop() -> Callable[..., Any]:
    """The operator that repeats a program."""
    return _while_loop
