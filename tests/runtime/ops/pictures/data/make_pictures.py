"""`python make_pictures.py` (with TensorFlow and Pillow) writes `pictures.json`."""

import json
from pathlib import Path

import tensorflow as tf
from calls import made, results

if __name__ == "__main__":
    files = made()
    found = {"files": files, "results": list(results(tf, files))}
    (Path(__file__).parent / "pictures.json").write_text(json.dumps(found).replace("], [\"", "],\n[\"") + "\n")
