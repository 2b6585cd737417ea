"""Every pass opens with what it makes of a piece of code, as a doctest that holds."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

from autograph import converters
from autograph.converters.base import Pass

NAMES = [module.name for module in pkgutil.walk_packages(converters.__path__, "autograph.converters.")]
MODULES = [importlib.import_module(name) for name in NAMES]


def _is_pass(value: object, module_name: str) -> bool:
    """Whether something is a pass that the module defines; a base class of passes looks at nothing."""
    is_class = isinstance(value, type) and issubclass(value, Pass) and value.__module__ == module_name
    return is_class and bool(value.always or value.removes or value.looks_at)  # type: ignore[attr-defined]


PASSES = [module for module in MODULES if any(_is_pass(value, module.__name__) for value in vars(module).values())]


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__.rpartition(".")[2])
def test_doctests(module: object) -> None:
    assert doctest.testmod(module).failed == 0  # type: ignore[arg-type]


@pytest.mark.parametrize("module", PASSES, ids=lambda module: module.__name__.rpartition(".")[2])
def test_every_pass_shows_before_and_after(module: object) -> None:
    assert ">>> show(" in (module.__doc__ or "")
