"""What callbacks are, and those that `fit` itself uses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograph.errors import InvalidArgumentError

from .progress import Progbar, default_verbose

__all__ = ["Callback", "CallbackList", "History", "LambdaCallback", "ProgbarLogger"]

Logs = dict[str, Any] | None


class Callback:
    """What happens beside training; subclasses define some of the methods. ``self.model`` is the model.

    ``logs`` holds the losses and metrics so far by name; ``params`` the number of ``epochs`` and ``steps``, and
    ``verbose``.
    """

    def __init__(self) -> None:
        self.params: dict[str, Any] = {}
        self._model: Any = None

    @property
    def model(self) -> Any:
        return self._model

    def set_params(self, params: dict[str, Any]) -> None:
        self.params = params

    def set_model(self, model: object) -> None:
        self._model = model

    def on_batch_begin(self, batch: int, logs: Logs = None) -> None:
        """As `on_train_batch_begin`."""

    def on_batch_end(self, batch: int, logs: Logs = None) -> None:
        """As `on_train_batch_end`."""

    def on_epoch_begin(self, epoch: int, logs: Logs = None) -> None:
        """An epoch of training begins."""

    def on_epoch_end(self, epoch: int, logs: Logs = None) -> None:
        """An epoch of training, validation included, has ended."""

    def on_train_batch_begin(self, batch: int, logs: Logs = None) -> None:
        self.on_batch_begin(batch, logs=logs)

    def on_train_batch_end(self, batch: int, logs: Logs = None) -> None:
        self.on_batch_end(batch, logs=logs)

    def on_test_batch_begin(self, batch: int, logs: Logs = None) -> None: ...

    def on_test_batch_end(self, batch: int, logs: Logs = None) -> None: ...

    def on_predict_batch_begin(self, batch: int, logs: Logs = None) -> None: ...

    def on_predict_batch_end(self, batch: int, logs: Logs = None) -> None: ...

    def on_train_begin(self, logs: Logs = None) -> None: ...

    def on_train_end(self, logs: Logs = None) -> None: ...

    def on_test_begin(self, logs: Logs = None) -> None: ...

    def on_test_end(self, logs: Logs = None) -> None: ...

    def on_predict_begin(self, logs: Logs = None) -> None: ...

    def on_predict_end(self, logs: Logs = None) -> None: ...


class CallbackList(Callback):
    """Callbacks as one: what is called on it is called on each of them."""

    def __init__(
        self, callbacks: Any = None, add_history: bool = False, add_progbar: bool = True, model: object = None,
        verbose: int | str = 0, **params: object
    ) -> None:  # fmt: skip
        super().__init__()
        if isinstance(callbacks, Callback):
            callbacks = [callbacks]
        self.callbacks: list[Callback] = list(callbacks or ())
        for each in self.callbacks:
            if not isinstance(each, Callback):
                raise InvalidArgumentError(f"`callbacks` must be a list of Callback objects, not {each!r}")
        if verbose == "auto":
            verbose = default_verbose()
        if verbose and add_progbar:
            self.callbacks.append(ProgbarLogger())
        self.history = next((each for each in self.callbacks if isinstance(each, History)), History())
        if add_history and self.history not in self.callbacks:
            self.callbacks.append(self.history)
        for each in self.callbacks:
            each.set_model(model)
            each.set_params({"verbose": verbose, **params})

    def append(self, callback: Callback) -> None:
        self.callbacks.append(callback)


def _on_all(name: str) -> Callable[..., None]:
    def call(self: CallbackList, *args: Any, logs: Logs = None) -> None:
        if args and isinstance(args[-1], dict):
            *args, logs = args  # type: ignore[assignment]
        for each in self.callbacks:
            getattr(each, name)(*args, logs=logs if logs is not None else {})

    return call


for _name in [name for name in vars(Callback) if name.startswith("on_")]:
    setattr(CallbackList, _name, _on_all(_name))


class History(Callback):
    """The losses and metrics of all epochs: ``history["loss"][3]``, of the epochs ``epoch``."""

    def __init__(self) -> None:
        super().__init__()
        self.history: dict[str, list[Any]] = {}
        self.epoch: list[int] = []

    def on_train_begin(self, logs: Logs = None) -> None:
        self.epoch = []

    def on_epoch_end(self, epoch: int, logs: Logs = None) -> None:
        self.epoch.append(epoch)
        for name, value in (logs or {}).items():
            self.history.setdefault(name, []).append(value)


class ProgbarLogger(Callback):
    """Shows a bar or a line for each epoch; `fit` adds it unless it is silent."""

    _bar: Progbar
    _seen = 0
    _fitting = False  # while `fit` validates, its bar stays as it is

    def _begin(self, title: str | None = None) -> None:
        if title is not None and self.params["verbose"]:
            print(title, flush=True)
        self._bar = Progbar(self.params.get("steps"), verbose=self.params["verbose"])
        self._seen = 0

    def _step(self, batch: int, logs: Logs) -> None:
        self._seen = batch + 1
        self._bar.update(self._seen, {k: v for k, v in sorted((logs or {}).items()) if k != "outputs"}, finalize=False)

    def _end(self, logs: Logs) -> None:
        self._bar.target = self._bar.target if self._bar.target is not None else self._seen
        self._bar.update(self._seen, logs or {}, finalize=True)

    def on_train_begin(self, logs: Logs = None) -> None:
        self._fitting = True

    def on_epoch_begin(self, epoch: int, logs: Logs = None) -> None:
        epochs = self.params.get("epochs", 1)
        self._begin(f"Epoch {epoch + 1}/{epochs}" if epochs > 1 else None)

    def on_train_batch_end(self, batch: int, logs: Logs = None) -> None:
        self._step(batch, logs)

    def on_epoch_end(self, epoch: int, logs: Logs = None) -> None:
        self._end(logs)

    def on_test_begin(self, logs: Logs = None) -> None:
        if not self._fitting:
            self._begin()

    def on_test_batch_end(self, batch: int, logs: Logs = None) -> None:
        if not self._fitting:
            self._step(batch, logs)

    def on_test_end(self, logs: Logs = None) -> None:
        if not self._fitting:
            self._end(logs)

    def on_predict_begin(self, logs: Logs = None) -> None:
        self._begin()

    def on_predict_batch_end(self, batch: int, logs: Logs = None) -> None:
        self._step(batch, logs)

    def on_predict_end(self, logs: Logs = None) -> None:
        self._end(logs)


class LambdaCallback(Callback):
    """Functions as a callback: ``LambdaCallback(on_epoch_end=lambda epoch, logs: …)``."""

    def __init__(
        self, on_epoch_begin: object = None, on_epoch_end: object = None, on_train_begin: object = None,
        on_train_end: object = None, on_train_batch_begin: object = None, on_train_batch_end: object = None,
        **kwargs: object
    ) -> None:  # fmt: skip
        super().__init__()
        given = {name: value for name, value in {**locals(), **kwargs}.items() if name.startswith("on_")}
        unknown = kwargs.keys() - {name for name in vars(Callback) if name.startswith("on_")}
        if unknown:
            raise InvalidArgumentError(f"a LambdaCallback has no {sorted(unknown)[0]!r}")
        for name, function in given.items():
            if function is not None:
                setattr(self, name, _with_logs(function, name))


def _with_logs(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    if name.startswith(("on_train_b", "on_test_b", "on_predict_b", "on_epoch", "on_batch")) and name not in (
        "on_train_begin", "on_test_begin", "on_predict_begin"
    ):  # fmt: skip
        return lambda number, logs=None: function(number, logs)
    return lambda logs=None: function(logs)
