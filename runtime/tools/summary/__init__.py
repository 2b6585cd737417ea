"""`tf.summary`: curves, histograms, pictures, text and graphs for TensorBoard, written as event files.

>>> import autograph as tf
>>> tf.summary.scalar("loss", 0.5, step=1)  # no default writer: nothing is written
<tf.Tensor: shape=(), dtype=bool, numpy=False>

With a writer (it needs the extra ``tensorboard``)::

    writer = tf.summary.create_file_writer("logs")
    with writer.as_default():
        tf.summary.scalar("loss", 0.5, step=1)

In a traced function each call is a node with an effect, which writes on every run to the writer that was the default
one while the function was traced.
"""

from autograph.tracebacks import leaving as _leaving

from . import experimental as experimental
from .graphs import graph as graph
from .graphs import trace_export as trace_export
from .graphs import trace_off as trace_off
from .graphs import trace_on as trace_on
from .summaries import audio as audio
from .summaries import histogram as histogram
from .summaries import image as image
from .summaries import scalar as scalar
from .summaries import text as text
from .summaries import write as write
from .writer import SummaryWriter as SummaryWriter
from .writer import create_file_writer as create_file_writer
from .writer import create_noop_writer as create_noop_writer
from .writer import flush as flush
from .writer import record_if as record_if
from .writer import should_record_summaries as should_record_summaries

_leaving.public_module(__name__)
