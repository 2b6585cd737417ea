"""Generators that a staged `break` or `return` leaves: what they have done until then counts, and no more."""

from __future__ import annotations

import contextlib
import itertools
import linecache
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import autograph as tf

from .support import check

NUMBERS = (-1, 0, 1, 3, 99)
COUNT = 0


class Noting:
    def __init__(self, log: list[int]) -> None:
        self.log = log

    def __enter__(self) -> None: ...

    def __exit__(self, *error: object) -> None:
        self.log[0] += 1


def counting_global() -> Iterator[int]:
    global COUNT
    for i in range(5):
        yield i
        COUNT += 1


def of_a_global(n):
    global COUNT
    COUNT = 0
    for x in counting_global():
        if x == n:
            break
    return COUNT


def after_the_yield(n):
    done = 0

    def gen():
        nonlocal done
        for i in range(5):
            yield i
            done += 1

    for x in gen():
        if x == n:
            break
    return done


def before_the_yield(n):
    done = 0

    def gen():
        nonlocal done
        for i in range(5):
            done += 1
            yield i

    for x in gen():
        if x == n:
            break
    return done


def of_a_tensor(n):
    done = n * 0

    def gen():
        nonlocal done
        for i in range(5):
            yield i
            done = done + n

    for x in gen():
        if x == n:
            break
    return done


def two_and_a_body_that_writes_one(n):
    a = b = 0

    def gen():
        nonlocal a, b
        for i in range(4):
            a += 1
            yield i
            b += 10

    for x in gen():
        if x == n:
            break
        a += 100
    return a, b


def read_by_the_body(n):
    done, log = 0, []

    def gen():
        nonlocal done
        for i in range(4):
            yield i
            done += 1

    for x in gen():
        if x == n:
            log.append(done)
        if x > n + 1:
            break
    else:
        done += 50
    return done, log


def returned_in_the_loop(n):
    done = 0

    def gen():
        nonlocal done
        for i in range(5):
            yield i
            done += 1

    def find():
        for a in gen():
            for x in gen():
                if x + a == n:
                    return done
        return -1

    return find(), done


def many_in_one_trace(n):
    done = 0

    def gen():
        nonlocal done
        for i in range(3):
            yield i
            done += 1

    def find(k):
        for x in gen():
            if x + k == n:
                return done
        return -1

    found = []
    for k in range(12):
        found.append(find(k))
    return found, done


def nested(n):
    done = 0

    def inner():
        nonlocal done
        for i in range(3):
            yield i
            done += 1

    def delegating():
        nonlocal done
        yield from inner()
        done += 100
        yield 3

    def outer():
        nonlocal done
        for x in delegating():
            yield x
            done += 10

    for x in outer():
        if x == n:
            break
    return done


def in_an_expression(n):
    done = 0

    def gen():
        nonlocal done
        for i in range(5):
            done = done + (1 if (yield i) is None else 5)

    for x in gen():
        if x == n:
            break
    return done


def as_the_target_of_its_loop(n):
    done = 0

    def gen():
        nonlocal done
        for done in range(5):
            yield done

    for x in gen():
        if x == n:
            break
    return done


def raised_in_the_loop(n):
    done = 0

    def gen():
        nonlocal done
        for i in range(5):
            yield i
            done += 1

    try:
        for x in gen():
            if x == n:
                raise ValueError
    except ValueError:
        return done
    return -done


def thrown_into_it(n):
    done = 0

    def gen():
        nonlocal done
        for _ in range(5):
            try:
                yield 1
            except ValueError:
                done += 3
                yield 2

    def items():
        inner = gen()
        yield next(inner)
        yield inner.throw(ValueError())
        yield next(inner)
        yield inner.throw(ValueError())

    for i in items():
        if i + done > n:
            break
    return done


WRITING = (
    of_a_global, after_the_yield, before_the_yield, of_a_tensor, two_and_a_body_that_writes_one, read_by_the_body,
    returned_in_the_loop, many_in_one_trace, nested, in_an_expression, as_the_target_of_its_loop, raised_in_the_loop,
    thrown_into_it,
)  # fmt: skip


@pytest.mark.parametrize("function", WRITING)
def test_variables_that_a_generator_writes_are_as_far_as_it_has_come(function: Callable[..., Any]) -> None:
    check(function, *NUMBERS)


AROUND: dict[str, Callable[[Iterator[int]], Any]] = {
    "enumerate": lambda values: (x for _, x in enumerate(values)),
    "zip": lambda values: (x for _, x in zip(range(5), values, strict=True)),
    "map and filter": lambda values: map(lambda x: x + 1, filter(lambda x: x != 2, values)),
    "islice": lambda values: itertools.islice(values, 4),
    "chain": lambda values: itertools.chain(values, [7, 8]),
}


@pytest.mark.parametrize("around", AROUND.values(), ids=AROUND)
def test_the_same_through_other_iterators(around: Callable[[Iterator[int]], Any]) -> None:
    def f(n):
        done = 0

        def gen():
            nonlocal done
            for i in range(5):
                yield i
                done += 1

        for x in around(gen()):
            if x == n:
                break
        return done

    check(f, *NUMBERS)


CONSUMERS: dict[str, Callable[..., Any]] = {
    "any": lambda n, values: any(x == n for x in values),
    "all": lambda n, values: all(x != n for x in values),
    "next": lambda n, values: next((x for x in values if x == n), -7),
}


@pytest.mark.parametrize("consume", CONSUMERS.values(), ids=CONSUMERS)
def test_the_same_where_a_call_stops_early(consume: Callable[..., Any]) -> None:
    def f(n):
        done = 0

        def gen():
            nonlocal done
            for i in range(5):
                yield i
                done += 1

        found = consume(n, gen())
        return done, found

    check(f, *NUMBERS)


def test_a_generator_that_does_something_when_it_is_closed_is_refused_where_only_the_run_leaves_it() -> None:
    def in_finally(log):
        try:
            yield from range(4)
        finally:
            log[0] = 9

    def in_except(log):
        yield 0
        try:
            for i in range(1, 4):
                yield i
        except GeneratorExit:
            log[0] = 3

    def in_with(log):
        with Noting(log):
            yield from range(4)

    def held_by_another(log):
        for x in in_finally(log):
            yield x

    def ended_by_the_next_turn(log):
        held = in_finally(log)
        yield next(held)
        yield 5

    for gen in (in_finally, in_except, in_with, held_by_another, ended_by_the_next_turn):
        for around in (iter, enumerate, contextlib.closing):

            def f(n, gen=gen, around=around):
                log = [0]
                values = around(gen(log))
                with values if around is contextlib.closing else contextlib.nullcontext(values) as items:
                    for x in items:
                        if (x[0] if around is enumerate else x) == n:
                            break
                return log[0]

            with pytest.raises(tf.errors.StagingError, match="may leave the generator") as caught:
                tf.function(f)(tf.constant(1))
            assert caught.value.line and caught.value.remedy


def test_a_generator_outside_of_its_try_is_left_as_in_python() -> None:
    def beside(log):
        for i in range(4):
            try:
                log[0] += 1
            finally:
                log[0] += 10
            yield i

    def of_other_errors(log):
        for i in range(4):
            try:
                yield i
            except (ValueError, KeyError):
                log[0] = 5
            log[0] += 1

    def in_the_finally(log):
        for i in range(4):
            try:
                log[0] += 1
            finally:
                yield i

    for gen in (beside, of_other_errors, in_the_finally):

        def f(n, gen=gen):
            log = [0]
            for x in gen(log):
                if x == n:
                    break
            return log[0]

        check(f, *NUMBERS)


def test_a_generator_that_every_run_leaves_at_the_same_place_is_closed_there() -> None:
    def f(n):
        log = [0]

        def gen():
            try:
                yield from range(4)
            finally:
                log[0] += 1

        for x in gen():
            if x == n:
                log[0] += 10
            if x == 2:
                break
        return log[0]

    check(f, *NUMBERS)


def _by_enumerate(values: Any) -> Any:
    for number, _ in enumerate(values):
        if number == 1:
            break


def _by_layers(values: Any) -> Any:
    for each in map(lambda pair: pair[0], zip(itertools.islice(itertools.chain(values), 3), [1, 2])):
        if each == 1:
            break


def _by_a_return(values: Any) -> Any:
    for _, each in enumerate(filter(None, values)):
        return each


def _by_an_error(values: Any) -> Any:
    try:
        for _ in enumerate(values):
            raise ValueError
    except ValueError:
        pass


def _by_next(values: Any) -> Any:
    next(enumerate(values))


def _by_a_search(values: Any) -> Any:
    any(map(bool, values))


def _by_a_shorter_one(values: Any) -> Any:
    list(zip([1], values))


def _by_a_name_that_goes(values: Any) -> Any:
    numbered = enumerate(values)
    next(numbered)
    values = None
    del numbered


@pytest.mark.parametrize(
    "leave",
    [
        _by_enumerate,
        _by_layers,
        _by_a_return,
        _by_an_error,
        _by_next,
        _by_a_search,
        _by_a_shorter_one,
        _by_a_name_that_goes,
    ],
)
def test_a_generator_inside_other_iterators_is_closed_when_python_leaves_it(leave: Callable[[Any], Any]) -> None:
    def run(n: Any) -> Any:
        log = [n]

        def values() -> Iterator[int]:
            try:
                yield from range(4)
            finally:
                log.append(9)

        leave(values())
        log.append(1)
        return log

    check(run, 0, 5)


def test_an_iterator_that_has_a_name_goes_on_after_its_loop() -> None:
    def run(n: Any) -> Any:
        log = [n]

        def values() -> Iterator[int]:
            try:
                yield from range(4)
            finally:
                log.append(9)

        numbered = enumerate(values())
        for _ in numbered:
            break
        log.append(1)
        for _, each in numbered:
            log.append(each)
        return log

    check(run, 0, 5)


def test_a_context_that_only_a_branch_leaves() -> None:
    def run(n: Any) -> Any:
        done = 0

        @contextlib.contextmanager
        def opened() -> Iterator[None]:
            nonlocal done
            try:
                yield
            except ValueError:
                done += 7

        context = opened()
        context.__enter__()
        if n > 1:
            context.__exit__(ValueError, ValueError(), None)
        return done

    check(run, 0, 5)


class Ending:
    def __init__(self, log: list[int]) -> None:
        self.log = log

    def __del__(self) -> None:
        self.log.append(7)


def started(log: list[int]) -> Iterator[int]:
    def values() -> Iterator[int]:
        try:
            yield from range(4)
        finally:
            log.append(7)

    made = values()
    next(made)
    return made


LETTING_GO = {
    "a name": "g = started(log)\nif n > 2:\n    g = None",
    "another value": "g = started(log)\nif n > 2:\n    g = started(log)",
    "del": "g = started(log)\nif n > 2:\n    del g",
    "a loop": "g = started(log)\nfor i in range(n):\n    g = None\n    log.append(i)",
    "before a raise": (
        "g = started(log)\ntry:\n    if n > 2:\n        g = None\n        raise ValueError\n"
        "except ValueError:\n    log.append(3)"
    ),
    "inside another iterator": "g = enumerate(started(log))\nif n > 2:\n    g = None",
    "in a list": "g = [[started(log)]]\nif n > 2:\n    g.clear()",
    "in a dict": "g = {'g': started(log)}\nif n > 2:\n    del g['g']",
    "in an attribute": "o = Holder()\no.g = started(log)\nif n > 2:\n    o.g = None",
    "with its object": "o = Holder()\no.g = started(log)\nif n > 2:\n    o = None",
    "by a function": "g = started(log)\ndef leave():\n    nonlocal g\n    g = None\nif n > 2:\n    leave()",
    "made there": "g = None\nif n > 2:\n    g = started(log)\nlog.append(2)\ng = None",
    "an object with an end": "g = Ending(log)\nif n > 2:\n    g = None",
    "an object with an end, made there": "g = None\nif n > 2:\n    g = Ending(log)",
    "an object with an end, used there": "if n > 2:\n    Ending(log)",
    "an object with an end, under a name of a loop": "for i in range(n):\n    g = Ending(log)",
}  # fmt: skip


class Holder:
    g: Any = None


def program(body: str) -> Callable[..., Any]:
    lines = "".join(f"    {line}\n" for line in body.split("\n"))
    source = f"def f(n):\n    log = []\n{lines}    log.append(1)\n    return log\n"
    name = f"<letting go {hash(body)}>"
    linecache.cache[name] = len(source), None, source.splitlines(True), name
    namespace = {"Ending": Ending, "Holder": Holder, "started": started}
    exec(compile(source, name, "exec"), namespace)
    return namespace["f"]  # type: ignore[return-value]


@pytest.mark.parametrize("name", LETTING_GO)
def test_what_ends_with_code_is_refused_where_only_some_runs_end_it(name: str) -> None:
    with pytest.raises(tf.errors.StagingError, match="only the run of the graph tells where that is") as caught:
        tf.function(program(LETTING_GO[name]))(tf.constant(1))
    assert caught.value.line and caught.value.remedy


@pytest.mark.parametrize("name", LETTING_GO)
def test_what_ends_with_code_ends_where_it_does_in_python(name: str) -> None:
    function = program(LETTING_GO[name])
    if name != "made there":  # converted code keeps it as long as Python does only where it has a value before
        assert [tf.autograph.to_graph(function)(n) for n in (1, 5)] == [function(n) for n in (1, 5)]


ENDING = {
    "before": "g = started(log)\ng = None\nif n > 2:\n    log.append(n)",
    "after": "g = started(log)\nif n > 2:\n    log.append(n)\nlog.append(2)\ng = None",
    "not begun": "g = (x for x in [1])\nif n > 2:\n    g = None",
    "inside": "if n > 2:\n    def inside():\n        g = started(log)\n        log.append(n)\n    inside()",
    "an object": "g = Ending(log)\nlog.append(2)\ng = None\nif n > 2:\n    log.append(n)",
}  # fmt: skip


@pytest.mark.parametrize("name", ENDING)
def test_what_ends_in_all_runs_at_one_place_ends_there(name: str) -> None:
    check(program(ENDING[name]), 0, 5)


UNTOLD = {
    "what merging keeps": ("g = [started(log)]\nif n > 2:\n    g = list(g)\ng = None", "may hold the generator"),
    "an end that changes a staged list": ("g = Ending(log)\nif n > 2:\n    log.append(n)\ng = None", "has changed"),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("name", UNTOLD)
def test_an_end_that_would_be_lost_is_refused(name: str) -> None:
    body, message = UNTOLD[name]
    with pytest.raises(tf.errors.StagingError, match=message) as caught:
        tf.function(program(body))(tf.constant(1))
    assert caught.value.line and caught.value.remedy
