"""What Python raises in staged code: where a run gets there, with its class and text, after what comes before (L15)."""

from __future__ import annotations

import decimal
import enum
import json
import re
import traceback
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as tf
from autograph.errors import AutographError, StagingError

from .support import check

NONE: Any = None
FIVE: Any = 5


class Odd(Exception):
    def __init__(self, one: int, *, other: int) -> None:
        super().__init__(f"{one} and {other}")
        self.other = other


class Colour(enum.Enum):
    RED = 1


class Broken:
    def __getitem__(self, key: int) -> int:
        raise LookupError("no", key)

    @property
    def value(self) -> int:
        raise Odd(3, other=4)


def raising() -> None:
    raise Odd(1, other=2)


def raising_of_the_system(*arguments: Any) -> None:
    raise OSError(*arguments)


def unpacked() -> Any:
    a, b = [1]
    return a + b


def misfit(shape: tuple[int, int]) -> Any:
    return tf.ones((2, 3)) @ tf.ones(shape)


RAISES: dict[str, Callable[[], Any]] = {
    "attribute of None": lambda: NONE.foo,
    "int": lambda: int("a"),
    "sum of a string and a number": lambda: "a" + FIVE,
    "unpacking": unpacked,
    "remove": lambda: [1].remove(7),
    "index": lambda: [1, 2].index(7),
    "max of nothing": lambda: max([]),
    "len of a number": lambda: len(FIVE),
    "str.index": lambda: "abc".index("z"),
    "shapes of arrays": lambda: np.zeros((2, 3)) @ np.zeros((2, 3)),
    "shapes of tensors": lambda: misfit((2, 3)),
    "reshape": lambda: tf.reshape(tf.constant([1, 2, 3]), (2, 2)),
    "axis": lambda: np.ones(3).sum(axis=4),
    "division": lambda: FIVE // 0,
    "key": lambda: {}["k"],
    "item": lambda: [1][5],
    "pop": lambda: [].pop(),
    "name": lambda: undefined,  # noqa: F821
    "next": lambda: sorted([1, "a"]),  # type: ignore[type-var]
    "call": lambda: (lambda a: a)(),  # type: ignore[call-arg, misc]
    "not callable": lambda: FIVE(),
    "not iterable": lambda: list(FIVE),
    "hash": lambda: {[]: 1},  # type: ignore[dict-item]
    "format": lambda: f"{'a':d}",
    "percent": lambda: "%d" % "a",  # noqa: F509
    "encode": lambda: "é".encode("ascii"),
    "library of Python": lambda: json.loads("{"),
    "library in C": lambda: decimal.Decimal("x"),
    "library of arrays": lambda: np.linalg.inv(np.zeros((2, 2))),
    "member": lambda: Colour(5),
    "function of the user's": raising,
    "of the system": lambda: raising_of_the_system("no file"),
    "of the system, with a number": lambda: raising_of_the_system(2, "no file", "name"),
    "special method": lambda: Broken()[1],
    "property": lambda: Broken().value,
}


def error_of(function: Callable[..., Any], *arguments: Any) -> Any:
    try:
        function(*arguments)
    except Exception as error:
        return error
    return None


def text(error: Exception) -> str:
    return error.message if isinstance(error, AutographError) else str(error)


@pytest.mark.parametrize("fails", RAISES.values(), ids=RAISES)
def test_an_exception_of_pythons_waits_for_a_run_that_gets_there(fails: Any) -> None:
    @tf.function
    def function(n: Any) -> Any:
        if n > 100:
            fails()
        return n

    expected = error_of(fails)
    assert function(tf.constant(3)).numpy() == 3
    for _ in range(2):
        found = error_of(function, tf.constant(101))
        assert (type(found), text(found)) == (type(expected), text(expected))
        assert traceback.extract_tb(found.__traceback__)[-1].filename == __file__ or fails in LIBRARIES
    assert function.experimental_get_tracing_count() == 1


STAGED: dict[str, Callable[[Any], Any]] = {
    "a string added": lambda n: n + "a",
    "added to a string": lambda n: "a" + n,
    "compared with a string": lambda n: n < "a",
    "divmod": lambda n: divmod(n, "a"),
    "power": lambda n: pow(n, "a"),
    "item of a number": lambda n: FIVE[n],
    "item of None": lambda n: NONE[n],
    "item of a class": lambda n: int[n],  # type: ignore[index]
    "item of a function": lambda n: raising[n],  # type: ignore[index]
    "member of a number": lambda n: n in FIVE,
    "call of a tensor": lambda n: n(),
    "attribute": lambda n: n.foo,
    "attribute that is no name": lambda n: getattr(n, FIVE),
    "isinstance": lambda n: isinstance(n, FIVE),
    "len": lambda n: len(n),
    "min": lambda n: min(n),
    "all": lambda n: all(n),
    "set": lambda n: set(n),
    "list": lambda n: list(n),
    "dict": lambda n: dict(n),
    "zip": lambda n: zip(n, FIVE, strict=True),
    "map": lambda n: map(FIVE, n),
    "reversed": lambda n: reversed(n),
    "star": lambda n: [*n],
    "loop": lambda n: [i for i in n],
}


def above_a_hundred(fails: Callable[[Any], Any]) -> Any:
    @tf.function
    def function(n: Any) -> Any:
        if n > 100:
            fails(n)
        return n

    return function


@pytest.mark.parametrize("fails", STAGED.values(), ids=STAGED)
def test_so_does_what_python_says_of_any_number(fails: Any) -> None:
    function = above_a_hundred(fails)
    assert function(tf.constant(3)).numpy() == 3
    kinds = [kind for kind in (TypeError, AttributeError) if isinstance(error_of(fails, 101), kind)]
    assert kinds and isinstance(error_of(function, tf.constant(101)), kinds[0])
    assert function.experimental_get_tracing_count() == 1


def caught(fails: Callable[[Any], Any]) -> Any:
    def function(n: Any) -> Any:
        log = [1]
        try:
            fails(n)
        except (TypeError, AttributeError):
            log.append(2)
        finally:
            log.append(3)
        return log

    return function


@pytest.mark.parametrize("fails", STAGED.values(), ids=STAGED)
def test_a_handler_catches_what_python_says_of_any_number(fails: Any) -> None:
    check(caught(fails), 5)


def added(n: Any) -> Any:
    n += "a"
    return n


def stored(n: Any) -> None:
    FIVE[n] = 1


def deleted(n: Any) -> None:
    del FIVE[n]


def named(n: Any) -> None:
    FIVE.name = n


def spread(n: Any) -> Any:
    first, second = n
    return first + second


@pytest.mark.parametrize("fails", [added, stored, deleted, named, spread])
def test_a_handler_catches_what_python_says_of_statements(fails: Any) -> None:
    check(caught(fails), 5)


@pytest.mark.parametrize("fails", [added, stored, deleted, named, spread])
def test_so_do_statements(fails: Any) -> None:
    test_so_does_what_python_says_of_any_number(fails)


REFUSED: dict[str, Callable[[Any], Any]] = {
    "power with a modulus": lambda n: pow(n, 2, 5),
    "bytes": lambda n: bytes(n),
    "key": lambda n: {n: 1},
}


@pytest.mark.parametrize("fails", REFUSED.values(), ids=REFUSED)
def test_what_only_a_graph_can_not_do_is_refused_before_a_run(fails: Any) -> None:
    assert error_of(fails, 101) is None
    with pytest.raises(AutographError):
        above_a_hundred(fails)(tf.constant(3))


LIBRARIES = [RAISES[name] for name in ("library of Python", "library of arrays", "axis")]


def test_what_an_exception_holds_besides_its_arguments() -> None:
    def function(n: Any) -> Any:
        if n > 3:
            undefined  # noqa: B018, F821
        if n > 2:
            "é".encode("ascii")
        if n > 1:
            raising()
        return n

    staged = tf.function(function)
    assert error_of(staged, tf.constant(4)).name == "undefined"
    found = error_of(staged, tf.constant(3))
    assert (found.start, found.end, found.reason) == (0, 1, "ordinal not in range(128)")
    assert error_of(staged, tf.constant(2)).other == 2


def in_loops(n: Any) -> Any:
    total = 0
    for i in range(n):
        if i > 5:
            None.foo  # type: ignore[attr-defined]  # noqa: B018
        while total < i:
            total = total + 1
            if total == 4:
                int("four")
    else:
        if n == 0:
            max([])
    return total


def in_a_match(n: Any) -> Any:
    match n:
        case 3:
            return n
        case 4:
            int("four")
        case _:
            return {}["other"]
    return 7


def in_expressions(n: Any) -> Any:
    a = int("a") if n > 5 else 1
    b = n > 4 and int("b")
    c = n < 4 or int("c")
    d = [int(each) for each in ("1", "d")] if n > 2 else [n, n]
    return a, b, c, d[0]


def in_a_handled_branch(n: Any) -> Any:
    r = 0
    if n > 3:
        try:
            int("x")
        except ValueError as error:
            r = len(str(error))
        else:
            r = 1
        finally:
            r = r + 1
    return r


@pytest.mark.parametrize("function", [in_loops, in_a_match, in_expressions, in_a_handled_branch])
def test_in_all_kinds_of_staged_code(function: Any) -> None:
    staged = tf.function(function)
    for n in range(8):
        expected, found = error_of(function, n), error_of(staged, tf.constant(n))
        assert (type(found), str(found)) == (type(expected), str(expected))
        if expected is None:
            actual = tf.nest.map_structure(lambda each: np.asarray(each).tolist(), staged(tf.constant(n)))
            assert tf.nest.flatten(actual) == tf.nest.flatten(function(n))


def test_a_handler_around_the_branch_is_refused() -> None:
    def function(n: Any) -> Any:
        try:
            x = int("a") if n > 100 else 1
        except ValueError:
            x = 2
        return x

    with pytest.raises(StagingError, match="ValueError.* the handler"):
        tf.function(function)(tf.constant(1))


def wrong_key(n: Any) -> Any:
    return json.dumps({"a": n})


def wrong_number(n: Any) -> Any:
    return decimal.Decimal(n)


@pytest.mark.parametrize("function", [wrong_key, wrong_number])
def test_what_can_not_be_staged_is_refused_while_tracing(function: Any) -> None:
    @tf.function
    def staged(n: Any) -> Any:
        if n > 100:
            function(n)
        return n

    with pytest.raises(TypeError):
        staged.get_concrete_function(tf.constant(1))


def test_a_method_that_changes_an_array_raises_nothing() -> None:
    def function(n: Any) -> Any:
        a = np.zeros(3)
        if n > 100:
            try:
                a.sort()
            except ValueError:
                a = np.ones(3)
        return a * 1

    check(function, 1, 101)


def test_shapes_that_only_a_loop_changes_are_refused_while_tracing() -> None:
    @tf.function(input_signature=[tf.TensorSpec((None, 2), tf.float32), tf.TensorSpec((), tf.int32)])
    def function(x: Any, n: Any) -> Any:
        if n > 100:
            x = tf.reshape(x, (3, n)) @ tf.ones((2, 2, 2, 2), tf.int32)[0, 0, 0, 0]
        return x

    with pytest.raises(ValueError):
        function.get_concrete_function()


@tf.function
def inner(x: Any) -> Any:
    tf.print("inner", x)
    assert x > 0, "not positive"
    return undefined  # noqa: F821


def outer(n: Any) -> Any:
    tf.print("outer", n)
    return inner(n)


def handling(n: Any) -> Any:
    try:
        return inner(n)
    except NameError:
        return -1


def in_a_branch(n: Any) -> Any:
    return inner(n) if n > 5 else n


@pytest.mark.parametrize("n, result", [(3, NameError), (-1, AssertionError)])
def test_what_is_staged_before_comes_first_also_in_another_function(
    n: int, result: type[Exception], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(result) as caught:
        tf.function(outer)(tf.constant(n))
    assert capsys.readouterr().err == f"outer {n}\ninner {n}\n"
    assert caught.traceback[-1].name == "inner"


def test_a_handler_of_the_caller(capsys: pytest.CaptureFixture[str]) -> None:
    assert tf.function(handling)(tf.constant(3)).numpy() == -1
    assert capsys.readouterr().err == "inner 3\n"
    with pytest.raises(AssertionError, match="not positive"):
        tf.function(handling)(tf.constant(-1))


def test_in_a_branch_of_the_caller(capsys: pytest.CaptureFixture[str]) -> None:
    staged = tf.function(in_a_branch)
    assert staged(tf.constant(3)).numpy() == 3
    assert not capsys.readouterr().err
    with pytest.raises(NameError, match=re.escape("name 'undefined' is not defined")):
        staged(tf.constant(6))
    assert capsys.readouterr().err == "inner 6\n"
