"""`Variable`: a tensor that keeps its value between calls and can be assigned to.

In a graph, reads and assignments are nodes with effects (`ops.state`) that refer to the variable itself: they run in
program order, and a graph sees what was assigned before it ran.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from autograph.errors import FailedPreconditionError, InvalidArgumentError, InvalidTypeError

from ..base import atomic, copies, shapes
from ..base.devices import HOST, device_of
from ..base.dtypes import DType, as_dtype
from ..base.shapes import Shape, TensorShape
from ..engines.device_tensor import OnDevice, of_its_own, tensor_of
from ..engines.spread import in_effect
from ..functions import deferred
from ..functions.choices import forbid_choices
from ..functions.placement import hold
from ..functions.variable_creation import announce, initial_value_of
from ..gradient.records import variable_read
from ..ir.graph import Node
from ..ir.notes import BY_HAND
from ..ops.host import state
from ..ops.shape.gather import gather, gather_nd
from ..ops.shape.index import encode, get_item
from ..tensors import numpy_protocol, trace
from ..tensors.convert import convert_to_tensor
from ..tensors.indexed_slices import IndexedSlices
from ..tensors.reference import Reference
from ..tensors.slices import note_slice
from ..tensors.tensor import EagerTensor, Tensor
from .aggregation import VariableAggregation, VariableSynchronization

if TYPE_CHECKING:
    from ..tensors.likes import DTypeLike, ShapeLike, TensorLike
    from ..tensors.typed import Operators
else:
    Operators = object

__all__ = ["Variable", "is_tensor", "restored", "set_trainable"]

_LIKE_TENSORS = (
    "add", "radd", "sub", "rsub", "mul", "rmul", "truediv", "rtruediv", "floordiv", "rfloordiv", "mod", "rmod", "pow",
    "rpow", "matmul", "rmatmul", "and", "rand", "or", "ror", "xor", "rxor", "lshift", "rlshift", "rshift", "rrshift",
    "lt", "le", "gt", "ge", "neg", "abs", "invert", "divmod", "rdivmod", "round", "eq", "ne",
)  # fmt: skip


class Variable(Operators):
    """A tensor with a value that can be assigned to.

    It goes wherever a tensor goes, and then stands for the value that it has at that moment. While a graph is being
    traced, reading and assigning become nodes, which keep program order.

    Parameters
    ----------
    initial_value: what converts to a tensor, or a function without parameters that gives it.
    trainable: whether gradient tapes watch the variable by themselves; when left out True, False with ``ON_READ``.
    validate_shape: False: the shape is unknown, unless `shape` tells it.
    name: its name is this with ``:0``; ``"Variable"`` when left out.
    dtype: when left out, that of the initial value.
    constraint: kept for optimizers, which apply it to the value after an update.
    shape: the shape of all values to be assigned; dimensions may be None. That of the initial value when left out.
    synchronization, aggregation: what becomes of values that replicas of a strategy assign, see `tf.distribute`.

    Raises `ValueError` when there is no initial value or it does not fit the shape, `TypeError` when it does not fit
    the dtype; inside a traced function `ValueError` when this is not its first call.

    >>> v = Variable([1, 2])
    >>> v.assign_add([10, 20])
    <tf.Variable 'UnreadVariable' shape=(2,) dtype=int32, numpy=array([11, 22], dtype=int32)>
    >>> v * 2
    <tf.Tensor: shape=(2,), dtype=int32, numpy=array([22, 44], dtype=int32)>
    """

    __variable__ = True
    __array_priority__ = 100
    python = None
    array = OnDevice()
    """The value, as an array of NumPy's. It is made when it is asked for, where the variable is `resident`."""
    resident: Any = None
    """What the variable holds, as an array of JAX's, where it has no ``array``."""
    own: Any = None  # the values of replicas, where each has one: see `distribute.on_read`
    operation: Node | None = None
    """In a graph, the assignment that has returned the variable."""

    def __init__(
        self, initial_value: object = None, trainable: bool | None = None, validate_shape: bool = True,
        name: str | None = None, dtype: DTypeLike | None = None, constraint: Callable[[Any], Any] | None = None,
        shape: ShapeLike = None, *, synchronization: VariableSynchronization = VariableSynchronization.AUTO,
        aggregation: VariableAggregation = VariableAggregation.NONE
    ) -> None:  # fmt: skip
        if initial_value is None:
            raise InvalidArgumentError("The `initial_value` arg to `tf.Variable` must be specified.")
        self._name = trace.current_scope() + (name or "Variable") + ":0"
        announce(self._name)
        value = initial_value_of(initial_value, None if dtype is None else as_dtype(dtype))
        known: Shape = value.static_shape if validate_shape else None
        if shape is not None:
            known = shapes.as_shape(shape)
            if not shapes.is_compatible(known, value.static_shape):
                raise InvalidArgumentError(
                    f"In this `tf.Variable` creation, the initial value's shape ({value.shape}) is not compatible with "
                    f"the explicitly supplied `shape` argument ({TensorShape(known)})."
                )
        self._dtype, self._static_shape = value.dtype, known
        is_one = synchronization is not VariableSynchronization.ON_READ
        self._trainable = is_one if trainable is None else bool(trainable)
        self.constraint = constraint
        self.synchronization, self.aggregation, self.strategy = synchronization, aggregation, trace.LOCAL.strategy
        self.is_mirrored = self.strategy is not None or in_effect() is not None
        hold(self, value if self.strategy is None else self.strategy.started(self, value))
        self.choices: list[Any] = []
        graph = trace.current_graph()
        by_hand = None if graph is None else BY_HAND.known(graph)
        if by_hand is not None:
            by_hand.append((self, value))
        deferred.created(self)

    @property
    def held(self) -> Any:
        """What the variable holds where it is: an array of NumPy's, or one of JAX's."""
        with atomic.lock:
            return vars(self).get("array", self.resident)

    @property
    def device(self) -> str:
        """The name of the device that holds the value."""
        held = copies.original(self.origin.held)
        return HOST.name if isinstance(held, np.ndarray) else device_of(held).name

    @property
    def origin(self) -> Variable:
        """The variable that holds the value."""
        return self

    # Looking

    @property
    def name(self) -> str:
        return self._name

    @property
    def dtype(self) -> DType:
        return self.origin._dtype

    @property
    def static_shape(self) -> Shape:
        """The shape as a plain tuple (``None`` for what is unknown)."""
        return self.origin._static_shape

    @property
    def shape(self) -> TensorShape:
        return TensorShape(self.static_shape)

    def get_shape(self) -> TensorShape:
        return self.shape

    @property
    def trainable(self) -> bool:
        return self.origin._trainable

    @property
    def ndim(self) -> int | None:
        shape = self.static_shape
        return None if shape is None else len(shape)

    def ref(self) -> Reference:
        """A hashable reference: equal for the same variable; ``deref()`` gives it back."""
        return Reference(self.origin, id(self.origin))

    def value(self) -> Tensor:
        """A tensor with what the variable holds now (in a graph: at this point of every run)."""
        tensor = self.__tensor__()
        return of_its_own(tensor) if trace.executing_eagerly() and not trace.LOCAL.tapes else tensor

    def read_value(self) -> Tensor:
        """As `value`."""
        return self.value()

    def __tensor__(self) -> Any:
        origin = self.origin
        if deferred.waiting:
            deferred.before_use(origin)
        replica = trace.LOCAL.replica
        if replica is not None and replica.has_own(origin):
            tensor = origin.own.here()
        elif trace.current_graph() is not None:
            tensor = trace.apply(
                state.READ, name="read", variable=origin, dtype=origin._dtype, shape=origin._static_shape
            )
        else:
            tensor = EagerTensor(origin.array) if origin.resident is None else tensor_of(origin.held)
            if not trace.LOCAL.tapes:
                return tensor
            tensor = of_its_own(tensor)
        if trace.LOCAL.tapes:
            variable_read(origin, tensor)
        return tensor

    def numpy(self) -> Any:
        """A copy of the value, as `Tensor.numpy`."""
        if trace.executing_eagerly():  # it comes from a device once
            return EagerTensor(deferred.array_of(self)).numpy()
        value = self.value()
        return value.numpy() if isinstance(value, EagerTensor) else np.asarray(value)  # which refuses graph tensors

    # Assigning

    def assign(self, value: object, use_locking: bool = False, name: str | None = None, read_value: bool = True) -> Any:
        """Set the value; return the variable (None with ``read_value=False``).

        Raises `ValueError` (`TypeError`) when the value does not fit the shape (the dtype).
        """
        return self._apply(state.ASSIGN, [self._fitting(value)], read_value, name)

    def assign_add(
        self, delta: TensorLike, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> Any:
        """Add a value of the variable's own shape; return the variable (None with ``read_value=False``)."""
        return self._apply(state.ASSIGN_ADD, [self._fitting(delta)], read_value, name)

    def assign_sub(
        self, delta: TensorLike, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> Any:
        """Subtract a value of the variable's own shape; return the variable (None with ``read_value=False``)."""
        return self._apply(state.ASSIGN_SUB, [self._fitting(delta)], read_value, name)

    def _fitting(self, value: object) -> Any:
        return convert_to_tensor(value, self.dtype)

    def _apply(
        self, op: object, inputs: list[Any], read_value: bool = True, name: str | None = None, **more: object
    ) -> Any:
        origin = self.origin
        if origin.choices:
            forbid_choices(origin)
        if deferred.waiting:
            deferred.before_use(origin)
        replica = trace.LOCAL.replica or trace.LOCAL.single
        if replica is not None:
            op, inputs = replica.assigned(origin, op, inputs)
        trace.apply(op, *inputs, name=name, target=origin, **more)
        graph = trace.current_graph()
        operation = None if graph is None else graph.nodes[-1]
        if origin.own is not None:
            origin.own.follow(origin.value())
        return UnreadVariable(origin, operation) if read_value else None

    def assign_slice(self, how: str, key: object, value: object, read_value: bool = True) -> Any:
        """``v[key].assign(value)``, where `how` is ``"assign"``, ``"assign_add"`` or ``"assign_sub"``."""
        attribute, inputs = encode(key)
        by = "set_item" if how == "assign" else "add_at"
        fitting = self._fitting(value)
        inputs = [-fitting if how == "assign_sub" else fitting, *inputs]
        return self._apply(state.UPDATE, inputs, read_value, by=by, key=attribute)

    def scatter_update(self, sparse_delta: object, use_locking: bool = False, name: str | None = None) -> Any:
        """Set the rows ``sparse_delta.indices`` to ``sparse_delta.values`` (an `IndexedSlices`)."""
        return self._scatter_rows("update", sparse_delta, name)

    def scatter_add(self, sparse_delta: object, use_locking: bool = False, name: str | None = None) -> Any:
        """Add to rows."""
        return self._scatter_rows("add", sparse_delta, name)

    def scatter_sub(self, sparse_delta: object, use_locking: bool = False, name: str | None = None) -> Any:
        """Subtract from rows."""
        return self._scatter_rows("sub", sparse_delta, name)

    def scatter_max(self, sparse_delta: object, use_locking: bool = False, name: str | None = None) -> Any:
        """Set rows to the larger of what they are and what is given."""
        return self._scatter_rows("max", sparse_delta, name)

    def scatter_min(self, sparse_delta: object, use_locking: bool = False, name: str | None = None) -> Any:
        """Set rows to the smaller of what they are and what is given."""
        return self._scatter_rows("min", sparse_delta, name)

    def _scatter_rows(self, how: str, delta: object, name: str | None) -> Any:
        if not isinstance(delta, IndexedSlices):
            raise InvalidTypeError(f"sparse_delta is not IndexedSlices: {delta!r}")
        indices = convert_to_tensor(delta.indices)
        return self._scatter(how, indices[..., None], delta.values, name)

    def scatter_nd_update(self, indices: TensorLike, updates: object, name: str | None = None) -> Any:
        """Set what lies at index vectors, as `tensor_scatter_nd_update`."""
        return self._scatter("update", indices, updates, name)

    def scatter_nd_add(self, indices: TensorLike, updates: object, name: str | None = None) -> Any:
        """Add at index vectors."""
        return self._scatter("add", indices, updates, name)

    def scatter_nd_sub(self, indices: TensorLike, updates: object, name: str | None = None) -> Any:
        """Subtract at index vectors."""
        return self._scatter("sub", indices, updates, name)

    def scatter_nd_max(self, indices: TensorLike, updates: object, name: str | None = None) -> Any:
        """The maximum at index vectors."""
        return self._scatter("max", indices, updates, name)

    def scatter_nd_min(self, indices: TensorLike, updates: object, name: str | None = None) -> Any:
        """The minimum at index vectors."""
        return self._scatter("min", indices, updates, name)

    def _scatter(self, how: str, indices: object, updates: object, name: str | None) -> Any:
        inputs = [convert_to_tensor(indices), self._fitting(updates)]
        return self._apply(state.UPDATE, inputs, name=name, by=f"tensor_scatter_nd_{how}")

    def gather_nd(self, indices: TensorLike, name: str | None = None) -> Any:
        """What lies at index vectors."""
        return gather_nd(self.value(), indices, name=name)

    def sparse_read(self, indices: TensorLike, name: str | None = None) -> Any:
        """The rows with some indices."""
        return gather(self.value(), indices, name=name)

    def __getitem__(self, key: object) -> Any:
        """A tensor as of ``value()[key]``; its methods `assign`, `assign_add` and `assign_sub` change the variable."""
        item = get_item(self.value(), key)
        note_slice(item, self.origin, key)
        return item

    def __setitem__(self, key: object, value: object) -> NoReturn:
        raise InvalidTypeError("a variable does not support item assignment: write v[key].assign(value)")

    def _no_in_place(self, other: object) -> NoReturn:
        raise FailedPreconditionError(
            "`variable += value` with `tf.Variable`s is not supported. Use `variable.assign_add(value)` to modify the "
            "variable, or `out = variable + value` if you need to get a new output Tensor."
        )

    __iadd__ = __isub__ = __imul__ = __itruediv__ = __ifloordiv__ = __imod__ = __ipow__ = __imatmul__ = _no_in_place

    # As a Python value and as an array

    def __hash__(self) -> int:
        raise InvalidTypeError(f"Variable is unhashable. Instead, use variable.ref() as the key. (Variable: {self!r})")

    def __bool__(self) -> bool:
        return bool(self.value())

    def __int__(self) -> int:
        return int(self.value())

    def __float__(self) -> float:
        return float(self.value())

    def __complex__(self) -> complex:
        return complex(self.value())

    def __index__(self) -> int:
        return self.value().__index__()

    def __len__(self) -> int:
        return len(self.value())

    def __iter__(self) -> Iterator[Any]:
        return iter(self.value())

    def __contains__(self, value: object) -> bool:
        return value in self.value()

    def __pos__(self) -> Any:
        return +self.value()

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        return self.value().__array__(dtype, copy)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **keywords: Any) -> Any:
        return numpy_protocol.ufunc(ufunc, method, _read_all(inputs), _read_all(keywords))

    def __array_function__(self, function: Any, types: Any, arguments: Any, keywords: Any) -> Any:
        return numpy_protocol.function(function, _read_all(arguments), _read_all(keywords))

    def __format__(self, spec: str) -> str:
        return format(self.value(), spec)

    def __copy__(self) -> Variable:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        origin = self.origin
        known = origin.array, origin._name, origin._trainable, origin.constraint, origin._static_shape
        return restored, (*known, {"synchronization": origin.synchronization, "aggregation": origin.aggregation})

    def __repr__(self) -> str:
        head = f"<tf.Variable '{self.name}' shape={self.shape} dtype={self.dtype.name}"
        if trace.current_graph() is not None:
            return head + ">"
        array = self.origin.array
        text = repr(array) if array.ndim else repr(array.item())
        line_break = "\n" if "\n" in text else ""
        return f"{head}, numpy={line_break}{text}>"


state.VARIABLE.give(Variable)
for _name in _LIKE_TENSORS:
    setattr(Variable, f"__{_name}__", getattr(Tensor, f"__{_name}__"))


class UnreadVariable(Variable):
    """What an assignment returns: the variable under another name. Its value is read when it is used."""

    def __init__(self, of: Variable, operation: Node | None) -> None:
        self._of = of
        self.operation = operation

    @property
    def origin(self) -> Variable:
        return self._of

    @property
    def name(self) -> str:
        return "UnreadVariable"

    def __reduce__(self) -> tuple[Any, ...]:
        return UnreadVariable, (self._of, None)


def set_trainable(variable: Variable, trainable: bool) -> None:
    """Says anew whether gradient tapes watch a variable by themselves: what trains it knows that, not who made it."""
    variable._trainable = trainable


def restored(array: object, name: str, trainable: bool, constraint: Any, shape: Shape, more: Any = None) -> Variable:
    """A variable as another one was when it was saved or copied."""
    with trace.building(None):
        made = Variable(EagerTensor(array), trainable, constraint=constraint, shape=TensorShape(shape), **(more or {}))
    made._name = name
    return made


def _read_all(value: Any) -> Any:
    """The value with tensors in the place of variables, also in lists, tuples and dicts."""
    if isinstance(value, Variable):
        return value.value()
    if type(value) in (list, tuple):
        return type(value)(map(_read_all, value))
    return {key: _read_all(each) for key, each in value.items()} if type(value) is dict else value


def is_tensor(x: object) -> bool:
    """Whether `x` is a tensor (eager or of a graph, and no number of Python's), a variable or `IndexedSlices`."""
    return isinstance(x, (Variable, IndexedSlices)) or (isinstance(x, Tensor) and x.python is None)
