"""The passes in order, and the cache of converted functions.

A function converts into up to three forms, each made when it is first needed, once for each code object:

* the staged form: used while a back end is staging on this thread, and shown by `to_code` (all of it when asked for in
  full, else without the last pass);
* the plain form: control flow stays native Python, calls are converted;
* the entry, which `to_graph` returns (`entry.py`): the plain form, which calls the staged one in a trace.

The staged form could serve everywhere, as operators do on plain values what Python does, but takes some eight to thirty
times as long there (README, "What it costs"). The forms differ by `STAGES` and `LAST` alone; no pass asks for which it
works.
`conversion` says what holds while one is made.
"""

from __future__ import annotations

import os
import weakref
from collections.abc import Callable, Iterable
from functools import partial
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any, Literal

from autograph.converters.expressions.boolean import Boolean
from autograph.converters.expressions.calls import Calls, PlainCalls
from autograph.converters.expressions.comparisons import Comparisons
from autograph.converters.expressions.comprehensions import Comprehensions
from autograph.converters.expressions.if_expressions import IfExpressions
from autograph.converters.expressions.implicit_calls import ImplicitCalls
from autograph.converters.expressions.strings import Strings
from autograph.converters.expressions.subscripts import Subscripts
from autograph.converters.expressions.walrus import Walrus
from autograph.converters.statements.asserts import Asserts
from autograph.converters.statements.directives import Directives
from autograph.converters.statements.exits import Exits
from autograph.converters.statements.if_statements import IfStatements
from autograph.converters.statements.loops import Loops
from autograph.converters.statements.match_statements import MatchStatements
from autograph.converters.statements.raises import Raises
from autograph.converters.statements.tries import Tries
from autograph.converters.variables.bindings import Bindings
from autograph.converters.variables.functions import Functions, Lambdas
from autograph.converters.variables.loads import Loads
from autograph.converters.variables.outer_writes import OuterWrites
from autograph.converters.variables.stores import PlainStores, Stores
from autograph.runtime.base.deeper import deeper

from . import originals
from .conversion import NAMESPACE, Turn
from .converters.base import Context, names_in, node_types, walk_together
from .converters.build import OPERATORS
from .errors import ConversionError, UnsupportedConstructError
from .log import log
from .settings import settings
from .source.compile import compile_code
from .source.entry import enter
from .source.find import find
from .source.matching import names_of_code, variables_of_code
from .source.names import Namer
from .source.unparse import unparse

if TYPE_CHECKING:
    import gast

    from .converters.base import Pass
    from .source.compile import Compiled
    from .source.find import Source

_DEEPER = 20_000

Form = Literal["staged", "plain", "entry"]
Stage = tuple[type["Pass"], ...]


STAGES: dict[Form, tuple[Stage, ...]] = {
    "staged": (
        # The passes put statements into functions.
        (Lambdas,),
        # Early, so that the others see no decorators, no `super()` without arguments and no annotated variables;
        # `set_loop_options` is read before its loop is taken apart; `match` makes `if`s, stores make assignments,
        # which the analyses of later stages must see.
        (Functions, Directives, MatchStatements, Stores),
        # It makes loops, with exits.
        (Tries,),
        # They make functions with loops and `if`s: before exits are lowered.
        (Comprehensions,),
        # After them: an operand that binds a variable becomes a function, which must see those of comprehensions.
        (Walrus,),
        # Needs all `if` and loops in place.
        (Exits,),
        # All the rest in one walk, children first, over analyses of the tree with exits lowered: the closures that
        # these passes make would tell a later analysis that every variable is captured. Loads come before calls,
        # which leave operators alone; `Bindings` comes last, it looks for what the others have moved.
        (
            Loads, IfExpressions, Boolean, Comparisons, Strings, Subscripts, Asserts, Raises, Calls, OuterWrites,
            IfStatements, Loops, Bindings,
        ),
    ),
    "plain": ((Functions, PlainStores, PlainCalls),),
}  # fmt: skip
"""The passes of each form in order. A stage is one walk of the tree; analyses are made anew for each stage."""
STAGES["entry"] = STAGES["plain"]

# After the analyses and the checks: it changes only what Python may do by calling a method of a user's class:
# operators, attributes, items, `with`. `to_code` leaves it out, unless it is asked for the full code.
LAST: dict[Form, Stage] = {"staged": (ImplicitCalls,), "plain": (), "entry": ()}


class Conversion:
    """The converted forms of one code object."""

    __slots__ = ("forms", "function", "turn")

    def __init__(self) -> None:
        self.turn = Turn()
        self.function: Callable[[], FunctionType | None] = lambda: None
        """The function that was converted last, while it is there."""
        self.forms: dict[Form, Compiled | ConversionError] = {}
        """What has been made, or why it can't be made, once that was tried."""

    @property
    def failure(self) -> ConversionError | None:
        """Why the staged form can't be made, once that has been tried."""
        found = self.forms.get("staged")
        return found if isinstance(found, ConversionError) else None

    def compiled(self, function: FunctionType, form: Form) -> Compiled:
        """Returns a form of a function with this code; two threads that ask at once get the same one."""
        found = self.forms.get(form)
        if found is None:
            found = self._made(function, form)
        if isinstance(found, ConversionError):
            raise found.with_traceback(None)
        return found

    def _made(self, function: FunctionType, form: Form) -> Compiled | ConversionError:
        with self.turn.of(function.__code__):
            self.function = weakref.ref(function)
            found = self.forms.get(form)
            if found is not None:
                return found
            made, tell_of_it = _convert(function, form)
            found = self.forms.setdefault(form, made)
            if found is made:
                tell_of_it()
            return found


_conversions: dict[int, tuple[Any, Conversion]] = {}
_converted_codes: dict[int, tuple[Any, bool]] = {}


def _take_new_turns() -> None:
    """In a child process: the threads that were converting are not there."""
    for _, conversion in list(_conversions.values()):
        conversion.turn = Turn()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_take_new_turns)


def converted(function: FunctionType, staged: bool) -> FunctionType:
    """Returns the staged or plain form of a function, over the same globals, defaults and closure cells.

    Raises:
        ConversionError: the function can't be converted; nothing of it was.
    """
    return compiled(function, "staged" if staged else "plain").instantiate(function)


def compiled(function: FunctionType, form: Form) -> Compiled:
    """Returns a form of a function, for all functions with its code.

    Raises:
        ConversionError: the function can't be converted; nothing of it was.
    """
    code = function.__code__
    entry = _conversions.get(id(code))
    if entry is None:
        key = id(code)
        # Bound now: the names of a module are gone when the interpreter ends.
        reference = weakref.ref(code, lambda _, forget=_conversions.pop: forget(key, None))  # type: ignore[misc]
        entry = _conversions.setdefault(key, (reference, Conversion()))
    return entry[1].compiled(function, form)


def converted_functions() -> list[FunctionType]:
    """The functions whose staged form has been made, and which are still there, in the order of their conversion."""
    found = [each.function() for _, each in list(_conversions.values()) if "staged" in each.forms and not each.failure]
    return [function for function in found if function is not None]


def is_converted(code: CodeType, staged: bool = True) -> bool:
    """Whether a code object is the result of a conversion, or needs none."""
    entry = _converted_codes.get(id(code))
    return entry is not None and (entry[1] or not staged)


def why_not_converted(code: CodeType) -> str | None:
    """Why code that runs is not converted: "" when it is, None when nobody has asked for it."""
    if is_converted(code, True):
        return ""
    entry = _conversions.get(id(code))
    failure = None if entry is None else entry[1].failure
    return None if failure is None else f"`{code.co_name}` is not converted, as {failure.message}; {failure.remedy}"


def register_converted(code: CodeType, staged: bool = True) -> None:
    """Notes that a code object and those inside it are converted: the staged form serves everywhere."""
    key = id(code)
    reference = weakref.ref(code, lambda _, forget=_converted_codes.pop: forget(key, None))  # type: ignore[misc]
    _converted_codes[key] = reference, staged
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            register_converted(constant, staged)


def transformed(function: FunctionType, form: Form = "staged") -> tuple[Context, Source]:
    """Runs the passes of a form over a fresh tree of a function, but for those that `finish` runs.

    Raises:
        ConversionError: the source can't be found, or holds something that can't be converted.
    """
    source = find(function)
    tree = source.tree
    if OPERATORS in names_of_code(function.__code__):
        _refuse_reserved_name(tree, source)
    context = Context(
        tree=tree,
        function_name=source.function_name,
        filename=source.filename,
        namer=Namer(partial(names_in, tree)),
        class_name=source.class_name,
        free_names=function.__code__.co_freevars,
        variables=variables_of_code(function.__code__),
    )
    types: set[type] | None = None
    for stage in STAGES[form]:
        types = node_types(context.tree) if types is None else types
        needed = [each for each in stage if each.always or not types.isdisjoint((*each.removes, *each.looks_at))]
        if needed:
            _run_stage(needed, context)
            if settings.checks:
                _check(needed, context, source, function.__code__)
            types = None
    return context, source


def finish(context: Context, form: Form = "staged") -> None:
    """Runs the last passes of a form."""
    if LAST[form]:
        _run_stage(LAST[form], context)


def _refuse_reserved_name(tree: object, source: Source) -> None:
    import gast

    for node in gast.walk(tree):
        if isinstance(node, gast.Name) and node.id == OPERATORS:
            raise UnsupportedConstructError(
                f"the name `{OPERATORS}` is reserved for generated code",
                file=source.filename,
                line=node.lineno,
                function=source.function_name,
                construct=OPERATORS,
                remedy="give the variable another name",
            )


def _run_stage(stage: Iterable[type[Pass]], context: Context) -> None:
    context.tree = walk_together([each(context) for each in stage], context.tree)
    context.forget_analyses()
    if settings.verbosity >= 3:
        names = ", ".join(each.__name__ for each in stage)
        log(3, f"{context.function_name} after {names}:\n{text_of(context.tree)}")


def _check(stage: list[type[Pass]], context: Context, source: Source, code: CodeType) -> None:
    """Verifies that nothing is left that the passes remove, and that the tree compiles.

    Raises:
        AssertionError: a pass has not done what it declares; the message names it.
    """
    left = node_types(context.tree)
    for each in stage:
        remaining = [node_type.__name__ for node_type in each.removes if node_type in left]
        if remaining and not context.native:
            raise AssertionError(f"{each.__name__} left {', '.join(remaining)} in {context.function_name}")
    try:
        compile_code(context.tree, code, source, {"ag__": None})
    except SyntaxError as error:
        names = ", ".join(each.__name__ for each in stage)
        raise AssertionError(f"after {names}, {context.function_name} does not compile: {error}") from error


def _convert(function: FunctionType, form: Form) -> tuple[Compiled | ConversionError, Callable[[], None]]:
    """Returns a form, or why there is none, and what tells the log of it."""

    def attempt(may_nest_deeper: bool = True) -> ConversionError | tuple[Context, str, Compiled]:
        try:
            context, source = transformed(function, form)
            text = text_of(context.tree) if settings.verbosity >= 2 else ""
            finish(context, form)
            values: dict[str, Any] = {"ag__": NAMESPACE.function()}
            if form == "entry":
                values.update(enter(context.tree))
            return context, text, compile_code(context.tree, function.__code__, source, values)
        except ConversionError as error:
            return error
        except (SyntaxError, RecursionError, MemoryError) as error:
            if may_nest_deeper and isinstance(error, RecursionError):
                raise
            return _refused_by_python(function, error)

    try:
        made = attempt()
    except RecursionError:
        # The code is nested deep, or the conversion happens deep in a recursion. Where there is not even room to ask
        # for more, the error is Python's, and says nothing of the function.
        with deeper(_DEEPER):
            made = attempt(may_nest_deeper=False)
    if isinstance(made, ConversionError):
        return made, partial(log, 1, f"not converted ({form}): {made.message}", function)
    context, text, result = made
    register_converted(result.code, form == "staged")
    originals.note(result.code, function.__code__)
    return result, partial(_tell, context, function, "staged" if form == "staged" else "plain", text)


def _tell(context: Context, function: FunctionType, form: str, text: str) -> None:
    log(1, f"converted ({form})", function)
    for line, reason in context.native:
        log(1, f"stays native Python: {reason}", function, line)
    if settings.verbosity >= 2:
        log(2, f"{form} form:\n{text}", function)


def _refused_by_python(function: FunctionType, error: Exception) -> ConversionError:
    """Python's limits on nesting hold for what a function becomes, too."""
    return ConversionError(
        f"what `{function.__qualname__}` becomes can't be compiled: {type(error).__name__}: {error}",
        file=function.__code__.co_filename,
        line=function.__code__.co_firstlineno,
        function=function.__qualname__,
        remedy="split the function into smaller ones",
    )


def code_of(function: FunctionType, full: bool) -> str:
    """The source of the staged form of a function; see `to_code`."""
    context, _ = transformed(function)
    if full:
        finish(context)
    return text_of(context.tree)


def text_of(tree: gast.AST) -> str:
    """A tree as Python text."""
    return unparse(tree).strip("\n")
