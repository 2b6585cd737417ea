"""The engine that runs graphs through JAX."""
