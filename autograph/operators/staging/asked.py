"""What modules of staging ask of those above them, which give it when they are loaded: so imports run downwards only.

The heap and the values lie below `control` (branches, loops, conditions), and that below `prelude` (Python's built-ins
on staged values). But a staged list compares its elements, a value that may be missing is read in a branch.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograph.runtime.base.provided import Provided

Asked = Provided[Callable[..., Any]]

ACTIVE: Asked = Provided("operators.dispatch")
"""`dispatch.active`: the back end that stages on this thread."""
FORM: Asked = Provided("operators.staging.heap.heap")
"""What stands for a value in the graph; the value itself if nothing does."""
CHECK_KEYS: Asked = Provided("operators.staging.heap.attributes.attribute_dicts")
"""Refuses a dict of attributes, or globals, of which only the run knows what they are."""
NAME_OF: Asked = Provided("operators.staging.heap.locations")
"""The name under which the user's code knows an object."""

STRUCTURE_OF: Asked = Provided("operators.staging.values.values")
"""The specification of a structure by its parts."""
FLATTEN_LIST: Asked = Provided("operators.staging.values.lists")
"""Appends the tensor lists for a Python list or a staged one."""
UNFLATTEN_LIST: Asked = Provided("operators.staging.values.lists")
"""A staged list, tuple or set of tensor lists."""
ELEMENT_AT: Asked = Provided("operators.staging.values.elements")
"""An element of a staged list."""
UNPACKED: Asked = Provided("operators.staging.values.unpacking")
"""The elements of a staged list for an assignment to several variables."""
EACH: Asked = Provided("operators.staging.values.iterables")
"""Calls a function with each item, in a staged loop."""
LENGTH_OF: Asked = Provided("operators.staging.values.iterables")
"""The length of what a staged loop runs over."""

IF_STMT: Asked = Provided("operators.staging.control.cond")
"""A staged branch."""
NOT: Asked = Provided("operators.staging.control.conditions")
"""`not x`, which may be staged."""
MAYBE_EQUAL: Asked = Provided("operators.staging.control.conditions")
"""`x == y` where one of them may be None."""

EQUAL_LISTS: Asked = Provided("operators.staging.prelude.comparisons")
"""Whether two staged lists are equal."""
ORDERED: Asked = Provided("operators.staging.prelude.comparisons")
"""Whether one staged list comes before another."""
CONTAINS: Asked = Provided("operators.staging.prelude.membership")
"""`item in container`."""
MATCHES: Asked = Provided("operators.staging.prelude.comparisons")
"""Which elements of a staged list are equal to a value."""
LISTED: Asked = Provided("operators.staging.prelude.sequences")
"""`list(x)`."""
ALL: Asked = Provided("operators.staging.prelude.sequences")
"""`all(x)`."""
LIST_ORDER: Asked = Provided("operators.staging.prelude.sequences")
"""The places of the elements of a staged list in the order of `list.sort`; None: only comparisons tell."""
SORTED_BY_COMPARING: Asked = Provided("operators.staging.prelude.user_order")
"""A staged list, sorted by comparisons that are staged."""
INSERT_SORTED: Asked = Provided("operators.staging.prelude.library")
"""Puts a value into a sorted list."""
NOT_IN_LIST: Asked = Provided("operators.staging.prelude.text")
"""The message of the error for a value that a list does not have."""
