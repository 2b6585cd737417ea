"""`tf.keras.datasets.boston_housing`: prices of houses in Boston, 1978, by 13 measures.

One of these, "B", takes the share of black people for something that makes prices: to show what is wrong with that is
a good use of these data, to learn prices from them is none. `california_housing` is there for that.
"""

from __future__ import annotations

from .files import Split, fetch, load_arrays, split

__all__ = ["load_data"]
__dir__ = __all__.copy


def load_data(path: str = "boston_housing.npz", test_split: float = 0.2, seed: int = 113) -> Split:
    """``(x_train, y_train), (x_test, y_test)``: 506 rows (13) and prices, float64; ``test_split`` of them to test with.

    Raises `InvalidArgumentError` for a ``test_split`` outside of [0, 1); for others see `tf.keras.utils.get_file`.
    """
    found = load_arrays(fetch("boston_housing.npz", path))
    return split(found["x"], found["y"], test_split, seed)
