"""Convolutions, poolings and sums of products of any geometry as machine code: what NumPy's kernels give."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import autograph as tf
from autograph.errors import InvalidArgumentError, UnimplementedError
from autograph.runtime.engines.native.run import assemble
from autograph.runtime.engines.numpy.plan import Plan
from autograph.runtime.ir.op import OPS
from tests.programs.profile import examples
from tests.runtime.engines.native import guards
from tests.runtime.engines.native.common import graph_of_op, needs_llvm, region_of, same

pytestmark = [needs_llvm, pytest.mark.filterwarnings("ignore::RuntimeWarning")]


@pytest.fixture(autouse=True)
def _guarded(monkeypatch: pytest.MonkeyPatch) -> None:
    """The memory beside what is the code's own can't be touched."""
    monkeypatch.setattr(assemble, "module", guards.module)


def check(name: str, *inputs: Any, ulps: int = 64, **attributes: Any) -> bool:
    """Whether the op becomes machine code, which then gives what the plan gives."""
    graph = graph_of_op(OPS[name], inputs, attributes)
    try:
        found = region_of(graph).run(*inputs)
    except UnimplementedError as error:
        assert "windows of more" in error.message or "strides and dilations" in error.message
        return False
    same(Plan(graph).run(*inputs)[0], found[0], ulps, is_sum=True)
    return True


def entries(draw: Any, rank: int, most: int) -> tuple[int, ...]:
    return tuple(draw(st.lists(st.integers(1, most), min_size=rank, max_size=rank)))


def paddings(draw: Any, rank: int) -> Any:
    pairs = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=rank, max_size=rank).map(tuple)
    return draw(st.sampled_from(["SAME", "VALID"]) | pairs)


def numbers(draw: Any, *shape: int) -> np.ndarray:
    dtype = draw(st.sampled_from([np.float32, np.float64]))
    return np.random.default_rng(draw(st.integers(0, 99))).normal(size=shape).astype(dtype)


@examples(40)
@given(st.data())
def test_convolutions_and_their_adjoints(data: Any) -> None:
    draw = data.draw
    rank, groups, depth = (draw(st.integers(1, most)) for most in (3, 3, 4))
    sizes, lengths, strides = entries(draw, rank, 3), entries(draw, rank, 7), entries(draw, rank, 3)
    dilations = draw(st.just((1,) * rank) | st.just((2,) * rank))
    geometry = {"strides": strides, "padding": paddings(draw, rank), "dilations": dilations}
    x = numbers(draw, draw(st.integers(1, 3)), *lengths, groups * depth)
    w = numbers(draw, *sizes, depth, groups * draw(st.sampled_from([1, 2, 3, 16, 33]))).astype(x.dtype)
    try:
        y = OPS["convolution"].numpy(x, w, **geometry)
    except InvalidArgumentError:
        assume(False)
    assume(y.size)
    g = numbers(draw, *y.shape).astype(x.dtype)
    assert check("convolution", x, w, **geometry)
    assert check("convolution_filters", x, g, shape=w.shape, **geometry)
    is_plain = max(strides) == 1 or max(dilations) == 1
    assert check("convolution_transpose", g, w, shape=x.shape, **geometry) or not is_plain or depth == 1


SPECIAL = st.sampled_from([(), (np.nan,), (-np.inf,), (np.inf, -np.inf), (np.nan, -np.inf, 0.0)])


@examples(40)
@given(st.data())
def test_poolings_and_their_adjoints(data: Any) -> None:
    draw = data.draw
    rank = draw(st.integers(1, 3))
    sizes, lengths, strides = entries(draw, rank, 3), entries(draw, rank, 7), entries(draw, rank, 3)
    padding = paddings(draw, rank)
    if not isinstance(padding, str):
        padding = tuple(tuple(min(n, size - 1) for n in pair) for pair, size in zip(padding, sizes, strict=True))
    geometry = {"sizes": sizes, "strides": strides, "padding": padding}
    x = numbers(draw, draw(st.integers(1, 3)), *lengths, draw(st.sampled_from([1, 3, 16])))
    x = np.round(x * 2) if draw(st.booleans()) else x  # with several elements that are the largest
    for i, special in enumerate(draw(SPECIAL)):
        x.flat[i * 7 % x.size :: 5] = special
    try:
        y = OPS["max_pool"].numpy(x, **geometry)
    except InvalidArgumentError:
        assume(False)
    assume(y.size)
    g = numbers(draw, *y.shape)
    assert check("max_pool", x, ulps=0, **geometry)
    assert check("max_pool_transpose", g, x, **geometry)
    assert check("avg_pool", np.nan_to_num(x, posinf=2.0, neginf=2.0), **geometry)
    assert check("avg_pool_transpose", g, shape=x.shape, **geometry)


EQUATIONS = """
    ab,bc->ac ab,bc->ca ba,cb->ac abc,cd->abd abc,dc->adb abcd,aecd->acbe acbe,aecd->abcd aecd,abcd->acbe a,a-> a,b->ab
    ab,ab->a ab,ab-> abc,adc->abd abcd,cde->abe abe,cde->abcd ...a,ab->...b a...,a->... abc->cab ab->ba a...b->b...a
    abcd,dcba->ca abcd,bd->ac
""".split()


@pytest.mark.parametrize("sizes", [(2, 3, 4, 5, 6), (1, 16, 1, 17, 2), (3, 1, 20, 1, 33)])
@pytest.mark.parametrize("equation", EQUATIONS)
def test_sums_of_products(equation: str, sizes: tuple[int, ...]) -> None:
    lengths = dict(zip("abcde", sizes, strict=True))
    generator = np.random.default_rng(0)
    shapes = []
    for names in equation.partition("->")[0].split(","):
        first, dots, last = names.partition("...")
        shapes.append([lengths[c] for c in first] + [2, 3] * bool(dots) + [lengths[c] for c in last])
    assert check("einsum", *(generator.normal(size=shape) for shape in shapes), equation=equation)


@pytest.mark.parametrize("axes", [0, 1, 2, ((0,), (1,)), ((0, 1), (1, 2)), ((2, 0), (0, 1)), ((-1,), (-1,))])
def test_sums_over_pairs_of_axes(axes: Any) -> None:
    generator = np.random.default_rng(0)
    shape = (3, 4, 3) if not isinstance(axes, int) else (2, 3, 2)
    sizes = {0: (2, 3), 1: (2, 4), 2: (3, 2, 5)}.get(axes, (0,)) if isinstance(axes, int) else None
    if sizes is None:
        sizes = [7, 5, 6][: max(max(axes[1]), 2) + 1]
        for left, right in zip(*axes, strict=True):
            sizes[right] = shape[left]
    assert check("tensordot", generator.normal(size=shape), generator.normal(size=sizes), axes=axes)


def test_a_training_step_of_convolutions_is_one_piece_of_code() -> None:
    start = [tf.random.stateless_normal(shape, seed=[1, 2]) * 0.2 for shape in ((3, 3, 2, 4), (3, 3, 4, 1))]

    def losses(compile_whole: bool) -> list[float]:
        w, v = map(tf.Variable, start)

        def step(x):
            with tf.GradientTape() as tape:
                y = tf.nn.max_pool2d(tf.nn.relu(tf.nn.conv2d(x, w, 1, "SAME")), 2, 2, "VALID")
                y = tf.nn.avg_pool2d(tf.nn.depthwise_conv2d(y, v, [1, 1, 1, 1], "SAME"), 3, 1, "SAME")
                loss = tf.reduce_mean(tf.einsum("nhwc,nhwc->n", y, y))
            for variable, gradient in zip((w, v), tape.gradient(loss, (w, v)), strict=True):
                variable.assign_sub(gradient * 0.001)
            return loss

        # jit_compile: whole, or an error
        run = tf.function(step, jit_compile=True) if compile_whole else step
        return [float(run(x)) for _ in range(5)]

    x = tf.random.stateless_normal((4, 8, 8, 2), seed=[5, 6])
    found = losses(True)
    assert found[-1] < found[0]
    np.testing.assert_allclose(found, losses(False), rtol=1e-5)
