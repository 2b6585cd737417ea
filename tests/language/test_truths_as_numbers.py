"""What is True or False in some runs and another number in others: counts as in Python, and tells no class or text."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import autograph as tf

from .support import check


def test_it_counts_as_a_number() -> None:
    def f(n):
        chosen = True if n > 0 else 3
        seen = 0
        for i in range(n):
            seen = i > 0
        table = {True: 4, 3: 1}
        return chosen, chosen + 1, chosen == 1, not chosen, table[chosen], [5, 6, 7, 8][chosen], -chosen, seen + 1

    check(f, 1, 3, -1)


def test_what_the_refusal_says_works() -> None:
    def f(n):
        number = int(True) if n > 0 else 3
        chosen = True if n > 0 else 3
        return str(number), f"{int(chosen)}", type(int(chosen)).__name__, int(chosen) is True, isinstance(number, bool)

    check(f, 1, 3, -1)


def text(n):
    return str(True if n > 0 else 3)


def text_of_a_fraction_or_truth(n):
    return f"{1.5 if n > 0 else True}"


def text_of_the_last_test(n):
    found = 0
    for i in range(n):
        found = i > 0
    return repr(found)


def text_of_a_tuple(n):
    return str((True, 1) if n > 0 else (2, 1))


def text_of_a_list(n):
    values = [True, 3]
    if n > 0:
        values.append(4)
    return str(values)


def text_in_a_template(n):
    return "%s" % ([True, 3][n - n],)


def class_of_it(n):
    return type(True if n > 0 else 3)


def is_it_a_bool(n):
    return isinstance(True if n > 0 else 3, bool)


def is_it_true(n):
    return (True if n > 0 else 3) is True


def does_it_match_true(n):
    match True if n > 0 else 3:
        case True:
            return 1
    return 2


@pytest.mark.parametrize(
    "function",
    [
        text, text_of_a_fraction_or_truth, text_of_the_last_test, text_of_a_tuple, text_of_a_list, text_in_a_template,
        class_of_it, is_it_a_bool, is_it_true, does_it_match_true,
    ],
)  # fmt: skip
def test_its_class_and_its_text_are_refused(function: Callable[..., object]) -> None:
    with pytest.raises(tf.errors.StagedValueError, match=r"True or False in some runs(.|\n)*Remedy: give it a number"):
        tf.function(function)(tf.constant(2))
