"""Facts about a function's tree, each found in time linear in its size: scopes, flow, liveness, definedness."""

from . import binder as binder
from .assignment import Assignment, assignment
from .cfg import Flow, Point, control_flow
from .liveness import Liveness, NameSets, liveness
from .scopes import Activity, Kind, Names, Scope, Scopes, composite_name, scopes

__all__ = [
    "Activity",
    "Assignment",
    "Flow",
    "Kind",
    "Liveness",
    "NameSets",
    "Names",
    "Point",
    "Scope",
    "Scopes",
    "assignment",
    "composite_name",
    "control_flow",
    "liveness",
    "scopes",
]
