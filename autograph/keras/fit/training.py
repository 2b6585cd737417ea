"""`Trainer`: what models have beyond layers: `compile`, `fit`, `evaluate`, `predict`, and single steps.

A step is a traced function of one batch; loops over batches and epochs are Python. `train_step`, `test_step` and
`predict_step` may be overridden; inside traced functions they are converted.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograph.distribute.strategy import default_strategy
from autograph.errors import InvalidArgumentError, InvalidTypeError
from autograph.runtime.base import nest
from autograph.runtime.gradient import GradientTape
from autograph.runtime.ops.shape.shape import shape
from autograph.runtime.tensors.convert import convert_to_tensor
from autograph.runtime.tensors.tracing_state import LOCAL
from autograph.settings import settings

from .. import optimizers
from ..base.layer import signature_of
from ..base.tracking import all_layers, own_metrics, unique
from ..formulas.reduction import of_one_replica, shared_by_replicas
from ..metrics import Mean
from .compiled import CompiledLosses, CompiledMetrics
from .data import data_from, unpack_x_y_sample_weight
from .fitting import Fitting, by_name, check_compiled, results, step_of

__all__ = ["Trainer"]


class Compiled:
    """What `compile` was given."""

    def __init__(self) -> None:
        self.is_compiled = False
        self.arguments: dict[str, Any] = {}
        self.optimizer: Any = None
        self.loss: Any = None
        self.losses: CompiledLosses | None = None
        self.metrics: CompiledMetrics | None = None
        self.tracker: Any = None
        self.run_eagerly = False
        self.functions: dict[Any, Callable[..., Any]] = {}
        self.stop = False
        self.history: Any = None
        self.source: Any = None
        """What `fit` reads batches from, if these are no arrays."""
        self.resumption: Any = None
        """Where `fit` goes on, see `backup`."""

    def __getstate__(self) -> dict[str, Any]:
        """For copies and pickles: without functions that this program has traced, and what `fit` is reading."""
        return {**vars(self), "functions": {}, "source": None, "resumption": None}


class Trainer(Fitting):
    """Training, evaluation and prediction of a model."""

    def _init_training(self) -> None:
        self._record.compiled = Compiled()  # type: ignore[attr-defined]
        self._record.strategy = LOCAL.strategy  # type: ignore[attr-defined]

    @property
    def distribute_strategy(self) -> Any:
        """The strategy in whose scope the model was made; the default one where there was none."""
        found = self._record.strategy  # type: ignore[attr-defined]
        return default_strategy() if found is None else found

    @property
    def _compiled(self) -> Compiled:
        return self._record.compiled  # type: ignore[attr-defined]

    def compile(
        self, optimizer: Any = "rmsprop", loss: object = None, loss_weights: object = None, metrics: object = None,
        weighted_metrics: object = None, run_eagerly: bool = False, steps_per_execution: int = 1,
        jit_compile: bool | str | None = "auto", auto_scale_loss: bool = True
    ) -> None:  # fmt: skip
        """Say how the model is trained and measured.

        Parameters
        ----------
        optimizer: an optimizer or its name.
        loss: a loss, its name, or a function of targets and outputs; for several outputs a list or dict of them.
        loss_weights: factors of the losses, as a list or dict.
        metrics: a list of metrics, names or functions; for several outputs a list or dict of lists.
        weighted_metrics: as ``metrics``, with the weights of samples.
        run_eagerly: run steps without graphs, so that a debugger can stop in them.
        steps_per_execution, jit_compile, auto_scale_loss: accepted as in Keras; they don't change results.

        Raises `ValueError` for names that are not known.
        """
        compiled = Compiled()
        names = self._output_names()
        compiled.is_compiled = True
        compiled.arguments = {
            "loss": loss, "loss_weights": loss_weights, "metrics": metrics, "weighted_metrics": weighted_metrics,
            "run_eagerly": run_eagerly, "steps_per_execution": steps_per_execution, "jit_compile": jit_compile,
        }  # fmt: skip
        compiled.optimizer = optimizers.get(optimizer)
        compiled.loss = loss
        compiled.losses = None if loss is None else CompiledLosses(loss, loss_weights, names)
        if metrics is not None or weighted_metrics is not None:
            compiled.metrics = CompiledMetrics(metrics, weighted_metrics, names)
        compiled.tracker = Mean(name="loss")
        compiled.run_eagerly = run_eagerly
        self._record.compiled = compiled  # type: ignore[attr-defined]

    def _output_names(self) -> list[str] | None:
        """The names of the outputs: of the layers that a functional model's outputs come from; keys of a dict."""
        graph = self._record.graph  # type: ignore[attr-defined]
        if graph is None:
            return None
        if isinstance(graph.outputs, dict):
            return sorted(graph.outputs)
        return [leaf.keras_history[0].operation.name for leaf in nest.flatten(graph.outputs)]

    def _reset_functions(self) -> None:
        self._compiled.functions.clear()

    # What compile gave

    @property
    def optimizer(self) -> Any:
        return self._compiled.optimizer

    @optimizer.setter
    def optimizer(self, value: object) -> None:
        self._compiled.optimizer = value
        self._reset_functions()

    @property
    def loss(self) -> Any:
        return self._compiled.loss

    @property
    def compiled(self) -> bool:
        """Whether `compile` has been called."""
        return self._compiled.is_compiled

    @property
    def run_eagerly(self) -> bool:
        return self._compiled.run_eagerly or settings.run_functions_eagerly

    @run_eagerly.setter
    def run_eagerly(self, value: bool) -> None:
        self._compiled.run_eagerly = value
        self._reset_functions()

    @property
    def stop_training(self) -> bool:
        """Set by callbacks: `fit` ends after this batch or epoch."""
        return self._compiled.stop

    @stop_training.setter
    def stop_training(self, value: bool) -> None:
        self._compiled.stop = value

    @property
    def history(self) -> Any:
        """What the last `fit` returned."""
        return self._compiled.history

    @property
    def metrics(self) -> list[Any]:
        """The metrics that are reset when an epoch begins: of the loss, of `compile`, and those in attributes."""
        compiled = self._compiled
        found = [compiled.tracker] if compiled.tracker is not None else []
        found += [compiled.metrics] if compiled.metrics is not None else []
        found += compiled.losses.trackers if compiled.losses is not None else []
        return unique([*found, *(metric for layer in all_layers(self) for metric in own_metrics(layer))])

    @property
    def metrics_names(self) -> list[str]:
        return [metric.name for metric in self.metrics]

    def reset_metrics(self) -> None:
        """Begin again with all metrics."""
        for metric in self.metrics:
            metric.reset_state()

    # Steps

    def _call(self, x: object, training: bool) -> Any:
        takes_training = signature_of(self).takes_training  # type: ignore[arg-type]
        return self(x, training=training) if takes_training else self(x)  # type: ignore[operator]

    def train_step(self, data: object) -> dict[str, Any]:
        """One step of training on a batch; returns the losses and metrics so far by name."""
        x, y, sample_weight = unpack_x_y_sample_weight(data)
        compiled = self._compiled
        with GradientTape() as tape:
            outputs = self._call(x, True)
            loss = self.compute_loss(x=x, y=y, y_pred=outputs, sample_weight=sample_weight, training=True)
            scaled = compiled.optimizer.scale_loss(loss)
        self._track(loss, x)
        variables = self.trainable_weights  # type: ignore[attr-defined]
        if variables:
            gradients = tape.gradient(scaled, variables)
            compiled.optimizer.apply_gradients(zip(gradients, variables, strict=True))
        return self.compute_metrics(x, y, outputs, sample_weight)

    def test_step(self, data: object) -> dict[str, Any]:
        """One step of evaluation on a batch; returns the losses and metrics so far by name."""
        x, y, sample_weight = unpack_x_y_sample_weight(data)
        outputs = self._call(x, False)
        self._track(self.compute_loss(x=x, y=y, y_pred=outputs, sample_weight=sample_weight, training=False), x)
        return self.compute_metrics(x, y, outputs, sample_weight)

    def predict_step(self, data: object) -> Any:
        """The outputs for a batch."""
        x, _, _ = unpack_x_y_sample_weight(data)
        return self._call(x, False)

    def _track(self, loss: Any, x: object) -> None:
        """Take a loss into the mean over samples."""
        first = next(leaf for leaf in nest.flatten(x) if leaf is not None)
        self._compiled.tracker.update_state(of_one_replica(loss), sample_weight=shape(first)[0])

    def compute_loss(
        self,
        x: object = None,
        y: Any = None,
        y_pred: Any = None,
        sample_weight: Any = None,
        training: bool = True,
    ) -> Any:
        """The loss of a batch: of `compile`, and what `add_loss` and regularizers add.

        Raises `InvalidArgumentError` when there is none of these.
        """
        total = None
        if self._compiled.losses is not None and y is not None:
            if y_pred is None:
                text = f"the `call` method of {type(self).__name__} gives None"
                raise InvalidTypeError(text, remedy="end it with `return` and the outputs")
            total = self._compiled.losses(y, y_pred, sample_weight)
        for loss in self.losses:  # type: ignore[attr-defined]
            loss = shared_by_replicas(convert_to_tensor(loss))
            total = loss if total is None else total + loss
        if total is None:
            raise InvalidArgumentError(
                "No loss to compute. Provide a `loss` argument in `compile()` and targets, or add losses with "
                "`add_loss`."
            )
        return total

    def compute_metrics(self, x: object, y: object, y_pred: object, sample_weight: object = None) -> dict[str, Any]:
        """Take a batch into the metrics; returns `get_metrics_result`."""
        if self._compiled.metrics is not None and y is not None:
            self._compiled.metrics.update_state(y, y_pred, sample_weight)
        return self.get_metrics_result()

    def get_metrics_result(self) -> dict[str, Any]:
        """The results of all metrics by name."""
        return by_name({metric.name: metric.result() for metric in self.metrics})

    # Single steps

    def train_on_batch(
        self,
        x: object,
        y: object = None,
        sample_weight: object = None,
        class_weight: object = None,
        return_dict: bool = False,
    ) -> Any:
        """One step of training. Returns the loss and the metrics of the batch: a number, a list or a dict."""
        check_compiled(self)
        self.reset_metrics()
        logs = step_of(self, "train_step")(self._batch(x, y, sample_weight, class_weight))
        return results(self, logs, return_dict)

    def test_on_batch(
        self,
        x: object,
        y: object = None,
        sample_weight: object = None,
        return_dict: bool = False,
    ) -> Any:
        """One step of evaluation. Returns as `train_on_batch`."""
        check_compiled(self)
        self.reset_metrics()
        return results(self, step_of(self, "test_step")(self._batch(x, y, sample_weight)), return_dict)

    def predict_on_batch(self, x: object) -> Any:
        """The outputs for one batch, as arrays."""
        outputs = step_of(self, "predict_step")(self._batch(x))
        return nest.map_structure(lambda leaf: leaf.numpy(), outputs)

    def _batch(self, x: object, y: object = None, sample_weight: object = None, class_weight: Any = None) -> Any:
        count = len(next(iter(nest.flatten(x))))
        data = data_from(x, y, sample_weight, batch_size=max(count, 1), class_weight=class_weight)
        return next(data.batches())


Fitting.own_steps = frozenset((Trainer.train_step, Trainer.test_step, Trainer.predict_step))
