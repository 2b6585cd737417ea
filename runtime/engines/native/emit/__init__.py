"""Writing the text of a function: what lowerings are given to work with.

=============  ======================================================================================================
lowering.py    a graph as the text of one function; each op is lowered as its record says (see ops/)
arrays.py      buffers, expressions over them, and the loops that compute these; workspace.py: their memory
forms.py       what the form of an elementwise op is; scheduling.py: the order of nodes
rows.py        arrays with a length; raising.py: leaving the function with the user's error
emitter.py     LLVM IR as text
=============  ======================================================================================================
"""
