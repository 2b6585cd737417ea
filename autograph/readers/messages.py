"""The messages in files of TensorFlow, as far as they are needed; unknown fields are passed over.

The names and numbers of fields are those of TensorFlow's files ``tensorflow/core/protobuf/*.proto``, which are its
interface.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

import numpy as np

from autograph.runtime.base import wire

__all__ = ["Message", "decode"]

# Message -> number of the field -> name and kind; ``*``: several; ``{}``: a table by text.
_SCHEMA: dict[str, dict[int, str]] = {
    "SavedModel": {2: "meta_graphs MetaGraph*"},
    "MetaGraph": {2: "graph Graph", 6: "assets Asset*", 7: "objects ObjectGraph"},
    "Asset": {2: "filename text"},
    "Graph": {1: "nodes Node*", 2: "library Library"},
    "Library": {1: "functions Function*"},
    "Function": {1: "signature Signature", 3: "nodes Node*", 4: "results {}text", 5: "attributes {}Attribute"},
    "Signature": {1: "name text", 2: "inputs Argument*", 3: "outputs Argument*"},
    "Argument": {1: "name text", 3: "type int"},
    "Node": {1: "name text", 2: "op text", 3: "inputs text*", 5: "attributes {}Attribute"},
    "Attribute": {
        1: "list Items", 2: "bytes bytes", 3: "int int", 4: "float float", 5: "bool bool", 6: "type int",
        7: "shape Shape", 8: "tensor Tensor", 10: "function Called",
    },
    "Items": {2: "bytes bytes*", 3: "int int*", 4: "float float*", 5: "bool bool*", 6: "type int*", 7: "shape Shape*"},
    "Called": {1: "name text"},
    "Shape": {2: "dims Dim*", 3: "unknown bool"},
    "Dim": {1: "size int"},
    "Tensor": {
        1: "type int", 2: "shape Shape", 4: "content bytes", 5: "floats float*", 6: "doubles double*", 7: "ints int*",
        8: "strings bytes*", 9: "complexes float*", 10: "longs int*", 11: "bools int*", 12: "wide_complexes double*",
        13: "halves int*", 16: "unsigned int*", 17: "unsigned_longs int*",
    },
    "ObjectGraph": {1: "nodes Object*", 2: "functions {}ConcreteFunction"},
    "Object": {
        1: "children Child*", 4: "user UserObject", 5: "asset AssetReference", 6: "function SavedFunction",
        7: "variable Variable", 8: "bare_function BareFunction", 9: "constant Constant", 10: "resource Resource",
        12: "captured Constant",
    },
    "Child": {1: "node int", 2: "name text"},
    "UserObject": {1: "identifier text"},
    "AssetReference": {1: "place int"},
    "SavedFunction": {1: "functions text*", 2: "spec FunctionSpec"},
    "FunctionSpec": {1: "arguments Structure", 2: "is_method bool"},
    "Variable": {1: "type int", 2: "shape Shape", 3: "trainable bool", 6: "name text"},
    "BareFunction": {1: "function text", 2: "keywords text*"},
    "Constant": {1: "name text"},
    "Resource": {1: "device text"},
    "ConcreteFunction": {2: "bound int*", 3: "inputs Structure", 4: "outputs Structure"},
    "Structure": {
        1: "none None", 11: "float double", 12: "int signed", 13: "text text", 14: "bool bool", 31: "shape Shape",
        32: "type int", 33: "tensor TensorSpec", 34: "other OtherSpec", 35: "bounded TensorSpec", 51: "list Values",
        52: "tuple Values", 53: "dict Fields", 54: "named NamedTuple",
    },
    "None": {},
    "OtherSpec": {3: "kind text"},
    "TensorSpec": {1: "name text", 2: "shape Shape", 3: "type int"},
    "Values": {1: "values Structure*"},
    "Fields": {1: "values {}Structure"},
    "NamedTuple": {1: "name text", 2: "pairs Pair*"},
    "Pair": {1: "key text", 2: "value Structure"},
    "Tracked": {1: "nodes TrackedObject*"},
    "TrackedObject": {1: "children Child*", 2: "values TrackedValue*"},
    "TrackedValue": {1: "name text", 3: "key text"},
    "Entry": {1: "type int", 2: "shape Shape", 3: "shard int", 4: "offset int", 5: "size int", 6: "checksum fixed"},
}  # fmt: skip
_EMPTY: dict[str, Any] = {"int": 0, "signed": 0, "bool": False, "float": 0.0, "double": 0.0, "bytes": b"", "text": "",
                          "fixed": 0}  # fmt: skip
_FIELDS = {
    kind: {number: tuple(field.split()) for number, field in fields.items()} for kind, fields in _SCHEMA.items()
}


class Message:
    """A message: its fields are attributes, which have an empty value where they are not set; ``given`` has those set.

    A field that is a message is None where it is not set.
    """

    def __init__(self, kind: str) -> None:
        self.given: set[str] = set()
        for name, type_ in _FIELDS[kind].values():
            setattr(self, name, [] if type_.endswith("*") else {} if type_.startswith("{}") else _EMPTY.get(type_))

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...


def decode(kind: str, data: bytes) -> Message:
    """A message of some bytes. Raises `InvalidArgumentError` for what is none."""
    made, known = Message(kind), _FIELDS[kind]
    for number, wired, value in wire.fields(data):
        if number not in known:
            continue
        name, type_ = known[number]
        made.given.add(name)
        if type_.startswith("{}"):
            key, content = _pair(type_[2:], value)
            getattr(made, name)[key] = content
        elif type_.endswith("*"):
            getattr(made, name).extend(_several(type_[:-1], wired, value))
        else:
            setattr(made, name, _one(type_, value))
    return made


def _pair(type_: str, data: Any) -> tuple[str, Any]:
    found: dict[int, Any] = {1: b"", 2: b""}
    for number, _, value in wire.fields(data):
        found[number] = value
    return found[1].decode(), _one(type_, found[2])


def _one(type_: str, value: Any) -> Any:
    if type_ == "text":
        return value.decode("utf-8", "surrogateescape")
    if type_ == "int":
        return wire.signed(value)
    if type_ == "signed":
        return value >> 1 ^ -(value & 1)
    if type_ == "bool":
        return bool(value)
    if type_ == "bytes":
        return value
    if type_ in _NUMBERS:
        return struct.unpack(_NUMBERS[type_], value)[0]
    return decode(type_, value)


_NUMBERS = {"float": "<f", "double": "<d", "fixed": "<I"}


def _several(type_: str, wired: int, value: Any) -> list[Any]:
    """The elements of a field of several, of which numbers come packed or one by one."""
    if type_ in ("int", "bool") and wired != wire.VARINT:
        return [bool(x) if type_ == "bool" else x for x in wire.unpacked(value).tolist()]
    if type_ in ("float", "double") and len(value) != struct.calcsize(_NUMBERS[type_]):
        return np.frombuffer(value, _NUMBERS[type_]).tolist()
    return [_one(type_, value)]
