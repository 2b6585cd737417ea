"""`function`: a Python function that is traced into a graph at its first call for each kind of arguments."""

from __future__ import annotations

import functools
import operator
import types
import weakref
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, SupportsIndex

from autograph.errors import InvalidTypeError, SignatureError, StagedRecursionError
from autograph.settings import settings
from autograph.tracebacks import trim, trimming
from autograph.tracebacks.leaving import public

from ..base import nest, shapes
from ..base.composite import CompositeSpec
from ..base.deeper import deeper
from ..ir.graph import Graph
from ..tensors import numerics, trace
from ..tensors.front_half import CONVERTED, STAGED_FORM
from ..tensors.spec import TensorSpec
from . import call_state, copying, optional, repetitions
from .arguments import (
    Parameters,
    cast_to,
    changed_parameters,
    copy_structure,
    is_tensor_key,
    key_of,
    mutation_error,
    mutation_in_calls_error,
    name_of,
    shown,
    spec_of,
    symbolic,
    with_specs,
)
from .concrete import ConcreteFunction, WritesOutside, observers, outputs_of
from .endless import endless_recursion, recursion_error
from .fast_calls import MISS
from .recursion import Pending
from .traces import Traces
from .unfinished import run_unfinished
from .variable_creation import traced_twice

__all__ = ["Function", "function"]

_DEEPER = 10_000
"""Levels that tracing may nest deeper than Python's limit: an `elif` is some levels in the one before."""


class Options(NamedTuple):
    input_signature: tuple[Any, ...] | None
    autograph: bool
    reduce_retracing: bool
    maximum_traces: int | None = None
    jit_compile: bool | None = None
    gives_numbers: bool = False


def part_of_a_trace(python_function: Callable[..., Any]) -> Function:
    """A function that a trace calls as a graph: where it returns a Python number, the calls give one too."""
    return Function(python_function, Options(None, True, False, gives_numbers=True))


@public
class Function:
    """A traced Python function: calls run a graph, made at the first call for each kind of arguments.

    It has the name, documentation and signature of the Python function, which is ``python_function``. Tensors and
    NumPy arrays are told apart by dtype and shape, Python values by type and value, other objects by identity.
    """

    def __init__(self, python_function: Callable[..., Any], options: Options) -> None:
        self._options = options
        self._instances: dict[int, tuple[Any, Traces]] = {}
        self._bind_to(python_function, Traces(Parameters(python_function), options.maximum_traces))
        # The attributes of an object are not those of its function.
        is_function = isinstance(python_function, (types.FunctionType, types.MethodType))
        functools.update_wrapper(self, python_function, updated=("__dict__",) if is_function else ())

    def _bind_to(self, python_function: Callable[..., Any], traces: Traces) -> None:
        self._python_function = python_function
        self.trace_cache = traces

    @property
    def python_function(self) -> Callable[..., Any]:
        """The function as the user wrote it."""
        return self._python_function

    @property
    def name(self) -> str:
        """The name of the function, as its graphs have it."""
        return name_of(self._python_function)

    @property
    def input_signature(self) -> Sequence[Any] | None:
        return self._options.input_signature

    def experimental_get_tracing_count(self) -> int:
        """How often the function has been traced."""
        return self.trace_cache.count

    def pretty_printed_concrete_signatures(self, verbose: bool = True) -> str:
        """The signatures of all traces, in alphabetical order; not ``verbose``: one line each, without types."""
        shown = sorted(concrete.pretty_printed_signature(verbose) for concrete in self.trace_cache.distinct())
        return ("\n\n" if verbose else "\n").join(shown)

    def explain(self) -> str:
        """Why the function was traced, each time, and what its graphs have as constants that no call looks at."""
        return "\n".join([self.trace_cache.history.explain(), *self.trace_cache.constants()])

    def __call__(self, *args: object, **kwargs: object) -> Any:
        """Run the graph for these arguments, tracing it first when there is none.

        Raises `SignatureError` for arguments that do not fit, `ValueError` when the function changes its arguments,
        and whatever the function raises, while traced or while the graph runs.
        """
        try:
            if settings.run_functions_eagerly:
                return self._converted()(*args, **kwargs)
            traces, local = self.trace_cache, trace.LOCAL
            traces.calls += 1
            alone = local.is_plain and not (trace.open_graphs or observers or numerics.enabled)
            if alone:
                result = traces.fast.call(args, kwargs)
                if result is not MISS:
                    return result
            values = given = traces.parameters.bind(args, kwargs)
            if self._options.input_signature is not None:
                values = self._cast_to_signature(values)
            tensors: list[Any] = []
            key = tuple([key_of(value, tensors) for value in values])
            if traces.depend or local.ambient is not None or local.replica is not None:
                key = traces.key_of_call(key, trace.ambient())
            concrete = traces.find(key) or self._concrete(key, values, tensors, called=True)
            if isinstance(concrete, Pending):
                return concrete.call_flat(tensors)
            if concrete.changed_inputs:
                concrete.check_arguments(values, given)
            elif alone and not traces.outside and all(map(operator.is_, values, given)):
                known = traces.fast.note(traces, key, args, kwargs, tensors, concrete)
                result = known(args, kwargs) if known is not None else MISS
                if result is not MISS:
                    return result
            return concrete.call_flat(tensors)
        except WritesOutside:
            return self._traced_in_place(args, kwargs)
        except Exception as error:
            if error.__class__ is not RecursionError:  # there may be no room to call anything
                trim(error)
            raise

    def _traced_in_place(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A call in the trace of another function, as a part of that: the rest of it sees what this function writes."""
        if self._options.input_signature is not None:
            parameters = self.trace_cache.parameters
            args, kwargs = parameters.split(self._cast_to_signature(parameters.bind(args, kwargs)))
        function = self._python_function
        return (STAGED_FORM.function(function) if self._options.autograph else function)(*args, **kwargs)

    @trimming
    def get_concrete_function(self, *args: object, **kwargs: object) -> ConcreteFunction:
        """The trace for these arguments, where a `TensorSpec` can stand for a tensor; traces it when there is none.

        With an input signature no arguments are needed.
        """
        signature = self._options.input_signature
        if signature is not None and not args and not kwargs:
            args = tuple(signature)
        values = self.trace_cache.parameters.bind(args, kwargs)
        if signature is not None:
            values = self._cast_to_signature(values)
        tensors: list[Any] = []
        key = tuple([key_of(value, tensors) for value in values])
        if self.trace_cache.depend or trace.LOCAL.replica is not None:
            key = self.trace_cache.key_of_call(key, trace.ambient())
        found = self.trace_cache.find(key) or self._concrete(key, values, tensors)
        if isinstance(found, Pending):
            raise recursion_error(f"{found.name}() asks for its own graph while it is traced", trace.user_location())
        device = trace.LOCAL.device
        return found if device is None or found.device is not None else found.on(device)

    def _converted(self) -> Callable[..., Any]:
        return CONVERTED.function(self._python_function) if self._options.autograph else self._python_function

    # Tracing

    def _concrete(
        self, key: object, values: Sequence[Any], tensors: Sequence[Any], called: bool = False
    ) -> ConcreteFunction | Pending:
        """The trace for a key that has none yet; two threads that need it at once share one.

        A function that is being traced, and needs this very trace, gets what stands for it meanwhile. When it is
        ``called`` and the user's code raises, what stands before is run: it may print something, or raise first.
        """
        specs = [spec_of(tensor) for tensor in tensors]
        if self._options.input_signature is not None:
            leaves = nest.flatten(self._options.input_signature, expand_composites=True)
            signed = [spec for spec in leaves if isinstance(spec, TensorSpec)]
            specs = signed + specs[len(signed) :]
        elif self._options.reduce_retracing:
            specs = self._relaxed(key, specs)
        general = _general_key(key, specs)
        traces = self.trace_cache
        traces.note_varying()
        found, is_mine = traces.claim(key, general, self._python_function)
        if not is_mine:
            return found
        assert isinstance(found, Pending)
        pending, before = found, repetitions.mark()
        try:
            # A failed first trace leaves the right to create variables to the next.
            with repetitions.scope():
                concrete = traced_twice(not traces.by_key, tensors, lambda: self._trace(values, specs, pending))
                pending.keep(concrete, lambda warn: traces.remember(concrete, key, general, warn))
                repetitions.kept(before, lambda: traces.forget(concrete))
            return concrete
        except Exception as error:
            repetitions.show_no_more(before)
            if called:
                run_unfinished(error, pending.graph, traces.parameters, values, tensors)
            raise
        finally:
            traces.release(pending, general)

    def _trace(self, values: Sequence[Any], specs: Sequence[TensorSpec], pending: Pending) -> ConcreteFunction:
        graph, outputs = self._settled(values, specs, pending)
        call_state.finish(graph, [tensor.value for tensor in nest.flatten(outputs, True) if tensor is not None])
        if settings.checks and pending.is_settled:
            from ..ir.check import check

            check(graph)
        remaining = iter(specs)
        return ConcreteFunction(
            graph, self.trace_cache.parameters, [with_specs(value, remaining) for value in values], outputs,
            self._options.jit_compile,
        )  # fmt: skip

    def _settled(self, values: Sequence[Any], specs: Sequence[TensorSpec], pending: Pending) -> tuple[Graph, Any]:
        try:
            return pending.settle(lambda: self._trace_once(values, specs, pending))
        except StagedRecursionError as error:
            if not error.is_nesting:
                raise
        with deeper(_DEEPER):
            return pending.settle(lambda: self._trace_once(values, specs, pending))

    def _trace_once(self, values: Sequence[Any], specs: Sequence[TensorSpec], pending: Pending) -> tuple[Graph, Any]:
        parameters = self.trace_cache.parameters
        pending.graph = graph = Graph(name_of(self._python_function), parent=trace.current_graph())
        outside = call_state.OUTSIDE.of(graph)
        outside.takes_state, outside.varying = True, self.trace_cache.varying
        remaining = iter(specs)
        with trace.building(graph, self._python_function):
            inputs = [symbolic(value, graph, name, remaining)
                      for name, value in zip(parameters.names, values, strict=True)]  # fmt: skip
            before = [copy_structure(value) for value in inputs]
            args, kwargs = parameters.split(inputs)
            try:
                with optional.results_for(a_trace=self._options.gives_numbers):
                    result = self._converted()(*args, **kwargs)
            except RecursionError as error:
                found = error if isinstance(error, StagedRecursionError) else endless_recursion(error)
                raise found from None
        # *args and **kwargs reach the function as fresh containers
        changed = changed_parameters(parameters.names, before, inputs)
        if changed:
            refusal = mutation_in_calls_error if self._options.gives_numbers else mutation_error
            raise refusal(name_of(self._python_function), changed)
        return graph, outputs_of(result, self._python_function, graph, self._options.gives_numbers)

    # Signatures

    def _relaxed(self, key: object, specs: list[TensorSpec]) -> list[TensorSpec]:
        """The specs with the dimensions left unknown in which earlier calls differ (``reduce_retracing``)."""
        skeleton = _general_key(key, [TensorSpec(None, spec.dtype) for spec in specs])
        known = self.trace_cache.relaxed.get(skeleton)
        if known is not None:
            specs = [TensorSpec(shapes.relax(a.type.shape, b.type.shape), a.dtype) for a, b in
                     zip(known, specs, strict=True)]  # fmt: skip
        self.trace_cache.relaxed[skeleton] = specs
        return specs

    def _cast_to_signature(self, values: Sequence[Any]) -> list[Any]:
        """The arguments as tensors that fit the input signature; `SignatureError` when they can't."""
        signature = self._options.input_signature
        assert signature is not None
        parameters = self.trace_cache.parameters
        result = list(values)
        wants = parameters.wanted(signature)
        for i, (name, value, wanted) in enumerate(zip(parameters.names, values, wants, strict=False)):
            try:
                result[i] = cast_to(value, wanted)
            except (TypeError, ValueError) as error:
                raise SignatureError(
                    f"{name_of(self._python_function)}() takes {name}: {wanted!r} by its input signature, not "
                    f"{shown(value)}: {getattr(error, 'message', error)}",
                    remedy="cast or reshape the argument, or widen the input_signature",
                ) from None
        return result

    # Methods

    def __set_name__(self, owner: type, name: str) -> None:
        self._owner = owner

    def __get__(self, instance: object, owner: type | None = None) -> Function:
        """A method: bound to the instance, with traces of its own that do not keep the instance alive."""
        if instance is None:
            return self
        bound = object.__new__(Function)
        bound.__dict__.update(self.__dict__)
        method = types.MethodType(self._python_function, instance)
        bound._bind_to(method, self._traces_of(instance, method))
        bound.__dict__["__wrapped__"] = method
        return bound

    def _traces_of(self, instance: object, method: types.MethodType) -> Traces:
        known = self._instances.get(id(instance))
        if known is not None and known[0]() is instance:
            return known[1]
        instances, identity = self._instances, id(instance)
        try:
            reference: Any = weakref.ref(instance, lambda _: instances.pop(identity, None))
        except TypeError:
            raise InvalidTypeError(
                f"a traced method needs instances with weak references: add '__weakref__' to the __slots__ of "
                f"{type(instance).__name__}"
            ) from None
        traces = Traces(Parameters(method), self._options.maximum_traces)
        return instances.setdefault(identity, (reference, traces))[1]

    # Copies, and pickle: without traces, which are made anew

    def __copy__(self) -> Function:
        return self  # as Python does with functions

    def __deepcopy__(self, memo: dict[int, Any]) -> Function:
        return copying.deep_copy(self, self._options, memo)

    def __reduce_ex__(self, protocol: SupportsIndex) -> tuple[Any, ...]:
        return copying.reduced(self, self._options)

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        function, options, attributes = state
        self.__init__(function, options)  # type: ignore[misc]
        vars(self).update(attributes)

    def __repr__(self) -> str:
        return f"<Function {getattr(self, '__qualname__', name_of(self._python_function))} at {id(self):#x}>"


def _general_key(key: object, specs: Sequence[TensorSpec]) -> Any:
    """The key with the types of its tensors, in order, replaced by the specs'."""
    remaining = iter(specs)

    def replace(part: object) -> Any:
        if isinstance(part, tuple):
            if is_tensor_key(part):
                spec = next(remaining)
                return spec.dtype.numpy, spec.type.shape
            return tuple(map(replace, part))
        return part

    return replace(key)


def _checked(signature: object) -> tuple[Any, ...] | None:
    """An input signature. Raises `SignatureError` for what can't be one."""
    if signature is None:
        return None
    if not isinstance(signature, (list, tuple)):
        raise SignatureError(f"input_signature must be a list or tuple, not {signature!r}")
    for leaf in nest.flatten(signature):
        if not isinstance(leaf, (TensorSpec, CompositeSpec)):
            raise SignatureError(f"input_signature must be a structure of specs, as tf.TensorSpec, and has {leaf!r}")
    return tuple(signature)


@trimming
def function(
    func: Callable[..., Any] | None = None,
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
) -> Any:
    """Make a Python function run as a graph; also a decorator, with or without arguments.

    Parameters
    ----------
    func: the function or method. Left out: returns a decorator.
    input_signature: a `TensorSpec`, or a structure of them, for each parameter: one trace serves all calls, and
        other arguments are refused with a `SignatureError`.
    autograph: convert the function first, so that Python control flow can depend on tensors.
    jit_compile: True: run as machine code (the extra ``native``), or as one XLA program where a `tf.device` or an
        accelerator says so; or raise `UnimplementedError` with the operation and the line that stand in the way.
        False: never, but under a `tf.device`. None: when it pays.
    names with ``experimental_``: without meaning; ``experimental_relax_shapes`` is the old ``reduce_retracing``.
    reduce_retracing: leave dimensions unknown in which calls differ, rather than trace for each.
    maximum_traces: how many traces to keep, of methods for each instance; the oldest go first, and `explain` says so.
        Left out: all of them.

    >>> import autograph as tf
    >>> @tf.function
    ... def double(a):
    ...     print("Tracing with", a)
    ...     return a + a
    >>> double(tf.constant(1)), double(tf.constant(2))
    Tracing with Tensor("a:0", shape=(), dtype=int32)
    (<tf.Tensor: shape=(), dtype=int32, numpy=2>, <tf.Tensor: shape=(), dtype=int32, numpy=4>)
    """
    relaxing = reduce_retracing or bool(experimental_relax_shapes)
    signature = _checked(input_signature)
    if maximum_traces is not None and maximum_traces < 1:
        raise SignatureError(f"maximum_traces must be at least 1, not {maximum_traces!r}")
    if jit_compile not in (None, True, False):
        raise SignatureError(f"jit_compile must be True, False or None, not {jit_compile!r}")
    options = Options(signature, autograph, relaxing, maximum_traces, jit_compile)

    def decorate(func: Callable[..., Any]) -> Any:
        if isinstance(func, Function):
            func = func.python_function
        if isinstance(func, staticmethod):
            return staticmethod(decorate(func.__func__))
        if not callable(func):
            raise _no_function(func)
        if options.input_signature is not None:
            Parameters(func).check_for_room(options.input_signature)
        return Function(func, options)

    return decorate if func is None else decorate(func)


def _no_function(value: object) -> SignatureError:
    if isinstance(value, (classmethod, property)):
        kind = type(value).__name__
        remedy = f"write @tf.function below @{kind}: decorators are applied from the bottom up"
        return SignatureError(f"tf.function takes a function, not a {kind}", remedy=remedy)
    return SignatureError(f"tf.function takes a function, not {value!r}")
