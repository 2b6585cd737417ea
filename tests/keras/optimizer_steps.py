"""What optimizers make of variables in five steps, next to what Keras's make of them.

The file ``data/optimizer_steps.json`` holds Keras's numbers: the variables, then the optimizer's own, and the names of
these. It is written, where TensorFlow is installed, by

    python -m tests.keras.optimizer_steps
"""

from __future__ import annotations

import json
import pathlib
from collections.abc import Callable
from typing import Any

import numpy as np

FILE = pathlib.Path(__file__).parent / "data" / "optimizer_steps.json"
SHAPES = {"a": (3, 2), "excluded_kernel": (2, 4), "bias": (4,), "cube": (2, 3, 2), "scalar": ()}
AVERAGES = {"use_ema": True, "ema_momentum": 0.6, "ema_overwrite_frequency": 2}

CASES: dict[str, Callable[[Any], Any]] = {
    "Adadelta": lambda o: o.Adadelta(0.5),
    "Adafactor": lambda o: o.Adafactor(0.1),
    "Adafactor with all settings": lambda o: o.Adafactor(0.7, -0.5, 1e-8, 1e-2, 0.5, False, weight_decay=0.01),
    "Adafactor with a schedule": lambda o: o.Adafactor(o.schedules.ExponentialDecay(0.9, 2, 0.5)),
    "Adagrad": lambda o: o.Adagrad(0.1, **AVERAGES),
    "Adam": lambda o: o.Adam(0.1, gradient_accumulation_steps=3, clipnorm=0.5, weight_decay=0.1),
    "AdamW excluded": lambda o: without_bias(o.AdamW(0.1, weight_decay=0.5)),
    "Adamax": lambda o: o.Adamax(0.1, clipvalue=0.3),
    "Ftrl": lambda o: o.Ftrl(0.1, l1_regularization_strength=0.01, **AVERAGES),
    "Lamb": lambda o: o.Lamb(0.1),
    "Lamb with all settings": lambda o: o.Lamb(0.1, 0.8, 0.99, 1e-3, weight_decay=0.1, clipnorm=1.0),
    "Lamb gathered": lambda o: o.Lamb(0.1, gradient_accumulation_steps=2, **AVERAGES),
    "Lion": lambda o: o.Lion(0.01, weight_decay=0.1),
    "LossScaleOptimizer": lambda o: o.LossScaleOptimizer(o.Adam(0.1), initial_scale=4.0, dynamic_growth_steps=2),
    "MultiOptimizer": lambda o: o.MultiOptimizer(o.OptimizerMap(o.SGD(0.1), {".*c.*": o.Nadam(0.1), "a": o.Lion(0.1)})),
    "Muon": lambda o: o.Muon(0.1),
    "Muon with all settings": lambda o: o.Muon(
        0.1, adam_weight_decay=None, weight_decay=0.2, nesterov=False, ns_steps=3, rms_rate=None, adam_lr_ratio=0.5,
        momentum=0.8, exclude_layers=["excl"], global_clipnorm=1.0,
    ),
    "Nadam": lambda o: o.Nadam(0.1, weight_decay=0.05),
    "Nadam gathered": lambda o: o.Nadam(0.1, gradient_accumulation_steps=2),
    "ScheduleFreeAdamW": lambda o: o.ScheduleFreeAdamW(0.1),
    "ScheduleFreeAdamW with all settings": lambda o: o.ScheduleFreeAdamW(
        0.1, 0.8, 0.99, 1e-4, warmup_steps=3, weight_decay=0.1
    ),
}  # fmt: skip


def without_bias(optimizer: Any) -> Any:
    """An optimizer that leaves biases out of the weight decay."""
    optimizer.exclude_from_weight_decay(var_names=["bias"])
    return optimizer


def wave(shape: tuple[int, ...], seed: float) -> np.ndarray[Any, Any]:
    """Numbers that need no generator."""
    return (1.5 * np.sin(np.arange(np.prod(shape)) * 1.7 + 3 * seed)).reshape(shape).astype(np.float32)


def steps(name: str, optimizers: Any, make_variable: Any, decorate: Any = lambda step: step) -> list[Any]:
    """The variables and the optimizer's own after five steps; one of a scaled loss has a gradient that is infinite."""
    variables = [make_variable(wave(shape, seed), name=of) for seed, (of, shape) in enumerate(SHAPES.items())]
    optimizer = CASES[name](optimizers)
    optimizer.build(variables)

    def step(*gradients: Any) -> None:
        optimizer.apply_gradients(list(zip(gradients, variables, strict=True)))

    step = decorate(step)
    for time in range(5):
        gradients = [wave(shape, 10 * time + seed + 0.5) for seed, shape in enumerate(SHAPES.values())]
        if name == "LossScaleOptimizer" and time == 1:
            gradients[2] = gradients[2] * np.float32("inf")
        step(*gradients)
    return [_numbers(variables), _numbers(optimizer.variables), [each.name for each in optimizer.variables]]


def _numbers(variables: list[Any]) -> list[Any]:
    return [np.asarray(each.numpy(), np.float64).ravel().round(6).tolist() for each in variables]


def main() -> None:
    import tensorflow

    keras = tensorflow.keras
    found = {name: steps(name, keras.optimizers, keras.Variable) for name in CASES}
    lines = [f" {json.dumps(name)}: {json.dumps(values)}" for name, values in found.items()]
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
