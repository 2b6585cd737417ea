"""A saved model keeps what places outside its functions held, and a loaded one goes on from there."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograph as tf

pytest.importorskip("safetensors")

total: Any = None


class Model(tf.Module):
    def __init__(self) -> None:
        super().__init__()
        self.count = 0
        self.last = None
        self.pair = (tf.constant(1.0), 2)
        self.table = {"n": tf.constant(0.0), "never": 5}
        self.inner = tf.Module()
        self.inner.steps = tf.constant(0)

    @tf.function(input_signature=[tf.TensorSpec((), tf.float32)])
    def step(self, x):
        global total
        total = total + x
        self.count += tf.cast(x, tf.int32)
        self.last = x
        self.pair = (self.pair[0] + x, self.pair[1])
        self.table["n"] = self.table["n"] + x
        if x > 5:
            self.seen = x
            self.table["new"] = x
        return total, self.count, self.last

    @tf.function
    def other(self, y):
        self.inner.steps += 1
        self.count = self.count + 1
        return y + self.count


def plain(value: Any) -> Any:
    return tf.nest.map_structure(lambda leaf: np.asarray(leaf).item(), value)


def made() -> Model:
    global total
    total = tf.constant(0.0)
    model = Model()
    for x in (2.0, 3.0):
        model.step(tf.constant(x))
    model.other(tf.constant(1))
    return model


def through_files(model: Any, folder: Any) -> Any:
    tf.saved_model.save(model, folder)
    return tf.saved_model.load(folder)


def held(model: Any) -> Any:
    seen = getattr(model, "seen", -1.0)
    return plain([model.count, model.last, model.pair, model.table["n"], model.table.get("new"), seen,
                  model.inner.steps])  # fmt: skip


def test_a_loaded_model_goes_on_from_the_state_that_was_saved(tmp_path: Any) -> None:
    model = made()
    loaded = through_files(model, tmp_path)
    for x in (1.0, 7.0, 2.0):
        assert plain(loaded.step(tf.constant(x))) == plain(model.step(tf.constant(x)))
        assert plain(loaded.other(tf.constant(3))) == plain(model.other(tf.constant(3)))
        assert held(loaded) == held(model)


def test_the_state_of_a_loaded_model_is_its_own(tmp_path: Any) -> None:
    model = made()
    loaded = through_files(model, tmp_path)
    model.step(tf.constant(100.0))
    assert plain(loaded.step(tf.constant(1.0))) == (6.0, 7, 1.0) and plain(model.count) == 106


def test_the_state_of_a_loaded_model_can_be_set(tmp_path: Any) -> None:
    loaded = through_files(made(), tmp_path)
    loaded.count, loaded.table["n"] = 40, tf.constant(0.0)
    assert plain(loaded.step(tf.constant(1.0)))[1] == 41 and plain(loaded.table["n"]) == 1.0


def test_signatures_share_the_state(tmp_path: Any) -> None:
    loaded = through_files(made(), tmp_path)
    found = loaded.signatures["serving_default"](x=tf.constant(1.0))
    assert plain(found) == {"output_0": 6.0, "output_1": 7, "output_2": 1.0} and plain(loaded.count) == 7
    assert plain(loaded.step(tf.constant(1.0))) == (7.0, 8, 1.0)


def test_a_loaded_model_is_saved_again(tmp_path: Any) -> None:
    first = through_files(made(), tmp_path / "first")
    first.step(tf.constant(6.0))
    second = through_files(first, tmp_path / "second")
    assert held(second) == held(first)
    assert plain(second.step(tf.constant(1.0))) == plain(first.step(tf.constant(1.0))) == (12.0, 13, 1.0)


def test_a_trace_passes_state_on_to_a_loaded_function(tmp_path: Any) -> None:
    loaded = through_files(made(), tmp_path)
    loaded.seen = tf.constant(0.0)

    class Counts(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.count = tf.constant(0)

        @tf.function
        def step(self, x):
            self.count += x

    counts = Counts()
    counts.step(tf.constant(1))
    counts = through_files(counts, tmp_path / "counts")

    @tf.function
    def steps(x):
        for _ in tf.range(3):
            counts.step(x)
        return counts.count

    assert steps(tf.constant(2)) == 7 and counts.count == 7


def test_variables_and_state_live_together(tmp_path: Any) -> None:
    class Mean(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.weight = tf.Variable(2.0)
            self.mean = tf.constant(0.0)

        @tf.function(input_signature=[tf.TensorSpec((None,), tf.float32)])
        def __call__(self, x):
            self.mean = self.mean * 0.5 + tf.reduce_mean(x) * 0.5
            self.weight.assign_add(1.0)
            return self.mean * self.weight

    mean = Mean()
    mean(tf.constant([2.0, 4.0]))
    loaded = through_files(mean, tmp_path)
    assert loaded(tf.constant([1.0])) == mean(tf.constant([1.0]))
    assert [v.numpy() for v in loaded.variables] == [4.0]


def test_what_has_no_state_is_written_as_before(tmp_path: Any) -> None:
    module = tf.Module()
    module.double = tf.function(lambda x: x * 2)
    module.double(tf.constant(1))
    tf.saved_model.save(module, tmp_path)
    assert '"state"' not in (tmp_path / "saved_model.json").read_text()


def damaged(content: dict[str, Any], kind: str) -> None:
    state = content["state"]
    use = state["graphs"][0][1][0]
    match kind:
        case "no table":
            content["state"] = []
        case "other type":
            use["template"] = {"spec": ["string", [], None]}
        case "no such place":
            use["place"] = 99
        case "no such graph":
            state["graphs"][0][0] = 99
        case "not read":
            use["read"] = False
        case "not written":
            use["written"] = False
        case "a variable as template":
            use["template"] = {"dtype": "int32"}
        case "no such object":
            state["places"][0]["object"] = 999
        case "an object that is none":
            state["places"][0]["object"] = next(
                i for i, each in enumerate(content["objects"]) if each["kind"] == "function"
            )
        case "a name":
            state["places"][-1]["name"] = "__class__"
            state["places"][-1]["object"] = 0
        case "twice":
            state["graphs"].append(state["graphs"][0])


KINDS = [
    "no table", "other type", "no such place", "no such graph", "not read", "not written", "a variable as template",
    "no such object", "an object that is none", "a name", "twice",
]  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_a_damaged_state_is_an_error(kind: str, tmp_path: Any) -> None:
    import hashlib
    import json

    from autograph.runtime.tools.export import strict_json

    tf.saved_model.save(made(), tmp_path)
    path = tmp_path / "saved_model.json"
    data = json.loads(path.read_text())
    damaged(data["content"], kind)
    data["checksum"] = hashlib.sha256(strict_json.dumps(data["content"])).hexdigest()
    path.write_bytes(strict_json.dumps(data))
    with pytest.raises(tf.errors.AutographError, match="damaged"):
        tf.saved_model.load(tmp_path)
