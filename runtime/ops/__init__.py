"""The op families. Importing this package declares every op.

A new family is a module here and a line below; its public names go into the table of ``autograph/__init__.py``.
"""

from . import control as control
from . import cumulative as cumulative
from . import elementwise as elementwise
from . import math as math
from . import reduce as reduce
from . import shape as shape
