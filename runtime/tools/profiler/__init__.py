"""`tf.profiler`: where the time goes when graphs run, by the nodes of the graph and the user's lines.

>>> import os, tempfile
>>> import autograph as tf
>>> folder = tempfile.mkdtemp()
>>> f = tf.function(lambda x: x * 2 + 1)
>>> with tf.profiler.experimental.Profile(folder):
...     f(tf.constant(3)).numpy()
np.int32(7)
>>> run = os.listdir(os.path.join(folder, "plugins", "profile"))[0]
>>> sorted(name.partition(".")[2] for name in os.listdir(os.path.join(folder, "plugins", "profile", run)))
['summary.txt', 'trace.json']

`trace.json` opens in chrome://tracing and in Perfetto: an event for each node that has run. `summary.txt` has the sums:
calls, milliseconds, op and line of each node, those that took longest first.
"""

from __future__ import annotations

import importlib
from typing import Any


def __getattr__(name: str) -> Any:
    """`experimental`, loaded when it is first used: plans load this package for `recorder`."""
    if name != "experimental":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return importlib.import_module(".experimental", __name__)
