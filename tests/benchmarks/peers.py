"""The converters that are measured: autograph's two forms, and others that are installed.

"autograph" is what `to_graph` returns, which runs in the plain form on plain values; "staged form" is what runs while
a graph is being traced.

A converter takes a namespace with plain functions, made for it alone, and returns the function of a name, converted
with all that it calls.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from types import FunctionType
from typing import Any

import autograph
from tests.conversion import convert_namespace

OWN = ("autograph", "staged form")
Converter = Callable[[dict[str, Any], str], FunctionType]


def _staged(namespace: dict[str, Any], name: str) -> FunctionType:
    convert_namespace(namespace, namespace["__name__"], staged=True)
    return namespace[name]


def installed_converters() -> tuple[dict[str, Converter], dict[str, str]]:
    """The converters by name, autograph's first, and the reason for each that is left out."""
    converters: dict[str, Converter] = {
        "autograph": lambda namespace, name: autograph.to_graph(namespace[name]),
        "staged form": _staged,
    }
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
        converters["malt"] = lambda namespace, name: malt.to_graph(namespace[name])
    return converters, missing
