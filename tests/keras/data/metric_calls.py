"""What Keras's metrics and autograph's are compared by; with TensorFlow `python -m` writes what Keras gave."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

RANDOM = np.random.RandomState(0)
LABELS = (RANDOM.rand(20, 3) > 0.6).astype(np.float32)
CHANCES = RANDOM.rand(20, 3).astype(np.float32)
WEIGHTS = RANDOM.rand(20).astype(np.float32)
TRUE = RANDOM.randn(20, 3).astype(np.float32)
NUMBERS = (TRUE + RANDOM.randn(20, 3) * 0.3).astype(np.float32)
EACH = RANDOM.rand(20, 3).astype(np.float32)
LABELLED = (LABELS, CHANCES, WEIGHTS)
ALONE = (LABELS, CHANCES)
CALLS: list[tuple[str, tuple[Any, ...]]] = [
    *[(f"{name}({value}{options})", LABELLED)
      for name, value in (("SensitivityAtSpecificity", 0.6), ("SpecificityAtSensitivity", 0.6),
                          ("PrecisionAtRecall", 0.7), ("RecallAtPrecision", 0.5))
      for options in ("", ", 7, class_id=1, name='x'", ", num_thresholds=1")],
    ("AUC(multi_label=True)", LABELLED),
    ("AUC(20, multi_label=True, num_labels=3, label_weights=[0.2, 0.5, 1])", LABELLED),
    ("AUC(20, 'PR', multi_label=True, label_weights=[0.2, 0.5, 1])", LABELLED),
    ("AUC(20, label_weights=[0.2, 0.5, 1])", ALONE), ("AUC(20, label_weights=[0.2, 0.5, 1.0])", LABELLED),
    ("AUC(thresholds=[.6, .9], multi_label=True, from_logits=True, summation_method='minoring')", LABELLED),
    ("AUC(20, 'PRGAIN')", LABELLED), ("AUC(20, 'PRGAIN', 'majoring')", LABELLED), ("BinaryIoU()", ALONE),
    ("BinaryIoU([1], 0.3, dtype='float32')", (LABELS, CHANCES, EACH)), ("R2Score()", (TRUE, NUMBERS, WEIGHTS)),
    ("R2Score(None)", (TRUE, NUMBERS, EACH)), ("R2Score('variance_weighted_average')", (TRUE, NUMBERS)),
    ("R2Score(num_regressors=3)", (TRUE, NUMBERS)), ("R2Score(num_regressors=80)", (TRUE, NUMBERS)),
    ("R2Score(num_regressors=1000)", (TRUE, NUMBERS)), ("PearsonCorrelation()", (TRUE, NUMBERS, WEIGHTS)),
    ("PearsonCorrelation(axis=0)", (TRUE, NUMBERS)), ("ConcordanceCorrelation()", (TRUE, NUMBERS, WEIGHTS)),
    ("ConcordanceCorrelation(axis=0)", (TRUE, NUMBERS)),
]  # fmt: skip


def result(metric: Any, data: tuple[Any, ...], update: Callable[..., Any]) -> dict[str, Any]:
    """What a metric gives for all of the data and a part of it, its configuration, and its variables."""
    update(*data)
    update(*(each[:7] for each in data))
    found = np.asarray(metric.result()).tolist()
    plain = (str, bool, int, float, type(None))
    config = {key: value if isinstance(value, plain) else np.asarray(value).tolist()
              for key, value in metric.get_config().items()}  # fmt: skip
    return {"result": found, "config": {**config, "name": ""},
            "variables": [[v.name, list(v.shape)] for v in metric.variables]}  # fmt: skip


def results(metrics: Any) -> Iterator[tuple[str, Any]]:
    """What a library gives for all calls."""
    for call, data in CALLS:
        metric = eval(f"metrics.{call}", {"metrics": metrics})
        yield f"{call} of {len(data)}", result(metric, data, metric.update_state)


if __name__ == "__main__":
    import tensorflow as tf

    text = json.dumps(dict(results(tf.keras.metrics))).replace('}, "', '},\n"')
    (Path(__file__).parent / "metrics.json").write_text(text + "\n")
