"""Graphs as machine code, through LLVM (``llvmlite``, the extra ``native``)."""
