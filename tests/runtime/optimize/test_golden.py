"""What each pass makes of small functions, in the text files of `data/`; `pytest --update-golden` writes them anew.

A file starts with the passes that run. A case holds a function `f`, after comments that give the types of its
parameters (`# float32[?,3]`); the graph is shown as it was traced and as it becomes, and run both ways.
"""

from __future__ import annotations

import linecache
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autograph as tf
from autograph.__main__ import _spec
from autograph.runtime.engines.interpreter import interpret
from autograph.runtime.engines.numpy.plan import Plan
from autograph.runtime.ir.check import check
from autograph.runtime.ir.graph import Graph, Value
from autograph.runtime.ir.show import text
from autograph.runtime.optimize import PASSES, optimize
from tests.golden import Golden

FILES = sorted((Path(__file__).parent / "data").glob("*.test"))


def traced(source: str) -> Graph:
    filename = f"<optimized {hash(source)}>"
    linecache.cache[filename] = len(source), None, source.splitlines(keepends=True), filename
    namespace: dict[str, Any] = {"tf": tf, "np": np}
    exec(compile(source, filename, "exec"), namespace)
    specs = [_spec(line[2:]) for line in source.splitlines() if line.startswith("# ")]
    return tf.function(namespace["f"]).get_concrete_function(*specs).graph


def shown(graph: Graph) -> str:
    called = {node.called: None for node in graph.walk() if node.op.name == "call"}
    return "\n".join(re.sub(r" +# <optimized.*", "", text(each)) for each in (graph, *called))


def example(value: Value) -> Any:
    shape = [2 if n is None else n for n in value.type.shape or ()]
    kind = value.type.dtype.kind
    numbers = np.arange(1, int(np.prod(shape)) + 1).reshape(shape)
    return (numbers % 2 == 0 if kind == "b" else numbers).astype(value.type.dtype.numpy)


def outcome(run: Any) -> Any:
    try:
        return [np.asarray(part).tolist() for part in run()]
    except Exception as error:
        return repr(error)


def result(header: dict[str, str], source: str) -> str:
    graph = traced(source)
    before = shown(graph)
    done = optimize(graph, header["passes"].split(", "))
    check(done.graph)
    assert shown(graph) == before, "the traced graph has changed"
    if "random" in source:
        return f"{before}\n->\n{shown(done.graph)}"
    arrays = [example(value) for value in graph.inputs]
    expected = outcome(lambda: interpret(graph, arrays))
    assert outcome(lambda: interpret(done.graph, arrays)) == expected
    assert outcome(lambda: Plan(done.graph).run(*arrays)) == expected
    return f"{before}\n->\n{shown(done.graph)}"


@pytest.mark.filterwarnings("ignore:divide by zero:RuntimeWarning")
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_golden(path: Path, request: pytest.FixtureRequest) -> None:
    golden = Golden.read(path)
    if request.config.getoption("--update-golden"):
        golden.cases = {name: (source, result(golden.header, source)) for name, (source, _) in golden.cases.items()}
        golden.write(path)
    for name, (source, expected) in golden.cases.items():
        assert result(golden.header, source) == expected, name


def test_every_pass_has_cases() -> None:
    assert {path.stem for path in FILES} == set(PASSES)
    assert all(Golden.read(path).cases for path in FILES)
