"""Datasets whose elements are made of several elements of another: padded batches, windows, groups by a key."""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from autograph.errors import DataLossError, InvalidArgumentError, InvalidTypeError
from autograph.runtime.base import nest, shapes
from autograph.runtime.base.dtypes import int64, string
from autograph.runtime.base.shapes import Shape
from autograph.runtime.ops.infer import text
from autograph.runtime.tensors.convert import convert_to_tensor, wrap
from autograph.runtime.tensors.spec import TensorSpec

from ..arguments import Number, flag, number, require_positive, static
from ..dataset import Dataset
from ..failures import Failure, Item, attempt, take_rows
from ..functions import ElementFunction, Environment
from ..structure import Element, flatten_up_to, tensor_specs
from ..values import BoundDataset, DatasetSpec
from .transforms import Unbatch, batch_count, longer

__all__ = [
    "GroupByWindow", "PaddedBatch", "Rebatch", "Rows", "Window", "padding_values_of", "shapes_to_pad_to",
    "stack_rows",
]  # fmt: skip


class Rows(Dataset):
    """Elements that have been made already."""

    def __init__(self, specs: object, rows: Sequence[Element]) -> None:
        self._rows = rows
        super().__init__(specs)

    def elements(self, environment: Environment) -> Iterator[Item]:
        return iter(self._rows)

    def length(self, environment: Environment) -> int:
        return len(self._rows)


class PaddedBatch(Dataset):
    """Elements stacked, some at a time, after they have been brought to one shape."""

    _name = "_PaddedBatchDataset"

    def __init__(
        self, source: Dataset, size: object, padded_shapes: object, values: object, drop_remainder: object
    ) -> None:
        self._size: Number = number(size, "batch_size")
        self._drop: Number = flag(drop_remainder)
        length = static(self._size)
        if length is not None:
            require_positive(length, "Batch size")
        leaves = nest.flatten(source.element_spec)
        self._shapes = shapes_to_pad_to(source.element_spec, padded_shapes)
        self._values = padding_values_of(source.element_spec, values)
        rows = length if static(self._drop) else None
        made = [TensorSpec((rows, *shape), spec.dtype) for spec, shape in zip(leaves, self._shapes, strict=True)]
        specs = nest.pack_sequence_as(source.element_spec, made)
        super().__init__(specs, [source], [self._size, self._drop, *self._values])

    def elements(self, environment: Environment) -> Iterator[Item]:
        size = require_positive(environment.number(self._size), "Batch size")
        drop = bool(environment.number(self._drop))
        values = [environment.array(value) for value in self._values]
        source = self.sources[0].elements(environment)
        while rows := take_rows(source, size):
            if isinstance(rows, Failure):
                yield rows
            elif len(rows) == size or not drop:
                yield attempt(stack_rows, rows, self._shapes, values)

    def length(self, environment: Environment) -> int:
        return batch_count(self.sources[0].length(environment), environment.number(self._size),
                           environment.number(self._drop))  # fmt: skip


def shapes_to_pad_to(specs: object, given: object) -> list[tuple[int | None, ...]]:
    """The shape to which each component is padded, with None for the longest of a batch."""
    leaves, parts = tensor_specs(specs, "padded_batch"), _parts(specs, given)
    return [_padded_shape(i, leaf, part) for i, (leaf, part) in enumerate(zip(leaves, parts, strict=True))]


def padding_values_of(specs: object, given: object) -> list[Any]:
    """The tensors with which the components are padded."""
    leaves, parts = nest.flatten(specs), _parts(specs, given, repeated=True)
    return [_padding_value(leaf, part) for leaf, part in zip(leaves, parts, strict=True)]


def _parts(specs: object, given: object, repeated: bool = False) -> list[Any]:
    """What is given for each component: None, or as the parts of a like structure, or (``repeated``) one for all."""
    count = len(nest.flatten(specs))
    if given is None or (repeated and not nest.is_nested(given)):
        return [given] * count
    leaves: list[Any] = []
    if not flatten_up_to(specs, given, leaves):
        raise InvalidTypeError(f"{given!r} has not the structure of the dataset's elements, {specs!r}")
    return leaves


def _padded_shape(component: int, spec: TensorSpec, given: Any) -> tuple[int | None, ...]:
    known = spec.type.shape
    if given is None:
        if known is None:
            raise InvalidArgumentError(
                f"You must provide `padded_shapes` argument because component {component} has unknown rank."
            )
        return known
    dimensions: Iterable[Any] = np.atleast_1d(given.numpy()) if hasattr(given, "numpy") else given
    shape: Shape = shapes.as_shape([None if d is None or d == -1 else d for d in dimensions])
    assert shape is not None
    fits = known is None or (
        len(known) == len(shape)
        and all(d is None or wanted is None or d <= wanted for d, wanted in zip(known, shape, strict=True))
    )
    if not fits:
        raise InvalidArgumentError(
            f"The padded shape {shapes.TensorShape(shape)} is not compatible with the shape {spec.shape} of the "
            "corresponding input component."
        )
    return shape


def _padding_value(spec: TensorSpec, given: object) -> Any:
    if given is None:
        return convert_to_tensor("" if spec.dtype is string else np.zeros((), spec.dtype.numpy))
    value = convert_to_tensor(given)
    if value.dtype is not spec.dtype:
        raise InvalidTypeError(
            f"Invalid `padding_values`. `padding_values` values type {value.dtype!r} does not match type "
            f"{spec.dtype!r} of the corresponding input component."
        )
    return value


def stack_rows(rows: list[Element], shapes: Sequence[tuple[int | None, ...]], values: Sequence[Any]) -> Element:
    """A batch of elements, of which each component is padded to a shape with a value."""
    return tuple(map(_stack_padded, zip(*rows, strict=True), shapes, values))


def _stack_padded(parts: tuple[Any, ...], shape: tuple[int | None, ...], value: object) -> Any:
    """One component of a batch. Raises `DataLossError` for a part that is longer than the shape to pad to."""
    arrays = [wrap(part).array for part in parts]
    largest = map(max, zip(*[array.shape for array in arrays], strict=True))
    dims = tuple([most if d is None else d for d, most in zip(shape, largest, strict=True)])
    made = np.full((len(arrays), *dims), value, arrays[0].dtype)
    for i, array in enumerate(arrays):
        if any(d > most for d, most in zip(array.shape, dims, strict=True)):
            raise DataLossError(
                f"Attempted to pad to a smaller size than the input element: {text(array.shape)} to {text(dims)}"
            )
        place: Any = (i, *map(slice, array.shape), ...)
        made[place] = array
    return made


class Window(Dataset):
    """Datasets of elements that follow each other; one dataset for each component."""

    _name = "_WindowDataset"

    def __init__(self, source: Dataset, size: object, shift: object, stride: object, drop_remainder: object) -> None:
        self._numbers = [number(size, "size"), number(size if shift is None else shift, "shift"),
                         number(stride, "stride")]  # fmt: skip
        self._drop: Number = flag(drop_remainder)
        for what, value in zip(("size", "shift", "stride"), map(static, self._numbers), strict=True):
            if value is not None:
                require_positive(value, f"Window {what}")
        specs = nest.map_structure(DatasetSpec, source.element_spec)
        super().__init__(specs, [source], [*self._numbers, self._drop])

    def _bound(self, environment: Environment) -> tuple[int, int, int, bool]:
        size, shift, stride = [require_positive(environment.number(each), f"Window {what}") for what, each in
                               zip(("size", "shift", "stride"), self._numbers, strict=True)]  # fmt: skip
        return size, shift, stride, bool(environment.number(self._drop))

    def elements(self, environment: Environment) -> Iterator[Item]:
        size, shift, stride, drop = self._bound(environment)
        specs = nest.flatten(self.sources[0].element_spec)
        needed = (size - 1) * stride + 1
        source = self.sources[0].elements(environment)
        ahead: deque[Element] = deque()
        while True:
            rows = take_rows(source, needed - len(ahead))
            if isinstance(rows, Failure):
                ahead.clear()
                yield rows
                continue
            ahead.extend(rows)
            if not ahead or (drop and len(ahead) < needed):
                return
            rows = list(itertools.islice(ahead, 0, None, stride))
            yield tuple([BoundDataset(Rows(spec, [(row[i],) for row in rows]), ()) for i, spec in enumerate(specs)])
            for _ in range(min(shift, len(ahead))):
                ahead.popleft()
            if shift > needed and isinstance(passed := take_rows(source, shift - needed), Failure):
                yield passed

    def length(self, environment: Environment) -> int:
        size, shift, stride, drop = self._bound(environment)
        count = self.sources[0].length(environment)
        if count < 0:
            return count
        return max((count - (size - 1) * stride - 1) // shift + 1, 0) if drop else -(-count // shift)


class Rebatch(Dataset):
    """Batches of other sizes."""

    _name = "_RebatchDataset"

    def __init__(self, source: Dataset, sizes: object, drop_remainder: object) -> None:
        self._sizes = convert_to_tensor(sizes)
        self._drop: Number = flag(drop_remainder)
        rows = static(self._sizes) if self._sizes.static_shape == () and static(self._drop) else None
        unbatched = Unbatch(source)
        specs = nest.map_structure(lambda spec: longer(spec, rows), unbatched.element_spec)
        super().__init__(specs, [unbatched], [self._sizes, self._drop])

    def elements(self, environment: Environment) -> Iterator[Item]:
        sizes = [require_positive(int(size), "batch_size") for size in environment.array(self._sizes).reshape(-1)]
        source = self.sources[0].elements(environment)
        for size in itertools.cycle(sizes):
            rows = take_rows(source, size)
            if isinstance(rows, Failure):
                yield rows
                continue
            if not rows or (len(rows) < size and environment.number(self._drop)):
                return
            yield attempt(_joined, rows)


def _joined(rows: list[Element]) -> Element:
    return tuple([np.stack([wrap(part).array for part in parts]) for parts in zip(*rows, strict=True)])


class GroupByWindow(Dataset):
    """The elements of the datasets that a function makes of elements with one key, some at a time."""

    _name = "_GroupByWindowDataset"

    def __init__(self, source: Dataset, key: Callable[..., Any], reduce: Callable[..., Any],
                 size: Callable[[Any], Any]) -> None:  # fmt: skip
        number_spec = TensorSpec((), int64)
        self._key = _integer(key, source.element_spec, "key_func")
        self._size = _integer(size, number_spec, "window_size_func")
        self._reduce = ElementFunction(reduce, (number_spec, DatasetSpec(source.element_spec)))
        made = self._reduce.result
        if not isinstance(made, Dataset):
            raise InvalidTypeError(
                f"Invalid `reduce_func`. `reduce_func` must return a `Dataset` object, not {made!r}."
            )
        functions = (self._key, self._size, self._reduce)
        super().__init__(made.element_spec, [source], [each for function in functions for each in function.captured])

    def elements(self, environment: Environment) -> Iterator[Item]:
        key_of, size_of = self._key.bind(environment), self._size.bind(environment)
        reduce = self._reduce.bind_dataset(environment)
        specs = self.sources[0].element_spec

        def reduced(key: int, rows: list[Element]) -> Iterator[Item]:
            return reduce((np.asarray(key, np.int64), BoundDataset(Rows(specs, rows), ())))

        groups: dict[int, tuple[int, list[Element]]] = {}
        for item in self.sources[0].elements(environment):
            found = key_of(item)
            if isinstance(item, Failure) or isinstance(found, Failure):
                yield found
                continue
            key = int(found[0])
            if key not in groups:
                sized = size_of(found)
                if isinstance(sized, Failure):
                    yield sized
                    continue
                groups[key] = require_positive(int(sized[0]), "Window size"), []
            size, rows = groups[key]
            rows.append(item)
            if len(rows) == size:
                del groups[key]
                yield from reduced(key, rows)
        for key in sorted(groups):
            yield from reduced(key, groups[key][1])


def _integer(function: Callable[..., Any], specs: object, what: str) -> ElementFunction:
    made = ElementFunction(function, specs)
    spec = made.specs
    if not (isinstance(spec, TensorSpec) and spec.dtype is int64 and spec.shape.is_compatible_with(())):
        raise InvalidArgumentError(
            f"Invalid `{what}`. `{what}` must return a single `tf.int64` scalar tensor but its return type is {spec!r}."
        )
    return made
