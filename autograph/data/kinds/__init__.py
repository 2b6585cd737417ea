"""The kinds of datasets: each derives from `dataset.Dataset`, whose methods find it by name."""

from . import ahead as ahead
from . import buckets as buckets
from . import cache_file as cache_file
from . import choosing as choosing
from . import combine as combine
from . import files as files
from . import grouping as grouping
from . import ignoring as ignoring
from . import resampling as resampling
from . import saving as saving
from . import shuffling as shuffling
from . import sources as sources
from . import stateful as stateful
from . import transforms as transforms
