"""How traces are shown: `Function.pretty_printed_concrete_signatures`, and concrete functions in print."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ..base import nest
from ..base.composite import CompositeSpec
from ..base.shapes import show
from ..tensors.spec import TensorSpec
from .arguments import Parameters, composite_spec, resolved

if TYPE_CHECKING:
    from .concrete import ConcreteFunction


def pretty(parameters: Parameters, values: Sequence[Any], outputs: object) -> str:
    """A trace as ``name(a, b=2)`` with its tensors below, those inside structures numbered.

    ``values`` are the arguments and ``outputs`` the results, with a `TensorSpec` for each tensor.
    """
    lines = [summary(parameters, values)]
    tensors = [(name, value) for name, value, _ in _arguments(parameters, values) if _holds_tensors(value)]
    if tensors:
        lines.append("  Args:")
        for name, value in tensors:
            lines += _lines(value, f"{name}: ", "    ")
    lines.append("  Returns:")
    lines += _lines(outputs, "", "    ")
    return "\n".join(lines)


def summary(parameters: Parameters, values: Sequence[Any]) -> str:
    """``name(a, b=2)``: tensors by name, Python values with what they were traced for."""
    arguments = [(name, value) for name, value, _ in _arguments(parameters, values)]
    shown = [name if _holds_tensors(value) else f"{name}={value!r}" for name, value in arguments]
    return f"{parameters.function_name}({', '.join(shown)})"


def concrete_text(
    parameters: Parameters, values: Sequence[Any], outputs: object, captures: Sequence[TensorSpec]
) -> str:
    """What `print` shows of a concrete function, as TensorFlow 2.21 does."""
    kinds = [f"  {name} ({kind.name}): {_traced(value)}" for name, value, kind in _arguments(parameters, values)]
    captured = [f"  {i}: {spec!r}" for i, spec in enumerate(captures)]
    return "\n".join([
        "Input Parameters:", *(kinds or ["  None"]), "Output Type:", f"  {_traced(outputs)}", "Captures:",
        *(captured or ["  None"]),
    ])  # fmt: skip


def specs_of_outputs(concrete: ConcreteFunction) -> Any:
    """The structure of the results with a spec for each tensor."""
    return nest.map_structure(
        lambda leaf: None if leaf is None else composite_spec(leaf) or TensorSpec(leaf.static_shape, leaf.dtype),
        concrete.structured_outputs,
    )


def _arguments(parameters: Parameters, values: Sequence[Any]) -> Iterator[tuple[str, Any, Any]]:
    """Name, value and kind of each argument; those of ``*args`` and ``**kwargs`` one by one."""
    for parameter, value in zip(parameters.signature.parameters.values(), values, strict=True):
        value = resolved(value)
        if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
            for i, each in enumerate(value):
                yield f"{parameter.name}_{i}", each, inspect.Parameter.POSITIONAL_ONLY
        elif parameter.kind is inspect.Parameter.VAR_KEYWORD:
            for name, each in value.items():
                yield name, each, inspect.Parameter.KEYWORD_ONLY
        else:
            yield parameter.name, value, parameter.kind


def _holds_tensors(value: object) -> bool:
    return any(isinstance(leaf, (TensorSpec, CompositeSpec)) for leaf in nest.flatten(value))


def _tensor(spec: TensorSpec) -> str:
    return f"{spec.dtype.name} Tensor, shape={show(spec.type.shape)}"


class _Number:
    """Stands for a tensor inside a structure: ``<1>``."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __repr__(self) -> str:
        return f"<{self.number}>"


def _lines(value: object, label: str, indent: str) -> list[str]:
    if isinstance(value, TensorSpec):
        return [f"{indent}{label}{_tensor(value)}"]
    if isinstance(value, CompositeSpec):
        return [f"{indent}{label}{value!r}"]
    specs: list[TensorSpec] = []

    def number(leaf: object) -> Any:
        if not isinstance(leaf, TensorSpec):
            return leaf
        specs.append(leaf)
        return _Number(len(specs))

    lines = [f"{indent}{label}{nest.map_structure(number, value)!r}"]
    return lines + [f"{indent}  <{i}>: {_tensor(spec)}" for i, spec in enumerate(specs, 1)]


def _traced(value: object) -> str:
    """An argument or result as TensorFlow's trace types print it: ``List[TensorSpec(…), Literal[3]]``."""
    if isinstance(value, TensorSpec):
        return repr(TensorSpec(value.type.shape, value.dtype))
    if isinstance(value, CompositeSpec):
        return repr(value)
    if not nest.is_nested(value):
        return f"Literal[{value!r}]"
    pairs = nest.children(value)
    if isinstance(value, dict):
        return f"Dict[{', '.join(f'[{key!r}, {_traced(child)}]' for key, child in pairs)}]"
    kind: type = type(value)
    name = "List" if kind is list else "Tuple" if kind is tuple else kind.__name__
    return f"{name}[{', '.join(_traced(child) for _, child in pairs)}]"
