"""Written by `python -m tests.stubs`."""

from .runtime.state.random_generator import Generator as Generator
from .runtime.ops.random.random import bernoulli as bernoulli
from .runtime.ops.random.random import categorical as categorical
from .runtime.state.random_generator import create_rng_state as create_rng_state
from .runtime.ops.random.random_seeds import experimental as experimental
from .runtime.ops.random.random_seeds import fold_in as fold_in
from .runtime.ops.random.random_counts import gamma as gamma
from .runtime.state.random_generator import get_global_generator as get_global_generator
from .runtime.ops.random.random import normal as normal
from .runtime.ops.random.random_counts import poisson as poisson
from .runtime.state.random_generator import set_global_generator as set_global_generator
from .runtime.ops.random.random import set_seed as set_seed
from .runtime.ops.random.random import shuffle as shuffle
from .runtime.ops.random.random_seeds import split as split
from .runtime.ops.random.random import stateless_bernoulli as stateless_bernoulli
from .runtime.ops.random.random import stateless_categorical as stateless_categorical
from .runtime.ops.random.random_counts import stateless_gamma as stateless_gamma
from .runtime.ops.random.random import stateless_normal as stateless_normal
from .runtime.ops.random.random_counts import stateless_poisson as stateless_poisson
from .runtime.ops.random.random import stateless_shuffle as stateless_shuffle
from .runtime.ops.random.random import stateless_truncated_normal as stateless_truncated_normal
from .runtime.ops.random.random import stateless_uniform as stateless_uniform
from .runtime.ops.random.random import truncated_normal as truncated_normal
from .runtime.ops.random.random import uniform as uniform
