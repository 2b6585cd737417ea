"""`GradientTape`: remembers operations as they happen, and differentiates them."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from types import TracebackType
from typing import Any, NoReturn

from autograph.errors import FailedPreconditionError, InvalidArgumentError, InvalidTypeError, SavingError

from ..base import nest
from ..base.places import warn
from ..base.provided import Provided
from ..ir.primitive import PLACEHOLDER
from ..ops.declare import TAPE
from ..ops.shape.create import ones_like
from ..tensors import trace
from ..tensors.convert import convert_to_tensor
from ..tensors.tensor import SymbolicTensor, Tensor
from . import call, cond, custom, python_calls, while_loop  # noqa: F401  (they register their rules)
from .backprop import backpropagate, fit, type_of, zeros_like
from .records import Record, is_differentiable, is_variable, key
from .unconnected import UnconnectedGradients

__all__ = ["GradientTape"]


JACOBIAN: Provided[Callable[..., Any]] = Provided("runtime.gradient.jacobian")
BATCH_JACOBIAN: Provided[Callable[..., Any]] = Provided("runtime.gradient.jacobian")


@TAPE.give
class GradientTape:
    """Remembers operations inside ``with``, eager ones and those of a graph being traced, to differentiate them.

    Parameters
    ----------
    persistent: `gradient` may be called more than once; what is remembered is kept until the tape is dropped.
    watch_accessed_variables: follow every trainable variable that is read.

    >>> import autograph as tf
    >>> x = tf.constant(3.0)
    >>> with tf.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = x * x
    >>> tape.gradient(y, x)
    <tf.Tensor: shape=(), dtype=float32, numpy=6.0>
    """

    def __init__(self, persistent: bool = False, watch_accessed_variables: bool = True) -> None:
        self.persistent = persistent
        self._watches_variables = watch_accessed_variables
        self._recording = False
        self._used = False
        self._clear()

    def _clear(self) -> None:
        self.followed: set[Any] = set()
        self._records: list[Record] | None = []
        self._watched: list[Any] = []
        self._variables: dict[int, Any] = {}

    def __reduce__(self) -> NoReturn:
        raise SavingError(
            "a GradientTape can't be pickled or copied: it remembers operations of this program",
            remedy="pickle or copy the gradients",
        )

    # Recording

    def __enter__(self) -> GradientTape:
        self._start()
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        if self._recording:
            self._stop()

    def _start(self) -> None:
        if self._recording:
            raise InvalidArgumentError("Tape is already recording.")
        self._recording = True
        trace.LOCAL.tapes = (*trace.LOCAL.tapes, self)

    def _stop(self) -> None:
        if not self._recording:
            raise InvalidArgumentError("Tape is not recording.")
        self._recording = False
        trace.LOCAL.tapes = tuple([tape for tape in trace.LOCAL.tapes if tape is not self])

    def watch(self, tensor: object) -> None:
        """Follow a tensor or variable, or a structure of them, so that gradients with respect to it can be had.

        Raises `ValueError` for what is neither. A tensor of integers has no gradient: a warning says so.
        """
        for leaf in nest.flatten(tensor):
            if is_variable(leaf):
                self._follow_variable(leaf)
                continue
            leaf = tensor_of(leaf)
            if leaf.dtype.kind not in "fc":
                warn(
                    f"The dtype of the watched tensor must be floating (e.g. tf.float32), got {leaf.dtype!r}",
                )
                continue
            self._watched.append(leaf)
            self.followed.add(key(leaf))

    def watched_variables(self) -> tuple[Any, ...]:
        """The variables that the tape follows, in the order of their first use."""
        return tuple(self._variables.values())

    def accessed(self, variable: Any) -> None:
        """Called when a variable is read."""
        if self._watches_variables and variable.trainable:
            self._follow_variable(variable)

    def _follow_variable(self, variable: Any) -> None:
        if is_differentiable(variable.dtype):
            self._variables[id(variable)] = variable
            self.followed.add(id(variable))

    def add(self, record: Record) -> None:
        """Remember an operation that depends on something followed."""
        if self._records is not None:
            self._records.append(record)
            self.followed.update([key(x) for x in record.outputs if is_differentiable(x.dtype)])

    def remember(self, other: GradientTape) -> None:
        """Take over what another tape has recorded, so as to differentiate what that one gives."""
        self._records = list(other._take_records())
        self.followed = set(other.followed)

    @contextlib.contextmanager
    def stop_recording(self) -> Iterator[None]:
        """Operations inside this context are not remembered."""
        self._stop()
        try:
            yield
        finally:
            self._start()

    @contextlib.contextmanager
    def recording(self) -> Iterator[None]:
        """Operations inside this context are remembered, whether others are or not."""
        started = not self._recording
        if started:
            self._start()
        try:
            yield
        finally:
            if started:
                self._stop()

    @contextlib.contextmanager
    def kept(self) -> Iterator[None]:
        """The tape may be asked more than once inside this context; it is released at the end unless persistent."""
        self._take_records()
        before, self.persistent = self.persistent, True
        try:
            yield
        finally:
            self.persistent = before
            if not before:
                self._records = None

    def reset(self) -> None:
        """Forget everything: as a new tape."""
        self._clear()
        self._used = False

    # Differentiating

    def gradient(
        self, target: object, sources: object, output_gradients: object = None,
        unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE,
    ) -> Any:  # fmt: skip
        """The derivative of ``target`` (of the sum of its elements, and of all its tensors) with respect to sources.

        Parameters
        ----------
        target: a tensor or a structure of tensors.
        sources: tensors or variables, in any structure; the result has the same structure.
        output_gradients: for each target, what to weight its elements with; ones when left out.
        unconnected_gradients: ``"none"`` or ``"zero"``: what to give for a source that no target depends on.

        Raises `RuntimeError` when a tape that is not persistent is used twice, `LookupError` for an operation without
        a gradient, `TypeError` for a target that is no tensor.
        """
        records = self._take_records()
        zero = UnconnectedGradients(unconnected_gradients) is UnconnectedGradients.ZERO
        targets = [_target(leaf) for leaf in nest.flatten(target)]
        given = [None] * len(targets) if output_gradients is None else nest.flatten(output_gradients)
        if len(given) != len(targets):
            raise InvalidArgumentError(f"there are {len(targets)} targets, but {len(given)} output_gradients")
        flat = [leaf if is_variable(leaf) else tensor_of(leaf) for leaf in nest.flatten(sources)]
        found = differentiate(records, targets, given, flat, zero, self.followed)
        if not self.persistent:
            self._records = None
        return nest.pack_sequence_as(sources, found)

    def _take_records(self) -> Sequence[Record]:
        if self._records is None:
            raise FailedPreconditionError(
                "A non-persistent GradientTape can only be used to compute one set of gradients (or jacobians): "
                "pass persistent=True for more"
            )
        if self._recording and not self.persistent:
            self._stop()
        return list(self._records)

    def jacobian(
        self, target: object, sources: object,
        unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None, experimental_use_pfor: bool = True,
    ) -> Any:  # fmt: skip
        """The derivative of each element of ``target``, a tensor, with respect to each element of the sources.

        The shape is that of the target followed by that of the source. The last two arguments change nothing here.
        Raises as `gradient`.
        """
        return JACOBIAN.function(self, target, sources, unconnected_gradients)

    def batch_jacobian(
        self, target: object, source: object,
        unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None, experimental_use_pfor: bool = True,
    ) -> Any:  # fmt: skip
        """The Jacobian of each example: ``target`` and ``source`` have examples along the first axis.

        ``target[i]`` must depend on ``source[i]`` only. The shape is ``[batch, *target.shape[1:], *source.shape[1:]]``.
        Raises `ValueError` when the first dimensions differ, and as `gradient`.
        """
        return BATCH_JACOBIAN.function(self, target, source, unconnected_gradients)


def tensor_of(leaf: object) -> Any:
    """The tensor that a target or a source is. Raises `ValueError` for what is none."""
    if isinstance(leaf, Tensor):
        return leaf
    if hasattr(type(leaf), "__tensor__"):
        return convert_to_tensor(leaf)
    raise InvalidArgumentError(f"Passed in object {leaf!r} of type {type(leaf).__name__!r}, not a tensor or a variable")


def _target(leaf: object) -> Any:
    if is_variable(leaf) or isinstance(leaf, Tensor) or hasattr(type(leaf), "__tensor__"):
        return leaf if is_variable(leaf) else tensor_of(leaf)
    reason = ": a gradient that is None is of sources that its target does not depend on" if leaf is None else ""
    raise InvalidTypeError(
        "Argument `target` should be a list or nested structure of tensors and variables to be differentiated, but "
        f"received {leaf!r}{reason}"
    )


def differentiate(records: Sequence[Record], targets: Sequence[Any], given: Sequence[Any], sources: Sequence[Any],
                  zero: bool, followed: set[Any] | None = None) -> list[Any]:  # fmt: skip
    """The gradients of targets, weighted with what is given (ones for None), with respect to sources.

    A source that is not followed is not connected, unless it is a variable and a target itself.
    """
    if followed is not None:
        followed = followed | {key(target) for target in targets if is_variable(target)}
    weights = []
    for target, weight in zip(targets, given, strict=True):
        if not is_differentiable(target.dtype):
            weight = None
        elif weight is None:
            weight = ones_like(target)
        else:
            weight = fit(convert_to_tensor(weight, target.dtype), type_of(target))
        weights.append(weight)
    known = [source for source in sources if followed is None or key(source) in followed]
    results = iter(backpropagate(records, targets, weights, known))
    found = [next(results) if followed is None or key(source) in followed else None for source in sources]
    return [zeros_like(s) if g is None and zero else g for s, g in zip(sources, found, strict=True)]


def gradients(
    ys: object, xs: object, grad_ys: object = None, name: str = "gradients", gate_gradients: bool = False,
    aggregation_method: object = None, stop_gradients: object = None,
    unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE,
) -> list[Any]:  # fmt: skip
    """The derivatives of the sum of all ``ys`` with respect to each of ``xs``, added to the graph being built.

    Needs no tape: the graph itself says what depends on what. No gradient flows through ``stop_gradients``.
    ``gate_gradients`` and ``aggregation_method`` change nothing here. Raises `RuntimeError` when ops run eagerly.
    """
    graph = trace.current_graph()
    if graph is None:
        raise FailedPreconditionError(
            "tf.gradients is not supported when eager execution is enabled. Use tf.GradientTape instead."
        )
    targets = [tensor_of(y) for y in nest.flatten(ys)]
    sources = [x if is_variable(x) else tensor_of(x) for x in nest.flatten(xs)]
    given = [None] * len(targets) if grad_ys is None else nest.flatten(grad_ys)
    stops = {key(x) for x in nest.flatten([] if stop_gradients is None else stop_gradients)}
    owners = [graph]
    while owners[-1].parent is not None:
        owners.append(owners[-1].parent)
    records = []
    for owner in reversed(owners):
        for node in owner.nodes:
            if node.op is not PLACEHOLDER and not any(key(SymbolicTensor(v)) in stops for v in node.outputs):
                records.append(Record.of_node(node))
    with trace.name_scope(name):
        zero = UnconnectedGradients(unconnected_gradients) is UnconnectedGradients.ZERO
        return differentiate(records, targets, given, sources, zero)
