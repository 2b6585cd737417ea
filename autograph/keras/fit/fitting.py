"""`fit`, `evaluate` and `predict`: the loops over epochs and batches, and the callbacks that they call."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

import numpy as np

from autograph.distribute.context import in_scope
from autograph.distribute.fit import in_replicas
from autograph.distribute.strategy import Strategy
from autograph.errors import InvalidArgumentError
from autograph.runtime.base import nest
from autograph.runtime.base.places import warn
from autograph.runtime.engines.spread import in_effect, spread_over
from autograph.runtime.functions.function import function
from autograph.tracebacks import trimming

from ..base.staging import converted_call
from ..base.tracking import record_of
from .backup import Resumption
from .callback import CallbackList, History
from .compiled import CompiledMetrics
from .data import ArrayData, IterableData, data_from, split_off

__all__ = ["Fitting"]


class Fitting:
    """The loops; `Trainer` has the steps: those of ``own_steps``, where a class has no others."""

    own_steps: frozenset[Callable[..., Any]] = frozenset()

    @trimming
    def fit(
        self, x: object = None, y: object = None, batch_size: int | None = None,
        epochs: int = 1, verbose: int | str = "auto", callbacks: object = None, validation_split: float = 0.0,
        validation_data: object = None, shuffle: bool = True, class_weight: dict[int, float] | None = None,
        sample_weight: object = None, initial_epoch: int = 0, steps_per_epoch: int | None = None,
        validation_steps: int | None = None, validation_batch_size: int | None = None, validation_freq: object = 1
    ) -> History:  # fmt: skip
        """Train the model, and return a `History`, whose ``history`` has the losses and metrics of each epoch.

        Parameters
        ----------
        x: inputs: an array or tensor, a list or dict of them, or a dataset or generator of batches.
        y: targets; not with a dataset or generator, whose batches have them.
        batch_size: 32 when left out.
        epochs, initial_epoch: the number of the epoch to stop before, and of the first one.
        verbose: 0 is silent, 1 a bar for each epoch, 2 a line for each; "auto" is 1, or 2 after
            `tf.keras.utils.disable_interactive_logging()`.
        callbacks: a list of `Callback`.
        validation_split: the share of samples, at the end, to validate on and not to train on.
        validation_data: (x, y) or (x, y, sample_weight), or a dataset, to validate on after each epoch.
        shuffle: whether arrays are shuffled before each epoch.
        class_weight: factors of the losses of classes, by their numbers.
        sample_weight: factors of the losses of samples.
        steps_per_epoch, validation_steps: the number of batches; all there are when left out.
        validation_freq: validate after every so many epochs, or after those in a list.

        Raises `InvalidArgumentError` for a model that is not compiled and for data that do not fit together.
        """
        model: Any = self
        check_compiled(model)
        if validation_split and validation_data is None:
            (x, y, sample_weight), validation_data = split_off((x, y, sample_weight), validation_split)
        data = data_from(x, y, sample_weight, batch_size, bool(shuffle), class_weight, steps_per_epoch)
        steps = _Steps(data, steps_per_epoch, model.distribute_strategy)
        watchers = CallbackList(
            callbacks, add_history=True, verbose=verbose, model=self, epochs=epochs, steps=steps.count
        )
        model.stop_training = False
        logs: dict[str, Any] = {}
        resumed = _begun(model, data, watchers)
        for epoch in range(initial_epoch if resumed is None else resumed.epoch, epochs):
            if resumed is None or not resumed.batches:
                model.reset_metrics()
            watchers.on_epoch_begin(epoch)
            logs = self._train_epoch(steps, watchers, resumed)
            resumed = None
            if validation_data is not None and _is_due(epoch, validation_freq):
                found = self._validate(
                    validation_data, validation_batch_size or batch_size, validation_steps, watchers
                )
                logs |= {f"val_{name}": value for name, value in found.items()}
            watchers.on_epoch_end(epoch, logs)
            if model.stop_training:
                break
        if model.optimizer is not None and logs:
            model.optimizer.finalize_variable_values(model.trainable_weights)
        watchers.on_train_end(logs)
        record_of(model).compiled.history = watchers.history
        return watchers.history

    def _train_epoch(self, steps: _Steps, watchers: CallbackList, resumed: Resumption | None) -> dict[str, Any]:
        model: Any = self
        step_function = step_of(model, "train_step")
        logs: dict[str, Any] | None = None
        for number, batch in _what_is_left(steps, resumed):
            if logs is None:
                model.distribute_strategy.check_batch(batch)
            watchers.on_train_batch_begin(number)
            logs = step_function(batch)
            watchers.on_train_batch_end(number, logs)
            if model.stop_training:
                break
        if logs is None:
            raise InvalidArgumentError(
                "there are no batches to train on: the data are empty",
                remedy="a generator gives its batches once: give steps_per_epoch, or tf.data.Dataset.from_generator of "
                "a function that makes one for each epoch",
            )
        # What the batches saw may have been reset in between; the results are those at the end.
        return plain_logs(logs)

    def _validate(
        self, data: object, batch_size: int | None, steps: int | None, watchers: CallbackList
    ) -> dict[str, Any]:  # fmt: skip
        if isinstance(data, (tuple, list)) and not hasattr(data, "element_spec"):
            x, y, sample_weight = (*data, None, None)[:3]
        else:
            x, y, sample_weight, batch_size = data, None, None, None
        return self.evaluate(
            x, y, batch_size, sample_weight=sample_weight, steps=steps, callbacks=watchers, return_dict=True
        )

    @trimming
    def evaluate(
        self, x: object = None, y: object = None, batch_size: int | None = None,
        verbose: int | str = "auto", sample_weight: object = None, steps: int | None = None,
        callbacks: object = None, return_dict: bool = False
    ) -> Any:  # fmt: skip
        """The loss and the metrics on data: a number, or a list, or with ``return_dict`` a dict.

        The arguments are those of `fit`. Raises as `fit`.
        """
        model: Any = self
        check_compiled(model)
        every = _Steps(data_from(x, y, sample_weight, batch_size, steps=steps), steps, model.distribute_strategy)
        watchers = callbacks if isinstance(callbacks, CallbackList) else CallbackList(
            callbacks, verbose=verbose, model=self, epochs=1, steps=every.count
        )  # fmt: skip
        step_function = step_of(model, "test_step")
        logs: dict[str, Any] | None = None
        watchers.on_test_begin()
        model.reset_metrics()
        for number, batch in enumerate(every):
            watchers.on_test_batch_begin(number)
            logs = step_function(batch)
            watchers.on_test_batch_end(number, logs)
        if logs is None:
            raise InvalidArgumentError("there are no batches to evaluate on: the data are empty")
        found = plain_logs(logs)
        watchers.on_test_end(found)
        return found if return_dict else results(model, logs, False)

    @trimming
    def predict(
        self, x: object, batch_size: int | None = None, verbose: int | str = "auto", steps: int | None = None,
        callbacks: object = None
    ) -> Any:  # fmt: skip
        """The outputs for inputs, as arrays along whose first axes the batches are put together."""
        model: Any = self
        every = _Steps(data_from(x, batch_size=batch_size, steps=steps), steps, model.distribute_strategy)
        watchers = CallbackList(callbacks, verbose=verbose, model=self, epochs=1, steps=every.count)
        step_function = step_of(model, "predict_step")
        results: list[Any] = []
        watchers.on_predict_begin()
        for number, batch in enumerate(every):
            watchers.on_predict_batch_begin(number)
            outputs = step_function(batch)
            results.append(nest.map_structure(lambda leaf: np.asarray(leaf), outputs))
            watchers.on_predict_batch_end(number, {"outputs": outputs})
        watchers.on_predict_end()
        if not results:
            raise InvalidArgumentError("there are no batches to predict from: the data are empty")
        return nest.map_structure(lambda *parts: np.concatenate(parts), *results)


def _begun(model: Any, data: ArrayData | IterableData, watchers: CallbackList) -> Resumption | None:
    """Begin training; where it goes on, if a callback has found that it was interrupted."""
    compiled = record_of(model).compiled
    compiled.source, compiled.resumption = getattr(data, "source", None), None
    watchers.on_train_begin()
    found: Resumption | None = compiled.resumption
    if found is not None:
        found.begin_epoch(compiled.source)
    return found


def _what_is_left(steps: _Steps, resumed: Resumption | None) -> Iterator[tuple[int, Any]]:
    """The batches of an epoch with their numbers, without those that an interrupted training has had."""
    if resumed is None:
        yield from enumerate(steps)
        return
    left = enumerate(steps)
    deque(islice(left, resumed.batches), maxlen=0)
    resumed.go_on()
    yield from left


class _Steps:
    """The batches of one epoch: all that there are, or a given number of them.

    With a given number, the next epoch goes on in the data where this one has stopped. When they end early, a warning
    says so, and the next epoch begins anew.
    """

    def __init__(self, data: ArrayData | IterableData, limit: int | None, strategy: Strategy) -> None:
        strategy.check_source(getattr(data, "source", None))
        self.data = data
        self.limit = limit
        self.count = limit if limit is not None else data.steps
        self._rest: Iterator[Any] = iter(())

    def __iter__(self) -> Iterator[Any]:
        if self.limit is None:
            yield from self.data.batches()
            return
        given = 0
        for anew in (False, True):
            self._rest = self.data.batches() if anew else self._rest
            for batch in islice(self._rest, self.limit):
                given += 1
                yield batch
            if given:
                break
        if given < self.limit:
            self._rest = iter(())
            warn(
                f"The data ended after {given} of {self.limit} steps. Make a dataset or generator give more batches, "
                "for example with `.repeat()`.",
            )


def _is_due(epoch: int, frequency: Any) -> bool:
    """Whether to validate after an epoch."""
    return (epoch + 1) % frequency == 0 if isinstance(frequency, int) else (epoch + 1) in frequency


def plain_logs(logs: dict[str, Any]) -> dict[str, Any]:
    """Numbers in place of scalar tensors, by name in alphabetical order."""
    found = {}
    for name, value in sorted(by_name(logs).items()):
        array = np.asarray(value)
        found[name] = float(array) if array.ndim == 0 else array
    return found


def by_name(logs: dict[str, Any]) -> dict[str, Any]:
    """The results by name, with those of a metric that has several in its place."""
    found: dict[str, Any] = {}
    for name, value in logs.items():
        found.update(by_name(value) if isinstance(value, dict) else {name: value})
    return found


def check_compiled(model: Any) -> None:
    if not record_of(model).compiled.is_compiled:
        raise InvalidArgumentError("You must call `compile()` before using the model.")


def step_of(model: Any, name: str) -> Callable[[Any], Any]:
    """A step as a function of a batch: traced, unless the model runs eagerly; over all devices that are in effect."""
    record = record_of(model)
    functions, strategy = record.compiled.functions, record.strategy
    spread = in_effect() if strategy is None else strategy.spread
    if (name, spread) not in functions:
        method = getattr(model, name)
        if strategy is not None and spread is not None and getattr(method, "__func__", None) not in Fitting.own_steps:
            functions[name, spread] = in_replicas(strategy, method)
        else:
            functions[name, spread] = _step_over(spread, method, model.run_eagerly)
    return functions[name, spread]


def _step_over(spread: Any, method: Callable[..., Any], eagerly: bool) -> Callable[[Any], Any]:
    """A step of one replica, which all devices run together."""

    def step(data: object) -> Any:
        return converted_call(method)(data)

    run = step if eagerly else function(step, reduce_retracing=True)
    if spread is None:
        return run

    def run_over_devices(batch: object) -> Any:
        with spread_over(spread), in_scope(None):
            return run(batch if eagerly else spread.divided(batch))

    return run_over_devices


def results(model: Any, logs: dict[str, Any], return_dict: bool) -> Any:
    """What users get of the logs of a step: a number, a list in the order of the metrics, or a dict."""
    found = plain_logs(logs)
    if return_dict:
        return found
    order = [
        part.name for each in model.metrics
        for part in (each.metrics if isinstance(each, CompiledMetrics) else [each])
    ]  # fmt: skip
    values = [found.pop(name) for name in order if name in found] + list(found.values())
    return values[0] if len(values) == 1 else values
