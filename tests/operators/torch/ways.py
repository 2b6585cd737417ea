"""The ways in which PyTorch runs a converted function, each beside the plain one, eager."""

from __future__ import annotations

import pytest
import torch

import autograph as tf


class Holder(torch.nn.Module):
    """A module of a function."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *arguments):
        return self.function(*arguments)


def compiled(function, arguments):
    """`torch.compile`, without a compiler behind it."""
    torch._dynamo.reset()
    return torch.compile(function, fullgraph=True, backend="aot_eager", dynamic=False)


def exported(function, arguments):
    """`torch.export`, which runs the Python."""
    return torch.export.export(Holder(function), arguments, strict=False).module()


def strictly_exported(function, arguments):
    """`torch.export`, which reads the bytecode."""
    torch._dynamo.reset()
    return torch.export.export(Holder(function), arguments, strict=True).module()


WAYS = {"compile": compiled, "export": exported, "strict": strictly_exported}


def made(value):
    """Arguments as tensors of their own: lists are vectors."""
    if isinstance(value, (int, float, bool, list)):
        return torch.tensor(value)
    return value.clone() if isinstance(value, torch.Tensor) else value


def check(found, expected, place=""):
    """A result is what Python gives; its numbers may be tensors."""
    if isinstance(expected, torch.Tensor):
        assert isinstance(found, torch.Tensor) and found.dtype == expected.dtype, (place, found, expected)
        torch.testing.assert_close(found, expected)
    elif isinstance(expected, (list, tuple)):
        assert type(found) is type(expected) and len(found) == len(expected)
        for number, (one, other) in enumerate(zip(found, expected, strict=True)):
            check(one, other, f"{place}[{number}]")
    elif isinstance(expected, dict):
        assert found.keys() == expected.keys()
        for key, each in expected.items():
            check(found[key], each)
    elif isinstance(found, torch.Tensor):
        assert found.shape == ()
        assert found.item() == pytest.approx(expected)  # a float, where other runs give one
    else:
        assert found == expected and type(found) is type(expected)


def run(function, way, *inputs):
    """Runs a function in one way, made for the first arguments, on all of them, and compares."""
    converted = tf.autograph.convert()(function)
    shapes = [getattr(x, "shape", 0) for x in map(made, inputs[0])]
    run_it = WAYS[way](converted, tuple(map(made, inputs[0])))
    for each in inputs:
        if way != "compile" and [getattr(x, "shape", 0) for x in map(made, each)] != shapes:
            continue  # PyTorch guards shapes of which nobody says that they vary
        check(run_it(*map(made, each)), function(*map(made, each)))
