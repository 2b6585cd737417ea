"""The layers of the product (see `architecture`): what does not hold yet is counted, and may only become less."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from .architecture import LAYERS, edits, figures, layer_of, positions, upward

LEFT = {
    "imports that run up": 2,
    "imports in functions": 162,
    "modules in circles across folders": 150,
    "modules in the largest circle inside a folder": 16,
    "uses of another module's private name": 179,
    "% of parameters annotated `Any`": 39,
    "lines of the median function": 5,
    "lines of the longest function": 60,
    "files over 450 lines": 0,
    "folders with more than 20 files of code": 4,
    "tests of an op's name": 0,
    "questions who holds an object": 0,
}

UPWARD = {
    ("runtime.ops", "runtime.state"): 1,
    ("autograph.pipeline", "autograph.operators"): 1,
}
"""How many imports run up, by the layers of the two modules."""


def test_the_figures_only_fall() -> None:
    found = figures()
    more = {name: count for name, count in found.items() if count > LEFT[name]}
    assert not more, "worse than before"
    assert found == LEFT, "better than before: write the new figures into `LEFT` and the README"


def test_no_other_imports_run_up() -> None:
    found = Counter((_layer(each.importer), _layer(each.imported)) for each in upward())
    assert found == UPWARD, sorted(upward())


def test_only_the_graph_half_knows_how_nodes_hold_graphs() -> None:
    assert not positions(), "ask the node (`isinstance(node, While)`), which has names for what it holds"


def test_nodes_are_replaced_rather_than_edited() -> None:
    own = "runtime.optimize.dead_code"  # which trims the graph that the optimiser has just made
    assert not [each for each in edits() if not each.startswith(own)], "use `Graph.replace`"


def test_the_readme_quotes_the_figures() -> None:
    text = " ".join((Path(__file__).parents[1] / "README.md").read_text().split())
    for name, count in figures().items():
        assert f"{count} {name}" in text


def _layer(module: str) -> str:
    number = layer_of(module)
    assert number is not None
    return LAYERS[number]
