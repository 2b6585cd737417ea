"""What is asked of JAX that it doesn't offer to the public, with what holds where a release has it no more."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import jax
from jax import lax

from autograph.runtime.base.places import skip

try:
    from jax._src.core import trace_state_clean
except ImportError:  # then all calls count as traced: on concrete values the staged form does what Python does

    def trace_state_clean() -> bool:
        """Whether JAX is tracing nothing on this thread."""
        return False


skip(str(Path(jax.__file__).parent))

try:  # the lines that JAX names are the user's, not those of the operators
    from jax._src.source_info_util import register_exclusion
except ImportError:
    pass
else:
    register_exclusion(str(Path(__file__).parents[1]))

# Without it the type is strong, in place of weak.
_convert = getattr(import_module("jax._src.lax.lax"), "_convert_element_type", None)


def converted(value: object, dtype: object, weak: bool) -> Any:
    """An array, or a number, as an array of a dtype, whose type is weak (that of a Python number) or not."""
    if _convert is None or not weak:
        return lax.convert_element_type(jax.numpy.asarray(value), dtype)
    return _convert(value, dtype, weak_type=True)


__all__ = ["converted", "trace_state_clean"]
