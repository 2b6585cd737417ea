"""What runs a graph: the engines that want it, in their order, each as much of it as it can; NumPy's plan the rest.

Where ``settings.engine`` names one, that one alone is asked, and NumPy's plan runs what it can't.
"""

from __future__ import annotations

from typing import Any

from autograph.errors import InvalidArgumentError, MissingExtraError
from autograph.settings import settings

from ..base.devices import HOST, Device
from ..ir.graph import Graph
from .engine import ENGINES, Engine, is_installed, known, plugged, register
from .native import NATIVE
from .numpy.plan import Plan
from .partition import PART, is_whole, obstacle, partition
from .partition import report as report_of_parts
from .plain import INTERPRETER, NUMPY
from .region import Region, refused, region
from .replicated import REPLICATED
from .spread import in_effect
from .xla import XLA, Xla, machine, xla_on

for _engine in (NATIVE, XLA, NUMPY, INTERPRETER):
    register(_engine)


def planned(graph: Graph, jit_compile: bool | None = None, device: Device | None = None) -> Any:
    """A plan for a graph, whose parts other engines run where that pays.

    ``jit_compile``: None, to choose; True, to demand that the engine of the settings, or machine code, runs the whole
    graph (`UnimplementedError` otherwise); False, to have NumPy run all of it.
    ``device``: where it shall run. On another device than Python's that is XLA's affair alone; what of the graph it
    can't run stays with NumPy, whatever ``jit_compile`` says but True. None, to choose: an accelerator where there is
    one, XLA can run the whole graph, and there is more in it than scalars.

    Raises `MissingExtraError` where an engine is asked for whose library is not there, `InvalidArgumentError` where the
    settings name one that there is not.
    """
    there = _elsewhere(graph, jit_compile, device)
    if there is not None:
        return there
    if jit_compile:
        engine = _chosen() or (XLA if _is_replicated(graph) else NATIVE)
        _require(engine, "jit_compile=True")
        return demanded(graph, engine)
    if jit_compile is None:
        for engine in _asked(graph):
            if is_whole(engine, graph):
                return region(graph, engine)
            graph, _ = partition(engine, graph)
    return Plan(graph)


def _elsewhere(graph: Graph, jit_compile: bool | None, device: Device | None) -> Any:
    """What runs a graph on a device, if that was asked for, or nothing was and there is an accelerator for it."""
    if device is not None and device != HOST:
        return _on_device(graph, xla_on(device), jit_compile)
    accelerator, chosen = None if in_effect() else machine.accelerator(), _chosen()
    if accelerator is None:
        return None
    if chosen is XLA:
        return _on_device(graph, xla_on(device or accelerator), jit_compile)
    if device is not None or chosen is not None or jit_compile is False:
        return None
    engine = xla_on(accelerator)
    if _obstacle_there(engine, graph) is not None:
        return None
    found = region(graph, engine, demanded=bool(jit_compile))
    found.otherwise = lambda: planned(graph, jit_compile, HOST)
    return found


def _on_device(graph: Graph, engine: Xla, jit_compile: bool | None) -> Any:
    chosen = _chosen()
    if chosen is not None and chosen is not XLA:
        assert engine.device is not None
        raise InvalidArgumentError(
            f"the engine {chosen.name!r} of the settings can't run on {engine.device.short}",
            remedy="leave AUTOGRAPH_ENGINE (settings.engine) empty, or take tf.device away",
        )
    if jit_compile:
        return demanded(graph, engine)
    if is_whole(engine, graph):
        return region(graph, engine)
    return Plan(partition(engine, graph)[0])


def _obstacle_there(engine: Xla, graph: Graph) -> str | None:
    """Why an accelerator does not run a graph, of which nobody has said where it shall run."""
    if all(value.type.shape == () for node in graph.walk() for value in node.outputs):
        return "there is nothing but scalars in it"
    found = obstacle(engine, graph.nodes)
    if found is not None:
        where = found[0].location
        return found[1] + ("" if where is None else f" ({where})")
    return None if is_whole(engine, graph) else "it is too long, or takes or gives lists"


def _chosen() -> Engine | None:
    """The engine that the settings name."""
    if not settings.engine:
        return None
    found = ENGINES.get(settings.engine) or plugged(settings.engine)
    if found is None:
        raise InvalidArgumentError(
            f"there is no engine {settings.engine!r}; there are {', '.join(known())}",
            remedy="set AUTOGRAPH_ENGINE, or settings.engine, to one of these, or to nothing",
        )
    _require(found, f"the engine {found.name!r}")
    return found


def _require(engine: Engine, what: str) -> None:
    if not is_installed(engine.library):
        package = f"'autograph-py[{engine.name}]'" if engine in (NATIVE, XLA) else engine.library
        raise MissingExtraError(f"{what} needs {engine.library}", remedy=f"pip install {package}")


def _is_replicated(graph: Graph) -> bool:
    return any(node.op is REPLICATED for node in graph.walk())


def _asked(graph: Graph) -> list[Engine]:
    """The engines that are offered a graph of which nothing is demanded."""
    chosen, spread = _chosen(), in_effect()
    if chosen is not None:
        return [] if chosen is NUMPY else [chosen]
    wanted = [engine for engine in ENGINES.values() if engine.is_wanted()]
    if spread is not None:
        return [ENGINES[spread.engine]]
    return [XLA, *wanted] if _is_replicated(graph) and XLA.missing() is None else wanted


def demanded(graph: Graph, engine: Engine) -> Region:
    """What has an engine run a whole graph from the first call on. Raises `UnimplementedError` where it can't."""
    here = engine.missing()
    if here is not None:
        raise refused(engine, None, here)
    found = obstacle(engine, graph.nodes)
    if found is not None:
        raise refused(engine, *found)
    return region(graph, engine, demanded=True)


def report(plan: Any, graph: Graph, device: Device | None = None) -> str:
    """Which engine runs what of a graph, and what stands in the way of the rest: one line for each part.

    ``plan`` is what `planned` has given for ``graph`` and ``device``.
    """
    lines = _report(plan, device)
    accelerator = machine.accelerator()
    if accelerator is None or device is not None or (isinstance(plan, Region) and plan.engine.device is not None):
        return lines
    reason = _obstacle_there(xla_on(accelerator), graph) or "the settings, or jit_compile=False, say otherwise"
    return f"it does not run on {accelerator.short}: {reason}\n{lines}"


def _report(plan: Any, device: Device | None) -> str:
    if isinstance(plan, Region):
        here = plan.engine.missing()
        return plan.report() if here is None else f"nothing is {plan.engine.product}: {here}"
    parts = (node.attributes["region"].engine for node in plan.graph.walk() if node.op is PART)
    there = None if device in (None, HOST) else xla_on(device)
    engine = there or next(parts, None) or _chosen() or NATIVE
    if engine is NUMPY:
        return "all runs through NumPy, the engine that settings.engine names"
    here = engine.missing()
    return report_of_parts(engine, plan.graph) if here is None else f"nothing is {engine.product}: {here}"
