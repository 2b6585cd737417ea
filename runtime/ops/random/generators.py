"""The generators that stateful random numbers are drawn from, and those of replicas (see `engines.replicated`)."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

__all__ = ["as_replica", "generator_of", "generators", "replica_seed"]


class _Generators:
    """The generators of stateful ops: one for all without a seed, one for each seed that an op gives itself."""

    def __init__(self) -> None:
        self.lock = threading.RLock()  # handlers of signals may draw too
        self.states: weakref.WeakValueDictionary[int, Any] = weakref.WeakValueDictionary()
        self.restart(None)

    def restart(self, seed: int | None) -> None:
        with self.lock:
            self.seed = seed
            self.common: Any = None
            self.by_seed: dict[int, Any] = {}
            for variable in list(self.states.values()):
                variable.array = self.new_state()

    def new_state(self) -> Any:
        """What a variable begins with that replicas draw by: a key, and how often they have drawn."""
        return np.array([generator_of(self.seed).integers(2**62), 0])

    def draw(self, seed: int | None, sampler: Callable[[Any], Any]) -> Any:
        """What `sampler` takes from the generator for an op's own seed, or from the common one."""
        own = _replica.generators
        if own is not None and own is not self:
            return own.draw(seed, sampler)
        with self.lock:
            if seed is not None:
                generator = self.by_seed.get(seed)
                if generator is None:
                    generator = self.by_seed[seed] = generator_of([self.seed or 0, seed])
            else:
                if self.common is None:
                    self.common = generator_of(self.seed)
                generator = self.common
            return sampler(generator)


def generator_of(seed: object) -> Any:
    """A generator of NumPy's that starts from `seed`, integers; from what the machine gives for ``None``."""
    entropy = None if seed is None else [int(part) % 2**64 for part in np.atleast_1d(np.asarray(seed, object))]
    return np.random.Generator(np.random.Philox(np.random.SeedSequence(entropy)))


generators = _Generators()


class _Replica(threading.local):
    """The generators of the replica that this thread runs."""

    generators: _Generators | None = None


_replica = _Replica()


@contextmanager
def as_replica(seed: int, number: int) -> Iterator[None]:
    """This thread draws, for a while, what one of several replicas does for a seed that they share."""
    before, own = _replica.generators, _Generators()
    own.restart((seed + number * 0x9E3779B97F4A7C15) % 2**64)
    _replica.generators = own
    try:
        yield
    finally:
        _replica.generators = before


def replica_seed() -> int:
    """A seed that replicas share, drawn from the common generator."""
    return int(generators.draw(None, lambda generator: generator.integers(2**63)))
