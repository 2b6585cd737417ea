"""Checkpoints: the values of an object's variables in one file, to go on from.

A checkpoint ``ckpt-3`` is the file ``ckpt-3.safetensors`` (see `weights`). Every variable is under the names of the
attributes, places and keys that lead to it, joined by slashes: ``model/layers/0/kernel``; where several ways do, under
the shortest, and the first in alphabetical order among those. A text file ``checkpoint`` in the same folder names the
latest one, and all that are kept, as TensorFlow writes it.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import re
import time
import warnings
import weakref
from collections.abc import Callable, Iterable
from types import FunctionType
from typing import Any

import numpy as np

from autograph.errors import InvalidArgumentError, SavedFileError

from ...base import processes, shapes
from ...base.dtypes import from_numpy, int64
from ...base.places import user_location
from ...base.streams import Resumable
from ...functions import deferred
from ...state.variable import Variable
from ...tensors import trace
from ...tensors.tensor import Tensor
from .objects import parts_of
from .weights import load_tensors, read_file, replace_file, save_tensors

__all__ = ["Checkpoint", "CheckpointManager", "latest_checkpoint"]

_OWN = ("_root", "_waiting")  # attributes of a checkpoint that are no parts of it
_UNTRACKED = (bool, int, float, complex, str, bytes, np.ndarray, np.generic, Tensor, FunctionType)
EXTENSION = ".safetensors"
_STATE = "checkpoint"
_LINE = re.compile(r'(model_checkpoint_path|all_model_checkpoint_paths): ("(?:[^"\\]|\\.)*")')


def variables_of(root: object) -> dict[str, Any]:
    """The variables that an object holds, and the iterators over datasets, by the path that leads to each."""
    found: dict[str, Any] = {}
    seen = {id(root): root}  # which keeps what objects make up for us, and so its id
    level: list[tuple[str, Any]] = [("", root)]
    while level:
        inner = []
        for path, holder in sorted(level, key=lambda each: each[0]):
            for name, child in sorted(parts_of(holder), key=lambda each: str(each[0])):
                child = child.origin if isinstance(child, Variable) else child
                if id(child) in seen:
                    continue
                seen[id(child)] = child
                below = path + str(name).replace("%", "%25").replace("/", "%2F")
                if isinstance(child, (Variable, Resumable)):
                    found[below] = child
                else:
                    inner.append((below + "/", child))
        level = inner
    return found


def values_of(variables: dict[str, Any]) -> dict[str, Any]:
    """What to write of some of these."""
    return {name: each.place() if isinstance(each, Resumable) else each for name, each in variables.items()}


def _assign(variable: Any, value: Any) -> None:
    if isinstance(variable, Resumable):
        variable.go_to(value.item())
    else:
        variable.assign(value)


class Checkpoint:
    """Saves and restores the variables of objects, which are its attributes.

    Parameters
    ----------
    root: an object whose attributes are saved as if they were those of the checkpoint.
    kwargs: objects with variables, variables, or iterators over datasets, by name. An iterator goes on after the
        elements that it had given: these are made again, and left out; shuffles give the orders that they gave.

    Raises
    ------
    InvalidArgumentError: the value of a name can't be saved: a number, a text, a tensor, an array, a function.

    >>> import tempfile
    >>> v = Variable(1.0)
    >>> checkpoint = Checkpoint(v=v)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = checkpoint.save(folder + "/ckpt")
    ...     _ = v.assign(5.0)
    ...     _ = checkpoint.restore(path)
    >>> float(v), path[-6:]
    (1.0, 'ckpt-1')
    """

    def __init__(self, root: object = None, **kwargs: object) -> None:
        self._root = root
        self._waiting: _Waiting | None = None
        for name, value in kwargs.items():
            if hasattr(type(self), name) or name in ("save_counter", *_OWN):
                raise InvalidArgumentError(f"the name {name!r} is taken in a Checkpoint")
            if isinstance(value, _UNTRACKED):
                raise InvalidArgumentError(
                    f"`Checkpoint` was expecting {name} to be a trackable object (a variable, or an object that holds "
                    f"some), got {value!r}",
                    remedy=f"keep it in a variable: {name}=tf.Variable(…)",
                )
            setattr(self, name, value)
        with trace.building(None):
            self.save_counter = Variable(0, trainable=False, name="save_counter", dtype=int64)

    def _trackable_children(self) -> dict[str, Any]:
        root = {} if self._root is None else dict(parts_of(self._root))
        own = {name: value for name, value in vars(self).items() if name not in _OWN}
        return {**root, **own}

    def write(self, file_prefix: str | os.PathLike[str], options: object = None) -> str:
        """Write the values under a name of your own; returns it. Raises as `weights.save_tensors`."""
        path = os.fspath(file_prefix)
        os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
        save_tensors(path + EXTENSION, values_of(variables_of(self)))
        return path

    def save(self, file_prefix: str | os.PathLike[str], options: object = None) -> str:
        """Write the values as ``prefix-1``, ``prefix-2`` …, and note which is the latest; returns the name."""
        self.save_counter.assign_add(1)
        path = self.write(f"{os.fspath(file_prefix)}-{int(self.save_counter)}")
        folder = os.path.dirname(os.path.abspath(path))
        name = os.path.basename(path)
        _write_state(folder, [*[each for each in _read_state(folder) if each != name], name])
        return path

    def read(self, save_path: str | os.PathLike[str], options: object = None) -> CheckpointStatus:
        """Set the variables to what `write` has written. Either all that are in the file are set, or none.

        Values whose variables do not exist wait for them: a variable that is made later, as by the first call of a
        model, gets its value when it is first used. At its end the program warns of values that still wait then, unless
        `CheckpointStatus.expect_partial` was called.

        Raises `SavedFileError` for a file that is missing or damaged, `InvalidArgumentError` when a value does not fit
        its variable.
        """
        path = os.fspath(save_path)
        values = load_tensors(path + EXTENSION)
        variables = variables_of(self)
        for name in values.keys() & variables.keys():
            _check_fits(name, values[name], variables[name])
        for name in sorted(values.keys() & variables.keys(), key=lambda each: isinstance(variables[each], Variable)):
            _assign(variables[name], values[name])  # iterators first, as these may find out that a place is none
        if self._waiting is not None:
            deferred.stop_waiting(self._waiting)
        self._waiting = _Waiting(path, self, {name: values[name] for name in values.keys() - variables.keys()})
        if self._waiting.values:
            deferred.wait(self._waiting)
        return CheckpointStatus(path, self, values.keys(), self._waiting)

    def restore(self, save_path: str | os.PathLike[str] | None, options: object = None) -> CheckpointStatus:
        """As `read`; for None, as `latest_checkpoint` gives where there is none, nothing is changed."""
        if save_path is None:
            return CheckpointStatus(None, self, (), None)
        return self.read(save_path)


class CheckpointStatus:
    """What has become of a restoration by now."""

    def __init__(
        self, path: str | None, checkpoint: Checkpoint, names: Iterable[str], waiting: _Waiting | None
    ) -> None:  # fmt: skip
        self._path = path
        self._checkpoint = checkpoint
        self._names = frozenset(names)
        self._waiting = waiting

    @property
    def unused(self) -> list[str]:
        """The values of the file that have no variable yet."""
        return sorted(self._waiting.values) if self._waiting is not None else []

    @property
    def missing(self) -> list[str]:
        """The variables without a value in the file."""
        return sorted(variables_of(self._checkpoint).keys() - self._names)

    def assert_existing_objects_matched(self) -> CheckpointStatus:
        """Raise `AssertionError` unless every variable has got a value."""
        if self.missing:
            raise AssertionError(f"no values were restored from {self._path} for: {', '.join(self.missing)}")
        return self

    def assert_consumed(self) -> CheckpointStatus:
        """Raise `AssertionError` unless every variable has got a value, and every value was used."""
        if self.unused:
            raise AssertionError(f"{self._path} has values without a variable: {', '.join(self.unused)}")
        return self.assert_existing_objects_matched()

    def expect_partial(self) -> CheckpointStatus:
        """Do not warn at the end of the program of values without a variable."""
        if self._waiting is not None:
            self._waiting.is_partial = True
        return self


class _Waiting:
    """The values of a checkpoint whose variables do not exist yet; keeps none of its objects alive."""

    def __init__(self, path: str, checkpoint: Checkpoint, values: dict[str, Any]) -> None:
        self.values = values
        self.is_partial = False
        self._path = path
        self._restored_at = user_location()
        parts = {name: part for name, part in vars(checkpoint).items() if name not in _OWN}
        self._root = self._weak(checkpoint._root)
        self._parts = {name: self._weak(part) for name, part in parts.items()}

    def _weak(self, value: object) -> Callable[[], Any]:
        try:
            return weakref.ref(value, lambda _: self._end())
        except TypeError:  # None, a list, a dict
            return lambda: value

    def _end(self) -> None:
        """Wait no longer when the objects are gone."""
        if all(reference() is None for reference in (self._root, *self._parts.values())) and self in deferred.waiting:
            deferred.stop_waiting(self)
            self.report()

    def _trackable_children(self) -> dict[str, Any]:
        parts = {name: reference() for name, reference in self._parts.items()}
        return {**dict(parts_of(self._root())), **{name: part for name, part in parts.items() if part is not None}}

    def give(self, new: dict[int, Any]) -> None:
        """Assign its values to those of some new variables that are found where they belong."""
        for name, variable in variables_of(self).items():
            if name in self.values and new.pop(id(variable), None) is not None:
                value = self.values.pop(name)
                _check_fits(name, value, variable)
                with trace.building(None):
                    _assign(variable, value)
        if not self.values:
            deferred.stop_waiting(self)

    def report(self) -> None:
        """Warn once of values that nothing has asked for."""
        file, line = self._restored_at[:2] if self._restored_at is not None else (self._path, 1)
        if not self.is_partial:
            names = ", ".join(sorted(self.values))
            message = f"the checkpoint {self._path} has values for {names}, which have never come to exist"
            warnings.warn_explicit(message, UserWarning, file, line)
        self.is_partial = True


@atexit.register
def _report() -> None:
    for values in deferred.waiting:
        if isinstance(values, _Waiting):
            values.report()


def _check_fits(name: str, value: Any, variable: Any) -> None:
    dtype = from_numpy(value.dtype)
    if isinstance(variable, Resumable):
        if value.dtype != object or value.shape:
            raise InvalidArgumentError(
                f"the value of {name!r} is {dtype.name} of shape {shapes.show(value.shape)}, no place of an iterator"
            )
        return
    if dtype is not variable.dtype or not shapes.is_subshape(value.shape, variable.static_shape):
        raise InvalidArgumentError(
            f"the value of {name!r} is {dtype.name} of shape {shapes.show(value.shape)}, the variable is "
            f"{variable.dtype.name} of shape {variable.shape}"
        )


def latest_checkpoint(checkpoint_dir: str | os.PathLike[str], latest_filename: str | None = None) -> str | None:
    """The name of the last checkpoint that `Checkpoint.save` has written to a folder; None when there is none."""
    folder = os.fspath(checkpoint_dir)
    names = _read_state(folder, latest_filename or _STATE)
    path = os.path.join(folder, names[-1]) if names else None
    return path if path is not None and os.path.exists(path + EXTENSION) else None


def _read_state(folder: str, name: str = _STATE) -> list[str]:
    """The names of the checkpoints in a folder, the latest last."""
    path = os.path.join(folder, name)
    if not os.path.exists(path):
        return []
    latest, names = None, []
    for line in read_file(path).decode(errors="replace").splitlines():
        match = _LINE.fullmatch(line.strip())
        try:
            found = json.loads(match[2]) if match else ""
        except ValueError:
            found = ""
        if not match or not found or os.path.basename(found) != found:
            raise SavedFileError(f"{path} does not say which checkpoints there are: {line!r}")
        if match[1] == "model_checkpoint_path":
            latest = found
        else:
            names.append(found)
    return [*[each for each in names if each != latest], *([latest] if latest else [])]


def _write_state(folder: str, names: list[str]) -> None:
    lines = [f"all_model_checkpoint_paths: {json.dumps(name)}\n" for name in names]
    if names:
        lines.insert(0, f"model_checkpoint_path: {json.dumps(names[-1])}\n")
    replace_file(os.path.join(folder, _STATE), "".join(lines).encode())


class CheckpointManager:
    """Keeps the last checkpoints in a folder, and removes older ones.

    Parameters
    ----------
    checkpoint: what is saved.
    directory: the folder; made when needed. What the folder already has is kept count of.
    max_to_keep: how many checkpoints stay; None: all.
    keep_checkpoint_every_n_hours: checkpoints that were saved this long after the last one kept so stay for good.
    checkpoint_name: checkpoints are called ``name-1``, ``name-2`` ….
    """

    def __init__(
        self, checkpoint: Checkpoint, directory: str | os.PathLike[str], max_to_keep: int | None,
        keep_checkpoint_every_n_hours: float | None = None, checkpoint_name: str = "ckpt"
    ) -> None:  # fmt: skip
        if max_to_keep is not None and max_to_keep < 1:
            raise InvalidArgumentError(f"Expected a positive integer or `None` for `max_to_keep`, got {max_to_keep}.")
        self.checkpoint = checkpoint
        self.directory = os.fspath(directory)
        self._max_to_keep = max_to_keep
        self._hours = keep_checkpoint_every_n_hours
        self._last_kept = time.time()
        self._prefix = os.path.join(self.directory, checkpoint_name)
        self._names = [each for each in _read_state(self.directory) if os.path.exists(self._file(each))]

    def _file(self, name: str) -> str:
        return os.path.join(self.directory, name + EXTENSION)

    @property
    def checkpoints(self) -> list[str]:
        """The checkpoints that are kept, the latest last."""
        return [os.path.join(self.directory, name) for name in self._names]

    @property
    def latest_checkpoint(self) -> str | None:
        """The last checkpoint, None when there is none."""
        return self.checkpoints[-1] if self._names else None

    def save(self, checkpoint_number: int | None = None) -> str:
        """Save, remove what is too old, and return the name of the new checkpoint.

        ``checkpoint_number`` replaces the number in the name. What goes wrong, as on a disk that is full, loses none of
        the older ones. Of processes that work together, the first one writes.
        """
        path = self._saved(checkpoint_number)
        name = os.path.basename(path)
        self._names = [*[each for each in self._names if each != name], name]
        old = [] if self._max_to_keep is None else self._names[: -self._max_to_keep]
        self._names = self._names[len(old) :]
        if processes.is_chief():
            _write_state(self.directory, self._names)  # before: it names no file that is not there
            for each in old:
                self._drop(each)
        return path

    def _saved(self, checkpoint_number: int | None) -> str:
        """Write a checkpoint, if this process is to; returns its name."""
        counter = self.checkpoint.save_counter
        counter.assign_add(1)
        path = f"{self._prefix}-{int(counter) if checkpoint_number is None else int(checkpoint_number)}"
        return self.checkpoint.write(path) if processes.is_chief() else path

    def _drop(self, name: str) -> None:
        with contextlib.suppress(FileNotFoundError):
            if self._hours is not None and os.path.getmtime(self._file(name)) - self._last_kept >= self._hours * 3600:
                self._last_kept = os.path.getmtime(self._file(name))
            else:
                os.unlink(self._file(name))

    def restore_or_initialize(self) -> str | None:
        """Restore the last checkpoint, if there is one; returns its name."""
        if self.latest_checkpoint is not None:
            self.checkpoint.restore(self.latest_checkpoint)
        return self.latest_checkpoint
