"""Runs one program as Python and as a graph, for several numbers, and says how the two compare."""

from __future__ import annotations

import ast
import contextlib
import io
import itertools
import linecache
import re
import signal
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import FrameType
from typing import Any

import numpy as np

import autograph as tf

ARGUMENTS = (0, 1, 2, 3)
NAMES = re.compile(r"`[^`]*`|'[^']*'|\d+")
REFUSALS = (tf.errors.StagingError, tf.errors.ConversionError)
_numbers = itertools.count()


@dataclass(frozen=True)
class Result:
    """How a program compares: "equal", "refused", "different", "endless", or "invalid": Python itself has no end."""

    verdict: str
    kind: str = ""
    detail: str = ""

    @property
    def wrong(self) -> bool:
        return self.verdict in ("different", "endless")


class TimeUp(BaseException):
    """The time of a program is up. No handler of a program, or of the library, is for this."""


@contextlib.contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raises `TimeUp` in here after so many seconds, or at the end if it was swallowed; on the main thread."""
    is_up = False

    def stop(number: int, frame: FrameType | None) -> None:
        nonlocal is_up
        is_up = True
        signal.setitimer(signal.ITIMER_REAL, 0.5)
        raise TimeUp

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        if is_up:
            raise TimeUp


def compare(source: str, seconds: float = 20) -> Result:
    """Runs `f(n)` of a module as it is and as a graph.

    A module that has outside state, `G` and `H`, is made anew for each number: what Python code that no tensor decides
    about does to it, happens once for each trace.
    """
    filename = f"<aliases {next(_numbers)}>"
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    try:
        code = compile(source, filename, "exec", dont_inherit=True)
        try:
            with time_limit(2):
                python = compile(checked(source), filename, "exec", dont_inherit=True)
                wanted = [outcome(module(python), n) for n in ARGUMENTS]
        except TimeUp:
            return Result("invalid", "Python has no end")
        if any(isinstance(each, Meaningless) for each in wanted):
            return Result("invalid", "the identity of numbers")
        try:
            with time_limit(seconds), contextlib.redirect_stdout(io.StringIO()):
                return compared(code, wanted, filename)
        except TimeUp:
            return Result("endless", "time is up")
    finally:
        del linecache.cache[filename]


class Meaningless(Exception):
    """A program asks whether two numbers are the same object."""


def checked(source: str) -> ast.Module:
    """A program, with calls of `same_object` in place of `is` and `is not`."""
    return ast.fix_missing_locations(_Identities().visit(ast.parse(source)))


class _Identities(ast.NodeTransformer):
    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        self.generic_visit(node)
        if len(node.ops) > 1 or not isinstance(node.ops[0], (ast.Is, ast.IsNot)):
            return node
        call = ast.Call(ast.Name("same_object", ast.Load()), [node.left, *node.comparators], [])
        return call if isinstance(node.ops[0], ast.Is) else ast.UnaryOp(ast.Not(), call)


def same_object(one: Any, other: Any) -> bool:
    if type(one) is type(other) and isinstance(one, (int, str, tuple)):
        raise Meaningless
    return one is other


def module(code: Any) -> dict[str, Any]:
    namespace: dict[str, Any] = {"__name__": "program", "same_object": same_object}
    exec(code, namespace)
    return namespace


def compared(code: Any, wanted: list[Any], filename: str) -> Result:
    namespace = module(code)
    staged: Callable[..., Any] = tf.function(namespace["f"])
    for n, expected in zip(ARGUMENTS, wanted, strict=True):
        if "G" in namespace and n != ARGUMENTS[0]:
            namespace = module(code)
            staged = tf.function(namespace["f"])
        found = outcome(namespace, tf.constant(n), staged)
        if isinstance(found, REFUSALS):
            return refusal(found, filename)
        kind = difference(found, expected)
        if kind:
            return Result("different", kind, f"n = {n}\nstaged: {found!r}\nplain:  {expected!r}")
    return Result("equal")


def outcome(namespace: dict[str, Any], n: Any, f: Callable[..., Any] | None = None) -> Any:
    """What a call gives, with the outside state after it; or the exception."""
    try:
        value = plain((f or namespace["f"])(n))
        if "G" not in namespace:
            return value
        try:
            return value, plain([namespace["G"], namespace["H"].items, namespace["H"].v])
        except tf.errors.StagedValueError:
            return value, "a graph tensor is left outside"
    except Exception as error:
        return error.with_traceback(None)


def refusal(error: Any, filename: str) -> Result:
    first = error.message.split("\n")[0]
    kind = f"{type(error).__name__}: " + NAMES.sub("…", first)
    if error.file != filename or not error.line or not error.remedy:
        return Result("different", "a refusal without the program's file, a line or a remedy", f"{kind}\n{error}")
    return Result("refused", kind, str(error))


def plain(value: Any) -> Any:
    """Python's numbers for tensors and arrays, at any depth; a tensor of several is a list."""
    if isinstance(value, tf.Tensor):
        value = value.numpy()
    if isinstance(value, (np.ndarray, np.generic)):
        return plain(value.tolist())
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, (list, tuple)):
        return type(value)(plain(each) for each in value)
    return {key: plain(each) for key, each in value.items()} if isinstance(value, dict) else value


def difference(found: Any, wanted: Any) -> str:
    """How two outcomes differ, in words; "" where they do not. A staged exception must be caught where Python's is."""
    if isinstance(found, Exception):
        if isinstance(found, type(wanted)):
            return ""
        if isinstance(wanted, TypeError) and "indices: 1 for a tensor of shape []" in str(found):
            return ""  # an item of the argument, which is a tensor here and a number there
        if isinstance(wanted, Exception):
            return f"raises {type(found).__name__} for {type(wanted).__name__}"
        return f"raises {type(found).__name__}: " + NAMES.sub("…", str(found).split("\n")[0])
    if isinstance(wanted, Exception):
        return f"does not raise {type(wanted).__name__}"
    return unlike(found, wanted)


def unlike(found: Any, wanted: Any) -> str:
    """How two values differ; "" where they do not. Numbers of different types are alike where they are equal."""
    if isinstance(wanted, (list, tuple, dict)) or isinstance(found, (list, tuple, dict)):
        if type(found) is not type(wanted):
            return f"{type(found).__name__} for {type(wanted).__name__}"
        if isinstance(wanted, dict):
            if found.keys() != wanted.keys():
                return "other keys"
            found, wanted = [found[key] for key in wanted], [*wanted.values()]
        if len(found) != len(wanted):
            return f"{type(wanted).__name__} of another length"
        return next(filter(None, map(unlike, found, wanted)), "")
    if (found is None) != (wanted is None) or isinstance(found, str) != isinstance(wanted, str):
        return f"{type(found).__name__} for {type(wanted).__name__}"
    return "" if found == wanted else f"other {type(wanted).__name__}"
