"""Written by `python -m tests.stubs`."""

from .runtime.base.dtypes import DType as DType
from .runtime.base.dtypes import as_dtype as as_dtype
from .runtime.base.dtypes import bool_ as bool
from .runtime.ops.elementwise.elementwise import cast as cast
from .runtime.ops.elementwise.elementwise import complex as complex
from .runtime.base.dtypes import complex128 as complex128
from .runtime.base.dtypes import complex64 as complex64
from .runtime.base.dtypes import float64 as double
from .runtime.base.dtypes import float16 as float16
from .runtime.base.dtypes import float32 as float32
from .runtime.base.dtypes import float64 as float64
from .runtime.base.dtypes import float16 as half
from .runtime.base.dtypes import int16 as int16
from .runtime.base.dtypes import int32 as int32
from .runtime.base.dtypes import int64 as int64
from .runtime.base.dtypes import int8 as int8
from .runtime.ops.elementwise.elementwise import saturate_cast as saturate_cast
from .runtime.base.dtypes import string as string
from .runtime.base.dtypes import uint16 as uint16
from .runtime.base.dtypes import uint32 as uint32
from .runtime.base.dtypes import uint64 as uint64
from .runtime.base.dtypes import uint8 as uint8
from .runtime.base.dtypes import variant as variant
