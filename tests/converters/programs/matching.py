"""`match` statements."""

# ruff: noqa: B018, B023, C4, E731, F541, F821, F841, RUF, SIM

from __future__ import annotations

from collections import namedtuple

from .loud import Loud

Point = namedtuple("Point", "x y")
counter = 0


def match_values(t):
    results = []
    for x in [1, 1.0, True, "a", b"a", None, -1, 2j, (), "other"]:
        match t("subject", x):
            case True:
                results.append("True")
            case 1 | -1:
                results.append("one")
            case "a" | b"a":
                results.append("text")
            case None | False:
                results.append("nothing")
            case 0 + 2j:
                results.append("complex")
            case _ if x:
                results.append("other")
            case rest:
                results.append(rest)
    return results


def match_structures(t):
    results = []
    for x in [
        [], (1,), [1, 2], (1, 2, 3), "ab", b"ab", range(3), {"k": 1}, {"k": 2, "l": 3}, Point(1, 2), Point(0, 0),
        {1, 2}, 5, {"nested": [Point(0, 9)]}, [[1, 2], [3]], bytearray(b"x"), iter([1]), "k",
    ]:  # fmt: skip
        match x:
            case []:
                results.append("empty")
            case Point(x=0, y=y):
                results.append(("on axis", y))
            case Point(a, b) if a > b:
                results.append("never")
            case [a] | (_, a, _):
                results.append(("a", a))
            case [[a, b], [c]]:
                results.append((a, b, c))
            case [_, *rest]:
                results.append(("rest", rest))
            case {"nested": [Point(_, y) as p]}:
                results.append((p, y))
            case {"k": 1}:
                results.append("k is 1")
            case {"k": k, **others}:
                results.append((k, others))
            case str(s) | bytes(s) | bytearray(s):
                results.append(("text", s))
            case int() | set():
                results.append("int or set")
            case _:
                results.append("nothing")
    return results


def match_guards_bind(t):
    match [1, 2]:
        case [a, b] if t("guard", 0):
            return "never"
        case [c, _] if t("guard", c) > 3:
            return "never"
        case d if t("guard", 0):
            return "never"
    return a, b, c, d


def match_failure_binds_nothing(t):
    match [1, 2]:
        case [a, 3]:
            pass
        case [b, 4] | [4, b]:
            pass
        case {"c": c}:
            pass
    return sorted(k for k in ("a", "b", "c") if k in [])


def match_unbound(t):
    match [1, 2]:
        case [a, 3]:
            pass
    return a


def match_guard_walrus(t):
    match t("subject", 5):
        case n if n > 3 and (m := n * 2):
            return n, m


def match_dotted(t):
    class Color:
        RED = 1
        NAMES = "names"

    results = []
    for x in [1, {"names": 2}, [1, 1], 3]:
        match x:
            case Color.RED:
                results.append("red")
            case {Color.NAMES: value}:
                results.append(value)
            case [Color.RED, Color.RED]:
                results.append("twice")
            case Color.MISSING:
                results.append("never")
    return results


def match_not_a_class(t):
    thing = 3
    match 5:
        case thing():
            return 1


def match_too_many(t):
    match Point(1, 2):
        case Point(a, b, c):
            return 1


def match_attributes(t):
    class Noisy:
        __match_args__ = ("a", "b")

        @property
        def a(self):
            return t("a", 1)

        @property
        def b(self):
            return t("b", 2)

    match Noisy():
        case Noisy(2, 2):
            return "never"
        case Noisy(1, missing=_):
            return "never"
        case Noisy(1, b=2, a=3):
            return "never"


def match_equality(t):
    match Loud(t, truth=False):
        case 1 | 2:
            return "never"
        case [3]:
            return "never"
        case 4:
            return "never"
    match Loud(t):
        case 5:
            return "yes"


def match_subject_is_kept(t):
    x = [1, 2]
    match x:
        case [x, y] if x > 5:
            return "never"
        case [a, b]:
            return a, b, x


def match_global(t):
    global counter
    match [7]:
        case [counter]:
            pass
    return counter


def match_tuple(t):
    results = []
    for a in (0, 1):
        for b in (0, 1):
            match a, b:
                case 0, 0:
                    results.append("none")
                case (1, _) as pair:
                    results.append(pair)
                case _, y:
                    results.append(y)
    return results


def match_exits(t):
    for x in [1, 2, 3, "a", None]:
        match x:
            case 1:
                continue
            case 2:
                t("two")
            case int(n) if n > 2:
                break
            case _:
                return "never"
    else:
        return "never"
    return x


def match_nothing(t):
    match t("subject", 1):
        case 2:
            pass
    return t("after")


def match_in_class(t):
    class Inner:
        match t("subject", [1]):
            case [a]:
                b = a

    return Inner.b


def match_duplicate_keys(t):
    class K:
        A = "k"
        B = "k"

    match {"k": 1, "l": 2}:
        case {K.A: a, K.B: b}:
            return a, b
