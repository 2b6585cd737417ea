"""Back ends that other packages offer for libraries, as soon as these have been imported."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any, Final

from autograph.errors import PluginError
from autograph.packaging import plugins

from .left_alone import LEFT_ALONE, leave_alone

_asked: Final = set[str]()


class _Seen:
    """How many modules there were at the last look."""

    count = 0


seen: Final = _Seen()


def look(kind: type, register: Callable[[Any], None]) -> None:
    """Registers back ends, which are objects of a class, for libraries that have been imported since the last look."""
    seen.count = len(sys.modules)
    for each in new_backends(kind):
        register(each)


def new_backends(kind: type) -> Iterator[Any]:
    """Objects of a class, one for each library that has been imported since the last time, if a package offers one.

    Warns where one can't be used: that is of no concern to functions that have nothing to do with the library.
    """
    new = {name for name in list(sys.modules) if "." not in name} - _asked - LEFT_ALONE
    if not new:
        return
    offered = plugins.offered(plugins.TENSORS) if plugins.is_offered(plugins.TENSORS) else []
    for library in new.intersection(offered):
        if _is_being_imported(sys.modules[library]):
            new.discard(library)
            continue
        _asked.add(library)
        leave_alone(library)
        try:
            yield _backend(library, kind)
        except PluginError as error:
            warnings.warn(f"values of {library} are not staged: {error}", RuntimeWarning, stacklevel=4)
    _asked.update(new)


def _is_being_imported(module: Any) -> bool:
    return bool(getattr(getattr(module, "__spec__", None), "_initializing", False))


def _backend(library: str, kind: type) -> Any:
    found = plugins.load(plugins.TENSORS, library)
    try:
        made = found() if isinstance(found, type) else found
    except Exception as error:
        raise plugins.unfit(plugins.TENSORS, library, f"{type(error).__name__}: {error}") from error
    if not isinstance(made, kind):
        raise plugins.unfit(plugins.TENSORS, library, f"{made!r} is no {kind.__module__}.{kind.__qualname__}")
    leave_alone(type(made).__module__.partition(".")[0])
    return made
