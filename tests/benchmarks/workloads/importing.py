"""import, and a first constant"""

import importlib

FRESH = True
COLD = True
WITHOUT = ("TensorFlow XLA",)


def data(size):
    return None


def _importing(name, constant):
    def run():
        getattr(importlib.import_module(name), constant)(1.0)
        return True

    return run


def in_graph(tf, function, given):
    return _importing(tf, "constant")


def in_jax(given):
    return _importing("jax.numpy", "asarray")


def in_numpy(given):
    return _importing("numpy", "asarray")
