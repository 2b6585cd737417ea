"""Damaged and hostile folders: an error of ours, or a model that behaves; and nothing outside is touched."""

from __future__ import annotations

import _thread
import contextlib
import copy
import hashlib
import json
import os
import random
import shutil
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import autograph as tf
from autograph.errors import AutographError, SavedFileError
from autograph.runtime.ir.op import OPS
from autograph.runtime.tools.export import strict_json


class Model(tf.Module):
    def __init__(self):
        super().__init__()
        self.weights = tf.Variable(np.arange(6, dtype=np.float32).reshape(2, 3), name="weights")
        self.count = tf.Variable(0, trainable=False)
        self.parts = [tf.constant(["a", "b"]), {"bias": tf.Variable([1.0, 2.0, 3.0])}, (tf.constant(1 + 2j), None)]
        self.parts.append(self)

    @tf.function(input_signature=[tf.TensorSpec([None, 2])])
    def __call__(self, x):
        self.count.assign_add(1)
        y = tf.nn.relu(x @ self.weights + self.parts[1]["bias"])
        return scale(y, 2.0) if tf.reduce_sum(y) > 0 else y[:, ::-1]

    @tf.function
    def describe(self, x, mode="plain", limit=3):
        names = []
        for i in tf.range(limit):
            names.append(tf.cast(i, tf.float32) * x[0])
        if x[0] < -100:
            raise ValueError(f"{mode}: {x[0]} is too small")
        assert x[1] == x[1], "not a number"
        tf.print("seen", x)
        return {"sum": tf.stack(names), "text": f"{mode} {x[1]:.2f}", "none": None, "max": steep(x)}


@tf.function
def scale(x, factor):
    return x * factor


@tf.custom_gradient
def steep(x):
    return tf.reduce_max(x), lambda upstream: upstream * tf.ones_like(x)


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hostile") / "model"
    model = Model()
    model.describe(tf.constant([1.0, 2.0]))
    model.describe(tf.constant([1.0, 2.0]), "other")
    tf.saved_model.save(model, folder)
    return folder


class Watch:
    """Notes which files are opened, made, moved or removed while it is on."""

    on = False
    seen: list[str] = []

    @classmethod
    def hook(cls, event: str, arguments: Any) -> None:
        if cls.on and event.split(".")[0] in ("open", "os", "shutil", "subprocess", "socket", "exec", "compile"):
            if event == "exec" or event == "compile":
                return
            cls.seen.append(f"{event} {arguments[0]}")


@pytest.fixture(scope="module", autouse=True)
def _watch():
    sys.addaudithook(Watch.hook)
    yield
    Watch.on = False


def attempt(folder) -> str:
    """Load the model, and call it when that works: "refused", "raised" or "loaded"."""
    Watch.seen, Watch.on = [], True
    started = time.monotonic()
    try:
        loaded = tf.saved_model.load(folder)
    except SavedFileError:
        return "refused"
    finally:
        Watch.on = False
        assert time.monotonic() - started < 20
        outside = [each for each in Watch.seen if not each.startswith(f"open {folder}") and ".py" not in each]
        assert outside == []
    return call(loaded)


@contextlib.contextmanager
def interrupted(seconds: float) -> Iterator[None]:
    """Ctrl-C after a while, and again: the first may come while a callback runs, where Python drops it."""
    done = threading.Event()

    def interrupt() -> None:
        wait = seconds
        while not done.wait(wait):
            _thread.interrupt_main()
            wait = 1

    thread = threading.Thread(target=interrupt)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def call(loaded) -> str:
    try:
        with interrupted(5):
            return called(loaded)
    except KeyboardInterrupt:  # a loop without end, which a graph may be
        return "raised"


def called(loaded) -> str:
    try:
        for function, argument in ((loaded, [[1.0, -1.0]]), (getattr(loaded, "describe", None), [2.0, 3.0])):
            if function is not None:
                function(tf.constant(argument))
    except (AutographError, TypeError, AttributeError) as error:
        assert isinstance(error, AutographError) or "not callable" in str(error), error
        return "raised"
    return "loaded"


def write(folder, content: Any) -> None:
    """A file with this content and a checksum that fits."""
    body = json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
    head = {"format": "autograph saved model", "version": 1, "checksum": hashlib.sha256(body).hexdigest()}
    (folder / "saved_model.json").write_bytes(json.dumps(head).encode()[:-1] + b', "content": ' + body + b"}")


def content_of(folder) -> Any:
    return json.loads((folder / "saved_model.json").read_bytes())["content"]


@pytest.fixture
def copied(saved, tmp_path):
    return shutil.copytree(saved, tmp_path / "copy")


def test_the_model_itself_behaves(copied):
    assert attempt(copied) == "loaded"
    write(copied, content_of(copied))
    assert attempt(copied) == "loaded"


# At random


def somewhere(value: Any, chance: random.Random) -> tuple[Any, ...]:
    """A place inside of a JSON value: the keys that lead there."""
    path: list[Any] = []
    while isinstance(value, (dict, list)) and value and (not path or chance.random() < 0.9):
        path.append(chance.choice(list(value)) if isinstance(value, dict) else chance.randrange(len(value)))
        value = value[path[-1]]
    return tuple(path)


def at(value: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        value = value[key]
    return value


def deep(levels: int) -> Any:
    value: Any = []
    for _ in range(levels):
        value = [value]
    return value


HOSTILE = [
    None, True, False, -1, 0, 1, 7, 2**31, 2**63, 2**64, 10**30, 1.5, -0.0, 1e308, "", "x", "../../etc/passwd",
    "/etc/passwd", "__class__", "py_function", "float32", "variant", "string", "a\nb", "\x00", "x" * 10_000, [], {},
    [[]], [0, 0], [0, 10**9], {"graph": 0}, {"function": 0}, {"variable": 0}, {"tensor": "constants/0"},
    {"output": 0}, {"list": []}, {"error": {}}, {"float": "nan"}, {"dtype": "float64"}, [None] * 70,
    [2**40, 2**40], deep(60),
]  # fmt: skip


def mutate(content: Any, chance: random.Random) -> None:
    """One to three changes of a content."""
    for _ in range(chance.choice([1, 1, 1, 2, 3])):
        path = somewhere(content, chance)
        holder, key = at(content, path[:-1]), path[-1]
        match chance.randrange(8):
            case 0:
                holder[key] = copy.deepcopy(chance.choice(HOSTILE))
            case 1:
                del holder[key]
            case 2:
                holder[key] = copy.deepcopy(at(content, somewhere(content, chance)))
            case 3 if isinstance(holder, list):
                holder.insert(key, copy.deepcopy(chance.choice([*holder, *HOSTILE])))
            case 3:
                holder[chance.choice(["axis", "key", "x", "name", "attributes", "out"])] = chance.choice(HOSTILE)
            case 4 if isinstance(holder, list) and len(holder) > 1:
                other = chance.randrange(len(holder))
                holder[key], holder[other] = holder[other], holder[key]
            case _:
                value = holder[key]
                if isinstance(value, bool):
                    holder[key] = not value
                elif isinstance(value, int):
                    holder[key] = value + chance.choice([-2, -1, 1, 2, 10**6])
                elif isinstance(value, str):
                    holder[key] = chance.choice([value + "x", value[1:], value.upper(), chance.choice(sorted(OPS))])


@pytest.mark.parametrize("seed", range(10))
def test_seventy_changed_contents(copied, seed, capfd):
    chance, outcomes = random.Random(seed), []
    original = json.dumps(content_of(copied))
    for _ in range(70):
        content = json.loads(original)
        mutate(content, chance)
        write(copied, content)
        outcomes.append(attempt(copied))
    assert outcomes.count("refused") > 30


@pytest.mark.parametrize("seed", range(4))
def test_seventy_five_damaged_files(saved, copied, seed, capfd):
    chance = random.Random(seed)
    names = sorted(os.listdir(saved))
    for _ in range(75):
        name = chance.choice(names)
        data = bytearray((saved / name).read_bytes())
        match chance.randrange(4):
            case 0:
                del data[chance.randrange(len(data)) :]
            case 1:
                data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
            case 2:
                start = chance.randrange(len(data))
                data[start : start + chance.randrange(1, 50)] = chance.randbytes(chance.randrange(1, 50))
            case 3:
                start = chance.randrange(len(data))
                data[start:start] = data[start : start + chance.randrange(1, 500)]
        (copied / name).write_bytes(data)
        outcome = attempt(copied)
        assert outcome == "refused" or bytes(data) == (saved / name).read_bytes()
        shutil.copy(saved / name, copied / name)


# One by one


def refuses(folder, message: str) -> None:
    with pytest.raises(SavedFileError, match=message):
        tf.saved_model.load(folder)
    assert attempt(folder) == "refused"


def replaced(folder, old: bytes, new: bytes) -> None:
    file = folder / "saved_model.json"
    data = file.read_bytes()
    assert old in data
    file.write_bytes(data.replace(old, new, 1))


def node_of(content: Any, op: str) -> Any:
    return next(
        node for graph in [*content["functions"], *content["graphs"]] for node in graph["nodes"] if node["op"] == op
    )


@pytest.mark.parametrize(
    "name", ["../weights.safetensors", "/etc/passwd", "weights-0123456789abcdef.safetensors/..", ""]
)
def test_the_weights_are_nowhere_else(copied, name):
    content = content_of(copied)
    content["weights"] = name
    write(copied, content)
    refuses(copied, "name of the weights file")


def test_links_are_not_followed(saved, copied):
    for name in sorted(os.listdir(copied)):
        os.unlink(copied / name)
        (copied / name).symlink_to(saved / name)
        refuses(copied, "is a link")
        os.unlink(copied / name)
        shutil.copy(saved / name, copied / name)


def test_files_that_are_none(saved, copied):
    for name in sorted(os.listdir(copied)):
        os.unlink(copied / name)
        assert attempt(copied) == "refused"
        os.mkdir(copied / name)
        assert attempt(copied) == "refused"
        os.rmdir(copied / name)
        os.mkfifo(copied / name)
        assert attempt(copied) == "refused"
        os.unlink(copied / name)
        shutil.copy(saved / name, copied / name)


def test_other_weights_are_noticed(copied):
    (name,) = [name for name in os.listdir(copied) if name.startswith("weights")]
    data = bytearray((copied / name).read_bytes())
    data[-1] ^= 1
    (copied / name).write_bytes(data)
    refuses(copied, "not the one that was saved")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (b'"version":1', b'"version":1,"version":1', "duplicate key"),
        (b'"version":1', b'"version":NaN', "no JSON number"),
        (b'"version":1', b'"version":1e999', "out of range"),
        (b'"version":1', b'"version":true', "no version"),
        (b'"version":1', b'"version":' + b"9" * 5000, "not valid JSON"),
        (b'"version":1', b'"version":' + b"[" * 100_000, "not valid JSON|nested too deeply"),
        (b'"version":1', b'"version":"\\ud800"', "not valid JSON"),
        (b'"format"', b'"\xff"', "not valid JSON"),
        (b'"axis":', b'"axes":', "checksum"),
        (b'"format":"autograph', b'"format":"another', "no saved model of autograph"),
    ],
)
def test_texts_that_are_not_the_file(copied, old, new, message):
    if old == b'"axis":' and old not in (copied / "saved_model.json").read_bytes():
        old, new = b'"kind":', b'"kine":'
    replaced(copied, old, new)
    refuses(copied, message)


def test_python_functions_are_refused(copied):
    content = content_of(copied)
    node_of(content, "relu").update(op="py_function", attributes={"function": "os.system", "types": [], "eager": True})
    write(copied, content)
    refuses(copied, "runs Python objects")


@pytest.mark.parametrize("stream", ["file:///tmp/x", "__stdout__", "stdin", ["stderr"]])
def test_printing_elsewhere_is_refused(copied, stream):
    content = content_of(copied)
    node_of(content, "print")["attributes"]["stream"] = stream
    write(copied, content)
    refuses(copied, "'stream' of a node 'print' is of a wrong kind")


def test_attributes_can_not_bring_code_into_plans(copied):
    content = content_of(copied)
    node_of(content, "relu")["attributes"] = {"x=__import__('os').system('false'), y": 1}
    write(copied, content)
    refuses(copied, "do not fit")


@pytest.mark.parametrize("kind", ["SystemExit", "KeyboardInterrupt", "ExceptionGroup", "print", "__build_class__"])
def test_exceptions_are_only_exceptions(copied, kind):
    content = content_of(copied)
    node_of(content, "raise")["attributes"]["error"]["error"]["type"] = kind
    write(copied, content)
    refuses(copied, "an exception is of an unknown type")


def test_types_are_those_of_inference(copied):
    for shape in ([7, 7], None, [None, None, None]):
        content = content_of(copied)
        node_of(content, "relu")["outputs"] = [["float32", shape]]
        write(copied, content)
        refuses(copied, "says that it gives")


def test_graphs_that_say_that_they_never_return(copied):
    original = json.dumps(content_of(copied))
    for kind, message in (("functions", "a function never returns"), ("graphs", "but nothing ends it")):
        content = json.loads(original)
        content[kind][-1]["never_returns"] = True
        write(copied, content)
        refuses(copied, message)


def test_a_sub_graph_belongs_to_one_node(copied):
    content = content_of(copied)
    attributes = node_of(content, "cond")["attributes"]
    attributes["then"] = attributes["orelse"]
    write(copied, content)
    refuses(copied, "belongs to")


def test_tuples_do_not_hold_themselves(copied):
    content = content_of(copied)
    objects = content["objects"]
    objects.append({"kind": "tuple", "items": [len(objects)]})
    objects[0]["attributes"]["extra"] = len(objects) - 1
    write(copied, content)
    refuses(copied, "a tuple holds itself")


def test_long_chains_of_tuples_and_graphs(copied):
    content = content_of(copied)
    start = len(content["objects"])
    content["objects"] += [{"kind": "tuple", "items": [start + i + 1]} for i in range(100_000)]
    content["objects"].append({"kind": "list", "items": []})
    write(copied, content)
    refuses(copied, "nested too deeply")


def test_calls_that_double_at_each_level_cost_nothing_to_load(copied):
    """Sixty functions that each call the next twice: 2 ** 60 calls, and sixty graphs."""
    content = content_of(copied)
    x = {"name": "x", "op": "placeholder", "inputs": [], "outputs": [["float32", [2]]]}

    def graph(nodes, outputs):
        return {
            "name": "g",
            "nodes": [x, *nodes],
            "parameters": [0],
            "captures": [],
            "outputs": outputs,
            "never_returns": False,
        }

    start = len(content["functions"])
    for i in range(60):
        calls = [
            {"name": f"c{k}", "op": "call", "inputs": [[k, 0]], "outputs": [["float32", [2]]],
             "attributes": {"graph": {"function": start + i + 1}}}
            for k in range(2)
        ]  # fmt: skip
        content["functions"].append(graph(calls, [[2, 0]]))
    content["functions"].append(graph([], [[0, 0]]))
    write(copied, content)
    assert attempt(copied) == "loaded"


def chained(content, count, called):
    """A content with functions more, of one argument, each of which calls those whose numbers `called` gives."""
    x = {"name": "x", "op": "placeholder", "inputs": [], "outputs": [["float32", [2]]]}
    start = len(content["functions"])
    for i in range(count):
        nodes = [
            {"name": f"c{k}", "op": "call", "inputs": [[0, 0]], "outputs": [["float32", [2]]],
             "attributes": {"graph": {"function": start + k}}}
            for k in called(i)
        ]  # fmt: skip
        content["functions"].append(
            {
                "name": "g",
                "nodes": [x, *nodes],
                "parameters": [0],
                "captures": [],
                "outputs": [[0, 0]],
                "never_returns": False,
            }
        )
    return content


def test_long_chains_of_functions_load_in_linear_time(copied):
    write(copied, chained(content_of(copied), 4000, lambda i: [i - 1] if i else []))
    assert attempt(copied) == "loaded"


def test_functions_that_all_call_each_other_are_too_many(copied):
    write(copied, chained(content_of(copied), 3000, lambda i: [0] if i else range(1, 3000)))
    refuses(copied, "too many functions call each other")


def test_an_endless_recursion_is_an_error(copied):
    content = content_of(copied)
    for place, function in enumerate(content["functions"]):
        if function["name"] == "scale":
            inputs = [[i, 0] for i in function["parameters"]]
            outputs = [function["nodes"][node]["outputs"][i] for node, i in function["outputs"]]
            function["nodes"].append({"name": "again", "op": "call", "inputs": inputs, "outputs": outputs,
                                      "attributes": {"graph": {"function": place}}})  # fmt: skip
            function["outputs"] = [[len(function["nodes"]) - 1, 0]]
    write(copied, content)
    loaded = tf.saved_model.load(copied)
    with pytest.raises(RecursionError):
        loaded(tf.constant([[1.0, 1.0]]))


def test_many_outputs_are_not_made_to_be_counted(copied):
    content = content_of(copied)
    node_of(content, "relu").update(op="split", attributes={"sizes": 10**12, "axis": 0})
    write(copied, content)
    refuses(copied, "1 outputs")


def test_a_file_that_an_error_names_is_not_read(copied, tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("the secret\n")
    content = content_of(copied)
    for graph in [*content["functions"], *content["graphs"]]:
        for node in graph["nodes"]:
            node["at"] = [str(secret), 1, "f"]
    write(copied, content)
    loaded = tf.saved_model.load(copied)
    with pytest.raises(ValueError) as caught:
        loaded.describe(tf.constant([-1000.0, 2.0]))
    assert "secret" not in str(caught.value)
    import traceback

    assert "the secret" not in "".join(traceback.format_exception(caught.value))


def test_strict_json_gives_what_it_wrote():
    value = {"a": [1, -2.5, None, True, "é\n"], "b": {}, "c": 2**62}
    assert strict_json.loads(strict_json.dumps(value), "x") == value
