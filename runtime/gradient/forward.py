"""Derivatives along a direction, in the order of the computation (`tf.autodiff.ForwardAccumulator`).

A tape follows the computation. What it gives back for weights ``w`` is ``w J``, which is linear in ``w``: its own
derivative along the tangents ``t``, with respect to ``w``, is ``J t`` (https://j-towns.github.io/2017/06/12/A-new-trick.html).
"""

from __future__ import annotations

from types import TracebackType
from typing import Any

from autograph.errors import FailedPreconditionError, InvalidArgumentError

from ..base import nest
from ..ops.reduce.reduce import reduce_sum
from ..ops.shape.create import ones_like, zeros_like
from ..tensors.convert import convert_to_tensor
from .records import is_differentiable, is_variable
from .tape import GradientTape, tensor_of
from .unconnected import UnconnectedGradients

__all__ = ["ForwardAccumulator"]


class ForwardAccumulator:
    """Computes products of a Jacobian and a vector, for the operations inside ``with``.

    Parameters
    ----------
    primals: tensors or variables, in any structure.
    tangents: the direction: a tensor of the shape of each of them, in the same structure.

    Accumulators nest, also with gradient tapes: the gradient of a tape inside has the product of the Hessian and the
    vector. Raises `ValueError` for tangents that do not fit.

    >>> import autograph as tf
    >>> x = tf.constant([1.0, 2.0])
    >>> with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, 10.0])) as accumulator:
    ...     y = x * x
    >>> accumulator.jvp(y)
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([ 2., 40.], dtype=float32)>
    """

    def __init__(self, primals: object, tangents: object) -> None:
        nest.assert_same_structure(primals, tangents)
        self._primals = [x if is_variable(x) else tensor_of(x) for x in nest.flatten(primals)]
        self._tangents = []
        for primal, tangent in zip(self._primals, nest.flatten(tangents), strict=True):
            tangent = convert_to_tensor(tangent, primal.dtype)
            if not primal.shape.is_compatible_with(tangent.shape):
                raise InvalidArgumentError(f"a tangent of shape {tangent.shape} does not fit {primal.shape}")
            self._tangents.append(tangent)
        self._tape = GradientTape(persistent=True, watch_accessed_variables=False)
        self._is_over = False

    def __enter__(self) -> ForwardAccumulator:
        if self._is_over:
            raise FailedPreconditionError("a ForwardAccumulator can't be entered twice: make another one")
        self._tape.__enter__()
        self._tape.watch(self._primals)
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        self._is_over = True
        self._tape.__exit__(kind, error, traceback)

    def jvp(
        self, primals: object, unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE
    ) -> Any:  # fmt: skip
        """The derivative of each of some tensors along the tangents, in the structure of the tensors.

        None (zeros with ``"zero"``) for a tensor that does not depend on what is followed. Raises as
        `GradientTape.gradient`.
        """
        zero = UnconnectedGradients(unconnected_gradients) is UnconnectedGradients.ZERO
        return nest.map_structure(lambda target: self._along(tensor_of(target), zero), primals)

    def _along(self, target: Any, zero: bool) -> Any:
        if not is_differentiable(target.dtype):
            return zeros_like(target) if zero else None
        weights = ones_like(target)
        with GradientTape(watch_accessed_variables=False) as linear:
            linear.watch(weights)
            pulled = self._tape.gradient(target, self._primals, weights)
            products = [
                reduce_sum(gradient * tangent)
                for gradient, tangent in zip(pulled, self._tangents, strict=True) if gradient is not None
            ]  # fmt: skip
        return linear.gradient(products, weights, unconnected_gradients="zero" if zero or products else "none")
