"""Runs the `test` package's tests of a standard library module, with the module converted or not.

    python -m tests.stdlib.harness heapq staged

Prints one line of JSON: the tests passed, failed (with their tracebacks) and skipped, how many functions were
converted, and which were not, with the reason.
"""

from __future__ import annotations

import importlib
import importlib.machinery
import io
import json
import os
import pkgutil
import sys
import tempfile
import unittest
from dataclasses import asdict, dataclass, field
from types import ModuleType

from tests.libraries import OF_LIBRARIES

ACCELERATORS: dict[str, tuple[str, ...]] = {
    "bisect": ("_bisect",),
    "heapq": ("_heapq",),
    "json": ("_json",),
    "statistics": ("_statistics",),
}
"""Implementations in C that are kept away from a module, so that its Python code is what runs."""
MODULES = (
    "bisect", "copy", "difflib", "fractions", "heapq", "json", "shlex", "statistics", "string", "textwrap",
    "argparse", "base64", "calendar", "cmd", "colorsys", "configparser", "contextlib", "csv", "dataclasses", "fnmatch",
    "getopt", "graphlib", "html", "ipaddress", "optparse", "pathlib", "pprint", "random", "reprlib", "shutil",
    "tokenize",
    "ast", "collections", "enum", "functools", "gettext", "inspect", "linecache", "re", "types", "typing", "warnings",
)  # fmt: skip
FRAMES = {
    "test.test_contextlib.TestExitStack.test_exit_exception_traceback",
    "test.test_contextlib_async.TestAsyncExitStack.test_exit_exception_traceback",
    "test.test_gettext.GNUTranslationsPluralFormsTestCase.test_plural_context_forms",
    "test.test_gettext.GNUTranslationsPluralFormsTestCase.test_plural_forms",
    "test.test_gettext.GNUTranslationsPluralFormsTestCase.test_plural_wrong_context_forms",
}
"""Tests that count frames, of a traceback or by `f_back`: in the staged form the body of a statement has one."""
OTHERS = {
    "test.test_ast.AST_Tests.test_ast_asdl_signature",
    "test.test_ast.test_ast.AST_Tests.test_ast_asdl_signature",
    "test.test_inspect.test_inspect.TestGetattrStatic.test_custom___getattribute__",
    "test.test_typing.ForwardRefTests.test_forward_recursion_actually",
}
"""A test that counts the subclasses of `ast.expr`, to which gast adds its own; one whose object notes that `is` of the
staged form asks it for its `__class__`; one that recurses, for which the staged form needs more frames."""


@dataclass
class Outcome:
    """What a run of a module's tests shows."""

    passed: list[str] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)
    skipped: list[str] = field(default_factory=list)
    converted: list[str] = field(default_factory=list)
    unconverted: dict[str, str] = field(default_factory=dict)


class Converter:
    """While active, converts a module (and the modules of a package) each time that its source is executed."""

    def __init__(self, name: str, staged: bool, outcome: Outcome) -> None:
        self.name, self.staged, self.outcome = name, staged, outcome
        self._execute = importlib.machinery.SourceFileLoader.exec_module

    def start(self) -> None:
        def exec_module(loader: importlib.machinery.SourceFileLoader, module: ModuleType) -> None:
            self._execute(loader, module)
            if is_part(module.__name__, self.name):
                self.convert(module)

        # A part of the import machinery, whose frames `warnings` does not count.
        exec_module.__code__ = exec_module.__code__.replace(co_filename="<frozen importlib._bootstrap_external>")
        importlib.machinery.SourceFileLoader.exec_module = exec_module  # type: ignore[method-assign]

    def convert(self, module: ModuleType) -> None:
        from tests.conversion import convert_namespace

        replacements = convert_namespace(vars(module), module.__name__, staged=self.staged)
        replacements.replace_references()
        names = {f"{module.__name__}.{original.__qualname__}" for original, _ in replacements.converted.values()}
        self.outcome.converted = sorted(names.union(self.outcome.converted))
        for name, error in replacements.failures.items():
            self.outcome.unconverted[f"{module.__name__}.{name}"] = error.message


class Result(unittest.TestResult):
    """Notes the outcome of every test by its id."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__()
        self.outcome = outcome

    def addSuccess(self, test: unittest.TestCase) -> None:
        super().addSuccess(test)
        self.outcome.passed.append(test.id())

    def addSkip(self, test: unittest.TestCase, reason: str) -> None:
        super().addSkip(test, reason)
        self.outcome.skipped.append(test.id())


def is_part(name: str, package: str) -> bool:
    return name == package or name.startswith(package + ".")


def run(name: str, form: str) -> Outcome:
    """Imports a module anew, converted to `form` ("plain", "staged") or "original", and runs its tests."""
    outcome = Outcome()
    if form != "original":
        # Whatever conversion loads when it is first used is loaded before modules are taken away and converted.
        importlib.import_module("autograph.connect")
        for part in ("analysis", "converters", "operators", "source"):
            package = importlib.import_module(f"autograph.{part}")
            for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
                if not module.name.startswith(OF_LIBRARIES):  # which only their users load
                    importlib.import_module(module.name)
        importlib.import_module("tests.conversion")  # which imports what is converted then
        Converter(name, form == "staged", outcome).start()
    # autograph keeps the modules that it has imported; the tests see new ones.
    for module in [module for module in sys.modules if is_part(module, name)]:
        del sys.modules[module]
    for accelerator in ACCELERATORS.get(name, ()):
        sys.modules[accelerator] = None  # type: ignore[assignment]
    support = importlib.import_module("test.support")
    support.use_resources = []
    importlib.import_module(name)
    suite = unittest.defaultTestLoader.loadTestsFromName(f"test.test_{name}")
    result = Result(outcome)
    suite.run(result)
    for test, text in [*result.failures, *result.errors]:
        outcome.failed.setdefault(test.id(), text)
    outcome.passed = sorted(set(outcome.passed) - set(outcome.failed))
    return outcome


def main(name: str, form: str) -> None:
    output, sys.stdout = sys.stdout, io.StringIO()
    with tempfile.TemporaryDirectory() as directory:
        os.chdir(directory)
        try:
            outcome = run(name, form)
        finally:
            os.chdir("/")
    output.write(json.dumps(asdict(outcome)) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
