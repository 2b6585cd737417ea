"""`tf.keras.mixed_precision`: the dtype of layers as a policy. Policies that mix dtypes are refused by name."""

from __future__ import annotations

from autograph.tracebacks import leaving

from .base.defaults import DTypePolicy as DTypePolicy
from .base.defaults import DTypePolicy as Policy
from .base.defaults import dtype_policy as dtype_policy
from .base.defaults import dtype_policy as global_policy
from .base.defaults import set_dtype_policy as set_dtype_policy
from .base.defaults import set_dtype_policy as set_global_policy
from .optimizers import LossScaleOptimizer as LossScaleOptimizer

__all__ = ["DTypePolicy", "LossScaleOptimizer", "Policy", "dtype_policy", "global_policy", "set_dtype_policy",
           "set_global_policy"]  # fmt: skip
__dir__ = __all__.copy
leaving.public_module(__name__)
