"""Python in, Python out: find and parse a function, build trees, compile them back, print them."""

from .compile import Compiled, compile_code, compile_function
from .find import Source, find
from .generated import is_generated
from .names import Namer, QualifiedName, mangle, names_in, qualified_name
from .template import ag__, expression_template, location_of, template
from .trees import copy_tree, to_ast, to_gast
from .unparse import unparse

__all__ = [
    "Compiled",
    "Namer",
    "QualifiedName",
    "Source",
    "ag__",
    "compile_code",
    "compile_function",
    "copy_tree",
    "expression_template",
    "find",
    "is_generated",
    "location_of",
    "mangle",
    "names_in",
    "qualified_name",
    "template",
    "to_ast",
    "to_gast",
    "unparse",
]
