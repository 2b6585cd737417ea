"""Printing: what is printed parses to the same tree, for every construct and every file of the standard library.

All files are tried when AUTOGRAPH_ALL_FILES is set (a minute), else every tenth.
"""

from __future__ import annotations

import ast
import os
import sys
import sysconfig
from pathlib import Path
from typing import Any

import gast
import pytest

from autograph.source import to_gast, unparse


def check(text: str) -> str:
    tree = ast.parse(text)
    printed = unparse(to_gast(tree))
    assert ast.dump(ast.parse(printed)) == ast.dump(tree), printed
    return printed


# Each is printed exactly as it stands.
EXACT = r"""
x[:, 1:3]
x[::2, ...], x[a, b], x[()], x[a,], x[*a,], x[(yield)]
a + b * c - (d - e) - -f ** -g ** h
(a + b) * c // (d % e) @ f
(-a) ** b, -a ** b, not a == b, (not a) == b, --a
a and (b or c) and not d, (a and b) and c, a or b and c
(a < b) < c, a < b <= c is not d not in e
(a if b else c) if d else e if f else g
lambda: (yield), lambda a, /, b=1, *c, d, e=2, **f: (a, b), lambda *, a: a
(a := b), f(a, (b := c), *d, **e), f(x for x in y), f((x for x in y), 1)
(await a).b, await a.b, await a ** await b, -await a
(1).real, 1.0.real, 1j.imag, (-1).real, 'a'.b, f'{a}'.b, [].b, {}.b
{**a, 'b': c, **(d or e)}, {1, *a}, {*()}, [*a, *(b or c)]
[x for x in (a if b else c) if d if (e if f else g)], {a: b for a, (b, *c) in d}
a = b = c, d = *e, f
a, = *b.c, d[0] = e
x: int = 3
(x): int
a.b: c
a = yield b, c
a += yield
del (a, b), c[0]
1e309, -1e309, 1e309j, 0.1, 100000000000000000000
"it's", 'a"b', '\n\t\x00\ud800é', b'\xff', u'u'
import a.b as c, d
from . import a as b, c
from ..a import *
global a, b
raise a from b
assert a, (b, c)
print(*(a or b), **(c or d))
a if (b, c) else d
f"{a['b']}", f'{a!s}{b!a}'
"""


@pytest.mark.parametrize("line", EXACT.strip().splitlines())
def test_expressions_and_simple_statements(line: str) -> None:
    assert check(line) == line


OTHERWISE = [
    ("f((x for x in y))", "f(x for x in y)"),
    ("f((a), *(b), **(c))", "f(a, *b, **c)"),
    ("- -a, (await a) ** b, not (a), (a.b).c", "--a, await a ** b, not a, a.b.c"),
    ("(a, (b)) = ((c), d)", "a, b = c, d"),
    ("x[(a, b)], x[(a):(b)]", "x[a, b], x[a:b]"),
    ("1.real if 0 else 0xff".replace("1.real", "(1).real"), "(1).real if 0 else 255"),
    ("f'{a!r:>{b}}{{}}', f'{ {} }', f'{a}'.b", "f'{a!r:>{b}}{{}}', f'{ {}}', f'{a}'.b"),
    ("f'{(lambda: 1)}', f'{(a := 1)}', f'{(a if b else c)}'", "f'{(lambda: 1)}', f'{(a := 1)}', f'{(a if b else c)}'"),
]


@pytest.mark.parametrize(("text", "printed"), OTHERWISE)
def test_needless_parentheses_go(text: str, printed: str) -> None:
    assert check(text) == printed


READABLE = '''"""The documentation.

Has lines.
"""
import a

@decorator(1)
@a or b
class K(A, metaclass=M):
    """One line."""
    x: int = 3

    @property
    async def f(self, a: int, /, b=1, *c: int, d=2, **e) -> float:
        """Lines

        of a method."""
        def inner():
            pass
        if a:
            return a, b
        elif b:
            return
        else:
            pass
        for x, y in z:
            continue
        else:
            pass
        async for x in y:
            break
        while not x:
            x += 1
        try:
            raise
        except (A, B) as error:
            pass
        except Exception:
            pass
        else:
            pass
        finally:
            pass
        with a as b, c as (d, e), f:
            pass
        with ((a, b)):
            pass
        async with a:
            nonlocal g

    def g(self):
        pass

class Empty:
    pass
try:
    pass
except* A as error:
    pass
except* (B, C):
    pass
match (a, b):
    case [1, -2, *_, 'a' | None] if c:
        pass
    case {'k': [*rest], **others}:
        pass
    case K(a, b=c | d as e) | m.n:
        pass
    case 1 as y:
        pass
    case _:
        pass'''


def test_statements_print_as_a_person_would_write_them() -> None:
    assert check(READABLE) == READABLE


@pytest.mark.skipif(sys.version_info < (3, 12), reason="type parameters are new in Python 3.12")
def test_type_parameters() -> None:
    text = "type A[T: (int, str), *Ts, **P] = dict[T, P]\n\ndef f[T](x: T) -> T:\n    pass\n\nclass K[T](A):\n    pass"
    assert check(text) == text
    if sys.version_info >= (3, 13):
        assert check("type A[T: int = str, *Ts = *B, **P = []] = T")


@pytest.mark.skipif(sys.version_info < (3, 14), reason="t-strings are new in Python 3.14")
def test_template_strings() -> None:
    check("t'a{ b + c !r:>{d}}{{}}'")


STRINGS = [
    """f'{a["b"]}{c}'""",
    """f"{a['b']} it's"  """,
    """f'''{a["b"]}'{c['d']}" '''""",
    '''f"""{f'{f"{1}"}'}"""''',
    "f'{a:{b}{c}}'",
    "f'{a!r:x{b!s:y}}'",
    "f'{a=}'",
    "f'{a}' 'b' f'{c}' '{d}'",
    "f'\\n{a}\\\\{b}\\'\\\"'",
    "f'{a:\\n}'",
    "f'''{\"\"\"a\nb\"\"\"}'''",
    "f'{\"#\"}'",
    "f''",
    "f'é\\u0301\\x00{a}'",
]


@pytest.mark.parametrize("text", STRINGS)
def test_f_strings(text: str) -> None:
    check(text.strip())


def test_f_strings_that_old_versions_cannot_write() -> None:
    tree = gast.parse("f'a{{{b!r:>{w}}}}{c}'").body[0].value
    tree.values[-1].value = gast.Constant("\\", None)
    namespace = {"b": "b", "w": 5}
    assert eval(unparse(tree), namespace) == "a{  'b'}\\"


@pytest.mark.skipif(sys.version_info < (3, 12), reason="quotes nest freely since Python 3.12")
def test_f_strings_with_the_same_quotes_inside() -> None:
    check("""f'{a['b']}{f'{f'{"\\n"}'}'}'""")


def test_numbers_too_long_for_decimal_digits() -> None:
    value = 10**5000
    assert ast.literal_eval(unparse(gast.Constant(value, None))) == value
    assert unparse(gast.BinOp(gast.Constant(-1, None), gast.Pow(), gast.Constant(2, None))) == "(-1) ** 2"


def test_long_sums_and_chains_need_no_recursion() -> None:
    for text in (" + ".join(["a"] * 900), "if a:\n    pass\n" + "elif b:\n    pass\n" * 500):
        assert unparse(ast.parse(text)) == text.strip()


def test_documentation_strings_with_quotes_and_backslashes() -> None:
    for text in ("a\\nb\\\\c", 'a\\n\\"\\"\\"', 'a\\nends with \\"', "a\\n\\x00", "\\ud800\\n", "a\\r\\nb"):
        check(f'def f():\n    "{text}"')


def test_lists_of_statements() -> None:
    assert unparse(gast.parse("a\nb = 1").body) == "a\nb = 1"


def standard_library() -> list[Path]:
    root = Path(sysconfig.get_path("stdlib"))
    paths = sorted(path for path in root.rglob("*.py") if "site-packages" not in path.parts)
    return paths if os.environ.get("AUTOGRAPH_ALL_FILES") else paths[::10]


@pytest.mark.filterwarnings("ignore")
def test_the_standard_library(record_property: Any) -> None:
    count = 0
    for path in standard_library():
        try:
            tree = ast.parse(path.read_bytes())
        except (SyntaxError, ValueError):
            continue
        assert ast.dump(ast.parse(unparse(tree))) == ast.dump(tree), path
        count += 1
    assert count > 100
    record_property("note", f"printed and parsed back: {count} files of the standard library")
