"""`tf.distribute.MirroredStrategy` on eight devices: what replicas do together is what one does."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import autograph as tf
from autograph.runtime.engines.replicated import REPLICATED
from autograph.settings import settings

from .checks import Compilations, assert_close
from .keras_checks import CLASSES, IMAGES, TEXTS, cnn, lstm, mlp, transformer

distribute, layers = tf.distribute, tf.keras.layers
EIGHT = distribute.MirroredStrategy()
TWO = distribute.MirroredStrategy(["/cpu:0", "cpu:5"])
ONE = distribute.OneDeviceStrategy("cpu:0")


def number() -> Any:
    return tf.cast(distribute.get_replica_context().replica_id_in_sync_group, tf.float32)


def numbers(value: Any) -> list[Any]:
    return [each.numpy().tolist() for each in value.values]


def assert_refused(call: Callable[[], Any], error: type[Exception], words: str) -> None:
    try:
        call()
    except error as found:
        assert words in str(found), found
    else:
        raise AssertionError(f"no {error.__name__}: {words}")


# Training loops of one's own


def trained(
    strategy: Any, make: Callable[[], Any], inputs: Any, whole: bool = False, training: bool = False
) -> tuple[Any, ...]:
    """What a training gives, with a loss as TensorFlow's guide has it, of batches of 32, the last of 6."""
    tf.keras.utils.clear_session()
    tf.keras.utils.set_random_seed(1)
    with strategy.scope():
        model = make()
        optimizer = tf.keras.optimizers.Adam(0.01, epsilon=1e-3, global_clipnorm=0.5)
        accuracy = tf.keras.metrics.SparseCategoricalAccuracy()
    data = strategy.experimental_distribute_dataset(tf.data.Dataset.from_tensor_slices((inputs, CLASSES)).batch(32))

    def step(batch: Any) -> Any:
        x, y = batch
        with tf.GradientTape() as tape:
            logits = model(x, training=training)
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits)
            loss = tf.nn.compute_average_loss(losses, global_batch_size=32)
        optimizer.apply_gradients(zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables))
        accuracy.update_state(y, logits)
        return loss

    def epoch(data: Any) -> Any:
        total = 0.0
        for batch in data:
            total += strategy.reduce("SUM", strategy.run(step, args=(batch,)), axis=None)
        return total

    if whole:
        epoch = tf.function(epoch)
    losses = [float(epoch(data)) for _ in range(2)]
    return losses, model.get_weights(), float(accuracy.result()), int(optimizer.iterations)


def check_mlp() -> None:
    """Uneven batches too: their parts are of different shapes."""
    assert_close(trained(EIGHT, mlp, IMAGES), trained(ONE, mlp, IMAGES))


def check_cnn() -> None:
    assert_close(trained(TWO, cnn, IMAGES), trained(ONE, cnn, IMAGES))


def synchronized() -> Any:
    return tf.keras.Sequential([
        tf.keras.Input((6, 6, 1)), layers.Flatten(), layers.Dense(8), layers.BatchNormalization(synchronized=True),
        layers.Dense(4),
    ])  # fmt: skip


def check_synchronized_normalisation() -> None:
    """It is over all of a batch, also of one whose parts have different sizes."""
    (_, *found), (_, *expected) = (trained(each, synchronized, IMAGES, training=True) for each in (TWO, ONE))
    assert_close(found, expected)


def check_lstm() -> None:
    assert_close(trained(TWO, lstm, TEXTS), trained(ONE, lstm, TEXTS))


def check_transformer() -> None:
    assert_close(trained(TWO, transformer, TEXTS), trained(ONE, transformer, TEXTS))


def check_a_model_that_the_first_step_builds() -> None:
    def made() -> Any:
        return tf.keras.Sequential([layers.Flatten(), layers.Dense(8, activation="tanh"), layers.Dense(4)])

    assert_close(trained(TWO, made, IMAGES, whole=True), trained(ONE, made, IMAGES, whole=True))


def check_a_whole_training_as_one_graph() -> None:
    assert_close(trained(EIGHT, mlp, IMAGES, whole=True), trained(ONE, mlp, IMAGES, whole=True))


def check_dropout_is_the_same_again_for_a_seed_and_of_each_replica_its_own() -> None:
    layer = layers.Dropout(0.5)

    def dropped() -> list[Any]:
        return numbers(TWO.run(lambda: layer(tf.ones([40]), training=True)))

    tf.random.set_seed(1)
    first, second = dropped()
    assert first != second and dropped() != [first, second] and {*first, *second} == {0.0, 2.0}
    tf.random.set_seed(1)
    assert dropped() == [first, second]


def check_steps_compile_once() -> None:
    weight = mirrored(1.0, "MEAN")
    parts = TWO.experimental_distribute_values_from_function(lambda context: tf.ones([4]))

    def step(x: Any) -> Any:
        weight.assign_add(tf.reduce_sum(x) * number())
        return weight * 2.0

    TWO.run(step, args=(parts,))
    with Compilations() as after:
        for _ in range(3):
            TWO.run(step, args=(parts,))
    assert after.count == 0 and weight.numpy() == 9.0


def check_functions_made_for_each_call() -> None:
    """They are compiled each time, which a warning says."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(6):
            TWO.run(lambda: 1.0)
    assert ["made by the same line" in str(each.message) for each in caught] == [True]


def check_all_runs_on_the_devices() -> None:
    @tf.function
    def train(count: Any) -> Any:
        x = 0.0
        for _ in tf.range(count):
            x += TWO.reduce("SUM", TWO.run(lambda: number() + 1.0), axis=None)
        return x

    assert train(tf.constant(5)).numpy() == 15.0
    report = train.get_concrete_function(tf.constant(5)).compiled
    assert "are an XLA program" in report and "NumPy" not in report, report


def check_engines_that_are_asked_for() -> None:
    total = mirrored(0.0, "SUM")

    def step() -> Any:
        total.assign_add(number() + 1.0)
        return total * 2.0

    for engine in ("numpy", "native", "interpreter", "xla"):
        total.assign(0.0)
        settings.engine = engine
        try:
            assert tf.function(lambda: TWO.reduce("SUM", TWO.run(step), axis=None))().numpy() == 12.0, engine
            demanded = tf.function(lambda: TWO.reduce("SUM", TWO.run(step), axis=None), jit_compile=True)
            if engine == "xla":
                assert demanded().numpy() == 24.0
            else:
                assert_refused(demanded, tf.errors.UnimplementedError, "jit_compile=True")
        finally:
            settings.engine = ""


# Fit


class OwnSteps(tf.keras.Model):
    """A model that computes its loss for its part of a batch, as `Model.train_step` does for all of it."""

    def __init__(self) -> None:
        super().__init__()
        self.dense = layers.Dense(4, kernel_regularizer="l2")
        self.seen = tf.keras.metrics.Mean(name="seen")

    def call(self, x: Any) -> Any:
        return self.dense(tf.reshape(x, [-1, 36]))

    def train_step(self, data: Any) -> Any:
        x, y = data
        with tf.GradientTape() as tape:
            loss = self.compute_loss(x, y, self(x))
        variables = self.trainable_variables
        self.optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
        self.seen.update_state(distribute.get_replica_context().all_reduce("SUM", loss))
        return {"seen": self.seen.result()}


def fitted(strategy: Any, make: Callable[[], Any], count: int) -> tuple[Any, ...]:
    tf.keras.utils.clear_session()
    tf.keras.utils.set_random_seed(1)
    with strategy.scope():
        model = make()
        loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        model.compile(tf.keras.optimizers.Adam(0.01, epsilon=1e-3), loss, metrics=["accuracy"])
    assert model.distribute_strategy is strategy
    x, y = IMAGES[:count], CLASSES[:count]
    history = model.fit(x, y, batch_size=32, epochs=2, verbose=0).history
    return history, model.get_weights(), model.evaluate(x, y, verbose=0), model.predict(x[:32], verbose=0)


def check_fit() -> None:
    """With normalisation over batches, dropout, and a last batch that does not divide: equal to one device."""
    assert_close(fitted(EIGHT, mlp, 70), fitted(ONE, mlp, 70))


def check_fit_on_a_dataset_that_is_divided_already() -> None:
    def losses(strategy: Any) -> Any:
        tf.keras.utils.set_random_seed(1)
        with strategy.scope():
            model = mlp()
            model.compile("sgd", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
        data = tf.data.Dataset.from_tensor_slices((IMAGES, CLASSES)).batch(32)
        return model.fit(strategy.experimental_distribute_dataset(data), verbose=0).history

    assert_close(losses(TWO), losses(ONE))


def check_fit_with_steps_of_ones_own() -> None:
    """They run in replicas; batches that divide give what one device gives."""
    assert_close(fitted(EIGHT, OwnSteps, 64), fitted(ONE, OwnSteps, 64))


# Variables


def mirrored(value: Any, aggregation: str, strategy: Any = TWO) -> Any:
    with strategy.scope():
        return tf.Variable(value, aggregation=tf.VariableAggregation[aggregation])


def check_aggregation() -> None:
    for how, assigned, added in (("SUM", 3.0, 6.0), ("MEAN", 1.5, 3.0), ("ONLY_FIRST_REPLICA", 1.0, 2.0)):
        variable = mirrored(7.0, how)
        TWO.run(lambda variable=variable: variable.assign(number() + 1.0))
        assert variable.numpy() == assigned
        TWO.run(lambda variable=variable: variable.assign_add(number() + 1.0))
        assert variable.numpy() == added
    variable = mirrored(7.0, "NONE")
    TWO.run(lambda: variable.assign(distribute.get_replica_context().all_reduce("MEAN", number())))
    assert variable.numpy() == 0.5
    TWO.run(lambda x: variable.assign_add(x), args=(tf.constant(2.0),))
    assert variable.numpy() == 2.5


def check_what_replicas_can_not_set() -> None:
    variable, outside = mirrored(1.0, "NONE"), tf.Variable(1.0)
    refused = tf.errors.UnimplementedError
    assert_refused(lambda: TWO.run(lambda: variable.assign(number())), refused, "to what each replica has of its own")

    def below_a_test() -> None:
        if number() > 0:
            variable.assign(3.0)

    assert_refused(lambda: TWO.run(below_a_test), refused, "to what each replica has of its own")
    assert_refused(
        lambda: TWO.run(lambda: outside.assign_add(1.0)), tf.errors.FailedPreconditionError, "outside of the strategy"
    )
    assert variable.numpy() == outside.numpy() == 1.0


def check_metrics_add_up() -> None:
    with TWO.scope():
        mean, total = tf.keras.metrics.Mean(), tf.keras.metrics.Sum()

    def step() -> Any:
        mean.update_state([number(), 4.0])
        total.update_state(number() + 1.0)
        return mean.result()

    assert numbers(TWO.run(step)) == [2.0, 2.5]
    assert mean.result().numpy() == 2.25 and total.result().numpy() == 3.0


# Collectives


def check_collectives() -> None:
    def step(x: Any) -> Any:
        context = distribute.get_replica_context()
        assert context.num_replicas_in_sync == 2 and not distribute.in_cross_replica_context()
        return {
            "sum": context.all_reduce("SUM", x), "mean": context.all_reduce(distribute.ReduceOp.MEAN, [x, 2 * x]),
            "integers": context.all_reduce("MEAN", tf.cast(x, tf.int32)), "rows": context.all_gather(x, axis=0),
            "columns": context.all_gather(x[None], axis=1),
            "merged": context.merge_call(lambda strategy, y: strategy.reduce("SUM", y, axis=None), args=(x,)),
        }  # fmt: skip

    found = TWO.run(step, args=(distribute_values([[1.0, 2.0], [3.0, 6.0]]),))
    assert numbers(found["sum"]) == numbers(found["merged"]) == [[4.0, 8.0]] * 2
    assert [numbers(each) for each in found["mean"]] == [[[2.0, 4.0]] * 2, [[4.0, 8.0]] * 2]
    assert numbers(found["integers"]) == [[2.0, 4.0]] * 2
    assert numbers(found["rows"]) == [[1.0, 2.0, 3.0, 6.0]] * 2
    assert numbers(found["columns"]) == [[[1.0, 2.0, 3.0, 6.0]]] * 2


def distribute_values(rows: list[Any]) -> Any:
    return TWO.experimental_distribute_values_from_function(
        lambda context: tf.constant(rows[context.replica_id_in_sync_group])
    )


def check_merge_calls() -> None:
    """What is merged is called once, in a trace, with a `PerReplica` for each tensor and with other things as given."""
    seen = []

    def merge(strategy: Any, own: Any, same: Any, name: str) -> Any:
        parts = strategy.experimental_local_results(own)
        seen.append((isinstance(own, distribute.DistributedValues), len(parts), same, name))
        return strategy.reduce("MEAN", own, axis=None) * same, parts[1] - parts[0], {"own": own}

    step: Any = lambda: distribute.get_replica_context().merge_call(merge, args=(number(), 3.0, "key"))  # noqa: E731
    mean, difference, rest = TWO.run(step)
    assert numbers(mean) == [1.5, 1.5] and numbers(difference) == [1.0, 1.0] and numbers(rest["own"]) == [0.0, 1.0]
    assert seen == [(True, 2, 3.0, "key")]


def check_gradients_of_collectives() -> None:
    def step(x: Any) -> Any:
        context = distribute.get_replica_context()
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            one = context.all_reduce("SUM", x * x)
            other = tf.reduce_sum(context.all_gather(x[None], axis=0) * [1.0, 10.0])
        return tape.gradient(one, x), tape.gradient(other, x)

    one, other = TWO.run(step, args=(distribute_values([2.0, 4.0]),))
    assert numbers(one) == [8.0, 16.0] and numbers(other) == [2.0, 20.0]


def check_gradients_stay_in_replicas() -> None:
    variable = mirrored(2.0, "NONE")

    def around() -> Any:
        with tf.GradientTape() as tape:
            total = TWO.reduce("SUM", TWO.run(lambda: variable * variable), axis=None)
        return tape.gradient(total, variable)

    assert_refused(around, LookupError, "take gradients in the function")


def check_the_default_strategy() -> None:
    default = distribute.get_strategy()
    with default.scope():
        assert not distribute.has_strategy() and distribute.get_replica_context().num_replicas_in_sync == 1
    assert default.run(lambda x: x + 1, args=(2,)) == 3 and not default.run(distribute.has_strategy)
    with TWO.scope() as scope:
        assert scope is TWO is distribute.get_strategy() and distribute.get_replica_context() is None
        assert distribute.has_strategy() and distribute.in_cross_replica_context()


def check_one_other_device() -> None:
    """One replica runs on its own device, as `tf.device` has it."""
    single = distribute.OneDeviceStrategy("/cpu:3")
    doubled = single.run(tf.function(lambda x: x * 2.0 + x), args=(tf.ones([1000]),))
    assert doubled.device.endswith("CPU:3") and doubled.numpy().sum() == 3000


def check_loops_around_collectives() -> None:
    def step(x: Any) -> Any:
        while distribute.get_replica_context().all_reduce("SUM", x) < 100.0:
            x = x * 2.0
        return x

    assert numbers(TWO.run(step, args=(distribute_values([1.0, 4.0]),))) == [32.0, 128.0]

    def apart(x: Any) -> Any:
        while x < 100.0:
            x = x + distribute.get_replica_context().all_reduce("SUM", x)
        return x

    assert_refused(
        lambda: TWO.run(apart, args=(distribute_values([1.0, 4.0]),)), tf.errors.UnimplementedError,
        "replicas meet where not all of them may come to",
    )  # fmt: skip


def check_errors_in_a_replica() -> None:
    variable = mirrored(0.0, "SUM")

    def step(x: Any) -> Any:
        variable.assign_add(1.0)
        for _ in tf.range(3):
            assert x < 5.0, "too much"
            x = x + distribute.get_replica_context().all_reduce("MEAN", x)
        return x

    assert_refused(lambda: TWO.run(step, args=(distribute_values([1.0, 9.0]),)), AssertionError, "too much")
    assert variable.numpy() == 0.0


# Data


def check_datasets() -> None:
    numbers_of = tf.data.Dataset.range(10)
    parts = [numbers(batch) for batch in TWO.experimental_distribute_dataset(numbers_of.batch(4))]
    assert parts == [[[0, 1], [2, 3]], [[4, 5], [6, 7]], [[8], [9]]]
    parts = [numbers(batch) for batch in TWO.experimental_distribute_dataset(numbers_of.batch(5))]
    assert parts == [[[0, 1, 2], [3, 4]], [[5, 6, 7], [8, 9]]]

    def made(context: Any) -> Any:
        assert (context.num_input_pipelines, context.input_pipeline_id) == (1, 0)
        return tf.data.Dataset.range(5).batch(context.get_per_replica_batch_size(4))

    data = TWO.distribute_datasets_from_function(made)
    assert [numbers(batch) for batch in data] == [[[0, 1], [2, 3]], [[4], []]]


def check_replicas_on_threads_give_the_same() -> None:
    """What no engine can: arrays of different shapes, and normal random numbers."""
    parts = distribute.MirroredStrategy(["cpu:0", "cpu:1"]).experimental_distribute_values_from_function(
        lambda context: tf.range(3 + context.replica_id_in_sync_group)
    )
    total = mirrored(0, "SUM")

    def step(x: Any) -> Any:
        total.assign_add(tf.reduce_sum(x))
        return tf.random.normal([2]), distribute.get_replica_context().all_reduce("SUM", tf.size(x))

    tf.random.set_seed(3)
    drawn, sizes = TWO.run(step, args=(parts,))
    assert total.numpy() == 9 and numbers(sizes) == [7, 7]
    first, second = numbers(drawn)
    tf.random.set_seed(3)
    assert first != second and numbers(TWO.run(step, args=(parts,))[0]) == [first, second]


def check_the_op_stands_in_the_graph() -> None:
    traced = tf.function(lambda: TWO.run(number))
    graph = traced.get_concrete_function().graph
    assert [node.op for node in graph.nodes if node.op is REPLICATED] and numbers(traced()) == [0.0, 1.0]
