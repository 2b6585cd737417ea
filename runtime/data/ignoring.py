"""`Dataset.ignore_errors`: elements that can't be made are left out."""

from __future__ import annotations

import inspect
import os
import warnings
from collections.abc import Iterator

from autograph.errors import InvalidArgumentError

from .dataset import Dataset
from .functions import Environment
from .structure import Element

__all__ = ["IgnoreErrors"]

_HERE = os.path.dirname(os.path.abspath(__file__))


class IgnoreErrors(Dataset):
    """The elements whose making raises nothing."""

    _name = "_IgnoreErrorsDataset"

    def __init__(self, source: Dataset, log_warning: bool) -> None:
        self._log = bool(log_warning)
        super().__init__(source.element_spec, [source])

    def elements(self, environment: Environment) -> Iterator[Element]:
        source = iter(self._sources[0].elements(environment))
        while True:
            try:
                element = next(source)
            except StopIteration:
                return
            except Exception as error:
                _check_goes_on(error)
                if self._log:
                    warnings.warn(f"an element of a dataset is left out: {error}", RuntimeWarning, stacklevel=2)
                continue
            yield element


def _check_goes_on(error: Exception) -> None:
    """Refuse to go on after an error that has ended a dataset: the elements after it would be missing silently."""
    traceback = error.__traceback__
    traceback = traceback.tb_next if traceback is not None else None  # the frame of `elements` itself
    while traceback is not None:
        code = traceback.tb_frame.f_code
        if code.co_flags & inspect.CO_GENERATOR and os.path.dirname(os.path.abspath(code.co_filename)) == _HERE:
            raise InvalidArgumentError(
                f"ignore_errors() can't go on after this error: {error}",
                remedy="put ignore_errors() right behind the map() or filter() whose function raises, before shuffle, "
                "padded_batch, interleave and the like",
            ) from error
        traceback = traceback.tb_next
