"""What `if`, `while` and `for` share: bodies become local functions over the variables of the function around them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

import gast

from autograph.analysis.assignment import assignment
from autograph.analysis.bodies import bodies
from autograph.analysis.liveness import liveness
from autograph.analysis.scopes import Scope, scopes
from autograph.source.names import mangle

from . import build
from .base import Context, Pass
from .variables.bindings import unbound_names


class ClosurePass(Pass):
    """Base of the passes that turn suites into local functions, as the analysis `bodies` says."""

    body_names: ClassVar[tuple[str, ...]] = ()
    """What the local functions are called."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.functions = [context.generated_name(name) for name in self.body_names]

    def begin(self) -> None:
        self.scopes = self.analysis(scopes)
        self.live = self.analysis(liveness)
        self.assigned = self.analysis(assignment)
        self.bodies = self.analysis(bodies)
        for node, reason in self.bodies.native.items():
            if isinstance(node, self.looks_at):
                self.keep_native(node, reason)

    def native(self, node: gast.AST, field: str, operator: str) -> Any:
        """A statement that stays native refuses a staged test or iterable."""
        reason = self.bodies.native.get(node)
        value = getattr(node, field)
        if reason is not None and not isinstance(value, gast.Constant):
            setattr(node, field, build.operator_call(operator, [value, build.constant(reason, value)], value))
        return node

    def written(self, nodes: Iterable[Any]) -> int:
        """The bits of the names that parts of a function bind or unbind.

        Left out are functions that passes have made, which are used where they are made.
        """
        bits = 0
        for node in nodes:
            activity = self.scopes[node]
            bits |= activity.written_bits | activity.deleted_bits
        return bits & ~self.scopes.names.bits(self.context.generated)

    def state(self, statement: gast.AST, parts: Iterable[Any], live: int) -> list[str]:
        """The names that parts of a statement write and whose value matters afterwards."""
        owner = self.scopes.owners[statement]
        bits = 0
        for part in parts:
            activity = self.scopes[part]
            bits |= activity.written_bits | activity.deleted_bits | activity.inner_written_bits
        class_name = self.context.private_class()
        found = self.scopes.names.decode(bits & (live & _own_bits(owner) | owner.always_live_bits))
        return sorted(mangle(name, class_name) for name in found)

    def closure(
        self,
        name: str,
        statement: gast.AST,
        body: list[Any],
        bits: int,
        live: int,
        at: gast.AST,
        parameters: Sequence[str] = (),
    ) -> Any:
        """A local function. Of the names that it writes (``bits``), those live where it begins or ends belong to the
        function around it; the rest are its own."""
        owner = self.scopes.owners[statement]
        declarations: list[Any] = []
        decode = self.scopes.names.decode
        if bits & owner.global_bits:
            declarations.append(build.located(gast.Global(sorted(decode(bits & owner.global_bits))), at))
        known = owner.local_bits & ~self.assigned.maybe_undefined_before.bits[statement]
        outer = bits & ~owner.global_bits & (live | owner.always_live_bits | known)
        if outer:
            declarations.append(build.made(gast.Nonlocal, at, names=sorted(decode(outer))))
        own = decode(bits & ~owner.global_bits & ~outer)
        declarations += [build.declaration(each, at) for each in sorted(unbound_names(body) & own)]
        node = build.function(name, declarations + body, at, parameters)
        node.outer_names = decode(outer)
        return node


def _own_bits(scope: Scope) -> int:
    return scope.local_bits | scope.global_bits | scope.nonlocal_bits
