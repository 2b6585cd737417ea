"""Every environment variable and switch, in one table.

Environment variables are read once, when autograph is imported; afterwards the attributes of ``settings`` decide.
"""

from __future__ import annotations

import os
import warnings

from .errors import InvalidArgumentError

_FLAGS = dict.fromkeys(("", "0", "false", "no", "off"), False) | dict.fromkeys(("1", "true", "yes", "on"), True)


_HIGHEST = 3
_PREFIX = "AUTOGRAPH_"
_known: list[str] = []
"""The switches that have been read, without the prefix."""


def checked_verbosity(level: object, what: str = "the verbosity") -> int:
    """A level of verbosity; those above the highest are taken for it.

    Raises `InvalidArgumentError` unless it is a whole number of at least 0.
    """
    if not isinstance(level, int) or level < 0:
        raise InvalidArgumentError(f"{what} is a whole number from 0 to {_HIGHEST}, not {level!r}")
    return min(level, _HIGHEST)


def _text(name: str) -> str:
    _known.append(name.removeprefix(_PREFIX))
    return os.environ.get(name, "")


def _level(name: str) -> int:
    text = _text(name).strip() or "0"
    what = f"the environment variable {name}"
    level = checked_verbosity(int(text) if text.isdecimal() else text, what)
    if level != int(text):
        warnings.warn(f"{what} is {text}, which is taken for {level}, the highest", stacklevel=2)
    return level


def _flag(name: str, default: str = "") -> bool:
    text = _text(name) or default
    found = _FLAGS.get(text.strip().lower())
    if found is None:
        raise InvalidArgumentError(f"the environment variable {name} must be 0 or 1, not {text!r}")
    return found


def _warn_of_misspelt() -> None:
    """A warning for each variable of the environment whose name is nearly that of a switch."""
    import difflib  # only where there is such a variable

    for name in os.environ:
        word = name.removeprefix(_PREFIX)
        if word != name and word not in _known and (near := difflib.get_close_matches(word, _known, 1, 0.7)):
            text = f"the environment variable {name} is not known; did you mean {_PREFIX}{near[0]}?"
            warnings.warn(text, stacklevel=2)


class Settings:
    """The switches, with the environment variable that sets each.

    ======================================  ==========================================================
    AUTOGRAPH_VERBOSITY (``verbosity``)     0 silent, 1 what was converted and why, 2 generated source,
                                            3 the source after every pass, and what was optimised
    AUTOGRAPH_STRICT_CONVERSION             1: a function that can't be converted is an error even where
    (``strict_conversion``)                 it could run as it is
    AUTOGRAPH_CHECKS (``checks``)           1: check the tree after every pass and the graph after tracing
    AUTOGRAPH_FULL_TRACEBACK                1: tracebacks show autograph's own frames too, not only the
    (``full_traceback``)                    user's
    AUTOGRAPH_OPTIMIZE (``optimize``)       0: graphs run as they were traced; see also
                                            `tf.config.optimizer`
    AUTOGRAPH_NATIVE (``native``)           0: graphs run through NumPy, and don't become machine code when that
                                            pays and llvmlite is installed; see also ``jit_compile``
    AUTOGRAPH_ENGINE (``engine``)           what runs graphs, and NumPy what that can't: ``numpy``; ``native``,
                                            machine code, when that pays; ``xla``, JAX (the extra ``xla``);
                                            ``interpreter``, op by op. Empty: the best that there is for what
                                            the graph does: XLA for all of it where JAX has an accelerator,
                                            machine code on a CPU. It counts for functions that have not run
                                            yet; see also `tf.device`
    AUTOGRAPH_NATIVE_CACHE                  a folder for compiled machine code, which must be the user's alone:
    (``native_cache``)                      what is in it is run; see `runtime/engines/native/run/cache.py`
    AUTOGRAPH_STATUS (``status``)           0: no line on a terminal that tells of traces and compilations which
                                            take longer than two seconds; there is none either where ``CI`` is set
    ======================================  ==========================================================
    """

    def __init__(self) -> None:
        self.verbosity = _level("AUTOGRAPH_VERBOSITY")
        self.also_log_to_stdout = False
        self.strict_conversion = _flag("AUTOGRAPH_STRICT_CONVERSION")
        self.checks = _flag("AUTOGRAPH_CHECKS")
        self.full_traceback = _flag("AUTOGRAPH_FULL_TRACEBACK")
        self.optimize = _flag("AUTOGRAPH_OPTIMIZE", default="1")
        self.native = _flag("AUTOGRAPH_NATIVE", default="1")
        self.engine = _text("AUTOGRAPH_ENGINE").strip()
        self.native_cache = _text("AUTOGRAPH_NATIVE_CACHE")
        self.status = _flag("AUTOGRAPH_STATUS", default="1")
        self.run_functions_eagerly = False


settings = Settings()
if any(name.startswith(_PREFIX) for name in os.environ):
    _warn_of_misspelt()
