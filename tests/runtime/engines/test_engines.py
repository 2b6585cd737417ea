"""Engines behind one protocol: all that there are give the same, and a new one is a class and a call of `register`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import pytest

import autograph as tf
from autograph.config import settings
from autograph.errors import AutographError, GraphError, UnimplementedError
from autograph.runtime.engines.engine import ENGINES, Engine, Entry, NotLowered, register
from autograph.runtime.engines.partition import PART
from autograph.runtime.engines.planning import demanded, planned
from autograph.runtime.ir.graph import Graph, Node, Type
from autograph.runtime.ir.work import Work


class Doubling:
    """Runs `x + x` alone, on vectors of less than four elements, and remembers what it was asked to compile."""

    name, library, product, most_nodes = "doubling", "", "doublings", 100
    cuts_loops = True
    device = None

    def __init__(self) -> None:
        self.compiled: list[list[Type]] = []

    def is_wanted(self) -> bool:
        return True

    def missing(self) -> str | None:
        return None

    def obstacle(self, node: Node) -> str | None:
        is_sum = node.op.name == "add" and node.inputs[0] is node.inputs[1]
        return None if is_sum else f"{node.op.name} is no doubling"

    def pays(self, nodes: Sequence[Node]) -> bool:
        return True

    def work_of_compiling(self, nodes: Iterable[Node]) -> int:
        return 0

    def compile(self, graph: Graph, types: Sequence[Type], look: Callable[[], None] | None = None) -> Entry:
        self.compiled.append(list(types))
        if types[0].shape not in ((2,), (3,)):
            raise NotLowered("only short vectors are doubled", graph.nodes[-1], graph.nodes[-1])

        def entry(x: Any) -> Any:
            if x.shape != types[0].shape:
                return None
            if (x > 100).any():
                return False
            for _ in [node for node in graph.nodes if node.op.name == "add"]:
                x = 2 * x
            return (x,)

        return entry


@pytest.fixture
def doubling(monkeypatch: pytest.MonkeyPatch) -> Iterator[Doubling]:
    monkeypatch.setattr(settings, "native", False)
    engine = Doubling()
    register(engine)
    yield engine
    del ENGINES[engine.name]


def traced(function: Callable[..., Any], *types: tf.TensorSpec) -> Any:
    return tf.function(function).get_concrete_function(*types)


VECTOR = tf.TensorSpec([None], tf.float32)


def test_a_new_engine_runs_the_whole_graph_that_it_can_run(doubling: Doubling) -> None:
    concrete = traced(lambda x: (x + x) + (x + x), VECTOR)
    for n in (2, 3, 2):
        assert concrete(tf.ones([n])).numpy().tolist() == [4.0] * n
    assert [str(types[0]) for types in doubling.compiled] == ["float32[2]", "float32[3]"]
    assert "are doublings" in concrete.compiled


def test_it_runs_parts_of_a_graph_and_numpy_the_rest(doubling: Doubling) -> None:
    concrete = traced(lambda x: tf.reverse(x + x, [0]) - 1, VECTOR)
    assert concrete(tf.constant([1.0, 2.0])).numpy().tolist() == [3.0, 1.0]
    assert [node.name for node in concrete.plan.graph.nodes if node.op is PART] == ["doubling"]
    assert len(doubling.compiled) == 1


def test_where_it_has_no_code_or_gives_up_the_plan_runs(doubling: Doubling) -> None:
    concrete = traced(lambda x: x + x, VECTOR)
    assert concrete(tf.ones([5])).numpy().tolist() == [2.0] * 5
    assert concrete(tf.constant([1000.0, 1.0])).numpy().tolist() == [2000.0, 2.0]
    assert "not doublings together: only short vectors are doubled" in concrete.compiled


def test_what_it_cannot_run_is_refused_when_it_is_demanded(doubling: Doubling) -> None:
    with pytest.raises(AutographError, match="subtract is no doubling"):
        demanded(traced(lambda x: x - 1, VECTOR).optimized_graph, doubling)


def test_a_name_is_taken_once(doubling: Doubling) -> None:
    with pytest.raises(GraphError, match="already is an engine 'doubling'"):
        register(Doubling())


def test_without_engines_that_want_it_numpy_runs_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "native", False)
    graph = traced(lambda x: x + x, VECTOR).optimized_graph
    assert planned(graph).graph is graph


total = tf.Variable(1.0)


def newton(x: Any) -> Any:
    while abs(x * x - 2.0) > 1e-5:
        x = x - (x * x - 2.0) / (2.0 * x)
        total.assign_add(x)
    return x, total * 2.0


def collect(x: Any) -> Any:
    values = []
    for i in range(tf.cast(x, tf.int32)):
        if i % 2 == 0:
            values.append(tf.cast(i, tf.float32) * x)
    return tf.stack(values)


def checked(x: Any) -> Any:
    total.assign_add(1.0)
    if x > 3.0:
        raise ValueError(f"too large: {x}")
    assert x > 0.0, f"too small: {x:.2f}"
    return x + 1.0


@pytest.mark.parametrize("name", ["numpy", "interpreter", "native", "xla"])
@pytest.mark.parametrize("function", [newton, collect, checked])
@pytest.mark.parametrize("x", [1.0, 3.0, 7.0, -1.0])
def test_all_engines_give_the_same(name: str, function: Any, x: float) -> None:
    engine: Engine = ENGINES[name]
    if engine.missing() is not None:
        pytest.skip(str(engine.missing()))
    if function is newton and x < 0 or function is collect and x < 0:
        pytest.skip("another program's number")
    graph = traced(function, tf.TensorSpec([], tf.float32)).optimized_graph
    inputs = [np.float32(x)]

    def outcome(run: Any) -> Any:
        total.assign(1.0)
        try:
            found = [np.asarray(each) for each in run(*inputs)]
        except UnimplementedError as error:
            pytest.skip(str(error))
        except Exception as error:
            return type(error), str(error), total.numpy()
        return [each.round(3).tolist() for each in found], total.numpy().round(3)

    assert outcome(demanded(graph, engine).run) == outcome(planned(graph, jit_compile=False).run)


def raises(x: Any) -> Any:
    while x < 100.0:
        x = x * 2.0
        if x > 10.0:
            total.assign_add(x)
            names = ["a", str(x)]
            raise KeyError(", ".join(names), x)
    return x


def prints(x: Any) -> Any:
    for _ in tf.range(10):
        x = x * 2.0
        if x > 10.0:
            tf.print("too large:", x)
            raise ValueError("too large")
    return x


def test_texts_of_errors_keep_nothing_out_of_machine_code() -> None:
    engine = ENGINES["native"]
    if engine.missing() is not None:
        pytest.skip(str(engine.missing()))
    spec = tf.TensorSpec([], tf.float32)
    region = demanded(traced(raises, spec).optimized_graph, engine)
    assert region.run(np.float32(200.0)) == (200.0,)
    assert region.is_compiled
    total.assign(1.0)
    with pytest.raises(KeyError, match="a, 12.0") as caught:
        region.run(np.float32(3.0))
    assert total.numpy() == 13.0 and caught.value.args[1].numpy() == 12.0
    with pytest.raises(UnimplementedError, match="the op 'print' has no form in machine code"):
        demanded(traced(prints, spec).optimized_graph, engine)


def test_engines_say_of_every_node_whether_they_run_it() -> None:
    graph = traced(newton, tf.TensorSpec([], tf.float32)).graph
    nodes = [node for node in graph.walk() if node.op.work is not Work.NONE]
    for engine in ENGINES.values():
        if engine.missing() is not None:
            continue
        assert engine.product and engine.most_nodes > 0 and engine.work_of_compiling(nodes) >= 0
        assert [engine.obstacle(node) for node in nodes] == [None] * len(nodes)
