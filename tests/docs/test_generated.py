"""The pages that are made of the code."""

from __future__ import annotations

import re

import autograph as tf
from docs.generate import examples, names, passes, reference


def test_the_table_has_each_name_of_tensorflow_once() -> None:
    known = names.names()
    assert len(known) > 2500 and known == sorted(set(known))
    page = names.page()
    here = [name for name in known if names.is_here(name)]
    assert f"{len(here)} of {len(known)}" in page
    assert names.is_here("math.log") and names.is_here("keras.layers.Dense")
    assert not names.is_here("raw_ops.Abs") and not names.is_here("RaggedTensor")
    assert "**Not here:** `RaggedTensor`" in page and names.INSTEAD["RaggedTensor"] in page


def test_what_to_use_instead_exists() -> None:
    for text in names.INSTEAD.values():
        for name in re.findall(r"`tf\.([\w.]+)`", text):
            assert names.is_here(name), name


def test_names_to_replace_are_some_that_are_not_here() -> None:
    absent = [name for name in names.names() if not names.is_here(name)]
    assert not [start for start in names.INSTEAD if not any(f"{name}.".startswith(f"{start}.") for name in absent)]


def test_each_pass_is_shown_before_and_after() -> None:
    page = passes.page()
    for each in [one for stage in passes.STAGES["staged"] for one in stage]:
        part = re.split(r"^###? ", page, flags=re.MULTILINE)
        (text,) = [one for one in part if re.match(rf"(\w+, )*{each.__name__}\b", one)]
        assert "becomes" in text, each.__name__


def test_the_reference_lists_all_public_names() -> None:
    pages = reference.pages()
    top = pages["tf.md"]
    missing = [
        name
        for name in tf.__all__
        if ".. auto" in top
        and not re.search(rf"autograph\.{name}$", top, re.MULTILINE)
        and callable(getattr(tf, name))
        and not isinstance(getattr(tf, name), type(tf))
    ]
    assert not missing
    assert ".. autofunction:: autograph.math.log\n" in pages["tf.math.md"]
    assert ".. autoclass:: autograph.keras.layers.Dense\n" in pages["tf.keras.layers.md"]
    assert "autograph.config.Any" not in pages["tf.config.md"]


def test_written_calls_show_public_names() -> None:
    written = examples.calls()
    assert len(written) == len(examples.CALLS.read_text().splitlines()), "a function has two"
    shown = {name.removeprefix("tf."): call for name, call in written.items()}
    assert not [name for name in shown if not names.is_here(name)]
    assert not [call for name, call in shown.items() if not examples.example(name, eval(f"tf.{name}", {"tf": tf}))]


def test_functions_of_tensors_get_an_example() -> None:
    assert examples.example("math.sqrt", tf.math.sqrt)[0] == ">>> tf.math.sqrt([0.25, 0.5])"
    assert examples.example("random.normal", tf.random.normal) == []
    without = [
        name
        for name in reference.public_names("math")
        if ">>>" not in (getattr(tf.math, name).__doc__ or "")
        and not examples.example(f"math.{name}", getattr(tf.math, name))
    ]
    assert len(without) < 12, without
