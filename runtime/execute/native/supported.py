"""What machine code knows: dtypes, and ops by name. Telling what of a graph it can be loads nothing else.

The tests hold that the names are those of `elementwise.ELEMENTWISE` and `lowering.LOWERINGS`.
"""

from __future__ import annotations

from ...dtypes import DType, bool_, float32, float64, int8, int16, int32, int64, uint8, uint16, uint32, uint64

TYPES: dict[DType, str] = {
    bool_: "i1", int8: "i8", int16: "i16", int32: "i32", int64: "i64", uint8: "i8", uint16: "i16", uint32: "i32",
    uint64: "i64", float32: "float", float64: "double",
}  # fmt: skip
"""The dtypes, and the LLVM types of registers that hold them."""

OPS = frozenset((
    "absolute", "add", "add_at", "add_n", "all", "any", "arccos", "arccosh", "arcsin", "arcsinh", "arctan",
    "arctan2", "arctanh", "argmax", "argmin", "array_clear", "array_grow", "array_new", "array_read",
    "array_stack", "array_take", "array_write", "assert", "assign", "assign_add", "assign_sub", "bitwise_and",
    "bitwise_or", "bitwise_xor", "broadcast_to", "broadcast_to_shape_of", "cast", "cbrt", "ceil", "clip", "concat",
    "copysign", "cos", "cosh", "count_nonzero", "cumprod", "cumsum", "deg2rad", "divide", "divide_no_nan",
    "ensure_shape", "equal", "erf", "erfc", "exp", "exp2", "expand_dims", "expm1", "fill", "flip", "floor",
    "floor_divide", "fmax", "fmin", "fmod", "gather", "get_item", "greater", "greater_equal", "hypot", "identity",
    "invert", "isfinite", "isinf", "isnan", "left_shift", "less", "less_equal", "list_from_tensor", "list_get",
    "list_length", "list_new", "list_pop", "list_push", "list_set", "list_stack", "list_stack_like",
    "list_zeros_like", "log", "log10", "log1p", "log2", "log_softmax", "logaddexp", "logical_and", "logical_not",
    "logical_or", "logical_xor", "logsumexp", "matmul", "max", "maximum", "mean", "min", "minimum", "multiply",
    "multiply_no_nan", "negative", "nextafter", "not_equal", "one_hot", "pad", "power", "prod", "rad2deg", "raise",
    "range", "rank", "read_variable", "reciprocal", "relu", "remainder", "reshape", "right_shift", "rint", "round",
    "rsqrt", "set_item", "shape", "sigmoid", "sigmoid_cross_entropy", "sign", "signbit", "sin", "sinh", "size",
    "softmax", "softmax_cross_entropy", "softplus", "sparse_softmax_cross_entropy", "split", "sqrt", "square",
    "squared_difference", "squeeze", "stack", "std", "stop_gradient", "subtract", "sum", "sum_to_shape_of", "tan",
    "tanh", "tile", "top_k", "transpose", "trunc", "truncatediv", "unstack", "update_variable", "var", "where",
    "xdivy", "xlog1py", "xlogy",
))  # fmt: skip
