"""Connectionist temporal classification (Graves et al., 2006): how likely a row of labels is in a row of steps."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph.errors import InvalidArgumentError

from ...base.dtypes import Array
from ...ir.graph import Type
from ...ir.kinds import INT, kinds
from ...ir.op import op
from ...tensors.convert import convert_to_tensor
from ...tensors.likes import TensorLike
from ...tensors.tensor import Tensor
from ..declare import no_gradient
from ..elementwise.elementwise import cast
from ..infer import exactly, require, require_kind
from ..kernels import samples as s
from ..shape.shape import transpose

__all__ = ["ctc_loss"]


class _Paths:
    """The paths of a batch: blanks around all labels, and the chances of these in each step, as logarithms."""

    def __init__(self, labels: Array, logits: Array, counts: Array, steps: Array, blank: int) -> None:
        time, batch, classes = logits.shape
        require(labels.shape[0] == batch and counts.shape == steps.shape == (batch,), "labels, label_length and "
                f"logit_length have a row for each of the {batch} samples")  # fmt: skip
        for lengths, most, words in ((counts, labels.shape[1], "label_length is at most the number of labels"),
                                     (steps, time, "logit_length is at most the number of steps")):
            require(bool((lengths >= 0).all() and (lengths <= most).all()), f"{words}, {most}")
        known = np.arange(labels.shape[1])[None] < counts[:, None]
        used = labels[known]
        require(not used.size or bool((used >= 0).all() and (used < classes).all()), "labels are numbers of classes, "
                f"from 0 to {classes - 1}")  # fmt: skip
        self.states = np.full((batch, 2 * labels.shape[1] + 1), blank)
        self.states[:, 1::2] = np.where(known, labels, blank)
        self.counts, self.steps = counts, steps
        shifted = logits.astype(np.float64) - logits.max(-1, keepdims=True)
        self.chances = shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))
        rows = np.arange(batch)[:, None]
        self.emitted = self.chances[:, rows, self.states] if time else np.zeros((0, *self.states.shape))
        there = np.arange(self.states.shape[1])[None] < 2 * counts[:, None] + 1
        self.emitted = np.where(there[None], self.emitted, -np.inf)
        self.skips = np.zeros(self.states.shape, bool)
        self.skips[:, 2:] = (self.states[:, 2:] != self.states[:, :-2]) & (self.states[:, 2:] != blank)

    def forward(self) -> Array:
        """For each step the chance of the beginnings of all paths that end in each state."""
        found = np.full(self.emitted.shape, -np.inf)
        for time, emitted in enumerate(self.emitted):
            if time == 0:
                found[0, :, :2] = emitted[:, :2]
                continue
            before = found[time - 1]
            reached = before.copy()
            reached[:, 1:] = np.logaddexp(reached[:, 1:], before[:, :-1])
            reached[:, 2:] = np.logaddexp(reached[:, 2:], np.where(self.skips[:, 2:], before[:, :-2], -np.inf))
            found[time] = reached + emitted
        return found

    def backward(self) -> Array:
        """For each step the chance of the ends of all paths that begin in each state."""
        found = np.full(self.emitted.shape, -np.inf)
        places = np.arange(self.states.shape[1])[None]
        ends = (places == 2 * self.counts[:, None]) | (places == 2 * self.counts[:, None] - 1)
        for time in range(len(self.emitted) - 1, -1, -1):
            last = (self.steps == time + 1)[:, None]
            reached = np.where(last & ends, 0.0, -np.inf)
            if time + 1 < len(self.emitted):
                after = found[time + 1]
                onwards = after.copy()
                onwards[:, :-1] = np.logaddexp(onwards[:, :-1], after[:, 1:])
                onwards[:, :-2] = np.logaddexp(onwards[:, :-2], np.where(self.skips[:, 2:], after[:, 2:], -np.inf))
                reached = np.where(last, reached, np.where((self.steps > time + 1)[:, None], onwards, -np.inf))
            found[time] = reached + self.emitted[time]
        return found

    def losses(self, forward: Array) -> Array:
        """Minus the logarithm of the chance of all paths of each sample."""
        rows, counts = np.arange(len(self.steps)), self.counts
        if not len(forward):
            return np.where(counts == 0, 0.0, np.inf)
        final = forward[np.maximum(self.steps, 1) - 1, rows]
        blank, label = final[rows, 2 * counts], final[rows, np.maximum(2 * counts - 1, 0)]
        found = np.logaddexp(blank, np.where(counts > 0, label, -np.inf))
        return -np.where(self.steps == 0, np.where(counts == 0, 0.0, -np.inf), found)


def _infer(labels: Type, logits: Type, label_length: Type, logit_length: Type, blank: int) -> Type:
    for what, each in (("labels", labels), ("label_length", label_length), ("logit_length", logit_length)):
        require_kind(each, "iu", what)
        exactly(each.shape, 2 if each is labels else 1, what)
    require_kind(logits, "f", "logits")
    exactly(logits.shape, 3, "logits")
    classes = None if logits.shape is None else logits.shape[2]
    require(classes is None or 0 <= blank < classes, f"blank_index {blank} is not one of the {classes} classes")
    return Type(logits.dtype, (None if logits.shape is None else logits.shape[1],))


@np.errstate(invalid="ignore", divide="ignore")
def _loss(labels: Array, logits: Array, label_length: Array, logit_length: Array, blank: int) -> Array:
    paths = _Paths(labels, logits, label_length, logit_length, blank)
    return paths.losses(paths.forward()).astype(logits.dtype)


def _infer_gradient(g: Type, labels: Type, logits: Type, *lengths: Type, blank: int) -> Type:
    return logits


@np.errstate(invalid="ignore", divide="ignore")
def _loss_gradient(g: Array, labels: Array, logits: Array, counts: Array, steps: Array, blank: int) -> Array:
    paths = _Paths(labels, logits, counts, steps, blank)
    forward, backward = paths.forward(), paths.backward()
    losses = paths.losses(forward)
    possible = np.isfinite(losses)
    through = forward + backward - paths.emitted + np.where(possible, losses, 0.0)[None, :, None]
    share = np.where(np.isfinite(through), np.exp(through), 0.0)
    found = np.exp(paths.chances)
    time, batch, states = share.shape
    places = np.broadcast_to(paths.states, share.shape).reshape(-1)
    rows = np.repeat(np.arange(time * batch), states)
    np.subtract.at(found.reshape(time * batch, -1), (rows, places), share.reshape(-1))
    counted = (np.arange(time)[:, None] < steps[None]) & possible[None]
    return np.where(counted[..., None], found * g[None, :, None], 0.0).astype(logits.dtype)


def _samples() -> list[Any]:
    logits = (np.arange(30).reshape(5, 2, 3) * 7 % 11 / 5).astype(np.float32)
    labels, counts = np.array([[1, 1], [2, 0]], np.int32), np.array([2, 1], np.int32)
    return [s.sample(labels, logits, counts, np.array([5, 3], np.int32), blank=0),
            s.sample(labels - 1, logits.astype(np.float64), counts, np.array([4, 4], np.int32), blank=2)]  # fmt: skip


CTC_GRADIENT = op("ctc_loss_gradient", infer=_infer_gradient, numpy=_loss_gradient, raises=(InvalidArgumentError,),
                  gradient=lambda *_, **__: no_gradient("ctc_loss_gradient", "ctc_loss is differentiable once"),
                  fresh=True, attributes=kinds("", blank=INT), doc="The gradient of `ctc_loss` by the logits.",
                  samples=lambda: [((np.array([1, 2], inputs[1].dtype), *inputs), attributes)
                                   for inputs, attributes in _samples()])  # fmt: skip


def _gradient(g: Tensor, out: Tensor, *inputs: Tensor, blank: int) -> tuple[Any, ...]:
    return None, CTC_GRADIENT(g, *inputs, blank=blank), None, None


CTC_LOSS = op("ctc_loss", tensorflow_name="CTCLossV2", infer=_infer, numpy=_loss, gradient=_gradient, fresh=True,
              raises=(InvalidArgumentError,), attributes=kinds("", blank=INT), samples=_samples,
              doc="Minus the logarithm of the chance of labels.")  # fmt: skip


def ctc_loss(
    labels: TensorLike, logits: TensorLike, label_length: TensorLike, logit_length: TensorLike,
    logits_time_major: bool = True, unique: None = None, blank_index: int | None = None, name: str | None = None
) -> Tensor:  # fmt: skip
    """Minus the logarithm of the chance that labels are what is left of the steps' classes, (batch,).

    Left is what stays when repeated classes are taken for one, and blanks away. Labels that have no room in the steps
    have the loss infinity, without a gradient; TensorFlow gives a large number.

    Parameters
    ----------
    labels: (batch, most labels) integers.
    logits: (time, batch, classes), or with ``logits_time_major=False`` (batch, time, classes): floats before softmax.
    label_length, logit_length: (batch,) integers, how many labels and steps count.
    unique: None.
    blank_index: the class of blanks: 0 when left out; counted from the end below 0.

    Raises `InvalidArgumentError` for other shapes, lengths and labels; `NoGradientError` for second derivatives.
    """
    require(unique is None, "ctc_loss takes no `unique`: leave it out")
    require(label_length is not None, "labels are a dense tensor, and label_length says how many count")
    x = convert_to_tensor(logits)
    require(x.ndim in (None, 3), f"logits have rank 3, not the shape {x.shape}")
    classes = x.shape[-1]
    blank = 0 if blank_index is None else int(blank_index)
    require(blank >= 0 or classes is not None, "a blank_index below 0 needs a known number of classes")
    blank = blank + (classes or 0) if blank < 0 else blank
    x = x if logits_time_major else transpose(x, [1, 0, 2])
    counts, steps = cast(label_length, "int32"), cast(logit_length, "int32")
    return CTC_LOSS(cast(labels, "int32"), x, counts, steps, blank=blank, name=name)
