"""Layers compute what Keras computes of the same weights and inputs, eagerly and in graphs."""

from __future__ import annotations

import json

import numpy as np
import pytest

import autograph as tf
from tests.keras.numbers import CASES, FILE, outputs

WANTED = json.loads(FILE.read_text())


@pytest.mark.parametrize("name", CASES)
def test_eagerly(name):
    make, inputs, given = CASES[name]
    found = outputs(make, tf.keras.layers, *inputs, **given)
    assert len(found) == len(WANTED[name])
    for result, wanted in zip(found, WANTED[name], strict=True):
        np.testing.assert_allclose(result, wanted, rtol=1e-4, atol=2e-6)


@pytest.mark.parametrize("name", CASES)
def test_in_a_graph(name):
    make, inputs, given = CASES[name]

    class Traced:
        """A layer whose calls are those of one traced function."""

        def __init__(self, layer):
            self.layer = layer
            self.weights, self.set_weights = [], layer.set_weights
            self.function = tf.function(layer)

        def __getattr__(self, name):
            return getattr(self.layer, name)

        def __call__(self, value, **kwargs):
            result = self.function(tf.nest.map_structure(tf.constant, value), **kwargs)
            self.weights = self.layer.weights
            return result

    found = outputs(lambda layers: Traced(make(layers)), tf.keras.layers, *inputs, **given)
    for result, wanted in zip(found, WANTED[name], strict=True):
        np.testing.assert_allclose(result, wanted, rtol=1e-4, atol=2e-6)
