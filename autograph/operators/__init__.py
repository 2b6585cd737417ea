"""What generated code calls: the namespace ``ag__``.

`dispatch` finds the back end of a value; `control_flow`, `logical`, `calls`, `stores`, `variables`, `exceptions`,
`patterns` and `strings` hold the operators; `state` keeps what staged bodies change; `graph` is the back end that
builds graphs.
"""

from operator import iadd as iadd
from operator import iand as iand
from operator import ifloordiv as ifloordiv
from operator import ilshift as ilshift
from operator import imatmul as imatmul
from operator import imod as imod
from operator import imul as imul
from operator import ior as ior
from operator import ipow as ipow
from operator import irshift as irshift
from operator import isub as isub
from operator import itruediv as itruediv
from operator import ixor as ixor

from .calls import call as call
from .control_flow import BREAK as BREAK
from .control_flow import CONTINUE as CONTINUE
from .control_flow import for_stmt as for_stmt
from .control_flow import if_exp as if_exp
from .control_flow import if_stmt as if_stmt
from .control_flow import while_stmt as while_stmt
from .exceptions import assert_stmt as assert_stmt
from .exceptions import raising as raising
from .stores import get_item as get_item
from .stores import mut as mut
from .stores import outer_writes as outer_writes
from .stores import set_item as set_item
from .stores import set_item_of_attribute as set_item_of_attribute
from .stores import update_item as update_item
from .stores import update_item_of_attribute as update_item_of_attribute
from .variables import UNDEFINED as UNDEFINED
from .variables import ld as ld
