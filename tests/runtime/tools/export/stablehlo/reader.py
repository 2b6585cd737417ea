"""Runs a program in StableHLO with JAX alone: ``python -I -S reader.py PROGRAM ARRAYS RESULTS FOLDER…``.

The folders are those with JAX and NumPy. Autograph is out of reach: importing it is an error.
"""

import importlib.abc
import importlib.util
import sys


class _Refusing(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "autograph":
            raise ModuleNotFoundError(name)
        return None


def main(program, arrays, results, *folders):
    sys.path.extend(folders)
    sys.meta_path.insert(0, _Refusing())
    import jax
    import numpy as np

    jax.config.update("jax_enable_x64", True)
    with open(program, "rb") as file:
        exported = jax.export.deserialize(bytearray(file.read()))
    given = np.load(arrays)
    found = exported.call(*[given[name] for name in given])
    np.savez(results, *map(np.asarray, jax.tree.leaves(found)))
    try:
        import autograph  # noqa: F401
    except ModuleNotFoundError:
        pass
    else:
        raise SystemExit("autograph can be imported")
    assert "autograph" not in sys.modules


if __name__ == "__main__":
    main(*sys.argv[1:])
