"""JAX's tracers as staged values: `if`, `while` and `for` on them become `lax.cond`, `while_loop`, `fori_loop`, `scan`.

This package loads when a converted function is called in a program that has imported JAX, and registers its back end:

* `backend`: the contract of `dispatch.Backend`, method by method
* `branches`, `loops`: the statements
* `bodies`: one body of a statement, traced into a jaxpr of its own, and what it may not change
* `merging`: the value that stands for those of two branches, or of all turns of a loop
* `structure`: which parts of a value are arrays
* `tracing`: when JAX is tracing, and what must not change any more until the trace ends
* `calls`: what is called in place of functions

Here alone functions of JAX that are not public are touched, in `internals`.
"""

from ..dispatch import register_backend
from .backend import JaxBackend

register_backend(JaxBackend())
