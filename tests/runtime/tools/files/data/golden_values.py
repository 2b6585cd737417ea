"""What the files beside it hold, of records and serialized tensors."""

import numpy as np

RECORDS = [b"first", b"", bytes(range(256)) * 20]
TENSORS = {
    "floats": np.float32([[1, 2], [3, -4.5]]), "scalar": np.int32(3), "texts": np.array([b"a", b"", b"\xff\0"], object),
    "empty": np.zeros((0, 2)), "bools": np.array([True, False]), "halves": np.float16([1.5, 2]),
    "complex": np.complex64([1j, 2]), "large": np.uint64([2**64 - 1]), "bytes": np.int8([[-1]]),
}  # fmt: skip
