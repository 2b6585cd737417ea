"""PyTorch's tensors as staged values: `if` and `while` on them become `torch.cond` and `while_loop`.

This package loads when a converted function is called in a program that has imported PyTorch, and registers its back
end. What PyTorch runs to trace it (`torch.compile`, `torch.export`, `make_fx`), converted code, is recorded first, as a
program of calls of PyTorch's functions; that runs in its place, under whatever traces:

* `backend`: the contract of `dispatch.Backend`, method by method; `functional` has the statements
* `library`: PyTorch's tensors, their types, and its operators (`operators`)
* `programs`: what is recorded; `scopes`: the recording of one body; `recording`: the modes that see what is called
* `numbers`: numbers of Python's that only the run knows; `reading`: functions that ask for what only the run knows
* `tracing`: when PyTorch is tracing, and what runs then; `dynamo`: the same for what reads bytecode
* `calls`: what is called in place of functions

Here alone functions of PyTorch that are not public are touched, in `internals`.
"""

from ..dispatch import register_backend
from .backend import TorchBackend

register_backend(TorchBackend())
