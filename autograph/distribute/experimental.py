"""`tf.distribute.experimental`: what TensorFlow keeps there."""

from __future__ import annotations

import enum

from .strategy import ValueContext as ValueContext

__all__ = ["CollectiveCommunication", "CommunicationImplementation", "CommunicationOptions", "ValueContext"]


class CommunicationImplementation(enum.Enum):
    """By what processes send to each other. It is accepted: JAX sends through gloo, and NCCL between GPUs."""

    AUTO = "AUTO"
    RING = "RING"
    NCCL = "NCCL"


CollectiveCommunication = CommunicationImplementation


class CommunicationOptions:
    """How processes send to each other. It is accepted, and changes nothing: XLA knows how."""

    def __init__(
        self, bytes_per_pack: int = 0, timeout_seconds: float | None = None,
        implementation: CommunicationImplementation = CommunicationImplementation.AUTO
    ) -> None:  # fmt: skip
        self.bytes_per_pack, self.timeout_seconds = bytes_per_pack, timeout_seconds
        self.implementation = CommunicationImplementation(implementation)
