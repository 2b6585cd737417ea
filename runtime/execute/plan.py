"""A graph becomes straight Python source over NumPy kernels: ``cond`` an ``if``, ``while`` a ``while``.

Nodes that nothing needs are dropped, arrays are released after their last use, and a table from lines to nodes
tells where the user's program failed, so that nothing has to be guarded op by op.
"""

from __future__ import annotations

import builtins
import keyword
import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..dtypes import ALL, string
from ..ir import Graph, Node, Value
from .failure import user_error
from .interpreter import as_string

# CPython allows 20 nested blocks and 100 levels of indentation: what lies deeper becomes a function of its own.
_MAX_DEPTH = 12
# Names of kernels, constants, attributes and functions are global, so that no variable may be called like them.
_RESERVED = ("op_", "const_", "attr_", "call_", "part_", "as_string", *[dtype.name for dtype in ALL])


class Plan:
    """A compiled graph. ``run(*arrays)`` takes an array for each of `Graph.inputs` and returns a tuple of outputs."""

    def __init__(self, graph: Graph) -> None:
        writer = _Writer()
        self.graph = graph
        self._entry = writer.function(graph)
        writer.write_called()
        self._lines = writer.lines
        self._nodes = writer.nodes
        self._file = f"<autograph plan of {graph.name}>"
        exec(compile("\n".join(writer.lines), self._file, "exec"), writer.globals)
        self._function: Callable[..., tuple[Any, ...]] = writer.globals[self._entry]

    def run(self, *inputs: Any) -> tuple[Any, ...]:
        """Run the graph. Raises what kernels and ``raise`` nodes raise, located at the user's lines."""
        try:
            with np.errstate(all="ignore"):
                return self._function(*inputs)
        except Exception as error:
            raise user_error(error, self._failed(error)) from error.__cause__

    def _failed(self, error: Exception) -> list[Node]:
        """The nodes whose lines are on the error's traceback, outermost first."""
        nodes: list[Node] = []
        traceback = error.__traceback__
        while traceback is not None:
            if traceback.tb_frame.f_code.co_filename == self._file:
                node = self._nodes[traceback.tb_lineno - 1]
                if node is not None and (not nodes or nodes[-1] is not node):
                    nodes.append(node)
            traceback = traceback.tb_next
        return [node for node in nodes[:-1] if node.op.name == "call"] + nodes[-1:]

    @property
    def source(self) -> str:
        """The generated source; comments name the user's lines."""
        shown = []
        for line, node in zip(self._lines, self._nodes, strict=True):
            location = node.location if node is not None else None
            if location is not None:
                line = f"{line:<48}  # {location.file.rpartition('/')[2]}:{location.line}"
            shown.append(line)
        return "\n".join(shown) + "\n"


class _Writer:
    """Writes the functions of one plan. ``lines`` and ``nodes`` (the node that made each line) grow together."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.nodes: list[Node | None] = []
        self.globals: dict[str, Any] = {"as_string": as_string}
        self._live: set[Value] = set()
        self._kept: set[Node] = set()
        self._functions: dict[Graph, str] = {}
        self._called: list[Graph] = []
        self._deep: list[tuple[str, Node]] = []
        self._constants: dict[Any, str] = {}

    def function(self, graph: Graph) -> str:
        """Write the function of a graph; return its name."""
        name = self._name_of(graph)
        self._mark(graph, graph.outputs)
        _Function(self, name).write_graph(graph)
        while self._deep:
            deep_name, node = self._deep.pop()
            _Function(self, deep_name).write_node(node)
        return name

    def write_called(self) -> None:
        """Write the functions of graphs that ``call`` nodes run."""
        while self._called:
            self.function(self._called.pop())

    def called(self, graph: Graph) -> str:
        if graph not in self._functions:
            self._name_of(graph)
            self._called.append(graph)
        return self._functions[graph]

    def _name_of(self, graph: Graph) -> str:
        name = self._functions.get(graph)
        if name is None:
            name = self.fresh_global(
                identifier(graph.name) if not self._functions else f"call_{identifier(graph.name)}"
            )
            self._functions[graph] = name
        return name

    def fresh_global(self, base: str) -> str:
        name, count = base, 1
        while name in self.globals:
            name, count = f"{base}_{count}", count + 1
        self.globals[name] = None
        return name

    def deep(self, node: Node) -> str:
        """The name of a function to be written for a node that lies too deep to be written in place."""
        name = self.fresh_global(f"part_{identifier(node.name)}")
        self._deep.append((name, node))
        return name

    def kernel(self, node: Node) -> str:
        name = "op_" + identifier(node.op.name)
        self.globals.setdefault(name, node.op.numpy)
        return name

    def constant(self, array: np.ndarray[Any, Any]) -> str:
        plain = array.ndim == 0 and array.dtype != object
        key = (array.dtype, array.tobytes()) if plain else id(array)
        name = self._constants.get(key)
        if name is None:
            base = f"{array.dtype.name}_{_number(array[()])}" if plain else "const_1"
            name = self._constants[key] = self.fresh_global(base)
            self.globals[name] = array[()] if plain else array
        return name

    def attribute(self, key: str, value: Any) -> str:
        if _is_literal(value):
            return repr(value)
        name = self.fresh_global(f"attr_{identifier(key)}")
        self.globals[name] = value
        return name

    def is_live(self, value: Value) -> bool:
        return value in self._live

    def is_kept(self, node: Node) -> bool:
        return node in self._kept

    def _mark(self, graph: Graph, roots: Sequence[Value]) -> None:
        """Find what is needed for the roots and the effects, from the last node to the first."""
        live = self._live
        live.update(roots)
        for node in reversed(graph.nodes):
            if not any(value in live for value in node.outputs) and not node.effect:
                continue
            self._kept.add(node)
            attributes = node.attributes
            if node.op.name == "cond":
                wanted = [i for i, value in enumerate(node.outputs) if value in live]
                for branch in (attributes["then"], attributes["orelse"]):
                    self._mark(branch, [] if branch.never_returns else [branch.outputs[i] for i in wanted])
                live.add(node.inputs[0])
                self._mark_operands(node.inputs[1:], attributes["then"].inputs, attributes["orelse"].inputs)
            elif node.op.name == "while":
                count = attributes["count"]
                for part in (attributes["test"], attributes["body"]):
                    self._mark(part, part.outputs)
                live.update(node.inputs[:count])
                inner = [attributes[part].inputs[count:] for part in ("test", "body")]
                self._mark_operands(node.inputs[count:], *inner)
            else:
                live.update(node.inputs)

    def _mark_operands(self, operands: Sequence[Value], *inner: Sequence[Value]) -> None:
        for operand, *twins in zip(operands, *inner, strict=True):
            if any(twin in self._live for twin in twins):
                self._live.add(operand)


class _Function:
    """Writes one function of a plan."""

    def __init__(self, writer: _Writer, name: str) -> None:
        self._writer = writer
        self._name = name
        self._names: dict[Value, str] = {}
        self._counts: dict[str, int] = {}
        self._indent = "    "

    def write_graph(self, graph: Graph) -> None:
        """A function that takes the graph's inputs and returns its outputs."""
        parameters = [self._declare(value) for value in graph.inputs]
        self._header(parameters)
        for value, name in zip(graph.inputs, parameters, strict=True):
            if value.type.shape == () and value.type.dtype.kind not in "SV" and self._writer.is_live(value):
                self._line(f"{name} = {name}[()]", None)  # NumPy is quicker on scalars than on 0-d arrays
        self._block(graph, graph.outputs)
        if not graph.never_returns:
            self._line(f"return ({''.join(self._use(value) + ', ' for value in graph.outputs)})", None)

    def write_node(self, node: Node) -> None:
        """A function that takes a node's live inputs and returns its live outputs."""
        inputs = [value for value in dict.fromkeys(node.inputs) if self._writer.is_live(value)]
        inputs = [value for value in inputs if value.node.op.name != "constant"]
        self._header([self._declare(value) for value in inputs])
        self._node(node)
        outputs = [value for value in node.outputs if self._writer.is_live(value)]
        self._line(f"return ({''.join(self._use(value) + ', ' for value in outputs)})", None)

    def _header(self, parameters: Sequence[str]) -> None:
        if self._writer.lines:
            for _ in range(2):
                self._writer.lines.append("")
                self._writer.nodes.append(None)
        self._writer.lines.append(f"def {self._name}({', '.join(parameters)}):")
        self._writer.nodes.append(None)

    def _line(self, text: str, node: Node | None) -> None:
        self._writer.lines.append(self._indent + text)
        self._writer.nodes.append(node)

    def _declare(self, value: Value) -> str:
        node = value.node
        if node.op.name == "while":
            node = node.attributes["body"].parameters[value.index].node
        base = identifier(node.name.rpartition("/")[2])
        if len(node.outputs) > 1:
            base = f"{base}_{value.index}"
        if base.startswith(_RESERVED) or hasattr(builtins, base):
            base = f"{base}_"
        count = self._counts.get(base)
        while count is not None and f"{base}_{count}" in self._counts:
            count += 1
        name = base if count is None else f"{base}_{count}"
        self._counts[base] = 1 if count is None else count + 1
        self._counts.setdefault(name, 1)
        self._names[value] = name
        return name

    def _use(self, value: Value) -> str:
        name = self._names.get(value)
        if name is None:  # constants are never declared
            name = self._names[value] = self._writer.constant(value.node.attributes["value"])
        return name

    def _block(self, graph: Graph, results: Sequence[Value]) -> None:
        """The nodes of a graph, with ``del`` after the last use of what isn't a scalar."""
        kept = [node for node in graph.nodes if self._writer.is_kept(node)]
        last: dict[Value, Node] = {value: node for node in kept for value in node.inputs}
        released: dict[Node, list[Value]] = {}
        stay = set(results)
        for value, node in last.items():
            own = value.node.graph is graph and value.node.op.name not in ("placeholder", "constant")
            if own and value.type.shape != () and value not in stay:
                released.setdefault(node, []).append(value)
        for node in kept:
            self._node(node)
            done = released.get(node)
            if done:
                self._line(f"del {', '.join(self._names[value] for value in done)}", None)

    def _node(self, node: Node) -> None:
        match node.op.name:
            case "constant" | "placeholder":
                return
            case "cond" | "while" if len(self._indent) > 4 * _MAX_DEPTH:
                self._deep_node(node)
            case "cond":
                self._cond(node)
            case "while":
                self._while(node)
            case "call":
                self._call(node)
            case _:
                self._op(node)

    def _op(self, node: Node) -> None:
        inputs = [self._use(value) for value in node.inputs]
        if node.op.expression is not None and not node.attributes:
            call = node.op.expression.format(*inputs)
        else:
            keywords = [f"{key}={self._writer.attribute(key, value)}" for key, value in node.attributes.items()]
            call = f"{self._writer.kernel(node)}({', '.join([*inputs, *keywords])})"
        outputs = node.outputs
        if len(outputs) == 1 and outputs[0].type.dtype is string:
            call = f"as_string({call})"
        self._assign(outputs, call, node, always_tuple=len(outputs) != 1 or _returns_tuple(node))
        if len(outputs) > 1:
            for value in outputs:
                if value.type.dtype is string:
                    self._line(f"{self._names[value]} = as_string({self._names[value]})", node)

    def _assign(self, outputs: Sequence[Value], call: str, node: Node, always_tuple: bool) -> None:
        names = [self._declare(value) for value in outputs]
        if not names:
            self._line(call, node)
        else:
            self._line(f"{', '.join(names)}{',' if always_tuple and len(names) == 1 else ''} = {call}", node)

    def _call(self, node: Node) -> None:
        name = self._writer.called(node.attributes["graph"])
        inputs = ", ".join([self._use(value) for value in node.inputs])
        self._assign(node.outputs, f"{name}({inputs})", node, always_tuple=True)

    def _deep_node(self, node: Node) -> None:
        live = [value for value in dict.fromkeys(node.inputs) if self._writer.is_live(value)]
        inputs = [self._use(value) for value in live if value.node.op.name != "constant"]
        outputs = [value for value in node.outputs if self._writer.is_live(value)]
        self._assign(outputs, f"{self._writer.deep(node)}({', '.join(inputs)})", node, always_tuple=True)

    def _cond(self, node: Node) -> None:
        then, orelse = node.attributes["then"], node.attributes["orelse"]
        wanted = [i for i, value in enumerate(node.outputs) if self._writer.is_live(value)]
        names = [self._declare(node.outputs[i]) for i in wanted]
        for word, branch in ((f"if {self._use(node.inputs[0])}:", then), ("else:", orelse)):
            self._adopt(branch, node.inputs[1:])
            results = [] if branch.never_returns else [branch.outputs[i] for i in wanted]
            self._line(word, node)
            self._branch(branch, results, names)

    def _branch(self, branch: Graph, results: Sequence[Value], names: Sequence[str]) -> None:
        outer, self._indent = self._indent, self._indent + "    "
        before = len(self._writer.lines)
        self._block(branch, results)
        if results:
            self._line(f"{', '.join(names)} = {', '.join(map(self._use, results))}", None)
        if len(self._writer.lines) == before:
            self._line("pass", None)
        self._indent = outer

    def _while(self, node: Node) -> None:
        test, body, count = (node.attributes[key] for key in ("test", "body", "count"))
        names = [self._declare(value) for value in node.outputs]
        if names:
            self._line(f"{', '.join(names)} = {', '.join(map(self._use, node.inputs[:count]))}", node)
        for part in (test, body):
            self._names.update(zip(part.parameters, names, strict=True))
            self._adopt(part, node.inputs[count:])
        self._line("while True:", node)
        outer, self._indent = self._indent, self._indent + "    "
        self._block(test, test.outputs)
        if not test.never_returns:
            self._line(f"if not {self._use(test.outputs[0])}: break", node)
        self._block(body, body.outputs)
        if names and not body.never_returns:
            self._line(f"{', '.join(names)} = {', '.join(map(self._use, body.outputs))}", None)
        self._indent = outer

    def _adopt(self, graph: Graph, operands: Sequence[Value]) -> None:
        """Let the captured values of a sub-graph go by the names that they have outside."""
        for operand, inner in zip(operands, graph.captures.values(), strict=True):
            if self._writer.is_live(inner):
                self._names[inner] = self._use(operand)


def _returns_tuple(node: Node) -> bool:
    """Whether the kernel of a node with one output wraps it in a tuple."""
    inferred = node.op.infer(*[value.type for value in node.inputs], **node.attributes)
    return type(inferred) is tuple


def identifier(name: str) -> str:
    """A Python identifier made from any name."""
    name = re.sub(r"\W", "_", name)
    if not name or name[0].isdigit() or keyword.iskeyword(name) or name in ("True", "False", "None"):
        name = f"_{name}"
    return name


def _number(value: Any) -> str:
    """A number as part of a name: ``neg_2``, ``0_5``."""
    return re.sub(r"\W", "_", str(value).replace("-", "neg_").replace("+", ""))


def _is_literal(value: Any) -> bool:
    if type(value) is tuple:
        return all(map(_is_literal, value))
    return value is None or type(value) in (bool, int, str)
