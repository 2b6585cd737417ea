"""What no handler of the user's sees: refusals, and what tracing itself raises; and what it does see (L15)."""

from __future__ import annotations

import contextlib
import logging
import statistics
import struct
import unittest
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import autograph as tf
from autograph.errors import InvalidTypeError, MutationError, StagedRecursionError, StagingError

from .support import check


def fact(n: Any) -> Any:
    if n <= 1:
        return 1
    return n * fact(n - 1)


def is_even(n: Any) -> Any:
    return True if n == 0 else is_odd(n - 1)


def is_odd(n: Any) -> Any:
    return False if n == 0 else is_even(n - 1)


def recursion(n: Any) -> Any:
    try:
        return fact(n)
    except Exception:
        return -1


def recursion_error(n: Any) -> Any:
    try:
        return fact(n)
    except RecursionError:
        return -1


def mutual_recursion(n: Any) -> Any:
    try:
        r = is_even(n)
    except:  # noqa: E722
        r = None
    return r


@pytest.mark.parametrize("function", [recursion, recursion_error, mutual_recursion])
def test_a_recursion_that_a_tensor_ends(function: Any) -> None:
    check(function, 0, 1, 3, 5)


def test_deep_nesting_is_no_error_of_the_program() -> None:
    def deep(n: Any, k: int) -> Any:
        return n + 1 if k == 0 else deep(n, k - 1)

    def function(n: Any) -> Any:
        try:
            return deep(n, 700)
        except Exception:
            return -1

    with pytest.raises(StagedRecursionError, match="nests too deeply"):
        tf.function(function)(tf.constant(3))


def refused(n: Any) -> Any:
    return len([0] * n)


class Swallowing:
    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> bool:
        return True


class Fallback:
    def __init__(self, n: Any) -> None:
        self.n = n

    @property
    def value(self) -> Any:
        return self.n.no_such_attribute

    def __getattr__(self, name: str) -> Any:
        return -1


class Plain:
    def __init__(self, n: Any) -> None:
        self.n = n

    @property
    def value(self) -> Any:
        return self.n.no_such_attribute


class Items:
    def __init__(self, n: Any) -> None:
        self.n = n

    def __getitem__(self, key: int) -> Any:
        if refused(self.n):
            raise IndexError
        return 1


@contextlib.contextmanager
def swallowing() -> Iterator[None]:
    try:
        yield
    except Exception:
        pass


def by_except(n: Any) -> Any:
    try:
        return refused(n)
    except Exception:
        return -1


def by_a_bare_except(n: Any) -> Any:
    try:
        return refused(n)
    except:  # noqa: E722
        return -1


def by_its_class(n: Any) -> Any:
    try:
        return refused(n)
    except (KeyError, TypeError):
        return -1


def by_groups(n: Any) -> Any:
    r = 0
    try:
        r = refused(n)
    except* TypeError:
        r = -1
    return r


def by_groups_of_all(n: Any) -> Any:
    r = 0
    try:
        try:
            r = refused(n)
        finally:
            r = r + 1
    except* BaseException:
        r = -1
    else:
        r = r + 1
    return r


def by_suppress(n: Any) -> Any:
    with contextlib.suppress(TypeError):
        return refused(n)
    return -1


def by_a_stack(n: Any) -> Any:
    with contextlib.ExitStack() as stack:
        stack.enter_context(contextlib.suppress(Exception))
        return refused(n)
    return -1


def by_exit(n: Any) -> Any:
    with Swallowing():
        return refused(n)
    return -1


def by_a_generator(n: Any) -> Any:
    with swallowing():
        return refused(n)
    return -1


def by_pytest(n: Any) -> Any:
    with pytest.raises(TypeError):
        refused(n)
    return -1


def by_unittest(n: Any) -> Any:
    with unittest.TestCase().assertRaises(TypeError):
        refused(n)
    return -1


def by_a_call_of_unittest(n: Any) -> Any:
    unittest.TestCase().assertRaises(TypeError, lambda: [0] * n)
    return -1


def in_the_iteration(n: Any) -> Any:
    return list(Items(n))


def by_a_function_without_source(n: Any) -> Any:
    return without_source(lambda: [0] * n)


space: dict[str, Any] = {}
exec(  # noqa: S102
    """
def without_source(function):
    try:
        return function()
    except Exception:
        return -1

def as_float(x):
    try:
        return float(x)
    except Exception:
        return 0.0
""",
    space,
)
without_source: Callable[..., Any] = space["without_source"]
as_float: Callable[..., Any] = space["as_float"]


@pytest.mark.parametrize(
    "function",
    [
        by_except, by_a_bare_except, by_its_class, by_groups, by_groups_of_all, by_suppress, by_a_stack, by_exit,
        by_a_generator, by_pytest, by_unittest, by_a_call_of_unittest, in_the_iteration, by_a_function_without_source,
    ],
)  # fmt: skip
def test_a_refusal_is_swallowed_by_nothing(function: Any) -> None:
    with pytest.raises(InvalidTypeError, match="two meanings") as caught:
        tf.function(function)(tf.constant(2))
    assert caught.value.file == __file__


def has_it(n: Any) -> Any:
    return hasattr(Plain(n), "value")


def asks_with_default(n: Any) -> Any:
    return getattr(Plain(n), "value", -1)


def asks_elsewhere(n: Any) -> Any:
    return Fallback(n).value


def of_a_number(n: Any) -> Any:
    k = 0
    for i in range(n):
        k = i
    return hasattr(k, "bit_length")


def test_an_attribute_that_can_not_be_staged_is_not_taken_for_missing() -> None:
    with pytest.raises(AttributeError, match="a graph tensor has no attribute"):
        tf.function(of_a_number)(tf.constant(2))


@pytest.mark.parametrize("function", [has_it, asks_with_default, asks_elsewhere])
def test_an_attribute_that_neither_numbers_nor_tensors_have_is_missing(function: Any) -> None:
    check(function, 2)


def by_struct(n: Any) -> Any:
    try:
        return struct.pack("i", n)
    except struct.error:
        return b""


def by_a_library_function(n: Any) -> Any:
    try:
        return statistics.mean([n, 1])
    except Exception:
        return -1


def by_logging(n: Any) -> Any:
    logging.getLogger(__name__).warning("%d", n)
    return n


def by_code_that_is_not_converted(n: Any) -> Any:
    return as_float(n)


@pytest.mark.parametrize(
    "function", [by_struct, by_a_library_function, by_logging, by_code_that_is_not_converted]
)
def test_what_libraries_say_of_staged_values_is_a_refusal(function: Any) -> None:
    with pytest.raises((TypeError, StagingError)):
        tf.function(function)(tf.constant(2))


def test_a_change_that_can_not_be_staged() -> None:
    found = {1}

    def function(n: Any) -> Any:
        with contextlib.suppress(Exception):
            if n > 0:
                found.add(2)
        return n

    with pytest.raises(MutationError):
        tf.function(function)(tf.constant(2))
    assert found == {1}


class Noting:
    def __enter__(self) -> None:
        print("enter")

    def __exit__(self, kind: Any, *_: object) -> bool:
        print(kind.__name__)
        return True


def test_finally_and_exit_run_for_a_refusal(capsys: pytest.CaptureFixture[str]) -> None:
    def function(n: Any) -> Any:
        try:
            with Noting():
                refused(n)
        finally:
            print("finally")

    with pytest.raises(InvalidTypeError):
        tf.function(function)(tf.constant(2))
    assert capsys.readouterr().out == "enter\nInvalidTypeError\nfinally\n"


def plain_errors(n: Any) -> Any:
    r = 0
    for fails in (lambda: int("a"), lambda: {}["k"], lambda: [].pop(), lambda: len(5), lambda: max([]), lambda: 1 // 0):
        try:
            fails()
        except (ArithmeticError, LookupError):
            r = r + 1
        except Exception as error:
            r = r + len(str(error))
    return r + n


def suppressed_errors(n: Any) -> Any:
    with contextlib.suppress(ValueError), warnings.catch_warnings():
        int("a")
    with swallowing():
        raise KeyError
    with pytest.raises(ZeroDivisionError):
        1 // 0  # noqa: B018
    return getattr(None, "foo", 3) + n


def errors_beside_staged_values(n: Any) -> Any:
    d = {"a": n}
    try:
        r = d["b"]
    except KeyError:
        r = (n, n + 1)
    try:
        return r[5]
    except IndexError:
        return r[1]


def errors_of_eager_tensors(n: Any) -> Any:
    try:
        r = np.ones((2, 3)) @ np.ones((2, 3))
    except ValueError:
        r = 0
    return r + n


def errors_with_a_text(n: Any) -> Any:
    try:
        [1].remove(7)
    except ValueError as error:
        return len(str(error)) + n


@pytest.mark.parametrize(
    "function",
    [plain_errors, suppressed_errors, errors_beside_staged_values, errors_of_eager_tensors, errors_with_a_text],
)
def test_the_programs_own_errors_are_caught(function: Any) -> None:
    check(function, 0, 4)


@pytest.mark.parametrize("columns", [2, 3])
def test_shapes_that_never_fit_are_an_error_of_the_program(columns: int) -> None:
    def function(x: Any) -> Any:
        try:
            return x @ x
        except ValueError:
            return x

    x = tf.ones((2, columns))
    np.testing.assert_array_equal(tf.function(function)(x), function(x))


def test_shapes_that_may_fit_are_no_error_of_the_program() -> None:
    @tf.function
    def function(x: Any, n: Any) -> Any:
        y = x
        if n > 0:
            y = tf.cast(x, tf.float32)
        try:
            return tf.bitwise.bitwise_and(y, 1)
        except Exception:
            return y * 0

    with pytest.raises((ValueError, AttributeError)):
        function(tf.constant([1, 2]), tf.constant(0))


DIVISIONS: dict[str, Callable[[Any, Any], Any]] = {
    "//": lambda x, y: x // y,
    "%": lambda x, y: x % y,
    "divmod": lambda x, y: divmod(x, y)[0],
    "/": lambda x, y: x / y,
    "of a count": lambda x, y: [5 // i for i in range(x)][0],
}


@pytest.mark.parametrize("divide", DIVISIONS.values(), ids=DIVISIONS)
@pytest.mark.parametrize("caught", [ZeroDivisionError, ArithmeticError, Exception, BaseException])
def test_a_division_by_zero_that_python_would_catch_is_refused(divide: Any, caught: type[BaseException]) -> None:
    def function(x: Any, y: Any) -> Any:
        try:
            q = divide(x, y)
        except caught:
            q = -1
        return q

    def suppressing(x: Any, y: Any) -> Any:
        with contextlib.suppress(caught):
            return divide(x, y)

    for each in (function, suppressing):
        with pytest.raises(StagingError, match="ZeroDivisionError where this line divides by 0"):
            tf.function(each)(tf.constant(5), tf.constant(1))


def test_other_divisions_in_a_try() -> None:
    def function(x: Any) -> Any:
        try:
            r = x // 2 + x % 3 + x / 4
        except ZeroDivisionError:
            r = -1.0
        try:
            r = r + 1.0 / x
        except ValueError:
            r = -2.0
        return r

    check(function, 4, -3)


@pytest.mark.parametrize("power", [lambda n: n**-1.0, lambda n: pow(n, -1.0), lambda n: n**n])
def test_powers_that_python_would_catch_are_refused(power: Any) -> None:
    def of_zero(n: Any) -> Any:
        try:
            return power(n)
        except ZeroDivisionError:
            return -1.0

    def too_large(n: Any) -> Any:
        try:
            return n**10000.0
        except OverflowError:
            return -1.0

    with pytest.raises(StagingError, match="ZeroDivisionError where this line raises 0 to a negative power"):
        tf.function(of_zero)(tf.constant(0.0))
    with pytest.raises(StagingError, match="OverflowError where this line gives more than a float can hold"):
        tf.function(too_large)(tf.constant(10.0))


def test_other_powers_in_a_try() -> None:
    def function(x: Any) -> Any:
        try:
            r = x**0.5 + x**1
        except (ZeroDivisionError, OverflowError):
            r = -1.0
        try:
            r = r + x**2
        except ZeroDivisionError:
            r = -2.0
        try:
            r = r + tf.cast(x, tf.int32) ** 2
        except Exception:
            r = -3.0
        return r

    check(function, 4.0)


def test_floats_are_divided_by_zero_without_an_error() -> None:
    def function(x: Any) -> Any:
        try:
            return 1.0 / x
        except Exception:
            return -1.0

    assert np.isinf(tf.function(function)(tf.constant(0.0)))


def texts(n: Any) -> Any:
    try:
        raise TypeError("Maybe 'Maybe' or SymbolicTensor")
    except TypeError as error:
        return len(str(error)) + n


def test_the_text_of_an_error_of_the_user_says_nothing() -> None:
    check(texts, 1)


def test_an_operation_that_takes_no_such_operands_raises_what_python_says() -> None:
    def function(n: Any) -> Any:
        try:
            return object() + n
        except TypeError:
            return -1

    check(function, 1)


def test_an_index_that_is_in_a_tensor_array_for_sure_raises_nothing() -> None:
    def fixed(n: Any) -> Any:
        array = tf.TensorArray(tf.int32, size=3, element_shape=())
        try:
            array = array.write(0, n).write(2, n + 1)
            return array.read(2) + array.read(1)
        except IndexError:
            return n * 0

    def growing(n: Any) -> Any:
        array = tf.TensorArray(tf.int32, size=0, dynamic_size=True, element_shape=())
        try:
            array = array.write(5, n)
            return array.read(5) + array.read(1)
        except Exception:
            return n * 0

    for function in (fixed, growing):
        check(function, 1, 4)


@pytest.mark.parametrize("index", [3, -1, "n"])
def test_an_index_that_may_lie_outside_of_a_tensor_array_is_refused_where_a_handler_would_catch_it(index: Any) -> None:
    def f(n: Any) -> Any:
        array = tf.TensorArray(tf.int32, size=3)
        try:
            array = array.write(n if index == "n" else index, n)
        except IndexError:
            return n * 0
        return array.read(0)

    with pytest.raises(StagingError, match="may raise OutOfRangeError") as caught:
        tf.function(f)(tf.constant(1))
    assert caught.value.file == __file__ and caught.value.line and caught.value.remedy
