"""Loops over Python's own iterators that a tensor decides to leave."""

from __future__ import annotations

from typing import Any

import pytest
import torch

import autograph as tf

from .ways import WAYS, run


def paired(x: Any) -> Any:
    used = 0
    for a, b in zip([1.0, 2.0, 3.0], (2.0, 3.0, 4.0), strict=True):
        x = x + a * b
        used += 1
        if x.sum() > 10:
            break
    return x, used


def numbered(x: Any) -> Any:
    found = -1
    for i, value in enumerate([1.0, 5.0, 3.0]):
        x = x * value
        if x.sum() > 20:
            found = i
            break
    else:
        x = -x
    return x, found


def backwards(x: Any) -> Any:
    for value in reversed([1.0, 2.0, 3.0]):
        if x.sum() > 8:
            return x
        x = x + value
    return -x


def rows(x: Any) -> Any:
    for value in x:
        if value > 2:
            return value
    return x.sum()


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("function", [paired, numbered, backwards, rows])
def test_loops_that_a_tensor_leaves(function: Any, way: str) -> None:
    run(function, way, ([1.0, 1.0],), ([3.0, 3.0],), ([0.1, 0.1],))


@pytest.mark.parametrize(
    "use",
    [
        lambda it: len(list(it)), lambda it: sum(it), lambda it: next(it), lambda it: [*it][0], lambda it: 2.0 in it,
        lambda it: max(it), lambda it: [each for each in it][0], lambda it: dict(zip(it, "ab"))[2.0],
        lambda it: "".join(map(str, it)),
    ],
)  # fmt: skip
def test_an_iterator_that_is_used_again_is_refused(use: Any) -> None:
    def f(x: Any) -> Any:
        values = iter([1.0, 2.0, 3.0])
        for value in values:
            x = x * value
            if x.sum() > 5:
                break
        return x, use(values)

    class Model(torch.nn.Module):
        def forward(self, x: Any) -> Any:
            return converted(x)

    converted = tf.autograph.convert()(f)
    with pytest.raises(tf.errors.MutationError, match="iterator"):
        torch.export.export(Model(), (torch.ones(2),), strict=False)
