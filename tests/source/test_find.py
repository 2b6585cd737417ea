from __future__ import annotations

import concurrent.futures
import contextlib
import doctest
import functools
import gc
import importlib
import inspect
import linecache
import os
import subprocess
import sys
import textwrap
import weakref
import zipfile
from pathlib import Path
from types import FunctionType
from typing import Any

import gast
import pytest

from autograph.errors import SourceNotFoundError
from autograph.source import find, names_in, to_ast, unparse
from tests.source.rebuild import module_of, rebuilt


def text_of(function: Any) -> str:
    return unparse(find(function).tree)


def test_a_function_with_its_place() -> None:
    def add(x, y=1):
        return x + y

    source = find(add)
    assert source.function_name == "add"
    assert source.filename == __file__
    assert source.class_name is None
    assert source.lines[source.first_line - 1].strip() == "def add(x, y=1):"
    assert unparse(source.tree) == "def add(x, y=1):\n    return x + y"
    assert source.tree.lineno == source.first_line
    assert source.tree.body[0].value.col_offset == 15


def test_each_tree_is_a_fresh_one() -> None:
    def identity(x):
        return x

    source = find(identity)
    source.tree.body.clear()
    assert unparse(source.tree) == "def identity(x):\n    return x"
    assert isinstance(source.tree, gast.FunctionDef)


def decorate(*_: Any) -> Any:
    return lambda function: function


def wrap(function: Any) -> Any:
    @functools.wraps(function)
    def wrapper(*args):
        return function(*args)

    return wrapper


@decorate(
    1,
    lambda: [
        2,
    ],
)
@decorate(3)
def decorated():
    return "decorated"


def test_decorators_of_several_lines() -> None:
    assert find(decorated).tree.body[0].value.value == "decorated"
    assert find(decorated).first_line == find(decorated).tree.lineno - 7


def test_a_wrapper_is_itself_and_not_what_it_wraps() -> None:
    wrapped = wrap(decorated)
    assert wrapped.__name__ == "decorated"
    assert find(wrapped).tree.name == "wrapper"


class Outer:
    class _Inner:
        def method(self, __private):
            def nested():
                return self.__x

            return nested

        function = lambda self, __y: __y  # noqa: E731

        @staticmethod
        def static():
            return "static"

        @classmethod
        def of_class(cls):
            return "class"

    def method(self):
        return "outer"

    @property
    def value(self):
        return "value"


def test_methods_and_their_classes() -> None:
    inner = Outer._Inner
    assert find(inner.method).class_name == "_Inner"
    assert find(inner().method(1)).class_name == "_Inner"
    assert find(inner.function).class_name == "_Inner"
    assert find(inner.static).tree.body[0].value.value == "static"
    assert find(inner.of_class).tree.body[0].value.value == "class"
    assert find(Outer.method).class_name == "Outer"
    assert find(Outer.value.fget).tree.body[0].value.value == "value"  # type: ignore[attr-defined]


def test_lambdas_on_one_line() -> None:
    first, second, third = lambda x: x + 1, lambda x: x + 2, (lambda x: x + 1)
    assert [text_of(function) for function in (first, second, third)] == [
        "lambda x: x + 1",
        "lambda x: x + 2",
        "lambda x: x + 1",
    ]
    assert find(first).node is not find(third).node
    assert find(first).tree.col_offset < find(second).tree.col_offset < find(third).tree.col_offset


def test_nested_lambdas_on_one_line() -> None:
    outer = lambda x: lambda y: lambda x: x if y else None  # noqa: E731
    assert text_of(outer) == "lambda x: lambda y: lambda x: x if y else None"
    assert text_of(outer(1)) == "lambda y: lambda x: x if y else None"
    assert text_of(outer(1)(2)) == "lambda x: x if y else None"


def test_lambdas_with_defaults_and_constants() -> None:
    with_default = lambda a=(lambda: 1), *b, c=(lambda: 2), **d: (a(), c())  # noqa: E731
    assert text_of(with_default) == "lambda a=lambda: 1, *b, c=lambda: 2, **d: (a(), c())"
    assert text_of(with_default.__defaults__[0]) == "lambda: 1"
    assert text_of(with_default.__kwdefaults__["c"]) == "lambda: 2"
    one, other = (lambda: 1), (lambda: 1.0)
    assert [text_of(one), text_of(other)] == ["lambda: 1", "lambda: 1.0"]


@pytest.mark.parametrize(
    "body",
    ["True if 1 else x", "(yield)", "(yield x)", "f'{x}'", "x or y and x", "(x := 1)", "[y for y in x]", "x.a().b()"],
)
def test_bodies_that_the_compiler_folds_or_moves(body: str) -> None:
    text = f"pair = lambda x, y=0: {body}, lambda x, y=0: ({body}, 1)\n"
    functions = run(text, "<folded>")["pair"]
    assert text_of(functions[0]) == unparse(gast.parse(f"lambda x, y=0: {body}"))
    assert text_of(functions[1]) == unparse(gast.parse(f"lambda x, y=0: ({body}, 1)"))


def test_lambdas_in_an_expression_of_several_lines() -> None:
    table = {
        "one": lambda x: (
            x
            + 1
        ), "two": lambda x: x * 2,
        "three": (lambda
                  x: x * 3),
    }  # fmt: skip
    assert {name: function(5) for name, function in table.items()} == {"one": 6, "two": 10, "three": 15}
    assert text_of(table["one"]) == "lambda x: x + 1"
    assert text_of(table["two"]) == "lambda x: x * 2"
    assert text_of(table["three"]) == "lambda x: x * 3"


def test_lambdas_in_the_headers_of_statements() -> None:
    found = []
    for function in [lambda: "for", (lambda: "again")]:
        found.append(text_of(function))

    def with_default(function=lambda: "default"):
        return function

    class WithKeyword(dict, **{}):
        member = staticmethod(lambda: "member")

    found += [text_of(with_default()), text_of(WithKeyword.member)]
    assert found == ["lambda: 'for'", "lambda: 'again'", "lambda: 'default'", "lambda: 'member'"]


def test_assertions_rewritten_by_pytest() -> None:
    def checked(x):
        assert [y for y in (x,)] == [x], f"not {x}"
        return x

    assert "@py_assert" in " ".join(checked.__code__.co_varnames)  # or this test tests nothing
    assert text_of(checked).splitlines()[1] == "    assert [y for y in (x,)] == [x], f'not {x}'"
    assert rebuilt(checked)(3) == 3


def run(text: str, filename: str, **options: Any) -> dict[str, Any]:
    linecache.cache[filename] = (len(text), None, text.splitlines(True), filename)
    namespace: dict[str, Any] = {}
    exec(compile(text, filename, "exec", **options), namespace)
    return namespace


def test_exec_with_a_registered_source_and_notebooks() -> None:
    for filename in ("<made by exec>", "<ipython-input-1-abcdef>", "/tmp/ipykernel_12/345.py"):
        function = run("x = 3\ndef triple(y):\n    return x * y\n", filename)["triple"]
        assert rebuilt(function)(5) == 15
        assert find(function).filename == filename


def test_no_source_says_how_to_give_it() -> None:
    namespace: dict[str, Any] = {}
    exec(compile("def lost(x):\n    return x\n", "<nowhere>", "exec"), namespace)
    with pytest.raises(SourceNotFoundError) as caught:
        find(namespace["lost"])
    assert caught.value.function == "lost"
    assert caught.value.file == "<nowhere>"
    assert "linecache" in str(caught.value)


@pytest.mark.parametrize("value", [len, functools.partial(len), str.upper, 3])
def test_what_is_no_python_function(value: Any) -> None:
    with pytest.raises(SourceNotFoundError, match="not a Python function"):
        find(value)


def test_text_of_the_wrong_name_is_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "def f(x):\n    return x + 1\n"
    monkeypatch.setitem(linecache.cache, "<string>", (len(text), None, text.splitlines(True), "<string>"))
    namespace: dict[str, Any] = {}
    exec("def f(x):\n    return x + 2\n", namespace)
    with pytest.raises(SourceNotFoundError):
        find(namespace["f"])
    exec(text, namespace)
    assert text_of(namespace["f"]).endswith("x + 1")


ORIGINAL = """
    import os.path

    def first(x):
        return os.path.join(x, "first")

    second = lambda x: x + 1
"""


@pytest.mark.parametrize(
    ("old", "new", "name"),
    [
        ('"first"', '"other"', "first"),
        ("return", "1\n        return", "first"),
        ("def first(x)", "def first(y)", "first"),
        ("def first(x)", "\n    def first(x)", "first"),
        ("def first(x)", "def renamed(x)", "first"),
        ("def first(x):", "def first(x:", "first"),
        ("x + 1", "x + 2", "second"),
        ("lambda x: x + 1", "None", "second"),
    ],
)
def test_a_file_that_changed_since_it_was_imported(tmp_path: Path, old: str, new: str, name: str) -> None:
    module = module_of(tmp_path, ORIGINAL)
    function = getattr(module, name)
    assert find(function)
    text = textwrap.dedent(ORIGINAL).replace(old, textwrap.dedent(new)) + "# so that the size differs\n"
    Path(module.__file__ or "").write_text(text)
    with pytest.raises(SourceNotFoundError, match="changed") as caught:
        find(function)
    assert caught.value.file == module.__file__
    assert "reload" in str(caught.value)


def test_a_file_that_changed_elsewhere_and_an_import_again(tmp_path: Path) -> None:
    module = module_of(tmp_path, ORIGINAL)
    Path(module.__file__ or "").write_text(textwrap.dedent(ORIGINAL) + "\ndef third():\n    return 3\n")
    assert text_of(module.first).startswith("def first")
    assert text_of(module_of(tmp_path, ORIGINAL.replace("x + 1", "x + 22")).second) == "lambda x: x + 22"


def test_strings_of_several_lines_keep_their_indentation() -> None:
    def text():
        return """a
        b
      c"""

    assert find(text).tree.body[0].value.value == text()
    assert rebuilt(text)() == "a\n        b\n      c"


def test_future_imports_are_in_force(tmp_path: Path) -> None:
    text = """
        from __future__ import annotations

        def outer():
            def inner(x: nowhere) -> alsonowhere:
                pass
            return inner
    """
    function = module_of(tmp_path, text).outer
    assert rebuilt(function)().__annotations__ == {"x": "nowhere", "return": "alsonowhere"}
    without = module_of(tmp_path, text.replace("from __future__ import annotations", ""), "without").outer
    if sys.version_info < (3, 14):
        with pytest.raises(NameError):
            rebuilt(without)()


def test_encodings_and_characters_of_several_bytes(tmp_path: Path) -> None:
    path = tmp_path / "encoded.py"
    path.write_bytes(
        "# -*- coding: latin-1 -*-\né, f = 'äöü', (lambda ß: 'ü' + ß); g = lambda ß: ß\n".encode("latin-1")
    )
    sys.path.insert(0, str(tmp_path))
    try:
        module = importlib.import_module("encoded")
    finally:
        sys.path.remove(str(tmp_path))
    assert text_of(module.f) == "lambda ß: 'ü' + ß"
    assert text_of(module.g) == "lambda ß: ß"


def test_modules_in_zip_archives(tmp_path: Path) -> None:
    archive = tmp_path / "archive.zip"
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("zipped_module.py", "def zipped(x):\n    return [x, __name__]\n")
    sys.path.insert(0, str(archive))
    try:
        module = importlib.import_module("zipped_module")
    finally:
        sys.path.remove(str(archive))
    assert rebuilt(module.zipped)(1) == [1, "zipped_module"]


def test_frozen_modules() -> None:
    from posixpath import join

    assert rebuilt(join)("a", "b") == "a/b"


def in_doctest() -> None:
    """
    >>> from tests.source.rebuild import rebuilt
    >>> def f(x):
    ...     return x + 1
    >>> rebuilt(f)(2), rebuilt(lambda x: x * 3)(2)
    (3, 6)
    """


def test_doctests() -> None:
    (example,) = doctest.DocTestFinder().find(in_doctest, "in_doctest")
    assert doctest.DocTestRunner().run(example).failed == 0


def python(*arguments: str, text: str | None = None) -> subprocess.CompletedProcess[str]:
    root = Path(__file__).parents[2]
    return subprocess.run(
        [sys.executable, *arguments], input=text, capture_output=True, text=True, cwd=root, timeout=60
    )


PROGRAM = """
from tests.source.rebuild import rebuilt
f, g = (lambda x: x + 1), (lambda x: x + 2)
def h(x): return x * 10
print([rebuilt(function)(1) for function in (f, g, h)])
"""


@pytest.mark.skipif(sys.version_info < (3, 13), reason="python -c keeps its text since 3.13")
def test_a_program_on_the_command_line() -> None:
    result = python("-c", PROGRAM)
    assert result.stdout == "[2, 3, 10]\n", result.stderr


@pytest.mark.parametrize("options", [[], ["-O"], ["-OO"], ["-W", "error"]])
def test_options_of_the_interpreter(tmp_path: Path, options: list[str]) -> None:
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    result = python(
        "-X", "pycache_prefix=" + str(tmp_path), *options, "-c", f"import runpy; runpy.run_path({str(path)!r})"
    )
    assert result.stdout == "[2, 3, 10]\n", result.stderr


def test_warnings_of_the_compiler_are_given_once(tmp_path: Path, recwarn: pytest.WarningsRecorder) -> None:
    module = module_of(tmp_path, "def f(x):\n    return x is 'a', '\\d'\n")
    before = len(recwarn)
    assert rebuilt(module.f)(0) == (False, "\\d")
    assert len(recwarn) == before


NO_COLUMNS = """
import linecache
from tests.source.rebuild import rebuilt
text = '''
f, g, h = (lambda x: x + 1), (lambda x: x + 2), (lambda: 3)
def local(a):
    return (lambda x: x + a), (lambda x: x - a)
def alone(a):
    return lambda x: x * a
'''
linecache.cache["<text>"] = (len(text), None, text.splitlines(True), "<text>")
exec(compile(text, "<text>", "exec"))
print(rebuilt(f)(1), rebuilt(g)(1), rebuilt(h)(), rebuilt(alone(2))(3))
rebuilt(local(1)[1])
"""


def test_without_columns_a_lambda_is_told_by_its_code_or_refused() -> None:
    result = python("-X", "no_debug_ranges", "-c", NO_COLUMNS)
    assert result.stdout == "2 3 3 6\n", result.stderr
    assert "SourceNotFoundError: it can't be told which of the lambdas" in result.stderr


@pytest.mark.skipif(sys.version_info < (3, 13), reason="the prompt keeps what is typed since 3.13")
def test_the_prompt() -> None:
    import pty

    terminal, end = pty.openpty()
    root = Path(__file__).parents[2]
    environment = dict(os.environ, TERM="xterm", PYTHON_COLORS="0", PYTHON_HISTORY=os.devnull)
    process = subprocess.Popen([sys.executable, "-q"], stdin=end, stdout=end, stderr=end, cwd=root, env=environment)
    os.close(end)
    lines = [
        "from tests.source.rebuild import rebuilt",
        "f = lambda x: x + 1; g = lambda x: x * 3",
        "print('answer', rebuilt(f)(2), rebuilt(g)(2))",
        "exit()",
    ]
    for line in lines:
        os.write(terminal, line.encode() + b"\n")
    output = b""
    with contextlib.suppress(OSError):  # the terminal is gone when the process ends
        while piece := os.read(terminal, 4096):
            output += piece
    process.wait(timeout=60)
    os.close(terminal)
    assert b"answer 3 6" in output, output.decode()


def test_inner_functions_of_compiled_functions_are_found_again() -> None:
    def outer(scale):
        def inner(x):
            return lambda y: x * y * scale

        return inner

    inner = rebuilt(outer)(2)
    assert text_of(inner) == text_of(outer(2))
    assert rebuilt(inner)(3)(4) == 24
    assert text_of(rebuilt(inner)(3)) == "lambda y: x * y * scale"


def test_a_name_defined_twice(tmp_path: Path) -> None:
    text = """
        def make(n):
            if n:
                def f(): return 1
            else:
                def f(): return 2
            return f
    """
    module = module_of(tmp_path, text)
    assert [rebuilt(module.make(n))() for n in (1, 0)] == [1, 2]


def test_a_chain_of_a_thousand_branches(tmp_path: Path) -> None:
    lines = ["def f(x):", "    if x == 0: return 0"]
    lines += [f"    elif x == {number}: return {number}" for number in range(1, 400)]
    function = module_of(tmp_path, "\n".join(lines)).f
    assert rebuilt(function)(399) == 399
    assert len(names_in(find(function).tree)) == 2


def test_functions_are_not_kept_alive() -> None:
    function = run("def f(x):\n    return x\n", "<temporary>")["f"]
    new = rebuilt(function)
    references = [weakref.ref(value) for value in (function, new, new.__code__)]
    del function, new
    gc.collect()
    assert [reference() for reference in references] == [None, None, None]


def test_getsource_agrees() -> None:
    for function in (decorated, Outer._Inner.method, wrap, find, FunctionType(decorated.__code__, {})):
        source = find(function)  # type: ignore[arg-type]
        end = to_ast(source.tree).end_lineno
        assert "".join(source.lines[source.first_line - 1 : end]) == inspect.getsource(function)


def test_threads_find_and_compile_at_once(tmp_path: Path) -> None:
    text = "\n".join(f"def f{number}(x):\n    return x + {number}" for number in range(60))
    module = module_of(tmp_path, text)
    linecache.clearcache()

    def use(number: int) -> int:
        return rebuilt(getattr(module, f"f{number}"))(1)

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        assert list(pool.map(use, [*range(60)] * 5)) == [number + 1 for number in range(60)] * 5


def test_files_are_parsed_once_and_not_kept_without_end(tmp_path: Path) -> None:
    module = module_of(tmp_path, ORIGINAL)
    assert find(module.first).node is find(module.first).node
    for number in range(80):
        assert find(run(f"def f():\n    return {number}\n", f"<file {number}>")["f"])
    assert len(sys.modules[find.__module__]._files) <= 64
    assert text_of(module.first).startswith("def first")
