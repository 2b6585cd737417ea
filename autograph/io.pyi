"""Written by `python -m tests.stubs`."""

from .runtime.ops.files.examples import FixedLenFeature as FixedLenFeature
from .runtime.ops.files.examples import FixedLenSequenceFeature as FixedLenSequenceFeature
from .runtime.tools.files.records import TFRecordOptions as TFRecordOptions
from .runtime.tools.files.records import TFRecordWriter as TFRecordWriter
from .runtime.ops.files.examples import VarLenFeature as VarLenFeature
from .runtime.ops.files.bytes import decode_base64 as decode_base64
from .runtime.ops.files.csv import decode_csv as decode_csv
from .runtime.ops.files.bytes import decode_raw as decode_raw
from .runtime.ops.files.bytes import encode_base64 as encode_base64
from .runtime.tools.files import gfile as gfile
from .runtime.ops.files.files import matching_files as matching_files
from .runtime.ops.files.examples import parse_example as parse_example
from .runtime.ops.files.sequence_examples import parse_sequence_example as parse_sequence_example
from .runtime.ops.files.examples import parse_single_example as parse_single_example
from .runtime.ops.files.sequence_examples import parse_single_sequence_example as parse_single_sequence_example
from .runtime.ops.files.serialized import parse_tensor as parse_tensor
from .runtime.ops.files.files import read_file as read_file
from .runtime.ops.files.serialized import serialize_tensor as serialize_tensor
from .runtime.ops.files.files import write_file as write_file
