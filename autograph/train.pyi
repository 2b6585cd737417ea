"""Written by `python -m tests.stubs`."""

from .runtime.tools.files.messages import BytesList as BytesList
from .runtime.tools.export.checkpoint import Checkpoint as Checkpoint
from .runtime.tools.export.checkpoint import CheckpointManager as CheckpointManager
from .distribute.cluster import ClusterSpec as ClusterSpec
from .runtime.tools.files.messages import Example as Example
from .runtime.tools.files.messages import Feature as Feature
from .runtime.tools.files.messages import FeatureList as FeatureList
from .runtime.tools.files.messages import FeatureLists as FeatureLists
from .runtime.tools.files.messages import Features as Features
from .runtime.tools.files.messages import FloatList as FloatList
from .runtime.tools.files.messages import Int64List as Int64List
from .runtime.tools.files.messages import SequenceExample as SequenceExample
from .runtime.tools.export.checkpoint import latest_checkpoint as latest_checkpoint
