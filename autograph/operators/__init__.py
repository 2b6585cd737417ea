"""What generated code calls: the namespace ``ag__``.

`dispatch` finds the back end of a value; `control_flow`, `logical`, `arithmetic`, `attributes`, `calls`, `contexts`,
`stores`, `variables`, `exceptions`, `patterns` and `strings` hold the operators; `special_methods` finds the methods of
users' classes that Python calls by itself; `state` keeps what staged bodies change; `staging` is the back end that
builds graphs.
"""

import sys as _sys
from builtins import slice as slice

from autograph.conversion import NAMESPACE as _NAMESPACE

from . import staging as staging
from .arithmetic import add as add
from .arithmetic import bitand as bitand
from .arithmetic import bitor as bitor
from .arithmetic import bitxor as bitxor
from .arithmetic import eq as eq
from .arithmetic import floordiv as floordiv
from .arithmetic import ge as ge
from .arithmetic import gt as gt
from .arithmetic import iadd as iadd
from .arithmetic import iand as iand
from .arithmetic import ifloordiv as ifloordiv
from .arithmetic import ilshift as ilshift
from .arithmetic import imatmul as imatmul
from .arithmetic import imul as imul
from .arithmetic import invert as invert
from .arithmetic import ior as ior
from .arithmetic import ipow as ipow
from .arithmetic import irshift as irshift
from .arithmetic import isub as isub
from .arithmetic import itruediv as itruediv
from .arithmetic import ixor as ixor
from .arithmetic import le as le
from .arithmetic import lshift as lshift
from .arithmetic import lt as lt
from .arithmetic import matmul as matmul
from .arithmetic import mul as mul
from .arithmetic import ne as ne
from .arithmetic import neg as neg
from .arithmetic import pos as pos
from .arithmetic import pow as pow
from .arithmetic import rshift as rshift
from .arithmetic import sub as sub
from .arithmetic import truediv as truediv
from .attributes import AttributeUpdate as AttributeUpdate
from .attributes import ItemUpdate as ItemUpdate
from .attributes import get_attribute as get_attribute
from .attributes import get_subscript as get_subscript
from .attributes import module_variables as module_variables
from .calls import call as call
from .contexts import context as context
from .control_flow import BREAK as BREAK
from .control_flow import CONTINUE as CONTINUE
from .control_flow import for_stmt as for_stmt
from .control_flow import if_exp as if_exp
from .control_flow import if_stmt as if_stmt
from .control_flow import while_stmt as while_stmt
from .data_model import accessors as accessors
from .data_model import classes as classes
from .data_model import single_dispatch as single_dispatch
from .data_model.frames import user_names as user_names
from .displays import call_display as call_display
from .displays import list_display as list_display
from .displays import made as made
from .displays import mapping as mapping
from .displays import set_display as set_display
from .displays import starred as starred
from .displays import tuple_display as tuple_display
from .displays import unpack_starred as unpack_starred
from .exceptions import Raises as Raises
from .exceptions import assert_stmt as assert_stmt
from .exceptions import delivering as delivering
from .exceptions import raising as raising
from .exceptions import trying as trying
from .exceptions import yielded as yielded
from .generators import consume as consume
from .generators import generator as generator
from .generators import inner as inner
from .items import items_of_attribute as items_of_attribute
from .items import items_of_item as items_of_item
from .items import set_inner_item as set_inner_item
from .items import update_inner_item as update_inner_item
from .iteration import iterated as iterated
from .logical import and_ as and_
from .logical import compare as compare
from .logical import in_ as in_
from .logical import is_ as is_
from .logical import is_not as is_not
from .logical import not_ as not_
from .logical import not_in as not_in
from .logical import or_ as or_
from .native import delegated as delegated
from .native import native_iterable as native_iterable
from .native import native_operand as native_operand
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
from .staging.control.refused import refusals as refusals
from .stores import get_item as get_item
from .stores import mut as mut
from .stores import outer_writes as outer_writes
from .stores import own_variables as own_variables
from .stores import resumed as resumed
from .stores import set_item as set_item
from .stores import update_item as update_item
from .strings import format_value as format_value
from .strings import imod as imod
from .strings import joined_string as joined_string
from .strings import mod as mod
from .variables import UNDEFINED as UNDEFINED
from .variables import ld as ld

_NAMESPACE.give(lambda: _sys.modules[__name__])
