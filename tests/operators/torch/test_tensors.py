"""What PyTorch's tensors do that others don't: they change in place, share memory, and have dtypes and gradients."""

from __future__ import annotations

import pytest
import torch

import autograph as tf

from .ways import WAYS, made, run


def scaled(x, n):
    """Numbers that only the run knows, beside tensors of several dtypes."""
    count, factor, flag = 0, 0.1, False
    while count < n:
        count += 1
        factor = factor * 2
        flag = not flag
    half = torch.ones(2, dtype=torch.float16)
    return (
        x * count, x / count if count != 0 else x, x * factor, half * factor, half + count, x.long() * factor,
        x.sum() * factor, x.sum().half() * factor, count / 3, count // 2, -count % 5, count**2, factor > 0.3, flag,
        flag + flag, flag * 1.5, abs(-count), ~count, count << 1, x[0] > factor, torch.clamp(x, max=factor),
        torch.where(x > 0, count, x), 2 - count, 1.0 / (count + 1), x.sum() ** count, torch.maximum(x, x * 0 + factor),
    )  # fmt: skip


def items(x, n):
    """Items by numbers that only the run knows, read and stored."""
    y = torch.zeros(4)
    i = 0
    while i < n:
        y[i] = x[i] * 2
        y[i] += 1
        y[-1 - i] = y[-1 - i] - x[i]
        i += 1
    last = x[i - 1]
    z = x.clone()
    z[i, ...] = 7
    z[1:3][i - i] = 9
    return y, last, z, x[i] + x[i + 1]


def rows(x, n):
    """Rows of a matrix."""
    total = x.new_zeros(x.shape[1])
    y = x.clone()
    for i in range(n):
        total = total + x[i]
        y[i] = total
        y[:, i] *= 2
    return total, y, y[n - 1, 0]


def in_place(x, n):
    """A tensor that is older than the branches and loops that change it, and other names of it."""
    total = x * 1
    other = total
    view = total[0]
    if n > 2:
        total += 1
        total.mul_(2)
    else:
        total[1] = 5
    while n > 0:
        total -= n
        n = n - 1
    return total, other, view, n


def augmented(xs):
    """`+=` where the variable has had a number before."""
    total = 0.0
    for x in xs:
        total += x
    return total


def fresh_in_place(x, n):
    """In-place operations on what a branch or a turn has made."""
    y = x
    while n > 0:
        y = y * 2
        y += 1
        y[0] = 0
        n = n - 1
    if y.sum() > 3:
        z = y + 1
        z *= 2
    else:
        z = y.clone()
        z -= 1
    z.add_(10)
    return y, z


def zero_turns(x, n):
    """Loops that may make no turn."""
    count = 0
    for i in range(n):
        count = i
        x = x * 2
    for i in range(n, 0, -2):
        x = x + i
    return x, count


def nested_breaks(x):
    """Loops in loops, with `break`, `continue`, `else`."""
    found = -1
    for i in range(x.shape[0]):
        for j in range(i + 1):
            if x[j] < 0:
                continue
            if x[j] > 10:
                found = i * 10 + j
                break
        else:
            continue
        break
    else:
        found = -2
    return found


def ternaries(x, y):
    """Conditional expressions, comparisons, `and`, `or`, `not`."""
    a = x if x > y else y
    b = x and y
    c = x or y
    d = not x
    e = -1 < x <= y != 3
    f = (x > 0 and y > 0) or x == y
    g = min(x, y), max(x, y, x * y), int(x), float(y), bool(x), any([x > 1, y > 1]), all([x > 1, y > 1])
    return a, b, c, d, e, f, g


def items_of_python(x):
    """`item()` gives a number."""
    n = x.sum().item()
    while n > 1:
        n = n / 2
    return n, x * n


def asserted(x):
    """Assertions in a branch."""
    if x.sum() > 0:
        assert x[0] > 0, "the first"
        x = x * 2
    assert x.abs().sum() < 100
    return x


def comprehended(xs, n):
    """Comprehensions and lists."""
    squares = [x * x if x > n else -x for x in xs]
    kept = []
    for s in squares:
        kept.append(s + 1)
    if n > 1:
        pair = [n, squares[0]]
    else:
        pair = [n * 2, squares[1]]
    return squares, kept, pair, {i: s for i, s in enumerate(squares)}, sum(squares)


def no_gradient(x):
    """Modes in branches."""
    if x.sum() > 0:
        with torch.no_grad():
            y = x * 2
        z = y * x
    else:
        z = x.detach() * x
    return z


V = [1.0, -2.0, 3.0, 4.0]
PROGRAMS = [
    (scaled, ([1.0, 2.0], 3), ([1.5, -2.0], 4), ([1.0, 2.0], 1)),
    (items, (V, 2), (V, 0), (V, 1)),
    (rows, ([V, V, V], 2), ([V, V, V], 3), ([V, V, V], 1)),
    (in_place, (V, 3), (V, 1), (V, 0)),
    (augmented, (V,), ([0.5, 2.0, 1.0, 1.0],)),
    (fresh_in_place, (V, 3), (V, 0), ([0.1, 0.0, 0.0, 0.0], 0)),
    (zero_turns, (V, 3), (V, 0), (V, -1)),
    (nested_breaks, ([1.0, -1.0, 20.0, 3.0],), ([1.0, 2.0, 3.0, 4.0],), ([20.0, 2.0, 3.0, 4.0],)),
    (ternaries, (1.5, 3.0), (0.0, 2.0), (3.0, -1.0)),
    (items_of_python, (V,), ([0.1, 0.1, 0.1, 0.1],)),
    (asserted, (V,), ([-1.0, 0.0, 0.0, -3.0],)),
    (comprehended, ([1.0, 2.0, 3.0], 1.5), ([1.0, 2.0, 3.0], 0.0)),
    (no_gradient, (V,), ([-1.0, 0.0, 0.0, -3.0],)),
]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda each: each[0].__name__)
def test_values(program, way):
    function, *inputs = program
    run(function, way, *inputs)


DIFFERENTIABLE = [
    (in_place, (V, 3), (V, 1), (V, 0)),
    (fresh_in_place, (V, 3), (V, 0), ([0.1, 0.0, 0.0, 0.0], 0)),
    (zero_turns, (V, 3), (V, 0), (V, -1)),
    (augmented, (V,), ([0.5, 2.0, 1.0, 1.0],)),
    (items, (V, 2), (V, 0), (V, 1)),
    (rows, ([V, V, V], 2), ([V, V, V], 3), ([V, V, V], 1)),
    (no_gradient, (V,), ([-1.0, 0.0, 0.0, -3.0],)),
]


def leaves(value):
    if isinstance(value, torch.Tensor):
        return [value] if value.is_floating_point() else []
    return [leaf for each in value for leaf in leaves(each)] if isinstance(value, (tuple, list)) else []


@pytest.mark.parametrize("program", DIFFERENTIABLE, ids=lambda each: each[0].__name__)
def test_gradients(program):
    function, *inputs = program
    torch._dynamo.reset()
    compiled = torch.compile(tf.autograph.convert()(function), fullgraph=True, backend="aot_eager", dynamic=False)
    for first, *rest in inputs:
        gradients = []
        for each in (compiled, function):
            x = made(first).requires_grad_()
            found = leaves(each(x, *map(made, rest)))
            total = sum((y * (n + 1)).sum() for n, y in enumerate(found))
            if total.requires_grad:
                total.backward()
            gradients.append(torch.zeros_like(x) if x.grad is None else x.grad)
        torch.testing.assert_close(*gradients)
