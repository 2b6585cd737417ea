"""Modules whose `forward` is converted, under `torch.compile` and `torch.export`."""

from __future__ import annotations

import copy

import pytest
import torch

import autograph as tf
import autograph.torch

from .ways import check


@autograph.torch.convert
class Gate(torch.nn.Module):
    """Two layers, one for each way."""

    def __init__(self):
        super().__init__()
        self.one = torch.nn.Linear(3, 3)
        self.other = torch.nn.Linear(3, 3)
        self.register_buffer("count", torch.zeros((), dtype=torch.int64))

    def forward(self, x):
        if x.sum() > 0:
            y = self.one(x)
        else:
            y = self.other(x) * 2
        while y.abs().max() > 1:
            y = y / 2
        return y


INPUTS = [torch.tensor([1.0, 2.0, 30.0]), torch.tensor([-1.0, -2.0, 1.0]), torch.zeros(3)]


class Plain(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.Sequential(Gate(), torch.nn.ReLU(), Gate())

    def forward(self, x):
        return self.layers(x)


def exported(model, *arguments, strict=False):
    return torch.export.export(model, arguments, strict=strict).module()


WAYS = {
    "compile": lambda model, *_: torch.compile(model, fullgraph=True, backend="aot_eager"),
    "export": exported,
    "strict": lambda model, *arguments: exported(model, *arguments, strict=True),
}


@pytest.fixture(autouse=True)
def _anew():
    torch._dynamo.reset()


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", [Gate, Plain])
def test_modules(kind, way):
    model = kind()
    run = WAYS[way](model, INPUTS[0])
    for each in INPUTS:
        check(run(each), model(each))


def test_gradients_of_parameters():
    model = Gate()
    run = WAYS["compile"](model)
    for x in [torch.tensor([0.1, 0.2, 0.3]), torch.tensor([-0.1, -0.2, 0.1]), torch.tensor([10.0, 20.0, 3.0])]:
        gradients = []
        for each in (run, model):
            model.zero_grad()
            y = x.clone().requires_grad_()
            each(y).square().sum().backward()
            zeros = [torch.zeros_like(p) if p.grad is None else p.grad for p in model.parameters()]
            gradients.append([*zeros, y.grad])
        for one, other in zip(*gradients, strict=True):
            torch.testing.assert_close(one, other)


@pytest.mark.parametrize("way", WAYS)
def test_buffers_change_where_python_changes_them(way):
    @autograph.torch.convert
    class Counting(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("seen", torch.zeros(()))
            self.register_buffer("most", torch.full((2,), -1.0))

        def forward(self, x):
            if x.sum() > 0:
                self.seen += x.sum()
                self.most[0] = torch.maximum(self.most[0], x.max())
            i = 0
            while i < x[0]:
                self.seen.add_(0.5)
                i += 1
            return self.seen * x

    inputs = [torch.tensor([1.0, 2.0]), torch.tensor([-3.0, 1.0]), torch.tensor([2.0, 5.0])]
    plain = Counting()
    model = copy.deepcopy(plain)
    run = WAYS[way](model, inputs[0])
    for each in inputs:
        check(run(each), plain(each))
    state = dict(run.named_buffers()) if way != "compile" else dict(model.named_buffers())
    torch.testing.assert_close(state["seen"], plain.seen)
    torch.testing.assert_close(state["most"], plain.most)


def test_training_and_evaluation():
    @autograph.torch.convert
    class Normed(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.norm = torch.nn.BatchNorm1d(2)

        def forward(self, x):
            if x.sum() > 0:
                x = self.norm(x)
            return x

    plain = Normed()
    model = copy.deepcopy(plain)
    run = WAYS["compile"](model)
    for mode in (True, False, True):
        plain.train(mode), model.train(mode)
        for x in (torch.tensor([[1.0, 2.0], [3.0, 5.0]]), torch.tensor([[-1.0, 2.0], [-3.0, 1.0]])):
            check(run(x), plain(x))
        check(model.norm.running_mean, plain.norm.running_mean)
        check(model.norm.num_batches_tracked, plain.norm.num_batches_tracked)


def test_a_tensor_from_elsewhere_is_refused_under_compile():
    weight = torch.nn.Parameter(torch.ones(2))

    @tf.autograph.convert()
    def function(x):
        return x * weight if x.sum() > 0 else x

    with pytest.raises(Exception, match="neither an argument nor a part of a module"):
        torch.compile(function, fullgraph=True, backend="aot_eager")(torch.ones(2))


def test_what_is_no_module():
    with pytest.raises(tf.errors.InvalidTypeError, match="takes a module"):
        autograph.torch.convert(lambda x: x)


def test_copies_are_of_their_own():
    model = Gate()
    other = copy.deepcopy(model)
    with torch.no_grad():
        other.one.weight.zero_(), other.one.bias.zero_()
    check(WAYS["compile"](other)(torch.ones(3)), torch.zeros(3))
