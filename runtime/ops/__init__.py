"""The op families. Importing this package declares every op.

A new family is a module here and a line below; its public names go into the table of ``autograph/__init__.py``.
"""

from . import control as control
from . import math as math
