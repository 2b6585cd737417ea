"""Writes one function of a plan, node by node."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ...base.dtypes import ALL, string
from ...ir.graph import Graph, Node, Value
from ...ir.primitive import CONSTANT, PLACEHOLDER, Call, Cond, While
from .. import costs
from ..names import BUILTINS, identifier

if TYPE_CHECKING:
    from .writer import Writer

# CPython allows 20 nested blocks and 100 levels of indentation: what lies deeper becomes a function of its own.
_MAX_DEPTH = 12
# Names of kernels, constants, attributes and functions are global, so that no variable may be called like them.
_RESERVED = ("op_", "const", "attr_", "call_", "part_", "as_string", "check_results", "require_room", "copy_of",
             "plan_nodes", "budget", "Spent", "clock", "record", "started_",
             *[dtype.name for dtype in ALL])  # fmt: skip


class Body:
    """Writes one function of a plan."""

    def __init__(self, writer: Writer, name: str) -> None:
        self._writer = writer
        self._name = name
        self._names: dict[Value, str] = {}
        self._counts: dict[str, int] = {}
        self._indent = "    "

    def write_graph(self, graph: Graph) -> None:
        """A function that takes the graph's inputs and returns its outputs."""
        parameters = [self._declare(value) for value in graph.inputs]
        self._header(parameters)
        if graph.calls_itself:
            self._line("require_room()", None)
        for value, name in zip(graph.inputs, parameters, strict=True):
            if value.type.shape == () and value.type.dtype.kind not in "SV" and self._writer.is_live(value):
                self._line(f"{name} = {name}[()]", None)  # NumPy is quicker on scalars than on 0-d arrays
        self._block(graph, graph.outputs)
        if not graph.never_returns:
            self._line(f"return ({''.join(self._use(value) + ', ' for value in graph.outputs)})", None)

    def write_node(self, node: Node) -> None:
        """A function that takes a node's live inputs and returns its live outputs."""
        inputs = [value for value in dict.fromkeys(node.inputs) if self._writer.is_live(value)]
        inputs = [value for value in inputs if value.node.op is not CONSTANT]
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
        if isinstance(node, While):
            node = node.body.parameters[value.index].node
        base = identifier(node.name.rpartition("/")[2])
        if len(node.outputs) > 1:
            base = f"{base}_{value.index}"
        if base.startswith(_RESERVED) or base in BUILTINS:
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
            own = value.node.graph is graph and value.node.op not in (PLACEHOLDER, CONSTANT)
            if own and self._writer.is_live(value) and value.type.shape != () and value not in stay:
                released.setdefault(node, []).append(value)
        for node in kept:
            if self._writer.profiled and node.op not in (CONSTANT, PLACEHOLDER):
                self._profiled_node(node)
            else:
                self._node(node)
            done = released.get(node)
            if done:
                self._line(f"del {', '.join(self._names[value] for value in done)}", None)

    def _profiled_node(self, node: Node) -> None:
        number = len(self._writer.profiled_nodes)
        self._writer.profiled_nodes.append(node)
        self._line(f"started_{number} = clock()", None)
        self._node(node)
        self._line(f"record({number}, started_{number})", None)

    def _node(self, node: Node) -> None:
        match node:
            case Cond() | While() if len(self._indent) > 4 * _MAX_DEPTH:
                self._deep_node(node)
            case Cond():
                self._cond(node)
            case While():
                self._while(node)
            case Call():
                self._call(node)
            case _ if node.op not in (CONSTANT, PLACEHOLDER):
                self._op(node)

    def _op(self, node: Node) -> None:
        inputs = [self._use(value) for value in node.inputs]
        template = None if node.attributes else _template(node)
        if template is not None:
            call = self._expression(node, template, inputs)
        else:
            keywords = [f"{key}={self._writer.attribute(key, value)}" for key, value in node.attributes.items()]
            call = f"{self._writer.kernel(node)}({', '.join([*inputs, *keywords])})"
        if self._writer.copies_view(node):
            call = f"copy_of({call})"
        outputs = node.outputs
        is_tuple = len(outputs) != 1 or _returns_tuple(node)
        if not is_tuple and outputs[0].type.dtype is string:
            call = f"as_string({call})"
        self._assign(outputs, call, node, always_tuple=is_tuple)
        if is_tuple:
            for value in outputs:
                if value.type.dtype is string:
                    self._line(f"{self._names[value]} = as_string({self._names[value]})", node)
        if self._writer.check_numerics and any(value.type.dtype.kind in "fc" for value in outputs):
            results = "".join(f"{self._names[value]}, " for value in outputs)
            given = "".join(f"{each}, " for each in inputs)
            self._line(f"check_results({node.op.name!r}, ({results}), ({given}))", node)

    def _expression(self, node: Node, template: str, inputs: Sequence[str]) -> str:
        expression = template.format(*inputs)
        if not node.op.divides or node.outputs[0].type.dtype.kind not in "iu":
            return expression
        divisor = node.inputs[1].node
        if divisor.op is CONSTANT and (divisor.attributes["value"] > 0).all():
            return expression
        call = f"{self._writer.kernel(node)}({', '.join(inputs)})"
        scalars = all(value.type.shape == () for value in node.inputs)
        return f"{expression} if {inputs[1]} > 0 else {call}" if scalars else call

    def _assign(self, outputs: Sequence[Value], call: str, node: Node, always_tuple: bool) -> None:
        names = [self._declare(value) for value in outputs]
        if not names:
            self._line(call, node)
        else:
            self._line(f"{', '.join(names)}{',' if always_tuple and len(names) == 1 else ''} = {call}", node)

    def _call(self, node: Call) -> None:
        name = self._writer.called(node.called)
        inputs = ", ".join([self._use(value) for value in node.inputs])
        self._assign(node.outputs, f"{name}({inputs})", node, always_tuple=True)

    def _deep_node(self, node: Node) -> None:
        live = [value for value in dict.fromkeys(node.inputs) if self._writer.is_live(value)]
        inputs = [self._use(value) for value in live if value.node.op is not CONSTANT]
        outputs = [value for value in node.outputs if self._writer.is_live(value)]
        self._assign(outputs, f"{self._writer.deep(node)}({', '.join(inputs)})", node, always_tuple=True)

    def _cond(self, node: Cond) -> None:
        wanted = [i for i, value in enumerate(node.outputs) if self._writer.is_live(value)]
        names = [self._declare(node.outputs[i]) for i in wanted]
        for word, branch in ((f"if {self._use(node.predicate)}:", node.then), ("else:", node.orelse)):
            self._adopt(branch, node.operands)
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

    def _while(self, node: While) -> None:
        test, body = node.subgraphs
        names = [self._declare(value) for value in node.outputs]
        if names:
            copied = self._writer.copied(node)
            initial = [self._use(value) for value in node.state]
            initial = [f"copy_of({name})" if k in copied else name for k, name in enumerate(initial)]
            self._line(f"{', '.join(names)} = {', '.join(initial)}", node)
        for part in (test, body):
            self._names.update(zip(part.parameters, names, strict=True))
            self._adopt(part, node.operands)
        self._line("while True:", node)
        outer, self._indent = self._indent, self._indent + "    "
        if self._writer.budget is not None:
            self._line(f"budget[0] -= {costs.of_turn(node)}", None)
            self._line("if budget[0] < 0: raise Spent", None)
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


def _template(node: Node) -> str | None:
    """The expression that computes a node; None where its kernel has to run."""
    found = node.op.expression
    return found(*[value.type for value in node.inputs]) if callable(found) else found


def _returns_tuple(node: Node) -> bool:
    """Whether the kernel of a node with one output wraps it in a tuple."""
    if node.op.expression is not None or isinstance(node.op.numpy, np.ufunc):
        return False
    inferred = node.op.infer(*[value.type for value in node.inputs], **node.attributes)
    return type(inferred) is tuple
