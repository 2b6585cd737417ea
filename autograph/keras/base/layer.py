"""`Layer`: what all layers and models have in common."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from autograph.errors import FailedPreconditionError, InvalidArgumentError, SignatureError, UnimplementedError
from autograph.lazy import did_you_mean
from autograph.runtime.base import nest
from autograph.runtime.base.dtypes import as_dtype
from autograph.runtime.ops.shape.shape import shape
from autograph.runtime.state.variable import Variable
from autograph.runtime.tensors import trace
from autograph.runtime.tensors.convert import cast, convert_to_tensor
from autograph.runtime.tensors.tensor import Tensor
from autograph.tracebacks import trim

from .. import regularizers
from . import context
from .defaults import DTypePolicy, dtype_policy
from .input_spec import InputSpec, check_input
from .layer_state import LayerState
from .names import auto_name, current_path, inside
from .serialization import config_of
from .signature import CallSignature, shapes_for_build
from .staging import converted_call
from .symbolic import is_symbolic, output_shape, symbolic_call
from .tracking import Record, Tracked, note_layers, record_of

if TYPE_CHECKING:
    from autograph.runtime.tensors.likes import ShapeLike

__all__ = ["InputSpec", "Layer", "signature_of"]

# Attributes that traced steps of training hold.
_TRACED = frozenset(("call", "train_step", "test_step", "predict_step", "compute_loss", "compute_metrics"))


class Layer(LayerState):
    """Weights, and a computation that uses them.

    A subclass defines ``call(self, inputs)``, which computes the outputs, and makes weights with `add_weight` in
    ``build(self, input_shape)``, which runs once, before the first call, or in ``__init__``. Layers, variables and
    metrics in attributes, in lists and dicts too, belong to the layer. Inside traced functions `call` is converted.
    ``call`` may take ``training`` and ``mask``: left out in a call, they are those of the layer around and of the
    inputs; so may it take ``query_mask`` for an argument ``query``.

    Parameters
    ----------
    activity_regularizer: a function of the outputs that gives a loss, divided by the number of samples.
    trainable: whether the weights are to be trained.
    dtype: that of the weights and of floating inputs, which are cast to it; float32 when left out.
    autocast: whether to cast floating inputs.
    name: made of the class's name when left out.

    Raises `ValueError` for other keywords.
    """

    def __new__(cls, *args: object, **kwargs: object) -> Any:
        layer = super().__new__(cls)
        record = Record()
        record.arguments = args, kwargs
        record.staged = trace.current_graph() is not None
        object.__setattr__(layer, "_record", record)
        return layer

    def __init_subclass__(cls, **kwargs: object) -> None:
        super().__init_subclass__(**kwargs)
        if "build" in vars(cls):
            cls.build = _named_build(cls.build)  # type: ignore[method-assign]

    def __init__(
        self, *, activity_regularizer: Any = None, trainable: bool = True, dtype: Any = None, autocast: bool = True,
        name: str | None = None, **kwargs: Any
    ) -> None:  # fmt: skip
        record = self._record
        shape = kwargs.pop("batch_input_shape", None)
        if "input_shape" in kwargs:
            shape = (kwargs.pop("batch_size", None), *_sizes("input_shape", kwargs.pop("input_shape")))
        elif "input_dim" in kwargs:
            shape = (None, kwargs.pop("input_dim"))
        if kwargs:
            near = did_you_mean(next(iter(kwargs)), [*inspect.signature(type(self)).parameters, *_NAMES])
            raise InvalidArgumentError(
                f"Unrecognized keyword arguments passed to {type(self).__name__}: {kwargs}{near}"
            )
        if name is not None and not isinstance(name, str):
            raise InvalidArgumentError(f"The name of a layer must be a string. Received: name={name!r}")
        record.input_shape = None if shape is None else tuple(shape)
        record.activity_regularizer = regularizers.get(activity_regularizer)
        record.trainable = bool(trainable)
        record.autocast = autocast
        record.dtype = _dtype_of(dtype)
        record.name = name or auto_name(type(self).__name__)
        record.path = current_path(record.name)
        record.ready = True

    def __setattr__(self, name: str, value: object) -> None:
        if name in _TRACED:
            self._record.signature = None
            if self._record.compiled is not None:
                self._record.compiled.functions.clear()
        if isinstance(value, (Tracked, list, tuple, dict)):
            note_layers(self, value)
        object.__setattr__(self, name, value)

    # Looking

    @property
    def dtype(self) -> str:
        return self._record.dtype.name

    variable_dtype = compute_dtype = dtype

    @property
    def dtype_policy(self) -> DTypePolicy:
        """The dtype as a policy."""
        return DTypePolicy(self.dtype)

    @property
    def input_spec(self) -> Any:
        """An `InputSpec`, or a list of them, that inputs are checked against."""
        return self._record.input_spec

    @input_spec.setter
    def input_spec(self, value: object) -> None:
        self._record.input_spec = value

    @property
    def supports_masking(self) -> bool:
        """Whether the outputs have the mask of the inputs."""
        return self._record.supports_masking

    @supports_masking.setter
    def supports_masking(self, value: bool) -> None:
        self._record.supports_masking = value

    @property
    def activity_regularizer(self) -> Any:
        return self._record.activity_regularizer

    @activity_regularizer.setter
    def activity_regularizer(self, value: object) -> None:
        self._record.activity_regularizer = value

    # Building

    def build(self, input_shape: ShapeLike) -> None:
        """Make the weights; subclasses do it here. What is not defined has nothing to make."""
        self._record.built = True

    def _build_for(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Call `build` with the shapes of the arguments of a call."""
        if type(self).build is not Layer.build or "build" in vars(self):
            bound = signature_of(self).bind(args, kwargs)
            shapes = {name: _shapes_of(value) for name, value in bound.items() if _has_tensors(value)}
            positional, keywords = shapes_for_build(self.build, shapes)
            with trace.building(trace.current_graph() if self._record.staged else None):
                self.build(*positional, **keywords)
        self._record.built = True

    # Calling

    def call(self, *args: Any, **kwargs: Any) -> Any:
        """The outputs for the inputs; subclasses define it."""
        raise UnimplementedError(f"Layer {type(self).__name__} does not have a `call` method implemented.")

    def __call__(self, *args: object, **kwargs: object) -> Any:
        """The outputs for the inputs: tensors, arrays, or the symbolic tensors of `Input`.

        Raises `ValueError` for inputs that the layer can't take, and what `build` and `call` raise.
        """
        try:
            return self._checked_call(args, kwargs)
        except Exception as error:
            if error.__class__ is TypeError and (found := self._misfit(args, kwargs)) is not None:
                raise found from None
            if error.__class__ is not RecursionError:
                trim(error)
            raise

    def _misfit(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> SignatureError | None:
        """The error of a call whose arguments the `call` method does not take; None if it takes them."""
        signature = inspect.signature(self.call)
        try:
            signature.bind(*args, **kwargs)
        except TypeError as error:
            of_class = getattr(type(self).call, "__code__", None)
            remedy = "several inputs go in one list: layer([a, b])" if len(args) > 1 else None
            if args and of_class is not None and of_class.co_argcount == 1 and not signature.parameters:
                remedy = f"write the layer as the first parameter: def call(self, {of_class.co_varnames[0]})"
            call = f"{type(self).__name__}.call({', '.join(signature.parameters)})"
            return SignatureError(f"{call} can't be called so: {error}", remedy=remedy)
        return None

    def _checked_call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        record = self._record
        if not record.ready:
            raise FailedPreconditionError(
                f"In layer '{type(self).__name__}', you forgot to call `super().__init__()` as the first statement in "
                "the `__init__()` method. Go add it!"
            )
        args = tuple([self._as_input(value) for value in args])
        kwargs = {name: self._as_input(value) for name, value in kwargs.items()}

        if is_symbolic(args, kwargs):
            return symbolic_call(self, args, kwargs)
        if args:
            self._check_first(args[0])
        training, kwargs = self._training_for(args, kwargs)
        if record.input_spec is not None:
            check_input(self, args[0] if args else next(iter(kwargs.values()), None))
        with inside(self), context.calling(training) as call:
            if call.outermost:
                record.last_call = context.call_number()
            if trace.current_graph() is not None:
                with trace.name_scope(record.name):
                    return self._masked_call(args, kwargs)
            return self._masked_call(args, kwargs)

    def _masked_call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        record = self._record
        if not record.built:
            self._build_for(args, kwargs)
        signature = signature_of(self)
        mask = context.masks_of(args[0]) if args else None
        if mask is not None and signature.takes_mask and signature.given("mask", args, kwargs) is None:
            kwargs = {**kwargs, "mask": mask}
        for name, mask_name in signature.masks_of:  # such as query and query_mask
            given = signature.given(name, args, kwargs)
            own = None if given is None else context.masks_of(given)
            if own is not None and signature.given(mask_name, args, kwargs) is None:
                kwargs = {**kwargs, mask_name: own}
        outputs = converted_call(self.call)(*args, **kwargs)
        if (mask is not None and record.supports_masking) or (
            type(self).compute_mask is not Layer.compute_mask and args
        ):
            self._set_masks(outputs, self.compute_mask(args[0], mask))
        if record.activity_regularizer is not None:
            for output in nest.flatten(outputs):
                self.add_loss(record.activity_regularizer(output) / cast(_batch_size(output), output.dtype))
        return outputs

    def _set_masks(self, outputs: Any, masks: Any) -> None:
        if nest.is_nested(outputs) and nest.is_nested(masks):
            for output, mask in zip(nest.flatten(outputs), nest.flatten(masks), strict=False):
                context.set_mask(output, mask)
        elif not nest.is_nested(outputs):
            context.set_mask(outputs, masks)

    def compute_mask(self, inputs: Any, previous_mask: object = None) -> Any:
        """The mask of the outputs: that of the inputs, where the layer supports masks."""
        return previous_mask if self.supports_masking else None

    def _training_for(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[bool | None, dict[str, Any]]:
        """Whether this call is training, and the keyword arguments of `call` with that, if it takes it."""
        signature = signature_of(self)
        training = signature.given("training", args, kwargs)
        found = training if training is not None else context.current_training()
        if found is None:
            found = signature.default_training
        if not signature.takes_training:
            if "training" in kwargs and not signature.open:
                kwargs = {name: value for name, value in kwargs.items() if name != "training"}
        elif training is None and found is not None:
            kwargs = {**kwargs, "training": found}
        return found, kwargs

    def _check_first(self, value: object) -> None:
        if isinstance(value, Tensor):
            return
        for leaf in nest.flatten(value):
            if leaf is not None and not isinstance(leaf, Tensor):
                raise InvalidArgumentError(
                    "Only input tensors may be passed as positional arguments. The following argument value should be "
                    f"passed as a keyword argument: {leaf!r} (of type {type(leaf)})",
                    remedy="pass an array or tensor, for example np.array(values)",
                )

    def _as_input(self, value: object) -> Any:
        """An argument with tensors in place of arrays and variables, floating ones cast to the layer's dtype."""
        record = self._record
        if isinstance(value, Tensor):
            dtype = value.dtype
            if dtype is record.dtype or not record.autocast or not dtype.is_floating:
                return value
            return cast(value, record.dtype)
        if value is None or isinstance(value, (bool, int, float, str)):
            return value
        if isinstance(value, (np.ndarray, np.generic, Variable)):
            return self._as_input(convert_to_tensor(value))
        if nest.is_nested(value):
            return nest.rebuild(value, [self._as_input(child) for _, child in nest.children(value)])
        if hasattr(type(value), "__tensor__") and not hasattr(value, "keras_history"):
            return self._as_input(convert_to_tensor(value))
        return value

    # Configuration

    def get_config(self) -> dict[str, Any]:
        """What `from_config` makes an equal layer of, without its weights.

        Where a subclass with a constructor of its own does not define it, it holds the constructor's arguments; those
        that are no plain values raise `NotImplementedError`.
        """
        return config_of(self)

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """A new layer for what `get_config` gave."""
        return cls(**config)

    def compute_output_shape(self, input_shape: ShapeLike) -> Any:
        """The shape of the outputs for inputs of a shape (tuples, with None for what is unknown)."""
        return output_shape(self, input_shape)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} name={self.name}, built={self.built}>"


def _named_build(build: Callable[..., Any]) -> Callable[..., Any]:
    """A `build` method whose weights have paths behind the layer's name, and after which the layer is built."""

    @functools.wraps(build)
    def named(self: Layer, *args: object, **kwargs: object) -> Any:
        with inside(self):
            result = build(self, *args, **kwargs)
            self._record.path = current_path()
            self._record.build_shape = args[0] if args else None
        self._record.built = True
        return result

    return named


_NAMES = ("name", "dtype", "trainable", "autocast", "activity_regularizer", "input_shape", "batch_size")
"""What all layers take."""


def _sizes(name: str, value: Any) -> Any:
    """The sizes that an argument gives; ``(4)`` is a number to Python."""
    if isinstance(value, Iterable):
        return value
    raise InvalidArgumentError(f"`{name}` is a tuple of sizes, not {value!r}", remedy=f"write {name}=({value},)")


def _dtype_of(dtype: object) -> Any:
    if isinstance(dtype, dict):
        dtype = dtype["config"]["name"]
    if isinstance(dtype, str) and (dtype.startswith("mixed_") or dtype == "bfloat16"):
        dtype = DTypePolicy(dtype)
    if isinstance(dtype, DTypePolicy):
        dtype = dtype.variable_dtype
    found = as_dtype(dtype_policy().variable_dtype if dtype is None else dtype)
    if not (found.is_floating or found.is_integer or found.is_bool or found.name == "string"):
        raise InvalidArgumentError(f"A layer can't have the dtype {found.name}")
    return found


def _has_tensors(value: object) -> bool:
    return any(isinstance(leaf, Tensor) or hasattr(leaf, "keras_history") for leaf in nest.flatten(value))


def _shapes_of(value: Any) -> Any:
    """The shapes, as tuples, in the structure of a value."""
    if nest.is_nested(value):
        shapes = [_shapes_of(child) for _, child in nest.children(value)]
        return nest.rebuild(value, shapes) if isinstance(value, dict) else shapes
    return None if value is None else value.static_shape


def _batch_size(output: object) -> Any:
    return shape(output)[0]


def signature_of(layer: Layer) -> CallSignature:
    """What the `call` of a layer takes."""
    record = record_of(layer)
    if record.signature is None:
        record.signature = CallSignature(layer.call)
    return record.signature
