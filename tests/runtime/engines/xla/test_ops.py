"""Every op that has a form in XLA, over each of its samples: the same as the plan gives."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from autograph.runtime.base.dtypes import as_dtype
from autograph.runtime.engines.engine import NotLowered
from autograph.runtime.engines.numpy.plan import Plan
from autograph.runtime.engines.xla.ops import scatters
from autograph.runtime.engines.xla.program import compiled
from autograph.runtime.engines.xla.supported import ENGINE
from autograph.runtime.ir.graph import Graph
from autograph.runtime.ir.op import OPS, Op, type_of
from autograph.runtime.tensors import trace
from autograph.runtime.tensors.convert import wrap
from autograph.runtime.tensors.tensor import EagerTensor, SymbolicTensor

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")
OPS.load()
# Lists, variables and checks are tested in programs: they are neither given to code nor returned by it.
STRUCTURE = {"cond", "while", "call", "assert", "raise", "assert_relation", "assert_shapes", "assert_rank_in",
             "assert_true", "check_numerics", "constant", "read_variable", "assign", "assign_add", "assign_sub",
             "update_variable", "generator_take", "custom_gradient", "print", "timestamp"}  # fmt: skip
NAMES = sorted(name for name, record in OPS.items() if ENGINE in record.lowerings and name not in STRUCTURE
               and not name.startswith(("list_", "array_")))  # fmt: skip

# What is no matter of rounding, or is computed exactly alike from real numbers.
EXACT = frozenset(
    """
    divide divide_no_nan xdivy
    add subtract multiply negative absolute sign square sqrt floor_divide remainder fmod truncatediv maximum minimum
    fmax fmin floor ceil trunc rint round copysign nextafter relu clip where cast multiply_no_nan reciprocal max min
    concat stack split unstack gather gather_nd take_along_axis get_item set_item transpose reshape flip roll one_hot
    range fill pad tile repeat sort top_k diag diagonal set_diag band_part dynamic_slice dynamic_update_slice max_pool
    broadcast_to broadcast_to_shape_of bitcast conjugate real imag complex tensor_scatter_nd_update
    stateless_random_uniform stateless_random_normal stateless_random_truncated_normal stateless_random_shuffle
    """.split()
)
if jax.default_backend() == "gpu":  # whose quotients and roots of 32 bits may be off in the last place
    EXACT -= frozenset("divide divide_no_nan xdivy sqrt reciprocal".split())
# Sums of products, in some order: the largest number of the result says how exact it can be.
SUMS = frozenset(
    """
    sum mean prod var std norm cumsum cumprod linear_recurrence matmul tensordot einsum cross convolution
    convolution_transpose convolution_filters avg_pool avg_pool_transpose sum_to_shape_of softmax_cross_entropy
    """.split()
)
# What is determined but for the signs of its columns or rows.
UP_TO_SIGNS = frozenset("eigh svd qr".split())
MATRICES = frozenset("det slogdet inv solve triangular_solve pinv cholesky eigh qr svd lu expm sqrtm".split())
# Series and continued fractions, of which the plan's own are as exact.
SERIES = frozenset("igamma igammac igamma_grad_a betainc digamma polygamma zeta".split())
if jax.default_backend() == "gpu":
    SERIES |= {"lgamma"}
# Samples of shapes that only numbers tell: there is a program if those are known.
NEEDS_NUMBERS = {
    "reshape": (5, 7),
    "fill": (4, 5),
    "broadcast_to": (2, 3),
    "tile": (3, 5),
    "pad": (5,),
    "repeat": (0, 2, 4, 6),
    "range": (2, 5),
    "sequence_mask": (0, 2, 4),
    "scatter_nd": (2, 4),
    "dynamic_slice": (0, 2, 4),
    "get_item": (6, 10, 13),
    "set_item": (4,),
    "add_at": (4,),
    "convolution_transpose": range(1, 19, 2),
    "convolution_filters": range(1, 19, 2),
    "avg_pool_transpose": range(1, 17, 2),
    "stateless_random_uniform": (3, 4),
    "stateless_random_normal": (3, 4),
    "stateless_random_truncated_normal": (3, 4),
    "generator_draw": (3,),
    **{f"segment_{name}": (0, 1, 2) for name in ("sum", "mean", "prod", "min", "max")},
}
# Ranges whose length only numbers tell: loops turn over them, but they are no arrays.
UNSIZED = {"range": (0, 1, 3)}
# Samples that the plan has to run whatever is known: numbers that make it warn, shapes that the first input tells, and
# integers that are rounded to tens; and random numbers of 16 bits.
GIVES_UP = {
    "floor_divide": (13, 17),
    "remainder": (13, 17),
    "fmod": (13, 17),
    "truncatediv": (3, 7),
    "round": (5,),
    "bincount": (0, 1, 3, 4),
    "sequence_mask": (0, 4),
    "range": (2, 5),
    "get_item": (10, 13),
    "generator_draw": (6,),
    "stateless_random_uniform": (2,),
    "stateless_random_normal": (2,),
    "stateless_random_truncated_normal": (2,),
}
if jax.default_backend() == "gpu":  # where the library for convolutions has none of integers
    GIVES_UP["convolution"] = range(1, 19, 2)


def samples_for(name: str, known: bool) -> list[Any]:
    """The samples that there is a program for; ``known``: if indices and shapes are known."""
    left_out = {*GIVES_UP.get(name, ()), *UNSIZED.get(name, ()), *(() if known else NEEDS_NUMBERS.get(name, ()))}
    return samples_of(name, left_out)


def samples_of(name: str, without: Iterable[int] = (), only: Iterable[int] | None = None) -> list[Any]:
    """The samples of an op, without those of text, as pairs of inputs and attributes."""
    found = []
    for i, sample in enumerate(OPS[name].samples()):
        pair = len(sample) == 2 and isinstance(sample[0], tuple) and isinstance(sample[1], dict)
        inputs, attributes = sample if pair else (sample, {})
        if any(np.asarray(x).dtype == object for x in inputs) or i in without or (only is not None and i not in only):
            continue
        found.append((inputs, attributes))
    return found


def graph_of(record: Op, samples: Iterable[Any], known: bool) -> tuple[Graph, list[Any]]:
    """One graph with a node for each sample, and its arguments. ``known``: integers behind the first input are not."""
    graph, arguments = Graph("test"), []
    with trace.building(graph):
        for inputs, attributes in samples:
            given: list[Any] = []
            for i, x in enumerate(inputs):
                if known and i and np.asarray(x).dtype.kind in "iu":
                    given.append(EagerTensor(np.asarray(x)))
                    continue
                arguments.append(np.asarray(x))
                given.append(SymbolicTensor(graph.parameter(type_of(x))))
            result = record(*given, **attributes)
            outputs = result if isinstance(result, (list, tuple)) else [result]
            graph.outputs = [*graph.outputs, *[trace.value_of(each) for each in outputs]]
    return graph, arguments


def run(graph: Graph, arguments: Sequence[Any]) -> Any:
    """What the program gives; None where there is none, or it gives up."""
    try:
        entry = compiled(graph, [type_of(x) for x in arguments])
    except NotLowered:
        return None
    results = entry(*arguments) if entry is not None else False
    assert results is not None
    return results or (None if graph.outputs else ())


def same(name: str, expected: Any, got: Any, of_complex: bool = False) -> None:
    """Dtype and shape agree, integers bit for bit, floats as the tables above say; denormal numbers may be zero.

    ``of_complex``: they are computed from complex numbers, whose parts are rounded as each version of XLA likes.
    """
    expected, got = np.asarray(wrap(expected).array), np.asarray(wrap(got).array)
    if name in UP_TO_SIGNS:
        expected, got = np.abs(expected), np.abs(got)
    assert expected.dtype == got.dtype and expected.shape == got.shape
    if expected.dtype.kind not in "fc" or name in EXACT and expected.dtype.kind == "f" and not of_complex:
        np.testing.assert_array_equal(got, expected)
        return
    finite = np.isfinite(expected)
    np.testing.assert_array_equal(got[~finite], expected[~finite])
    expected, got = expected[finite], got[finite]
    size = np.abs(expected)
    if name in SUMS | MATRICES and size.size:
        size = np.full_like(size, size.max())
    ulps = 64 if name in MATRICES else 8
    allowed = 1e-12 * np.maximum(size, 1) if name in SERIES else 0
    allowed = np.maximum(ulps * np.spacing(size), np.maximum(np.finfo(expected.dtype).tiny, allowed))
    wrong = ~(np.abs(expected - got) <= allowed)
    assert not wrong.any(), f"{got[wrong]} is not {expected[wrong]}"


def agree(name: str, samples: Sequence[Any], known: bool) -> None:
    """One program for all samples gives what the plan gives."""
    graph, arguments = graph_of(OPS[name], samples, known)
    results = run(graph, arguments)
    assert results is not None
    for output, expected, got in zip(graph.outputs, Plan(graph).run(*arguments), results, strict=True):
        same(name, expected, got, any(value.dtype.is_complex for value in output.node.inputs))


@pytest.mark.parametrize("name", NAMES)
def test_the_program_gives_what_the_plan_gives(name: str) -> None:
    """With nothing known but shapes."""
    samples = samples_for(name, known=False)
    if samples:
        agree(name, samples, known=False)


def has_indices(name: str) -> bool:
    """Whether there are integers among the inputs that are no numbers to calculate with."""
    later = [x for inputs, _ in samples_of(name) for x in inputs[1:]]
    return OPS[name].promote != 0 and any(np.asarray(x).dtype.kind in "iu" for x in later)


@pytest.mark.parametrize("name", [name for name in NAMES if has_indices(name)])
def test_the_program_gives_what_the_plan_gives_where_indices_are_known(name: str) -> None:
    agree(name, samples_for(name, known=True), known=True)


@pytest.mark.parametrize("name", sorted(GIVES_UP.keys() | NEEDS_NUMBERS.keys()))
def test_what_only_the_plan_can_do_is_left_to_it(name: str) -> None:
    for known, places in ((False, NEEDS_NUMBERS), (True, GIVES_UP)):
        for sample in samples_of(name, only=places.get(name, ())):
            assert run(*graph_of(OPS[name], [sample], known)) is None


def test_every_op_is_covered_by_some_sample() -> None:
    assert all(samples_for(name, known=True) for name in NAMES)


# What samples do not show


@pytest.mark.parametrize("name", ["add", "multiply", "floor_divide", "remainder", "fmod", "truncatediv", "left_shift",
                                  "right_shift", "maximum", "less", "bitwise_xor"])  # fmt: skip
@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
def test_all_pairs_of_bytes(name: str, dtype: Any) -> None:
    numbers = np.arange(256).astype(dtype)
    divisors = numbers[(numbers != 0) & (numbers != dtype(-1) if dtype is np.int8 else numbers != 0)]
    agree(name, [((numbers[:, None], divisors[None, :]), {})], known=False)


@pytest.mark.skipif("divide" not in EXACT, reason="not on this device")
@pytest.mark.parametrize("known", [True, False])
def test_quotients_are_rounded_once(known: bool) -> None:
    """Also by a number that all share, of which XLA would take the inverse."""
    x = np.concatenate([np.arange(1.0, 200), [np.inf, np.nan, -0.0]])
    for dtype in (np.float32, np.float64):
        graph, arguments = graph_of(OPS["divide"], [((x.astype(dtype), dtype(49)), {})], False)
        if known:
            graph = Graph("by a constant")
            with trace.building(graph):
                graph.outputs = [trace.value_of(SymbolicTensor(graph.parameter(type_of(arguments[0]))) / dtype(49))]
            arguments = arguments[:1]
        same("divide", Plan(graph).run(*arguments)[0], run(graph, arguments)[0])


@pytest.mark.parametrize("name", ["floor_divide", "remainder", "fmod", "truncatediv"])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_divisions_of_floats_are_exact(name: str, dtype: Any) -> None:
    x = np.concatenate([np.arange(-40, 41) / 4, [np.inf, -np.inf, np.nan, 1e4]]).astype(dtype)
    y = np.array([0.25, 0.1, 3.0, -0.7, 0.0, np.inf, -np.inf, np.nan], dtype)
    agree(name, [((x[:, None], y[None, :]), {})], known=False)


INTEGERS = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]


@pytest.mark.parametrize("source", ["bool", *INTEGERS, "float16", "float32", "float64"])
def test_casts_to_all_dtypes(source: str) -> None:
    kind = np.dtype(source)
    numbers = {"f": [0.0, -0.0, 1.9, 100.5], "b": [0, 1]}.get(kind.kind)
    x = np.array(numbers, kind) if numbers else np.array([np.iinfo(kind).min, 0, 1, 2, np.iinfo(kind).max], kind)
    targets = ["bool", *INTEGERS, "float16", "float32", "float64", "complex64"]
    agree("cast", [((x,), {"dtype": as_dtype(target)}) for target in targets], known=False)


@pytest.mark.parametrize("target", INTEGERS)
def test_floats_that_fit_no_integer_are_left_to_the_plan(target: str) -> None:
    for number in (np.nan, np.inf, 2.0**64, -(2.0**63) - 2048):
        graph, arguments = graph_of(OPS["cast"], [((np.float64(number),), {"dtype": as_dtype(target)})], False)
        assert run(graph, arguments) is None


def test_of_values_for_one_place_the_last_one_stays_on_any_machine() -> None:
    rng = np.random.default_rng(1)
    rows, columns, values = rng.integers(0, 3, 50), rng.integers(-4, 4, 50), rng.random(50)
    expected = np.zeros((3, 4))
    expected[rows, columns] = values
    with jax.enable_x64(True):
        place = jnp.asarray(rows), jnp.asarray(columns)
        got = scatters.last_stored(jnp.zeros((3, 4)), place, jnp.asarray(values))
    np.testing.assert_array_equal(got, expected)


def test_the_zeta_function_of_negative_numbers() -> None:
    """JAX's own is wrong there."""
    s, q = np.array([2.0, 3, 4, 2.5, 3]), np.array([-10.4, -20.5, -0.25, 0.75, -9999.5])
    agree("zeta", [((s, q), {})], known=False)


@pytest.mark.parametrize("ord", [2, -2, "nuc", "fro", 1, np.inf])
def test_norms_of_matrices(ord: Any) -> None:
    x = np.arange(24.0).reshape(2, 3, 4) % 7
    agree("norm", [((x,), {"ord": ord, "axis": (1, 2), "keepdims": True}), ((x,), {"ord": ord, "axis": (2, 0)})], False)


def test_an_index_into_nothing_is_left_to_the_plan() -> None:
    sample = (np.zeros((0, 3)), np.array(0)), {"key": (("input", 0),)}
    assert run(*graph_of(OPS["get_item"], [sample], known=False)) is None


# Ops that have no form, and why.
ONLY_THE_PLAN = {
    "text": ["as_string", "text", *[name for name in OPS if name.startswith("string_")]],
    "a result whose shape only numbers tell": ["argwhere", "unique"],
    "effects of the host": ["print", "progress_begin", "progress_end", "progress_turn", "py_function", "timestamp"],
    "numbers that are drawn one after the other, some of them again": [
        *[name for name in OPS if name.startswith("random_")],
        "stateless_random_gamma",
        "stateless_random_poisson",
    ],
    "algorithms of the plan's, or of LAPACK": ["eig", "logm"],
    "files, and strings of bytes": [
        *["decode_base64", "decode_csv", "decode_raw", "encode_base64", "matching_files", "read_file", "write_file"],
        *["parse_example", "parse_sequence_example", "parse_tensor", "serialize_tensor"],
    ],
    "pictures in files": [
        *["decode_bmp", "decode_gif", "decode_image", "decode_jpeg", "decode_png", "decode_webp", "encode_jpeg"],
        *["encode_png", "extract_jpeg_shape", "is_jpeg"],
    ],
    "not written yet": ["ctc_loss", "ctc_loss_gradient", "fft", "irfft", "rfft"],
    "what is no op but a value": ["constant", "placeholder"],
}


def test_every_other_op_has_a_form() -> None:
    """Of the families alone: other tests load modules that have ops of their own, of datasets and of lists of lists."""
    show = "from autograph.runtime.ir.op import OPS; OPS.load(); print(*OPS)"
    names = subprocess.run([sys.executable, "-c", show], capture_output=True, text=True, check=True).stdout.split()
    without = {name for name in names if ENGINE not in OPS[name].lowerings}
    only_the_plan = {name for names in ONLY_THE_PLAN.values() for name in names}
    assert without - {"list_add", "list_cast_like"} == only_the_plan & {*names}


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int64", "float16", "float32", "float64"])
def test_the_largest_elements(dtype: str) -> None:
    numbers = np.random.default_rng(0).integers(-9, 9, (3, 70)).astype(dtype)
    if dtype.startswith("float"):
        numbers[:, ::5], numbers[:, 1::7], numbers[0, ::9] = np.nan, -0.0, -np.nan
    agree("top_k", [((numbers,), {"k": k, "dtype": as_dtype("int64")}) for k in (0, 1, 30, 70)], known=False)


@pytest.mark.parametrize("name", ["max", "min"])
@pytest.mark.parametrize("dtype", ["bool", "int8", "uint64", "float32"])
def test_the_extreme_of_nothing(name: str, dtype: str) -> None:
    agree(name, [((np.zeros((2, 0), dtype),), {"axis": 1})], known=False)
