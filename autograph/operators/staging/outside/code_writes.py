"""What a code object may change, as far as its instructions tell: read once, without running it.

Code that runs as it is while a graph is built notes nothing of what it does (see `unconverted`). Most of it changes
nothing that was there before, and its instructions show it: none stores into an object, or only into one that the code
has just made. Where it stores into what a variable of it holds, the variable is named; all else is `unseen`.
"""

from __future__ import annotations

import dis
from collections.abc import Iterator
from functools import lru_cache
from types import CodeType
from typing import Any, NamedTuple


def words(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


CHANGING = words(
    """
    add append appendleft clear difference_update discard extend extendleft insert intersection_update move_to_end pop
    popitem popleft remove reverse rotate setdefault sort subtract symmetric_difference_update update
    byteswap fill itemset partition put resize setfield setflags copyto fill_diagonal place put_along_axis putmask
    heapify heappop heappush heappushpop heapreplace insort insort_left insort_right shuffle pack_into readinto
    setattr delattr exec eval globals locals vars getattr methodcaller setitem delitem at
    iadd iand iconcat ifloordiv ilshift imatmul imod imul ior ipow irshift isub itruediv ixor
    __dict__ __class__ __setattr__ __delattr__ __setitem__ __delitem__ __setstate__ __closure__ __globals__
    cell_contents
    __iadd__ __iand__ __ifloordiv__ __ilshift__ __imatmul__ __imod__ __imul__ __ior__ __ipow__ __irshift__ __isub__
    __itruediv__ __ixor__ __init__ f_locals f_globals f_back _getframe currentframe get_objects get_referrers
    """
)
"""Names of functions and methods written in C that change objects, or give access to what no instruction shows."""


Value = str | tuple[Any, ...] | None
"""What is known of a value: the variable that holds it; ``("attribute", value, name)``, ``("item", value, index)`` or
``("constant", constant)``; that it is new; or nothing."""
NEW = " new"


class Writes(NamedTuple):
    """What code may change."""

    unseen: bool
    """Whether it may change objects that can't be named."""
    variables: frozenset[str]
    """Parameters, globals and variables of functions around it, which it doesn't set, whose objects it may change."""
    indexed: frozenset[Value]
    """What it indexes, from such variables: a `defaultdict` changes by that."""
    loaded: frozenset[str]
    """The globals that it reads."""


_MAKING = frozenset(("BUILD_LIST", "BUILD_MAP", "BUILD_SET", "BUILD_TUPLE", "BUILD_STRING", "BUILD_SLICE"))
_SKIPPED = words("NOP CACHE RESUME PRECALL KW_NAMES COPY_FREE_VARS MAKE_CELL EXTENDED_ARG RETURN_GENERATOR NOT_TAKEN")
_TWO_TO_ONE = words("BINARY_OP BINARY_SUBSCR COMPARE_OP CONTAINS_OP IS_OP")
_FILLING = words("LIST_APPEND LIST_EXTEND SET_ADD SET_UPDATE DICT_UPDATE DICT_MERGE")


@lru_cache(maxsize=4096)
def writes(code: CodeType) -> Writes:
    """What a code object may change; not what it calls, which is code of its own."""
    kept = {name for name, values in _Reader(code, frozenset()).stored.items() if values == {NEW}}
    reader = _Reader(code, frozenset(kept - set(code.co_varnames[: _parameters(code)])))
    return Writes(reader.unseen, frozenset(reader.changed), frozenset(reader.indexed), frozenset(reader.loaded))


def _parameters(code: CodeType) -> int:
    return code.co_argcount + code.co_kwonlyargcount + bool(code.co_flags & 4) + bool(code.co_flags & 8)


class _Reader:
    """Goes through the instructions with a stack of what is known; ``new``: local variables that hold new objects."""

    def __init__(self, code: CodeType, new: frozenset[str]) -> None:
        self._code = code
        self._new = new
        self._free = set(code.co_freevars)
        self._parameters = set(code.co_varnames[: _parameters(code)])
        self._stack: list[Value] = []
        self.unseen = any(isinstance(each, tuple) and "out" in each for each in code.co_consts)
        self.changed: set[str] = set()
        self.indexed: set[Value] = set()
        self.loaded: set[str] = set()
        self.stored: dict[str, set[Value]] = {}
        instructions = [each for each in dis.get_instructions(code) if each.opname not in _SKIPPED]
        for each in instructions:
            if each.opname.startswith(("STORE_FAST", "DELETE_FAST", "LOAD_FAST_AND_CLEAR")):
                for name in _stored_by(each):
                    self.stored.setdefault(name, set())
        targets = {entry.target for entry in dis._parse_exception_table(code)}  # type: ignore[attr-defined]
        for each in instructions:
            if each.is_jump_target or each.offset in targets:
                self._stack = []
            self._step(each)

    def _pop(self, count: int = 1) -> list[Value]:
        """The last entries of the stack, the last one first."""
        return [self._stack.pop() if self._stack else None for _ in range(count)]

    def _change(self, value: Value) -> None:
        """Notes that the code changes an object."""
        if value is None or (isinstance(value, tuple) and value[0] != "constant"):
            self.unseen = True
        elif isinstance(value, str) and value != NEW:
            self.changed.add(value)

    def _held(self, name: str) -> Value:
        """What is known of the object that a local variable holds."""
        if name in self._new:
            return NEW
        return name if name in self._parameters and name not in self.stored else None

    def _step(self, each: dis.Instruction) -> None:
        name = each.opname
        if "FAST" in name:
            self._fast(each)
        elif name.startswith(("STORE_", "DELETE_")):
            self._store(each)
        elif name.startswith("LOAD_"):
            self._load(each)
        elif name in _TWO_TO_ONE:
            self._binary(each)
        elif name in _MAKING or name.startswith("BUILD_"):
            self._pop(each.arg or 0)
            self._stack.append(NEW)
        elif name == "COPY":
            position = len(self._stack) - (each.arg or 0)
            self._stack.append(self._stack[position] if position >= 0 else None)
        elif name == "SWAP":
            self._swap(each.arg or 0)
        elif name == "PUSH_NULL":
            self._stack.append(None)
        elif name in ("CALL", "CALL_KW"):
            self._pop((each.arg or 0) + (3 if name == "CALL_KW" else 2))
            self._stack.append(None)
        elif name in _FILLING or name.startswith("POP_"):
            self._pop()
        elif name.startswith("UNARY_") or name == "TO_BOOL":
            self._pop()
            self._stack.append(None)
        else:
            self.unseen = self.unseen or (isinstance(each.argval, str) and each.argval in CHANGING)
            self._stack = []

    def _swap(self, depth: int) -> None:
        self._stack = [None] * (depth - len(self._stack)) + self._stack
        self._stack[-1], self._stack[-depth] = self._stack[-depth], self._stack[-1]

    def _fast(self, each: dis.Instruction) -> None:
        """Loads and stores local variables; two at once in Python 3.13."""
        names = list(_names(each))
        kinds = [part for part in each.opname.split("_") if part in ("LOAD", "STORE", "DELETE")]
        for kind, name in zip(kinds, names, strict=False):
            if kind == "LOAD":
                self._stack.append(self._held(name))
            elif kind == "STORE":
                self.stored[name].add(self._pop()[0])
            else:
                self.stored[name].add(None)
        if each.opname == "LOAD_FAST_AND_CLEAR":
            self.stored[names[0]].add(None)

    def _load(self, each: dis.Instruction) -> None:
        name, argument = each.opname, str(each.argval)
        if name == "LOAD_CONST":
            self._stack.append(("constant", each.argval))
            self.unseen = self.unseen or each.argval in ("__setitem__", "__setattr__", "__delitem__", "__delattr__")
        elif name == "LOAD_GLOBAL":
            self.loaded.add(argument)
            self.unseen = self.unseen or argument in CHANGING
            self._stack += self._with_null(each, argument)
        elif name in ("LOAD_DEREF", "LOAD_CLASSDEREF"):
            self._stack.append(argument if argument in self._free and name == "LOAD_DEREF" else None)
        elif name in ("LOAD_ATTR", "LOAD_METHOD"):
            owner = self._pop()[0]
            if argument in CHANGING:
                self._change(owner)
            self._stack.append(None if owner in (None, NEW) else ("attribute", owner, argument))
            if name == "LOAD_METHOD" or "NULL" in each.argrepr:
                self._stack.append(None)
        elif name == "LOAD_NAME":
            self.loaded.add(argument)
            self.unseen = self.unseen or argument in CHANGING
            self._stack.append(None)
        else:
            self.unseen = self.unseen or (isinstance(each.argval, str) and each.argval in CHANGING)
            self._stack = []

    @staticmethod
    def _with_null(each: dis.Instruction, name: str) -> list[Value]:
        """What a load of a global pushes, which may be called."""
        if "NULL" not in each.argrepr:
            return [name]
        return [None, name] if each.argrepr.startswith("NULL") else [name, None]

    def _store(self, each: dis.Instruction) -> None:
        name = each.opname
        if name in ("STORE_ATTR", "DELETE_ATTR"):
            owner = self._pop(2 if name == "STORE_ATTR" else 1)[0]
            self._change(owner)
        elif name in ("STORE_SUBSCR", "DELETE_SUBSCR"):
            self._change(self._pop(3 if name == "STORE_SUBSCR" else 2)[1])
        elif name == "STORE_SLICE":
            self._change(self._pop(4)[2])
        elif name in ("STORE_DEREF", "DELETE_DEREF"):
            self._pop(1 if name == "STORE_DEREF" else 0)
            self.unseen = self.unseen or each.argval in self._free
        elif name == "STORE_NAME":  # in the body of a class, or of a module that is loaded
            self._pop()
        else:
            self.unseen = True

    def _binary(self, each: dis.Instruction) -> None:
        right, left = self._pop(2)
        value: Value = None
        if each.opname == "BINARY_SUBSCR" or each.argrepr == "[]":
            if left is None:
                self.unseen = True
            elif left != NEW:
                self.indexed.add(left)
                value = None if right in (None, NEW) else ("item", left, right)
        elif each.opname == "BINARY_OP" and each.argrepr.endswith("="):
            self._change(left)
        self._stack.append(value)


def _names(each: dis.Instruction) -> Iterator[str]:
    yield from each.argval if isinstance(each.argval, tuple) else (each.argval,)


def _stored_by(each: dis.Instruction) -> list[str]:
    """The local variables that an instruction sets."""
    names = list(_names(each))
    if each.opname == "STORE_FAST_LOAD_FAST":
        return names[:1]
    return names
