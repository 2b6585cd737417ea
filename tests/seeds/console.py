"""What a person sees at a console: what is written to stdout and stderr, in its order."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator


@contextlib.contextmanager
def console() -> Iterator[io.StringIO]:
    """Everything that is printed, by `print` and by `tf.print`."""
    stream = io.StringIO()
    with contextlib.redirect_stdout(stream), contextlib.redirect_stderr(stream):
        yield stream
