"""What type checkers and editors see of a traced function: the parameters and the result of the Python function.

At run time there is one class, `Function`.
"""

from collections.abc import Callable, Sequence
from typing import Any, Concatenate, Generic, ParamSpec, Protocol, TypeVar, overload

from .function import Function

P = ParamSpec("P")
Rest = ParamSpec("Rest")
R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)
Owner = TypeVar("Owner")

class TracedFunction(Function, Generic[P, R_co]):
    """A function that `tf.function` has made."""

    @property
    def python_function(self) -> Callable[P, R_co]: ...
    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R_co: ...  # type: ignore[override]
    @overload
    def __get__(self, instance: None, owner: type | None = None) -> TracedFunction[P, R_co]: ...
    @overload
    def __get__(
        self: TracedFunction[Concatenate[Owner, Rest], R_co], instance: Owner, owner: type | None = None
    ) -> TracedFunction[Rest, R_co]: ...

class Decorator(Protocol):
    """What `tf.function` gives where it gets no function."""

    def __call__(self, function: Callable[P, R], /) -> TracedFunction[P, R]: ...

@overload
def function(
    func: Callable[P, R],
    input_signature: Sequence[Any] | None = None,
    autograph: bool = True,
    jit_compile: bool | None = None,
    reduce_retracing: bool = False,
    experimental_implements: object = None,
    experimental_autograph_options: object = None,
    experimental_attributes: object = None,
    experimental_relax_shapes: bool | None = None,
    experimental_compile: bool | None = None,
    experimental_follow_type_hints: bool | None = None,
    maximum_traces: int | None = None,
) -> TracedFunction[P, R]: ...
@overload
def function(
    func: None = None,
    input_signature: Sequence[Any] | None = None,
    autograph: bool = True,
    jit_compile: bool | None = None,
    reduce_retracing: bool = False,
    experimental_implements: object = None,
    experimental_autograph_options: object = None,
    experimental_attributes: object = None,
    experimental_relax_shapes: bool | None = None,
    experimental_compile: bool | None = None,
    experimental_follow_type_hints: bool | None = None,
    maximum_traces: int | None = None,
) -> Decorator: ...
