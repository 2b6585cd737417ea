"""L14, L18, L26: functions of the standard library on staged values work, or say why not; none is frozen in silence."""

from __future__ import annotations

import collections
import copy
import csv
import datetime
import decimal
import fractions
import hashlib
import heapq
import io
import itertools
import json
import math
import operator
import pickle
import random
import re
import reprlib
import statistics
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as tf
from autograph.operators.staging.outside.effects import FrozenValueWarning

from .test_text import check, python_values

FLOATS = [0.5, -0.5, 1.0, 2.25, 0.0, -1.0, 30.0]
OF_FLOATS = [
    "acos", "acosh", "asin", "asinh", "atan", "atanh", "cbrt", "ceil", "cos", "cosh", "degrees", "erf", "erfc", "exp",
    "exp2", "expm1", "fabs", "floor", "isfinite", "isinf", "isnan", "lgamma", "log", "log10", "log1p", "log2",
    "radians", "sin", "sinh", "sqrt", "tan", "tanh", "trunc",
]  # fmt: skip


def outcome(function: Callable[..., Any], *arguments: Any) -> Any:
    """What a function gives, or the class of what it raises."""
    try:
        return python_values(function(*arguments))
    except (ValueError, OverflowError, ZeroDivisionError) as error:
        return type(error)


@pytest.mark.parametrize("name", OF_FLOATS)
@pytest.mark.parametrize("dtype", [np.float64, np.int32])
def test_functions_of_math_are_pythons(name: str, dtype: Any) -> None:
    function = getattr(math, name)
    staged = tf.function(lambda x: function(x))
    with np.errstate(all="ignore"):
        for number in [*FLOATS, float("inf"), -math.inf, math.nan, 1000.0] if dtype is np.float64 else range(-2, 4):
            expected = outcome(function, number)
            actual = outcome(staged, tf.constant(number, dtype))
            if isinstance(expected, type):
                assert actual is expected, number
            else:
                assert type(actual) is type(expected), number
                assert actual == pytest.approx(expected, nan_ok=True), number


@pytest.mark.parametrize(
    "function, inputs",
    [
        (lambda a, b: math.atan2(a, b), [(1.0, 2.0), (-1.0, 0.0)]),
        (lambda a, b: math.pow(a, b), [(2.0, 0.5), (-2.0, 3.0), (-2.0, 0.5), (0.0, -1.0), (10.0, 400.0)]),
        (lambda a, b: math.fmod(a, b), [(7.5, 2.0), (-7.5, 2.0), (1.0, 0.0)]),
        (lambda a, b: math.hypot(a, b), [(3.0, 4.0)]),
        (lambda a, b: math.copysign(a, b), [(3.0, -0.0)]),
        (lambda a, b: math.log(a, b), [(8.0, 2.0), (8.0, 1.0), (-1.0, 2.0), (8.0, 0.0)]),
        (lambda a, b: math.isclose(a, b), [(1.0, 1.0 + 1e-10), (1.0, 1.1), (math.inf, math.inf), (math.inf, 1.0)]),
        (lambda a, b: math.isclose(a, b, abs_tol=1), [(1.0, 1.5), (1.0, 3.0)]),
        (lambda a, b: math.fsum([a, b, 1]), [(1.0, 2.0)]),
        (lambda a, b: math.prod([a, b], start=2), [(1.5, 2.0)]),
        (lambda a, b: math.sin(a) + math.sin(2) + math.pi * b, [(1.0, 2.0)]),
    ],
)
def test_functions_of_math_with_several_arguments(function: Any, inputs: list[Any]) -> None:
    staged = tf.function(function)
    with np.errstate(all="ignore"):
        for a, b in inputs:
            expected = outcome(function, a, b)
            actual = outcome(staged, tf.constant(a, tf.float64), tf.constant(b, tf.float64))
            assert actual is expected if isinstance(expected, type) else actual == pytest.approx(expected)


def test_whole_numbers_of_math() -> None:
    check(lambda n, m: (math.gcd(n, m), math.gcd(n, m, 2), math.lcm(n, m)), (12, 18), (-4, 6), (0, 5))
    with pytest.raises(tf.errors.StagedValueError, match="whole numbers"):
        tf.function(lambda x: math.gcd(x, 2))(tf.constant(1.5))


def test_functions_of_math_have_gradients_and_are_staged_in_loops() -> None:
    @tf.function
    def f(x: Any, n: Any) -> Any:
        for _ in range(n):
            x = math.sqrt(x) if x > 1 else math.exp(x)
        return x

    x = tf.constant(16.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x, tf.constant(1))
    assert y.numpy() == 4.0
    assert tape.gradient(y, x).numpy() == pytest.approx(0.125)
    assert f(tf.constant(-5.0), tf.constant(1)).numpy() == pytest.approx(math.exp(-5))


def test_a_function_of_math_without_operation_is_refused() -> None:
    with pytest.raises(tf.errors.StagedValueError, match=r"math.factorial\(\).*no operation"):
        tf.function(lambda n: math.factorial(n))(tf.constant(3))


def test_text_of_numbers() -> None:
    check(lambda n: (chr(n), bin(n), hex(n), oct(n), ord(chr(n)), int(str(n), 16)), (65,), (233,), (19,))
    with pytest.raises(ValueError, match="chr"):
        tf.function(lambda n: chr(n))(tf.constant(-1))
    with pytest.raises(TypeError, match=r"ord\(\) expected a character"):
        tf.function(lambda s: ord(s))(tf.constant("ab"))


def test_complex() -> None:
    def g(x: Any, n: Any) -> Any:
        return complex(x, n), complex(n), complex(imag=x), f"{complex(x, 2)}", complex("1j")

    check(g, (1.5, 3), (0.0, -1))
    f = tf.function(lambda x: complex(x, 1))
    assert f(tf.constant(1.5)).dtype is tf.complex64
    assert f(tf.constant(3)).dtype is tf.complex128
    with pytest.raises(tf.errors.StagedTypeError, match="complex"):
        tf.function(lambda s: complex(s))(tf.constant("1j"))


def test_methods_of_numbers_and_arrays() -> None:
    def f(x: Any, xs: Any) -> Any:
        return x.item(), x.is_integer(), xs.tolist(), xs.item(1), np.array([x, x]).tolist(), np.asarray((x, 1.0))[0]

    staged = tf.function(f)
    for x in (1.5, 2.0):
        values = np.array([x, 1.0])
        assert python_values(staged(tf.constant(x), tf.constant(values))) == python_values(f(np.float64(x), values))


def test_copies_of_staged_values_are_the_values() -> None:
    check(lambda n: (copy.copy(n), copy.deepcopy([n, (n,)])[0]), (3,))


@pytest.mark.parametrize(
    "function, text",
    [
        (lambda n: json.dumps({"a": n}), r"`json.dumps` needs a value .*graph tensor is not JSON serializable"),
        (lambda n: statistics.mean([n, n]), "`statistics.mean` needs a value"),
        (lambda n: bytes(n), "`bytes` needs a value"),
        (lambda n: memoryview(n), "`memoryview` needs a value"),
        (lambda n: pickle.dumps([n]), "by pickle"),
        (lambda n: id(n), "id()"),
        (lambda n: {n: 1}, "unhashable"),
        (lambda n: {(n, 1)}, "a set of a graph holds numbers"),
        (lambda n: n.bit_length(), "no attribute 'bit_length'"),
        (lambda n: str(n).encode(), "no attribute 'encode'"),
        (lambda n: n.numpy(), "numpy()"),
    ],
)
@pytest.mark.parametrize("branch", [False, True])
def test_what_can_not_take_staged_values_says_so(function: Any, text: str, branch: bool) -> None:
    @tf.function
    def f(n: Any) -> Any:
        result: Any = 0
        if not branch or n > 0:
            result = function(n)
        return result

    with pytest.raises(tf.errors.StagingError, match=text) as caught:
        f(tf.constant(3))
    assert caught.value.file == __file__
    assert caught.value.line is not None
    assert caught.value.remedy


def test_a_library_function_refuses_a_staged_list() -> None:
    @tf.function
    def f(n: Any) -> Any:
        values = []
        for i in range(n):
            values.append(i)
        return list(heapq.merge(values, [1]))

    with pytest.raises(tf.errors.StagingError):
        f(tf.constant(3))


def test_errors_of_library_functions_about_plain_values_stay() -> None:
    with pytest.raises(TypeError, match="Object of type set is not JSON serializable") as caught:
        tf.function(lambda n: json.dumps({1}))(tf.constant(3))
    assert not isinstance(caught.value, tf.errors.AutographError)


def test_objects_made_in_a_branch_may_be_used_there() -> None:
    def f(n: Any) -> Any:
        length = 0
        if n > 0:
            digest = hashlib.md5(b"a")
            digest.update(b"b")
            length = len(digest.hexdigest()) + len(hashlib.new("sha1", b"x").digest())
            length += len(re.compile("(a+)").match("aab").group(1))
            length += datetime.datetime.strptime("2020-03", "%Y-%m").replace(day=2).month
            length += int(decimal.Decimal("1.5").sqrt() * 10) + fractions.Fraction(1, 3).limit_denominator(2).numerator
        return length

    check(f, (1,), (-1,))


def test_objects_from_outside_are_not_changed_in_a_branch() -> None:
    digest = hashlib.md5(b"a")
    digests = [digest]

    @tf.function
    def f(n: Any) -> Any:
        if n > 0:
            digests[0].update(b"b")
        return n

    @tf.function
    def g(n: Any) -> Any:
        if n > 0:
            kept().update(b"b")
        return n

    def kept() -> Any:
        return digest

    before = digest.hexdigest()
    for function in (f, g):
        with pytest.raises(tf.errors.MutationError, match="HASH"):
            function(tf.constant(1))
    assert digest.hexdigest() == before


def test_rows_that_a_branch_writes_are_refused() -> None:
    text = io.StringIO()
    writer = csv.DictWriter(text, ["a"])

    @tf.function
    def f(n: Any) -> Any:
        if n > 0:
            writer.writerow({"a": 1})
        return n

    with pytest.raises(tf.errors.MutationError, match="would run once, while tracing"):
        f(tf.constant(-1))
    assert text.getvalue() == ""


def test_what_library_functions_give_of_outside_objects_is_not_changed_in_a_branch(tmp_path: Any) -> None:
    with (tmp_path / "table").open("w") as file:
        for change in (lambda: csv.writer(file).writerow([1]), lambda: decimal.getcontext().clear_flags()):

            @tf.function
            def f(n: Any, change: Any = change) -> Any:
                if n > 0:
                    change()
                return n

            with pytest.raises(tf.errors.MutationError, match="a graph can't carry that change|moves an iterator"):
                f(tf.constant(1))
    assert (tmp_path / "table").read_text() == ""


@pytest.mark.parametrize("draw", [random.random, lambda: np.random.randint(3), time.time, time.perf_counter])
def test_random_numbers_and_clocks_are_not_frozen_in_silence(draw: Any) -> None:
    with pytest.warns(FrozenValueWarning, match="runs once, while the function is traced"):
        tf.function(lambda x: x + draw())(tf.constant(1.0))

    @tf.function
    def f(x: Any) -> Any:
        for _ in range(x):
            x = x + int(draw())
        return x

    with pytest.raises(tf.errors.MutationError) as caught:
        f(tf.constant(3))
    assert re.search(r"tf\.(random|timestamp)", caught.value.remedy or "")


def test_nothing_warns_of_what_is_drawn_outside() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        f = tf.function(lambda x: x + 1)
        assert f(tf.constant(random.random())) is not None


def test_the_time_of_each_run() -> None:
    f = tf.function(lambda x: tf.timestamp() + x)
    before = time.time()
    first, second = f(tf.constant(0.0, tf.float64)).numpy(), f(tf.constant(0.0, tf.float64)).numpy()
    assert before <= first <= second <= time.time()
    assert f.experimental_get_tracing_count() == 1


@pytest.mark.parametrize("stream", ["nope", 3])
def test_print_refuses_what_is_no_stream(stream: Any) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="output_stream"):
        tf.print("a", output_stream=stream)


@pytest.mark.parametrize("show", [reprlib.repr, reprlib.Repr().repr])
def test_a_text_in_place_of_the_one_that_is_refused_is_refused(show: Callable[..., Any]) -> None:
    def of_a_tensor(n):
        return show(n)

    def of_elements(n):
        a = [0, 1]
        if n > 1:
            a[0] = n
        return show([a])

    def of_a_list(n):
        a = [0, 1]
        if n > 1:
            a.append(n)
        return show(a)

    for function in (of_a_tensor, of_elements, of_a_list):
        with pytest.raises(tf.errors.StagedValueError, match="as text: its value is known only when the graph runs"):
            tf.function(function)(tf.constant(1))
    assert tf.function(lambda n: (show([1, 2]), n))(tf.constant(1))[0] == b"[1, 2]"


def test_functions_of_operator_that_ask_containers() -> None:
    class Five:
        def __contains__(self, item):
            return item == 5

    def f(n):
        a, d = [0, 1, 2], {"a": 1}
        if n > 1:
            a.append(n)
            d["b"] = n
        hints = [operator.length_hint(each, 3) for each in (a, d, range(n), 7)]
        held = operator.contains(a, 2), operator.contains([1, 2], n), operator.contains((n, 2), 7)
        held += a.__contains__(2), a.__contains__(9)
        return hints, held, operator.contains("abc", "a"), operator.contains(d, "b"), operator.contains(Five(), 5)

    staged = tf.function(f)
    for n in (0, 1, 2, 7):
        assert python_values(staged(tf.constant(n))) == f(n)


def test_an_endless_generator_is_given_up_soon() -> None:
    taken = []

    def numbers():
        while True:
            taken.append(1)
            yield len(taken)

    def f(n):
        for number in numbers():
            if number > n:
                break
        return n

    with pytest.raises(tf.errors.StagingError, match="a Python iterator with a staged `break` has more than 500 items"):
        tf.function(f)(tf.constant(3))
    assert len(taken) < 1000


class Numbered(tuple):
    def __len__(self):
        return 9

    def __iter__(self):
        return iter([7])


class Count(int):
    def twice(self):
        return self * 2


class Word(str):
    pass


def test_a_tuple_class_with_a_length_of_its_own_in_a_branch() -> None:
    def f(n):
        pair = Numbered((1, n))
        if n > 1:
            pair = Numbered((2, n + 1))
        return pair[0], pair[1], len(pair), [*pair]

    staged = tf.function(f)
    for n in (0, 3):
        assert python_values(staged(tf.constant(n))) == f(n)


def of_numbers(n):
    return (Count(1) if n > 1 else Count(2)).twice()


def of_strings(n):
    word = Word("a")
    if n > 1:
        word = Word("b")
    return word.upper()


@pytest.mark.parametrize("function", [of_numbers, of_strings])
def test_objects_that_are_numbers_or_strings_too_are_not_merged(function: Callable[..., Any]) -> None:
    with pytest.raises(tf.errors.BranchMismatchError, match="more than its attributes"):
        tf.function(function)(tf.constant(2))


def sampled(n):
    return random.Random(1).sample(grown(n), 2)


def written_in_a_tuple(n):
    held = [0]
    pair = Pair(held, 1)
    if n > 1:
        held.append(n)
    return json.dumps(pair)


def a_fraction(n):
    return fractions.Fraction(n, 4) > 0


def grown(n):
    values = [1, 2]
    if n > 1:
        values.append(n)
    return values


Pair = collections.namedtuple("Pair", "a b")


@pytest.mark.filterwarnings("ignore::autograph.operators.staging.outside.effects.FrozenValueWarning")
@pytest.mark.parametrize("function", [sampled, written_in_a_tuple, a_fraction])
def test_a_handler_does_not_catch_what_a_library_says_of_staged_values(function: Callable[..., Any]) -> None:
    def f(n):
        try:
            return function(n)
        except (TypeError, AttributeError):
            return None

    with pytest.raises(tf.errors.StagedValueError, match="Remedy: "):
        tf.function(f)(tf.constant(2))


def test_a_handler_catches_what_a_library_says_of_other_values() -> None:
    def f(n):
        try:
            return [json.dumps({1, 2}), n]
        except TypeError as error:
            return str(error), n
        except AttributeError:
            return None

    assert tf.function(f)(tf.constant(2))[0] == f(2)[0].encode()

    def g(n):
        values = grown(n)
        try:
            return values.place
        except AttributeError as error:
            return str(error)

    assert tf.function(g)(tf.constant(2)) == b"'list' object has no attribute 'place'"


def test_an_element_of_a_tuple_that_a_staged_index_has_chosen_is_not_changed() -> None:
    def f(n):
        x, y = [0], [1]
        chosen = (x, y)[n % 2]
        chosen.append(5)
        return x, y

    with pytest.raises(tf.errors.MutationError, match="an element of a tuple, which a staged index has chosen"):
        tf.function(f)(tf.constant(2))


@pytest.mark.parametrize("chosen", [filter, itertools.takewhile, itertools.dropwhile, itertools.filterfalse])
def test_what_chooses_items_by_a_function_needs_to_know_its_answers(chosen: Any) -> None:
    def known(n):
        return list(chosen(lambda x: x < 2, iter([1, 2, 0]))), n

    assert python_values(tf.function(known)(tf.constant(1))) == known(1)
    with pytest.raises(tf.errors.StagedValueError, match=rf"{chosen.__name__}\(\) needs to know (.|\n)*a loop with"):
        tf.function(lambda n: list(chosen(lambda x: x < n, iter([1, 2, 0]))))(tf.constant(1))
