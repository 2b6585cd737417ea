from __future__ import annotations

import concurrent.futures
import doctest
import importlib
import linecache
import sys
import zipfile
from pathlib import Path

import pytest

from autograph.source import find
from tests.source.rebuild import module_of, python, rebuilt, run, text_of


def test_assertions_rewritten_by_pytest() -> None:
    def checked(x):
        assert [y for y in (x,)] == [x], f"not {x}"
        return x

    assert "@py_assert" in " ".join(checked.__code__.co_varnames)  # or this test tests nothing
    assert text_of(checked).splitlines()[1] == "    assert [y for y in (x,)] == [x], f'not {x}'"
    assert rebuilt(checked)(3) == 3


def test_exec_with_a_registered_source_and_notebooks() -> None:
    for filename in ("<made by exec>", "<ipython-input-1-abcdef>", "/tmp/ipykernel_12/345.py"):
        function = run("x = 3\ndef triple(y):\n    return x * y\n", filename)["triple"]
        assert rebuilt(function)(5) == 15
        assert find(function).filename == filename


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


PROGRAM = """
from tests.source.rebuild import rebuilt
f, g = (lambda x: x + 1), (lambda x: x + 2)
def h(x): return x * 10
print([rebuilt(function)(1) for function in (f, g, h)])
"""


def test_a_program_on_the_command_line() -> None:
    result = python("-c", PROGRAM)
    assert result.stdout == "[2, 3, 10]\n", result.stderr


def test_text_run_by_a_program_on_the_command_line_has_no_source() -> None:
    """The text of the program is known under the name that `exec` gives to every text."""
    program = """
def f(x): return x + 1
names = {}
exec("\\ndef f(x): return x + 2", names)
from autograph.errors import SourceNotFoundError
from tests.source.rebuild import rebuilt
assert rebuilt(f)(1) == 2
try:
    rebuilt(names["f"])
except SourceNotFoundError as error:
    print("there is no text for" in str(error) and "linecache" in error.remedy)
"""
    result = python("-c", program)
    assert result.stdout == "True\n", result.stderr


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


def test_a_program_after_options_of_the_interpreter() -> None:
    result = python("-Werror", "-X", "utf8", "-c" + PROGRAM)
    assert result.stdout == "[2, 3, 10]\n", result.stderr


def test_threads_find_and_compile_at_once(tmp_path: Path) -> None:
    text = "\n".join(f"def f{number}(x):\n    return x + {number}" for number in range(60))
    module = module_of(tmp_path, text)
    linecache.clearcache()

    def use(number: int) -> int:
        return rebuilt(getattr(module, f"f{number}"))(1)

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        assert list(pool.map(use, [*range(60)] * 5)) == [number + 1 for number in range(60)] * 5
