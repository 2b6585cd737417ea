"""Messages of protocol buffers, with what programs do with them; `messages` has those that there are."""

from __future__ import annotations

import ctypes
import operator
import struct
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, ClassVar, Self, SupportsIndex

import numpy as np

from autograph.errors import InvalidArgumentError, InvalidTypeError

from ...base import wire

__all__ = ["Kind", "ManyMessages", "Message", "MessageMap", "OneMessage", "byte_strings", "floats", "integers"]


class Message:
    """A message: named fields, which are there when they are first used. ``str`` writes it as text."""

    FIELDS: ClassVar[dict[str, tuple[int, Kind]]] = {}
    """The number and the kind of each field."""
    IS_UNION: ClassVar[bool] = False
    """Whether only one of the fields is there at a time, under the name ``kind``."""
    __slots__ = ("_held", "_owner", "_present")

    def __init__(self, **fields: object) -> None:
        self._held: dict[str, Any] = {}
        self._present: list[str] = []
        self._owner: Callable[[], None] | None = None
        for name, value in fields.items():
            if name not in self.FIELDS:
                raise InvalidArgumentError(f'Protocol message {type(self).__name__} has no "{name}" field.')
            if value is not None:
                self.FIELDS[name][1].put(getattr(self, name), value)
                self.touch(name)

    def __getattr__(self, name: str) -> Any:
        if name not in type(self).FIELDS:
            return object.__getattribute__(self, name)
        if name not in self._held:
            self._held[name] = self.FIELDS[name][1].make(lambda: self.touch(name))
        return self._held[name]

    def touch(self, name: str) -> None:
        """Notes that a field is there, here and in what this message is a part of."""
        if self.IS_UNION:
            self._held = {name: getattr(self, name)}
            self._present.clear()
        if name not in self._present:
            self._present.append(name)
        self.report()

    def report(self) -> None:
        """Notes that this message is there in what it is a part of."""
        if self._owner is not None:
            self._owner()

    def owned(self, owner: Callable[[], None]) -> Self:
        """This message, as a part of another."""
        self._owner = owner
        return self

    def HasField(self, name: str) -> bool:
        """Whether a field is there."""
        return name in self._present

    def WhichOneof(self, group: str) -> str | None:
        """The name of the field that is there of several that exclude each other."""
        return self._present[0] if self.IS_UNION and self._present else None

    def Clear(self) -> None:
        """Removes all fields."""
        self._held.clear()
        self._present.clear()

    def CopyFrom(self, other: Self) -> None:
        """Takes over all fields of another message of this type."""
        self.ParseFromString(_of_type(other, type(self)).SerializeToString())

    def SerializeToString(self) -> bytes:
        """The message as bytes, as all libraries of protocol buffers read them."""
        parts = []
        for name, (field, kind) in self.FIELDS.items():
            if name in self._held:
                parts.append(kind.encode(field, self._held[name], name in self._present))
        return b"".join(parts)

    def ByteSize(self) -> int:
        """The length of `SerializeToString`."""
        return len(self.SerializeToString())

    def ParseFromString(self, serialized: bytes) -> int:
        """Reads the message from bytes; returns how many. Raises `InvalidArgumentError` for damaged ones.

        What another version of the message has besides is left out.
        """
        self.Clear()
        names = {field: name for name, (field, _) in self.FIELDS.items()}
        for field, wire_type, value in wire.fields(bytes(serialized)):
            if field in names:
                name = names[field]
                if self.IS_UNION and name not in self._present:
                    self._held.pop(name, None)
                self.FIELDS[name][1].decode(getattr(self, name), wire_type, value)
                self.touch(name)
        self.report()
        return len(serialized)

    @classmethod
    def FromString(cls, s: bytes) -> Self:
        """A new message of bytes, see `ParseFromString`."""
        made = cls()
        made.ParseFromString(s)
        return made

    def __reduce__(self) -> Any:
        return type(self).FromString, (self.SerializeToString(),)

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return self._present == other._present and all(
            getattr(self, name) == getattr(other, name) for name in self.FIELDS
        )

    __hash__ = None  # type: ignore[assignment]

    def _lines(self) -> Iterator[str]:
        for name, (_, kind) in self.FIELDS.items():
            if name in self._present or (name in self._held and kind.is_repeated and self._held[name]):
                yield from kind.lines(name, self._held[name])

    def lines(self, name: str) -> Iterator[str]:
        """The text of this message as a field."""
        yield f"{name} {{"
        yield from (f"  {line}" for line in self._lines())
        yield "}"

    def __str__(self) -> str:
        return "".join(f"{line}\n" for line in self._lines())

    __repr__ = __str__


def _of_type(value: Any, wanted: type[Message]) -> Any:
    if not isinstance(value, wanted):
        raise InvalidTypeError(f"a message {wanted.__name__} was expected, not one of {type(value).__name__}")
    return value


class Kind:
    """What a field may be: how it is made, set, written and read."""

    is_repeated = True

    def make(self, touch: Callable[[], None]) -> Any:
        """An empty value, which tells when it changes."""
        raise NotImplementedError

    def put(self, held: Any, value: Any) -> None:
        """Sets an empty value."""
        held.extend(value)

    def encode(self, field: int, held: Any, is_present: bool) -> bytes:
        """The bytes of a field."""
        raise NotImplementedError

    def decode(self, held: Any, wire_type: int, value: int | bytes) -> None:
        """Adds what was read to a value."""
        raise NotImplementedError

    def lines(self, name: str, held: Any) -> Iterator[str]:
        """The lines of text."""
        raise NotImplementedError


class Repeated(list[Any]):
    """The values of a repeated field: a list that takes only what fits, and tells when it gets something."""

    def __init__(
        self, take: Callable[[Any], Any], touch: Callable[[], None], dtype: type[np.generic] | None = None
    ) -> None:
        super().__init__()
        self._take, self._touch, self._dtype = take, touch, dtype

    def __array__(self, dtype: np.dtype[Any] | None = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        return np.array(list(self), dtype or self._dtype)

    def append(self, value: object) -> None:
        super().append(self._take(value))
        self._touch()

    def extend(self, values: Iterable[Any]) -> None:
        super().extend([self._take(value) for value in values])
        self._touch()

    def __iadd__(self, values: Iterable[Any]) -> Self:  # type: ignore[misc]
        self.extend(values)
        return self

    def insert(self, index: SupportsIndex, value: object) -> None:
        super().insert(index, self._take(value))
        self._touch()

    def __setitem__(self, index: Any, value: Any) -> None:
        taken = [self._take(each) for each in value] if isinstance(index, slice) else self._take(value)
        super().__setitem__(index, taken)
        self._touch()

    def add(self, **fields: object) -> Any:
        """A new message at the end, of a field of messages."""
        self.append(self._take.wanted(**fields))  # type: ignore[attr-defined]
        return self[-1]

    def __reduce__(self) -> Any:
        return list, (list(self),)


class _Scalars(Kind):
    """Numbers or bytes."""

    def __init__(self, take: Callable[[Any], Any], pack: Callable[[Any], bytes] | None,
                 read: Callable[[int, Any], Iterable[Any]], show: Callable[[Any], str],
                 dtype: type[np.generic] | None = None) -> None:  # fmt: skip
        self._take, self._pack, self._read, self._show, self._dtype = take, pack, read, show, dtype

    def make(self, touch: Callable[[], None]) -> Repeated:
        return Repeated(self._take, touch, self._dtype)

    def encode(self, field: int, held: Any, is_present: bool) -> bytes:
        if self._pack is None:
            return b"".join([wire.message(field, value) for value in held])
        return wire.message(field, self._pack(held)) if held else b""

    def decode(self, held: Any, wire_type: int, value: int | bytes) -> None:
        list.extend(held, self._read(wire_type, value))

    def lines(self, name: str, held: Any) -> Iterator[str]:
        return (f"{name}: {self._show(value)}" for value in held)


class OneMessage(Kind):
    """Another message."""

    is_repeated = False

    def __init__(self, wanted: type[Message]) -> None:
        self._wanted = wanted

    def make(self, touch: Callable[[], None]) -> Message:
        return self._wanted().owned(touch)

    def put(self, held: Any, value: Any) -> None:
        held.CopyFrom(self._wanted(**value) if isinstance(value, dict) else value)

    def encode(self, field: int, held: Any, is_present: bool) -> bytes:
        return wire.message(field, held.SerializeToString()) if is_present else b""

    def decode(self, held: Any, wire_type: int, value: int | bytes) -> None:
        held.ParseFromString(held.SerializeToString() + _bytes(value))

    def lines(self, name: str, held: Any) -> Iterator[str]:
        return held.lines(name)


class _Copies:
    """Takes messages of one type, as copies."""

    def __init__(self, wanted: type[Message]) -> None:
        self.wanted = wanted

    def __call__(self, value: Any) -> Message:
        made = self.wanted()
        made.CopyFrom(value)
        return made


class ManyMessages(Kind):
    """Other messages, in order."""

    def __init__(self, wanted: type[Message]) -> None:
        self._copies = _Copies(wanted)

    def make(self, touch: Callable[[], None]) -> Repeated:
        return Repeated(self._copies, touch)

    def encode(self, field: int, held: Any, is_present: bool) -> bytes:
        return b"".join([wire.message(field, each.SerializeToString()) for each in held])

    def decode(self, held: Any, wire_type: int, value: int | bytes) -> None:
        list.append(held, self._copies.wanted.FromString(_bytes(value)))

    def lines(self, name: str, held: Any) -> Iterator[str]:
        for each in held:
            yield from each.lines(name)


class Entries(dict[str, Any]):
    """Messages by name: one that is asked for is made."""

    def __init__(self, wanted: type[Message], touch: Callable[[], None]) -> None:
        super().__init__()
        self._wanted, self._touch = wanted, touch

    def __missing__(self, key: str) -> Any:
        made = self._wanted().owned(self._touch)
        super().__setitem__(_key(key), made)
        self._touch()
        return made

    def get_or_create(self, key: str) -> Any:
        """The message of a name, which is made where there is none."""
        return self[key]

    def __setitem__(self, key: str, value: object) -> None:
        raise InvalidArgumentError(
            "May not set values directly: a map of messages makes its own", remedy=f"feature[{key!r}].CopyFrom(value)"
        )

    def __reduce__(self) -> Any:
        return dict, (dict(self),)


def _key(key: object) -> str:
    text = key.decode() if isinstance(key, bytes) else key
    if not isinstance(text, str):
        raise InvalidTypeError(f"the name of a feature is a text, not {key!r}")
    return text


class MessageMap(Kind):
    """Other messages, by name."""

    def __init__(self, wanted: type[Message]) -> None:
        self._wanted = wanted

    def make(self, touch: Callable[[], None]) -> Entries:
        return Entries(self._wanted, touch)

    def put(self, held: Any, value: Mapping[str, Any]) -> None:
        for key, each in value.items():
            held[_key(key)].CopyFrom(each)

    def encode(self, field: int, held: Any, is_present: bool) -> bytes:
        return b"".join(
            [
                wire.message(field, wire.message(1, key.encode()) + wire.message(2, each.SerializeToString()))
                for key, each in held.items()
            ]
        )

    def decode(self, held: Any, wire_type: int, value: int | bytes) -> None:
        found = {field: part for field, _, part in wire.fields(_bytes(value))}
        held[_bytes(found.get(1, b"")).decode("utf-8", "replace")].ParseFromString(_bytes(found.get(2, b"")))

    def lines(self, name: str, held: Any) -> Iterator[str]:
        for key in sorted(held):
            yield f"{name} {{"
            yield f"  key: {_quoted(key.encode(), True)}"
            yield from (f"  {line}" for line in held[key].lines("value"))
            yield "}"


# Numbers and bytes


def _bytes(value: int | bytes) -> bytes:
    if isinstance(value, int):
        raise InvalidArgumentError("the bytes are another message than the one that they are read as")
    return value


def _take_bytes(value: object) -> bytes:
    if not isinstance(value, (bytes, bytearray)):
        raise InvalidTypeError(
            f"a BytesList holds bytes, not {type(value).__name__}: {value!r}",
            remedy="text.encode() of a str, tensor.numpy() of a tensor of strings",
        )
    return bytes(value)


def _take_int(value: Any) -> int:
    plain = value.numpy() if hasattr(value, "numpy") else value  # a tensor
    taken = int(plain) if isinstance(plain, np.bool_) else operator.index(plain)
    if not -(2**63) <= taken < 2**63:
        raise InvalidArgumentError(f"Value out of range: {taken}")
    return taken


def _take_float(value: Any) -> float:
    if isinstance(value, (str, bytes)):
        raise InvalidTypeError(f"a FloatList holds numbers, not {value!r}")
    return ctypes.c_float(float(value)).value


def _read_ints(wire_type: int, value: Any) -> Iterable[int]:
    return [wire.signed(value)] if wire_type == wire.VARINT else wire.unpacked(value).tolist()


def _read_floats(wire_type: int, value: int | bytes) -> Iterable[float]:
    data = _bytes(value)
    if len(data) % 4:
        raise InvalidArgumentError("the bytes are another message than the one that they are read as")
    return np.frombuffer(data, "<f4").tolist()


def _pack_floats(values: list[float]) -> bytes:
    return struct.pack(f"<{len(values)}f", *values)


def _quoted(data: bytes, is_text: bool = False) -> str:
    names = {10: "\\n", 13: "\\r", 9: "\\t", 34: '\\"', 39: "\\'", 92: "\\\\"}
    if is_text:
        return '"' + "".join(names.get(ord(each), each) for each in data.decode("utf-8", "replace")) + '"'
    return '"' + "".join(names.get(each) or (chr(each) if 32 <= each < 127 else f"\\{each:03o}") for each in data) + '"'


def _shown_float(value: float) -> str:
    """With six digits, or with nine where these are not enough."""
    short = f"{value:.6g}"
    return short if ctypes.c_float(float(short)).value == value or value != value else f"{value:.9g}"


byte_strings = _Scalars(_take_bytes, None, lambda _, value: [_bytes(value)], _quoted)
floats = _Scalars(_take_float, _pack_floats, _read_floats, _shown_float, np.float32)
integers = _Scalars(_take_int, wire.packed, _read_ints, str, np.int64)
