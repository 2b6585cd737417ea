"""Every op over each of its samples: onnxruntime gives what our kernels do, or the export is refused.

Each sample is exported with the shapes of its inputs, and with dimensions that are not known.
"""

from __future__ import annotations

from typing import Any

import pytest

from autograph.errors import SavingError
from autograph.runtime.base.dtypes import variant
from autograph.runtime.ir.graph import Graph
from autograph.runtime.ir.op import OPS, Op, Type
from autograph.runtime.tools.export.onnx.program import model_of_graph
from tests.runtime.ops.test_ops import CASES, input_type, promoted, run
from tests.runtime.tools.export.onnx.common import check_same, run_model

pytestmark = pytest.mark.filterwarnings("ignore:(divide by zero|overflow|invalid value|Mean of empty):RuntimeWarning")
DRAWS = {
    "generator_draw", "stateless_random_categorical", "stateless_random_gamma", "stateless_random_normal",
    "stateless_random_poisson", "stateless_random_shuffle", "stateless_random_state",
    "stateless_random_truncated_normal", "stateless_random_uniform",
}  # fmt: skip
"""Ops that draw numbers of a seed, which are refused."""


def is_numeric(arrays: list[Any]) -> bool:
    types = [input_type(array) for array in arrays]
    return all(t.dtype is not variant and t.dtype.kind not in "Sc" for t in types)


NUMERIC = [case for case in CASES if is_numeric(list(case.values[1]))]


def model_for(record: Op, arrays: list[Any], attributes: dict[str, Any], blur: bool) -> Any:
    graph = Graph("one")
    types = [input_type(array) for array in arrays]
    if blur:
        types = [Type(t.dtype, (None,) * len(t.shape or ())) for t in types]
    inputs = [graph.parameter(each, "x") for each in types]
    graph.outputs = list(graph.add(record, inputs, attributes).outputs)
    names = [f"x{i}" for i in range(len(arrays))]
    return model_of_graph(graph, graph, names, [f"y{i}" for i in range(len(graph.outputs))], [])


@pytest.mark.parametrize("blur", [False, True], ids=["shapes", "unknown"])
@pytest.mark.parametrize("record, inputs, attributes", NUMERIC)
def test_a_sample(record: Op, inputs: Any, attributes: dict[str, Any], blur: bool) -> None:
    arrays = promoted(record, inputs)
    try:
        model = model_for(record, arrays, attributes, blur)
    except SavingError:
        return
    results = run_model(model, {f"x{i}": array for i, array in enumerate(arrays)})
    for one, other in zip(run(record, arrays, attributes), results, strict=True):
        check_same(one, other)


def is_exported(record: Op, inputs: Any, attributes: dict[str, Any]) -> bool:
    try:
        model_for(record, promoted(record, inputs), attributes, blur=False)
    except SavingError:
        return False
    return True


def test_most_ops_are_exported(record_property: pytest.RecordProperty) -> None:
    """Of those that calculate something of real numbers: they have no effects, draw nothing, give no text."""
    names: dict[str, bool] = {}
    tried = refused = 0
    for case in NUMERIC:
        record = case.values[0]
        if record.effect or record.name in DRAWS or not gives_numbers(case):
            continue
        done = is_exported(*case.values)
        tried, refused = tried + 1, refused + (not done)
        names[record.name] = names.get(record.name, False) or done
    exported = sorted(name for name, done in names.items() if done)
    record_property("note", f"ONNX: {len(exported)} of {len(names)} ops that calculate are exported; "
                    f"{refused} of their {tried} samples are refused")  # fmt: skip
    assert len(exported) >= 0.85 * len(names), sorted(names.keys() - set(exported))


def gives_numbers(case: Any) -> bool:
    record, inputs, attributes = case.values
    found = record.infer(*map(input_type, promoted(record, inputs)), **attributes)
    return all(t.dtype.kind in "biuf" and t.dtype is not variant for t in ([found] if type(found) is Type else found))


def test_all_lowerings_belong_to_ops() -> None:
    assert sum("onnx" in record.lowerings for record in OPS.values()) >= 150
