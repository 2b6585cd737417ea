"""`tf.keras.datasets.california_housing`: prices of houses in California, 1990, by 8 measures.

The measures: median income, median age of houses, mean rooms, mean bedrooms, inhabitants, mean of a household,
latitude, longitude. R. Kelley Pace and R. Barry, Sparse Spatial Autoregressions, 1997.
"""

from __future__ import annotations

from autograph.errors import InvalidArgumentError

from .files import Split, fetch, load_arrays, split

__all__ = ["load_data"]
__dir__ = __all__.copy


def load_data(
    version: str = "large", path: str = "california_housing.npz", test_split: float = 0.2, seed: int = 113
) -> Split:
    """``(x_train, y_train), (x_test, y_test)``: rows (8) and prices in dollars; ``test_split`` of them to test with.

    ``version`` is `"large"`, 20,640 rows, or `"small"`, the first 600. Raises `InvalidArgumentError` for another, and
    for a ``test_split`` outside of [0, 1); for others see `tf.keras.utils.get_file`.
    """
    if version not in ("small", "large"):
        raise InvalidArgumentError(f"Argument `version` must be one of 'small', 'large'. Received: version={version}")
    found = load_arrays(fetch("california_housing.npz", path))
    count = 600 if version == "small" else None
    return split(found["x"][:count], found["y"][:count], test_split, seed)
