"""L17: what staged values are written as, and what staged strings do: the text and the answers of Python."""

from __future__ import annotations

import json
import logging
import operator
import pprint
import string
from collections import OrderedDict, defaultdict, deque, namedtuple
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

import autograph as tf


def python_values(value: Any) -> Any:
    """Tensors become Python's values, at any depth: strings are `str`."""
    if isinstance(value, tf.Tensor):
        value = value.numpy()
    if isinstance(value, np.ndarray):
        return [python_values(each) for each in value]
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, (list, tuple)):
        return type(value)(map(python_values, value))
    return value.decode() if isinstance(value, bytes) else value


def check(function: Callable[..., Any], *inputs: tuple[Any, ...]) -> None:
    """For each tuple of arguments the staged function gives what Python gives; one trace serves all."""
    staged = tf.function(function)
    for arguments in inputs:
        assert python_values(staged(*map(tf.constant, arguments))) == function(*arguments)
    assert staged.experimental_get_tracing_count() == 1


def test_percent() -> None:
    def f(n: Any, x: Any, s: Any) -> Any:
        template = "%d items, %.2f"
        return (
            template % (n, x),
            "%s" % x,  # noqa: UP031
            "%(name)s is %(value)5.1f%%" % {"name": s, "value": x},
            "%r and %s, %a" % (s, s, s),
            "%x|%05d|%-5d|%+d|%e|%g|%c" % (n, n, n, n, x, x, n + 60),
            "%*d|%.*f" % (n, n, n, x),
            "no values%%" % (),
            ("%s" + "!") % s,
            n % 3,
            (n, 7)[0] % (n - 2),
        )

    check(f, (5, 1.5, "héllo"), (11, -0.25, "it's"))


def test_percent_of_a_template_that_the_graph_computes() -> None:
    def f(n: Any, template: Any) -> Any:
        return template % n, template % (n,)

    check(f, (5, "<%d>"), (7, "%s%%"))


def test_percent_in_place() -> None:
    def f(n: Any) -> Any:
        text = "%d apples"
        text %= n
        count = n
        count %= n - 2
        texts = ["<%s>"]
        texts[0] %= n
        return text, count, texts[0]

    check(f, (5,), (9,))


def test_percent_in_branches_and_loops() -> None:
    def f(n: Any) -> Any:
        template = "%d is even" if n % 2 == 0 else "%d is odd"
        text = ""
        for i in range(n):
            text = text + "%d," % i  # noqa: UP031
        return template % n, text

    check(f, (3,), (4,), (0,))


@pytest.mark.parametrize("modulo", [operator.mod, operator.imod, lambda a, b: a.__mod__(b)])
def test_percent_never_writes_names(modulo: Any) -> None:
    def f(n: Any) -> Any:
        return modulo("n is %s", n)

    try:
        found = tf.function(f)(tf.constant(3))
    except tf.errors.StagedValueError as error:
        assert "as text" in str(error)
    else:
        assert python_values(found) == "n is 3"


@pytest.mark.parametrize("template, error", [("%d %d", "not enough arguments"), ("%", "incomplete format"),
                                             ("none", "not all arguments converted")])  # fmt: skip
def test_wrong_templates_raise_what_python_raises(template: str, error: str) -> None:
    @tf.function
    def f(n: Any) -> Any:
        return template % n

    with pytest.raises((TypeError, ValueError), match=error):
        f(tf.constant(3))


def test_format() -> None:
    class Row:
        def __init__(self, left: Any) -> None:
            self.left = left

    def f(n: Any, x: Any, s: Any) -> Any:
        template = "{} {:.2f} {name!r:>{width}}"
        row = Row(x)
        return (
            template.format(n, x, name=s, width=n + 4),
            "{1}{0}{{}}".format(n, s),
            "{row.left:.1f} {pair[1]}".format(row=row, pair=[n, s]),
            "{.left} {}".format(row, "plain"),
            "{a}, {b:{c}}".format_map({"a": n, "b": x, "c": ".3f"}),
            format(x, ".3e"),
            format(n, "08b") + format(n, ",") + format(n, "x"),
            format(x, "%"),
            str.format("<{}>", n),
            "{}".format([n, {"x": x}]),
        )

    check(f, (5, 1.5, "héllo"), (1234567, 0.25, "b"))


@pytest.mark.parametrize("template, error", [("{} {}", IndexError), ("{0} {}", ValueError), ("{a}", KeyError),
                                             ("{!x}", ValueError), ("{", ValueError)])  # fmt: skip
def test_wrong_format_strings_raise_what_python_raises(template: str, error: type[Exception]) -> None:
    with pytest.raises(error) as plain:
        template.format(1)
    with pytest.raises(error) as staged:
        tf.function(lambda n: template.format(n))(tf.constant(1))
    if error is not ValueError:
        assert str(staged.value) == str(plain.value)


def test_f_strings() -> None:
    Pair = namedtuple("Pair", "a b")

    def f(n: Any, x: Any, s: Any) -> Any:
        width, precision = n + 6, 2
        return (
            f"{n} {x!r} {s!r} {s!a} {s:>8}|{s!s:<8}|",
            f"{x:{width}.{precision}f}|{n:,}|{x:e}|{x:%}|{n:x}|{n:b}|{n:+05d}",
            f"{n=} {x = :.1f}",
            f"{[n, (x, s)]} {dict(k=n)} {Pair(n, [x])}",
            f"{n > 3}",
            str([x, n]) + repr(s) + repr((n,)),
        )

    check(f, (5, 1.5, "héllo"), (1234, -0.25, "it's"))


NUMBERS: list[Callable[[Any], Any]] = [
    lambda x: f"{x}|{x:.10f}|{x:30}|{x:.3}|{x:e}|{x:g}",
    lambda x: "%.10f %s" % (x, 1),
    lambda x: "%12.9e%%" % x,
    lambda x: "%*.*f" % (20, 12, x),
    lambda x: "%(a).12f" % {"a": x},
    lambda x: "{:.10f} {}".format(x, x),
    lambda x: format(x) + format(x, ".12f"),
]


@pytest.mark.parametrize("dtype", [tf.float16, tf.float32, tf.float64])
@pytest.mark.parametrize("write", NUMBERS)
def test_formats_write_the_digits_of_the_value(write: Callable[[Any], Any], dtype: Any) -> None:
    staged = tf.function(write)
    for number in (0.1, -1e-4, 12345.678, float("nan"), float("inf")):
        x = tf.constant(number, dtype)
        assert python_values(staged(x)) == write(x) == write(x.numpy())
        v = tf.Variable(x)
        assert python_values(tf.function(lambda v=v: write(v))()) == write(v)


def test_str_writes_the_digits_that_tell_a_number_from_all_others() -> None:
    written: list[Callable[[Any], Any]] = [str, lambda x: f"{x!s}", lambda x: "%s" % x, lambda x: "%(a)s" % {"a": x}]
    for write in written:
        assert tf.function(lambda x, write=write: write(x))(tf.constant(0.1)) == str(np.float32(0.1)) == "0.1"
    assert tf.function(lambda x: "%r and %.9f" % ([x], x))(tf.constant(0.1)) == "[0.1] and 0.100000001"


def test_python_numbers_are_written_as_pythons() -> None:
    @tf.function
    def f(n: Any) -> Any:
        x = 0.0
        for _ in range(n):
            x = 0.1
        return f"{x} {x:.10f} {x:g} " + "%.10f" % x

    assert f(tf.constant(1)) == "0.1 0.1000000000 0.1 0.1000000000"


def test_what_may_be_none_has_the_text_of_none() -> None:
    def f(x: Any) -> Any:
        found = None
        if x > 0:
            found = x
        return f"{found}", str(found), f"{found!r:>6}", "%s" % found, "{}".format(found), f"{[found, 1]}"  # noqa

    check(f, (1,), (-1,))
    g = tf.function(lambda x: f"{(x if x > 0 else None):.2f}")
    assert python_values(g(tf.constant(1.0))) == "1.00"
    with pytest.raises(TypeError, match="unsupported format string passed to NoneType"):
        g(tf.constant(-1.0))


def test_join() -> None:
    def f(xs: Any, s: Any) -> Any:
        texts = []
        for x in xs:
            if x > 1:
                texts.append(str(x))
        return (
            ",".join(texts),
            ", ".join([s, "b", f"{xs[0]}"]),
            "".join([f"{x};" for x in xs]),
            "".join(f"{x};" for x in xs),
            "-".join(map(str, xs)),
            "+".join(f"{x}" for x in [xs[0], xs[1]]),
            s.join(["a", "b"]),
            s.join(texts),
            "|".join(s),
            "".join([]),
            ".".join(("a", s)),
        )

    check(f, ([1, 2, 3], "héy"), ([0, 0, 0], ""))


def test_the_text_of_staged_lists() -> None:
    def f(xs: Any) -> Any:
        values, texts = [], []
        for x in xs:
            if x > 1:
                values.append(x)
                texts.append(f"<{x}>")
        return str(values), f"{values}", "%s" % values, repr((values, "a")), str(texts), f"{texts!r:>20}"

    check(f, ([1, 2, 3],), ([0, 0, 0],))


def test_methods_of_a_staged_string() -> None:
    def f(s: Any, part: Any) -> Any:
        return (
            s.upper(), s.lower(), s.title(), s.capitalize(), s.swapcase(), s.casefold(),
            s.strip(), s.lstrip(), s.rstrip("o "), s.zfill(9), s.ljust(9, "."), s.rjust(9), s.center(9),
            s.replace("l", "L"), s.replace(part, "<>", 1), s.removeprefix("h"), s.removesuffix(part),
            s.startswith("h"), s.startswith(("x", part)), s.endswith(part), s.find(part), s.rfind("l"), s.count("l"),
            s.split(), s.split("l"), s.split(part, maxsplit=1), s.rsplit(maxsplit=1), s.splitlines(), s.partition("l"),
            s.isdigit(), s.isalpha(), s.isupper(), s.isspace(), s.isidentifier(),
            "abc".find(part), "a-b".replace("-", s), "hello".startswith(part), "x".join([s, part]),
        )  # fmt: skip

    check(f, ("héllo wörld", "l"), (" 123 ", "3"), ("", ""[:0] + "x"), ("a\nb l", "b"))


def test_a_staged_string_is_a_sequence_of_characters() -> None:
    def f(s: Any, n: Any) -> Any:
        return s[0], s[-1], s[1:3], s[::-1], s[n], s[:n], s + "!", "¡" + s, s * 2, 2 * s, s * n, "ab" * n, len(s)

    check(f, ("héllo", 1), ("wörld", 3))
    with pytest.raises(IndexError, match="string index out of range"):
        tf.function(lambda s: s[7])(tf.constant("abc"))


def test_the_characters_of_a_staged_string() -> None:
    def f(s: Any) -> Any:
        text, vowels = "", 0
        for i, character in enumerate(s):
            if character in "aeiou":
                vowels += 1
            text = f"{character}{i}" + text
        return text, vowels, list(s), sorted(s)[:1] if False else "", [c for c in s if c != "l"]

    check(f, ("héllo",), ("",), ("aä",))


def test_staged_strings_compare_and_contain() -> None:
    def f(s: Any, t: Any) -> Any:
        return (
            s == t, s != t, s < t, s <= t, s > t, s >= t, s == "héllo", s < "i",
            t in s, "l" in s, "z" not in s, s in "héllo wörld", s in ["a", "b"], "a" if s else "empty",
        )  # fmt: skip

    check(f, ("héllo", "llo"), ("a", "b"), ("", ""), ("é", "z"))


def test_parts_and_extremes_of_staged_strings() -> None:
    def f(s: Any) -> Any:
        first, second = s.split(",")
        a, b, _ = first
        words = s.split(",")
        listed = [word + "!" for word in words]
        return (
            second + first, b + a, max(words), min(words), max(first), min(first, second, "z"), max(listed),
            max([w for w in words if w == "none"], default="nothing"), max(words, key=len), sorted(words),
        )  # fmt: skip

    check(f, ("abc,xy",), ("zyx,äöü!",))
    with pytest.raises(ValueError, match="not enough values to unpack"):
        tf.function(f)(tf.constant("abc"))


def fizz_buzz(n: Any) -> Any:
    lines = []
    for i in range(1, n + 1):
        line = ""
        if i % 3 == 0:
            line += "Fizz"
        if i % 5 == 0:
            line += "Buzz"
        lines.append(line or str(i))
    return "\n".join(lines)


def shifted(text: Any, by: Any) -> Any:
    out = ""
    for character in text:
        if character.isalpha():
            out += chr((ord(character) - 97 + by) % 26 + 97)
        else:
            out += character
    return out


def roman(n: Any) -> Any:
    out = ""
    for value, numeral in ((10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I")):
        while n >= value:
            out += numeral
            n -= value
    return out


def counted(text: Any) -> Any:
    counts = {"a": 0, "b": 0}
    for character in text:
        if character == "a":
            counts["a"] += 1
        elif character in "bB":
            counts["b"] += 1
    return f"{counts['a']}/{counts['b']}"


def kind(text: Any) -> Any:
    match text:
        case "a" | "b":
            return 1
        case "c":
            return 2
    return -int(text[1:]) if text.startswith("-") else 0


@pytest.mark.parametrize(
    "program, inputs",
    [
        (fizz_buzz, [(15,), (1,)]), (shifted, [("abc xyz", 3), ("", 1)]), (roman, [(19,), (4,)]),
        (counted, [("abBa",), ("",)]), (kind, [("b",), ("c",), ("-12",), ("z",)]),
        (lambda n: str(n) == str(n)[::-1], [(121,), (12,)]),
        (lambda s: " ".join(reversed(s.split())) + s.split()[0], [("the quick fox",), ("a",)]),
        (lambda s: sum(int(c) for c in s if c.isdigit()), [("a1b22",), ("",)]),
        (lambda xs: ", ".join([f"{i}:{x}" for i, x in enumerate(xs)]), [([5, 6],)]),
        (lambda s: [w for w in ["apple", "bat", "ant"] if w.startswith(s)], [("a",), ("c",)]),
        (lambda s: (any(c.isupper() for c in s), all(c.isalpha() for c in s)), [("abC",), ("a1",)]),
    ],
)  # fmt: skip
def test_programs_on_strings(program: Any, inputs: Any) -> None:
    check(program, *inputs)


def test_numbers_of_a_staged_string() -> None:
    def f(s: Any) -> Any:
        return int(s), float(s), int(s) + 1

    check(f, ("12",), (" -7 ",))


@pytest.mark.parametrize("name", ["encode", "isnothing"])
def test_methods_that_strings_of_a_graph_do_not_have(name: str) -> None:
    with pytest.raises(AttributeError, match=name):
        tf.function(lambda s: getattr(s, name)())(tf.constant("a"))


def test_methods_of_several_strings_are_no_methods() -> None:
    with pytest.raises(AttributeError, match="upper"):
        tf.function(lambda s: s.upper())(tf.constant(["a", "b"]))


class Box:
    def __init__(self, content: Any) -> None:
        self.content = content

    def __repr__(self) -> str:
        return f"Box({self.content})"


class Signed:
    """Its methods have staged control flow."""

    def __init__(self, content: Any) -> None:
        self.content = content

    def __str__(self) -> str:
        if self.content < 0:
            return f"minus {-self.content}"
        return "plus %s" % self.content

    def __format__(self, specification: str) -> str:
        return f"{str(self)}, {self.content:{specification or 'd'}}"


def test_objects_write_themselves() -> None:
    def f(x: Any) -> Any:
        box, signed = Box(x), Signed(x)
        return (
            f"{box}", f"{box!r:>8}", str(box), f"{signed}", f"{signed!s}", f"{signed:03d}", "{} {}".format(signed, box),
            format(signed, "x"), str(signed), f"{Box('plain')}",
        )  # fmt: skip

    check(f, (3,), (-3,))


@dataclass
class Point:
    x: Any
    y: Any = field(default=2)
    hidden: int = field(default=3, repr=False)


def test_structures_write_themselves() -> None:
    def f(x: Any) -> Any:
        point = Point(x, [x])
        counts = defaultdict(int, a=x)
        return f"{point}", str(point), f"{Point(point)!r:>40}", str(OrderedDict(a=x)), f"{counts} {[(x,)]} { ({}) }"

    check(f, (3,), (-3,))


class Numbers(list):
    def __repr__(self) -> str:
        return f"{len(self)} numbers"


def test_lists_of_the_users_classes_write_themselves() -> None:
    check(lambda x: (f"{Numbers([x])}", str(Numbers([x, x]))), (1,))
    with pytest.raises(tf.errors.StagedValueError, match="as text"):
        tf.function(lambda x: f"{deque([x])}")(tf.constant(1))


def test_methods_that_give_no_string() -> None:
    class Wrong:
        def __str__(self) -> Any:
            return 3

    with pytest.raises(TypeError, match="__str__ returned non-string"):
        tf.function(lambda x: f"{Wrong()}{x}")(tf.constant(1))
    with pytest.raises(TypeError, match="unsupported format string passed to Box"):
        tf.function(lambda x: f"{Box(x):>3}")(tf.constant(1))


def test_errors_hold_the_text_of_staged_values() -> None:
    @tf.function
    def f(x: Any) -> Any:
        assert x < 9, "%d is too large" % x
        if x < 0:
            raise ValueError("%d is negative, {}".format("so") % x)
        return x

    assert f(tf.constant(1)).numpy() == 1
    with pytest.raises(ValueError, match="-1 is negative, so"):
        f(tf.constant(-1))
    with pytest.raises(AssertionError, match="10 is too large"):
        f(tf.constant(10))


def test_the_text_of_a_staged_value_is_a_str() -> None:
    check(lambda x: (isinstance(f"{x}", str), isinstance(str(x).upper(), (str, int)), isinstance(str(x), int)), (1,))


def test_print_into_a_file(tmp_path: Any) -> None:
    with (tmp_path / "file").open("w") as file:

        @tf.function
        def f(x: Any) -> Any:
            print("text", file=file)
            print(x, file=file)
            return x

        @tf.function
        def g(x: Any) -> Any:
            if x > 0:
                print("text", file=file)
            return x

        with pytest.raises(tf.errors.StagedValueError, match="as text"):
            f(tf.constant(1))
        with pytest.raises(tf.errors.MutationError, match="print"):
            g(tf.constant(1))
    assert (tmp_path / "file").read_text() == "text\n"


def test_the_type_of_a_graph_tensor_makes_no_tensors() -> None:
    with pytest.raises(tf.errors.StagedTypeError, match="type"):
        tf.function(lambda x: type(x)(3))(tf.constant(1))


WRITERS: dict[str, Callable[[Any], Any]] = {
    "template": lambda x: string.Template("$x").substitute(x=x),
    "pformat": lambda x: pprint.pformat([x]),
    "object in a list": lambda x: str([Box(x)]),
    "object with percent": lambda x: "%s" % Box(x),
    "dunder": lambda x: x.__str__(),
    "keys": lambda x: json.dumps({"x": Box(x)}, default=str),
}


@pytest.mark.parametrize("writer", WRITERS.values(), ids=WRITERS)
def test_nothing_writes_the_name_of_a_tensor_into_a_graph(writer: Callable[[Any], Any]) -> None:
    with pytest.raises(tf.errors.StagedValueError, match="as text"):
        tf.function(writer)(tf.constant(1))


def test_names_are_shown_while_tracing(capsys: Any, caplog: Any) -> None:
    @tf.function
    def f(x: Any) -> Any:
        print(x, [x], Box(x))
        logging.getLogger("test").warning("x is %s and %r", x, [x])
        pprint.pprint([x])
        return x

    f(tf.constant(1))
    tensor = 'Tensor("x:0", shape=(), dtype=int32)'
    listed = "[<tf.Tensor 'x:0' shape=() dtype=int32>]"
    assert capsys.readouterr().out == f"{tensor} {listed} Box({tensor})\n{listed}\n"
    assert caplog.messages == [f"x is {tensor} and {listed}"]


def test_print_shows_names_in_texts_while_tracing(capsys: Any) -> None:
    @tf.function
    def f(x: Any, word: Any) -> Any:
        print(f"x is {x:>10.2f}", "{} of {!r}".format(word, [x, 1]), "%s and %d" % (x, 3))
        print(f"<{x}>".upper(), "%d" % x)
        return f"{x}"

    assert f(tf.constant(1.5), tf.constant("a")).numpy() == b"1.5"
    x, word = (f'Tensor("{name}:0", shape=(), dtype={dtype})' for name, dtype in (("x", "float32"), ("word", "string")))
    first, second = capsys.readouterr().out.splitlines()
    assert first == f"x is {x} {word} of [{x}, 1] {x} and 3"
    assert second.count('Tensor("text_') == 2, "another function of Python has no text yet"


WORD, WORDS, ROWS = tf.constant("abcé"), tf.constant(["abc", "d"]), tf.constant([[1, 2], [3, 4]])


@pytest.mark.parametrize(
    ("item", "container", "expected"),
    [
        ("b", WORD, True), ("é", WORD, True), ("x", WORD, False), ("", WORD, True), (tf.constant("bc"), WORD, True),
        ("abc", WORDS, True), ("ab", WORDS, False), (tf.constant("d"), WORDS, True), (2, ROWS, True), (5, ROWS, False),
        ([1, 4], ROWS, True), (None, ROWS, False), (float("nan"), tf.constant([float("nan")]), False),
    ],
)  # fmt: skip
def test_in_means_the_same_with_and_without_a_graph(item: Any, container: Any, expected: bool) -> None:
    def search(values: Any) -> Any:
        return item in values, item not in values

    assert search(container) == (expected, not expected)
    assert python_values(tf.function(search)(container)) == (expected, not expected)
    assert (item in tf.Variable(container)) is expected


@pytest.mark.parametrize(("item", "container"), [(b"a", WORD), (1, WORD), ("a", ROWS), (3, tf.constant(3))])
def test_in_refuses_the_same_with_and_without_a_graph(item: Any, container: Any) -> None:
    with pytest.raises(TypeError):
        item in container  # noqa: B015
    with pytest.raises(TypeError):
        tf.function(lambda values: item in values)(container)
