"""The arguments of traced functions: binding to parameters, cache keys, placeholders, and the check for mutation.

A key says everything that a trace depends on: dtype and shape of tensors and arrays, the structure around them,
type and value of Python values (so that 1, 1.0 and True differ), the specs of composite values (datasets and their
iterators, tensor arrays), and the identity of all other objects.
"""

from __future__ import annotations

import collections
import enum
import inspect
import types
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from autograph.errors import InvalidArgumentError, MutationError, SignatureError

from ..base import nest
from ..base.composite import Composite, CompositeSpec
from ..base.dtypes import DType
from ..base.shapes import TensorShape
from ..ir.graph import Graph
from ..tensors.convert import convert_to_tensor, strong
from ..tensors.spec import TensorSpec
from ..tensors.tensor import EagerTensor, SymbolicTensor, Tensor
from ..tensors.trace import user_location

_BY_VALUE = (int, str, bytes, bool, type(None), type(Ellipsis), np.dtype, DType, TensorShape)
_SCALARS = (bool, int, float, complex, str, bytes)
# Leaves that a function might change all the same.
_SETS = (set, collections.deque, bytearray)


class Parameters:
    """The parameters of a Python function, and binding of calls to them."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function_name = name_of(function)
        try:
            self.signature = inspect.signature(function, follow_wrapped=False)
        except (TypeError, ValueError):  # some built-ins tell nothing
            self.signature = inspect.Signature([
                inspect.Parameter("args", inspect.Parameter.VAR_POSITIONAL),
                inspect.Parameter("kwargs", inspect.Parameter.VAR_KEYWORD),
            ])  # fmt: skip
        parameters = self.signature.parameters.values()
        self.names = [parameter.name for parameter in parameters]
        plain = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        self._plain_count = len(self.names) if all(p.kind in plain for p in parameters) else -1
        self._positional = [p for p in parameters if p.kind in plain]
        self._takes_more = any(p.kind is p.VAR_POSITIONAL for p in parameters)

    def check_for_room(self, signature: tuple[Any, ...]) -> None:
        """Raises `SignatureError` for an input signature with more entries than there are parameters."""
        given, count = len(signature), len(self._positional)
        if given > count and not self._takes_more:
            raise SignatureError(
                f"the input_signature has {given} entries, but {self.function_name}() takes only {count}"
            )

    def wanted(self, signature: tuple[Any, ...]) -> list[Any]:
        """What an input signature wants each of the first parameters to be: of ``*args``, the rest of it.

        Raises `SignatureError` when it has entries for no parameter, or none for a parameter without a default.
        """
        self.check_for_room(signature)
        count = len(self._positional)
        without = [p.name for p in self._positional[len(signature) :] if p.default is p.empty]
        if without:
            raise SignatureError(f"the input_signature has no entry for {', '.join(without)} of {self.function_name}()")
        return [*signature[:count], signature[count:]] if self._takes_more else list(signature)

    def bind(self, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Sequence[Any]:
        """One value for each parameter, defaults filled in; ``*args`` as a tuple, ``**kwargs`` as a dict.

        Raises `SignatureError` (a TypeError) when the call does not fit.
        """
        if not keywords and len(arguments) == self._plain_count:
            return arguments
        try:
            bound = self.signature.bind(*arguments, **keywords)
        except TypeError as error:
            raise SignatureError(f"{self.function_name}{self.signature} can't be called so: {error}") from None
        bound.apply_defaults()
        return list(bound.arguments.values())

    def split(self, values: Sequence[Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The positional and keyword arguments that call the function with the given parameter values."""
        positional: list[Any] = []
        keywords: dict[str, Any] = {}
        for parameter, value in zip(self.signature.parameters.values(), values, strict=True):
            if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
                positional.extend(value)
            elif parameter.kind is inspect.Parameter.VAR_KEYWORD:
                keywords.update(value)
            elif parameter.kind is inspect.Parameter.KEYWORD_ONLY:
                keywords[parameter.name] = value
            else:
                positional.append(value)
        return tuple(positional), keywords


def name_of(function: object) -> str:
    """A name for messages and graphs: of the function, of what a partial wraps, or of a callable object's type."""
    while not hasattr(function, "__name__") and hasattr(function, "func"):
        function = function.func
    return getattr(function, "__name__", None) or type(function).__name__


def shown(value: object) -> str:
    """An argument in an error message: tensors and arrays by dtype and shape."""

    def spec(leaf: object) -> Any:
        if isinstance(leaf, (np.ndarray, np.generic)):
            leaf = convert_to_tensor(leaf)
        return spec_of(leaf) if is_tensor_like(leaf) else composite_spec(leaf) or leaf

    return repr(nest.map_structure(spec, value))


def converted_to(value: object, traced: object) -> Any:
    """An argument with tensors of the traced dtypes in place of Python values and arrays where a tensor was traced."""
    if isinstance(traced, TensorSpec):
        kinds = (*_SCALARS, np.ndarray, np.generic)
        is_data = nest.is_nested(value) or isinstance(value, kinds) or getattr(type(value), "__variable__", False)
        return convert_to_tensor(value, traced.dtype) if is_data else value
    if not nest.is_nested(traced) or not nest.is_nested(value):
        return value
    children, specs = nest.children(value), nest.children(traced)
    if [key for key, _ in children] != [key for key, _ in specs]:
        return value
    pairs = zip(children, specs, strict=True)
    return nest.rebuild(value, [converted_to(child, spec) for (_, child), (_, spec) in pairs])


def composite_spec(value: object) -> CompositeSpec | None:
    """The spec of a composite value, or a spec itself; None for other values."""
    if isinstance(value, Composite):
        return value.type_spec
    return value if isinstance(value, CompositeSpec) else None


def cast_to(value: Any, wanted: Any) -> Any:
    """An argument as what an input signature wants; `InvalidArgumentError` when it doesn't fit."""
    if isinstance(wanted, TensorSpec):
        if isinstance(value, TensorSpec):
            given: Any = value
        elif isinstance(value, (EagerTensor, SymbolicTensor)):
            given = value
        else:
            value = given = convert_to_tensor(value, wanted.dtype)
        if not spec_of(given).is_subtype_of(wanted):
            differs = "shape" if given.dtype == wanted.dtype else "dtype"
            raise InvalidArgumentError(f"the {differs} does not fit")
        return strong(value)
    if isinstance(wanted, CompositeSpec):
        spec = composite_spec(value)
        if spec is None or not wanted.accepts(spec):
            raise InvalidArgumentError(f"it is no value of {wanted!r}")
        return value if spec == wanted else wanted.pack(value.components())
    if not nest.is_nested(value) or [k for k, _ in nest.children(value)] != [k for k, _ in nest.children(wanted)]:
        raise InvalidArgumentError("the structure differs")
    pairs = zip(nest.children(value), nest.children(wanted), strict=True)
    return nest.rebuild(value, [cast_to(child, spec) for (_, child), (_, spec) in pairs])


class ObjectReference:
    """Stands for an object by its identity; equal to nothing once the object is gone.

    Keeps only those objects alive that have no weak references.
    """

    __slots__ = ("_id", "get")

    def __init__(self, value: object) -> None:
        self._id = id(value)
        self.get: Callable[[], Any]
        """Gives the object; None once it is gone."""
        try:
            self.get = weakref.ref(value)
        except TypeError:
            self.get = lambda: value

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ObjectReference) or self._id != other._id:
            return False
        value = self.get()
        return value is not None and value is other.get()

    def __hash__(self) -> int:
        return self._id

    def __repr__(self) -> str:
        return repr(self.get())


def key_of(value: Any, tensors: list[Any]) -> Any:
    """The hashable key of an argument; the tensors in it are appended to ``tensors`` in the order of `nest.flatten`."""
    kind = type(value)
    if kind is EagerTensor:
        tensors.append(value)
        array = value.array
        return array.dtype, array.shape
    if kind is SymbolicTensor:
        tensors.append(value)
        key = value.value.type.dtype.numpy, value.value.type.shape
        return key if value.python is None else (value.python, key)
    if kind in (int, str, bool):
        return kind, value
    if kind is TensorSpec:
        tensors.append(value)
        return value.type.dtype.numpy, value.type.shape
    if kind is float:
        return _leaf_key(value)
    if isinstance(value, (np.ndarray, np.generic)):
        tensor = convert_to_tensor(value)
        tensors.append(tensor)
        return tensor.array.dtype, tensor.array.shape
    if isinstance(value, EagerTensor):  # on a device
        tensors.append(value)
        return value.dtype.numpy, value.static_shape
    if isinstance(value, (Composite, CompositeSpec)):
        return _composite_key(value, tensors)
    if nest.is_nested(value):
        return _structure_key(value, tensors)
    return _leaf_key(value)


def _composite_key(value: Composite | CompositeSpec, tensors: list[Any]) -> Any:
    parts = value.components()
    tensors.extend(parts)
    specs = [spec_of(part) for part in parts]
    return composite_spec(value), *[(spec.dtype.numpy, spec.type.shape) for spec in specs]


def is_tensor_key(key: object) -> bool:
    """Whether a part of a key is that of a tensor: its NumPy dtype and its shape."""
    return type(key) is tuple and len(key) == 2 and isinstance(key[0], np.dtype)


def is_number_key(key: object) -> bool:
    """Whether a part of a key is that of a Python number (or string) that only a graph knows."""
    return type(key) is tuple and len(key) == 2 and key[0] in _SCALARS and is_tensor_key(key[1])


def _structure_key(value: object, tensors: list[Any]) -> Any:
    if isinstance(value, (list, tuple)):
        return type(value), *[key_of(item, tensors) for item in value]
    pairs = nest.children(value)
    order = tuple(map(contents_key, value)) if isinstance(value, Mapping) else ()
    return type(value), order, *[(key, key_of(child, tensors)) for key, child in pairs]


def contents_key(value: object) -> Any:
    """The key of what a container holds that goes to the function without placeholders, or of the key of a dict."""
    kind = type(value)
    if kind is str:
        return value
    if isinstance(value, bytearray):
        return kind, bytes(value)
    if isinstance(value, (list, tuple, collections.deque)):
        return kind, *map(contents_key, value)
    if isinstance(value, (set, frozenset)):
        return kind, frozenset(map(contents_key, value))
    if isinstance(value, Mapping):
        return kind, *[(contents_key(key), contents_key(item)) for key, item in value.items()]
    return (kind, repr(value)) if isinstance(value, np.generic) else _leaf_key(value)


def _leaf_key(value: object) -> Any:
    if isinstance(value, (float, complex)):
        return type(value), repr(value)  # tells -0.0 from 0.0, and equals itself for NaN
    if type(value) is range:
        return range, value.start, value.stop, value.step
    if isinstance(value, (*_SETS, frozenset)):
        contents = contents_key(value)
        return (ObjectReference(value), contents) if hasattr(value, "__dict__") else contents
    if isinstance(value, _BY_VALUE) and type(value).__eq__ is not object.__eq__ and not isinstance(value, enum.Enum):
        return (type(value), value) if not getattr(value, "__dict__", None) else ObjectReference(value)
    if value is None or value is Ellipsis:
        return value
    if isinstance(value, ObjectReference):
        return value
    if isinstance(value, types.MethodType):
        return value.__func__, ObjectReference(value.__self__)
    return ObjectReference(value)


def is_gone(key: object) -> bool:
    """Whether a key stands for an object that is gone, so that no call can have it."""
    if isinstance(key, ObjectReference):
        return key.get() is None
    return isinstance(key, (tuple, frozenset)) and any(map(is_gone, key))


def variables_of(key: object) -> Iterator[Any]:
    """The variables that a key stands for, among other things."""
    if isinstance(key, ObjectReference):
        if getattr(type(value := key.get()), "__variable__", False):
            yield value
    elif isinstance(key, (tuple, frozenset)):
        for part in key:
            yield from variables_of(part)


def is_tensor_like(value: object) -> bool:
    """Whether an argument becomes a placeholder."""
    return isinstance(value, (Tensor, np.ndarray, np.generic, TensorSpec))


def symbolic(value: object, graph: Graph, name: str, specs: Iterator[TensorSpec]) -> Any:
    """A copy of an argument with a placeholder of the graph for each tensor; ``specs`` gives their types in order."""
    if is_tensor_like(value):
        spec = next(specs)
        return SymbolicTensor(graph.parameter(spec.type, spec.name or name), getattr(value, "python", None))
    composite = composite_spec(value)
    if composite is not None:
        return composite.pack([SymbolicTensor(graph.parameter(next(specs).type, name)) for _ in composite.components()])
    if nest.is_nested(value):
        return nest.rebuild(value, [symbolic(child, graph, name, specs) for _, child in nest.children(value)])
    return value


def with_specs(value: Any, specs: Iterator[TensorSpec]) -> Any:
    """A copy of an argument for a signature: specs for tensors and composites, `ObjectReference` for what is known by
    identity.
    """
    if is_tensor_like(value):
        return next(specs)
    composite = composite_spec(value)
    if composite is not None:
        for _ in composite.components():
            next(specs)
        return composite
    if nest.is_nested(value):
        return nest.rebuild(value, [with_specs(child, specs) for _, child in nest.children(value)])
    if type(value) in _SETS:
        return value.copy()
    key = _leaf_key(value)
    return key if isinstance(key, ObjectReference) else value


def resolved(value: object) -> Any:
    """What `with_specs` made, with the objects themselves in place of references."""
    return nest.map_structure(lambda leaf: leaf.get() if isinstance(leaf, ObjectReference) else leaf, value)


def spec_of(tensor: Any) -> TensorSpec:
    """The spec of a tensor; of an array after conversion; of a TensorSpec itself."""
    if isinstance(tensor, TensorSpec):
        return tensor
    shape = tensor.static_shape
    return TensorSpec(shape, tensor.dtype)


def mutation_error(function_name: str, changed: Sequence[str]) -> ValueError:
    """The error for a traced function that changes its arguments, with the names of the parameters."""
    return ValueError(
        f"{function_name}() should not modify its Python input arguments. Check if it modifies "
        "any lists or dicts passed as arguments. Modifying a copy is allowed. "
        f"The following parameter(s) were modified: {', '.join(changed)}"
    )


def mutation_in_calls_error(function_name: str, changed: Sequence[str]) -> MutationError:
    """The error for a function that calls itself on a staged condition, and changes its arguments."""
    place = user_location()
    return MutationError(
        f"`{changed[0]}` is changed by {function_name}(), which calls itself on a staged condition; a graph can't "
        "carry the change of an argument from call to call",
        **({} if place is None else place._asdict()),
        construct=changed[0],
        remedy="return what the calls make and put it together outside, or use a loop",
    )


def check_not_changed(function_name: str, names: Sequence[str], values: Sequence[Any], given: Sequence[Any],
                    changed: frozenset[int]) -> None:  # fmt: skip
    """Refuses NumPy arrays as arguments that the function changes in place.

    ``values`` are the parameters' values as they go to the graph, ``given`` as the caller has them.

    Raises:
        ValueError: there is one; the text names the parameters.
    """
    position = 0
    found: list[str] = []
    for name, value, original in zip(names, values, given, strict=True):
        for leaf, known in zip(nest.flatten(value), nest.flatten(original), strict=False):
            if is_tensor_like(leaf):
                if position in changed and isinstance(known, np.ndarray):
                    found.append(name)
                position += 1
    if found:
        raise InvalidArgumentError(
            f"{function_name}() should not modify its Python input arguments. It stores into a NumPy array, which the "
            "caller would see. Pass a tensor (tf.constant), or modify a copy. The following parameter(s) were "
            f"modified: {', '.join(dict.fromkeys(found))}"
        )


def changed_parameters(names: Sequence[str], before: Sequence[Any], after: Sequence[Any]) -> list[str]:
    """The names of the parameters whose lists, dicts or other structures differ from what they were."""
    return [name for name, a, b in zip(names, before, after, strict=True) if not _unchanged(a, b)]


def _unchanged(a: Any, b: Any) -> bool:
    if type(a) in _SETS and type(a) is type(b):
        return bool(a == b)
    if not nest.is_nested(a) or type(a) is not type(b):
        return a is b
    first, second = nest.children(a), nest.children(b)
    if isinstance(a, Mapping) and list(a) != list(b):
        return False
    if [key for key, _ in first] != [key for key, _ in second]:
        return False
    return all(_unchanged(x, y) for (_, x), (_, y) in zip(first, second, strict=True))


def copy_structure(value: Any) -> Any:
    """Fresh containers around the same leaves."""
    if type(value) in _SETS:
        return value.copy()
    if nest.is_nested(value):
        return nest.rebuild(value, [copy_structure(child) for _, child in nest.children(value)])
    return value
