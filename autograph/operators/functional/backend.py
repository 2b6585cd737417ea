"""The back end for a library that stages control flow by functions of its own: what JAX and PyTorch share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, ClassVar

from autograph.errors import UnimplementedError

from ..dispatch import Backend, Options, Thunk
from ..staging.heap.locations import where
from . import branches, loops, tracing
from .iterators import for_rest
from .library import Library


class FunctionalBackend(Backend):
    """Stages control flow on what a library traces; elsewhere it does what Python does."""

    library: ClassVar[Library]
    counts_traces = True
    asserts: ClassVar[str]
    """What becomes of ``assert``."""

    def staging(self) -> bool:
        return tracing.is_open(self.library)

    def in_body(self) -> bool:
        return tracing.in_body(self.library)

    # Control flow.

    def if_stmt(self, test: object, body: Thunk, orelse: Thunk, names: tuple[str, ...]) -> Any:
        return branches.if_stmt(self.library, test, body, orelse, names)

    def while_stmt(self, go: object, test: Thunk, body: Thunk, names: tuple[str, ...], options: Options) -> Any:
        return loops.while_stmt(self.library, go, test, body, names, options)

    def while_rest(self, stop: object, test: Thunk, body: Thunk, names: tuple[str, ...], options: Options) -> Any:
        found = loops.signal(self.library, stop)
        if found is True:
            return True
        if found is False:
            return loops.while_stmt(self.library, test(), test, body, names, options)
        return loops.while_stmt(self.library, None, test, body, names, options, found)

    def for_stmt(self, iterable: Any, body: Callable[[Any], Any], names: tuple[str, ...], options: Options) -> Any:
        if not self.staging():
            return for_rest(self.library, False, iter(iterable), body, names, options)
        return loops.for_stmt(self.library, iterable, body, names, options)

    def for_rest(
        self, stop: object, iterator: Iterator[Any], body: Callable[[Any], Any], names: tuple[str, ...],
        options: Options,
    ) -> Any:  # fmt: skip
        return for_rest(self.library, loops.signal(self.library, stop), iterator, body, names, options)

    # Conditions.

    def not_(self, value: object) -> Any:
        return branches.not_(self.library, value)

    def and_(self, left: object, right: Thunk) -> Any:
        return branches.and_(self.library, left, right)

    def or_(self, left: object, right: Thunk) -> Any:
        return branches.or_(self.library, left, right)

    def is_(self, left: object, right: object) -> Any:
        self.check_identity(left, right)
        return left is right

    def check_identity(self, left: object, right: object) -> None:
        tracing.check_identity(self.library, left, right)

    # Errors at run time.

    def assert_(self, test: object, message: Thunk | None) -> None:
        known = self.library.concrete(test)
        if known:
            return
        text = "" if message is None else str(message())
        if known is False and not tracing.in_body(self.library):
            raise AssertionError(*([] if message is None else [text]))
        self.check(self.library.truth(test), text)

    def check(self, truth: Any, text: str) -> None:
        """Makes an assertion a part of the program; ``text`` is empty without a message."""
        raise NotImplementedError

    def raise_(self, exception: BaseException) -> None:
        raise UnimplementedError(
            f"`raise {type(exception).__name__}` in a branch or loop that {self.name} stages: what it compiles can't "
            "raise",
            **where(),
            construct="raise",
            remedy=f"write `assert`, which becomes {self.asserts}, or return a flag, and raise where that is known",
        )

    # Lists and tuples.

    def joined(self, kind: type, parts: tuple[Any, ...]) -> Any:
        return kind([item for part in parts for item in part])

    # Text.

    def format_value(self, value: object, conversion: str | None, specification: object) -> Any:
        text = repr(value) if conversion == "r" else ascii(value) if conversion == "a" else value
        return format(str(value) if conversion == "s" else text, str(specification or ""))

    def join_strings(self, parts: list[Any]) -> Any:
        return "".join(parts)
