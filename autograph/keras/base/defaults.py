"""What holds where nothing else is said: the dtype of floats, a small number, the order of axes, the dtype policy.

Keras's `tf.keras.config` and `tf.keras.backend` read and set them. They hold for what is made or traced afterwards.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from autograph.errors import InvalidArgumentError, UnimplementedError
from autograph.runtime.base.dtypes import DType, as_dtype

if TYPE_CHECKING:
    from autograph.runtime.tensors.likes import DTypeLike

__all__ = ["DTypePolicy", "dtype_policy", "epsilon", "floatx", "image_data_format", "set_dtype_policy", "set_epsilon",
           "set_floatx", "set_image_data_format", "standardize_dtype"]  # fmt: skip

_FLOATS = ("float16", "float32", "float64")


class _Settings:
    floatx = "float32"
    epsilon = 1e-7
    image_data_format = "channels_last"
    policy: DTypePolicy | None = None


def floatx() -> str:
    """The dtype of weights, inputs and results where none is given: ``"float32"`` at first."""
    return _Settings.floatx


def set_floatx(value: str) -> None:
    """Sets `floatx`: ``"float16"``, ``"float32"`` or ``"float64"``.

    Raises `ValueError` for other words, `UnimplementedError` (a `NotImplementedError`) for ``"bfloat16"``.
    """
    if value == "bfloat16":
        raise _no_bfloat16(value)
    if value not in _FLOATS:
        raise InvalidArgumentError(f"Unknown `floatx` value: {value}. Expected one of {', '.join(map(repr, _FLOATS))}")
    _Settings.floatx = value


def standardize_dtype(dtype: DTypeLike | None) -> str:
    """The name of a dtype; that of `floatx` of None. Raises `ValueError` for what is none."""
    if dtype is None:
        return floatx()
    try:
        return as_dtype(dtype).name
    except (TypeError, ValueError):
        raise InvalidArgumentError(f"Invalid dtype: {dtype}") from None


def epsilon() -> float:
    """The number that keeps divisions and logarithms of losses and metrics finite: 1e-7 at first."""
    return _Settings.epsilon


def set_epsilon(value: float) -> None:
    """Sets `epsilon`."""
    _Settings.epsilon = value


def image_data_format() -> str:
    """Where images have their channels where nothing is said: ``"channels_last"`` at first."""
    return _Settings.image_data_format


def set_image_data_format(data_format: str) -> None:
    """Sets `image_data_format`: ``"channels_first"`` or ``"channels_last"``. Raises `ValueError` for other words."""
    if data_format not in ("channels_first", "channels_last"):
        raise InvalidArgumentError("The `data_format` argument must be one of {'channels_first', 'channels_last'}. "
                                   f"Received: data_format={data_format}")  # fmt: skip
    _Settings.image_data_format = data_format


def _no_bfloat16(name: str) -> UnimplementedError:
    return UnimplementedError(f"there is no {name!r}: tensors have no dtype bfloat16",
                              remedy='take "float32", or "float16" for half the memory')  # fmt: skip


class DTypePolicy:
    """The dtype in which a layer computes, and in which it keeps its weights: here the same.

    ``name`` is that of a dtype of floats. Raises `ValueError` for others, and `UnimplementedError` (a
    `NotImplementedError`) for ``"mixed_float16"``, ``"mixed_bfloat16"`` and ``"bfloat16"``.
    """

    def __init__(self, name: str) -> None:
        if not isinstance(name, str):
            raise InvalidArgumentError(f"'name' must be a string, such as 'float32'. Received: name={name} "
                                       f"(of type {type(name)})")  # fmt: skip
        if name.startswith("mixed_"):
            raise UnimplementedError(f"mixed precision ({name!r}) is not there: a layer has one dtype",
                                     remedy='take "float32", or "float16" for all of a layer')  # fmt: skip
        if name == "bfloat16":
            raise _no_bfloat16(name)
        try:
            self._dtype: DType = as_dtype(name)
        except (TypeError, ValueError):
            raise InvalidArgumentError(
                f"Cannot convert '{name}' to a mixed precision DTypePolicy. Valid policies include the name of any "
                "float dtype such as 'float32'."
            ) from None
        self._name = name

    @property
    def name(self) -> str:
        return self._name

    @property
    def variable_dtype(self) -> str:
        """The dtype of weights."""
        return self._dtype.name

    @property
    def compute_dtype(self) -> str:
        """The dtype in which is computed."""
        return self._dtype.name

    @property
    def quantization_mode(self) -> None:
        """None: weights are not quantised."""
        return

    def get_config(self) -> dict[str, Any]:
        """What makes another one."""
        return {"name": self.name}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> DTypePolicy:
        """A policy with the arguments that `get_config` returned."""
        return cls(**config)

    def __repr__(self) -> str:
        return f'<DTypePolicy "{self.name}">'

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DTypePolicy) and other.name == self.name

    def __hash__(self) -> int:
        return hash(self.name)


def dtype_policy() -> DTypePolicy:
    """The policy of layers that get no dtype: that of `floatx`, or what `set_dtype_policy` has set."""
    return _Settings.policy or DTypePolicy(floatx())


def set_dtype_policy(policy: Any) -> None:
    """Sets `dtype_policy`: a `DTypePolicy`, its name, or its configuration. Raises what `DTypePolicy` does."""
    if isinstance(policy, dict):
        policy = DTypePolicy(policy["config"]["name"])
    if not isinstance(policy, (str, DTypePolicy)):
        raise InvalidArgumentError("Invalid `policy` argument. Expected the string name of a policy (such as "
                                   f"'float32') or a `DTypePolicy` instance. Received: policy={policy} (of type "
                                   f"{type(policy)})")  # fmt: skip
    _Settings.policy = DTypePolicy(policy) if isinstance(policy, str) else policy
