"""Errors and interruptions that leave what users call show the user's frames alone; a switch shows all."""

from __future__ import annotations

import dis
import inspect
import sys
import traceback
from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import Any

import numpy as np
import pytest

import autograph as tf
from autograph.config import settings
from autograph.tracebacks import leaving
from tests.golden import Golden

from .programs import PACKAGE
from .results import FILES


def own_frames(function: Callable[[], object], kind: type[BaseException] = Exception) -> list[str]:
    """The frames of autograph in the tracebacks of an error, and of those that it came of."""
    with pytest.raises(kind) as info:
        function()
    found, error = [], info.value
    while error is not None:
        found += [each.name for each in traceback.extract_tb(error.__traceback__) if each.filename.startswith(PACKAGE)]
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    return found


x = tf.constant([[1.0, 2.0, 3.0]])
v = tf.Variable([1.0, 2.0])
data = tf.data.Dataset.range(3)


def used_up() -> None:
    with tf.GradientTape() as tape:
        y = v * v
    tape.gradient(y, v)
    tape.gradient(y, v)


MISTAKES: dict[str, Callable[[], object]] = {
    "operators": lambda: x + v,
    "reflected operators": lambda: "a" + x,
    "items": lambda: x[7],
    "truth": lambda: bool(x),
    "numbers": lambda: int(x),
    "loops": lambda: list(tf.constant(1)),
    "functions of ops": lambda: tf.tan("a"),
    "functions": lambda: tf.matmul(x, x),
    "functions of spaces": lambda: tf.linalg.det(x),
    "NumPy's functions": lambda: np.add(x, v),
    "names": lambda: tf.reduce_men(x),
    "names of spaces": lambda: tf.math.sine(x),
    "names of Keras": lambda: tf.keras.Modell(),
    "variables": lambda: v.assign([1.0]),
    "new variables": lambda: tf.Variable(),
    "tapes": used_up,
    "datasets": lambda: tf.data.Dataset.from_tensor_slices(([1], [1, 2])),
    "functions of datasets": lambda: data.map(lambda i: tf.matmul(i, i)),
    "elements": lambda: list(data.map(lambda i: tf.gather([1, 2], i))),
    "checks": lambda: tf.debugging.assert_equal(x, 0.0),
    "new layers": lambda: tf.keras.layers.Dense(-1),
    "calls of layers": lambda: tf.keras.layers.Conv2D(1, 1)(x),
    "losses": lambda: tf.keras.losses.MeanSquaredError()(x, v),
    "functions of losses": lambda: tf.keras.losses.mse(x, v),
    "metrics": lambda: tf.keras.metrics.Accuracy().update_state(x, v),
    "optimizers": lambda: tf.keras.optimizers.SGD().apply_gradients([(None, v)]),
    "compile": lambda: tf.keras.Sequential([tf.keras.layers.Dense(1)]).compile("adm"),
    "fit": lambda: tf.keras.Sequential([tf.keras.layers.Dense(1)]).fit(x, x),
    "files": lambda: tf.io.read_file("nothing"),
    "models": lambda: tf.saved_model.load("nothing"),
    "checkpoints": lambda: tf.train.Checkpoint(v=v).restore("nothing"),
    "signatures": lambda: tf.function(lambda a: a, input_signature=[tf.TensorSpec([2])])(x),
    "shapes": lambda: tf.TensorShape([2]).assert_has_rank(3),
    "structures": lambda: tf.nest.assert_same_structure([1], {"a": 1}),
    "graphs by hand": lambda: tf.compat.v1.Session().run(x),
}  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES)
def test_eager_errors_have_frames_of_the_user_alone(mistake: str) -> None:
    assert own_frames(MISTAKES[mistake]) == []


def test_the_switch_shows_all(monkeypatch: pytest.MonkeyPatch) -> None:
    assert tf.debugging.is_traceback_filtering_enabled()
    tf.debugging.disable_traceback_filtering()
    try:
        assert "matmul" in own_frames(MISTAKES["functions"])
    finally:
        tf.debugging.enable_traceback_filtering()
    monkeypatch.setattr(settings, "full_traceback", True)
    assert "load" in own_frames(MISTAKES["names"])


def test_the_users_frames_stay() -> None:
    def wrong(a: Any) -> Any:
        return tf.matmul(a, a)

    def outer() -> Any:
        return tf.map_fn(wrong, tf.zeros([2, 1, 3]))

    with pytest.raises(tf.errors.InvalidArgumentError) as info:
        outer()
    assert [each.name for each in traceback.extract_tb(info.value.__traceback__)[1:]] == ["outer", "wrong"]


class Interrupting(tf.keras.layers.Layer):
    def call(self, inputs: Any) -> Any:
        raise KeyboardInterrupt


def test_interruptions() -> None:
    model = tf.keras.Sequential([Interrupting()])
    model.compile("sgd", "mse")
    assert own_frames(lambda: model.fit(x, x, verbose=0), KeyboardInterrupt) == []
    assert own_frames(lambda: Interrupting()(x), KeyboardInterrupt) == []

    def interrupted(a: Any) -> Any:
        if a > 0:
            raise KeyboardInterrupt
        return a

    traced = tf.function(lambda a: tf.py_function(interrupted, [a], tf.float32))
    assert own_frames(lambda: traced(tf.constant(1.0)), KeyboardInterrupt) == []


def test_golden_programs_show_no_frame_of_autograph() -> None:
    shown = {
        f"{path.stem}: {name}"
        for path in FILES
        for name, (_, expected) in Golden.read(path).cases.items()
        if "  (autograph)" in expected.splitlines()
    }
    assert not shown


# The handler


@leaving.public
def handled(number: int, act: Callable[[], object] = lambda: None) -> float:
    values = []
    for i in range(2):
        with np.errstate(all="ignore"):
            try:
                values.append(number / i)
            except ZeroDivisionError:
                values.append(0.0)
            finally:
                act()
    return sum(values)


def plain(number: int) -> int:
    """A function of many lines.

    One of them fails.
    """
    cell = [number]

    def inner() -> int:
        return cell[0] // number

    return inner()


def test_code_with_the_handler_does_the_same() -> None:
    assert handled(3) == 3.0
    with pytest.raises(KeyError) as info:
        handled(3, lambda: {}["a"])
    assert [each.name for each in traceback.extract_tb(info.value.__traceback__)][1:] == ["handled", "<lambda>"]
    before = plain.__code__
    instructions = [(each.opcode, each.arg) for each in dis.get_instructions(before)]
    leaving.public(plain)
    leaving.public(plain)
    code = plain.__code__
    assert [(each.opcode, each.arg) for each in dis.get_instructions(code)][: len(instructions)] == instructions
    assert list(code.co_positions())[: len(before.co_code) // 2] == list(before.co_positions())
    assert (code.co_consts[-1], code.co_consts[:-1]) == (leaving.leave, before.co_consts)
    assert plain(2) == 1
    lines = []
    sys.settrace(lambda frame, event, _: lines.append((event, frame.f_lineno)) if frame.f_code is code else None)
    try:
        with pytest.raises(ZeroDivisionError) as failure:
            plain(0)
    finally:
        sys.settrace(None)
    assert all(isinstance(line, int) for _, line in lines)
    assert traceback.extract_tb(failure.value.__traceback__)[-1].line == "return cell[0] // number"


def test_an_unknown_python_keeps_its_tracebacks_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leaving, "_HANDLER", None)

    def whole(number: int) -> float:
        return 1 / number

    before = whole.__code__
    assert leaving.public(whole) is whole and whole.__code__ is before
    monkeypatch.setattr(sys, "version_info", (3, 99))
    assert leaving._known_handler() is None
    monkeypatch.undo()
    assert leaving._known_handler() is not None
    monkeypatch.setattr(leaving, "_written", lambda entries: b"")
    assert leaving._known_handler() is None


def test_generators_and_classes_of_others_stay() -> None:
    def numbers() -> Any:
        yield 1

    class Own:
        def method(self) -> None:
            pass

    for entity in (numbers, Own, 3, len):
        assert leaving.public(entity) is entity
    assert leaving.leave not in numbers.__code__.co_consts
    assert leaving.leave not in Own.method.__code__.co_consts


def is_handled(function: FunctionType) -> bool:
    return any(each is leaving.leave for each in function.__code__.co_consts)


def public_functions(module: Any, seen: set[int]) -> Any:
    """The public functions of a module of autograph's, and of those in it."""
    seen.add(id(module))
    for name in getattr(module, "__all__", dir(module)):
        each = getattr(module, name, None) if name[0] != "_" else None
        if isinstance(each, ModuleType) and id(each) not in seen and each.__name__.startswith("autograph"):
            yield from public_functions(each, seen)
        elif isinstance(each, FunctionType) and (each.__module__ or "").startswith("autograph."):
            yield f"{module.__name__}.{name}", each


def test_every_public_function_has_the_handler() -> None:
    left = [
        name
        for name, each in public_functions(tf, {id(tf.errors), id(tf.version)})
        if ".runtime.tensors." not in name and not is_handled(each) and not inspect.isgeneratorfunction(each)
    ]
    assert left == []
