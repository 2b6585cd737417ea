"""The source of a function: the part of its file's tree that its code object was compiled from.

A definition is found by the line that its code object starts on, a lambda by the positions of its instructions,
so that several on one line are told apart.  A file is parsed once.  ``linecache`` supplies the text, hence
notebooks, doctests, zip archives, and ``exec`` with a registered source work.
"""

from __future__ import annotations

import ast
import linecache
import os
import threading
import weakref
from collections import OrderedDict
from dataclasses import dataclass, field
from importlib.machinery import SourceFileLoader
from types import CodeType, FunctionType
from typing import Any

from autograph.errors import SourceNotFoundError
from autograph.runtime.base.deeper import deeper

from . import matching
from .generated import is_generated
from .matching import FunctionNode, Place
from .quiet import quietly
from .session import PROMPTS, lines_of, named
from .trees import to_gast

_NO_TEXT = "the source of `{name}` can't be found: there is no text for `{file}`"
_REGISTER = (
    "define the function in a file or a notebook cell; for text run by exec, compile it under a file name of "
    "its own and register it: linecache.cache[name] = (len(text), None, text.splitlines(True), name)"
)
_PICKLED = (
    "cloudpickle leaves the source out: what tf.function, to_graph or convert has made of a function carries it along, "
    "and so do tf.Module and Keras's classes: pickle these"
)
_PACKED = (
    "autograph reads the text of functions: pack the modules with it (for PyInstaller "
    "module_collection_mode={'module': 'pyz+py'} in the spec file, and what tf.function decorates not in the script "
    "itself), or ship saved models"
)
_RELOAD = "import the module again (importlib.reload), or restart the program"
_DEEPER = 20_000
_FILES = 64  # parsed files that are kept


@dataclass(frozen=True, slots=True)
class Source:
    """Where a function comes from.

    ``filename`` is the file that the lines are in, ``lines`` all of its lines, ``first_line`` the line of the
    function's first decorator, or of its ``def`` or ``lambda`` (lines count from 1).  ``class_name`` is the
    innermost class around the function, which its private names (``__x``) are mangled with, or ``None``.
    ``may_warn`` is false when Python is known to compile the file without a warning.
    """

    filename: str
    function_name: str
    class_name: str | None
    first_line: int
    lines: list[str] = field(repr=False)
    node: FunctionNode = field(repr=False)
    may_warn: bool = field(default=True, repr=False)

    @property
    def tree(self) -> Any:
        """A fresh ``gast`` tree: ``FunctionDef``, ``AsyncFunctionDef`` or ``Lambda``, located as in the file."""
        return to_gast(self.node)


@dataclass(slots=True)
class _File:
    """A parsed file, with what was looked up in it so far.

    ``lambdas`` has a statement's lambdas by its id and their line, ``codes`` what the file compiles to: by the
    flags of its ``__future__`` imports, then by first line and name; ``warned`` is what the compiler did then.
    ``sources`` has what was found, by the id of the code: a function is asked for once for each of its forms.
    """

    lines: list[str]
    tree: ast.Module
    lambdas: dict[int, dict[int, list[ast.Lambda]]] = field(default_factory=dict)
    codes: dict[int, dict[tuple[int, str], list[CodeType]]] = field(default_factory=dict)
    warned: bool = False
    sources: dict[int, tuple[weakref.ref[CodeType], Source]] = field(default_factory=dict)


_files: OrderedDict[str, _File] = OrderedDict()
_lock = threading.RLock()
if hasattr(os, "register_at_fork"):
    # A child process must not begin with a lock that a thread has which is not there.
    os.register_at_fork(before=_lock.acquire, after_in_parent=_lock.release, after_in_child=_lock.release)


def find(function: FunctionType, *, check: bool = True) -> Source:
    """The source of a function or lambda, found through its code object, never through ``__wrapped__``.

    Unless ``check`` is false, the code of a module that Python itself compiled is compared with what the file
    compiles to now; for other code (pytest rewrites its modules) names, arguments and lines are.

    :raises SourceNotFoundError: there is no source, it can't be parsed, or it has changed since the function
        was made; the text says which, and what to do.
    """
    code = getattr(function, "__code__", None)
    if not isinstance(code, CodeType):
        name = getattr(function, "__qualname__", None) or repr(function)
        raise SourceNotFoundError(
            f"`{name}` has no Python source: it is of type {type(function).__name__}, not a Python function",
            function=name,
            remedy="pass a function written in Python, or call this one as it is",
        )
    filename, lines = _read(code, function.__globals__)
    with _lock:
        file = _parse(filename, lines, code)
        known = file.sources.get(id(code)) if check else None
        if known is not None and known[0]() is code:
            return known[1]
        node, class_name = _locate(file, filename, code)
        assert isinstance(node, FunctionNode)
        if check:
            alike = _compiles_alike(file, filename, code)
            if not alike and _is_exact(filename, code, function.__globals__):
                raise _changed(code, filename)
        may_warn = file.warned or not check
        source = Source(filename, code.co_name, class_name, code.co_firstlineno, file.lines, node, may_warn)
        if check:
            file.sources[id(code)] = weakref.ref(code), source
    return source


def _read(code: CodeType, namespace: dict[str, Any]) -> tuple[str, list[str]]:
    filename = code.co_filename
    if filename.startswith("<frozen ") and isinstance(namespace.get("__file__"), str):
        filename = namespace["__file__"]
    lines: list[str] = []
    interactive = getattr(linecache, "_getlines_from_code", None)  # Python 3.14: the prompt, and python -c
    if filename.startswith("<") and interactive is not None:
        lines = interactive(code)
    if not lines:
        linecache.checkcache(filename)
        lines = linecache.getlines(filename, namespace) or lines_of(code)
    if not lines:
        raise _error(code, filename, _NO_TEXT, _remedy(filename))
    return (named(filename, lines) if filename in PROMPTS else filename), lines


def _remedy(filename: str) -> str:
    if filename == "<dynamic-code>":
        return _PICKLED
    return _REGISTER if filename.startswith("<") or os.path.isabs(filename) else _PACKED


def _parse(filename: str, lines: list[str], code: CodeType) -> _File:
    file = _files.get(filename)
    if file is not None and (file.lines is lines or file.lines == lines):
        _files.move_to_end(filename)
        return file
    text = "".join(lines)
    try:
        tree = _tree(text, filename, code)
    except RecursionError:  # the file is nested deep, or parsed deep in a recursion
        with deeper(_DEEPER):
            tree = _tree(text, filename, code, (RecursionError,))
    file = _files[filename] = _File(lines, tree)
    if len(_files) > _FILES:
        _files.popitem(last=False)
    return file


def _tree(text: str, filename: str, code: CodeType, final: tuple[type[Exception], ...] = ()) -> ast.Module:
    refusals: tuple[type[Exception], ...] = (SyntaxError, ValueError, MemoryError, *final)
    try:
        tree, _ = quietly(ast.parse, text, filename)
    except refusals as error:
        message = f"the source of `{{name}}` can't be parsed ({error}): has `{{file}}` changed since it was imported?"
        raise _error(code, filename, message, _RELOAD) from error
    return tree


def _error(code: CodeType, filename: str, message: str, remedy: str) -> SourceNotFoundError:
    return SourceNotFoundError(
        message.format(name=code.co_name, file=filename),
        file=filename,
        line=code.co_firstlineno,
        function=code.co_name,
        remedy=remedy,
    )


def _changed(code: CodeType, filename: str) -> SourceNotFoundError:
    if filename == "<string>":  # the text known is that of `python -c`: the code comes from another one, run by exec
        return _error(code, filename, _NO_TEXT, _REGISTER)
    message = "`{file}` has changed since `{name}` was made from it: the text no longer matches the code"
    return _error(code, filename, message, _RELOAD)


def _locate(file: _File, filename: str, code: CodeType) -> Place:
    line = code.co_firstlineno
    places = matching.statements_at(file.tree, line)
    if code.co_name == "<lambda>":
        found: list[Place] = [
            (node, class_name) for statement, class_name in places for node in _lambdas(file, statement).get(line, ())
        ]
    else:
        found = [
            place
            for place in places
            if isinstance(place[0], (ast.FunctionDef, ast.AsyncFunctionDef))
            and place[0].name == code.co_name
            and matching.start_line(place[0]) == line
        ]
    wanted = matching.parameters_of_code(code)
    found = [
        (node, class_name)
        for node, class_name in found
        if matching.parameters_of_node(node, class_name) == wanted
        and matching.lines_inside(code, line, node.end_lineno or line)
    ]
    if code.co_name == "<lambda>" and len(found) > 1 and matching.spans(code):
        index = matching.innermost_lambda(found, code)
        found = [] if index is None else [found[index]]
    if not found:
        raise _changed(code, filename)
    if _are_alike(found):
        return found[0]
    # Positions are missing: for constants in Python 3.12, or with -X no_debug_ranges. Those of one code mean the same.
    for place in found:
        if matching.lambda_compiles_alike(place[0], code):
            return place
    message = "it can't be told which of the lambdas in the line is meant"
    raise _error(code, filename, message, "put each on its own line, or run Python without -X no_debug_ranges")


def _are_alike(found: list[Place]) -> bool:
    return len(found) == 1 or len({ast.dump(node) for node, _ in found}) == 1


def _lambdas(file: _File, statement: ast.stmt) -> dict[int, list[ast.Lambda]]:
    by_line = file.lambdas.get(id(statement))
    if by_line is None:
        by_line = {}
        for node in matching.lambdas_of(statement):
            by_line.setdefault(node.lineno, []).append(node)
        file.lambdas[id(statement)] = by_line  # whole, or not at all: an interrupt may come in between
    return by_line


def _is_exact(filename: str, code: CodeType, namespace: dict[str, Any]) -> bool:
    """Whether the code must be what Python's compiler makes of the text: no import hook (pytest's) rewrote it."""
    if is_generated(code):
        return False
    if filename == "<string>":  # anything may call itself that
        return True
    return type(namespace.get("__loader__")) is SourceFileLoader and namespace.get("__file__") == filename


def _codes_of(file: _File, filename: str, flags: int) -> dict[tuple[int, str], list[CodeType]]:
    codes: dict[tuple[int, str], list[CodeType]] = {}
    try:
        # All of the file: how Python calls `name.method()` depends on whether the module imports `name`.
        compiled, warned = quietly(compile, file.tree, filename, "exec", flags=flags, dont_inherit=True)
    except (SyntaxError, ValueError):  # a notebook may await outside of functions
        file.warned = True
        return codes
    file.warned |= warned
    for nested in matching.nested_codes(compiled):
        codes.setdefault((nested.co_firstlineno, nested.co_name), []).append(nested)
    return codes


def _compiles_alike(file: _File, filename: str, code: CodeType) -> bool:
    flags = matching.future_flags(code)
    codes = file.codes.get(flags)
    if codes is None:
        codes = file.codes[flags] = _codes_of(file, filename, flags)
    return any(matching.same_code(code, other) for other in codes.get((code.co_firstlineno, code.co_name), ()))
