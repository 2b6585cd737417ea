"""The error function."""

from __future__ import annotations

from ....base.dtypes import DType
from ..emit.emitter import Emitter
from .exponentials import exp_series, reduced
from .formats import Format
from .sharing import shared

__all__ = ["erf", "erfc"]

# All interpolated at Chebyshev nodes. erf(x) = x + x * P(x²) for up to 1.
_NEAR = {
    True: (7.875875063e-05, -0.0008016864287, 0.005189087423, -0.02685421201, 0.1128359472, -0.3761262667, 0.128379167),
    False: (-7.795898827002142e-10, 1.3720064546777686e-08, -1.6208483801871705e-07, 1.6447424703317362e-06,
            -1.492473690741966e-05, 0.00012055294904839707, -0.0008548325975389692, 0.0052239776071164225,
            -0.02686617064323777, 0.11283791670945006, -0.37612638903183543, 0.12837916709551257),
}  # fmt: skip
# erfc(x) = exp(-x²) * P((x-c) / (x+c)) / (1+2x) from 1/2 to where it vanishes.
_FAR = {
    True: (-0.001358522869, 0.0009574141406, 0.008725557442, -0.007952259817, -0.05422599542, 0.1640430752,
           -0.1660297857, -0.09276359886, 1.276978374),
    False: (8.635681414307825e-09, 7.124245030572795e-08, -8.42551957399924e-08, -5.840747551910045e-07,
            3.0307407103093377e-07, 3.4525197016153044e-06, -7.012462973163499e-07, -2.00929833045886e-05,
            4.9387975342434404e-06, 0.00012509749095168397, -0.00010515741491655, -0.0007798319787670749,
            0.0018886900308933137, 0.002529391787416037, -0.023770514892453878, 0.06830802734557402,
            -0.11927366341637591, 0.12964515870271817, -0.04756229435343384, -0.13562110612458084, 1.2530080582697296),
}  # fmt: skip


# erf(x) = P(x - c) from 1 on to where it rounds to 1, for float32.
_MIDDLE = (1.071063239e-06, -8.526260328e-08, -1.716699552e-05, 2.696674933e-05, 7.252581191e-05, -0.0003075240505,
           0.0003838531869, 0.00043034381, -0.002968767676, 0.006976378568, -0.01025842493, 0.01023596993,
           -0.006835531324, 0.002789910904, 0.9994694211)  # fmt: skip
_MIDDLE_CENTER, _MIDDLE_END = 2.45, 3.92


def _near(f: Format, x: str) -> str:
    return f.mul_add(x, f.polynomial(f.mul(x, x), _NEAR[f.single]), x)


def _far(f: Format, size: str) -> str:
    """erfc for at least 1/2."""
    size = f.at_most(size, 10.5 if f.single else 28.0)
    center = 2.0 if f.single else 3.0
    above, below = f.add(size, f.number(center)), f.mul_add(size, f.number(2.0), f.number(1.0))
    inverse = f.div(f.number(1.0), f.mul(above, below))
    t = f.mul(f.mul(f.sub(size, f.number(center)), below), inverse)
    factor = f.mul(f.polynomial(t, _FAR[f.single]), f.mul(above, inverse))
    # -x² in two parts, the first of which is exact
    high = f.cut(size, f.mantissa // 2 + 1)
    rest = f.mul(f.sub(high, size), f.add(high, size))
    k, r = reduced(f, f.mul(f.negative(high), high))
    return f.scaled(f.mul(f.polynomial(f.add(r, rest), exp_series(f)), factor), k)


@shared
def erf(e: Emitter, dtype: DType, x: str) -> str:
    f = Format(e, dtype)
    size = f.size(x)
    if f.single:
        middle = f.polynomial(f.sub(f.at_most(size, _MIDDLE_END), f.number(_MIDDLE_CENTER)), _MIDDLE)
        far = f.where(size, "gt", _MIDDLE_END, 1.0, middle)
    else:
        far = f.sub(f.number(1.0), _far(f, size))
    far = f.with_sign(far, x)
    return f.choose(f.compare("gt", size, 1.0), far, _near(f, x))


@shared
def erfc(e: Emitter, dtype: DType, x: str) -> str:
    f = Format(e, dtype)
    size, one = f.size(x), f.number(1.0)
    far = _far(f, size)
    far = f.choose(f.compare("lt", x, 0.0), f.sub(f.number(2.0), far), far)
    return f.choose(f.compare("gt", size, 0.5), far, f.sub(one, _near(f, x)))
