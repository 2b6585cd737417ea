"""Whole models whose control flow depends on data, exported by PyTorch, which alone refuses each of them."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import nn

import autograph.torch


class EarlyExit(nn.Module):
    """A classifier that stops at the first head that is sure."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(4, 4) for _ in range(3))
        self.heads = nn.ModuleList(nn.Linear(4, 3) for _ in range(3))

    def forward(self, x: Any) -> Any:
        scores, used = torch.zeros(3), 0
        for layer, head in zip(self.layers, self.heads, strict=True):
            x = torch.tanh(layer(x))
            scores = torch.softmax(head(x), -1)
            used += 1
            if scores.max() > 0.5:
                break
        return scores, used


class Adaptive(nn.Module):
    """A recurrent cell that says itself how often it runs."""

    def __init__(self) -> None:
        super().__init__()
        self.cell = nn.GRUCell(4, 4)
        self.halt = nn.Linear(4, 1)

    def forward(self, x: Any) -> Any:
        state, result = torch.zeros_like(x), torch.zeros_like(x)
        total, steps = torch.zeros(()), 0
        while total < 0.9 and steps < 10:
            state = self.cell(x, state)
            share = torch.sigmoid(self.halt(state)).mean()
            if total + share > 0.9:
                share = 1 - total
            result = result + share * state
            total = total + share
            steps += 1
        return result, steps


class Beam(nn.Module):
    """The likeliest sequences of a table of transitions, until all have ended."""

    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Parameter(torch.randn(5, 5))

    def forward(self, start: Any) -> Any:
        logs = torch.log_softmax(self.table, -1)
        tokens = torch.zeros(2, 6, dtype=torch.int64)
        scores = torch.tensor([0.0, -1e9])
        last = torch.zeros(2, dtype=torch.int64) + start
        at = 0
        while at < 6:
            scores, places = (scores[:, None] + logs[last]).flatten().topk(2)
            tokens, last = tokens[places // 5], places % 5
            tokens[:, at] = last
            at += 1
            if bool((last == 4).all()):
                break
        return tokens, scores, at


class Tree(nn.Module):
    """A tree in prefix order, by a stack: -1 joins the two that follow, other numbers are leaves."""

    def __init__(self) -> None:
        super().__init__()
        self.join = nn.Linear(6, 3)
        self.leaves = nn.Embedding(4, 3)

    def forward(self, nodes: Any) -> Any:
        stack, top = torch.zeros(nodes.shape[0] + 1, 3), 0
        for i in range(nodes.shape[0] - 1, -1, -1):
            node = nodes[i]
            if node < 0:
                joined = torch.tanh(self.join(torch.cat([stack[top - 1], stack[top - 2]])))
                top -= 2
                stack[top] = joined
            else:
                stack[top] = self.leaves(node)
            top += 1
        return stack[0]


class Quantiser(nn.Module):
    """As many bits as the error asks for."""

    def forward(self, x: Any) -> Any:
        bits, levels, error, result = 2, 1, torch.ones(()), x
        while error > 0.01 and bits < 16:
            scale = x.abs().max() / levels
            if scale > 0:
                result = torch.round(x / scale) * scale
            else:
                result = torch.zeros_like(x)
            error = (result - x).abs().max()
            bits += 1
            levels = levels * 2 + 1
        return result, bits


MODELS: dict[Any, list[Any]] = {
    EarlyExit: [torch.tensor([0.1, -0.2, 0.3, 0.0]), torch.tensor([9.0, -7.0, 5.0, 3.0]), torch.zeros(4)],
    Adaptive: [torch.full((1, 4), each) for each in (0.1, 1.0, -5.0)],
    Beam: [torch.tensor(each) for each in (0, 1, 3)],
    Tree: [torch.tensor(each) for each in ([-1, -1, 0, 1, 2], [-1, 0, -1, 3, 2], [-1, 1, -1, 0, 0])],
    Quantiser: [torch.tensor([0.3, -1.2, 0.7]), torch.zeros(3), torch.tensor([1.0, -1.0, 1.0])],
}
"""Inputs of which each takes other ways; the first one is what is exported for."""


@pytest.mark.parametrize("kind", MODELS, ids=lambda each: each.__name__)
def test_a_model_that_pytorch_alone_refuses(kind: Any) -> None:
    torch.manual_seed(2)
    model, inputs = kind().eval(), MODELS[kind]
    with pytest.raises(Exception, match="Could not guard on data-dependent expression"):
        torch.export.export(model, (inputs[0],))
    expected = [model(x) for x in inputs]
    converted = autograph.torch.convert(model)
    for strict in (False, True):
        program = torch.export.export(converted, (inputs[0],), strict=strict).module()
        for x, result in zip(inputs, expected, strict=True):
            leaves = result if isinstance(result, tuple) else (result,)
            found = program(x)
            for one, other in zip(found if isinstance(found, tuple) else (found,), leaves, strict=True):
                torch.testing.assert_close(one, torch.as_tensor(other), check_dtype=isinstance(other, torch.Tensor))


def test_the_models_go_different_ways() -> None:
    torch.manual_seed(2)
    for kind in (EarlyExit, Adaptive, Quantiser):
        model = kind().eval()
        assert len({int(model(x)[-1]) for x in MODELS[kind]}) > 1, kind
