"""What generated code calls: the namespace ``ag__``.

`dispatch` finds the back end of a value; `control_flow`, `logical`, `calls`, `stores`, `variables`, `exceptions`,
`patterns` and `strings` hold the operators; `state` keeps what staged bodies change; `graph` is the back end that
builds graphs.
"""

from builtins import slice as slice
from operator import iadd as iadd
from operator import iand as iand
from operator import ifloordiv as ifloordiv
from operator import ilshift as ilshift
from operator import imatmul as imatmul
from operator import imul as imul
from operator import ior as ior
from operator import ipow as ipow
from operator import irshift as irshift
from operator import isub as isub
from operator import itruediv as itruediv
from operator import ixor as ixor

from . import graph as graph
from .calls import call as call
from .control_flow import BREAK as BREAK
from .control_flow import CONTINUE as CONTINUE
from .control_flow import for_stmt as for_stmt
from .control_flow import if_exp as if_exp
from .control_flow import if_stmt as if_stmt
from .control_flow import while_stmt as while_stmt
from .exceptions import assert_stmt as assert_stmt
from .exceptions import raising as raising
from .frames import user_names as user_names
from .generators import consume as consume
from .generators import generator as generator
from .generators import inner as inner
from .items import items_of_attribute as items_of_attribute
from .items import items_of_item as items_of_item
from .items import set_inner_item as set_inner_item
from .logical import and_ as and_
from .logical import compare as compare
from .logical import eq as eq
from .logical import ge as ge
from .logical import gt as gt
from .logical import in_ as in_
from .logical import is_ as is_
from .logical import is_not as is_not
from .logical import le as le
from .logical import lt as lt
from .logical import ne as ne
from .logical import not_ as not_
from .logical import not_in as not_in
from .logical import or_ as or_
from .native import native_iterable as native_iterable
from .native import native_test as native_test
from .patterns import ANY as ANY
from .patterns import ANY_REST as ANY_REST
from .patterns import As as As
from .patterns import Capture as Capture
from .patterns import Class as Class
from .patterns import Mapping as Mapping
from .patterns import Or as Or
from .patterns import Sequence as Sequence
from .patterns import Star as Star
from .patterns import Value as Value
from .patterns import match as match
from .stores import get_item as get_item
from .stores import mut as mut
from .stores import outer_writes as outer_writes
from .stores import set_item as set_item
from .stores import update_item as update_item
from .strings import format_value as format_value
from .strings import imod as imod
from .strings import joined_string as joined_string
from .strings import mod as mod
from .variables import UNDEFINED as UNDEFINED
from .variables import ld as ld
