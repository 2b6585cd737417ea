"""The back end that builds graphs of `autograph.runtime`; importing this package registers it."""

from autograph.runtime.functions.optional import set_optional

from ..dispatch import register_backend
from .backend import GraphBackend
from .values.maybe import Maybe

set_optional(lambda flag, value: Maybe(None, flag, value))
register_backend(GraphBackend())
