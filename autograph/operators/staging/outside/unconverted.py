"""Python functions that run as they are while a graph is built: what they may change is noted, as they note nothing.

While such a function runs, a profile hook is told of each Python function that begins and of each function in C that
Python code calls. Of a Python function the instructions tell what it may change (see `code_writes`): most often
nothing, or what a global, a variable of a function around it, or an argument holds, and then that object is noted in
the journals before the function begins. Where that can't be told (an item of an item is set, a method may belong to
an extension, a variable of another function is set, a thread is started, an iterator comes back that runs code later),
everything that the call can reach is noted, as far as that can be told (see `far_reach`). That is done as soon
as such code is about to run, and only then: nothing has changed before.

What can't be seen at all are functions of extension modules (Cython) as the functions called: for them everything in
their arguments is noted at once. So it is done for all functions where another profiler can't be told of the events.
"""

from __future__ import annotations

import builtins
import gc
import io
import sys
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from types import BuiltinFunctionType, CodeType, FrameType, FunctionType, MethodType, MethodWrapperType, ModuleType
from typing import Any

import numpy as np

from autograph.errors import AutographError, MutationError
from autograph.runtime.base.dtypes import Array
from autograph.runtime.tensors.trace import user_code

from ...data_model.raw_attributes import raw_attribute
from ...data_model.special_methods import method
from ...dispatch import backend_of
from ..heap import heap, state
from ..heap.iterators import is_iterator, moves_in_converted_code, use
from ..heap.locations import attributes_of, is_plain_object, is_written_in_python
from . import effects, far_reach, threads
from .code_writes import CHANGING, Value, Writes, words, writes


def watched(function: object, call: Callable[..., Any]) -> Callable[..., Any]:
    """A function that notes all that `function`, and the functions among its arguments, may change; then does `call`.

    Raises (when called):
        MutationError: in a staged body, it changes a NumPy array that was there before.
    """

    def run(*arguments: object, **keywords: object) -> Any:
        given = (*arguments, *keywords.values())
        is_library = _is_library(function)
        roots = tuple(_code_in(given)) if is_library else (function, *given)
        if not roots:
            return call(*arguments, **keywords)
        watch = _Watch(roots)
        with watch:
            if not (is_library or _is_seen(function)):
                watch.note_all()
            made = call(*arguments, **keywords)
            watch.end(made)
        heap.check_unseen()
        return made

    return run


def _is_library(function: object) -> bool:
    module = (raw_attribute(function, "__module__") or "").partition(".")[0]
    return module in sys.stdlib_module_names and module != "__main__"


def _code_in(values: Iterable[Any]) -> Iterator[Any]:
    """The functions among some values, and the methods by which a library function may compare objects among them."""
    pending, seen = list(values), set[int]()
    while pending:
        each = pending.pop()
        if isinstance(each, (FunctionType, MethodType)):
            yield each
        elif isinstance(each, (list, tuple, set)):
            if id(each) not in seen:
                seen.add(id(each))
                pending.extend(each)
        else:
            found = (method(type(each), name) for name in _COMPARING)
            yield from filter(None, found)


_COMPARING = ("__hash__", "__eq__", "__lt__")


def note_key(key: object) -> None:
    """Notes what the methods by which a dict or a set compares an object may change: C calls them, unseen."""
    _note_functions(tuple(_code_in((key,))))


def _note_functions(functions: tuple[Any, ...]) -> None:
    for each in functions:
        found = writes(each.__code__)
        names = [name for name in found.loaded if not hasattr(builtins, name)]
        if found.unseen or names or each.__closure__:
            _Watch((each,)).note_all()


def _is_seen(function: object) -> bool:
    """Whether what a function does is done by Python functions, which the hook is told of."""
    if isinstance(function, MethodType):
        function = function.__func__
    return isinstance(function, FunctionType) or (isinstance(function, type) and is_written_in_python(function))


class _Watch:
    """Sees what runs during one call; a context manager."""

    def __init__(self, roots: tuple[Any, ...]) -> None:
        self._roots = roots
        self._old = {id(each): each for root in roots for each in (root, raw_attribute(root, "__self__"))}
        """The objects that variables of a function that is called may hold and that are certainly not new."""
        self._inner: dict[CodeType, frozenset[str]] = {}
        """For functions in those that have begun, the variables around them that these have made."""
        self._where = user_code()
        self._before: Any = None
        self._noted: list[Any] = []
        self._own: list[bool] = []
        """For each function that runs, the innermost last, whether it notes itself, or is the library's and called
        from there."""
        self._refused: AutographError | None = None
        self._all_noted = False
        self._collects = False
        """Whether the garbage collector is at work: the finalisers that it calls are no part of the call."""
        self._hook: Callable[..., None] | None = None
        """Kept, as Python 3.11 may call a hook once more after it was taken away, when nothing else holds it."""

    def __enter__(self) -> None:
        self._before = sys.getprofile()
        if self._before is not None and not isinstance(self._before, (FunctionType, MethodType)):
            self.note_all()  # a profiler in C, which couldn't be started again
        else:
            self._hook = self._event
            gc.callbacks.append(self._collection)
            sys.setprofile(self._hook)

    def __exit__(self, *_: object) -> None:
        if self._refused is not None:
            sys.setprofile(self._before)  # Python has taken the hook away, as it has raised
        self._unhook()
        if self._hook is not None:
            gc.callbacks.remove(self._collection)
            self._hook = None
        if self._refused is not None:
            raise self._refused  # the user's code may have caught it

    def _unhook(self) -> None:
        # Else another one has been set, for a call in this one or by the user.
        if self._hook is not None and sys.getprofile() is self._hook:
            sys.setprofile(self._before)

    def _collection(self, phase: str, _: object) -> None:
        self._collects = phase == "start"

    def end(self, made: Any) -> None:
        """Notes everything when what the call has made may run code later: an iterator."""
        if any(is_iterator(each) for each in (made, *(made if type(made) in (tuple, list) else ()))):
            self.note_all()

    def note_all(self) -> None:
        """Notes the objects, and the variables of functions, that can be reached."""
        if self._all_noted:
            return
        self._all_noted = True
        self._unhook()
        try:
            # What code has taken out of an object that is noted may be reached no longer.
            copies = [held for each in self._noted for held in _held_by(each)]
            for each in far_reach.changeable((*self._roots, *copies), self._where):
                self._note(each)
        except AutographError as error:
            self._refused = error
            raise

    def _note(self, obj: object) -> None:
        if effects.is_in_body():
            self._check_iterator(obj)
        if isinstance(obj, np.ndarray):
            self._check_array(obj)
            if not effects.is_in_body():
                return
        for journal in state.stack():
            journal.watch(obj, self._where)

    def _check_array(self, array: Array) -> None:
        """Refuses that code which is not converted uses an array of which only a run knows what it holds.

        Raises:
            MutationError: it is one.
        """
        if type(array) is np.ndarray and heap.has_form(array):
            self._refused = MutationError(
                "code that is not converted uses an array that staged code has changed; only a run knows what it holds",
                **({} if self._where is None else self._where.location._asdict()),
                construct="NumPy array",
                remedy="convert the function, or give it what it needs as an argument",
            )
            raise self._refused

    def _check_iterator(self, obj: object) -> None:
        """Refuses that code which is not converted may move an iterator in a staged body that has not made it."""
        if is_iterator(obj) and not isinstance(obj, io.IOBase) and not moves_in_converted_code(obj):
            try:
                use(obj, "code that is not converted")
            except MutationError as error:
                self._refused = error
                raise

    def _check_iterators(self, frame: FrameType, found: Writes) -> None:
        """The same for what a function finds in older variables: iterators, and objects and containers of them."""
        names = {*frame.f_code.co_freevars} - self._inner.get(frame.f_code, frozenset())
        names.update(name for name, each in frame.f_locals.items() if id(each) in self._old)
        inner = self._inner.get(frame.f_code, frozenset()).union(frame.f_code.co_cellvars)
        self._inner.update((each, inner) for each in frame.f_code.co_consts if isinstance(each, CodeType))
        outer = [frame.f_locals[name] for name in names if name in frame.f_locals]
        outer += [_global(frame, name) for name in found.loaded]
        for each in outer:
            self._check_iterator(each)
            if effects.is_in_body() and is_plain_object(each):
                for held in attributes_of(each).values():
                    self._check_iterator(held)
        if effects.is_in_body():
            for place in found.indexed:
                held = _evaluated(place, frame) if _variable_of(place) in names | found.loaded else None
                if isinstance(held, (list, tuple, dict)):
                    for each in held.values() if isinstance(held, dict) else held:
                        self._check_iterator(each)

    # What the hook is told

    def _event(self, frame: FrameType, event: str, argument: Any) -> None:
        if self._before is not None:
            self._before(frame, event, argument)
        if self._all_noted or self._collects:
            return
        if event == "call":
            is_own = _notes_itself(frame) or (_is_in_library(frame) and (not self._own or self._own[-1]))
            self._own.append(is_own)
            if not is_own:
                self._begins(frame)
            else:
                self._begins_own(frame)
        elif event == "return" and self._own:
            self._own.pop()
        elif event == "c_call" and threads.is_starting(argument):
            self._starts(argument.__name__, frame)
        elif event == "c_call" and self._own and not self._own[-1] and _may_change(argument, frame):
            self.note_all()

    def _starts(self, name: str, frame: FrameType) -> None:
        """A thread begins, which is told of nothing."""
        try:
            threads.check(name, frame.f_locals.values())
        except AutographError as error:
            self._refused = error
            raise
        self.note_all()

    def _begins_own(self, frame: FrameType) -> None:
        """Notes what a function changes by operators that are left to Python; it notes all else itself."""
        if isinstance(frame.f_locals.get("out"), np.ndarray):
            self.note_all()
        elif _is_converted(frame.f_code):
            for each in frame.f_locals.values():
                if isinstance(each, (np.ndarray, defaultdict)):
                    self._note(each)

    def _begins(self, frame: FrameType) -> None:
        """Notes what a Python function that begins may change."""
        found = writes(frame.f_code)
        if found.unseen:
            self.note_all()
            return
        variables = frame.f_locals
        for each in (*variables.values(), *[_global(frame, name) for name in found.loaded]):
            self._check_array(each)
        self._check_iterators(frame, found)
        for name in found.loaded:
            if name not in variables and _is_opaque(_global(frame, name), frame.f_code.co_names):
                self.note_all()
                return
        if any(_is_opaque(each) or _is_opaque_object(each) for each in variables.values()):
            self.note_all()
            return
        for each in found.indexed:
            indexed = _evaluated(each, frame)
            if not _is_indexed_unchanged(indexed):
                self.note_all()
                return
        for name in found.variables:
            obj = variables.get(name, _MISSING)
            is_old = id(obj) in self._old or name in frame.f_code.co_freevars
            if obj is _MISSING:
                if _is_in_library(frame):  # the library's own tables
                    continue
                obj, is_old = _global(frame, name), True
            if isinstance(obj, ModuleType) and obj.__name__.partition(".")[0] == "autograph":
                continue
            is_known = is_old and not isinstance(obj, type) and not _gives_changing(obj, frame.f_code.co_names)
            if is_known:
                self._noted.append(obj)
                self._note(obj)
            elif not isinstance(obj, _UNCHANGING):
                self.note_all()


_MISSING = object()
_UNCHANGING = (str, bytes, int, float, complex, tuple, range, frozenset, type(None))
_CONTAINERS = (list, dict, set, deque, bytearray, np.ndarray)
_OWN = ("autograph", "numpy")
_INDEXED = frozenset((str, bytes, tuple, list, dict, range, bytearray, deque, np.ndarray, type))
_CHANGES_NOTHING = words(
    """
    builtins math cmath itertools _functools _operator _struct _json _sre unicodedata binascii zlib time sys _abc
    _string _warnings _weakref _collections _stat _bisect _heapq _thread _imp marshal errno posix nt _datetime _decimal
    _hashlib
    """
)
"""Modules in C whose functions, but for those in `CHANGING`, change no objects that they are given."""
_WITH_OUTPUT = frozenset(("concatenate", "dot"))


def _held_by(obj: object) -> Iterator[Any]:
    """What the journals know that an object has held before it was changed."""
    for journal in state.stack():
        yield from journal.held_before(obj)


def _global(frame: FrameType, name: str) -> Any:
    found = frame.f_globals.get(name, _MISSING)
    return getattr(builtins, name, None) if found is _MISSING else found


def _evaluated(value: Value, frame: FrameType) -> Any:
    """What a value is as a function begins, where that can be told without running anything."""
    if isinstance(value, str):
        found = frame.f_locals.get(value, _MISSING)
        return _global(frame, value) if found is _MISSING and value not in frame.f_code.co_varnames else found
    if value is None or value[0] == "constant":
        return _MISSING if value is None else value[1]
    owner, key = _evaluated(value[1], frame), value[2]
    if value[0] == "attribute":
        held = getattr(owner, "__dict__", None) if is_plain_object(owner) or isinstance(owner, ModuleType) else None
        return held.get(key, _MISSING) if isinstance(held, dict) else _MISSING
    index = _evaluated(key, frame)
    if type(owner) in (list, tuple, dict) and type(index) in (int, str):
        try:
            return owner[index]
        except LookupError:
            return None
    return _MISSING if type(owner) in (list, tuple, dict) else owner


def _variable_of(value: Value) -> Any:
    """The variable by which code comes to a value."""
    while isinstance(value, tuple):
        value = value[1]
    return value


def _is_indexed_unchanged(value: object) -> bool:
    """Whether a value stays as it is when code takes an item of it."""
    kind = type(value)
    return kind in _INDEXED or value is None or backend_of(value) is not None or is_plain_object(value)


def _is_converted(code: CodeType) -> bool:
    from autograph.pipeline import is_converted  # which runs of saved models don't load

    return is_converted(code, True)


def _notes_itself(frame: FrameType) -> bool:
    """Whether code is converted, or of this package or NumPy, whose changes of arrays are seen otherwise."""
    module = frame.f_globals.get("__name__", "")
    is_own = isinstance(module, str) and module.partition(".")[0] in _OWN
    return is_own or _is_converted(frame.f_code)


def _is_in_library(frame: FrameType) -> bool:
    module = frame.f_globals.get("__name__", "")
    return isinstance(module, str) and module.partition(".")[0] in sys.stdlib_module_names and module != "__main__"


def _is_opaque(value: object, names: tuple[str, ...] = ()) -> bool:
    """Whether a value is a function or a module that may change objects unseen, when code calls what it finds there.

    ``names`` are those that the code uses: NumPy's universal functions may get an array to change as last argument.
    """
    if isinstance(value, (BuiltinFunctionType, MethodWrapperType)):
        owner = raw_attribute(value, "__self__")
        if owner is None or isinstance(owner, ModuleType):
            return _is_changing(value)
        return isinstance(owner, _CONTAINERS) and value.__name__ in CHANGING
    if value is np:
        return any(isinstance(getattr(np, name, None), np.ufunc) or name in _WITH_OUTPUT for name in names)
    if isinstance(value, ModuleType):
        return not _has_functions_in_python(value) and value.__name__.partition(".")[0] not in sys.stdlib_module_names
    if isinstance(value, type):
        return not is_written_in_python(value) and _is_of_extension(value)
    return isinstance(value, np.ufunc) or _is_of_extension(type(value))


def _is_opaque_object(value: object) -> bool:
    """Whether an object holds one of an extension's."""
    held = raw_attribute(value, "__dict__") if not isinstance(value, (type, ModuleType, FunctionType)) else None
    return isinstance(held, dict) and any(_is_of_extension(type(each)) for each in held.values())


def _is_of_extension(cls: type) -> bool:
    module = getattr(cls, "__module__", None)
    name = module.partition(".")[0] if isinstance(module, str) else ""
    return name not in sys.stdlib_module_names and name not in _OWN and not is_written_in_python(cls)


def _gives_changing(obj: object, names: Iterable[str]) -> bool:
    """Whether an object is a module that has functions that aren't Python's, under names that tell of changes."""
    if not isinstance(obj, ModuleType):
        return False
    found = [vars(obj).get(name) for name in CHANGING.intersection(names)]
    return any(not isinstance(each, (FunctionType, type(None))) for each in found)


def _has_functions_in_python(module: ModuleType) -> bool:
    file = getattr(module, "__file__", None)
    return isinstance(file, str) and file.endswith((".py", ".pyc"))


def _is_changing(function: Callable[..., Any]) -> bool:
    """Whether a function in C may change what it is given."""
    name, module = function.__name__, raw_attribute(function, "__module__") or ""
    module = module if isinstance(module, str) else ""
    return name in CHANGING or module.partition(".")[0] not in (*_CHANGES_NOTHING, *_OWN)


def _may_change(function: Callable[..., Any], frame: FrameType) -> bool:
    """Whether a function in C that code calls may change objects of which the instructions don't tell."""
    owner = raw_attribute(function, "__self__")
    if owner is None or isinstance(owner, ModuleType):
        return _is_changing(function)
    if isinstance(owner, (*_UNCHANGING, type)):
        return False
    # The name of a method that stands in the code has been seen as the function began.
    name = function.__name__
    return name in CHANGING and name not in frame.f_code.co_names
