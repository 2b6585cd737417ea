"""What looks at the frames of its callers sees the user's function, as without conversion."""

from __future__ import annotations

import collections
import dataclasses
import enum
import inspect
import io
import logging
import sys
import traceback
import warnings
from collections.abc import Callable
from typing import Any

import pytest

import autograph as tf


def who() -> Any:
    return sys._getframe(1).f_code.co_name, sys._getframe(1).f_lineno, sys._getframe().f_code.co_name


def of_the_caller() -> Any:
    return who()


def of_inspect() -> Any:
    def inner() -> Any:
        return inspect.stack()[1].function

    frame = inspect.currentframe()
    assert frame is not None
    return inspect.stack()[0].function, frame.f_code.co_name, frame.f_lineno, inner()


def in_a_loop() -> Any:
    found = None
    for _ in range(2):
        found = sys._getframe().f_code.co_name, sys._getframe().f_lineno
    return found


def of_a_log_record() -> Any:
    text = io.StringIO()
    handler = logging.StreamHandler(text)
    handler.setFormatter(logging.Formatter("%(funcName)s:%(lineno)d %(filename)s %(message)s"))
    logger = logging.Logger("a")
    logger.addHandler(handler)
    logger.warning("%s", 3)
    return text.getvalue()


def of_classes() -> Any:
    return collections.namedtuple("Pair", "a b").__module__, enum.Enum("Kind", "A B").__module__  # noqa: PYI024


def of_a_traceback() -> Any:
    return traceback.format_stack()[-1], traceback.extract_stack()[-1].lineno


@pytest.mark.parametrize(
    "function", [of_the_caller, of_inspect, in_a_loop, of_a_log_record, of_classes, of_a_traceback]
)
def test_frames_are_the_users(function: Callable[[], Any]) -> None:
    found = []

    @tf.function
    def f(x: Any) -> Any:
        found.append(function())
        return x

    f(tf.constant(1))
    assert found == [function()]


def deprecated() -> None:
    warnings.warn("old", DeprecationWarning, stacklevel=2)


def test_warnings_name_the_line_that_calls() -> None:
    def f(x: Any) -> Any:
        deprecated()
        if x > 0:
            deprecated()
        return x

    first = f.__code__.co_firstlineno
    with pytest.warns(DeprecationWarning) as caught:
        tf.function(f)(tf.constant(1))
    assert [(each.filename, each.lineno - first) for each in caught] == [(__file__, 1), (__file__, 3)]


def test_frames_in_staged_branches() -> None:
    @tf.function
    def f(x: Any) -> Any:
        if x > 0:
            name, line, _ = who()
        else:
            name, line, _ = who()
        return name, line

    name, line = f(tf.constant(1))
    assert name == "f" and int(line) == f.python_function.__code__.co_firstlineno + 3


# The caller of converted code

FOUND: list[Any] = []


def its_callers(x: Any) -> None:
    for depth in range(3):
        frame = sys._getframe(depth)
        FOUND.append((frame.f_code.co_name, frame.f_lineno, frame.f_globals["__name__"]))
    FOUND.append([(each.function, each.lineno, each.code_context) for each in inspect.stack()[:3]])
    FOUND.append([(each.name, each.lineno) for each in traceback.extract_stack()[-3:]])
    FOUND.append(traceback.format_stack()[-3:])
    FOUND.append(traceback.format_stack(sys._getframe(), 2))
    FOUND.append([each.function for each in inspect.getouterframes(sys._getframe(), 2)[:3]])
    text = io.StringIO()
    traceback.print_stack(limit=2, file=text)
    FOUND.append(text.getvalue())
    with pytest.raises(ValueError, match="call stack is not deep enough"):
        sys._getframe(100_000)


def its_callers_in_statements(x: Any) -> None:
    for _ in range(2):
        try:
            if x > 0:
                FOUND.append([(each.function, each.lineno) for each in inspect.stack()[:3]])
        finally:
            FOUND.append(sys._getframe(1).f_lineno)
            FOUND.extend((lambda: sys._getframe(depth).f_code.co_name)() for depth in (1, 2))


def its_callers_from_a_helper(x: Any) -> None:
    its_callers(x)
    its_callers_in_statements(x)


def its_warnings(x: Any) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for level in (1, 2, 3, 100_000):
            warnings.warn("old", DeprecationWarning, level)
        warnings.warn(UserWarning("old"), stacklevel=2)
        if sys.version_info >= (3, 12):
            warnings.warn("old", skip_file_prefixes=("nowhere",))
            warnings.warn("old", stacklevel=2, skip_file_prefixes=("nowhere",))
            warnings.warn("old", stacklevel=1, skip_file_prefixes=(__file__[:-3],))
    FOUND.extend((each.category, each.filename, each.lineno) for each in caught)
    with pytest.raises(TypeError, match="category must be a Warning subclass"):
        warnings.warn("old", int)  # type: ignore[arg-type]


def its_module(x: Any) -> None:
    if sys.version_info >= (3, 12):
        FOUND.append([sys._getframemodulename(depth) for depth in (0, 1, 2, 100_000)])


def from_plain_code(function: Callable[[Any], Any]) -> list[Any]:
    FOUND.clear()
    function(1)
    return list(FOUND)


WAYS: list[Callable[[Any], Any]] = [tf.autograph.to_graph, tf.autograph.convert, tf.function]
NAMES = ["to_graph", "convert", "function"]


@pytest.mark.parametrize("way", WAYS, ids=NAMES)
@pytest.mark.parametrize(
    "function", [its_callers, its_callers_in_statements, its_callers_from_a_helper, its_warnings, its_module]
)
def test_the_caller_of_a_converted_function_is_the_users(function: Callable[[Any], Any], way: Any) -> None:
    converted = way(function)
    for _ in range(2):
        expected, found = from_plain_code(function), from_plain_code(converted)
        assert found == expected
        if way is tf.function:
            break


def test_the_caller_of_a_staged_branch_is_the_users() -> None:
    found = []

    @tf.function
    def f(x: Any) -> Any:
        if x > 0:
            name = inspect.stack()[1].function
            tf.py_function(found.append, [sys._getframe(1).f_code.co_name], [])
            warnings.warn("old", DeprecationWarning, stacklevel=2)
        else:
            name = ""
        return name

    with pytest.warns(DeprecationWarning) as caught:
        name = f(tf.constant(1))
    own = test_the_caller_of_a_staged_branch_is_the_users.__name__
    assert name == own and [each.numpy().decode() for each in found] == [own]
    assert [(each.filename, each.lineno - sys._getframe().f_lineno) for each in caught] == [(__file__, -3)]


def its_callers_by_f_back(x: Any) -> None:
    frame = sys._getframe()
    for _ in range(3):
        FOUND.append((frame.f_code.co_name, frame.f_lineno))
        assert frame.f_back is not None
        frame = frame.f_back


def its_log_records(x: Any) -> None:
    text = io.StringIO()
    handler = logging.StreamHandler(text)
    handler.setFormatter(logging.Formatter("%(funcName)s:%(lineno)d %(filename)s %(message)s"))
    logger = logging.Logger("a")
    logger.addHandler(handler)
    for level in (1, 2, 3):
        logger.warning("%s", 3, stacklevel=level)
    FOUND.append(text.getvalue())


def its_classes(x: Any) -> None:
    pair = collections.namedtuple("pair", "a b")  # noqa: PYI024
    FOUND.append((pair.__module__, enum.Enum("Kind", "A B").__module__))


@pytest.mark.parametrize("function", [its_callers_by_f_back, its_log_records, its_classes])
def test_nothing_stands_between_plain_code_and_what_to_graph_returns(function: Callable[[Any], Any]) -> None:
    assert from_plain_code(tf.autograph.to_graph(function)) == from_plain_code(function)


class Caller:
    def method(self, x: Any) -> None:
        its_callers_by_f_back(x)
        FOUND.append(inspect.currentframe().f_back.f_code.co_name)  # type: ignore[union-attr]

    @classmethod
    def of_class(cls, x: Any) -> None:
        cls().method(x)


@pytest.mark.parametrize("method", [Caller().method, Caller.of_class])
def test_nothing_stands_between_plain_code_and_a_method(method: Any) -> None:
    converted = tf.autograph.to_graph(method)
    assert from_plain_code(converted) == from_plain_code(method)
    assert tf.autograph.to_graph(converted) is converted and converted.__self__ is method.__self__


@pytest.mark.parametrize("way", [tf.autograph.to_graph, tf.autograph.convert], ids=NAMES[:2])
def test_functions_of_the_library_name_the_module_of_their_caller(way: Any) -> None:
    made = way(collections.namedtuple)("Pair", "a b")  # noqa: PYI024
    assert made.__module__ == __name__
    make = way(dataclasses.make_dataclass)
    assert make("Record", ["a"]).__module__ == dataclasses.make_dataclass("Record", ["a"]).__module__


def raises(x: Any, *rest: Any, key: Any = None, **others: Any) -> Any:
    """Raises."""
    if x:
        return tf.reshape(tf.constant([1, 2]), [3])
    return locals(), rest, key, others


def test_what_to_graph_returns_raises_and_binds_as_the_function_does() -> None:
    converted = tf.autograph.to_graph(raises)
    assert converted(0, 1, 2, key=3, a=4) == raises(0, 1, 2, key=3, a=4)
    assert type(converted) is type(raises) and converted.__doc__ == "Raises." and converted.__kwdefaults__
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        converted(1)
    places = [(each.name, each.lineno) for each in traceback.extract_tb(caught.tb)]
    own = test_what_to_graph_returns_raises_and_binds_as_the_function_does
    assert places == [(own.__name__, places[0][1]), ("raises", raises.__code__.co_firstlineno + 3)]
    staged = tf.function(lambda x: converted(0, x, key=x, a=x)[1:])(tf.constant(7))
    assert [int(each) for each in tf.nest.flatten(staged)] == [7, 7, 7]
    unconverted = tf.autograph.do_not_convert(lambda x: converted(0, x, key=x, a=x)[1:])
    staged = tf.function(unconverted)(tf.constant(7))
    assert [int(each) for each in tf.nest.flatten(staged)] == [7, 7, 7]


def calls(function: Any) -> None:
    function(1)


@pytest.mark.parametrize("decorate", [lambda function: function, tf.autograph.do_not_convert], ids=["", "unconverted"])
def test_what_to_graph_returns_has_one_frame_in_a_trace_too(decorate: Any) -> None:
    FOUND.clear()
    tf.function(decorate(calls))(tf.autograph.to_graph(its_callers_in_statements))
    stacks = [[name for name, _ in each][:2] for each in FOUND if isinstance(each, list)]
    assert stacks == [["its_callers_in_statements", "calls"]] * 2


def fails_in_a_branch(x: Any) -> Any:
    """Fails."""
    if x > 0:
        x = x.nothing
    return x


@pytest.mark.parametrize("decorate", [lambda function: function, tf.autograph.do_not_convert], ids=["", "unconverted"])
def test_what_to_graph_returns_is_once_in_tracebacks_of_a_trace(decorate: Any) -> None:
    converted = tf.autograph.to_graph(fails_in_a_branch)

    def outer(x: Any) -> Any:
        return converted(x)

    with pytest.raises(AttributeError) as caught:
        tf.function(decorate(outer))(tf.constant(1))
    places = [(each.name, each.lineno) for each in traceback.extract_tb(caught.tb)[1:]]
    first = fails_in_a_branch.__code__.co_firstlineno
    assert places == [
        ("outer", outer.__code__.co_firstlineno + 1),
        ("fails_in_a_branch", first + 2), ("fails_in_a_branch", first + 3),  # the statement, and in its body
    ]  # fmt: skip


def stops_of(function: Any) -> list[tuple[str, int]]:
    """Where a debugger stops in a function."""
    found = []

    def trace(frame: Any, event: str, _: Any) -> Any:
        if frame.f_code.co_filename != __file__ or frame.f_code.co_name != function.__name__:
            return None
        found.append((event, frame.f_lineno))
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        function(1)
    finally:
        sys.settrace(before)
    return found


def test_a_debugger_stops_in_what_to_graph_returns_as_in_the_function() -> None:
    assert stops_of(tf.autograph.to_graph(stepped)) == stops_of(stepped) != []


def stepped(x: Any) -> Any:
    """Is stepped through."""
    y = x + 1
    for i in range(2):
        if i:
            y += i
    return y


LAMBDAS = {
    "the caller": lambda: who(),
    "a frame further out": lambda: sys._getframe(1).f_code.co_name,
    "a named tuple": lambda: collections.namedtuple("Pair", "a b").__module__,  # noqa: PYI024
}


@pytest.mark.parametrize("name", LAMBDAS)
@pytest.mark.parametrize("convert", [tf.autograph.to_graph, tf.autograph.convert()])
def test_lambdas_and_wrapped_functions_see_their_caller(name: str, convert: Callable[[Any], Any]) -> None:
    function = LAMBDAS[name]

    def call(each: Callable[[], Any]) -> Any:
        return each()

    assert call(convert(function)) == call(function)


@pytest.mark.parametrize("convert", [tf.autograph.to_graph, tf.autograph.convert()])
def test_warnings_of_lambdas_and_wrapped_functions_name_the_caller(convert: Callable[[Any], Any]) -> None:
    for function in (deprecated, lambda: warnings.warn("old", DeprecationWarning, stacklevel=2)):
        with pytest.warns(DeprecationWarning) as caught:
            convert(function)()
        assert caught[0].filename == __file__
