"""Changes through one name that others have to see: found by random programs, each the smallest of its kind."""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable
from operator import iadd, iand, ior, isub
from typing import Any

import numpy as np
import pytest

import autograph as tf
from autograph.errors import BranchMismatchError, MutationError

from .heap_programs import made
from .support import check


def is_one_of_two(n: Any) -> Any:
    b: list[Any] = []
    a = None
    if n < 1:
        a = b
    return b is a


def extended_by_a_staged_list(n: Any) -> Any:
    b, a = [2, 3], []
    c = a
    if n > 0:
        del b[1]
    a += b
    return len(c), sum(c)


def chosen_and_chosen_again(n: Any) -> Any:
    a, b = [], []
    (a if n > 0 else b).append(0)
    a if n != 1 else b
    return len(a), len(b)


def item_changed_in_place(n: Any) -> Any:
    a, b = [], [1]
    (a if n > 0 else b).append(2)
    b[-1] += 1
    return len(a), b[-1], len(b)


def backwards_over_a_growing_list(n: Any) -> Any:
    a: list[Any] = []
    for _ in range(n):
        a.append(5)
    for x in reversed(a):
        a.append(x)
    return len(a)


def backwards_over_a_shrinking_list(n: Any) -> Any:
    a: list[Any] = []
    for i in range(n):
        a.append(i)
    digits = 0
    for x in reversed(a):
        a.pop()
        digits = digits * 10 + x
    return len(a), digits


def truth_of_one_of_two(n: Any) -> Any:
    a: list[Any] = []
    b = a if n > 1 else []
    b.append(1)
    found = 0
    if a:
        found = 1
    if not a:
        found = 2
    return found, bool(a)


def one_of_four(n: Any) -> Any:
    z = [0]
    x = z if n > 1 else [1]
    p = x if n > 0 else [2]
    q = x if n % 2 == 0 else [3]
    last = p if n > 2 else q
    z.append(9)
    return len(last), last[0]


def filtered_while_it_shrinks(n: Any) -> Any:
    count = 0
    a = [n, 1]
    b = a
    for _ in filter(None, a):
        count += 1
        b.remove(1)
    return count


def element_by_index_and_by_name(n: Any) -> Any:
    rows, turns = [[]], 0
    found = rows[0]
    while turns < n:
        turns += 1
        found = rows[0]
        found.append(1)
    return len(rows[0]), len(found)


def appended(values: Any, x: Any) -> Any:
    values.append(x)
    return values


def grown(values: Any, x: Any) -> Any:
    values.append(x)
    return len(values)


def two(values: Any, x: Any) -> Any:
    return list(values), x


def argument_changes_what_was_chosen(n: Any) -> Any:
    a, b = [], [n]
    (a if n else b).append(sum(appended(a, n)))
    c = a if n > 1 else b
    c.extend([grown(b, 3)])
    c.insert(grown(a, 1) - 1, 4)
    return a, b, c


def method_of_what_was_chosen(n: Any) -> Any:
    a, b = [], [n]
    add = (a if n > 1 else b).append
    a.append(1)
    add(2)
    b.append(3)
    add(4)
    return a, b


def index_changes_what_was_chosen(n: Any) -> Any:
    a, b = [1, 2], [7, n]
    c = a if n > 1 else b
    c[grown(a, 0) - grown(a, 0)] += grown(b, 5)
    c[grown(c, 0) - 1] = 3
    a.append(1)
    del c[grown(b, 0) - 2]
    return a, b


def operands_change_what_was_chosen(n: Any) -> Any:
    a, b = [], [7]
    c = a if n > 1 else b
    return (
        (a if n > 1 else b) == appended(a, 5), c + appended(b, 5), [*c, grown(a, 3), *c], two(c, grown(b, 5)),
        f"{len(c)} {grown(a, 2)} {len(c)}", c < appended(a, 3), len(c) + grown(b, 4) + len(c),
        {"x": c, "y": grown(a, 3)},
    )  # fmt: skip


def key_changes_what_was_chosen(n: Any) -> Any:
    d, e = {"k": 1, "j": 2}, {"k": 3, "j": n}
    c = d if n > 1 else e

    def key() -> str:
        d["k"] = 5
        return "j"

    del c[key()]
    return d.get("j", 0), e.get("j", 0), d["k"], c["k"]


def chosen_and_made_anew(n: Any) -> Any:
    a = [1]
    b = a
    if n:
        b = [*b]
    (a if n < 1 else b)[-1] += 1
    return a, b


def unless(values: Any, n: Any) -> Any:
    if n:
        return values
    values.append(n)
    return None


def chosen_before_a_loop(n: Any) -> Any:
    a = [1]
    b = a
    if n:
        b = [n, n]
    (a if n else b)[-1] += 1
    first, second = sum(b), unless(b, n)
    return first, second is None, a, b


def made_under_two_names(n: Any) -> Any:
    a, b = [1], [2]
    if n > 1:
        a = b = [n]
    c = a if n > 2 else [0]
    c.append(1)
    b.append(3)
    return a, b, c, a is b, c is b, c is a


def chosen_in_a_branch_under_two_names(n: Any) -> Any:
    a, b, c = [1], [2], [3]
    if n > 0:
        a = b = (a if n > 1 else c)
    b.append(4)
    return a, b


def extended_by_itself_perhaps(n: Any) -> Any:
    a, b = [], [3]
    b += a if n else b
    c = [n, 2]
    c.extend(a if n > 1 else c)
    appended(a, n).extend(a if n < 2 else b)
    return a, b, c


EQUAL = [
    is_one_of_two, extended_by_a_staged_list, chosen_and_chosen_again, item_changed_in_place,
    backwards_over_a_growing_list, backwards_over_a_shrinking_list, truth_of_one_of_two, one_of_four,
    filtered_while_it_shrinks, element_by_index_and_by_name, argument_changes_what_was_chosen,
    method_of_what_was_chosen, index_changes_what_was_chosen, operands_change_what_was_chosen,
    key_changes_what_was_chosen, chosen_and_made_anew, chosen_before_a_loop, made_under_two_names,
    chosen_in_a_branch_under_two_names, extended_by_itself_perhaps,
]  # fmt: skip


@pytest.mark.parametrize("function", EQUAL, ids=lambda each: each.__name__)
def test_as_in_python(function: Callable[[Any], Any]) -> None:
    inputs = [1, 2, 3, 4] if function is filtered_while_it_shrinks else [0, 1, 2, 3, 4]
    check(function, *map(np.int32, inputs))


def an_iterator_of_one_of_two(n: Any) -> Any:
    a = [1]
    b = a if n > 1 else []
    items = iter(a)
    b.append(5)
    return list(items)


def a_loop_that_returns(n: Any) -> Any:
    a = [n, 1]
    for _ in a:
        a.append(3)
        if n > 0 or len(a) > 5:
            return len(a)
    return len(a)


@pytest.mark.parametrize("function", [an_iterator_of_one_of_two, a_loop_that_returns], ids=lambda each: each.__name__)
def test_python_s_iterators_that_would_not_see_a_change_are_refused(function: Callable[[Any], Any]) -> None:
    with pytest.raises(tf.errors.MutationError, match="the list `a` is changed by staged code while"):
        tf.function(function)(tf.constant(2))


def test_an_error_in_a_finally_does_not_hide_why_the_body_is_refused() -> None:
    def unending(values: Any, n: Any) -> Any:
        if n <= 0:
            return values
        values.append(n)
        return unending([*values], n - 1)

    def f(n: Any) -> Any:
        a: list[Any] = []
        try:
            a = unending(a, n)
        finally:
            a.pop()
        return a

    with pytest.raises(tf.errors.StagingError) as caught:
        tf.function(f)(tf.constant(1))
    assert caught.value.file == __file__


def test_a_number_that_was_chosen_has_no_items() -> None:
    def reads(n: Any) -> Any:
        a = [1]
        b = a if n else [3]
        return b[0][0]

    def writes(n: Any) -> Any:
        x = 1 if n else 3
        x[0] = 2
        return x

    for function, text in ((reads, "is not subscriptable"), (writes, "does not support item assignment")):
        with pytest.raises(TypeError, match=f"'int' object {text}"):
            tf.function(function)(tf.constant(1))


def chained(turns: int) -> Callable[[Any], Any]:
    def f(n: Any) -> Any:
        a, x = [n], [0]
        for i in range(turns):
            x = a if n > i else x
            x.append(i)
        return len(x), x[-1], len(a)

    return f


def test_what_is_chosen_again_and_again_costs_as_much_each_time() -> None:
    check(chained(20), *map(np.int32, (0, 3, 19, 20, 30)))
    nodes = [
        len(list(tf.function(chained(turns)).get_concrete_function(tf.TensorSpec((), tf.int32)).graph.nodes))
        for turns in (20, 40, 80)
    ]
    assert nodes[2] - nodes[1] == 2 * (nodes[1] - nodes[0])


def crossed(n: Any) -> Any:
    x, y = [1], [2]
    for i in range(12):
        x, y = (x if n > i else y), (y if n % (i + 2) else x)
        x.append(i)
    return x, y, x is y


def test_two_that_are_chosen_from_each_other_again_and_again() -> None:
    check(crossed, *map(np.int32, (0, 1, 5, 11, 30)))


LEFT_BEHIND = {
    "a name that is given up": (
        "a = m; b = [1]\nfor i in range(n):\n    a[0] += 1\n    a = b\n    c = m\nreturn list(c)"
    ),
    "read in the next turn": (
        "a = m; b = [1]; t = 0\nfor i in range(n):\n    t += c[0]\n    a[0] += 1\n    a = b\n    c = m\nreturn t"
    ),
    "in a loop in a loop": (
        "a = m; b = [1]\nfor i in range(n):\n    for j in range(n):\n        a[0] += 1\n        a = b\n        c = m\n"
        "    b = c\nreturn list(b)"
    ),
    "after a loop in a loop": (
        "a = [4]; b = [5]\nfor i in range(n):\n    for j in range(n):\n        a, c = c, a\n        m[0] += 1\n"
        "    b = a\n    a = m\nreturn list(a), list(b), list(c), list(m)"
    ),
    "elements of a list": (
        "l = [[6], [7]]; a = [4]; b = [5]\nfor i in range(n):\n    for j in range(n):\n        l[0] = a\n"
        "        l[1], b = b, l[1]\n    for j in range(n):\n        b[0] += 1\n        c, a = a, c\n"
        "        l[1], l[0] = l[0], l[1]\nreturn list(a), list(b), list(c), list(l[0]), list(l[1])"
    ),
}


@pytest.mark.parametrize("name", LEFT_BEHIND)
def test_what_a_turn_has_changed_under_a_name_that_it_gives_up_is_not_missed(name: str) -> None:
    body = LEFT_BEHIND[name].replace("\n", "\n    ")
    function = made(f"def f(n):\n    m = [7]; c = [2]\n    {body}\n")
    try:
        for n in range(5):
            got = tf.function(function)(tf.constant(n))
            assert nest(got) == nest(function(n))
    except MutationError as error:
        assert "one of two objects" in str(error)


def nest(value: Any) -> Any:
    """Lists of numbers, of tensors too."""
    if isinstance(value, (list, tuple)):
        return [nest(each) for each in value]
    return np.asarray(value).tolist()


def test_an_attribute_of_an_object_that_an_outer_loop_gives_to_its_turns_stays_inside() -> None:
    function = made(
        "def f(n):\n    l = [Box(), Box()]; t = 0\n    for i in range(n):\n        t += l[0].v\n        l[0].v += 1\n"
        "        for j in range(n):\n            l[0] = l[1]\n"
        "            for k in range(n):\n                l[0].v = t\n"
        "    return t, l[0].v\n"
    )
    try:
        for n in range(4):
            assert nest(tf.function(function)(tf.constant(n))) == nest(function(n))
    except MutationError as error:
        assert "one of two objects" in str(error)


class Table(dict[str, int]):
    pass


class Adding(dict[str, int]):
    def __ior__(self, other: Any) -> Any:
        for key in other:
            self[key] = self[key] + other[key]
        return self


@pytest.mark.parametrize(
    "kind",
    [dict, Counter, OrderedDict, lambda **items: defaultdict(int, items), Table, Adding],
    ids=lambda each: each.__name__,
)
@pytest.mark.parametrize("operator", ["|=", "+=", "-=", "&="])
def test_in_place_operators_of_all_dicts_change_the_one_object(kind: Any, operator: str) -> None:
    if kind is not Counter and operator != "|=":
        return

    def changed(n: Any) -> Any:
        c, k = kind(a=9, b=6), kind(a=3, b=1)
        if n > 0:
            k = c
        c = in_place(c, kind(a=4, b=5))
        return c["a"], k["a"], k["b"]

    def changed_in_a_branch(n: Any) -> Any:
        c = kind(a=9, b=8)
        k = c
        if n > 0:
            c = in_place(c, kind(a=4, b=7))
        return c["a"], k["a"], k["b"], c is k

    in_place = {"|=": ior, "+=": iadd, "-=": isub, "&=": iand}[operator]
    check(changed, 1, 0)
    check(changed_in_a_branch, 1, 0)


def test_a_dict_whose_second_name_gets_another_order_is_refused() -> None:
    def f(n: Any) -> Any:
        c, k = OrderedDict(a=2, b=3), OrderedDict(a=0, b=4)
        if n > 0:
            k = c
        c.move_to_end("a")
        return next(iter(c.values())), next(iter(k.values()))

    with pytest.raises(BranchMismatchError, match="OrderedDict with the keys 'a', 'b'"):
        tf.function(f)(tf.constant(1))
