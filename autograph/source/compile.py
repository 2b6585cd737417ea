"""From a tree back to a function: the user's file name, lines and columns, over the original's own cells.

The tree is compiled inside of a factory that is never run, only there to make the free variables free::

    class Model:                              # when the function comes from a class: Python mangles private names
        def factory(ag__, scale, __class__):  # what the function closes over
            def call(self, x): ...

The names that the compiler sees for the factory and the definition are no identifiers, so that they can't hide
a variable of the user: a local function that calls itself finds itself in its cell, a global one in the globals.
"""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from types import CellType, CodeType, FunctionType
from typing import Any

import gast

from .find import Source
from .generated import register_body, register_generated
from .matching import future_flags, lambda_compiles_alike, parameters_of_code, parameters_of_node, spans
from .quiet import quietly
from .trees import to_ast

_DEFINITION = "@definition"
_FACTORY = "@factory"


@dataclass(frozen=True, slots=True)
class Compiled:
    """Code that was compiled from a generated tree, to be made into functions.

    ``cells`` gives for each free variable of ``code`` the number of the original's cell, or a cell of its own.
    """

    code: CodeType
    cells: tuple[int | CellType, ...]

    def instantiate(self, function: FunctionType) -> FunctionType:
        """A function that runs the code in place of ``function``.

        It has the globals, defaults, annotations, name, documentation and attributes of ``function`` and
        closes over the same cells.  ``function`` must have the code object that this was compiled for.
        """
        own = function.__closure__
        closure = tuple(cell if isinstance(cell, CellType) else own[cell] for cell in self.cells)  # type: ignore[index]
        result = FunctionType(self.code, function.__globals__, function.__name__, function.__defaults__, closure)
        result.__kwdefaults__ = function.__kwdefaults__
        result.__qualname__ = function.__qualname__
        result.__module__ = function.__module__
        result.__doc__ = function.__doc__
        annotate = getattr(function, "__annotate__", None)
        if annotate is not None:  # Python 3.14: evaluated only when asked for
            result.__annotate__ = annotate  # type: ignore[attr-defined]
        else:
            result.__annotations__ = function.__annotations__
        type_parameters = getattr(function, "__type_params__", None)
        if type_parameters:
            result.__type_params__ = type_parameters  # type: ignore[attr-defined]
        if function.__dict__:
            result.__dict__.update(function.__dict__)
        return result


def compile_code(
    tree: gast.AST, original: CodeType, source: Source, extra: Mapping[str, Any] | None = None
) -> Compiled:
    """Compile a ``FunctionDef``, ``AsyncFunctionDef`` or ``Lambda`` of ``gast``, to run in place of ``original``.

    ``extra`` holds values that the new code closes over in addition, by name (``{"ag__": operators}``).
    Functions inside of the tree that the user did not write are nodes with a true attribute ``generated``; they carry
    the name of the user's function in tracebacks.

    :raises SyntaxError: Python refuses the tree.
    """
    extra = extra or {}
    functions: list[Any] = []
    definition = to_ast(tree, functions)
    if "coverage" in sys.modules and extra:
        _count_branches(functions, next(iter(extra)))
    module = _in_factory(definition, original, source, [*extra, *original.co_freevars])
    compiled = _compile(module, source, future_flags(original))
    code = _only_function(compiled, depth=2 if source.class_name is None else 3)
    # Whether it is nested, and what types.coroutine notes, the compiler can't see here.
    kept = inspect.CO_NESTED | inspect.CO_ITERABLE_COROUTINE
    code = code.replace(co_flags=(code.co_flags & ~kept) | (original.co_flags & kept))
    code = _Renaming(functions).rename(code, original.co_name, original.co_qualname)
    register_generated(code)
    places: dict[str, int | CellType] = {name: number for number, name in enumerate(original.co_freevars)}
    places.update((name, CellType(value)) for name, value in extra.items())
    return Compiled(code, tuple(places[name] if name in places else CellType() for name in code.co_freevars))


def _count_branches(functions: list[Any], known: str) -> None:
    """Where coverage is measured, bodies begin on the line of their statement: from there a branch leads into them."""
    for node in functions:
        if getattr(node, "generated", False) and isinstance(node, ast.FunctionDef):
            here = {"lineno": node.lineno, "end_lineno": node.lineno, "col_offset": 0, "end_col_offset": 0}
            node.body.insert(0, ast.Expr(ast.Name(known, ast.Load(), **here), **here))


def _compile(module: ast.Module, source: Source, flags: int) -> CodeType:
    if source.may_warn:
        code, _ = quietly(compile, module, source.filename, "exec", flags=flags, dont_inherit=True)
        return code
    return compile(module, source.filename, "exec", flags=flags, dont_inherit=True)


def _in_factory(definition: Any, original: CodeType, source: Source, free: list[str]) -> ast.Module:
    """The module to compile: decorators, defaults and annotations, which were evaluated already, are gone."""
    arguments = definition.args
    location = {"lineno": definition.lineno, "col_offset": 0, "end_lineno": definition.lineno, "end_col_offset": 0}
    arguments.defaults = []
    arguments.kw_defaults = [None] * len(arguments.kwonlyargs)
    for argument in _all_arguments(arguments):
        argument.annotation = None
    if isinstance(definition, ast.Lambda):
        statement: ast.stmt = ast.Expr(definition, **location)
    else:
        definition.name = _DEFINITION
        definition.returns = None
        definition.decorator_list = []
        definition.type_params = []
        if original.co_firstlineno != definition.lineno:
            # A decorator is where the code of a decorated function begins: inspect.getsource looks there.
            line = original.co_firstlineno
            location = dict(location, lineno=line, end_lineno=line)
            definition.decorator_list = [ast.Constant(None, **location)]
        statement = definition
    parameters = [ast.arg(name, None, **location) for name in dict.fromkeys(free)]
    signature = ast.arguments([], parameters, None, [], [], None, [])
    # Keywords, as Python 3.12 has `type_params` here, which 3.11 ignores.
    extra: dict[str, Any] = dict(location, decorator_list=[], type_params=[])
    wrapped: ast.stmt = ast.FunctionDef(name=_FACTORY, args=signature, body=[statement], **extra)
    if source.class_name is not None:
        wrapped = ast.ClassDef(name=source.class_name, bases=[], keywords=[], body=[wrapped], **extra)
    return ast.Module([wrapped], [])


def _all_arguments(arguments: ast.arguments) -> list[ast.arg]:
    found = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    return found + [argument for argument in (arguments.vararg, arguments.kwarg) if argument is not None]


def _only_function(code: CodeType, depth: int) -> CodeType:
    for _ in range(depth):
        codes = [constant for constant in code.co_consts if isinstance(constant, CodeType)]
        (code,) = codes
    return code


Span = tuple[int, int, int, int]


class _Renaming:
    """Gives code objects the names that the user knows.

    Functions that the user did not write get the name of the one around them.  A lambda's code object does not
    say which lambda it is, its instructions' positions do.
    """

    def __init__(self, functions: list[Any]) -> None:
        self.generated: set[str] = set()
        self.lambdas: list[tuple[Any, bool]] = []
        for node in functions:
            is_generated = getattr(node, "generated", False)
            if isinstance(node, ast.Lambda):
                self.lambdas.append((node, is_generated))
            elif is_generated:
                self.generated.add(node.name)
        flags = {is_generated for _, is_generated in self.lambdas}
        self.all_lambdas_are = flags.pop() if len(flags) == 1 else None

    def rename(self, code: CodeType, name: str, qualified: str, outer: tuple[tuple[str, str], ...] = ()) -> CodeType:
        """``code`` under new names, with the code objects inside of it put right.

        ``outer`` pairs the qualified names that the compiler gave to the functions around with the right ones.
        """
        outer = (*outer, (code.co_qualname, qualified))
        constants = tuple(
            self._nested(constant, name, qualified, outer) if isinstance(constant, CodeType) else constant
            for constant in code.co_consts
        )
        if not code.co_flags & inspect.CO_OPTIMIZED:  # the body of a class holds its qualified name as a constant
            constants = tuple(qualified if value == code.co_qualname else value for value in constants)
        return code.replace(co_name=name, co_qualname=qualified, co_consts=constants)

    def _nested(self, code: CodeType, name: str, qualified: str, outer: tuple[tuple[str, str], ...]) -> CodeType:
        if self._is_generated(code):
            body = self.rename(code, name, qualified, outer)
            register_body(body)
            return body
        own = code.co_qualname
        for compiled, right in reversed(outer):
            if own.startswith(compiled + "."):
                own = right + own[len(compiled) :]
                break
        code = self.rename(code, code.co_name, own, outer)
        register_generated(code)
        return code

    def _is_generated(self, code: CodeType) -> bool:
        if code.co_name != "<lambda>":
            return code.co_name in self.generated
        if self.all_lambdas_are is not None:
            return self.all_lambdas_are
        wanted = parameters_of_code(code)[-1]
        lambdas = [each for each in self.lambdas if each[0].lineno == code.co_firstlineno]
        lambdas = [each for each in lambdas if parameters_of_node(each[0], None)[-1] == wanted]
        positions = spans(code)
        if not positions:  # of a constant in Python 3.12
            alike = [is_generated for node, is_generated in lambdas if lambda_compiles_alike(node, code)]
            if alike:
                return all(alike)
        found: list[tuple[Span, bool]] = []
        for node, is_generated in lambdas:
            line, column, end, end_column = _extent(node.body)
            if all((line, column) <= p[:2] and p[2:] <= (end, end_column) for p in positions):
                found.append(((-line, -column, end, end_column), is_generated))
        return min(found)[1] if found else True


def _extent(tree: ast.AST) -> Span:
    """The first and the last position of any node of a tree; generated nodes may stand outside of their parent."""
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.expr)]
    start = min((node.lineno, node.col_offset) for node in nodes)
    end = max((node.end_lineno or node.lineno, node.end_col_offset or node.col_offset) for node in nodes)
    return (*start, *end)
