"""`@tf.function` above `@staticmethod`, and below it."""

from __future__ import annotations

import autograph as tf


class Above:
    @tf.function
    @staticmethod
    def double(x):
        return x * 2

    @tf.function(reduce_retracing=True)
    @staticmethod
    def triple(x):
        return x * 3


class Below:
    @staticmethod
    @tf.function
    def double(x):
        return x * 2


def test_it_is_called_on_the_class_and_on_instances() -> None:
    for owner in (Above, Above(), Below, Below()):
        assert float(owner.double(tf.constant(2.0))) == 4
    assert float(Above().triple(tf.constant(2.0))) == float(Above.triple(tf.constant(2.0))) == 6
    assert Above.double.experimental_get_tracing_count() == 1
