"""`Dataset.ignore_errors`: elements that can't be made are left out."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

from ..dataset import Dataset
from ..failures import Failure, Item
from ..functions import Environment

__all__ = ["IgnoreErrors"]


class IgnoreErrors(Dataset):
    """The elements whose making raises nothing."""

    _name = "_IgnoreErrorsDataset"

    def __init__(self, source: Dataset, log_warning: bool) -> None:
        self._log = bool(log_warning)
        super().__init__(source.element_spec, [source])

    def elements(self, environment: Environment) -> Iterator[Item]:
        for item in self.sources[0].elements(environment):
            if not isinstance(item, Failure):
                yield item
            elif self._log:
                warnings.warn(f"an element of a dataset is left out: {item.error}", RuntimeWarning, stacklevel=2)
