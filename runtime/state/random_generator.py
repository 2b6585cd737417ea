"""`Generator`: random numbers from a state that is a variable, the same eagerly and in graphs.

The state is that of a counter-based generator: two words that count and one that is the key. An op takes a stretch of
the counter (an effect); the numbers follow from the state before, as TensorFlow's do, in every engine: see
`ops.random.portable`. Binomial numbers alone are NumPy's.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from autograph.errors import InvalidArgumentError, InvalidTypeError

from ..base import shapes
from ..base.dtypes import DType, as_dtype, float32, int32, int64, uint64
from ..ops.elementwise.elementwise import cast
from ..ops.host.collective import REPLICA_ID
from ..ops.infer import require
from ..ops.random.random_states import DRAW, TAKE
from ..ops.reduce.reduce import reduce_prod
from ..ops.shape.dims import as_dims
from ..ops.shape.joining import stack
from ..tensors import trace
from ..tensors.convert import convert_to_tensor
from ..tensors.tensor import EagerTensor
from .variable import Variable

if TYPE_CHECKING:
    from ..tensors.likes import DTypeLike, ShapeLike, TensorLike

__all__ = ["Generator", "create_rng_state", "get_global_generator", "set_global_generator"]


class Generator:
    """A generator of random numbers with a state of its own, a `Variable`.

    Make one by `from_seed`, `from_state`, `from_key_counter` or `from_non_deterministic_state`; or give another one to
    be copied. In a traced function each run draws further numbers.

    Replicas of a strategy in whose scope it is made share its state, and each draws numbers of its own from it, as in
    TensorFlow: with the 64 bits in the place of the key that the generator with this key draws first where its counter
    is (number of the replica, 0). They have to draw equally many.
    """

    def __init__(self, copy_from: Generator | None = None, state: object = None, alg: object = None) -> None:
        if (copy_from is None) == (state is None):
            raise InvalidArgumentError("give either copy_from or state: a Generator is made of one of them")
        _check_algorithm(alg)
        value = copy_from.state.numpy() if copy_from is not None else _as_state(state)
        self._state: Variable = Variable(value, trainable=False, name="StateVar", dtype=int64)

    @classmethod
    def from_state(cls, state: object, alg: object = None) -> Generator:
        """A generator with a state of three integers: two that count, and a key."""
        return cls(state=state, alg=alg)

    @classmethod
    def from_seed(cls, seed: TensorLike, alg: object = None) -> Generator:
        """A generator with a state that follows from a seed: an integer, or up to three."""
        return cls(state=create_rng_state(seed, alg), alg=alg)

    @classmethod
    def from_key_counter(cls, key: object, counter: object, alg: object = None) -> Generator:
        """A generator with a key and a counter of two integers (or one)."""
        return cls(state=_key_counter(key, counter), alg=alg)

    @classmethod
    def from_non_deterministic_state(cls, alg: object = None) -> Generator:
        """A generator with a state from the operating system."""
        return cls(state=[secrets.randbits(63) for _ in range(3)], alg=alg)

    @property
    def state(self) -> Variable:
        return self._state

    @property
    def key(self) -> Any:
        return self._state[-1]

    @property
    def algorithm(self) -> int:
        """1: Philox."""
        return 1

    def reset(self, state: object) -> None:
        """Set the state."""
        self._state.assign(_as_state(state))

    def reset_from_seed(self, seed: TensorLike) -> None:
        """Set the state that `from_seed` gives."""
        self._state.assign(create_rng_state(seed))

    def reset_from_key_counter(self, key: object, counter: object) -> None:
        """Set a key and a counter."""
        self._state.assign(_as_state(_key_counter(key, counter)))

    def skip(self, delta: TensorLike) -> Any:
        """Leave out some numbers; returns the state before."""
        replica = trace.LOCAL.replica
        if replica is not None:
            replica.require_shared(self._state)
        return trace.apply(TAKE, convert_to_tensor(delta), target=self._state)

    def _numbers(self, kind: str, shape: ShapeLike, a: object, b: object, dtype: DType, name: str | None) -> Any:
        hint, dims = as_dims(shape)
        count = reduce_prod(dims[0]) if dims else convert_to_tensor(shapes.size(hint))
        state = _of_replica(self.skip(count))
        return trace.apply(DRAW, state, a, b, *dims, name=name, shape=hint, dtype=dtype, kind=kind)

    def normal(
        self,
        shape: ShapeLike,
        mean: object = 0.0,
        stddev: object = 1.0,
        dtype: DTypeLike = float32,
        name: str | None = None,
    ) -> Any:
        """Normally distributed numbers."""
        return self._spread("normal", shape, mean, stddev, dtype, name)

    def truncated_normal(
        self,
        shape: ShapeLike,
        mean: object = 0.0,
        stddev: object = 1.0,
        dtype: DTypeLike = float32,
        name: str | None = None,
    ) -> Any:
        """Normally distributed numbers within two standard deviations."""
        return self._spread("truncated_normal", shape, mean, stddev, dtype, name)

    def _spread(
        self, kind: str, shape: ShapeLike, mean: object, stddev: object, dtype: DTypeLike, name: str | None
    ) -> Any:
        target = as_dtype(dtype)
        require(target.is_floating, f"normal random numbers can't have dtype {target.name}")
        mean, stddev = convert_to_tensor(mean, target), convert_to_tensor(stddev, target)
        return self._numbers(kind, shape, mean, stddev, target, name)

    def uniform(
        self, shape: ShapeLike, minval: Any = 0, maxval: Any = None, dtype: DTypeLike = float32, name: str | None = None
    ) -> Any:
        """Numbers from `minval` up to, without, `maxval` (1 for floats); integers of the whole range without both."""
        target = as_dtype(dtype)
        if maxval is None and target.is_integer:
            if minval is None:
                return self.uniform_full_int(shape, target, name)
            raise InvalidArgumentError(
                f"For integer dtype {target}, minval and maxval must be both `None` or both non-`None`; got "
                f"minval={minval} and maxval=None"
            )
        low, high = cast(minval, target), cast(1 if maxval is None else maxval, target)
        return self._numbers("uniform", shape, low, high, target, name)

    def uniform_full_int(self, shape: ShapeLike, dtype: DTypeLike = uint64, name: str | None = None) -> Any:
        """Integers of the whole range of a dtype."""
        target = as_dtype(dtype)
        require(target.is_integer, f"uniform_full_int() gives integers, not {target.name}")
        return self._numbers("full_range", shape, convert_to_tensor(0), convert_to_tensor(0), target, name)

    def binomial(
        self, shape: ShapeLike, counts: object, probs: object, dtype: DTypeLike = int32, name: str | None = None
    ) -> Any:
        """How many of `counts` trials succeed, each with a probability."""
        return self._numbers("binomial", shape, convert_to_tensor(counts), convert_to_tensor(probs), as_dtype(dtype),
                             name)  # fmt: skip

    def make_seeds(self, count: int = 1) -> Any:
        """Seeds for stateless functions, int64 of shape (2, count): a column for each."""
        keys = self.uniform_full_int([count], int64)
        return stack([keys, keys * 0])

    def split(self, count: int = 1) -> list[Generator]:
        """New generators, with keys drawn from this one."""
        keys = self.uniform_full_int([count], int64)
        return [Generator.from_key_counter(keys[i], [0, 0]) for i in range(count)]


def _of_replica(state: Any) -> Any:
    """The state that a replica, if this is one of several, draws by where they share one."""
    if trace.LOCAL.replica is None or trace.LOCAL.is_between:
        return state
    place, zero = stack([cast(REPLICA_ID(), int64), cast(0, int64), state[2]]), convert_to_tensor(0)
    key = trace.apply(DRAW, place, zero, zero, shape=(1,), dtype=int64, kind="full_range")
    return stack([state[0], state[1], key[0]])


def _check_algorithm(algorithm: object) -> None:
    if algorithm not in (None, 1, "philox", "auto_select"):
        raise InvalidArgumentError(f"Argument `alg` got unsupported value {algorithm}. Supported is philox.")


def _as_state(state: object) -> Any:
    """Three int64 words. Raises `InvalidArgumentError` for anything else."""
    if isinstance(state, Variable):
        state = state.value()
    if isinstance(state, Sequence):
        state = _words(state)
    tensor = convert_to_tensor(state)
    if tensor.dtype is not int64 or not shapes.is_compatible(tensor.static_shape, (3,)):
        raise InvalidArgumentError(f"the state of a Generator is three int64 numbers, not {tensor!r}")
    return tensor


def _words(numbers: Sequence[Any]) -> Any:
    if any(isinstance(number, EagerTensor) for number in numbers):
        numbers = [int(number) for number in numbers]
    if not all(isinstance(number, (int, np.integer)) for number in numbers):
        raise InvalidTypeError(f"a state or a seed is made of whole numbers, not {numbers!r}")
    return np.array([int(number) % 2**64 for number in numbers], np.uint64).view(np.int64)


def _key_counter(key: object, counter: object) -> list[Any]:
    words = list(counter) if isinstance(counter, (list, tuple)) else [counter]
    return [*words, *[0] * (2 - len(words)), key]


def create_rng_state(seed: Any, alg: object = None) -> Any:
    """The state, three int64 numbers, for a seed: an integer, or up to three of them."""
    _check_algorithm(alg)
    if isinstance(seed, (list, tuple)):
        words = [*seed, *[0] * (3 - len(seed))]
    else:
        words = [int(seed) >> shift for shift in (0, 64, 128)]
    return convert_to_tensor(_words(words))


_global: list[Generator] = []


def get_global_generator() -> Generator:
    """The generator that all parts of a program share; made with a state from the operating system when first used."""
    if not _global:
        with trace.building(None):
            set_global_generator(Generator.from_non_deterministic_state())
    return _global[0]


def set_global_generator(generator: Generator) -> None:
    """Set the generator that `get_global_generator` gives."""
    _global[:] = [generator]
