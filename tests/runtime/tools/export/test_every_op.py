"""A graph of one node, for every op and each of its samples: saved and loaded, it gives the same."""

from __future__ import annotations

import numpy as np
import pytest

import autograph as tf
from autograph.errors import SavingError
from autograph.runtime.functions.arguments import Parameters
from autograph.runtime.functions.concrete import ConcreteFunction
from autograph.runtime.ir.graph import Graph
from autograph.runtime.state.variable import Variable
from autograph.runtime.tensors.convert import wrap
from autograph.runtime.tensors.tensor import SymbolicTensor
from tests.runtime.ops.test_ops import CASES, input_type, promoted

pytestmark = pytest.mark.filterwarnings("ignore:(divide by zero|overflow|invalid value|Mean of empty):RuntimeWarning")


def graph_of(record, arrays, attributes):
    graph = Graph("one")
    inputs = [graph.parameter(input_type(array), "x") for array in arrays]
    graph.outputs = list(graph.add(record, inputs, attributes).outputs)
    return graph


def concrete_of(graph):
    def one(*tensors):
        pass

    tensors = tuple([SymbolicTensor(value) for value in graph.outputs])
    specs = tuple([tf.TensorSpec(value.shape, value.dtype) for value in graph.parameters])
    return ConcreteFunction(graph, Parameters(one), [specs], tensors)


def run(concrete, arrays):
    tf.random.set_seed(3)
    results = concrete.call_flat([wrap(array) for array in arrays])
    return [result.array for result in results]


def value_of(array):
    if isinstance(array, np.ndarray):
        return array.dtype, array.shape, array.tobytes() if array.dtype != object else array.tolist()
    return [item if item is None else value_of(np.asarray(item)) for item in array.items()]


@pytest.mark.parametrize(("record", "inputs", "attributes"), CASES)
def test_a_graph_of_one_node(record, inputs, attributes, tmp_path):
    arrays = promoted(record, inputs)
    concrete = concrete_of(graph_of(record, arrays, attributes))
    if record.unsavable:
        with pytest.raises(SavingError, match="Python object"):
            tf.saved_model.save(concrete, tmp_path)
        return
    tf.saved_model.save(concrete, tmp_path)
    loaded = tf.saved_model.load(tmp_path)
    (node,) = [node for node in loaded.graph.nodes if node.op.name != "placeholder"]
    assert node.op is record
    assert node.attributes.keys() == attributes.keys()
    if record.name == "timestamp":
        return
    expected, results = run(concrete, arrays), run(loaded, arrays)
    assert list(map(value_of, results)) == list(map(value_of, expected))
    for name, value in attributes.items():
        if isinstance(value, Variable):
            np.testing.assert_array_equal(node.attributes[name].numpy(), value.numpy())
