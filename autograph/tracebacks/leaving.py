"""What users call takes autograph's frames out of the tracebacks of errors that leave it, at no cost while all is well.

A wrapper would take its time in each call, and a ``try`` in each of a thousand functions would hide what they do. So
the code of public functions, and of methods of public classes, is given a handler at its end, as if it were

    def f(x):
        try:
            ...
        except:
            leave()
            raise

Entering a ``try`` costs nothing since Python 3.11: a table names the instructions that a handler is for. The table of
the new code names those that the code itself has no handler for; all instructions stay as they are, and where they are.
"""

from __future__ import annotations

import dis
import logging
import sys
import warnings
from collections.abc import Callable, Iterator
from types import CodeType, FunctionType, ModuleType
from typing import Any, NamedTuple, TypeVar

from .trimming import is_internal, trim

__all__ = ["TRACING", "public", "public_module"]

TRACING: list[Callable[[], bool]] = []
"""What tells, once the runtime is loaded, whether a graph is being traced: then the traceback is shortened where the
trace ends, and operators still look at all of it."""

_PASSING = (StopIteration, StopAsyncIteration, GeneratorExit, RecursionError, SystemExit)
"""What is no error, or leaves no room to call anything."""
_SUSPENDED = 0x20 | 0x80 | 0x200  # generators and coroutines: their frames have no caller of their own
_classes: set[type] = set()
"""The classes that have been given the handler."""
Public = TypeVar("Public")


def public(entity: Public) -> Public:
    """A function, a class with all of its methods, or a module, whose errors have tracebacks of the user's lines alone.

    Returns what it is given; it may be used as a decorator. Anything else stays as it is.
    """
    if isinstance(entity, FunctionType):
        _handle(entity)
    elif isinstance(entity, ModuleType) and entity.__name__.startswith("autograph."):
        public_module(entity.__name__)
    elif isinstance(entity, type):
        for cls in entity.__mro__:
            if cls not in _classes and cls.__module__.startswith("autograph."):
                _classes.add(cls)
                for name, each in vars(cls).items():
                    if name[0] != "_" or name.endswith("__"):
                        for function in _functions(each):
                            _handle(function)
    return entity


def public_module(name: str) -> None:
    """As `public`, for all public functions and classes of a module, and of modules that are parts of it."""
    for key, each in list(vars(sys.modules[name]).items()):
        if isinstance(each, ModuleType):
            is_own = each.__name__.startswith(f"{name}.")
        else:
            is_own = (getattr(each, "__module__", None) or "").startswith("autograph.")
        if is_own and key[0] != "_":
            public(each)


def leave() -> None:
    """Shortens the traceback of the exception that is being handled, if the function that calls this was called by the
    user: on its way out of others that autograph calls itself an error needs no other look."""
    error = sys.exception()
    caller = sys._getframe(1).f_back
    if error is None or isinstance(error, _PASSING) or any(ask() for ask in TRACING):
        return
    if caller is None or not is_internal(caller.f_code.co_filename):
        for each in _chain(error):
            trim(each)


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """An error and those that it came of, which are shown above it."""
    seen = set[int]()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)


def _functions(attribute: object) -> Iterator[FunctionType]:
    """The functions of an attribute of a class: a method, or what a property calls."""
    if isinstance(attribute, (staticmethod, classmethod)):
        attribute = attribute.__func__
    parts = (attribute.fget, attribute.fset) if isinstance(attribute, property) else (attribute,)
    for each in parts:
        if isinstance(each, FunctionType) and (each.__module__ or "").startswith("autograph."):
            yield each


def _handle(function: FunctionType) -> None:
    code = function.__code__
    if _HANDLER is not None and not code.co_flags & _SUSPENDED and not any(each is leave for each in code.co_consts):
        function.__code__ = _handled(code, _HANDLER, leave)


class _Entry(NamedTuple):
    """An entry of the table of handlers, as `Objects/exception_handling_notes.txt` of CPython describes it."""

    start: int
    length: int
    target: int
    depth: int
    """The height of the stack, times two; the last bit says whether the place of the instruction is on it, too."""


class _Handler(NamedTuple):
    """The handler that is put behind code: its instructions, where they name the constant, and its own table."""

    instructions: bytes
    constant: int
    table: tuple[_Entry, ...]
    stack: int


def _handled(code: CodeType, handler: _Handler, leave: Callable[[], None]) -> CodeType:
    """The code with the handler at its end."""
    size, constant = len(code.co_code) // 2, len(code.co_consts)
    if constant > 255:  # which an instruction could not name by itself
        return code
    instructions = bytearray(handler.instructions)
    instructions[handler.constant] = constant
    inner = [each._replace(start=each.start + size, target=each.target + size) for each in handler.table]
    units = len(instructions) // 2
    return code.replace(
        co_code=code.co_code + bytes(instructions),
        co_consts=(*code.co_consts, leave),
        co_exceptiontable=_written([*_covering(code, size), *inner]),
        co_linetable=code.co_linetable + b"".join(_LINE % (min(units - at, 8) + _OF_ONE) for at in range(0, units, 8)),
        co_stacksize=max(code.co_stacksize, handler.stack),
    )


def _covering(code: CodeType, target: int) -> Iterator[_Entry]:
    """The table of some code with entries for all that has none, behind the instruction that begins it."""
    at = code.co_code[::2].index(_RESUME) + 1
    for entry in _read(code.co_exceptiontable):
        if entry.start > at:
            yield _Entry(at, entry.start - at, target, 0)
        yield entry
        at = max(at, entry.start + entry.length)
    if at < target:
        yield _Entry(at, target - at, target, 0)


def _read(table: bytes) -> Iterator[_Entry]:
    """The entries of a table: numbers of six bits in a byte, of which the seventh says that there are more."""
    numbers: list[int] = []
    goes_on = False
    for byte in table:
        if goes_on:
            numbers[-1] = numbers[-1] << 6 | byte & 63
        else:
            numbers.append(byte & 63)
        goes_on = bool(byte & 64)
    return (_Entry(*each) for each in zip(*[iter(numbers)] * 4, strict=True))


def _written(entries: list[_Entry]) -> bytes:
    """A table of entries; the eighth bit marks where one begins."""
    written = bytearray()
    for entry in entries:
        first = len(written)
        for number in entry:
            shifts = range(max(number.bit_length() - 1, 0) // 6 * 6, -1, -6)
            written += bytes(number >> shift & 63 | (64 if shift else 0) for shift in shifts)
        written[first] |= 128
    return bytes(written)


def _handler() -> _Handler:
    """The handler as this version of Python compiles it, for a text in the place of `leave`."""
    space: dict[str, Any] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)  # a text can't be called
        exec(compile("def f():\n try:\n  f()\n except:\n  'leave'()\n  raise", "<autograph>", "exec"), space)
    code: CodeType = space["f"].__code__
    outer, *inner = _read(code.co_exceptiontable)
    instructions = code.co_code[2 * outer.target :]
    (constant,) = (
        at + 1
        for at in range(0, len(instructions), 2)
        if instructions[at] == dis.opmap["LOAD_CONST"] and code.co_consts[instructions[at + 1]] == "leave"
    )
    table = [each._replace(start=each.start - outer.target, target=each.target - outer.target) for each in inner]
    return _Handler(instructions, constant, tuple(table), code.co_stacksize)


def _known_handler() -> _Handler | None:
    """The handler, if it does in this Python what it should; else none, and tracebacks stay as long as they are."""
    if sys.implementation.name != "cpython" or sys.version_info[:2] not in _TRIED:
        return None
    try:
        handler = _handler()
        return handler if _works(handler) else None
    except Exception as error:
        logging.getLogger("autograph").warning("tracebacks show autograph's frames: %r", error)
        return None


def _works(handler: _Handler) -> bool:
    """Whether a function with the handler gives what it gave, and raises what it raised, and then calls `leave`."""
    seen: list[BaseException | None] = []

    def divided(number: int) -> int:
        try:
            return [12][number] // number
        except IndexError:
            return 7

    def leave() -> None:
        seen.append(sys.exception())

    table = divided.__code__.co_exceptiontable
    if _written([*_read(table)]) != table:
        return False
    divided.__code__ = _handled(divided.__code__, handler, leave)
    try:
        divided(0)
    except ZeroDivisionError as error:
        return seen == [error] and divided(1) == 7 and divided(-1) == -12
    return False


_TRIED = ((3, 11), (3, 12), (3, 13))
_RESUME = bytes([dis.opmap["RESUME"]])
_LINE, _OF_ONE = b"%c\0", (0x80 | 13 << 3) - 1
"""An entry of the table of lines: so many units of code are of the line that the last ones are of."""
_HANDLER = _known_handler()
