"""Written by `python -m tests.stubs`."""

from .runtime.ops.text.strings import as_string as as_string
from .runtime.ops.text.strings import format as format
from .runtime.ops.text.strings import join as join
from .runtime.ops.text.strings import length as length
from .runtime.ops.text.strings import lower as lower
from .runtime.ops.text.strings import reduce_join as reduce_join
from .runtime.ops.text.strings import regex_full_match as regex_full_match
from .runtime.ops.text.strings import regex_replace as regex_replace
from .runtime.ops.text.strings import split as split
from .runtime.ops.text.strings import strip as strip
from .runtime.ops.text.strings import substr as substr
from .runtime.ops.text.hashing import to_hash_bucket_fast as to_hash_bucket_fast
from .runtime.ops.text.hashing import to_hash_bucket_strong as to_hash_bucket_strong
from .runtime.ops.text.strings import to_number as to_number
from .runtime.ops.text.strings import upper as upper
