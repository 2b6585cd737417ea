"""`SwapEMAWeights`: to look at a model with the averages that its optimizer keeps of its weights."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from autograph.errors import InvalidArgumentError

from .callback import Callback, Logs
from .rates import inner_optimizers

if TYPE_CHECKING:
    from autograph.runtime.state.variable import Variable

__all__ = ["SwapEMAWeights"]


class SwapEMAWeights(Callback):
    """Puts the averages of an optimizer with ``use_ema=True`` into the model for evaluations and predictions.

    With ``swap_on_epoch`` also from the end of each epoch of training to the next one, so that callbacks behind it,
    such as `ModelCheckpoint`, see them. (After a prediction the weights come back, too; Keras 3 leaves the averages.)
    Raises `ValueError` for an optimizer without averages.
    """

    def __init__(self, swap_on_epoch: bool = False) -> None:
        super().__init__()
        self.swap_on_epoch = swap_on_epoch
        self._are_swapped = False

    def _each(self, change: Callable[[Any, Any], None]) -> None:
        found = [each for _, each in inner_optimizers(self.model) if each.use_ema and each.built]
        if not found:
            raise InvalidArgumentError(
                "SwapEMAWeights must be used when `use_ema=True` is set on the optimizer, which has been built: "
                f"{self.model.optimizer.name!r} keeps no averages"
            )
        for optimizer in found:
            for variable, average in optimizer.averages:
                change(variable, average)

    def _swap(self, to: bool) -> None:
        if self._are_swapped is not to:
            self._each(_swap)
            self._are_swapped = to

    def on_epoch_begin(self, epoch: int, logs: Logs = None) -> None:
        if self.swap_on_epoch:
            self._swap(False)

    def on_epoch_end(self, epoch: int, logs: Logs = None) -> None:
        if not self.swap_on_epoch:
            return
        self._swap(True)
        if epoch == self.params["epochs"] - 1:
            # The optimizer sets the weights to its averages when training ends: they are where the weights are now.
            self._each(lambda variable, average: average.assign(variable))

    def on_test_begin(self, logs: Logs = None) -> None:
        self._swap(True)

    def on_test_end(self, logs: Logs = None) -> None:
        self._swap(False)

    def on_predict_begin(self, logs: Logs = None) -> None:
        self._swap(True)

    def on_predict_end(self, logs: Logs = None) -> None:
        self._swap(False)


def _swap(variable: Variable, average: Variable) -> None:
    before = variable.numpy()
    variable.assign(average)
    average.assign(before)
