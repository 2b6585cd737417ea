"""Formats of files that other packages write: ``tf.export.NAME``, and ``model.export(path, format=NAME)``."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from autograph.packaging import plugins

from .signatures import EXPORTER
from .traced import trace_of

__all__ = ["exporter"]


@EXPORTER.give
def exporter(name: str) -> Callable[..., Any] | None:
    """The exporter that a package offers under a name; None where there is none. Raises `PluginError`.

    It takes a traced function, one of its concrete functions, or a model, then a path, the signature, and options. The
    package's own function is given the concrete function, the path as a string, and the options.
    """
    write = plugins.load(plugins.EXPORTERS, name)
    if write is None:
        return None
    if not callable(write):
        raise plugins.unfit(plugins.EXPORTERS, name, f"{write!r} can't be called")

    def export(function_or_model: Any, path: str | os.PathLike[str], signature: Any = None, **options: Any) -> Any:
        concrete = trace_of(function_or_model, signature, f"tf.export.{name}")
        return write(concrete, os.fspath(path), **options)

    export.__name__, export.__qualname__, export.__doc__ = name, f"export.{name}", write.__doc__
    return export
