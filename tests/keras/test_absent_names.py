"""Every name of Keras is here, or says what serves in its place."""

from __future__ import annotations

import pytest

import autograph as tf
from docs.generate.names import names

OWN = ("activations", "backend", "callbacks", "config", "constraints", "initializers", "layers", "losses", "metrics",
       "preprocessing", "regularizers", "utils")  # fmt: skip
ABSENT = [name for name in names() if name.startswith("keras.") and name.split(".")[1] in OWN]


@pytest.mark.parametrize("name", ABSENT)
def test_a_name_is_here_or_says_what_to_use(name: str) -> None:
    value = tf
    for part in name.split("."):
        try:
            value = getattr(value, part)
        except AttributeError as error:
            assert "is not here: " in str(error), error
            return


def test_names_that_keras_does_not_have() -> None:
    with pytest.raises(AttributeError, match="module 'autograph.keras.layers' has no attribute 'Nothing'"):
        tf.keras.layers.Nothing  # noqa: B018
    with pytest.raises(ImportError):
        from autograph.keras.layers import Nothing  # noqa: F401
    assert not hasattr(tf.keras.utils, "nothing")
