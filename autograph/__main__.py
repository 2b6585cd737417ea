"""The command line, also as `python -m autograph`: what a function becomes, and programs of several processes.

    autograph code package.module:function [--full]
    autograph code examples/collatz.py:collatz
    autograph graph package.module:function --spec "float32[None,4]" [--optimized] [--dot]
    autograph page package.module:function --spec "float32[None,4]" --output page.html
    autograph launch --processes 4 script.py [arguments]
"""

from __future__ import annotations

import argparse
import ast
import importlib
import importlib.util
import os
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from . import __version__
from .api import to_code
from .connect import function as traced
from .distribute.launch import Launch, launch
from .errors import AutographError
from .highlight import highlighted
from .page import page
from .runtime.base.dtypes import as_dtype
from .runtime.ir.show import dot, text
from .runtime.tensors.spec import TensorSpec

_SPEC = re.compile(r"(?P<dtype>[a-z][a-z0-9_]*)\s*(\[(?P<shape>[^\]]*)\])?")
_FUNCTION_HELP = "what to show; file.py:function and Class.method work too"
_SPEC_HELP = """\
a --spec stands for one parameter, in their order:
  float32[None,4]   a tensor; None or ? for a dimension that is not known
  int32[] or int32  a scalar tensor
  float32[...]      a tensor of any rank
  10, 'abc', True   a Python value, which becomes part of the graph
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line; returns the exit code.

    Raises:
        SystemExit: with code 2, after one line on stderr, when the input is bad.
    """
    parser = _parser()
    options = parser.parse_args(arguments)
    try:
        if options.command == "launch":
            return launch(_launch(options))
        function = _found(options.function)
        if options.command == "code":
            print(_highlighted(_code(function, options.full)), end="")
            return 0
        concrete = _traced(function, [_spec(text) for text in options.spec])
        if options.command == "page":
            _write_page(function, concrete, options.output)
        else:
            print(_graph(concrete, options.dot, options.optimized))
    except (_BadInput, AutographError) as error:
        parser.exit(2, f"autograph: error: {_one_line(error)}\n")
    except BrokenPipeError:
        sys.stderr.close()
    return 0


class _BadInput(Exception):
    """What the user gave can't be used."""


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="autograph",
        description="Shows what autograph makes of a function, and starts programs of several processes.",
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    commands = parser.add_subparsers(dest="command", required=True)
    code = commands.add_parser("code", help="print the generated source")
    graph = commands.add_parser(
        "graph",
        help="trace the function and print its graph",
        epilog=_SPEC_HELP,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    page = commands.add_parser(
        "page",
        help="write a page of HTML: source, generated code, graph and plan side by side",
        epilog=_SPEC_HELP,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    for each in (code, graph, page):
        each.add_argument("function", metavar="package.module:function", help=_FUNCTION_HELP)
    for each in (graph, page):
        each.add_argument("--spec", action="append", default=[], metavar="SPEC", help="the type of a parameter")
    page.add_argument("--output", default="page.html", metavar="FILE", help="the file to write (page.html)")
    code.add_argument("--full", action="store_true", help="print arithmetic, attributes and try as they run")
    graph.add_argument("--optimized", action="store_true", help="the graph as it runs, after the optimiser's passes")
    graph.add_argument("--dot", action="store_true", help="print the graph in Graphviz's DOT language")
    _add_launch(commands)
    return parser


def _add_launch(commands: Any) -> None:
    parser = commands.add_parser(
        "launch",
        help="run a program in several processes on this machine, for tf.distribute.MultiWorkerMirroredStrategy",
        description="Starts a program in several processes, each with TF_CONFIG. When one fails, the others end, and "
        "all are started again. The exit code is 0 when all have ended well, else that of the first to fail (128 and "
        "the number of a signal).",
    )
    parser.add_argument("--processes", type=int, required=True, metavar="N", help="how many")
    parser.add_argument("--max-restarts", type=int, default=3, metavar="N", help="how often all are started again (3)")
    parser.add_argument(
        "--grace", type=float, default=5.0, metavar="SECONDS", help="how long each may take to end after SIGTERM (5)"
    )
    parser.add_argument("--devices-per-process", type=int, metavar="N", help="divide the CPU of each into N devices")
    parser.add_argument("--logs", metavar="FOLDER", help="write what each prints to FOLDER/worker-0.log …")
    parser.add_argument("-m", dest="module", action="store_true", help="SCRIPT is the name of a module")
    parser.add_argument("script", metavar="SCRIPT", help="the program")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, metavar="ARGUMENTS", help="what it is given")


def _launch(options: argparse.Namespace) -> Launch:
    """What to start."""
    least = {"processes": 1, "max_restarts": 0, "grace": 0, "devices_per_process": 1}
    for name, number in least.items():
        given = getattr(options, name)
        if given is not None and not given >= number:
            raise _BadInput(f"--{name.replace('_', '-')} is at least {number}, not {given}")
    if not options.module and not os.path.isfile(options.script):
        raise _BadInput(f"there is no file {options.script!r}")
    if os.environ.get("TF_CONFIG"):
        raise _BadInput("TF_CONFIG is set already: launch names the processes of one machine itself; unset it")
    command = [sys.executable, *(["-m"] if options.module else []), options.script, *options.arguments]
    folder = None if options.logs is None else Path(options.logs)
    return Launch(
        command, options.processes, options.max_restarts, options.grace, options.devices_per_process, folder
    )  # fmt: skip


def _found(name: str) -> Callable[..., Any]:
    """The function of a name such as `package.module:Class.method` or `folder/file.py:function`."""
    module_name, colon, path = name.rpartition(":")
    if not (module_name and colon and path):
        raise _BadInput(f"{name!r} is not of the form package.module:function or file.py:function")
    if "" not in sys.path and os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        is_file = module_name.endswith(".py")
        found: Any = _of_file(Path(module_name)) if is_file else importlib.import_module(module_name)
    except Exception as error:
        raise _BadInput(f"can't import {module_name!r}: {type(error).__name__}: {error}") from error
    for part in path.split("."):
        if not hasattr(found, part):
            raise _BadInput(f"{module_name!r} has no {path!r}")
        found = getattr(found, part)
    if not callable(found):
        raise _BadInput(f"{name!r} is not a function but of type {type(found).__name__}")
    return found


def _of_file(path: Path) -> ModuleType:
    """The module in a file, which finds others beside it, as a program does that Python is started with."""
    spec = importlib.util.spec_from_file_location(path.stem, path.resolve())
    assert spec is not None and spec.loader is not None
    sys.path.insert(0, str(path.resolve().parent))
    module = sys.modules[path.stem] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _code(function: Callable[..., Any], full: bool) -> str:
    return to_code(function, full=full)


def _traced(function: Callable[..., Any], specs: list[Any]) -> Any:
    """The trace of a function for some specs."""
    staged = function if hasattr(function, "get_concrete_function") else traced(function)
    try:
        return staged.get_concrete_function(*specs)
    except AutographError:
        raise
    except Exception as error:
        raise _BadInput(f"can't trace the function: {type(error).__name__}: {error}") from error


def _graph(concrete: Any, as_dot: bool, is_optimized: bool) -> str:
    graph = concrete.optimized_graph if is_optimized else concrete.graph
    if as_dot:
        return dot(graph).rstrip("\n")
    return f"{text(graph)}\n\n{concrete.optimized.summary()}" if is_optimized else text(graph)


def _write_page(function: Callable[..., Any], concrete: Any, path: str) -> None:
    text = page(getattr(function, "python_function", function), concrete)
    try:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise _BadInput(f"can't write {path!r}: {error}") from error
    print(f"{path}: {len(text) // 1024 + 1} kB")


def _spec(text: str) -> Any:
    """The `TensorSpec` or Python value that a --spec means."""
    match = _SPEC.fullmatch(text.strip())
    try:
        if match is None or match["dtype"] in ("None",):
            return ast.literal_eval(text.strip())
        return TensorSpec(_shape(match["shape"] or ""), as_dtype(match["dtype"]))
    except (ValueError, TypeError, SyntaxError):
        raise _BadInput(f"--spec {text!r} is neither a tensor such as float32[None,4] nor a Python value") from None


def _shape(text: str) -> list[int | None] | None:
    if text.strip() == "...":
        return None
    parts = [part.strip() for part in text.split(",") if part.strip()]
    return [None if part in ("None", "?") else int(part) for part in parts]


def _one_line(error: Exception) -> str:
    if not isinstance(error, AutographError):
        return " ".join(str(error).split())
    where = f" ({error.file}, line {error.line})" if error.file and error.line else ""
    remedy = f"; {error.remedy}" if error.remedy else ""
    return " ".join(f"{error.message}{where}{remedy}".split())


def _highlighted(code: str) -> str:
    """The code in colours when a terminal shows it, unless NO_COLOR is set (https://no-color.org)."""
    if not sys.stdout.isatty() or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return code

    return highlighted(code)


if __name__ == "__main__":
    sys.exit(main())
