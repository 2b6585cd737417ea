"""`to_code`, `to_graph`, `convert`, `do_not_convert`, `trace` and the verbosity, as a user calls them."""

from __future__ import annotations

import functools
import gc
import inspect
import linecache
import subprocess
import sys
import threading
import traceback
import types

import gast
import pytest

import autograph as tf
from autograph import pipeline
from autograph.config import settings
from autograph.errors import ConversionError, SourceNotFoundError, StagingError, UnsupportedConstructError
from autograph.tracebacks import trim


def collatz(n: int, steps: int = 0) -> int:
    """Counts steps."""
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps


COLLATZ = """\
def ag__collatz(n: int, steps: int=0) -> int:
    \"\"\"Counts steps.\"\"\"
    def loop_test():
        return n != 1
    def loop_body():
        nonlocal n, steps
        def if_body():
            nonlocal n
            n = n // 2
        def else_body():
            nonlocal n
            n = 3 * n + 1
        ag__.if_stmt(n % 2 == 0, if_body, else_body, ('n',))
        steps += 1
    ag__.while_stmt(loop_test, loop_body, ('n', 'steps'))
    return steps
"""


@pytest.fixture
def verbosity():
    yield tf.set_verbosity
    tf.set_verbosity(0)


def test_a_misspelt_variable_of_the_environment_is_told(monkeypatch):
    code = "import autograph; print(autograph.config.settings.verbosity)"
    monkeypatch.setenv("AUTOGRAPH_VERBOSTY", "1")
    monkeypatch.setenv("AUTOGRAPH_EXAMPLES", "1")
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout == "0\n" and shown.stderr.count("Warning") == 1
    assert "AUTOGRAPH_VERBOSTY is not known; did you mean AUTOGRAPH_VERBOSITY?" in shown.stderr


def test_code_is_readable():
    assert tf.to_code(collatz) == COLLATZ
    assert tf.autograph.to_code(tf.function(collatz)) == COLLATZ
    assert tf.autograph.to_code(tf.function(collatz).python_function) == COLLATZ
    assert tf.to_code(tf.to_graph(collatz)) == COLLATZ


def test_converted_function_looks_like_the_original():
    converted = tf.to_graph(collatz)
    assert converted(27) == collatz(27) == 111
    assert converted.__name__ == "collatz"
    assert converted.__doc__ == "Counts steps."
    assert inspect.signature(converted) == inspect.signature(collatz)
    assert inspect.getsource(converted) == inspect.getsource(collatz)
    assert tf.to_graph(converted) is converted


def test_each_call_runs_the_form_that_fits():
    converted = tf.to_graph(collatz)
    assert converted(7) == 16
    assert isinstance(converted(7), int)
    assert tf.function(lambda n: converted(n))(tf.constant(7)).numpy() == 16
    assert tf.function(converted)(tf.constant(7)).numpy() == 16


def test_the_seed():
    def f(x):
        if x < 0:
            x = -x
        return x

    result = tf.autograph.to_graph(f)(tf.constant(-2))
    assert repr(result) == "<tf.Tensor: shape=(), dtype=int32, numpy=2>"


class Model:
    scale = 3

    def __init__(self, offset):
        self.__offset = offset

    def call(self, x):
        if x > 0:
            return x * self.scale + self.__offset
        return -x

    __call__ = call

    @classmethod
    def make(cls, x):
        return cls(x) if x else None

    @staticmethod
    def helper(x):
        return [y for y in range(x) if y % 2]


class Deeper(Model):
    def call(self, x):
        if x == 1:
            return super().call(x) + 100
        return super().call(x)


def test_kinds_of_callables():
    model = Model(5)
    assert tf.to_graph(model.call)(2) == 11
    assert tf.to_graph(Model.call)(model, -2) == 2
    assert tf.to_graph(model)(2) == 11
    assert tf.to_graph(Model.make)(3).call(1) == 6
    assert tf.to_graph(Model.make)(0) is None
    assert tf.to_graph(Model.helper)(6) == [1, 3, 5]
    assert tf.to_graph(lambda x, y=2: x if x > y else y)(1) == 2
    assert tf.to_graph(functools.partial(collatz, steps=10))(2) == 11
    assert tf.to_graph(Deeper(1).call)(1) == 104
    assert [tf.to_graph(f)(3) for f in (lambda x: x + 1, lambda x: x and 7)] == [4, 7]


def test_what_cannot_be_converted_says_so():
    with pytest.raises(ConversionError, match="not a Python function"):
        tf.to_graph(len)
    with pytest.raises(ConversionError, match="class"):
        tf.to_code(Model)
    namespace: dict = {}
    exec("def f(x):\n    return x", namespace)
    with pytest.raises(SourceNotFoundError, match="source"):
        tf.to_graph(namespace["f"])
    with pytest.raises(ConversionError):
        tf.to_graph(3)


def test_the_reserved_name():
    def f():
        ag__ = 1
        return ag__

    with pytest.raises(UnsupportedConstructError, match="ag__") as caught:
        tf.to_graph(f)
    assert caught.value.line == f.__code__.co_firstlineno + 1
    assert caught.value.file == __file__


def test_convert_is_a_decorator():
    @tf.convert
    def f(x):
        return "positive" if x > 0 else "negative"

    @tf.convert(recursive=True)
    def g(x):
        while x > 10:
            x -= 10
        return x

    class Counter:
        @tf.convert
        def up(self, x):
            if x:
                return x + 1
            return 0

        @staticmethod
        @tf.convert
        def down(x):
            return x - 1 if x else 0

    assert (f(1), f(-1)) == ("positive", "negative")
    assert g(35) == 5
    assert tf.function(g)(tf.constant(35)).numpy() == 5
    assert Counter().up(2) == 3
    assert Counter.down(2) == 1


def test_do_not_convert():
    def inner(x):
        return 1 if x > 0 else -1

    @tf.do_not_convert
    def left(x):
        return inner(x)

    @tf.autograph.experimental.do_not_convert()
    def left_too(x):
        return 1 if x > 0 else -1

    assert left(3) == left_too(3) == 1
    assert left.__name__ == "left"
    assert tf.function(inner)(tf.constant(3)).numpy() == 1
    for function in (left, left_too):
        with pytest.raises(StagingError):
            tf.function(lambda x, function=function: function(x))(tf.constant(3))


def test_what_is_defined_inside_and_left_unconverted_is_as_written():
    def callee():
        return sys._getframe().f_code

    def outer():
        @tf.do_not_convert
        def left():
            return callee()

        return left(), callee()

    for made in (outer, tf.to_graph(outer), tf.convert(outer)):
        left, called = made()
        assert left is callee.__code__
        assert (called is left) == (made is outer)


def test_trace_prints_when_the_call_runs(capsys):
    tf.autograph.trace(1, "a")
    assert capsys.readouterr().out == "1 a\n"


def test_experimental_features():
    feature = tf.autograph.experimental.Feature
    assert feature.LISTS in feature.all()
    assert feature.LISTS not in feature.all_but(feature.LISTS)
    assert tf.to_code(collatz, experimental_optional_features=feature.EQUALITY_OPERATORS) == COLLATZ
    assert tf.autograph.experimental.set_loop_options(maximum_iterations=3) is None


def test_verbosity(verbosity, capsys):
    def f(x):
        if x:
            x = 1
        return x

    def g(x):
        if x:
            yield 1

    verbosity(1)
    tf.to_graph(f)(1)
    list(tf.to_graph(g)(1))
    shown = capsys.readouterr().err
    assert "f: converted (staged)\n" in shown
    assert "f: converted (plain)\n" in shown
    assert "stays native Python" in shown and "yield" in shown
    assert "if_stmt" not in shown

    def h(x):
        return x if x else 1

    verbosity(3, alsologtostdout=True)
    tf.to_graph(h)
    shown = capsys.readouterr()
    assert "after Functions" in shown.err
    assert "ag__.if_exp" in shown.out
    with pytest.raises(ValueError, match="verbosity"):
        verbosity(-1)


def test_strict_conversion(monkeypatch):
    namespace: dict = {"__name__": "unknown"}
    exec("def f(x):\n    return x", namespace)
    call = tf.to_graph(lambda x: namespace["f"](x))
    assert call(3) == 3
    monkeypatch.setattr(settings, "strict_conversion", True)
    with pytest.raises(ConversionError):
        call(3)


def test_generators_and_coroutines_mean_what_they_mean():
    def generate(n):
        for i in range(n):
            if i % 2:
                yield i
        return "end"

    async def answer(x):
        if x:
            return x + 1
        return 0

    assert list(tf.to_graph(generate)(5)) == [1, 3]
    for staged in (False, True):
        form = pipeline.converted(generate, staged)
        assert inspect.isgeneratorfunction(form)
        assert list(form(5)) == [1, 3]
        coroutine = pipeline.converted(answer, staged)(2)
        with pytest.raises(StopIteration) as stopped:
            coroutine.send(None)
        assert stopped.value.value == 3


def test_source_from_linecache():
    text = "def f(x):\n    return 1 if x else 2\n"
    linecache.cache["<cell 1>"] = (len(text), None, text.splitlines(True), "<cell 1>")
    namespace: dict = {}
    exec(compile(text, "<cell 1>", "exec"), namespace)
    assert "if_exp" in tf.to_code(namespace["f"])
    assert tf.to_graph(namespace["f"])(0) == 2


def test_checks_name_the_pass_at_fault(monkeypatch):
    from autograph.converters.base import Pass

    class Idle(Pass):
        removes = (gast.While,)

    monkeypatch.setattr(settings, "checks", True)
    assert pipeline.converted(Model.helper, True)(4) == [1, 3]
    monkeypatch.setitem(pipeline.STAGES, "staged", ((Idle,),))
    with pytest.raises(AssertionError, match="Idle left While in collatz"):
        tf.to_code(collatz)


def test_closures_share_cells():
    def counter():
        count = 0

        def up(by):
            nonlocal count
            if by:
                count += by
            return count

        return up, lambda: count

    up, read = counter()
    for staged in (False, True):
        pipeline.converted(up, staged)(2)
    assert read() == 4
    other, other_read = counter()
    pipeline.converted(other, True)(5)
    assert (read(), other_read()) == (4, 5)


def test_one_conversion_for_each_code_object():
    def make(k):
        def f(x):
            return x + k if x else k

        return f

    first, second = make(1), make(2)
    codes = {pipeline.converted(f, True).__code__ for f in (first, second)}
    assert len(codes) == 1
    assert pipeline.is_converted(codes.pop())
    assert not pipeline.is_converted(first.__code__)
    assert pipeline.converted(second, True)(1) == 3


def test_threads_get_one_result():
    def f(x):
        for i in range(3):
            if i == x:
                return i
        return None

    codes, start = [], threading.Barrier(8)

    def convert():
        start.wait()
        codes.append(pipeline.converted(f, True).__code__)

    threads = [threading.Thread(target=convert) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(codes) == 8
    assert len({id(code) for code in codes}) == 1


def test_conversions_go_with_their_code():
    def make():
        namespace: dict = {}
        text = "def f(x):\n    return 1 if x else 2\n"
        linecache.cache["<gone>"] = (len(text), None, text.splitlines(True), "<gone>")
        exec(compile(text, "<gone>", "exec"), namespace)
        return namespace["f"]

    gc.collect()
    before = len(pipeline._conversions)
    for _ in range(5):
        assert pipeline.converted(make(), True)(0) == 2
    gc.collect()
    assert len(pipeline._conversions) <= before + 1


@pytest.mark.parametrize("depth", [10, 300])
def test_deep_nesting_converts(depth):
    text = "def f(x):\n  if x == 0:\n    y = 0\n"
    text += "".join(f"  elif x == {i}:\n    y = {i}\n" for i in range(1, depth)) + "  return y\n"
    name = f"<deep {depth}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    namespace: dict = {}
    exec(compile(text, name, "exec"), namespace)
    limit = sys.getrecursionlimit()
    form = pipeline.converted(namespace["f"], True)
    assert sys.getrecursionlimit() == limit
    assert form(2) == 2


def test_conversion_deep_in_a_recursion():
    def late(x):
        while x > 3:
            x -= 3
        return x

    def down(n):
        return down(n - 1) if n else pipeline.converted(late, True)(10)

    room = sys.getrecursionlimit() - len(inspect.stack())
    assert down(room - 60) == 1


def test_errors_show_the_users_lines():
    def f(items):
        total = 0
        for x in items:
            if x:
                total += 1 // (x - 1)
        return total

    line = f.__code__.co_firstlineno + 4
    for staged in (False, True):
        with pytest.raises(ZeroDivisionError) as caught:
            pipeline.converted(f, staged)([0, 2, 1])
        trim(caught.value)
        trace = caught.value.__traceback__
        assert trace is not None
        while trace.tb_next is not None:
            trace = trace.tb_next
        assert (trace.tb_lineno, trace.tb_frame.f_code.co_filename) == (line, __file__)
        assert trace.tb_frame.f_code.co_name == "f"


def test_defaults_and_attributes_are_the_originals():
    def f(a, b=[], *, c={}):  # noqa: B006
        b.append(a)
        c[a] = len(b)
        return b, c

    f.mark = "m"
    form = pipeline.converted(f, True)
    form(1)
    assert f.__defaults__ == ([1],)
    assert f.__kwdefaults__ == {"c": {1: 1}}
    assert form.mark == "m"
    assert isinstance(form, types.FunctionType)


def test_names_of_tensorflow_1_say_what_to_use_and_get_no_guess_of_pythons() -> None:
    with pytest.raises(AttributeError, match="Session` is of TensorFlow 1, .* functions run") as info:
        tf.Session  # type: ignore[attr-defined]  # noqa: B018
    assert info.value.name is None
    assert "Did you mean" not in "".join(traceback.format_exception(info.value))
