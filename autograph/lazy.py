"""Public names that load their module when they are first used."""

from __future__ import annotations

import importlib
import importlib.machinery
import importlib.util
import sys
import types
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any


def parse(table: Mapping[str, str]) -> dict[str, tuple[str, str]]:
    """Public name -> (module, attribute), from ``{"runtime.tensors.convert": "constant cast=convert_dtype"}``.

    >>> parse({"runtime.tensors.convert": "constant cast=to"})
    {'constant': ('autograph.runtime.tensors.convert', 'constant'), 'cast': ('autograph.runtime.tensors.convert', 'to')}
    """
    names = {}
    for module, words in table.items():
        for word in words.split():
            name, _, attribute = word.partition("=")
            names[name] = f"{__package__}.{module}", attribute or name
    return names


def load(names: Mapping[str, tuple[str, str]], name: str, owner: str, space: str | None = None) -> Any:
    """The object behind a public name; `AttributeError` when there is none.

    ``space``: that of `places_of_ops`, if the functions of ops have places in the owner.
    """
    found = names.get(name)
    if found is not None:
        return _public(getattr(importlib.import_module(found[0]), found[1]))
    if space is not None and not _is_other(name, owner) and name in places_of_ops(space):
        return _public(_functions_of_ops()[space + name])
    raise missing(name, owner)


def module(name: str) -> Any:
    """A module that users see; see `tracebacks.leaving`."""
    return _public(importlib.import_module(name))


def _public(entity: Any) -> Any:
    """A function, class or module whose errors have tracebacks of the user's lines alone."""
    leaving = importlib.import_module(f"{__package__}.tracebacks.leaving")
    leaving.public(Namespace)
    return leaving.public(entity)


def trimmed(error: AttributeError) -> None:
    """Takes autograph's frames out of the traceback of an error; those of a module's `__getattr__` among them."""
    importlib.import_module(f"{__package__}.tracebacks").trim(error)


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """``"; did you mean 'adam'?"`` for a name that is nearly one of those known, else nothing.

    >>> did_you_mean("adm", ["adam", "sgd"])
    "; did you mean 'adam'?"
    """
    import difflib  # only for the text of an error

    near = difflib.get_close_matches(name, known, 1, 0.7) if isinstance(name, str) else []
    return f"; did you mean {near[0]!r}?" if near else ""


def missing(name: str, owner: str) -> AttributeError:
    """The error for a name that there is not; for one of TensorFlow 1 it says what to use instead.

    That has None as name and object, of which Python would else guess what was meant (`version` for `Session`).
    """
    full = f"{owner}.{name}".partition(".")[2]
    instead = _OF_TENSORFLOW_1.get(full)
    if instead is None:
        return AttributeError(f"module {owner!r} has no attribute {name!r}")
    return AttributeError(f"`tf.{full}` is of TensorFlow 1, and not here: {instead}", name=None, obj=None)


_OF_TENSORFLOW_1 = {
    "Session": "functions run at once; decorate one with tf.function to run it as a graph",
    "InteractiveSession": "functions run at once; decorate one with tf.function to run it as a graph",
    "placeholder": "make it a parameter of a function, with a tf.TensorSpec in the input_signature of tf.function",
    "get_variable": "make a tf.Variable once, outside of the function, and keep it in a tf.Module or a variable",
    "variable_scope": "keep variables as attributes of a tf.Module; tf.name_scope gives names to operations",
    "global_variables_initializer": "variables have their values from the start; leave it out",
    "enable_eager_execution": "functions run at once from the start; leave it out",
    "disable_eager_execution": "decorate with tf.function what is to run as a graph",
    "app": "use argparse for flags, and call your own main()",
    "flags": "use argparse",
    "contrib": "it was given up in TensorFlow 2; layers are in tf.keras.layers, optimizers in tf.keras.optimizers",
    "logging": "use Python's logging, or tf.print for values of a graph",
    "gfile": "use tf.io.gfile",
    "layers": "use tf.keras.layers, such as tf.keras.layers.Dense(units)(x)",
    "to_float": "use tf.cast(x, tf.float32)",
    "to_int32": "use tf.cast(x, tf.int32)",
    "log": "use tf.math.log",
    "random_normal": "use tf.random.normal",
    "random_uniform": "use tf.random.uniform",
    "set_random_seed": "use tf.random.set_seed",
    "train.AdamOptimizer": "use tf.keras.optimizers.Adam",
    "train.GradientDescentOptimizer": "use tf.keras.optimizers.SGD",
    "train.MomentumOptimizer": "use tf.keras.optimizers.SGD(momentum=…)",
    "train.RMSPropOptimizer": "use tf.keras.optimizers.RMSprop",
    "train.AdagradOptimizer": "use tf.keras.optimizers.Adagrad",
    "train.Saver": "use tf.train.Checkpoint, or save_weights of a model",
}
"""Names that were in TensorFlow 1 alone, without `tf.`: what to use in their place."""


def _is_other(name: str, owner: str) -> bool:
    """Whether a name can't be that of a function, so that no op has to load: a module's own, or a module."""
    if name.startswith("_") or not name.isidentifier():
        return True
    return owner == __package__ and importlib.util.find_spec(f"{owner}.{name}") is not None


def places_of_ops(space: str) -> list[str]:
    """The names in a space (``"math."``; ``""`` for the top level) that records of ops have for their functions."""
    places = [place.removeprefix(space) for place in _functions_of_ops() if place.startswith(space)]
    return [place for place in places if "." not in place]


def _functions_of_ops() -> dict[str, Any]:
    op = importlib.import_module(f"{__package__}.runtime.ir.op")
    op.OPS.load()
    return op.PUBLIC


class Namespace(types.ModuleType):
    """A group of public names, such as ``tf.math``."""

    def __init__(self, name: str, table: Mapping[str, str], plugged: str | None = None) -> None:
        super().__init__(f"{__package__}.{name}", f"The functions of ``tf.{name}``.")
        self.__names = parse(table)
        self.__space = f"{name}."
        self.__plugged = plugged
        self.__path__: list[str] = []  # `import autograph.io.gfile` takes only what has one for a package

    def __getattr__(self, name: str) -> Any:
        try:
            value = load(self.__names, name, self.__name__, self.__space)
        except AttributeError:
            value = self.__of_others(name)
            if value is None:
                raise
        self.__dict__[name] = value
        return value

    def __of_others(self, name: str) -> Any:
        """What another package adds under a name."""
        if self.__plugged is None or name.startswith("_"):
            return None
        return importlib.import_module(f"{__package__}.{self.__plugged}").exporter(name)

    def __dir__(self) -> list[str]:
        return sorted([*self.__names, *places_of_ops(self.__space)])


class Finder:
    """Lets `import autograph.math` and `from autograph.math import log` find namespaces, which have no files."""

    def __init__(self, owner: str, spaces: Collection[str]) -> None:
        self._owner = owner
        self._spaces = spaces

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """How to load a namespace, or a module that is one of its names; None for all others."""
        owner, _, last = name.rpartition(".")
        if owner == self._owner:
            found = getattr(sys.modules[owner], last) if last in self._spaces else None
        elif owner.partition(".")[0] == self._owner and isinstance(sys.modules.get(owner), Namespace):
            found = getattr(sys.modules[owner], last, None)
        else:
            found = None
        if not isinstance(found, types.ModuleType):
            return None
        return importlib.machinery.ModuleSpec(name, _Ready(found))  # type: ignore[arg-type]


class _Ready:
    """Loads a module that is there already, and stays what it is."""

    def __init__(self, module: types.ModuleType) -> None:
        self._module = module
        self._spec = module.__spec__

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        return self._module

    def exec_module(self, module: types.ModuleType) -> None:
        module.__spec__ = self._spec
