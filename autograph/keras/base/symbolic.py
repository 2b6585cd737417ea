"""Symbolic tensors: `Input` makes them, and layers called on them note what was called on what.

A `KerasTensor` has a dtype and a shape, and remembers the call that it came from, so that a `Model` can be made of
the calls between inputs and outputs. Shapes are found by tracing the layer on placeholders.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn

from autograph.errors import InvalidArgumentError
from autograph.runtime.base import nest
from autograph.runtime.base.dtypes import as_dtype
from autograph.runtime.base.shapes import TensorShape, as_shape
from autograph.runtime.ir.graph import Graph, Type
from autograph.runtime.tensors import trace
from autograph.runtime.tensors.spec import TensorSpec
from autograph.runtime.tensors.tensor import SymbolicTensor, Tensor
from autograph.tracebacks.leaving import public

from . import context
from .names import auto_name
from .staging import traced_call
from .tracking import Record

if TYPE_CHECKING:
    from autograph.runtime.tensors.likes import DTypeLike, ShapeLike

    from .layer import Layer

__all__ = ["KerasTensor", "Node", "Operation", "output_shape", "symbolic_call"]


class Node:
    """One symbolic call: of a layer or operation, with its arguments, and the tensors that it gave."""

    def __init__(self, operation: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.operation = operation
        self.args = args
        self.kwargs = kwargs
        self.outputs: Any = None
        self.index = len(operation._record.nodes)
        operation._record.nodes.append(self)

    @property
    def inputs(self) -> list[KerasTensor]:
        """The symbolic tensors among the arguments."""
        return [leaf for leaf in nest.flatten((self.args, self.kwargs)) if isinstance(leaf, KerasTensor)]


class KerasTensor:
    """Stands for the tensors that a model will be given, or that a layer will make of them.

    Layers take it, and the arithmetic and comparison operators and indexing; other functions of tensors have to be
    put into a layer.
    """

    __array_priority__ = 200
    __tensor_priority__ = 1

    def __init__(self, shape: ShapeLike, dtype: DTypeLike = "float32", name: str | None = None) -> None:
        self.static_shape = as_shape(shape)
        self._dtype = as_dtype(dtype)
        self.name = name or auto_name("keras_tensor")
        self.keras_history: tuple[Node, int] | None = None

    @property
    def shape(self) -> Any:
        return self.static_shape

    @property
    def dtype(self) -> Any:
        return self._dtype

    @property
    def ndim(self) -> int | None:
        return None if self.static_shape is None else len(self.static_shape)

    def _refuse(self, how: str) -> NoReturn:
        raise InvalidArgumentError(
            f"{self!r} is used {how}: it stands for what a model will be given and has no value",
            remedy="use layers, or put the computation into the `call` of a layer of your own or a Lambda layer",
        )

    def __tensor__(self) -> Any:
        self._refuse("as a tensor")

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> Any:
        self._refuse("as an array")

    def __bool__(self) -> bool:
        self._refuse("as a bool")

    def __iter__(self) -> Any:
        self._refuse("as an iterable")

    def __len__(self) -> int:
        self._refuse("with len()")

    def __repr__(self) -> str:
        return (
            f"<KerasTensor shape={self.static_shape}, dtype={self._dtype.name}, sparse=False, ragged=False, "
            f"name={self.name}>"
        )


class Operation:
    """An operator or an index as a step of a functional model; it has no weights and is none of the model's layers.

    ``kind`` is a key of `OPERATIONS`; the calls get what Python's operator gets.
    """

    def __init__(self, kind: str, name: str | None = None) -> None:
        self._record = Record()
        self._function = OPERATIONS[kind]
        self.kind = kind
        self.name = name or auto_name(kind)
        self.built = True

    def __call__(self, *args: object) -> Any:
        if is_symbolic(args, {}):
            return symbolic_call(self, args, {})
        return self._function(*args)


OPERATIONS: dict[str, Callable[..., Any]] = {
    "add": operator.add, "subtract": operator.sub, "multiply": operator.mul, "divide": operator.truediv,
    "floor_divide": operator.floordiv, "mod": operator.mod, "power": operator.pow, "matmul": operator.matmul,
    "less": operator.lt, "less_equal": operator.le, "greater": operator.gt, "greater_equal": operator.ge,
    "negative": operator.neg, "absolute": abs, "get_item": operator.getitem,
}  # fmt: skip


def _define(kind: str) -> None:
    def apply(self: Any, *others: object) -> Any:
        return Operation(kind)(self, *others)

    def apply_reversed(self: Any, other: object) -> Any:
        return Operation(kind)(other, self)

    short = OPERATIONS[kind].__name__
    setattr(KerasTensor, f"__{short}__", apply)
    if hasattr(Tensor, f"__r{short}__"):
        setattr(KerasTensor, f"__r{short}__", apply_reversed)


for _kind in OPERATIONS:
    _define(_kind)
public(KerasTensor)


def is_symbolic(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether a call has a symbolic tensor among its arguments."""
    for value in (*args, *kwargs.values()):
        if isinstance(value, Tensor):
            continue
        if isinstance(value, KerasTensor):
            return True
        if nest.is_nested(value) and any(isinstance(leaf, KerasTensor) for leaf in nest.flatten(value)):
            return True
    return False


def symbolic_call(operation: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Note the call of a layer or operation; builds the layer. Returns symbolic tensors for its outputs."""
    args, kwargs = nest.map_structure(lambda leaf: leaf, (args, kwargs))
    with trace.building(None):
        specs, masks = _traced(operation, args, kwargs)
    node = Node(operation, args, kwargs)
    node.outputs = _map(lambda spec: KerasTensor(spec.type.shape, spec.dtype), specs)
    operation._record.output_shapes.append(_map(lambda spec: spec.type.shape, specs))
    for index, (tensor, mask) in enumerate(zip(nest.flatten(node.outputs), masks, strict=True)):
        if tensor is not None:
            tensor.keras_history = node, index
            if mask is not None:
                context.set_mask(tensor, KerasTensor(mask.type.shape, mask.dtype))
    return node.outputs


def _map(function: Callable[[Any], Any], structure: object) -> Any:
    return nest.map_structure(lambda leaf: None if leaf is None else function(leaf), structure)


def _traced(operation: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, list[Any]]:
    """The specs of the outputs of a call, and of their masks, from a trace on placeholders."""
    graph = Graph(operation.name)

    def placeholder(leaf: object) -> Any:
        if not isinstance(leaf, KerasTensor):
            return leaf
        tensor = SymbolicTensor(graph.parameter(Type(leaf.dtype, leaf.static_shape), leaf.name))
        mask = context.get_mask(leaf)
        if mask is not None:
            context.set_mask(tensor, SymbolicTensor(graph.parameter(Type(mask.dtype, mask.static_shape), "mask")))
        return tensor

    with trace.building(graph), context.undisturbed():
        positional, keywords = nest.map_structure(placeholder, (args, kwargs))
        outputs = traced_call(lambda: operation(*positional, **keywords))
        masks = [context.get_mask(leaf) for leaf in nest.flatten(outputs)]
    return _map(_spec, outputs), [None if mask is None else _spec(mask) for mask in masks]


def _spec(tensor: object) -> TensorSpec:
    if not isinstance(tensor, Tensor):
        raise InvalidArgumentError(f"a layer called on Input must return tensors, not {tensor!r}")
    return TensorSpec(tensor.static_shape, tensor.dtype)


def output_shape(layer: Layer, input_shape: ShapeLike) -> Any:
    """The shape of what a layer makes of inputs of a shape: a tuple, or a structure of tuples."""
    with trace.building(None):
        specs, _ = _traced(layer, (placeholders(input_shape, layer.dtype),), {})
    return _map(lambda spec: spec.type.shape, specs)


def specs_of(structure: object) -> Any:
    """A structure with a `TensorSpec` for each tensor, symbolic or not."""

    def spec(leaf: object) -> Any:
        if isinstance(leaf, (Tensor, KerasTensor)):
            return TensorSpec(leaf.static_shape, leaf.dtype)
        return leaf

    return nest.map_structure(spec, structure)


def is_shape(value: object) -> bool:
    """Whether a value is one shape: a sequence of numbers and None."""
    if isinstance(value, TensorShape):
        return True
    return isinstance(value, (tuple, list)) and all(size is None or isinstance(size, int) for size in value)


def placeholders(shapes: Any, dtype: Any = "float32") -> Any:
    """Symbolic tensors for a shape or a structure of shapes."""
    if is_shape(shapes):
        return KerasTensor(shapes, dtype)
    if isinstance(shapes, dict):
        return {name: placeholders(shape, dtype) for name, shape in shapes.items()}
    if isinstance(shapes, (list, tuple)):
        return [placeholders(shape, dtype) for shape in shapes]
    raise InvalidArgumentError(f"{shapes!r} is no shape: pass a tuple of numbers and None, or a list or dict of them")
