"""What happens while a function is being converted: no thread waits for itself, and the library runs as it is."""

from __future__ import annotations

import importlib.abc
import importlib.util
import inspect
import linecache
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
import warnings
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import autograph as tf
from autograph import conversion, pipeline
from autograph.source import quiet

ROOT = Path(__file__).parents[1]
TIME = 20  # seconds, after which a test counts as hanging


def run(program: str) -> str:
    """What a program prints, in a process of its own: it puts converted functions into the standard library."""
    process = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], cwd=ROOT, capture_output=True, text=True,
                             timeout=120, check=False)  # fmt: skip
    assert process.returncode == 0, process.stderr[-3000:]
    return process.stdout


USE = """
import faulthandler; faulthandler.dump_traceback_later(100, exit=True)
import collections, dataclasses, enum, importlib, linecache
import autograph as tf
from types import FunctionType
from tests.conversion import Replacements

class InPlace(Replacements):
    "Puts what `to_graph` or `convert` returns in the place of the functions of a module."

    def __init__(self, name, make):
        super().__init__(name, True)
        self.make, self.count = make, 0
        module = importlib.import_module(name)
        for key, value in list(vars(module).items()):
            if isinstance(value, FunctionType):
                setattr(module, key, self.member(value))
            elif isinstance(value, type):
                self.convert_class(value)

    def _function(self, function):
        if function.__module__ != self.module_name:
            return function
        self.count += 1
        return self.make(function)

class Color(enum.Enum):
    RED = 1

@dataclasses.dataclass
class Point:
    x: object

def f(n, log):
    total = n * 0
    point = Point(n)
    for i in range(3):
        if n > i:
            total += point.x
            log.append(total)
        else:
            total -= 1
    i = n
    while i > 0:
        i -= 1
        if i == 2:
            break
    try:
        assert n > -5, "small"
    finally:
        total += i
    return total, f"{Color.RED.name}", sum(x for x in [n, n])

def refused(n):
    if n > 0:
        return undefined
    return n

def check():
    assert tf.to_graph(f)(3, []) == f(3, []), tf.to_graph(f)(3, [])
    found = tf.function(lambda n: f(n, []))(tf.constant(3))
    assert [int(found[0]), int(found[2])] == [f(3, [])[0], 6], found
    try:
        tf.function(refused)(tf.constant(3))
    except NameError as error:
        assert "undefined" in str(error)
    assert "while_stmt" in tf.to_code(f)
"""


@pytest.mark.parametrize("make", ["to_graph", "convert"])
@pytest.mark.parametrize("name", ["enum", "linecache"])
def test_functions_that_the_converter_uses_convert(name, make):
    assert int(run(USE + f"print(InPlace({name!r}, tf.{make}).count)\ncheck()")) > 3


def test_the_library_runs_as_it_is_for_the_converter_and_the_tracer():
    names = """_weakrefset abc ast collections collections.abc contextlib copy dataclasses enum functools inspect
        linecache os posixpath re textwrap threading tokenize traceback types typing warnings weakref""".split()
    assert int(run(USE + f"print(sum(InPlace(name, tf.convert).count for name in {names}))\ncheck()")) > 800


def test_the_users_code_runs_the_converted_form_of_a_library_function():
    lines = run("""
        import autograph as tf, colorsys

        original = colorsys.rgb_to_hls
        colorsys.rgb_to_hls = tf.to_graph(original)  # it has an `if` for each of the colours

        def called(red):
            return colorsys.rgb_to_hls(red, 0.5, 0.25)

        for red in (0.1, 0.3, 0.7):
            for function in (called, tf.convert(called), lambda red: max([called(red)], key=len)):
                found = tf.function(function)(tf.constant(red, tf.float64))
                print([round(float(x), 6) for x in found] == [round(x, 6) for x in original(red, 0.5, 0.25)])
        print(tf.function(colorsys.rgb_to_hls)(tf.constant(0.7), 0.5, 0.25)[1].numpy().round(3))
        print(called(0.7) == tf.convert(called)(0.7) == original(0.7, 0.5, 0.25))
    """)
    assert lines.split() == [*["True"] * 9, "0.475", "True"]


def make(text: str, name: str, **namespace: Any) -> Any:
    """A function of its own, whose text no other one has."""
    file = f"<{name} of {sys._getframe(1).f_code.co_name} {time.monotonic_ns()}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    exec(compile(text, file, "exec"), namespace)
    return namespace[name]


COUNT = "def count(n):\n    total = 0\n    while n > 0:\n        total += n\n        n -= 1\n    return total\n"


class Gate:
    """Holds up the conversions of some threads where they begin to parse."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.reached, self.open = threading.Event(), threading.Event()
        self.held: set[int] = set()
        self.before: dict[int, Any] = {}
        transformed = pipeline.transformed

        def wait(*arguments: Any) -> Any:
            if threading.get_ident() in self.held:
                self.reached.set()
                assert self.open.wait(TIME)
            self.before.get(threading.get_ident(), lambda: None)()
            return transformed(*arguments)

        monkeypatch.setattr(pipeline, "transformed", wait)

    def start(self, function: Any) -> threading.Thread:
        """Runs a function on a thread whose conversions are held up."""

        def held() -> None:
            self.held.add(threading.get_ident())
            function()

        thread = threading.Thread(target=held, daemon=True)
        thread.start()
        assert self.reached.wait(TIME)
        return thread


@pytest.mark.parametrize("staged", [False, True])
def test_threads_that_convert_a_function_at_once_get_one_form(staged):
    function = make(COUNT, "count")
    barrier = threading.Barrier(8)
    codes = []

    def convert() -> None:
        barrier.wait()
        codes.append(pipeline.converted(function, staged).__code__)

    threads = [threading.Thread(target=convert) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(TIME)
    assert len(codes) == 8
    assert all(code is codes[0] for code in codes)


def test_a_thread_waits_for_the_conversion_of_another(monkeypatch):
    monkeypatch.setattr(conversion, "PATIENCE", TIME)
    gate = Gate(monkeypatch)
    function = make(COUNT, "count")
    codes = []
    first = gate.start(lambda: codes.append(pipeline.converted(function, True).__code__))
    threading.Timer(0.05, gate.open.set).start()
    codes.append(pipeline.converted(function, True).__code__)
    first.join(TIME)
    assert codes[0] is codes[1]


def test_a_form_that_comes_late_gives_way(monkeypatch, capsys):
    monkeypatch.setattr(conversion, "PATIENCE", 0.01)
    gate = Gate(monkeypatch)
    function = make(COUNT, "count")
    codes = []
    tf.autograph.set_verbosity(1)
    try:
        late = gate.start(lambda: codes.append(pipeline.converted(function, True).__code__))
        code = pipeline.converted(function, True).__code__  # does not wait any longer
        gate.open.set()
        late.join(TIME)
    finally:
        tf.autograph.set_verbosity(0)
    assert codes == [code]
    assert codes[0] is code
    assert capsys.readouterr().err.count("in count: converted (staged)") == 1


def test_conversions_that_need_each_other_on_two_threads(monkeypatch):
    monkeypatch.setattr(conversion, "PATIENCE", TIME)
    functions = make(COUNT, "count"), make(COUNT, "count")
    meeting = threading.Barrier(2)
    gate = Gate(monkeypatch)
    done = []

    def convert(mine: Any, others: Any) -> None:
        def nested() -> None:
            del gate.before[threading.get_ident()]
            meeting.wait(TIME)  # both are converting
            done.append(pipeline.converted(others, True)(4))

        gate.before[threading.get_ident()] = nested
        done.append(pipeline.converted(mine, True)(4))

    threads = [threading.Thread(target=convert, args=pair, daemon=True) for pair in (functions, functions[::-1])]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(TIME)
    assert done == [10, 10, 10, 10]


@pytest.mark.parametrize("place", ["ast.parse", "compile", "matching"])
def test_an_interrupted_conversion_leaves_nothing_behind(place, monkeypatch, tmp_path):
    path = tmp_path / f"interrupted_{place[0]}.py"
    path.write_text(COUNT + "twice = lambda n: n * 2 if n else 0\n")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)

    def interrupt(*_: Any, **__: Any) -> Any:
        raise KeyboardInterrupt

    source = sys.modules["autograph.source.find"]
    with monkeypatch.context() as patch:
        if place == "matching":
            patch.setattr(source.matching, "lambdas_of", interrupt)
        else:
            wanted, quietly = {"ast.parse": "parse", "compile": "compile"}[place], quiet.quietly
            patch.setattr(source, "quietly", lambda function, *arguments, **options: (
                interrupt() if function.__name__ == wanted else quietly(function, *arguments, **options)))
        with pytest.raises(KeyboardInterrupt):
            pipeline.converted(module.twice, True)
    assert not conversion.is_under_way(module.twice.__code__)
    assert pipeline.converted(module.twice, True)(3) == 6
    assert pipeline.converted(module.count, True)(3) == 6


@pytest.mark.parametrize("depth", range(4, 120, 5))
def test_a_conversion_without_room_says_nothing_of_the_function(depth, tmp_path):
    path = tmp_path / f"deep_{depth}.py"
    path.write_text("nested = " + "(" * 90 + "1" + "+1)" * 90 + "\n" + COUNT + "twice = lambda n: n * 2 if n else 0\n")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)

    def down(levels: int, function: Any) -> Any:
        return down(levels - 1, function) if levels else pipeline.converted(function, True)(3)

    room = sys.getrecursionlimit() - len(inspect.stack())
    for function in (module.twice, module.count):
        try:
            assert down(room - depth, function) == 6
        except RecursionError:
            pass
        assert pipeline.converted(function, True)(3) == 6


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_child_process_converts_what_the_parent_was_converting(monkeypatch):
    monkeypatch.setattr(conversion, "PATIENCE", TIME)
    gate = Gate(monkeypatch)
    function = make(COUNT, "count")
    other = make(COUNT, "count")
    thread = gate.start(lambda: pipeline.converted(function, True))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of forking with threads
        child = os.fork()
    if not child:
        signal.alarm(TIME // 2)
        good = pipeline.converted(function, True)(4) == pipeline.converted(other, False)(4) == 10
        os._exit(0 if good else 1)
    _, status = os.waitpid(child, 0)
    gate.open.set()
    thread.join(TIME)
    assert status == 0


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_child_process_shows_warnings(monkeypatch):
    """A fork waits until no thread has silenced Python's warnings."""
    inside, leave = threading.Event(), threading.Event()

    def compile_slowly() -> None:
        inside.set()
        leave.wait(0.3)

    thread = threading.Thread(target=quiet.quietly, args=(compile_slowly,))
    thread.start()
    assert inside.wait(TIME)
    child = os.fork()
    if not child:
        signal.alarm(TIME // 2)
        quiet.quietly(int)
        os._exit(0 if warnings.showwarning is SHOW else 1)
    _, status = os.waitpid(child, 0)
    leave.set()
    thread.join(TIME)
    assert status == 0


SHOW = warnings.showwarning


class Finder(importlib.abc.MetaPathFinder, importlib.abc.InspectLoader):
    """Modules with a loader of the user's, which is written with converted functions itself."""

    def __init__(self, texts: dict[str, str]) -> None:
        self.texts = texts
        self.asked = 0

    def find_spec(self, name: str, path: Any, target: Any = None) -> Any:
        if name not in self.texts:
            return None
        return importlib.util.spec_from_loader(name, self, origin=f"{name}.made")

    def exec_module(self, module: ModuleType) -> None:
        name = module.__name__
        module.__file__ = f"{name}.made"
        exec(compile(self.texts[name], f"{name}.made", "exec"), module.__dict__)

    @tf.autograph.experimental.do_not_convert
    def is_package(self, name: str) -> bool:
        return False

    @tf.autograph.convert
    def get_source(self, name: str) -> str:
        self.asked += 1
        importlib.import_module("made_helper")
        return self.texts[name]


def test_code_of_the_user_runs_and_converts_in_a_conversion(monkeypatch):
    finder = Finder({
        "made_user": COUNT,
        "made_helper": "import autograph as tf\n" + COUNT + "form = tf.autograph.to_graph(count)\n"
                       "found = form(4), int(tf.function(count)(tf.constant(4)))\n",
    })  # fmt: skip
    monkeypatch.setattr(sys, "meta_path", [finder, *sys.meta_path])
    monkeypatch.delitem(sys.modules, "made_user", raising=False)
    monkeypatch.delitem(sys.modules, "made_helper", raising=False)
    count = importlib.import_module("made_user").count
    monkeypatch.delitem(linecache.cache, "made_user.made", raising=False)

    def traced(n: Any) -> Any:
        if n > 0:
            return count(n)
        return n

    # The first conversion of `count` imports, converts and traces, and is no part of the trace.
    function = tf.function(traced)
    assert int(function(tf.constant(4))) == 10
    assert finder.asked
    assert sys.modules["made_helper"].found == (10, 10)
    for name in ("made_user", "made_helper"):
        sys.modules.pop(name, None)


def test_what_a_conversion_runs_is_no_part_of_the_trace(monkeypatch):
    seen: list[Any] = []
    getlines = linecache.getlines

    def noting(filename: str, namespace: Any = None) -> Any:
        if len(seen) < 100:
            seen.append(tf.executing_eagerly())
        return getlines(filename, namespace)

    helper = make(COUNT, "count")

    def traced(n: Any) -> Any:
        if n > 2:
            return helper(n)
        return n

    monkeypatch.setattr(linecache, "getlines", tf.autograph.convert(noting))
    function = tf.function(traced)
    assert [int(function(tf.constant(n))) for n in (1, 4)] == [1, 10]
    assert seen and all(seen)


def test_a_log_that_is_converted_runs_in_a_conversion(monkeypatch):
    class Log:
        def __init__(self) -> None:
            self.lines: list[str] = []

        @tf.autograph.convert
        def write(self, text: str) -> int:
            if text.strip():
                self.lines.append(text)
            return len(text)

        def flush(self) -> None: ...

    function = make(COUNT, "count")
    log = Log()
    monkeypatch.setattr(sys, "stderr", log)
    tf.autograph.set_verbosity(1)
    try:
        assert tf.autograph.to_graph(function)(4) == 10
    finally:
        tf.autograph.set_verbosity(0)
    assert sum("in count: converted" in line for line in log.lines) == 2
