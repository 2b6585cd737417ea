"""Python in, Python out: find and parse a function, build trees, compile them back, print them."""

from .compile import Compiled, compile_code
from .find import Source, find
from .generated import is_generated
from .names import Namer, mangle
from .trees import to_ast, to_gast
from .unparse import unparse

__all__ = [
    "Compiled",
    "Namer",
    "Source",
    "compile_code",
    "find",
    "is_generated",
    "mangle",
    "to_ast",
    "to_gast",
    "unparse",
]
