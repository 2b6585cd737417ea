"""first call, fit, one epoch"""

from tests.benchmarks.workloads.fit import CASES, TOLERANCE, WITHOUT, data, in_graph, in_jax

__all__ = ["CASES", "FRESH", "TOLERANCE", "WITHOUT", "data", "in_graph", "in_jax"]
FRESH = True
