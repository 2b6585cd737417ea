"""Objects by name, and their configurations: what `get`, `serialize` and `deserialize` of each kind share.

A configuration is a dict of plain values from which an equal object can be made: ``{"module": ..., "class_name": ...,
"config": ..., "registered_name": ...}``. Functions are known by their names alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

from autograph.errors import InvalidArgumentError
from autograph.lazy import did_you_mean

from .custom_objects import get_registered_name, get_registered_object

__all__ = ["Identifier", "Registry", "snake_case"]

Identifier = str | dict[str, Any] | Callable[..., Any] | None
"""What users give for an initializer, an activation and the like: its name, its configuration, its class, or itself."""


def snake_case(name: str) -> str:
    """A class's name as a function's.

    >>> snake_case("SparseCategoricalCrossentropy"), snake_case("KLDivergence"), snake_case("AdamW")
    ('sparse_categorical_crossentropy', 'kl_divergence', 'adam_w')
    """
    return re.sub("([a-z])([A-Z])", r"\1_\2", re.sub("(.)([A-Z][a-z]+)", r"\1_\2", name)).lower()


class Registry:
    """The named objects of one kind.

    Parameters
    ----------
    kind: what error messages call it: "initializer".
    module: where users find it: ``"keras.initializers"``.
    objects: classes, which `get` makes an instance of by default values, and functions, which it returns.
    aliases: further names.
    lower: the class is also known by its name in lower case, ``"rmsprop"``, instead of ``"rm_sprop"``.
    default: what `get` returns for ``None``.
    """

    def __init__(
        self, kind: str, module: str, objects: Iterable[Any], *, aliases: dict[str, Any] | None = None,
        lower: bool = False, default: object = None
    ) -> None:  # fmt: skip
        self.kind = kind
        self.module = module
        self.default = default
        self.lower = lower
        self.objects: dict[str, Any] = {}
        self.add(objects)
        self.objects.update(aliases or {})

    def add(self, objects: Iterable[Any]) -> None:
        """Name further classes and functions, as the constructor does."""
        for item in objects:
            self.objects[item.__name__] = item
            if isinstance(item, type):
                self.objects.setdefault(item.__name__.lower() if self.lower else snake_case(item.__name__), item)

    def get(self, identifier: object, custom_objects: dict[str, Any] | None = None) -> Any:
        """The object for a name, a configuration, a class, or an object that is one already; None gives the default.

        Raises `ValueError` for what names nothing, and for what is not callable.
        """
        if identifier is None:
            return self.default
        if isinstance(identifier, dict):
            return self.deserialize(identifier, custom_objects)
        found = self._named(identifier, custom_objects) if isinstance(identifier, str) else identifier
        if isinstance(found, type):
            found = found()
        if not self.fits(found):
            near = did_you_mean(identifier, self.objects)
            raise InvalidArgumentError(f"Could not interpret {self.kind} identifier: {identifier}{near}")
        return found

    def fits(self, found: object) -> bool:
        """Whether something is an object of this kind."""
        return callable(found)

    def _named(self, name: str, custom_objects: dict[str, Any] | None) -> Any:
        return get_registered_object(name, custom_objects) or self.objects.get(name)

    def knows(self, name: str | None) -> bool:
        """Whether something is the name of an object of this kind."""
        return isinstance(name, str) and self._named(name, None) is not None

    def serialize(self, item: object) -> Any:
        """The configuration of an object that has a `get_config`; the name of a function.

        Raises `ValueError` for other objects, and for lambdas, whose name says nothing.
        """
        if hasattr(item, "get_config"):
            known = self.objects.get(type(item).__name__) is type(item)
            name = type(item).__name__
            module = self.module if known else type(item).__module__
            return {"module": module, "class_name": name, "config": item.get_config(),
                    "registered_name": None if known else get_registered_name(type(item))}  # fmt: skip
        name = getattr(item, "__name__", "<lambda>")
        if not callable(item) or name == "<lambda>":
            raise InvalidArgumentError(
                f"Could not serialize the {self.kind} {item!r}: give it a name or a `get_config` method"
            )
        return get_registered_name(item)

    def deserialize(self, config: Any, custom_objects: dict[str, Any] | None = None) -> Any:
        """The object for what `serialize` returned; classes of users are looked up in `custom_objects` by name.

        Raises `ValueError` for a name that is not known.
        """
        if isinstance(config, str):
            return self.get(config, custom_objects)
        name = config.get("class_name")
        if name == "function":
            return self.get(config.get("config"), custom_objects)
        found: Callable[..., Any] | None = None
        for each in (config.get("registered_name"), name):
            if found is None and isinstance(each, str):
                found = self._named(each, custom_objects)
        if found is None:
            near = did_you_mean(name, self.objects)
            raise InvalidArgumentError(f"Could not interpret {self.kind} identifier: {config}{near}")
        if not isinstance(found, type):
            return found
        settings = config.get("config") or {}
        return found.from_config(settings) if hasattr(found, "from_config") else found(**settings)
