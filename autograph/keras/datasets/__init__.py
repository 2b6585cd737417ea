"""`tf.keras.datasets`: data to learn from, loaded from where Keras loads them and kept where Keras keeps them."""

from autograph.tracebacks import leaving

from . import boston_housing as boston_housing
from . import california_housing as california_housing
from . import cifar10 as cifar10
from . import cifar100 as cifar100
from . import fashion_mnist as fashion_mnist
from . import imdb as imdb
from . import mnist as mnist
from . import reuters as reuters

__all__ = ["boston_housing", "california_housing", "cifar10", "cifar100", "fashion_mnist", "imdb", "mnist", "reuters"]
__dir__ = __all__.copy
leaving.public_module(__name__)
