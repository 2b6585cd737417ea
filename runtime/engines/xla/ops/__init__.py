"""How ops run in XLA, by families. Importing this registers all of them, on their records."""

from . import elementwise as elementwise
