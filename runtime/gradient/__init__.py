"""Gradients: tapes, and rules for what the record of an op can't say (branches, loops, calls).

`records` holds what tapes remember and the protocol of variables, `backprop` the way back; `cond`, `while_loop`, `call`
and `custom` have one rule each. Everything is written in ops, so it works eagerly and in graphs, and again on itself.
"""

from .custom import custom_gradient as custom_gradient
from .custom import grad_pass_through as grad_pass_through
from .jacobian import hessians as hessians
from .records import variable_read as variable_read
from .tape import GradientTape as GradientTape
from .tape import gradients as gradients
from .unconnected import UnconnectedGradients as UnconnectedGradients
