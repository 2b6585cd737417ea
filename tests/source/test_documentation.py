from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import autograph.source

NAMES = [module.name for module in pkgutil.iter_modules(autograph.source.__path__)]


@pytest.mark.parametrize("name", NAMES)
def test_examples_in_the_documentation(name: str) -> None:
    assert doctest.testmod(importlib.import_module(f"autograph.source.{name}")).failed == 0
