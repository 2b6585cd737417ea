"""Writes LLVM IR as text: registers, basic blocks, constants, and arithmetic that knows dtypes.

A register is the text that stands for it (``%5``, or a literal). Booleans are ``i1`` in registers and bytes in memory.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from autograph.errors import AutographError

from ....base.dtypes import DType, float32, float64
from ..foreign import cpython
from ..foreign.machine import vector_width
from ..supported import TYPES

_SUFFIX = {"float": "f32", "double": "f64"}
# How much work (elements, turns of loops) is done before it is looked whether the user wants to interrupt it.
_WORK_BETWEEN_POLLS = 1 << 22


class NotLowered(AutographError):
    """Something has no form in machine code: an op, a dtype, or a shape that is not known."""


def type_of(dtype: DType) -> str:
    """The LLVM type of a register. Raises `NotLowered` for text, complex and half-precision numbers."""
    found = TYPES.get(dtype)
    if found is None:
        raise NotLowered(f"{dtype.name} has no form in machine code")
    return found


def literal(value: Any, dtype: DType) -> str:
    """A number as a literal of a dtype."""
    if dtype.kind == "b":
        return "true" if value else "false"
    if dtype.kind == "f":
        rounded = float(np.float32(value)) if dtype is float32 else float(value)
        return "0x" + struct.pack(">d", rounded).hex().upper()
    number, bits = int(value), dtype.numpy.itemsize * 8
    return str(number - (1 << bits) if number >= 1 << (bits - 1) else number)


class Emitter:
    """The text of one function under construction.

    ``entry`` holds what is computed once, before everything else; ``failed`` is the label of the exit for what the plan
    has to look at: errors and warnings. ``lists`` are where the addresses and sizes of the memory of lists are, and
    ``sizes`` the numbers that stand in the text at last for names of sizes. ``addresses`` are those of the memory and
    functions outside; see `compiler.Code`.
    """

    def __init__(self) -> None:
        self.entry: list[str] = []
        self.lines: list[str] = []
        self.declarations: dict[str, str] = {}
        self.functions: dict[str, str] = {}
        self.lists: list[tuple[str, str]] = []
        self.sizes: dict[str, str] = {}
        self.addresses: dict[int, str] = {}
        self.label = "start"
        self.look = cpython.address(cpython.let_others_run)
        """A function of Python's without parameters that is called now and then, and may raise."""
        self.may_fail = False
        self._count = 0
        self._flag: str | None = None
        self._flag_is_used = False

    # Registers and blocks

    def name(self) -> str:
        self._count += 1
        return f"%v{self._count}"

    def let(self, text: str) -> str:
        """A new register for the result of an instruction."""
        self._count += 1
        name = f"%v{self._count}"
        self.lines.append(f"  {name} = {text}")
        return name

    def do(self, text: str) -> None:
        self.lines.append("  " + text)

    def let_first(self, text: str) -> str:
        """A new register that is set in the function's first block, so that it can be used everywhere."""
        name = self.name()
        self.entry.append(f"  {name} = {text}")
        return name

    def address(self, number: int) -> str:
        """A register with the address of something outside. Not to be called within `function`."""
        if number not in self.addresses:
            place = f"getelementptr (i64, ptr @addresses, i64 {len(self.addresses)})"
            self.addresses[number] = self.let_first(f"load ptr, ptr {place}")
        return self.addresses[number]

    def new_label(self, base: str) -> str:
        self._count += 1
        return f"{base}{self._count}"

    def begin(self, label: str) -> None:
        """Start a block; the one before must have ended."""
        self.lines.append(f"{label}:")
        self.label = label

    def jump(self, label: str) -> None:
        self.do(f"br label %{label}")

    AS_IT_IS = ", !llvm.loop !9000"
    """The hint of a loop's branch that LLVM is not to unroll it."""

    def branch(self, condition: str, then: str, orelse: str, hint: str = "") -> None:
        self.do(f"br i1 {condition}, label %{then}, label %{orelse}{hint}")

    def declare(self, name: str, text: str) -> str:
        self.declarations.setdefault(name, text)
        return name

    def declare_python(self, *names: str) -> None:
        """Functions of Python's C API are called."""
        for name in names:
            self.declare(f"@{name}", cpython.declarations(name))

    def intrinsic(self, base: str, dtype: DType, *args: str) -> str:
        """A call of an LLVM intrinsic whose arguments and result have one type."""
        kind = type_of(dtype)
        suffix = _SUFFIX.get(kind, kind)
        name = f"@llvm.{base}.{suffix}"
        self.declare(name, f"declare {kind} {name}({', '.join([kind] * len(args))})")
        return self.let(f"call {kind} {name}({', '.join(f'{kind} {a}' for a in args)})")

    def libm(self, base: str, dtype: DType, *args: str) -> str:
        """A call of the C library's function, in the precision of a dtype."""
        kind = type_of(dtype)
        name = f"@{base}{'f' if dtype is float32 else ''}"
        self.declare(name, f"declare {kind} {name}({', '.join([kind] * len(args))}) nounwind willreturn memory(none)")
        return self.let(f"call {kind} {name}({', '.join(f'{kind} {a}' for a in args)})")

    # Failing and waiting

    def fail_if(self, condition: str) -> None:
        """Leave, for the plan to find out what is wrong: at once, or at the end of `collecting` or a function."""
        if condition == "false":
            return
        self.may_fail = True
        if self._flag is not None:
            self._flag_is_used = True
            before = self.let(f"load i1, ptr {self._flag}")
            self.do(f"store i1 {self.let(f'or i1 {before}, {condition}')}, ptr {self._flag}")
            return
        label = self.new_label("good")
        self.branch(condition, "failed", label, ", !prof !0")
        self.begin(label)

    @property
    def is_in_nest(self) -> bool:
        """Whether this is written into loops over elements, which are to become loops over vectors."""
        return self._flag is not None

    @contextmanager
    def collecting(self) -> Iterator[None]:
        """In here failures are only noted, so that loops over elements stay free of branches, and tested at the end."""
        self._collect()
        yield
        self.fail_if(self._collected())

    def _collect(self) -> None:
        self._flag, self._flag_is_used = self.let_first("alloca i1"), False
        self.do(f"store i1 false, ptr {self._flag}")

    def _collected(self) -> str:
        """The register of whether something failed."""
        flag, self._flag = self._flag, None
        return self.let(f"load i1, ptr {flag}") if self._flag_is_used else "false"

    @contextmanager
    def function(self, parameters: dict[str, str], noinline: bool) -> Iterator[None]:
        """What is written in here becomes a function of its own, which is called. Equal ones become one.

        ``parameters``: filled meanwhile with the registers from outside, each with its type.
        """
        outer = self.entry, self.lines, self.label, self._count, self._flag, self._flag_is_used
        self.entry, self.lines, self.label, self._count = [], [], "body", 0
        self._collect()
        yield
        failed = self._collected()
        lines = ["start:", *self.entry, "  br label %body", "body:", *self.lines, f"  ret i1 {failed}", "}"]
        self.entry, self.lines, self.label, self._count, self._flag, self._flag_is_used = outer
        kinds = ", ".join(f"{kind} %p{i}" for i, kind in enumerate(parameters.values()))
        attributes = f"noinline {vector_width()} " if noinline else ""
        text = f"({kinds}) {attributes}{{\n" + "\n".join(lines)
        name = self.functions.setdefault(text, f"@part{len(self.functions)}")
        call = f"call i1 {name}({', '.join(f'{kind} {register}' for register, kind in parameters.items())})"
        if failed == "false":
            self.do(call)
        else:
            self.fail_if(self.let(call))

    def poll(self, work: int) -> None:
        """Count work done in a loop; now and then let other threads run, and look for signals, such as Ctrl-C."""
        done = self.let(f"add i64 {self.let('load i64, ptr %work')}, {work}")
        self.do(f"store i64 {done}, ptr %work")
        ask, go = self.new_label("ask"), self.new_label("go")
        self.branch(self.let(f"icmp ugt i64 {done}, {_WORK_BETWEEN_POLLS}"), ask, go, ", !prof !0")
        self.begin(ask)
        self.do("store i64 0, ptr %work")
        self.declare_python("PyObject_CallNoArgs", "Py_DecRef")
        none = self.let(f"call ptr @PyObject_CallNoArgs(ptr {self.address(self.look)})")
        looked = self.new_label("looked")
        self.branch(self.let(f"icmp eq ptr {none}, null"), "interrupted", looked, ", !prof !0")
        self.begin(looked)
        self.do(f"call void @Py_DecRef(ptr {none})")
        self.jump(go)
        self.begin(go)

    # Arithmetic

    def binary(self, instruction: str, dtype: DType, x: str, y: str) -> str:
        return self.let(f"{instruction} {type_of(dtype)} {x}, {y}")

    def arithmetic(self, which: str, dtype: DType, x: str, y: str) -> str:
        """``add``, ``sub`` or ``mul``; integers wrap."""
        return self.binary(("f" if dtype.kind == "f" else "") + which, dtype, x, y)

    def compare(self, which: str, dtype: DType, x: str, y: str) -> str:
        """``eq ne lt le gt ge``, as NumPy orders NaN (unequal to everything)."""
        if dtype.kind == "f":
            return self.let(f"fcmp {'une' if which == 'ne' else 'o' + which} {type_of(dtype)} {x}, {y}")
        sign = "" if which in ("eq", "ne") else "s" if dtype.kind == "i" else "u"
        return self.let(f"icmp {sign}{which} {type_of(dtype)} {x}, {y}")

    def select(self, condition: str, dtype: DType, x: str, y: str) -> str:
        kind = type_of(dtype)
        return self.let(f"select i1 {condition}, {kind} {x}, {kind} {y}")

    def is_nan(self, dtype: DType, x: str) -> str:
        return "false" if dtype.kind != "f" else self.let(f"fcmp uno {type_of(dtype)} {x}, {x}")

    def either(self, x: str, y: str) -> str:
        return y if x == "false" else x if y == "false" else self.let(f"or i1 {x}, {y}")

    def number(self, value: object, dtype: DType) -> str:
        return literal(value, dtype)

    def cast(self, x: str, source: DType, target: DType) -> str:
        """A number in another dtype, as NumPy casts it; fails for a float that is no number of the integer type."""
        if source is target or (source.kind in "iu" and target.kind in "iu" and type_of(source) == type_of(target)):
            return x
        a, b = type_of(source), type_of(target)
        if target.kind == "b":
            return self.compare("ne", source, x, literal(0, source))
        if target.kind == "f":
            if source.kind == "f":
                return self.let(f"{'fpext' if target is float64 else 'fptrunc'} {a} {x} to {b}")
            return self.let(f"{'si' if source.kind == 'i' else 'ui'}tofp {a} {x} to {b}")
        if source.kind == "f":
            return self._float_to_integer(x, source, target)
        if source.numpy.itemsize >= target.numpy.itemsize and source.kind != "b":
            return self.let(f"trunc {a} {x} to {b}")
        return self.let(f"{'sext' if source.kind == 'i' else 'zext'} {a} {x} to {b}")

    def _float_to_integer(self, x: str, source: DType, target: DType) -> str:
        limits, kind = np.iinfo(target.numpy), type_of(source)
        # both ends are powers of two and exact; a fraction above the lower end would still be cut to it
        low = self.let(f"fcmp oge {kind} {x}, {literal(float(limits.min), source)}")
        high = self.let(f"fcmp olt {kind} {x}, {literal(float(limits.max + 1), source)}")
        fits = self.let(f"and i1 {low}, {high}")
        self.fail_if(self.let(f"xor i1 {fits}, true"))
        safe = self.select(fits, source, x, literal(0, source))
        sign = "s" if target.kind == "i" else "u"
        return self.let(f"fpto{sign}i {kind} {safe} to {type_of(target)}")
