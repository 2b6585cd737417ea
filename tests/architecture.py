"""How the product is built, read from its source: `python -m tests.architecture` prints the figures."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]

LAYERS = (
    "autograph.keras", "autograph.data", "autograph.distribute", "autograph.connect", "autograph.operators",
    "autograph.pipeline", "autograph.converters", "runtime.tools", "runtime.state", "runtime.functions",
    "runtime.gradient", "runtime.engines", "runtime.optimize", "runtime.ops", "runtime.tensors", "runtime.ir",
    "runtime.base",
)  # fmt: skip
"""The layers from the top down: a file imports from its own and from those further down."""


class Import(NamedTuple):
    """One import of a module of the product."""

    importer: str
    imported: str
    is_deferred: bool
    """Whether it stands in a function."""


def files() -> Iterator[Path]:
    """The files of the product."""
    for folder in ("autograph", "converters", "runtime"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            if not path.relative_to(ROOT).is_relative_to("autograph/runtime") and not path.relative_to(
                ROOT
            ).is_relative_to("autograph/converters"):
                yield path


def module_of(path: Path) -> str:
    """The name of a module, that of `autograph.runtime` shortened to `runtime`."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    parts = ("autograph", *parts) if parts[0] == "converters" else parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def trees() -> dict[str, ast.Module]:
    """The modules of the product."""
    return {module_of(path): ast.parse(path.read_text()) for path in files()}


@cache
def imports() -> list[Import]:
    """All imports of modules of the product by others, but for those that only type checkers see."""
    modules = {module_of(path): path for path in files()}
    found = []
    for name, path in modules.items():
        tree = trees()[name]
        package = name if path.name == "__init__.py" else name.rpartition(".")[0]
        for node, is_deferred in _statements(tree, False):
            for each in _named(node, package):
                target = _module(each, modules)
                if target is not None and target != name:
                    found.append(Import(name, target, is_deferred))
    return found


def _statements(node: ast.AST, is_deferred: bool) -> Iterator[tuple[ast.Import | ast.ImportFrom, bool]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.Import, ast.ImportFrom)):
            yield child, is_deferred
        elif not (isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test)):
            inside = is_deferred or isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
            yield from _statements(child, inside)


def _named(node: ast.Import | ast.ImportFrom, package: str) -> Iterator[str]:
    """What an import names, in full."""
    if isinstance(node, ast.Import):
        yield from (each.name for each in node.names)
        return
    parts = package.split(".")
    parts = parts[: len(parts) - node.level + 1] if node.level else []
    start = ".".join([*parts, *([node.module] if node.module else [])])
    yield from (f"{start}.{each.name}" for each in node.names)


def _module(name: str, modules: dict[str, Path]) -> str | None:
    name = name.removeprefix("autograph.") if name.startswith("autograph.runtime") else name
    while name and name not in modules:
        name = name.rpartition(".")[0]
    return name or None


def layer_of(module: str) -> int | None:
    """The number of a module's layer, from the top; None for the small modules that all layers use."""
    for number, layer in enumerate(LAYERS):
        if module == layer or module.startswith(f"{layer}."):
            return number
    return None


def upward() -> list[Import]:
    """The imports that run up."""
    found = []
    for each in imports():
        one, other = layer_of(each.importer), layer_of(each.imported)
        if one is not None and other is not None and other < one:
            found.append(each)
    return found


def tests_of_names() -> Counter[str]:
    """How often each file asks for the name of an op to decide by it, outside of `runtime/ir/`; texts may show it."""
    found: Counter[str] = Counter()
    for name, tree in trees().items():
        if name.startswith("runtime.ir"):
            continue
        parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and node.attr == "name" and ast.unparse(node.value).endswith("op"):
                found[name] += _decides(node, parents)
    return found


def _decides(node: ast.AST, parents: dict[ast.AST, ast.AST]) -> bool:
    """Whether something is compared, looked up, matched or kept under another name, not written or handed on."""
    parent = parents[node]
    while isinstance(parent, (ast.BoolOp, ast.IfExp, ast.Tuple)):
        node, parent = parent, parents[parent]
    if isinstance(parent, ast.Call):
        return isinstance(parent.func, ast.Attribute) and parent.func.attr in ("get", "pop", "startswith", "endswith")
    return isinstance(parent, (ast.Compare, ast.Match, ast.Subscript, ast.Assign, ast.NamedExpr))


_PARTS = ("then", "orelse", "test", "body", "graph", "backward")
_HOLDERS = {"COND", "WHILE", "CALL", "CUSTOM_GRADIENT"}


def positions() -> list[str]:
    """Where nodes that hold graphs are told by their ops, or what they hold by names or numbers.

    Outside of `runtime/ir/`, where `regions` gives such nodes classes, and these have names for what they hold.
    """
    return [
        f"{name}:{node.lineno}: {ast.unparse(node)}"
        for name, tree in trees().items()
        if not name.startswith("runtime.ir")
        for node in ast.walk(tree)
        if isinstance(node, (ast.Subscript, ast.Compare)) and _is_position(node)
    ]


def _is_position(node: ast.Subscript | ast.Compare) -> bool:
    if isinstance(node, ast.Compare):
        named = {part for each in node.comparators for part in ast.unparse(each).strip("()").split(", ")}
        return ast.unparse(node.left).endswith(".op") and bool(named & _HOLDERS)
    of, index = ast.unparse(node.value).rpartition(".")[2], ast.unparse(node.slice)
    return (of == "attributes" and index.strip("'") in _PARTS) or (of == "subgraphs" and index.strip("-").isdigit())


def edits() -> list[str]:
    """Where a node is edited outside of `runtime/ir/`: another one takes its place (`Graph.replace`)."""
    return [
        f"{name}:{node.lineno}: {ast.unparse(node)}"
        for name, tree in trees().items()
        if not name.startswith(("runtime.ir", "autograph.keras"))  # models have nodes, too
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and isinstance(node.ctx, ast.Store)
        and ast.unparse(node.value).endswith("node")
        and node.attr in ("op", "inputs", "attributes", "outputs", "subgraphs")
    ]


def searches() -> int:
    """How often the product asks the interpreter who holds an object, or how many do."""
    names = ("getrefcount", "get_referents", "get_referrers", "get_objects")
    return sum(
        isinstance(node, ast.Attribute) and node.attr in names for tree in trees().values() for node in ast.walk(tree)
    )


def unwanted_circles() -> tuple[int, int]:
    """The number of modules in circles of imports that span folders, and of those in the largest circle inside one."""
    graph: dict[str, set[str]] = {module_of(path): set() for path in files()}
    folders = {module_of(path): path.parent for path in files()}
    for each in imports():
        graph[each.importer].add(each.imported)
    across, inside = 0, 0
    for circle in _components(graph):
        if len({folders[name] for name in circle}) > 1:
            across += len(circle)
        elif len(circle) > 1:
            inside = max(inside, len(circle))
    return across, inside


def _components(graph: dict[str, set[str]]) -> Iterator[list[str]]:
    """The strongly connected components (Kosaraju)."""
    order: list[str] = []
    seen: set[str] = set()
    for start in graph:
        pending = [(start, iter(graph[start]))] if start not in seen else []
        seen.add(start)
        while pending:
            name, rest = pending[-1]
            for other in rest:
                if other not in seen:
                    seen.add(other)
                    pending.append((other, iter(graph[other])))
                    break
            else:
                order.append(name)
                pending.pop()
    back: dict[str, set[str]] = {name: set() for name in graph}
    for name, others in graph.items():
        for other in others:
            back[other].add(name)
    taken: set[str] = set()
    for start in reversed(order):
        if start in taken:
            continue
        component, pending_names = [], [start]
        taken.add(start)
        while pending_names:
            name = pending_names.pop()
            component.append(name)
            for other in back[name] - taken:
                taken.add(other)
                pending_names.append(other)
        yield component


Function = ast.FunctionDef | ast.AsyncFunctionDef


@cache
def functions() -> dict[str, list[Function]]:
    """The functions of each module."""
    return {name: [node for node in ast.walk(tree) if isinstance(node, Function)] for name, tree in trees().items()}


def lengths() -> list[int]:
    """The lines of each function, without its decorators, the shortest first."""
    every = (node for nodes in functions().values() for node in nodes)
    return sorted((node.end_lineno or node.lineno) - node.lineno + 1 for node in every)


def parameters() -> tuple[int, int]:
    """How many parameters are annotated, and how many of them with `Any`."""
    annotations = [
        each.annotation
        for nodes in functions().values()
        for node in nodes
        for each in ast.walk(node.args)
        if isinstance(each, ast.arg) and each.annotation is not None
    ]
    return len(annotations), sum(isinstance(each, ast.Name) and each.id == "Any" for each in annotations)


def full_folders() -> int:
    """How many folders hold more than 20 files of code."""
    counts = Counter(path.parent for path in files() if path.name != "__init__.py")
    return sum(count > 20 for count in counts.values())


def foreign_privates() -> Counter[str]:
    """How often each module uses a private name of another: imports it, or asks an object of another's class for it."""
    own = {name: set(_private_names_of(tree)) for name, tree in trees().items()}
    every = set().union(*own.values()) - _PYTHONS
    found: Counter[str] = Counter()
    for name, tree in trees().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute):
                is_own = isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")
                found[name] += not is_own and node.attr in every - own[name]
            elif isinstance(node, ast.ImportFrom):
                is_ours = node.level > 0 or (node.module or "").startswith("autograph")
                found[name] += sum(is_ours and _is_private(each.name) for each in node.names)
    return found


_PYTHONS = {"_getframe", "_replace"}
"""Names of Python's own library that everybody uses, `sys._getframe` and those of named tuples."""


def _private_names_of(tree: ast.AST) -> Iterator[str]:
    """The private names that a module gives: to itself, to its classes, to their objects."""
    for node in ast.walk(tree):
        if isinstance(node, Function | ast.ClassDef):
            names = [node.name]
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names = [node.id]
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            names = [node.attr] if isinstance(node.value, ast.Name) and node.value.id in ("self", "cls") else []
        elif isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__slots__":
            names = [str(each.value) for each in ast.walk(node.value) if isinstance(each, ast.Constant)]
        else:
            names = []
        yield from filter(_is_private, names)


def _is_private(name: str) -> bool:
    return name.startswith("_") and not name.endswith("__") and name != "_"


@cache
def figures() -> dict[str, int]:
    """The figures; each may only fall."""
    across, inside = unwanted_circles()
    short = lengths()
    annotated, vague = parameters()
    return {
        "imports that run up": len(upward()),
        "imports in functions": sum(each.is_deferred for each in imports()),
        "modules in circles across folders": across,
        "modules in the largest circle inside a folder": inside,
        "uses of another module's private name": sum(foreign_privates().values()),
        "% of parameters annotated `Any`": round(100 * vague / annotated),
        "lines of the median function": short[len(short) // 2],
        "lines of the longest function": short[-1],
        "files over 450 lines": sum(path.read_text().count("\n") > 450 for path in files()),
        "folders with more than 20 files of code": full_folders(),
        "tests of an op's name": sum(tests_of_names().values()),
        "questions who holds an object": searches(),
    }


if __name__ == "__main__":
    for name, count in figures().items():
        print(f"{count:5} {name}")
