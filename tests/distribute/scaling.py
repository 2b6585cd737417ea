"""What a training step costs on more devices than there are: `python -m tests.distribute.scaling [--devices 8,64,512]`.

For each number of devices a process has so many virtual CPUs. It lays out a model and a batch over them and has XLA
compile the step, which is not run. The compiled program says what each device computes, holds, and sends and receives:
that is the same program as for as many GPUs, but for fusions and the algorithms of single operations. Prints a row for
each model and number of devices, in Markdown; docs/scaling.md quotes them.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).parents[2]
FLAGS = "--xla_force_host_platform_device_count={} --xla_backend_optimization_level=0"
SAMPLES = 32
"""For each device: more devices take larger batches."""
COLLECTIVES = ("all-reduce", "all-gather", "reduce-scatter", "all-to-all", "collective-permute")
_CALL = re.compile(rf"= (.*?) ({'|'.join(COLLECTIVES)})(?:-start)?\(")
_ARRAY = re.compile(r"\b(pred|[a-z]+?(\d+))\[([\d,]*)\]")


def mlp(tf: Any) -> Any:
    layers = tf.keras.layers
    hidden = [layers.Dense(1024, activation="relu") for _ in range(3)]
    return tf.keras.Sequential([tf.keras.Input((784,)), *hidden, layers.BatchNormalization(), layers.Dense(10)])


def cnn(tf: Any) -> Any:
    layers = tf.keras.layers
    blocks = [
        layer
        for filters in (32, 64, 128)
        for layer in (layers.Conv2D(filters, 3, activation="relu"), layers.BatchNormalization(), layers.MaxPooling2D())
    ]
    return tf.keras.Sequential([tf.keras.Input((32, 32, 3)), *blocks, layers.Flatten(), layers.Dense(10)])


def lstm(tf: Any) -> Any:
    layers = tf.keras.layers
    return tf.keras.Sequential([
        tf.keras.Input((64,), dtype="int32"), layers.Embedding(8000, 256), layers.LSTM(256), layers.Dense(10),
    ])  # fmt: skip


def transformer(tf: Any, width: int = 256, depth: int = 4) -> Any:
    layers = tf.keras.layers
    inputs = tf.keras.Input((128,), dtype="int32")
    x = layers.Embedding(8000, width)(inputs)
    for i in range(depth):
        x = layers.LayerNormalization()(x + layers.MultiHeadAttention(4, width // 4, name=f"attention_{i}")(x, x))
        wide = layers.Dense(4 * width, activation="gelu", name=f"wide_{i}")(x)
        x = layers.LayerNormalization()(x + layers.Dense(width, name=f"narrow_{i}")(wide))
    return tf.keras.Model(inputs, layers.Dense(10)(layers.GlobalAveragePooling1D()(x)))


MODELS: dict[str, Callable[[Any], Any]] = {
    "MLP": mlp, "CNN": cnn, "LSTM": lstm, "transformer": transformer, "transformer, model parallel": transformer,
}  # fmt: skip


class _Compiled(BaseException):
    """What was to be found out is found."""


class _Recorded:
    """A function of JAX that is compiled when it is called, and not run."""

    found: Any = None

    def __init__(self, function: Any) -> None:
        self._function = function

    def __call__(self, *given: Any) -> Any:
        type(self).found = self._function.lower(*given).compile()
        raise _Compiled

    def __getattr__(self, name: str) -> Any:
        return getattr(self._function, name)


def distribution_of(tf: Any, model: str, devices: int) -> Any:
    """Samples over all devices; or over all but 2 for each, over which the transformer's wide matrices are divided."""
    keras = tf.keras.distribution
    if "model parallel" not in model:
        return keras.DataParallel()
    layouts = keras.LayoutMap(keras.DeviceMesh((devices // 2, 2), ["batch", "model"]))
    layouts[".*wide_.*/kernel"], layouts[".*wide_.*/bias"] = (None, "model"), ("model",)
    layouts[".*narrow_.*/kernel"] = ("model", None)
    layouts[".*(query|key|value)/kernel"], layouts[".*(query|key|value)/bias"] = (None, "model", None), ("model", None)
    layouts[".*attention_output/kernel"] = ("model", None, None)
    return keras.ModelParallel(layout_map=layouts, batch_dim_name="batch")


def compiled_step(name: str, devices: int) -> tuple[Any, int]:
    """The compiled training step of a model, with Adam, and how many numbers the model has."""
    import jax

    import autograph as tf
    from autograph.runtime.engines.xla import program

    # What variables hold is not put on so many devices, which are one memory here.
    program.placed = lambda x, layout: jax.ShapeDtypeStruct(x.shape, x.dtype, sharding=layout)
    with distribution_of(tf, name, devices).scope():
        model = MODELS[name](tf)
        loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        model.compile(tf.keras.optimizers.Adam(0.001), loss)
        shape = model.inputs[0].shape[1:]
        kind = np.int32 if model.inputs[0].dtype == tf.int32 else np.float32
        count = SAMPLES * devices
        jit, jax.jit = jax.jit, lambda *given, **options: _Recorded(jit(*given, **options))
        try:
            model.fit(np.zeros((count, *shape), kind), np.zeros(count, np.int32), batch_size=count, verbose=0)
        except _Compiled:
            pass
        finally:
            jax.jit = jit
    return _Recorded.found, model.count_params()


def sent(text: str) -> Counter[str]:
    """The bytes of the results of collective operations in a program, by their kinds."""
    found: Counter[str] = Counter()
    for line in text.splitlines():
        call = _CALL.search(line)
        if call is not None:
            found[call[2]] += sum(
                math.prod(map(int, filter(None, shape.split(",")))) * int(bits or 8) // 8
                for _, bits, shape in _ARRAY.findall(call[1])
            )
    return found


def figures(name: str, devices: int) -> dict[str, Any]:
    """What XLA says of a compiled step, for each device."""
    step, count = compiled_step(name, devices)
    memory, cost = step.memory_analysis(), step.cost_analysis()
    cost = cost[0] if isinstance(cost, list) else cost
    return {
        "model": name, "devices": devices, "parameters": count, "flops": cost["flops"], "sent": sent(step.as_text()),
        "held": memory.argument_size_in_bytes, "temporary": memory.temp_size_in_bytes,
    }  # fmt: skip


def rows(devices: int, names: list[str]) -> list[dict[str, Any]]:
    """The figures of models, from a process that has so many virtual devices."""
    process = subprocess.run(
        [sys.executable, "-m", "tests.distribute.scaling", "--here", str(devices), *names], cwd=ROOT,
        capture_output=True, text=True, env={**os.environ, "XLA_FLAGS": FLAGS.format(devices), "JAX_PLATFORMS": "cpu"},
    )  # fmt: skip
    if process.returncode:
        raise SystemExit(f"with {devices} devices the process ended with {process.returncode}\n{process.stderr}")
    return [json.loads(line) for line in process.stdout.splitlines() if line.startswith("{")]


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.distribute.scaling", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    parser.add_argument("names", nargs="*", metavar="MODEL", help=f"some of: {', '.join(MODELS)}")
    parser.add_argument("--devices", default="8,64,512", help="numbers of devices")
    parser.add_argument("--here", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    names = options.names or list(MODELS)
    if options.here is not None:
        for name in names:
            print(json.dumps(figures(name, options.here)), flush=True)
        return
    print("| model | parameters | devices | GFLOP | collectives, MB | held, MB | temporary, MB |")
    print("|---|---|---|---|---|---|---|")
    for devices in map(int, options.devices.split(",")):
        for row in rows(devices, names):
            kinds = ", ".join(f"{kind} {size / 1e6:.2f}" for kind, size in sorted(row["sent"].items())) or "none"
            print(f"| {row['model']} | {row['parameters']:,} | {devices} | {row['flops'] / 1e9:.3g} | {kinds} | "
                  f"{row['held'] / 1e6:.1f} | {row['temporary'] / 1e6:.1f} |", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
