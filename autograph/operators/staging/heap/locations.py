"""The places that hold values: variables, attributes, items, and what lists and dicts hold."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib.machinery import BuiltinImporter, ExtensionFileLoader
from types import (
    CellType,
    FrameType,
    FunctionType,
    GetSetDescriptorType,
    MemberDescriptorType,
    ModuleType,
    SimpleNamespace,
)
from typing import Any

from autograph.runtime.tensors.trace import is_user_file, user_location

from ...data_model.by_type import ByType
from ...data_model.raw_attributes import raw_attribute
from ...dispatch import owner_of
from ...variables import UNDEFINED
from .. import asked
from .array_memory import OF_C
from .forms import Form, contents_of, drop_key, set_contents, set_item

# Classes of these packages keep their own books.
_FOREIGN = ("autograph", "numpy")
_STATELESS = (object, str, bytes, int, float, complex, tuple, frozenset)
_HEAP_TYPE, _IMMUTABLE_TYPE = 1 << 9, 1 << 8
OF_CLASSES = ("__name__", "__qualname__", "__bases__")
# Python itself sets what an exception says of its way, and makes annotations when they are asked for.
_PASSING = frozenset(("__dict__", "__weakref__", "__traceback__", "__context__", "__annotations__", "__annotate__"))
# Not `__annotations__`: since 3.14 the user's code runs when they are asked for.
_OF_FUNCTIONS = ("__defaults__", "__kwdefaults__", "__code__", "__name__", "__qualname__", "__doc__", "__module__")


@asked.NAME_OF.give
def name_of(obj: object, otherwise: str = "") -> str:
    """The variable of the user's running functions that holds an object; the innermost, if there are several."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if is_user_file(frame.f_code.co_filename):
            for name, value in frame.f_locals.items():
                if value is obj:
                    return name
        frame = frame.f_back
    return otherwise


def where() -> dict[str, Any]:
    """The keywords of an `AutographError` for the user's line."""
    location = user_location()
    return {} if location is None else {"file": location.file, "line": location.line, "function": location.function}


class Location:
    """A place that holds a value: `get` it, or `set` it; UNDEFINED stands for none."""

    __slots__ = ("name", "owner")

    def __init__(self, owner: Any, name: str) -> None:
        self.owner = owner
        self.name = name

    @property
    def key(self) -> tuple[Any, ...]:
        """What is equal for two locations that are the same place."""
        return type(self), id(self.owner)

    @property
    def label(self) -> str:
        """The place as the user writes it."""
        return self.name

    def get(self) -> Any:
        raise NotImplementedError

    def set(self, value: object) -> None:
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.label}>"


class Uncarried(Location):
    """A place whose change a graph can't carry."""

    __slots__ = ()


class HiddenAttribute(Uncarried):
    """An attribute that a class which is not written in Python keeps for an object, not in its dict or slots:
    defaults and code of a function, arguments of an exception, names and bases of a class, the class of an object."""

    __slots__ = ()

    @property
    def key(self) -> tuple[Any, ...]:
        return HiddenAttribute, id(self.owner), self.name

    def get(self) -> Any:
        return _read(self.owner, self.name)

    def set(self, value: object) -> None:
        base: Any = type if isinstance(self.owner, type) else object
        if value is UNDEFINED:
            base.__delattr__(self.owner, self.name)
        else:
            base.__setattr__(self.owner, self.name, value)


class Cell(Location):
    """A variable of a function, in a closure cell."""

    __slots__ = ()
    owner: CellType

    def get(self) -> Any:
        try:
            return self.owner.cell_contents
        except ValueError:
            return UNDEFINED

    def set(self, value: object) -> None:
        if value is not UNDEFINED:
            self.owner.cell_contents = value
        elif self.get() is not UNDEFINED:
            del self.owner.cell_contents


class Global(Location):
    """A variable of a module: a key of its dict."""

    __slots__ = ()

    @property
    def key(self) -> tuple[Any, ...]:
        return Global, id(self.owner), self.name

    def get(self) -> Any:
        return self.owner.get(self.name, UNDEFINED)

    def set(self, value: object) -> None:
        if value is not UNDEFINED:
            self.owner[self.name] = value
        else:
            self.owner.pop(self.name, None)


class Item(Location):
    """An item of a list or dict."""

    __slots__ = ("index",)

    def __init__(self, owner: object, index: Any, name: str) -> None:
        super().__init__(owner, name)
        self.index = index

    @property
    def key(self) -> tuple[Any, ...]:
        return Item, id(self.owner), self.index

    def get(self) -> Any:
        if isinstance(self.owner, dict):
            return dict.get(self.owner, self.index, UNDEFINED)
        return list.__getitem__(self.owner, self.index)

    def set(self, value: object) -> None:
        if value is not UNDEFINED:
            set_item(self.owner, self.index, value)
        else:
            drop_key(self.owner, self.index)


class Attribute(Location):
    """An attribute that an object itself holds (in its dict or a slot)."""

    __slots__ = ("prefix",)

    def __init__(self, owner: object, name: str, prefix: str = "") -> None:
        super().__init__(owner, name)
        self.prefix = prefix or type(owner).__name__

    @property
    def key(self) -> tuple[Any, ...]:
        return Attribute, id(self.owner), self.name

    @property
    def label(self) -> str:
        return f"{self.prefix}.{self.name}"

    def get(self) -> Any:
        value = attributes_of(self.owner).get(self.name, UNDEFINED)
        if value is not UNDEFINED:
            return value
        return _default(self.owner if isinstance(self.owner, type) else type(self.owner), self.name)

    def set(self, value: Any) -> None:
        if isinstance(self.owner, type):
            if value is not UNDEFINED:
                setattr(self.owner, self.name, value)
            elif self.name in vars(self.owner):
                delattr(self.owner, self.name)
            return
        values = raw_attribute(self.owner, "__dict__")
        if values is not None and (self.name in values or not _is_slot(self.owner, self.name)):
            if value is UNDEFINED:
                values.pop(self.name, None)
            else:
                values[self.name] = value
        elif value is not UNDEFINED:
            object.__setattr__(self.owner, self.name, value)
        elif self.name in attributes_of(self.owner):
            object.__delattr__(self.owner, self.name)


class Contents(Location):
    """What a list or dict holds, as a whole; `get` copies it."""

    __slots__ = ()

    def get(self) -> Any:
        return contents_of(self.owner)

    def set(self, value: object) -> None:
        set_contents(self.owner, value)


class Mutable(Form):
    """A staged object that changes: its whole state is one value that doesn't."""

    __slots__ = ()
    is_element = False
    """Whether it stands for a place in another one; which object that is, only the run knows."""

    def get_state(self) -> Any:
        raise NotImplementedError

    def set_state(self, state: object) -> None:
        raise NotImplementedError


class StateOf(Location):
    """The state of a `Mutable`."""

    __slots__ = ()

    def get(self) -> Any:
        return self.owner.get_state()

    def set(self, value: object) -> None:
        self.owner.set_state(value)


def _is_slot(owner: object, name: str) -> bool:
    return any(name in _slots(cls) for cls in type(owner).__mro__)


def _slots(cls: type) -> Iterable[str]:
    slots = cls.__dict__.get("__slots__", ())
    return (slots,) if isinstance(slots, str) else slots


def attributes_of(obj: object) -> dict[str, Any]:
    """The attributes that an object itself holds, in a new dict."""
    found = dict(raw_attribute(obj, "__dict__", ()))
    if isinstance(obj, type):
        return found
    for cls in type(obj).__mro__:
        for name in _slots(cls):
            mangled = _mangled(name, cls)
            if name not in ("__dict__", "__weakref__") and isinstance(_shown(type(obj), mangled), MemberDescriptorType):
                value = raw_attribute(obj, mangled, UNDEFINED)
                if value is not UNDEFINED:
                    found[mangled] = value
    return found


def _shown(cls: type, name: str) -> Any:
    """What a class has under a name; a class that inherits a slot may have a property of that name."""
    return next((vars(each)[name] for each in cls.__mro__ if name in vars(each)), UNDEFINED)


def _default(cls: type, name: str) -> Any:
    """What an object or class without an attribute of its own shows: a value of its class, or of one further up."""
    value = _shown(cls, name)
    return UNDEFINED if hasattr(type(value), "__get__") else value


def _mangled(name: str, cls: type) -> str:
    private = name.startswith("__") and not name.endswith("__")
    return f"_{cls.__name__.lstrip('_')}{name}" if private else name


def is_plain_object(obj: object) -> bool:
    """Whether an object has attributes of its own that a journal keeps: an instance of a user's class, or the class."""
    cls = obj if isinstance(obj, type) else type(obj)
    if isinstance(obj, (ModuleType, FunctionType, BaseException)) or owner_of(type(obj)) is not None:
        return False
    if str(cls.__module__).partition(".")[0] in _FOREIGN and "holds_state" not in vars(cls):
        return False
    if not is_written_in_python(cls):
        return False
    return raw_attribute(obj, "__dict__") is not None or any(map(_slots, cls.__mro__))


def has_attributes(obj: object) -> bool:
    """Whether a journal keeps the attributes of an object when they are about to change."""
    return is_plain_object(obj) or isinstance(obj, (FunctionType, ModuleType, SimpleNamespace, BaseException))


def has_hidden_state(obj: object) -> bool:
    """Whether an object may hold more than attributes: one of its classes is not written in Python."""
    return any(not is_written_in_python(cls) for cls in type(obj).__mro__ if cls not in _STATELESS)


@ByType
def is_written_in_python(cls: type) -> bool:
    """Whether a class is made by a `class` statement, or a call of `type`, in Python code."""
    heap = cls.__flags__ & _HEAP_TYPE and not cls.__flags__ & _IMMUTABLE_TYPE
    loader = getattr(getattr(sys.modules.get(cls.__module__), "__spec__", None), "loader", None)
    compiled = loader is BuiltinImporter or isinstance(loader, (BuiltinImporter, ExtensionFileLoader))
    return bool(heap) and not compiled


def hidden_attributes_of(obj: object) -> Mapping[str, Any]:
    """What an object holds in such attributes."""
    names = OF_CLASSES if isinstance(obj, type) else _names(type(obj))
    return {name: _read(obj, name) for name in names}


def _read(obj: object, name: str) -> Any:
    if name == "__class__":
        return type(obj)
    try:
        return (type if isinstance(obj, type) else object).__getattribute__(obj, name)
    except Exception:  # it has none now
        return UNDEFINED


@ByType
def _names(cls: type) -> tuple[str, ...]:
    if cls is FunctionType:
        return _OF_FUNCTIONS + (("__annotations__",) if sys.version_info < (3, 14) else ())
    # Other classes that are not written in Python have attributes that nobody can set, and that are new each time.
    settable = issubclass(cls, (BaseException, OF_C))
    compiled = [each for each in cls.__mro__ if settable and each is not object and not is_written_in_python(each)]
    found = [
        name
        for each in compiled
        for name, value in vars(each).items()
        if isinstance(value, (GetSetDescriptorType, MemberDescriptorType)) and name not in _PASSING
    ]
    return (*found, "__class__") if is_written_in_python(cls) else tuple(found)


def locations(bodies: Iterable[Callable[..., Any]], names: Iterable[str]) -> Iterator[Location]:
    """The closure cells of some bodies, and for the names that are none of these, the variables of their module."""
    bodies = tuple(bodies)
    free: set[str] = set()
    for body in bodies:
        names_here = body.__code__.co_freevars
        free.update(names_here)
        for name, cell in zip(names_here, body.__closure__ or (), strict=True):
            yield Cell(cell, name)
    for name in names:
        if name not in free and bodies:
            yield Global(bodies[0].__globals__, name)
