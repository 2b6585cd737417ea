"""The structure of elements: tuples, named tuples, dicts and dataclasses of tensors. Lists become tensors.

An element goes through a pipeline as a plain tuple of arrays, its components, in the order of `nest.flatten`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from autograph.errors import InvalidArgumentError, InvalidTypeError
from autograph.runtime.base import nest, shapes
from autograph.runtime.base.composite import Composite, CompositeSpec
from autograph.runtime.base.dtypes import as_dtype
from autograph.runtime.functions.arguments import spec_of
from autograph.runtime.ir.graph import Type
from autograph.runtime.tensors.convert import convert_to_tensor, wrap
from autograph.runtime.tensors.spec import TensorSpec
from autograph.runtime.tensors.tensor import EagerTensor

__all__ = ["Element", "components", "flatten_up_to", "normalised", "packed", "specs_of", "tensor_specs", "types_of"]

Element = tuple[Any, ...]

UNSAVABLE = "iterate over the dataset outside, and pass its elements as arguments"
"""What to write instead in a function that is to be saved: no file holds a dataset."""


def normalised(value: object) -> Any:
    """A structure of tensors for what the user gave: every leaf, and every list, becomes one; datasets stay."""
    if isinstance(value, Composite):
        return value
    if isinstance(value, list) or not nest.is_nested(value):
        return convert_to_tensor(value)
    return nest.rebuild(value, [normalised(child) for _, child in nest.children(value)])


def specs_of(structure: object) -> Any:
    """The specs of a structure of tensors."""
    return nest.map_structure(lambda leaf: leaf.type_spec if isinstance(leaf, Composite) else spec_of(leaf), structure)


def tensor_specs(specs: object, what: str) -> list[TensorSpec]:
    """The specs of the components; `TypeError` when some of them are no tensors but datasets."""
    leaves = nest.flatten(specs)
    for leaf in leaves:
        if not isinstance(leaf, TensorSpec):
            raise InvalidTypeError(f"`{what}` takes elements made of tensors, not of {leaf!r}; see `flat_map`")
    return leaves


def types_of(specs: object) -> tuple[Type, ...]:
    """The types of the components of elements with these specs."""
    return tuple(spec.type for spec in nest.flatten(specs, expand_composites=True))


def packed(specs: object, arrays: Sequence[Any]) -> Any:
    """An element for the user: eager tensors in the structure of the specs, each told from others by its own array."""
    if isinstance(specs, TensorSpec):
        return _wrapped(arrays[0])
    return nest.pack_sequence_as(specs, [_wrapped(array) for array in arrays], expand_composites=True)


def _wrapped(array: object) -> EagerTensor:
    return wrap(array.view() if type(array) is np.ndarray else array)


def components(value: object, specs: object) -> Element:
    """The components of an element that user code made; `InvalidArgumentError` when it does not fit the specs."""
    leaves: list[Any] = []
    if not flatten_up_to(specs, value, leaves):
        raise InvalidArgumentError(
            f"`generator` yielded an element that did not match the expected structure. The expected structure was "
            f"{specs}, but the yielded element was {value}."
        )
    return tuple([_component(leaf, spec) for spec, leaf in zip(nest.flatten(specs), leaves, strict=True)])


def flatten_up_to(specs: object, value: object, leaves: list[Any]) -> bool:
    """Append the parts of a value where the specs have leaves; whether the structures agree that far."""
    if not nest.is_nested(specs):
        leaves.append(value)
        return True
    if not nest.is_nested(value):
        return False
    mine, others = nest.children(specs), nest.children(value)
    if len(mine) != len(others) or (isinstance(specs, dict) and [k for k, _ in mine] != [k for k, _ in others]):
        return False
    return all(flatten_up_to(spec, child, leaves) for (_, spec), (_, child) in zip(mine, others, strict=True))


def _component(value: object, spec: Any) -> Any:
    if isinstance(spec, CompositeSpec):
        if not isinstance(value, Composite) or not spec.accepts(value.type_spec):
            raise InvalidArgumentError(f"`generator` yielded {value!r} where a value of {spec!r} was expected.")
        (tensor,) = value.components()
        return tensor.array
    try:
        if isinstance(value, (np.ndarray, np.generic)) and spec.dtype.kind not in "SV":
            # A copy: the generator may write the next element to the same array.
            array = np.array(value, spec.dtype.numpy) if value.dtype == spec.dtype.numpy else _converted(value, spec)
        else:
            array = _converted(value, spec)
    except (TypeError, ValueError) as error:
        raise InvalidArgumentError(
            f"`generator` yielded an element that could not be converted to the expected type. The expected type was "
            f"{spec.dtype.name}, but the yielded element was {value}."
        ) from error
    if not shapes.is_compatible(array.shape, spec.type.shape):
        raise InvalidArgumentError(
            f"`generator` yielded an element of shape {array.shape} where an element of shape {spec.shape} was "
            "expected."
        )
    return array


def _converted(value: object, spec: TensorSpec) -> Any:
    tensor = convert_to_tensor(value, spec.dtype)
    assert isinstance(tensor, EagerTensor)
    return tensor.array


def signature(types: object, given_shapes: Any) -> Any:
    """The specs for ``output_types`` and ``output_shapes``."""
    if types is None:
        raise InvalidTypeError("Either `output_signature` or `output_types` must be specified")
    if isinstance(types, list):
        types = tuple(types)
    if not isinstance(types, (tuple, dict)):
        return TensorSpec(given_shapes, as_dtype(types))
    if given_shapes is None:
        return nest.map_structure(lambda dtype: TensorSpec(None, as_dtype(dtype)), types)
    parts = [child for _, child in nest.children(given_shapes)]
    if len(parts) != len(types):
        raise InvalidArgumentError(f"`output_shapes` {given_shapes} do not fit `output_types` {types}")
    pairs = zip(nest.children(types), parts, strict=True)
    return nest.rebuild(types, [signature(child, shape) for (_, child), shape in pairs])
