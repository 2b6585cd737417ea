"""The dtypes that machine code knows. Telling what of a graph it can be loads nothing else: records say it of ops."""

from __future__ import annotations

from ...base.dtypes import DType, bool_, float32, float64, int8, int16, int32, int64, uint8, uint16, uint32, uint64

ENGINE = "native"
"""Under this name records have the forms of ops in machine code."""
TYPES: dict[DType, str] = {
    bool_: "i1", int8: "i8", int16: "i16", int32: "i32", int64: "i64", uint8: "i8", uint16: "i16", uint32: "i32",
    uint64: "i64", float32: "float", float64: "double",
}  # fmt: skip
"""The dtypes, and the LLVM types of registers that hold them."""
