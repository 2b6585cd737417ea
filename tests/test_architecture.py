"""The layers of the product (see `architecture`): what does not hold yet is counted, and may only become less."""

from __future__ import annotations

import ast
from pathlib import Path

from .architecture import edits, figures, imports, positions, trees, upward

LEFT = {
    "imports that run up": 0,
    "imports in functions": 25,
    "modules in circles across folders": 0,
    "modules in the largest circle inside a folder": 2,
    "uses of another module's private name": 0,
    "% of parameters annotated `Any`": 10,
    "lines of the median function": 5,
    "lines of the longest function": 59,
    "files over 450 lines": 0,
    "folders with more than 20 files of code": 0,
    "tests of an op's name": 0,
    "questions who holds an object": 0,
}

_LATE = "the front half, which runs of saved models do without"
_NATIVE = "machine code, which a program may do without"
_XLA = "JAX, which takes long to load"
_CHECKS = "only with AUTOGRAPH_CHECKS"
DEFERRED = {
    ("autograph.config", "runtime.optimize.options"): "`tf.config` loads nothing that is not asked for",
    ("autograph.config", "runtime.state.devices"): "`tf.config` loads nothing that is not asked for",
    ("autograph.connect", "autograph.operators.calls"): _LATE,
    ("autograph.connect", "autograph.operators.staging.control.plain_trials"): _LATE,
    ("autograph.connect", "autograph.operators.staging.control.tracing"): _LATE,
    ("autograph.connect", "autograph.operators.staging.outside.outside_places"): _LATE,
    ("autograph.connect", "autograph.pipeline"): _LATE,
    ("autograph.distribute.mesh", "runtime.engines.xla.meshes"): _XLA,
    ("autograph.marks", "autograph.pipeline"): _LATE,
    ("autograph.operators.calls", "autograph.pipeline"): _LATE,
    ("autograph.operators.staging.outside.unconverted", "autograph.pipeline"): _LATE,
    ("autograph.operators.staging.prelude.library", "autograph.pipeline"): _LATE,
    ("runtime.engines.native", "runtime.engines.native.foreign"): _NATIVE,
    ("runtime.engines.native", "runtime.engines.native.run.assemble"): _NATIVE,
    ("runtime.engines.native", "runtime.engines.native.run.entry"): _NATIVE,
    ("runtime.engines.region", "runtime.engines.partition"): "a region divides its graph, and the parts are regions",
    ("runtime.engines.xla", "runtime.engines.xla.ops"): _XLA,
    ("runtime.engines.xla", "runtime.engines.xla.program"): _XLA,
    ("runtime.functions.function", "runtime.ir.check"): _CHECKS,
    ("runtime.gradient.call", "runtime.ir.check"): _CHECKS,
    ("runtime.optimize", "runtime.ir.check"): _CHECKS,
    ("runtime.tools.export.stablehlo.exporting", "runtime.tools.export.stablehlo.program"): _XLA,
}
"""The imports that stand in functions, and why."""


def test_the_figures_only_fall() -> None:
    found = figures()
    more = {name: count for name, count in found.items() if count > LEFT[name]}
    assert not more, "worse than before"
    assert found == LEFT, "better than before: write the new figures into `LEFT` and the README"


def test_imports_in_functions_have_a_reason() -> None:
    found = {(each.importer, each.imported) for each in imports() if each.is_deferred}
    assert found == DEFERRED.keys(), sorted(found ^ DEFERRED.keys())


def test_no_import_runs_up() -> None:
    assert not upward()


def test_only_the_graph_half_knows_how_nodes_hold_graphs() -> None:
    assert not positions(), "ask the node (`isinstance(node, While)`), which has names for what it holds"


def test_nodes_are_replaced_rather_than_edited() -> None:
    own = "runtime.optimize.dead_code"  # which trims the graph that the optimiser has just made
    assert not [each for each in edits() if not each.startswith(own)], "use `Graph.replace`"


def test_the_readme_quotes_the_figures() -> None:
    text = " ".join((Path(__file__).parents[1] / "README.md").read_text().split())
    for name, count in figures().items():
        assert f"{count} {name}" in text


def test_what_a_module_is_given_is_loaded() -> None:
    given = {
        call.args[0].value
        for tree in trees().values()
        for call in ast.walk(tree)
        if isinstance(call, ast.Call) and ast.unparse(call.func) == "Provided" and not call.keywords
        if isinstance(call.args[0], ast.Constant)
    }
    names = {each.imported.removeprefix("autograph.") for each in imports()}
    loaded = names | {name.rpartition(".")[0] for name in names}
    assert given - loaded == set(), "nobody imports the modules that give what others ask for"
