"""An op is declared once: one record holds everything the rest of the project needs to know about it.

How to add an op: call `op` in the family's module under ``ops/``, with inference, kernel, gradient and samples;
the generic tests then cover it.

>>> double = op("double_for_doctest", infer=lambda x: x, numpy=lambda x: x + x, samples=lambda: [(np.ones(2),)])
>>> double.name, double.effects
('double_for_doctest', <Effects.NONE: 0>)
>>> _ = OPS.pop("double_for_doctest")
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar, dataclass_transform

import numpy as np

from ..base.dtypes import as_dtype
from ..base.provided import Provided
from .effects import Effects
from .graph import Node, Type
from .totality import Rule
from .work import Products, Work

if TYPE_CHECKING:
    from .identities import Identity
    from .kinds import Kind
    from .python_math import PythonMath
    from .raising import Quiet, Raises

Function = TypeVar("Function", bound=Callable[..., Any])

APPLY: Provided[Callable[..., Any]] = Provided("runtime.tensors.trace")
"""Applies an op to values, or makes a node of a graph."""


@dataclass_transform(kw_only_default=True, eq_default=False)
class Fields:
    """An object whose class annotates what it is made of. `dataclass` takes a millisecond for a class like `Op`."""

    def __init__(self, **fields: Any) -> None:
        known = type(self).__annotations__
        missing = {name for name in known if not hasattr(type(self), name)} - fields.keys()
        assert fields.keys() <= known.keys(), f"{type(self).__name__} has no {sorted(fields.keys() - known.keys())}"
        assert not missing, f"{type(self).__name__} needs {sorted(missing)}"
        self.__dict__.update(fields)
        self.__post_init__()

    def __post_init__(self) -> None:
        """To be called when the fields are set."""


class Op(Fields):
    """One operation. Calling it applies it: eagerly on values, or as a node while a graph is being traced.

    Attributes
    ----------
    name: unique, in NumPy's spelling where NumPy has the operation (``"add"``, ``"sum"``); node names start with it.
    infer: ``infer(*types, **attributes) -> Type | tuple[Type, ...]``, the outputs' types from the inputs' `Type`;
        a tuple (also of one or none) means that the kernel returns a tuple. Raises `InvalidArgumentError` or
        `TypeError` (without location, it is added) for inputs that don't fit. Must be exact where it can:
        shapes may be less exact than the result, dtypes never.
    numpy: the kernel, ``numpy(*arrays, **attributes)``. Takes ndarrays or NumPy scalars (0-d values may be either),
        must not write into its inputs, returns an ndarray or NumPy scalar of exactly the inferred dtype.
        Strings are object arrays of bytes.
    gradient: ``gradient(g, out, *inputs, **attributes) -> tuple`` of input gradients written in ops (None where there
        is none; a costly one may be a function without parameters that gives it, which is called if it is wanted); with
        several outputs ``g`` and ``out`` are tuples. `NOT_DIFFERENTIABLE`: there is no gradient, as of
        a comparison. None: nobody has written it; asking for it is an error.
    accumulate: ``accumulate(total, g, *inputs, **attributes)`` gives ``total`` with the gradient of the first input
        added to it, where that is a small part of it: then ``gradient`` isn't asked.
    samples: ``samples() -> list`` of input tuples (NumPy arrays), or ``(inputs, attributes)`` pairs, for the
        generic tests.
    attributes: the attributes that its nodes may have, and what each may be, see `runtime.ir.kinds`.
    fits: ``fits(count, attributes, outputs)`` says whether attributes of these kinds go with so many inputs and
        outputs, where neither ``infer`` nor the kernel's signature tells.
    effects: what the op does besides computing its outputs (see `runtime.ir.effects`): a node that has some is never
        dropped, merged or reordered among other effects. ``effect``: whether there are any.
    holds: of a check: ``holds(make, *inputs, **attributes)`` gives what must be true of all elements, or the op raises;
        made of elementwise ops by ``make(record, *inputs)``. The inputs have no other use but to tell what is wrong.
    total: ``total(inputs, attributes)`` says whether the op certainly neither raises nor warns on inputs of these
        types; see `runtime.ir.totality` for the rules that there are. None: it may.
    raises: what it may raise for some inputs of the types that `infer` takes, or a rule that tells it, see
        `runtime.ir.raising`. Where dimensions are not known, `InvalidArgumentError` need not be named, but by rules.
    quiet: what Python would raise, and the op does not: it gives a number.
    warns: the kernel may warn, for some integers or lengths.
    of_shape: what it gives depends on the dimensions of its input alone, and is the same for all that don't matter.
    moves: each element of the result is one of an input's, in some dtype; shapes and attributes alone decide which.
    view: NumPy gives a view of the first input, where the result isn't `fresh`.
    work: how much work it is, see `runtime.ir.work`. ``products``: the same of what multiplies more than its elements.
    native: machine code has a form of it (the tests compare with the forms that there are).
    identities: how the optimiser simplifies it, always exactly; see `runtime.ir.identities`. ``chains``: the same where
        the op only moves elements, see `runtime.ir.shape_chains`.
    tensorflow_name: TensorFlow's name of the op in a ``GraphDef``, where that isn't its own name in camel case.
    promote: inputs from this position on are cast to their common dtype (see `tensors.promotion`) before `infer` and
        the kernel see them. None: every input keeps its own dtype.
    widens: integers of up to 16 bits are float32 to it, as in TensorFlow; others are what NumPy makes of them.
    numeric: the op calculates: it refuses tensors of booleans, and takes Python's own for the numbers 0 and 1.
    divides: the expression is for floats, and for integers when the second input is above zero; else the kernel,
        which warns, has to run.
    fresh: whether the kernel's results never share memory with its inputs nor with anything else; a function decides
        it from the types and attributes. True for ufuncs, and where there is `in_place`.
    lenient: the kernel takes dimensions that `infer` refuses. Where a graph doesn't know the dimensions, `infer` is
        asked again when it runs; where it doesn't know the rank, this holds of all ops but ufuncs.
    in_place: ``in_place(*arrays, **attributes)`` does to the first input itself what the kernel does to a copy of it,
        and returns it. For executors that know that nobody else sees the array.
    expression: a Python expression template such as ``"{} + {}"`` that computes the same as the kernel for
        ndarrays and NumPy scalars of every dtype the op accepts; plans use it because it is quicker on scalars. A
        function of the inputs' types may give it, or None where the kernel has to run.
    lowerings: how engines run it, by their names, where they don't just call the kernel: each engine's folder puts its
        own here, see `lowers`.
    accepted: the types of inputs, with attributes, that `infer` took when the op ran eagerly: kept by `trace`.
    unsavable: what to write instead in a function that is to be saved, as the op works on objects of Python's; "" for
        all others.
    numpy_names: names in NumPy that mean this op with the same positional inputs: ``("add",)``, ``("true_divide",)``.
        For NumPy functions with other signatures see `runtime.tensors.numpy_protocol.implements`.
    public: where users find the function that `ops.declare` makes of it, under `tf`: ``"tan math.tan"``. All other
        functions are listed in ``autograph/__init__.py``.
    python: which function of Python's `math` it is, of floats.
    node: the class of its nodes; those that hold graphs have classes of their own, see `runtime.ir.primitive`.
    """

    name: str
    infer: Callable[..., Type | tuple[Type, ...]]
    numpy: Callable[..., Any]
    gradient: Callable[..., Any] | None = None
    accumulate: Callable[..., Any] | None = None
    samples: Callable[[], Iterable[Any]] = list
    attributes: Mapping[str, Kind] = MappingProxyType({})
    fits: Callable[..., bool] | None = None
    effects: Effects = Effects.NONE
    holds: Callable[..., Any] | None = None
    total: Rule | None = None
    raises: Raises = ()
    quiet: tuple[Quiet, ...] = ()
    warns: bool = False
    of_shape: bool = False
    moves: bool = False
    view: bool = False
    work: Work = Work.USUAL
    products: Products | None = None
    native: bool = False
    identities: tuple[Identity, ...] = ()
    chains: tuple[Identity, ...] = ()
    tensorflow_name: str = ""
    promote: int | None = None
    widens: bool = False
    numeric: bool = False
    expression: str | Callable[..., str | None] | None = None
    divides: bool = False
    fresh: bool | Callable[..., bool] = False
    lenient: bool = False
    in_place: Callable[..., Any] | None = None
    unsavable: str = ""
    numpy_names: tuple[str, ...] = ()
    public: str = ""
    python: PythonMath | None = None
    node: type[Node] = Node

    def __post_init__(self) -> None:
        self.lowerings: dict[str, Any] = {}
        self.effect = self.effects is not Effects.NONE
        self.accepted: set[Any] = set()
        self.tensorflow_name = self.tensorflow_name or _in_camel_case(self.name)
        if self.fresh is False:
            self.fresh = isinstance(self.numpy, np.ufunc) or self.in_place is not None

    @property
    def __name__(self) -> str:
        return self.name

    def __call__(self, *inputs: object, name: str | None = None, **attributes: object) -> Any:
        """Apply the op to tensors or what converts to them; ``name`` is the node's name in a graph."""
        return APPLY.function(self, *inputs, name=name, **attributes)

    def is_fresh(self, types: Iterable[Type], attributes: dict[str, Any]) -> bool:
        """Whether the kernel's results share no memory with inputs of some types; see ``fresh``."""
        return self.fresh(*types, **attributes) if callable(self.fresh) else self.fresh

    def __repr__(self) -> str:
        return f"<op {self.name}>"


class Marker:
    """A gradient that is no function."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return self.name


# What the output holds does not depend smoothly on any input: no gradient flows.
NOT_DIFFERENTIABLE: Any = Marker("NOT_DIFFERENTIABLE")
# The op holds sub-graphs; `runtime.gradient` has a rule for it.
STRUCTURAL: Any = Marker("STRUCTURAL")


class Registry(dict[str, Op]):
    """All ops by name. The families load when an op is first looked up that isn't there yet."""

    def load(self) -> None:
        """Load all families."""
        importlib.import_module("autograph.runtime.ops")

    def __missing__(self, name: str) -> Op:
        self.load()
        found = self.get(name)
        if found is None:
            raise KeyError(f"there is no op {name!r}")
        return found


OPS = Registry()


class Functions(dict[str, Callable[..., Any]]):
    """What tensors do by several ops: functions by name, which the modules of the ops put here. They load as ops do."""

    def __missing__(self, name: str) -> Callable[..., Any]:
        OPS.load()
        found = self.get(name)
        if found is None:
            raise KeyError(f"there is no function {name!r}")
        return found

    def give(self, function: Function) -> Function:
        """Puts a function here, under its own name; returns it."""
        self[function.__name__] = function
        return function


FUNCTIONS = Functions()
PUBLIC: dict[str, Callable[..., Any]] = {}
"""The functions of ops by their public places; see the field ``public``."""
# NumPy's name ("sum", "linalg.norm", "add.reduce") -> the callable that does the same for tensors.
NUMPY: dict[str, Callable[..., Any]] = {}


def op(name: str, *, doc: str = "", **fields: Any) -> Op:
    """Declare an op and register it; the fields are those of `Op`. Raises `ValueError` when the name is taken."""
    if name in OPS:
        raise ValueError(f"there already is an op {name!r}")
    record = OPS[name] = Op(name=name, **fields)
    record.__doc__ = doc
    NUMPY.update(dict.fromkeys(record.numpy_names, record))
    return record


def lowers(engine: str, *records: Op) -> Callable[[Function], Function]:
    """Registers how an engine runs ops, on their records."""

    def register(lowering: Function) -> Function:
        for record in records:
            record.lowerings[engine] = lowering
        return lowering

    return register


def _in_camel_case(name: str) -> str:
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))


def same(x: Type, **_: object) -> Type:
    """The output is like the first input."""
    return x


def type_of(value: Any) -> Type:
    """The type of an ndarray, NumPy scalar, or anything with a dtype and a shape."""
    array = value if hasattr(value, "dtype") else np.asarray(value)
    return Type(as_dtype(array.dtype), tuple(array.shape))
