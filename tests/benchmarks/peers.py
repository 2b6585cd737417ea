"""The converters that are measured: autograph's two forms, and others that are installed.

A converter takes a namespace with plain functions, made for it alone, and returns the function of a name, converted
with all that it calls.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from types import FunctionType
from typing import Any

from autograph.pipeline import converted
from tests.conversion import convert_namespace

Converter = Callable[[dict[str, Any], str], FunctionType]


def _own(staged: bool) -> Converter:
    def convert(namespace: dict[str, Any], name: str) -> FunctionType:
        if len([value for value in namespace.values() if isinstance(value, FunctionType)]) == 1:
            namespace[name] = converted(namespace[name], staged=staged)
        else:
            convert_namespace(namespace, namespace["__name__"], staged=staged)
        return namespace[name]

    return convert


def installed_converters() -> tuple[dict[str, Converter], dict[str, str]]:
    """The converters by name, autograph's first, and the reason for each that is left out."""
    converters = {"autograph, plain form": _own(False), "autograph, staged form": _own(True)}
    missing: dict[str, str] = {}
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    try:
        import tensorflow
    except ImportError as error:
        missing["TensorFlow"] = str(error)
    else:
        converters["TensorFlow"] = lambda namespace, name: tensorflow.autograph.to_graph(namespace[name])
    try:
        import malt
    except ImportError as error:
        missing["diastatic-malt"] = str(error)
    else:
        converters["diastatic-malt"] = lambda namespace, name: malt.to_graph(namespace[name])
    return converters, missing
