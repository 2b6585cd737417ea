"""The back end that builds graphs of `autograph.runtime`; importing this package registers it."""

from autograph.runtime.functions.optional import IN_TRACE

from ..dispatch import register_backend
from .backend import GraphBackend
from .values.maybe import Maybe

IN_TRACE.give(lambda flag, value: Maybe(None, flag, value))
register_backend(GraphBackend())
