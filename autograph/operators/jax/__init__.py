"""JAX's tracers as staged values: `if`, `while` and `for` on them become `lax.cond`, `while_loop`, `fori_loop`, `scan`.

This package loads when a converted function is called in a program that has imported JAX, and registers its back end:

* `backend`: the contract of `dispatch.Backend`, method by method; `functional` has the statements
* `library`: JAX's arrays, their types, and its operators
* `tracing`: when JAX is tracing
* `calls`: what is called in place of functions

Here alone functions of JAX that are not public are touched, in `internals`.
"""

from ..dispatch import register_backend
from .backend import JaxBackend

register_backend(JaxBackend())
