"""The table of names: what of TensorFlow 2 is here, and what to use instead of what is not."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

import autograph

TENSORFLOW = Path(__file__).parents[1] / "data" / "tensorflow_names.txt"
"""The public names of TensorFlow 2.21 and its Keras, without `compat`, `raw_ops` and repeated ones, one a line."""

INSTEAD = {
    "RaggedTensor": "lists of tensors, or padded tensors with `tf.sequence_mask`",
    "SparseTensor": "dense tensors, with `tf.gather` and `tf.scatter_nd`",
    "audio": "`tf.io.read_file` and `tf.io.decode_raw`, or a library for sound in `tf.numpy_function`",
    "config": "`tf.config.run_functions_eagerly`, and `tf.config.list_physical_devices` for devices",
    "data": "`tf.data.Dataset.from_generator` makes a dataset of anything that Python can iterate over",
    "debugging": "`tf.debugging.enable_check_numerics` and `tf.print`",
    "distribute": "`tf.distribute.MirroredStrategy` and `tf.distribute.MultiWorkerMirroredStrategy`",
    "dtypes": "NumPy's dtypes, and `tf.as_dtype`",
    "experimental": "what `tf` has under other names; classes and dataclasses of your own need no `ExtensionType`",
    "experimental.dtensor": "`tf.keras.distribution`",
    "experimental.numpy": "NumPy's own functions, which take tensors in graphs as well",
    "feature_column": "`tf.keras.layers.Normalization`, `tf.keras.layers.StringLookup` and their like",
    "graph_util": "`tf.saved_model.load`",
    "image": "the functions of `tf.image` that are here, or Pillow in `tf.numpy_function`",
    "initializers": "a subclass of `tf.keras.initializers.Initializer`",
    "io": "`tf.io.read_file`, `tf.io.decode_raw`, or Python in `tf.py_function`",
    "keras.activations": "a function of your own; layers take any",
    "keras.applications": "networks of your own made of `tf.keras.layers`; there are no pretrained ones",
    "keras.callbacks": "a subclass of `tf.keras.callbacks.Callback`",
    "keras.config": "arguments of `fit` and of layers",
    "keras.constraints": "a subclass of `tf.keras.constraints.Constraint`",
    "keras.dtype_policies": "`tf.keras.DTypePolicy`, and `tf.cast`",
    "keras.export": "`export` of a model, or `tf.saved_model.save`",
    "keras.initializers": "a subclass of `tf.keras.initializers.Initializer`",
    "keras.layers": "a layer of your own, a subclass of `tf.keras.layers.Layer`",
    "keras.ops": "the functions of `tf`, `tf.math`, `tf.nn` and `tf.linalg`",
    "keras.optimizers": "a subclass of `tf.keras.optimizers.Optimizer`",
    "keras.preprocessing": "`tf.data.Dataset` with `map`, and the layers of `tf.keras.layers`",
    "keras.quantizers": "`tf.cast` and `tf.round`",
    "keras.random": "`tf.random`",
    "keras.regularizers": "a subclass of `tf.keras.regularizers.Regularizer`",
    "keras.tree": "`tf.nest`",
    "keras.visualization": "Matplotlib, on arrays (`x.numpy()`)",
    "linalg": "the functions of `tf.linalg` on dense matrices, such as `tf.linalg.matmul`",
    "lite": "`tf.saved_model.save`",
    "lookup": "`tf.keras.layers.StringLookup` and `tf.keras.layers.IntegerLookup`",
    "math": "SciPy's functions in `tf.numpy_function`",
    "mlir": "`print` of a concrete function's `graph`",
    "nn": "`tf.keras.layers`",
    "optimizers": "a subclass of `tf.keras.optimizers.Optimizer`",
    "profiler": "`tf.profiler.experimental.Profile`",
    "quantization": "`tf.cast` and `tf.round`",
    "queue": "`tf.data.Dataset`",
    "ragged": "lists of tensors, or padded tensors with `tf.sequence_mask`",
    "random": "`tf.random.Generator`, `tf.random.stateless_uniform` and their like",
    "saved_model": "`tf.saved_model.save` and `tf.saved_model.load`",
    "sets": "`tf.unique`, or Python's sets outside of a graph",
    "signal": "the transforms of `tf.signal` that are here, or SciPy's functions in `tf.numpy_function`",
    "sparse": "dense tensors, with `tf.gather` and `tf.scatter_nd`",
    "strings": "`tf.strings.regex_replace`, or Python in `tf.py_function`",
    "summary": "`tf.summary.scalar` and its neighbours",
    "sysconfig": "nothing: there is no compiled library to build against",
    "test": "pytest, and `numpy.testing`",
    "tpu": "`tf.keras.distribution`",
    "train": "`tf.train.Checkpoint`; optimizers are in `tf.keras.optimizers`",
    "types": "`tf.Tensor`, `tf.TensorSpec` and `tf.DType`",
    "xla": "`tf.function` with `jit_compile=True`",
}
"""By the beginning of a name (the longest counts): what serves in its place."""

HEAD = """# The table of names

What of TensorFlow 2.21 is here under the same name, made of the two libraries' lists of public names: {here} of {all}.
`compat` and `raw_ops` are left out. A name that is not here is an `AttributeError`.
"""


def names() -> list[str]:
    """TensorFlow's public names, without `tf.`."""
    return TENSORFLOW.read_text().split()


def is_here(name: str) -> bool:
    """Whether `tf.NAME` is public here."""
    value: object = autograph
    for part in name.split("."):
        try:
            value = getattr(value, part)
        except (AttributeError, ImportError):
            return False
    return True


def instead(name: str) -> str:
    """What to use in the place of a name; "" where nobody has written it."""
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        found = INSTEAD.get(".".join(parts[:length]))
        if found:
            return found
    return ""


def _space(name: str) -> str:
    parts = name.split(".")
    length = 2 if parts[0] in {"keras", "data", "distribute", "config"} and len(parts) > 2 else 1
    return ".".join(parts[:length]) if len(parts) > 1 else ""


def _list(found: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in found) or "none"


def page() -> str:
    """The page, as Markdown."""
    everything = sorted(names(), key=lambda name: (_space(name), name))
    here = {name for name in everything if is_here(name)}
    lines = [HEAD.format(here=len(here), all=len(everything))]
    for space, group in groupby(everything, key=_space):
        members = list(group)
        prefix = f"{space}." if space else ""
        there = [name.removeprefix(prefix) for name in members if name in here]
        absent = [name for name in members if name not in here]
        lines.append(f"## {'tf.' + space if space else 'tf'}\n")
        lines.append(f"{len(there)} of {len(members)} are here.\n")
        if there:
            lines.append(f"**Here:** {_list(there)}\n")
        for remedy, names_of_it in groupby(sorted(absent, key=instead), key=instead):
            found = _list([name.removeprefix(prefix) for name in names_of_it])
            use = f" Instead: {remedy}." if remedy else ""
            lines.append(f"**Not here:** {found}.{use}\n")
    return "\n".join(lines)
