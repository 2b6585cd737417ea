"""Facts about a function's tree, each found in time linear in its size: scopes, flow, liveness, definedness."""

from .scopes import Activity, Kind, Scope, Scopes, composite_name, scopes

__all__ = ["Activity", "Kind", "Scope", "Scopes", "composite_name", "scopes"]
