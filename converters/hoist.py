"""The base of passes that move parts of expressions into local functions in front of the statement."""

from __future__ import annotations

import gast

from .base import Context, Pass, Rewritten
from .build import call, declaration, function, located, name, returned
from .lazy import scope_around


class Hoisting(Pass):
    """Walks a function; what a handler gives to `hoist` comes in front of the statement that is being rewritten.

    A lambda that needs local functions becomes a local function itself.
    """

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._hoisted: list[gast.AST] = []
        self._comprehensions = 0
        self._declared: dict[gast.AST, dict[str, None]] = {}

    def hoist(self, definition: gast.AST) -> None:
        """Puts a function, of which the body has been rewritten, in front of the current statement."""
        self.context.generated.add(definition.name)
        self._hoisted.append(definition)

    def can_hoist(self) -> bool:
        """Whether there is a place for local functions that sees the same variables.

        There is none in a class body, and none in a comprehension that stays one; nor in a lambda there.
        """
        if self._comprehensions:
            return False
        for scope in reversed(self.context.enclosing):
            if not isinstance(scope, gast.Lambda):
                return not isinstance(scope, gast.ClassDef)
        return False

    def inside(self, definition: gast.AST, statements: list[gast.AST]) -> list[gast.AST]:
        """Rewrites statements as part of the body of a function."""
        self.context.enclosing.append(definition)
        result = self.visit_all(statements)
        self.context.enclosing.pop()
        return result

    def sharing(self, names: list[str], at: gast.AST) -> list[gast.AST]:
        """The declarations by which a local function binds variables of the user's function around it.

        That function may be left without a statement that makes them its own, so it gets a declaration.
        """
        scope = scope_around(self)
        global_names = [each for each in names if each in scope.globals]
        shared = [each for each in names if each not in scope.globals]
        own = self._declared.setdefault(scope.node, {})
        own.update((each, None) for each in shared if each in scope.locals and each not in scope.parameters)
        result: list[gast.AST] = [located(gast.Global(global_names), at)] if global_names else []
        return [*result, located(gast.Nonlocal(shared), at)] if shared else result

    def visit(self, node: gast.AST) -> Rewritten:
        if not isinstance(node, gast.stmt):
            return super().visit(node)
        outer, self._hoisted = self._hoisted, []
        result = super().visit(node)
        hoisted, self._hoisted = self._hoisted, outer
        if node in self._declared:
            self._declare(node, node)
        if not hoisted:
            return result
        return [*hoisted, *(result if isinstance(result, list) else [result])]

    def visit_ListComp(self, node: gast.AST) -> gast.AST:
        """Walks a comprehension that stays one; only its first iterable is not part of its scope."""
        first = node.generators[0]
        first.iter = self.visit(first.iter)
        self._comprehensions += 1
        for field in ("elt", "key", "value"):
            if hasattr(node, field):
                setattr(node, field, self.visit(getattr(node, field)))
        for each in node.generators:
            each.target = self.visit(each.target)
            each.iter = each.iter if each is first else self.visit(each.iter)
            each.ifs = [self.visit(condition) for condition in each.ifs]
        self._comprehensions -= 1
        return node

    visit_SetComp = visit_DictComp = visit_GeneratorExp = visit_ListComp

    def visit_Lambda(self, node: gast.Lambda) -> gast.AST:
        node.args = self.visit(node.args)
        outer, self._hoisted = self._hoisted, []
        self.context.enclosing.append(node)
        node.body = self.visit(node.body)
        self.context.enclosing.pop()
        hoisted, self._hoisted = self._hoisted, outer
        return self._named(node, hoisted) if hoisted else node

    def _named(self, node: gast.Lambda, hoisted: list[gast.AST]) -> gast.AST:
        """A local function in place of a lambda. Defaults are evaluated where the lambda was: they become arguments."""
        definition = function(self.fresh("lambda_"), [*hoisted, returned(node.body, node.body)], node)
        definition.was_thunk = getattr(node, "generated", False)
        definition.args = node.args
        self._declare(node, definition)
        defaults = [*node.args.defaults, *(each for each in node.args.kw_defaults if each is not None)]
        if not defaults:
            self.hoist(definition)
            return name(definition.name, node)
        self.context.generated.add(definition.name)
        parameters = [self.fresh("default") for _ in defaults]
        names = iter([name(each, node) for each in parameters])
        node.args.defaults = [next(names) for _ in node.args.defaults]
        node.args.kw_defaults = [each and next(names) for each in node.args.kw_defaults]
        body = [definition, returned(name(definition.name, node), node)]
        maker = function(self.fresh("make_lambda"), body, node, parameters)
        self.hoist(maker)
        return call(name(maker.name, node), defaults, node)

    def _declare(self, owner: gast.AST, definition: gast.AST) -> None:
        """Declares, without a value, the variables that only local functions bind now."""
        at = definition.body[0]
        kept = preamble_length(definition.body)
        definition.body[kept:kept] = [declaration(each, at) for each in self._declared.get(owner, ())]


def preamble_length(body: list[gast.AST]) -> int:
    """The number of statements at the start of a body that are the docstring or declare names."""
    for index, statement in enumerate(body):
        is_docstring = index == 0 and isinstance(statement, gast.Expr) and isinstance(statement.value, gast.Constant)
        if not is_docstring and not isinstance(statement, gast.Global | gast.Nonlocal):
            return index
    return len(body)
