"""Functions of `filter`, `map` and the like are called when a loop gets to an item, and see what turns have done."""

import itertools

import pytest

import autograph as tf
from autograph.errors import MutationError, StagedValueError
from tests.language.heap_programs import made
from tests.language.support import check


def test_filter_in_enumerate_sees_what_turns_have_changed():
    def f(n):
        a = [0, 1, 2, 3]
        if n > 0:
            a.append(n)
        found = []
        for number, x in enumerate(filter(lambda x: x < n + 2, a)):
            a[3] = n - 3
            found.append(x + 10 * number)
        return found, a

    check(f, -1, 0, 2, 5)


def test_functions_are_called_one_item_after_the_other():
    def f(n):
        log, sizes = [], []

        def odd(x):
            log.append(x)
            return x % 2 == 1

        for number, x in enumerate(filter(odd, range(n))):
            sizes.append(len(log) + 100 * number + x)
        for x, y in zip(map(odd, range(n + 1)), range(n)):  # asks once more than there are pairs
            sizes.append(len(log) + y)
        for x, _ in zip(filter(odd, range(n)), range(1)):
            sizes.append(x)
        return sizes, log

    check(f, 0, 1, 4)


def test_what_a_filter_tests_may_change_in_the_loop():
    def f(n):
        rest, found = 0, []
        for i, (k, x) in enumerate(zip(range(9), filter(lambda x: x % 2 == rest, range(n * 3)))):
            rest = 1 - rest
            found.append(i * 100 + k * 10 + x)
            if i > 2:
                break
        return found

    check(f, 0, 1, 4)


def test_filter_of_a_python_list_is_lazy():
    def f(n):
        log, sizes = [], []

        def large(x):
            log.append(x)
            return x > 1

        for x in filter(large, [n, 1, 2, n + 1]):
            sizes.append(len(log))
            if x > 3:
                break
        return sizes, log

    check(f, 0, 1, 5)


def test_lists_beside_staged_iterables_are_read_as_they_are():
    def f(n):
        total, names = 0, [1, 2, 3]
        for a, b in zip(names, range(n)):
            total += a * b
            names[1] = 5
        for a, b in zip(names, filter(None, range(n))):
            total += a * b
            names[1] = n
        return total, names

    check(f, 0, 1, 2, 3)


def test_reversed_begins_at_what_is_last_when_it_is_made():
    def f(n):
        a, total = [0], 0
        if n > 0:
            a.append(5)
        backwards = reversed(a)
        a.append(7)
        for x in backwards:
            total = total * 10 + x
        return total, a

    check(f, 0, 1)


def test_filters_behind_what_is_made_item_by_item_are_refused():
    def f(n):
        return [a + b for a, b in zip(filter(None, range(n)), filter(None, range(n)))]  # noqa: B905

    with pytest.raises(StagedValueError, match="behind what is made item by item"):
        tf.function(f)(tf.constant(2))

    def g(n):
        names, total = [1, 2, 3], 0

        def change(x):
            names[0] = 7
            return x

        for a, b in zip(names, map(change, range(n))):
            total += a * b
        return total

    with pytest.raises(StagedValueError, match="a list that its function changes"):
        tf.function(g)(tf.constant(2))


CONSUMERS = {
    "filter": lambda act, values: list(filter(act, values)),
    "map": lambda act, values: list(map(act, values)),
    "sum": lambda act, values: sum(act(x) for x in values),
    "generator": lambda act, values: [*(act(x) for x in values)],
    "dropwhile": lambda act, values: list(itertools.dropwhile(act, values)),
    "starmap": lambda act, values: list(itertools.starmap(act, zip(values))),  # noqa: B905
    "sort": lambda act, values: values.sort(key=act),
    "extend": lambda act, values: values.extend(act(x) for x in [1, 2]),
}


@pytest.mark.parametrize("consumer", CONSUMERS.values(), ids=list(CONSUMERS))
def test_functions_that_change_in_a_graph_what_python_runs_over_are_refused(consumer):
    def f(n):
        values = [1]

        def act(x):
            if n > 0 and len(values) < 4:
                values.append(x)
            return 0

        consumer(act, values)
        return values

    with pytest.raises(MutationError, match="while a loop or an iterator of Python runs over it"):
        tf.function(f)(tf.constant(2))


LAZY = (
    "map(step, [1, 2])",
    "zip(map(step, [1, 2]), [1])",
    "zip([1, 2, 3], map(step, [1, 2]))",
    "enumerate(filter(step, [1, 2]))",
    "enumerate(map(step, [1, 2]))",
    "itertools.starmap(step, [(1,), (2,)])",
    "itertools.takewhile(step, [1, 2])",
    "itertools.accumulate([1, 2, 3], step)",
    "itertools.chain(map(step, [1, 2]), [3])",
    "(step(k) for k in [1, 2])",
    "made()",
    "zip(made(), [1])",
    "enumerate(made())",
)


@pytest.mark.parametrize("iterable", LAZY)
def test_what_finds_an_item_is_part_of_the_turn_that_a_break_may_end(iterable):
    text = f"""
def f(n):
    done = []

    def step(*given):
        done.append(len(done))
        return len(done)

    def made():
        yield step(1)
        yield step(2)
        step(3)

    for item in {iterable}:
        if n == len(done):
            break
    return done
"""
    check(made("import itertools\n\n" + text), 0, 1, 2, 3, 4)


def test_an_iterator_that_asks_a_staged_function_for_its_end_is_refused():
    function = made("""
def f(n):
    done = []

    def step():
        done.append(0)
        return n

    for item in iter(step, 3):
        if n == len(done):
            break
    return done
""")
    with pytest.raises(StagedValueError):
        tf.function(function)(tf.constant(1))
