"""`match` becomes `if`s, which can then be staged.

>>> from autograph.converters.base import show
>>> show(MatchStatements, '''
... match command:
...     case 'quit' | 'exit':
...         stop()
...     case ['go', direction]:
...         go(direction)
...     case _:
...         complain()
... ''')
if command == 'quit' or command == 'exit':
    stop()
else:
    found = ag__.match(command, ag__.Sequence('go', ag__.Capture('direction')))
    if found.test:
        direction = found['direction']
        go(direction)
    else:
        complain()
"""

from __future__ import annotations

from typing import Any

import gast

from ..base import Pass
from ..build import assign, constant, if_, located, name, operator, operator_call, thunk

LITERALS = (gast.Constant, gast.UnaryOp, gast.BinOp)


class MatchStatements(Pass):
    """Rewrites `match` statements outside of class bodies."""

    removes = (gast.Match,)

    def leave_Match(self, node: gast.Match) -> Any:
        if not self.context.enclosing or isinstance(self.context.enclosing[-1], gast.ClassDef):
            self.keep_native(node, "it is control flow of a class body")
            node.subject = operator_call("native_operand", [node.subject], node.subject)
            return node
        statements = []
        subject = node.subject
        # A variable can stand for its own value only if nothing can give it another before the last case is tried.
        if not isinstance(subject, gast.Name) or any(case.guard is not None for case in node.cases):
            variable = self.context.shared_name("subject")
            statements.append(assign(variable, subject, subject))
            subject = name(variable, subject)
        elif _is_irrefutable(node.cases[0].pattern) and not _captures(node.cases[0].pattern):
            statements.append(located(gast.Expr(subject), subject))  # nothing else asks for its value
        rest: list[gast.AST] = []
        for case in reversed(node.cases):
            rest = self._case(case, subject.id, rest)
        return statements + rest if statements or rest else located(gast.Pass(), node)

    def _case(self, case: gast.match_case, subject: str, rest: list[gast.AST]) -> list[gast.AST]:
        """The statements for a case; `rest` are those for the cases after it."""
        pattern = case.pattern
        test = _simple_test(pattern, subject)
        if test is not None:
            if case.guard is not None:
                test = located(gast.BoolOp(gast.And(), [test, case.guard]), case.guard)
            return [if_(test, case.body, rest, pattern)]
        captures = _captures(pattern)
        if _is_irrefutable(pattern):
            bindings: list[gast.AST] = [assign(each, name(subject, pattern), pattern) for each in captures]
            if case.guard is None:
                return bindings + case.body
            return [*bindings, if_(case.guard, case.body, rest, case.guard)]
        return self._structure(case, subject, captures, rest)

    def _structure(
        self, case: gast.match_case, subject: str, captures: list[str], rest: list[gast.AST]
    ) -> list[gast.AST]:
        pattern = case.pattern
        found = self.context.shared_name("found")
        matching = operator_call("match", [name(subject, pattern), _pattern(pattern)], pattern)
        test = located(gast.Attribute(name(found, pattern), "test", gast.Load()), pattern)
        bindings = [assign(each, _item(found, each, pattern), pattern) for each in captures]
        first = assign(found, matching, pattern)
        if case.guard is None:
            return [first, if_(test, bindings + case.body, rest, pattern)]
        if not bindings:
            both = located(gast.BoolOp(gast.And(), [test, case.guard]), case.guard)
            return [first, if_(both, case.body, rest, case.guard)]
        # The captures are bound before the guard is asked, and stay bound when it says no.
        guard = self.context.shared_name("guard")
        return [
            first,
            assign(guard, constant(False, pattern), pattern),
            if_(test, [*bindings, assign(guard, case.guard, case.guard)], [], pattern),
            if_(name(guard, case.guard), case.body, rest, case.guard),
        ]


def _item(found: str, key: str, at: gast.AST) -> gast.AST:
    return located(gast.Subscript(name(found, at), constant(key, at), gast.Load()), at)


def _simple_test(pattern: gast.AST, subject: str) -> gast.AST | None:
    """The expression that a person would write for a value, `None`, or some of them; `None` for other patterns."""
    if isinstance(pattern, gast.MatchValue):
        return located(gast.Compare(name(subject, pattern), [gast.Eq()], [pattern.value]), pattern)
    if isinstance(pattern, gast.MatchSingleton):
        return located(gast.Compare(name(subject, pattern), [gast.Is()], [constant(pattern.value, pattern)]), pattern)
    if isinstance(pattern, gast.MatchOr):
        tests = [_simple_test(each, subject) for each in pattern.patterns]
        return None if None in tests else located(gast.BoolOp(gast.Or(), tests), pattern)
    return None


def _is_irrefutable(pattern: gast.AST) -> bool:
    if isinstance(pattern, gast.MatchAs):
        return pattern.pattern is None or _is_irrefutable(pattern.pattern)
    return isinstance(pattern, gast.MatchOr) and _is_irrefutable(pattern.patterns[-1])


def _captures(pattern: gast.AST) -> list[str]:
    """The variables that a pattern binds, in order."""
    found: dict[str, None] = {}
    pending = [pattern]
    while pending:
        each = pending.pop()
        identifier = None
        if isinstance(each, gast.MatchAs | gast.MatchStar):
            identifier = each.name
        elif isinstance(each, gast.MatchMapping):
            identifier = each.rest
        if identifier is not None:
            found[identifier] = None
        pending.extend(
            child for child in reversed(list(gast.iter_child_nodes(each))) if isinstance(child, gast.pattern)
        )
    return list(found)


def _pattern(node: gast.AST) -> gast.AST:
    """The expression that makes a pattern."""
    return _MAKERS[type(node)](node)


def _value(node: gast.MatchValue) -> gast.AST:
    if isinstance(node.value, LITERALS):
        return node.value
    return operator_call("Value", [thunk(node.value, node)], node)


def _singleton(node: gast.MatchSingleton) -> gast.AST:
    return constant(node.value, node)


def _as(node: gast.MatchAs) -> gast.AST:
    if node.name is None:
        return operator("ANY", node)
    title = constant(node.name, node)
    if node.pattern is None:
        return operator_call("Capture", [title], node)
    return operator_call("As", [_pattern(node.pattern), title], node)


def _star(node: gast.MatchStar) -> gast.AST:
    if node.name is None:
        return operator("ANY_REST", node)
    return operator_call("Star", [constant(node.name, node)], node)


def _or(node: gast.MatchOr) -> gast.AST:
    return operator_call("Or", [_pattern(each) for each in node.patterns], node)


def _sequence(node: gast.MatchSequence) -> gast.AST:
    return operator_call("Sequence", [_pattern(each) for each in node.patterns], node)


def _mapping(node: gast.MatchMapping) -> gast.AST:
    patterns = [_pattern(each) for each in node.patterns]
    arguments: list[gast.AST] = []
    keywords = []
    if all(isinstance(key, LITERALS) for key in node.keys):
        arguments.append(located(gast.Dict(node.keys, patterns), node))
    else:
        pairs = [
            located(gast.Tuple([key, each], gast.Load()), key) for key, each in zip(node.keys, patterns, strict=True)
        ]
        items = located(gast.Tuple(pairs, gast.Load()), node)
        arguments.append(thunk(items, node))
        keywords.append(_keyword("count", constant(len(pairs), node)))
    if node.rest is not None:
        keywords.append(_keyword("rest", constant(node.rest, node)))
    result = operator_call("Mapping", arguments, node)
    result.keywords = keywords
    return result


def _class(node: gast.MatchClass) -> gast.AST:
    arguments = [thunk(node.cls, node.cls), *[_pattern(each) for each in node.patterns]]
    result = operator_call("Class", arguments, node)
    pairs = zip(node.kwd_attrs, node.kwd_patterns, strict=True)
    result.keywords = [_keyword(attribute, _pattern(each)) for attribute, each in pairs]
    return result


def _keyword(argument: str, value: gast.AST) -> gast.AST:
    return located(gast.keyword(argument, value), value)


_MAKERS: dict[type, Any] = {
    gast.MatchValue: _value,
    gast.MatchSingleton: _singleton,
    gast.MatchAs: _as,
    gast.MatchStar: _star,
    gast.MatchOr: _or,
    gast.MatchSequence: _sequence,
    gast.MatchMapping: _mapping,
    gast.MatchClass: _class,
}
