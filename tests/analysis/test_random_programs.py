"""What the analyses claim about random programs holds when these run."""

from __future__ import annotations

import random
import sys
from types import FrameType
from typing import Any

import gast
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from autograph.analysis import Kind, assignment, liveness, scopes

from .random_programs import World, program

PROGRAMS = st.randoms(use_true_random=False).map(program)
DECISIONS = st.lists(st.booleans(), max_size=60)
TURNS = settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))


class UndefinedLoads:
    """Records where a program found a variable undefined, whether or not it caught the exception."""

    def __init__(self) -> None:
        self.places: set[tuple[int, int]] = set()

    def __call__(self, frame: FrameType, event: str, argument: Any) -> Any:
        if frame.f_code.co_filename != "<program>":
            return None
        if event == "exception":
            error, trace = argument[1], argument[2]
            if isinstance(error, NameError) and trace.tb_next is None and "associated with a value" in str(error):
                line, _, column, _ = list(frame.f_code.co_positions())[trace.tb_lasti // 2]
                self.places.add((line, column))
        return self


def run_traced(text: str, decisions: list[bool]) -> set[tuple[int, int]]:
    found = UndefinedLoads()
    before = sys.gettrace()
    code = compile(text, "<program>", "exec")
    sys.settrace(found)
    try:
        World(decisions).run(code)
    finally:
        sys.settrace(before)
    return found.places


@TURNS
@given(PROGRAMS, DECISIONS)
def test_a_load_said_to_be_defined_never_fails(text: str, decisions: list[bool]) -> None:
    tree = gast.parse(text)
    names = scopes(tree.body[0])
    found = assignment(names)
    variables = frozenset().union(*(scope.locals for scope in names.functions() if scope.kind is not Kind.GENERATOR))
    nodes = {
        (node.lineno, node.col_offset): node
        for node in gast.walk(tree.body[0])
        if isinstance(node, gast.Name) and hasattr(node, "lineno")
    }
    for place in run_traced(text, decisions):
        if nodes[place].id not in variables:  # CPython 3.12.1 takes a global for a variable of another comprehension
            continue
        assert found.maybe_undefined(nodes[place]), f"{nodes[place].id} at {place} in\n{text}"


class Poisoner(gast.NodeTransformer):
    """Sets every variable that is dead, before and after each statement."""

    def __init__(self, function: gast.FunctionDef) -> None:
        self.found = scopes(function)
        self.live = liveness(self.found)
        self.count = 0

    def generic_visit(self, node: gast.AST) -> gast.AST:
        for field in ("body", "orelse", "finalbody"):
            statements = getattr(node, field, None)
            if isinstance(statements, list):
                setattr(node, field, [new for old in statements for new in self.poisoned(old)])
        return super().generic_visit(node)

    def poisoned(self, statement: gast.AST) -> list[gast.AST]:
        owner = self.found.owners.get(statement)
        if owner is None or owner.kind is Kind.CLASS or isinstance(statement, (gast.Global, gast.Nonlocal)):
            return [statement]
        before = self.kill(owner.locals - self.live.live_in[statement])
        return [*before, statement, *self.kill(owner.locals - self.live.live_out[statement])]

    def kill(self, names: frozenset[str]) -> list[gast.AST]:
        self.count += len(names)
        return [
            gast.Assign([gast.Name(name, gast.Store(), None, None)], gast.Name("POISON", gast.Load(), None, None), None)
            for name in sorted(names)
        ]


@TURNS
@given(PROGRAMS, DECISIONS)
def test_a_dead_variable_can_be_changed(text: str, decisions: list[bool]) -> None:
    tree = gast.parse(text)
    function = tree.body[0]
    tree.body[0] = Poisoner(function).visit(function)
    poisoned = gast.fix_missing_locations(gast.gast_to_ast(gast.fix_missing_locations(tree)))
    code = compile(poisoned, "<poisoned>", "exec")
    expected = World(decisions).run(compile(text, "<program>", "exec"))
    assert World(decisions).run(code) == expected, text


def test_the_programs_reach_the_interesting_cases() -> None:
    choose = random.Random(1)
    undefined = poisons = certain = 0
    for _ in range(150):
        text = program(choose)
        function = gast.parse(text).body[0]
        undefined += len(run_traced(text, [choose.random() < 0.6 for _ in range(60)]))
        poisoner = Poisoner(function)
        poisoner.visit(function)
        poisons += poisoner.count
        function = gast.parse(text).body[0]
        found = assignment(scopes(function))
        names = [node for node in gast.walk(function) if isinstance(node, gast.Name) and node.id in "abdep"]
        certain += sum(not found.maybe_undefined(node) for node in names if isinstance(node.ctx, gast.Load))
    assert undefined > 50 and poisons > 1000 and certain > 300
