"""Library functions in staged bodies, which run while tracing: once, whether the branch is taken or not.

The rule: what only computes may run, and so may what merely prints (`print`, `logging`, `warnings`, writes to
`sys.stdout` and `sys.stderr`), and debuggers. What changes the world outside, or depends on it (files, processes,
clocks, random numbers, iterators from outside), is refused. At the top level of a trace all of these run once, while
tracing, as in TensorFlow.
"""

from __future__ import annotations

import random
import sys
import warnings
from collections.abc import Callable
from types import BuiltinFunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from autograph.errors import MutationError
from autograph.runtime.tensors.trace import user_location
from autograph.runtime.tensors.trace_text import calls_libraries

from ...data_model.raw_attributes import raw_attribute
from ..control.errors import where
from ..heap import state
from ..heap.iterators import using
from .code_writes import words

# Modules of the standard library of which every function may run, without the underscore of those written in C.
_COMPUTING = words(
    """
    abc array ast base64 binascii bisect builtins calendar cmath codecs collections colorsys contextlib contextvars
    copy copyreg csv dataclasses datetime decimal difflib enum errno fnmatch fractions functools graphlib hashlib heapq
    hmac html inspect ipaddress itertools json keyword locale math ntpath numbers operator pickle posixpath pprint
    quopri re reprlib shlex stat statistics string stringprep struct textwrap token tokenize types typing unicodedata
    urllib weakref zlib zoneinfo
    bdb logging pdb traceback warnings
    """
)
_C_NAMES = {"sre": "re", "pydecimal": "decimal", "strptime": "datetime"} | dict.fromkeys(
    ("md5", "sha1", "sha2", "sha3", "blake2"), "hashlib"
)
# Functions of those modules that look at the world outside, or change it.
_PATHS = words("exists lexists isfile isdir islink ismount realpath abspath expanduser expandvars getsize")
_REACHING = {
    "builtins": words("input open exec eval __import__"),
    "abc": words("register"),
    "calendar": words("setfirstweekday"),
    "codecs": words("register unregister register_error"),
    "copyreg": words("pickle constructor add_extension remove_extension clear_extension_cache"),
    "csv": words("writerow writerows writeheader register_dialect unregister_dialect field_size_limit"),
    "datetime": words("now today utcnow"),
    "decimal": words("setcontext"),
    "functools": words("register"),
    "locale": words("setlocale"),
    "logging": words("addLevelName basicConfig captureWarnings disable setLogRecordFactory setLoggerClass"),
    "posixpath": _PATHS,
    "ntpath": _PATHS,
    "warnings": words("filterwarnings simplefilter resetwarnings"),
    "weakref": words("finalize detach"),
    "zoneinfo": words("reset_tzpath clear_cache"),
    "urllib": words("urlopen urlretrieve"),
    "numpy": words(
        "save savez savez_compressed savetxt load loadtxt genfromtxt fromfile memmap tofile dump fromregex seterr "
        "seterrcall setbufsize set_printoptions"
    ),
}
_READING_SYS = words("getsizeof getrefcount getrecursionlimit intern _getframe _getframemodulename")
calls_libraries(__file__)
_CLASSES = frozenset(("pathlib", "io", "uuid", "queue", "argparse", "configparser"))
"""Modules whose classes may be constructed; their methods follow the rules for objects that the body has made."""


def refused(function: object) -> bool:
    """Whether a library function may not run in a staged body."""
    module = _module_of(function)
    name = _name_of(function)
    if name in _REACHING.get(module, ()):
        return True
    if module == "numpy":
        owner = raw_attribute(function, "__self__")
        kinds = (np.random.Generator, np.random.RandomState, np.random.BitGenerator)
        return isinstance(owner, kinds) or (raw_attribute(function, "__module__") or "").startswith("numpy.random")
    if module not in sys.stdlib_module_names or module in _COMPUTING:
        return False
    if isinstance(function, type):
        return not (issubclass(function, BaseException) or module in _CLASSES)
    if module == "pathlib":
        return not str(raw_attribute(function, "__qualname__", "")).startswith("PurePath.")
    return not (module == "sys" and name in _READING_SYS)


def _name_of(function: object) -> str:
    """The name of a function or class; that of its class for another object that can be called."""
    return str(raw_attribute(function, "__name__", "") or type(function).__name__)


def _module_of(function: object) -> str:
    owner = raw_attribute(function, "__self__")
    if isinstance(function, MethodType):
        owner = None if isinstance(owner, type) else type(owner)
    module = raw_attribute(owner if isinstance(owner, type) else function, "__module__")
    if not isinstance(module, str):
        module = type(owner).__module__ if owner is not None else ""
    first = module.partition(".")[0].lstrip("_")
    is_open = first == "io" and raw_attribute(function, "__name__") == "open"
    return "builtins" if is_open else _C_NAMES.get(first, first)


def is_printing(owner: object) -> bool:
    """Whether an object is where `print` writes to."""
    return owner is not None and (owner is sys.stdout or owner is sys.stderr)


def check_file(file: object) -> None:
    """Refuses what `print` writes into a file in a staged body.

    Raises:
        MutationError: the file is not one that the body has made.
    """
    if is_in_body() and not any(journal.is_created(file) for journal in state.stack() if not journal.outermost):
        raise MutationError(
            "print() into a file in a staged branch or loop would write once, while tracing, whether the branch is "
            "taken or not",
            **where(),
            construct="print",
            remedy="use tf.print(..., output_stream=file), which writes when the graph runs",
        )


def check(function: Callable[..., Any]) -> None:
    """Refuses a library function in a staged body that does more than compute or print.

    Raises:
        MutationError: the function reads or changes something outside the program.
    """
    if not is_in_body():
        _warn_of_frozen(function)
        return
    if _is_own_method(function) or not refused(function):
        return
    name = f"{raw_attribute(function, '__module__', None) or _module_of(function)}.{_name_of(function)}".lstrip("_")
    name = name.removeprefix("builtins.")
    raise MutationError(
        f"`{name}` in a staged branch or loop would run once, while tracing, whether the branch is taken or not; it "
        "reads or changes something outside the program",
        **where(),
        construct=name,
        remedy=_INSTEAD.get(_subject(function)) or "call it outside of the branch or loop, or use tf.py_function",
    )


class FrozenValueWarning(UserWarning):
    """A random number, or the time, that Python gives while a function is traced is a constant of its graph."""


def _warn_of_frozen(function: Callable[..., Any]) -> None:
    if not state.stack() or not refused(function) or _subject(function) not in ("random", "time"):
        return
    name, instead = function.__name__, _INSTEAD[_subject(function)]
    message = f"{name}() runs once, while the function is traced, and all runs share its value: {instead}"
    _warn_once(message, FrozenValueWarning)


class TracedPrintWarning(UserWarning):
    """`print` shows a graph tensor while a function is traced, which has no value then."""


def warn_of_print() -> None:
    """A warning, once for a line, that `print` shows no value."""
    message = "print() runs while the function is traced, and shows no value of a graph tensor: tf.print() does, in "
    _warn_once(message + "each run of the graph", TracedPrintWarning)


def _warn_once(message: str, category: type[Warning]) -> None:
    """A warning that Python shows once for each line of the user's."""
    place = user_location()
    if place is not None and place.line is not None:
        shown = _shown.setdefault(place.file, {})
        warnings.warn_explicit(message, category, place.file, place.line, registry=shown)


_shown: dict[str, dict[Any, Any]] = {}
"""By file the warnings that Python shows no more, as `__warningregistry__` of its module would have them."""


def _subject(function: object) -> str:
    """What a function of the outside world is about, as the keys of `_INSTEAD` have it."""
    module = _module_of(function)
    name = raw_attribute(function, "__name__", "")
    if module == "numpy" or module in ("random", "secrets"):
        return "random"
    if module == "time" and name == "sleep":
        return ""
    return {"sys": "exit" if name == "exit" else "", "datetime": "time", "builtins": name}.get(module, module)


_INSTEAD = {
    "random": "draw it with tf.random (tf.random.uniform, tf.random.normal), in each run of the graph",
    "time": "use tf.timestamp(), which is read in each run of the graph, or read the clock outside",
    "input": "read it outside, and pass it as an argument",
    "open": "open the file outside, or write to it by tf.print(..., output_stream='file://path') or tf.py_function",
    "eval": "write what the text says as code, or evaluate it outside of the branch or loop",
    "exec": "write what the text says as code, or execute it outside of the branch or loop",
    "exit": "raise an exception in the branch, and leave the program where it is caught",
    "os": "call it outside of the branch or loop, or by tf.py_function, which runs in each run of the graph",
}


def instead_of(owner: object) -> str | None:
    """What to write in place of a method of an object of the outside world, where there is something special."""
    return _INSTEAD["random"] if isinstance(owner, random.Random) else None


def is_making(function: object) -> bool:
    """Whether a function of a library makes an object of its own in each call."""
    module = _module_of(function)
    return module in ("hashlib", "hmac", "zlib") or raw_attribute(function, "__name__", "") in _MAKING.get(module, ())


_MAKING = {
    "dataclasses": words("asdict astuple replace"), "difflib": words("get_close_matches"),
    "heapq": words("nlargest nsmallest"), "statistics": words("multimode quantiles"),
}  # fmt: skip
"""Functions that make a list, dict or object of what they are given, by module."""


def is_library(function: object) -> bool:
    """Whether a function is of a library that only computes."""
    return _module_of(function) in _COMPUTING and not refused(function)


def _is_own_method(function: object) -> bool:
    """Whether a function is a method of an object that a staged body has made, or that is judged as an object."""
    owner = raw_attribute(function, "__self__")
    if owner is None or isinstance(owner, (type, ModuleType)):
        return False
    if type(owner).__module__.startswith("pathlib"):
        return False
    return isinstance(function, BuiltinFunctionType) or any(
        journal.is_created(owner) for journal in state.stack() if not journal.outermost
    )


def is_in_body() -> bool:
    """Whether a staged branch or loop body is being traced."""
    return any(not journal.outermost for journal in state.stack())


_MOVING_NOTHING = words(
    """
    ascii bool callable complex delattr enumerate filter float format getattr hasattr id int isinstance iter len map
    next print repr reversed setattr str type zip
    """
)
"""Built-in functions that leave an iterator where it is, or ask themselves whether they may move it."""


def checking_iterators(function: Callable[..., Any]) -> Callable[..., Any]:
    """A built-in function that refuses iterators from outside as its arguments."""
    name = raw_attribute(function, "__name__", "").strip("_")
    if name in _MOVING_NOTHING:
        return function
    return using(function, f"{name}()" if name.isidentifier() else "a call")
