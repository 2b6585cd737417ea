"""The back end that builds graphs of `autograph.runtime`; importing this package registers it."""

from ..dispatch import register_backend
from .backend import GraphBackend

register_backend(GraphBackend())
