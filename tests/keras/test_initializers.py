"""Initializers: distributions by the published formulas, seeds, and names."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograph as tf
from autograph.keras import initializers

SHAPE = (5, 5, 8, 24)
INPUTS, OUTPUTS = 5 * 5 * 8, 5 * 5 * 24


@pytest.mark.parametrize(
    "name, variance",
    [
        ("glorot_uniform", 2 / (INPUTS + OUTPUTS)), ("glorot_normal", 2 / (INPUTS + OUTPUTS)),
        ("he_uniform", 2 / INPUTS), ("he_normal", 2 / INPUTS), ("lecun_uniform", 1 / INPUTS),
        ("lecun_normal", 1 / INPUTS),
    ],
)  # fmt: skip
def test_variance_scaling(name: str, variance: float) -> None:
    for shape in (SHAPE, (INPUTS, OUTPUTS)):
        values = np.asarray(type(initializers.get(name))(seed=1)(shape))
        assert values.dtype == np.float32 and values.shape == shape
        deviation = np.sqrt(variance)
        np.testing.assert_allclose(values.std(), deviation, rtol=0.03)
        assert abs(values.mean()) < 0.03 * deviation
        # Uniform numbers end at sqrt(3) deviations, truncated normal ones at two of those before the truncation.
        end = np.sqrt(3) if name.endswith("uniform") else 2 / 0.87962566
        assert 0.98 * end * deviation < np.abs(values).max() <= end * deviation * 1.000001


def test_variance_scaling_settings() -> None:
    make = initializers.VarianceScaling
    for mode, number in (("fan_in", 100), ("fan_out", 300), ("fan_avg", 200)):
        values = np.asarray(make(3.0, mode, "untruncated_normal", seed=1)((100, 300)))
        np.testing.assert_allclose(values.std(), np.sqrt(3 / number), rtol=0.03)
    values = np.asarray(make(1.0, "fan_in", seed=1, input_axes=[0, 1], output_axes=[2])((10, 10, 50)))
    np.testing.assert_allclose(values.std(), 0.1, rtol=0.03)
    assert np.asarray(make()((3,))).shape == (3,) and np.asarray(make()(())).shape == ()
    for wrong in ({"scale": 0}, {"mode": "fan"}, {"distribution": "gamma"}):
        with pytest.raises(ValueError, match=f"`{next(iter(wrong))}`"):
            make(**wrong)


def test_normal_and_uniform() -> None:
    normal = np.asarray(initializers.RandomNormal(1.0, 0.5, seed=1)((50000,)))
    np.testing.assert_allclose([normal.mean(), normal.std()], [1, 0.5], rtol=0.03)
    assert np.abs(normal - 1).max() > 1.5
    truncated = np.asarray(initializers.TruncatedNormal(1.0, 0.5, seed=1)((50000,)))
    np.testing.assert_allclose([truncated.mean(), truncated.std()], [1, 0.5 * 0.87962566], rtol=0.03)
    assert np.abs(truncated - 1).max() <= 1
    uniform = np.asarray(initializers.RandomUniform(2.0, 4.0, seed=1)((50000,)))
    np.testing.assert_allclose([uniform.mean(), uniform.std()], [3, 2 / np.sqrt(12)], rtol=0.03)
    assert uniform.min() >= 2 and uniform.max() < 4


def test_constants() -> None:
    assert np.asarray(initializers.Zeros()((2, 1), "int32")).tolist() == [[0], [0]]
    assert np.asarray(initializers.Ones()((2,), tf.bool)).tolist() == [True, True]
    assert float(initializers.Constant(0.1)((), "float64")) == 0.1
    value = initializers.Constant([1, 2])((3, 2), "float64")
    assert value.dtype == tf.float64 and np.asarray(value).tolist() == [[1, 2]] * 3
    assert np.asarray(initializers.Identity(3.0)((2, 3))).tolist() == [[3, 0, 0], [0, 3, 0]]
    given = initializers.get(np.array([1.0, 2.0]))
    assert np.asarray(given((2,))).tolist() == [1, 2]
    with pytest.raises(ValueError, match="direct tensor"):
        given((3,))


@pytest.mark.parametrize("shape", [(6, 4), (4, 6), (2, 3, 5), (3, 1, 2)])
def test_orthogonal(shape: Any) -> None:
    values = np.asarray(initializers.Orthogonal(2.0, seed=1)(shape, "float64")).reshape(-1, shape[-1])
    product = values @ values.T if values.shape[0] <= values.shape[1] else values.T @ values
    np.testing.assert_allclose(product, 4 * np.eye(len(product)), atol=1e-9)


def test_seeds() -> None:
    make = initializers.GlorotUniform
    first = make(seed=3)
    assert (np.asarray(first((4, 4))) == np.asarray(first((4, 4)))).all()
    assert (np.asarray(first((4, 4))) == np.asarray(make(seed=3)((4, 4)))).all()
    assert (np.asarray(first((4, 4))) != np.asarray(make(seed=4)((4, 4)))).any()
    assert (np.asarray(make()((4, 4))) != np.asarray(make()((4, 4)))).any()
    drawn = []
    for _ in range(2):
        tf.random.set_seed(5)
        drawn.append([np.asarray(make()((2,))).tolist(), np.asarray(make()((2,))).tolist()])
    assert drawn[0] == drawn[1] and drawn[0][0] != drawn[0][1]
    with pytest.raises(ValueError, match="`seed`"):
        make(seed="a")  # type: ignore[arg-type]


def test_staged_as_eager() -> None:
    def both() -> Any:
        return initializers.HeNormal(seed=1)((3, 2)), initializers.Orthogonal(seed=1)((3, 2))

    for eager, graph in zip(both(), tf.function(both)(), strict=True):
        np.testing.assert_allclose(eager, graph, rtol=1e-6)


@pytest.mark.parametrize("name", ["zeros", "Constant", "orthogonal", "identity", "variance_scaling", "he_normal",
                                  "random_uniform", "normal", "one"])  # fmt: skip
def test_by_name(name: str) -> None:
    found = initializers.get(name)
    again = initializers.deserialize(initializers.serialize(found))
    assert type(again) is type(found) and again.get_config() == found.get_config()
    assert type(found.clone()) is type(found) and initializers.get(found) is found


def test_names_and_shapes_that_do_not_fit() -> None:
    assert initializers.get(None) is None and isinstance(initializers.get(initializers.Zeros), initializers.Zeros)
    with pytest.raises(ValueError, match="Could not interpret initializer identifier: no_such"):
        initializers.get("no_such")
    with pytest.raises(ValueError, match="at least two-dimensional"):
        initializers.Orthogonal()((3,))
    with pytest.raises(ValueError, match="only be used for 2D"):
        initializers.Identity()((3,))
    with pytest.raises(ValueError, match="known dimensions"):
        initializers.Zeros()((None, 2))
    with pytest.raises(NotImplementedError):
        initializers.Initializer()((2,))
