"""`f(x)` looks up the converted form of `f` first.

>>> from autograph.converters.base import show
>>> show(Calls, "y = f(x, *rest, key=g(z)) if isinstance(x, int) else super().f(x)")
y = ag__.call(f)(x, *rest, key=ag__.call(g)(z)) if ag__.call(isinstance)(x, int) else ag__.call(super().f)(x)
"""

from __future__ import annotations

import builtins
from typing import ClassVar

import gast

from autograph.analysis.scopes import scopes

from ..base import Pass
from ..build import is_operator, operator_call

# They look at the frame that calls them, or tell a type from another: there is nothing to convert or to stage.
LEFT_ALONE = frozenset(("super", "locals", "globals", "vars", "dir", "eval", "exec", "issubclass"))
# While nothing is staged, these have no use for converted functions either.
PLAIN = LEFT_ALONE | {
    "abs", "all", "any", "ascii", "bin", "bool", "bytearray", "bytes", "callable", "chr", "complex", "divmod",
    "enumerate", "float", "format", "frozenset", "getattr", "hasattr", "hash", "hex", "id", "int", "isinstance", "iter",
    "len", "list", "memoryview", "next", "object", "oct", "open", "ord", "pow", "print", "range", "repr", "reversed",
    "round", "set", "slice", "str", "sum", "tuple", "type", "zip",
}  # fmt: skip
FRAME_READERS = frozenset(("locals", "vars", "dir"))
READERS = frozenset(("vars", "dir"))
"""Those that read an object, if they are given one: which attributes it has may be staged."""
EXCEPTIONS = frozenset(
    name for name, value in vars(builtins).items() if isinstance(value, type) and issubclass(value, BaseException)
)


class Calls(Pass):
    """Rewrites calls."""

    looks_at = (gast.Call,)
    left_alone: ClassVar = LEFT_ALONE

    def begin(self) -> None:
        self._skipped = skipped = self.left_alone | EXCEPTIONS | self.context.generated
        variables = self.context.variables
        self._may_be_variables = skipped if variables is None else skipped.intersection(variables)
        if self._may_be_variables:
            self.scopes = self.analysis(scopes)

    def leave_Call(self, node: gast.Call) -> gast.AST:
        function = node.func
        if isinstance(function, gast.Name):
            if function.id in self._skipped and not self._is_variable(function.id):
                if function.id in FRAME_READERS and not node.args and not node.keywords:
                    return operator_call("user_names", [node], node)
                if function.id == "globals":
                    return operator_call("module_variables", [node], node)
                is_given = function.id in READERS or (function.id in ("eval", "exec") and _has_namespace(node))
                if not is_given:
                    return node
        elif isinstance(function, gast.Lambda) or is_operator(function) or self._is_generated(function):
            return node
        node.func = operator_call("call", [function], function)
        return node

    def _is_generated(self, function: gast.AST) -> bool:
        """Whether a method of an object that a pass has made is called."""
        owner = function.value if isinstance(function, gast.Attribute) else None
        return isinstance(owner, gast.Name) and owner.id in self.context.generated

    def _is_variable(self, name: str) -> bool:
        """Whether a function around the call has a variable of this name: then it is not the built-in."""
        if name in self.context.generated or name not in self._may_be_variables:
            return False
        found = self.scopes
        bit = found.names.bit(name)
        return any(found.scope_of[each].local_bits & bit for each in self.context.enclosing if each in found.scope_of)


class PlainCalls(Calls):
    """Rewrites calls in code in which nothing is staged."""

    left_alone = PLAIN


def _has_namespace(node: gast.Call) -> bool:
    """Whether `eval` or `exec` is given the variables, and so looks at no frame; it may change what they hold."""
    return len(node.args) + len(node.keywords) > 1 and not any(isinstance(each, gast.Starred) for each in node.args[:2])
