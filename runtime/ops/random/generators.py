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

    def kept(self) -> dict[str, Any]:
        """What decides the numbers to come, as JSON may have it."""
        with self.lock:
            common = None if self.common is None else _plain(self.common.bit_generator.state)
            by_seed = [[seed, _plain(each.bit_generator.state)] for seed, each in self.by_seed.items()]
            return {"seed": self.seed, "common": common, "by_seed": by_seed}

    def restore(self, kept: dict[str, Any]) -> None:
        """Have the numbers come that came when it was ``kept``."""
        with self.lock:
            self.seed = kept["seed"]
            self.common = None if kept["common"] is None else _generator_with(kept["common"])
            self.by_seed = {seed: _generator_with(state) for seed, state in kept["by_seed"]}

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


def _plain(state: Any) -> Any:
    """A state with lists in the place of arrays."""
    if isinstance(state, dict):
        return {name: _plain(value) for name, value in state.items()}
    return state.tolist() if isinstance(state, np.ndarray) else state


def _generator_with(state: dict[str, Any]) -> Any:
    """A generator as it was with a state; see `_plain`."""
    found = generator_of(0)
    parts = {name: np.array(value, np.uint64) for name, value in state["state"].items()}
    found.bit_generator.state = {**state, "state": parts, "buffer": np.array(state["buffer"], np.uint64)}
    return found


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
