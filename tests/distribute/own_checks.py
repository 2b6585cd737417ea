"""What each replica has of its own: values of variables, random numbers; and what is of another strategy."""

from __future__ import annotations

from typing import Any

import autograph as tf

from .checks import assert_close
from .replica_checks import ONE, TWO, assert_refused, distribute, distribute_values, mirrored, number, numbers


def check_values_of_each_replica() -> None:
    """The numbers are TensorFlow's."""
    expected = {"SUM": (2.0, 5.0, 12.0, 3.0), "MEAN": (1.0, 2.5, 6.0, 6.0), "ONLY_FIRST_REPLICA": (1.0, 2.0, 1.0, 6.0)}
    for how, (first, added, assigned, each) in expected.items():
        with TWO.scope():
            variable = tf.Variable(
                1.0, synchronization=tf.VariableSynchronization.ON_READ, aggregation=tf.VariableAggregation[how]
            )
        assert variable.numpy() == first and not variable.trainable

        def add(variable: Any = variable) -> Any:
            before = variable.value()
            return before, variable.assign_add(number() + 1.0) * 2.0

        def assign(variable: Any = variable) -> Any:
            variable.assign(number() * 10.0 + 1.0)
            total = distribute.get_replica_context().merge_call(lambda strategy: variable.value())
            return variable.value(), total

        before, after = TWO.run(add)
        assert numbers(before) == [1.0, 1.0] and numbers(after) == [4.0, 6.0] and variable.numpy() == added
        own, total = TWO.run(assign)
        assert numbers(own) == [1.0, 11.0] and numbers(total) == [assigned] * 2 and variable.numpy() == assigned
        assert TWO.reduce("SUM", variable, axis=None).numpy() == 12.0
        variable.assign(6.0)
        assert numbers(TWO.run(lambda variable=variable: variable.value())) == [each] * 2 and variable.numpy() == 6.0
        tf.function(lambda variable=variable: variable.assign_sub(2.0))()
        assert variable.numpy() == 4.0 and TWO.reduce("SUM", variable, axis=None).numpy() == each * 2 - 2 * each / 3


def check_values_of_each_replica_on_threads() -> None:
    """Also of integers whose sum does not divide."""
    with TWO.scope():
        total = tf.Variable(
            0, synchronization=tf.VariableSynchronization.ON_READ, aggregation=tf.VariableAggregation.SUM
        )
    total.assign(7)

    def step(x: Any) -> Any:
        return total.assign_add(tf.size(x)) + 0, total.assign_sub(1) + 0

    parts = TWO.experimental_distribute_values_from_function(
        lambda context: tf.zeros(context.replica_id_in_sync_group + 1)
    )
    added, subtracted = TWO.run(step, args=(parts,))
    assert numbers(added) == [5, 5] and numbers(subtracted) == [4, 4] and total.numpy() == 8


def check_variables_and_values_of_other_strategies() -> None:
    mine, three = mirrored(1.0, "SUM"), distribute.MirroredStrategy(["cpu:0", "cpu:1", "cpu:2"])
    mixed = tf.errors.FailedPreconditionError
    for strategy in (three, ONE):
        names = f"scope of {TWO!r}, and is used in the replicas of {strategy!r}"
        assert_refused(lambda strategy=strategy: strategy.run(lambda: mine.assign(2.0)), mixed, names)
    assert_refused(lambda: three.run(lambda: mine * 2.0), mixed, "Mixing different")
    assert ONE.run(lambda: mine * 2.0).numpy() == 2.0
    parts, others = distribute_values([1.0, 2.0]), f"2 replicas is given to {three!r}, which has 3"
    for call in (
        lambda: three.run(lambda x: x, args=(parts,)), lambda: three.reduce("SUM", parts, axis=None),
        lambda: three.gather(parts, axis=0),
    ):  # fmt: skip
        assert_refused(call, tf.errors.InvalidArgumentError, others)
    with TWO.scope():
        assert_refused(lambda: three.run(lambda: 1.0), mixed, "Mixing different")
    assert mine.numpy() == 1.0


def check_reductions_of_all_dtypes() -> None:
    for name, result in (("int8", "float32"), ("uint16", "float32"), ("int64", "float64"), ("float16", "float16")):
        parts = distribute_values([tf.constant([5, 3], name), tf.constant([2, 4], name)])
        total, mean = TWO.reduce("SUM", parts, axis=None), TWO.reduce("MEAN", parts, axis=None)
        assert total.dtype == name and total.numpy().tolist() == [7, 7]
        assert mean.dtype == result and mean.numpy().tolist() == [3.5, 3.5]
        rows = TWO.reduce("SUM", parts, axis=0), TWO.reduce("MEAN", parts, axis=0)
        assert [each.dtype.name for each in rows] == [name, result] and [each.numpy() for each in rows] == [14, 3.5]
    texts = distribute_values([tf.constant(["a"]), tf.constant(["b"])])
    for how in ("SUM", "MEAN"):
        assert_refused(lambda how=how: TWO.reduce(how, texts, axis=None), TypeError, "of tensors of string")
        reduce: Any = lambda x, how=how: distribute.get_replica_context().all_reduce(how, x)  # noqa: E731
        assert_refused(lambda reduce=reduce: TWO.run(reduce, args=(texts,)), TypeError, "of tensors of string")
    assert TWO.gather(texts, axis=0).numpy().tolist() == [b"a", b"b"]


# Random generators

# Of two replicas, of a generator from seed 1; the numbers are TensorFlow 2.21's.
_NORMAL = [[-0.8793045, 1.4680789], [0.0206616, 1.9473345]]
_INTEGERS = [[14, 4], [4, 58]]


def _generator() -> Any:
    with TWO.scope():
        return tf.random.Generator.from_seed(1)


def check_generators() -> None:
    generator = _generator()
    assert_close(numbers(TWO.run(lambda: generator.normal([2]))), _NORMAL)
    TWO.run(tf.function(lambda: generator.normal([2])))
    drawn = TWO.run(tf.function(lambda: generator.uniform([2], maxval=100, dtype=tf.int32)))
    assert numbers(drawn) == _INTEGERS and generator.state.numpy().tolist() == [6 * 256 + 1, 0, 0]
    assert_close(generator.normal([2]), [-0.4495664, 1.6220769])


def check_generators_on_threads() -> None:
    generator = _generator()

    def step(x: Any) -> Any:
        drawn = generator.normal([2]), generator.normal([2])[0], generator.uniform([2], maxval=100, dtype=tf.int32)
        return drawn[0] + tf.reduce_sum(x), drawn[2]

    parts = TWO.experimental_distribute_values_from_function(
        lambda context: tf.zeros([context.replica_id_in_sync_group])
    )
    normal, integers = TWO.run(step, args=(parts,))
    assert_close(numbers(normal), _NORMAL)
    assert numbers(integers) == _INTEGERS and generator.state.numpy().tolist() == [6 * 256 + 1, 0, 0]


def check_generators_that_replicas_can_not_share() -> None:
    generator, outside = _generator(), tf.random.Generator.from_seed(1)
    mixed = tf.errors.FailedPreconditionError
    assert_refused(lambda: TWO.run(lambda: outside.normal([2])), mixed, "outside of the strategy")

    def apart() -> Any:
        return generator.normal([2]) if number() > 0 else tf.zeros([2])

    assert_refused(lambda: TWO.run(apart), tf.errors.UnimplementedError, "to what each replica has of its own")
