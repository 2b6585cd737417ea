"""`and`, `or`, `not`, comparisons, conditional expressions, f-strings."""

# ruff: noqa: B018, B023, C4, E731, F541, F821, F841, RUF, SIM

from __future__ import annotations

from .loud import Loud


def and_or_values(t):
    return [t("a", 0) and t("b", 1), t("c", "") or t("d", []) or t("e", {}), t("f", 1) and t("g", 2) and t("h", 0)]


def and_or_mixed(t):
    return t("a", 1) and (t("b", 0) or t("c", 3)) or not t("d", 1)


def truth_is_asked_once(t):
    return [repr(Loud(t, "a") and Loud(t, "b", False)), repr(Loud(t, "c", False) or Loud(t, "d")), not Loud(t, "e")]


def chains(t):
    return [t("a", 1) < t("b", 2) < t("c", 3), t("d", 1) > t("e", 2) > t("f", 3), 1 < t("g", 2) <= 2 != 3 == 3]


def chain_values(t):
    return repr(Loud(t, "a") < Loud(t, "b") < Loud(t, "c")), repr(Loud(t, "d", False) < Loud(t, "e") < Loud(t, "f"))


def chain_of_membership(t):
    x = None
    return t("a", 1) in t("b", [1, 2]) in [[1, 2]], x is None is not True, 1 not in [2] not in [3]


def membership(t):
    return 3 in Loud(t), 3 not in Loud(t), "a" in "abc", None is None, [] != []


def membership_in_nothing(t):
    return t("x", 3) in t("nothing", 5)


def conditional_expression(t):
    return t("a", 1) if t("test", 0) else t("b", 2) if t("other", []) else t("c", 3)


def not_of_not(t):
    return not not t("a", 3), not (t("b", 0) and t("c", 1))


def text(t):
    x, width, y = 3.14159, 10, Loud(t)
    return [
        f"{x}",
        f"{x:.2f}",
        f"{x!r:>{width}}",
        f"{t('a', 1)}{t('b', 2)!s}{y:{t('c', 'spec')}>{width}}",
        f"{x=}",
        f"{x = :.1f}",
        f"",
        f"plain {{}}",
        f"{'a' 'é'!a}",
        f"{[f'{i}' for i in range(2)]}",
        f"{(lambda: x)()}",
        f'{"it" + "s"}',
        f"{None}",
        f"{1 if x else 2}",
        f"{x and y}",
    ]


def text_error(t):
    return f"{t('a', 1)}{t('b', 'x'):d}{t('c', 2)}"


def text_specification(t):
    return f"{3:{'0'}{5}}", f"{'a':{'>'}{'5'}}|", f"{1_000:,}", f"{True:^{len('abcdef')}}"
