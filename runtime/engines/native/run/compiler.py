"""Text to machine code, or the code that an earlier process has kept."""

from __future__ import annotations

import functools
import threading
from collections.abc import Sequence

from autograph.settings import settings

from ..foreign import llvm
from . import cache

_lock = threading.RLock()  # handlers of signals may run what has to be compiled


class Code:
    """Compiled code; it lives as long as this object.

    ``addresses``: what the text finds, when it runs, in its global array ``@addresses``. So the text itself has none,
    and says the same in every process.
    """

    def __init__(self, text: str, addresses: Sequence[int] = ()) -> None:
        if addresses:
            text = f"@addresses = global [{len(addresses)} x i64] zeroinitializer\n{text}"
        with _lock:  # LLVM's global context is not made for several threads
            key = cache.key_of(text, *llvm.depends_on()) if settings.native_cache else ""
            found = cache.load(key) if key else None
            self._engine = llvm.engine(text, found, functools.partial(cache.store, key) if key else None)
            if addresses:
                llvm.fill(self._engine, "addresses", addresses)

    def address(self, name: str) -> int:
        """The address of a function."""
        found = self._engine.get_function_address(name)
        assert found, f"the module has no {name}"
        return found
