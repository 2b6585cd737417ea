"""The file: operators, arrays and types in ONNX's own messages."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from autograph.errors import MissingExtraError, SavingError

from ....base.dtypes import DType, variant
from ....base.shapes import Shape
from ....ir.graph import Node
from ..places import told
from ..weights import replace_file
from .lowering import Block, Lowering, Step
from .supported import IR_VERSION, OPSET
from .values import Value

__all__ = ["check_installed", "model_of", "write"]

_MOST_BYTES = 2**31 - 1


def check_installed() -> None:
    """Raises `MissingExtraError` without the library onnx."""
    _library()


def _library() -> Any:
    try:
        import onnx
    except ImportError:
        raise MissingExtraError(
            "models in ONNX's format need the library onnx, which is not installed",
            remedy="pip install 'autograph-py[onnx]'",
        ) from None
    return onnx


def model_of(name: str, here: Lowering, inputs: Sequence[Value], outputs: Sequence[Value]) -> Any:
    """The model of what has been lowered into a block, checked by ONNX's own checker. A ``ModelProto``."""
    onnx = _library()
    _check_size(name, here)
    here.block.inputs, here.block.outputs = list(inputs), list(outputs)
    used = _prune(here.block)
    graph = _graph(here.block, name)
    graph.initializer.extend([_array(key, array) for key, array in here.arrays.items() if key in used])
    model = onnx.helper.make_model(
        graph, opset_imports=[onnx.helper.make_opsetid("", OPSET)], ir_version=IR_VERSION, producer_name="autograph"
    )
    _name_dimensions(model, onnx.shape_inference.infer_shapes(model, check_type=True, strict_mode=True))
    onnx.checker.check_model(model, full_check=True)
    return model


def _prune(block: Block) -> set[str]:
    """Drops operators of which nobody uses a result; gives the names that are used, in blocks inside, too."""
    used = {value.rows.name if value.rows is not None else value.name for value in block.outputs}
    kept = []
    for step in reversed(block.steps):
        if used.isdisjoint(step.outputs):
            continue
        kept.append(step)
        used.update(step.inputs)
        for inner in step.attributes.values():
            if isinstance(inner, Block):
                used |= _prune(inner)
    block.steps = kept[::-1]
    return {name for name in used if name}


def _name_dimensions(model: Any, inferred: Any) -> None:
    """Names the dimensions of results that vary: as those of arguments where ONNX knows them to be the same."""
    known = {dim.dim_param for value in model.graph.input for dim in value.type.tensor_type.shape.dim}
    for value, other in zip(model.graph.output, inferred.graph.output, strict=True):
        pairs = zip(value.type.tensor_type.shape.dim, other.type.tensor_type.shape.dim, strict=True)
        for axis, (dim, found) in enumerate(pairs):
            if not dim.HasField("dim_value"):
                same = found.dim_param if found.dim_param in known else ""
                dim.dim_param = same or f"{value.name}_{axis}"


def write(model: Any, path: str) -> None:
    """Writes a model into a file; what was there stays until all of it is written."""
    replace_file(path, model.SerializeToString())


def _check_size(name: str, here: Lowering) -> None:
    if sum(array.nbytes for array in here.arrays.values()) > _MOST_BYTES:
        raise SavingError(
            f"{name} holds more than two gigabytes of weights, which one file in ONNX's format can't",
            remedy="export parts of the model, or keep the weights in float16",
        )


def _graph(block: Block, name: str) -> Any:
    helper = _library().helper
    return helper.make_graph(
        [_node(step) for step in block.steps], name, list(map(_info, block.inputs)), list(map(_info, block.outputs))
    )


def _node(step: Step) -> Any:
    helper = _library().helper
    attributes = {name: _attribute(value) for name, value in step.attributes.items()}
    return helper.make_node(step.kind, list(step.inputs), list(step.outputs), name=step.name,
                            doc_string=_line_of(step.node), **attributes)  # fmt: skip


def _line_of(node: Node | None) -> str:
    """The user's file, without its folder, line and function, and what stands there."""
    location = None if node is None else node.location
    return "" if location is None else told(location._replace(file=os.path.basename(location.file)), location)


def _attribute(value: Any) -> Any:
    if isinstance(value, DType):
        return _element_type(value)
    if isinstance(value, Block):
        return _graph(value, value.name)
    return _array("", value) if isinstance(value, np.ndarray) else value


def _element_type(dtype: DType) -> int:
    onnx = _library()
    if dtype.kind == "S":
        return onnx.TensorProto.STRING
    return onnx.helper.np_dtype_to_tensor_dtype(dtype.numpy)


def _array(name: str, array: np.ndarray[Any, Any]) -> Any:
    onnx = _library()
    if array.dtype == object:
        return onnx.helper.make_tensor(name, onnx.TensorProto.STRING, array.shape, list(array.ravel()))
    return onnx.numpy_helper.from_array(np.ascontiguousarray(array).reshape(array.shape), name or None)


def _info(value: Value) -> Any:
    helper = _library().helper
    assert value.name is not None
    return helper.make_value_info(value.name, _type(value))


def _type(value: Value) -> Any:
    helper = _library().helper
    if value.dtype is variant:
        assert value.element is not None
        element = value.element
        return helper.make_sequence_type_proto(
            helper.make_tensor_type_proto(_element_type(element.dtype), _dims(None, element.shape))
        )
    return helper.make_tensor_type_proto(_element_type(value.dtype), _dims(value.dims, value.shape))


def _dims(names: Sequence[Any] | None, shape: Shape) -> Any:
    return names if names is not None else shape


