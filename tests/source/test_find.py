from __future__ import annotations

import functools
import gc
import inspect
import linecache
import sys
import textwrap
import weakref
from pathlib import Path
from types import FunctionType
from typing import Any

import gast
import pytest

from autograph.converters.base import names_in
from autograph.errors import SourceNotFoundError
from autograph.source import find, to_ast, unparse
from tests.source.rebuild import module_of, rebuilt, run, text_of


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


def test_files_are_parsed_once_and_not_kept_without_end(tmp_path: Path) -> None:
    module = module_of(tmp_path, ORIGINAL)
    assert find(module.first).node is find(module.first).node
    for number in range(80):
        assert find(run(f"def f():\n    return {number}\n", f"<file {number}>")["f"])
    assert len(sys.modules[find.__module__]._files) <= 64
    assert text_of(module.first).startswith("def first")
