"""Writes what Keras gives for the cases: `python -m tests.keras.features.golden` where Keras 3 and TensorFlow are."""

import json
from pathlib import Path
from typing import Any

from .cases import CASES, ERRORS, error_of, run

PATH = Path(__file__).parent / "data" / "keras_features.json"


def main() -> None:
    from keras import layers  # type: ignore[import-not-found]

    golden: dict[str, Any] = {
        "values": [run(layers, case) for case in CASES],
        "errors": [error_of(layers, case) for case in ERRORS],
    }
    PATH.write_text(json.dumps(golden, indent=None, separators=(",", ":")).replace('{"dtype"', '\n{"dtype"') + "\n")


if __name__ == "__main__":
    main()
