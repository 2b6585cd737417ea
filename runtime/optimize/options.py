"""Which passes run: `tf.config.optimizer`, with TensorFlow's names, and ``AUTOGRAPH_OPTIMIZE=0`` for none.

Options count for graphs that run for the first time afterwards; what has run keeps the plan that it has.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from autograph.errors import InvalidArgumentError, InvalidTypeError
from autograph.settings import settings

from ..ir.graph import Graph

__all__ = ["get_experimental_options", "set_experimental_options"]

# TensorFlow's option -> the passes that it switches.
_PASSES = {
    "function_optimization": ("inlining",),
    "constant_folding": ("folding",),
    "arithmetic_optimization": ("identities", "sharing"),
    "shape_optimization": ("shapes",),
    "loop_optimization": ("branches", "invariants"),
}
# TensorFlow's names for what this project does elsewhere, does not do, or (the debug stripper) never should.
_WITHOUT_EFFECT = (
    "auto_mixed_precision", "auto_parallel", "debug_stripper", "dependency_optimization", "implementation_selector",
    "layout_optimizer", "pin_to_host_optimization", "remapping", "scoped_allocator_optimization",
)  # fmt: skip
_options: dict[str, Any] = {"disable_model_pruning": False, "disable_meta_optimizer": False}
_KNOWN = (*_PASSES, *_WITHOUT_EFFECT, *_options, "min_graph_nodes")


def set_experimental_options(options: Mapping[str, Any]) -> None:
    """Switch passes of the optimiser on (True, the default) or off (False); options not named stay as they are.

    Parameters
    ----------
    options: ``constant_folding``; ``arithmetic_optimization`` (identities and common sub-expressions);
        ``shape_optimization`` (chains of reshapes and the like); ``loop_optimization`` (loop-invariant code, and
        branches and loops whose condition is known); ``function_optimization`` (inlining). With
        ``disable_model_pruning`` dead code stays in the graph, with ``disable_meta_optimizer`` graphs run as they were
        traced; ``min_graph_nodes``, a number: smaller graphs run as they were traced. TensorFlow's other options are
        accepted and change nothing.

    Raises `InvalidArgumentError` for a name that is no option, `InvalidTypeError` for a value of the wrong type.
    """
    for name, value in options.items():
        if name not in _KNOWN:
            raise InvalidArgumentError(f"there is no optimizer option {name!r}; there are {', '.join(sorted(_KNOWN))}")
        wanted = int if name == "min_graph_nodes" else bool
        if type(value) is not wanted:
            raise InvalidTypeError(f"the optimizer option {name!r} is of type {wanted.__name__}, not {value!r}")
    _options.update(options)


def get_experimental_options() -> dict[str, Any]:
    """The options that have been set, and those that disable something."""
    return dict(_options)


def enabled_passes(graph: Graph) -> frozenset[str]:
    """The passes to run on a graph."""
    too_small = len(graph.nodes) < _options.get("min_graph_nodes", 0)
    if not settings.optimize or _options["disable_meta_optimizer"] or too_small:
        return frozenset()
    found = {name for option, names in _PASSES.items() if _options.get(option, True) for name in names}
    return frozenset(found if _options["disable_model_pruning"] else {*found, "dead_code"})
