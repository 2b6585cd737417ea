"""The function that Python calls, written in IR too: a call costs little more than the work. One serves all graphs.

It takes NumPy arrays and returns a tuple of new ones. When the arguments are no aligned C-contiguous arrays of the very
dtypes and shapes that the code was made for it returns None; what the plan has to look at makes it return False. What
it has to know of a graph is a table of int64 numbers in a bytes object: see `_table`.
"""

from __future__ import annotations

import functools
import struct
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ....base.dtypes import float64, int32
from ....ir.graph import Type
from ..foreign import cpython, ndarrays
from .compiler import Code

_CALLED = "PyTuple_New", "PyTuple_SetItem", "PyMem_RawMalloc", "PyMem_RawFree", "Py_DecRef", "Py_IncRef"

# A workspace of up to 16 KiB is on the stack, if there are no lists. A larger one is kept from call to call, with the
# memory of lists; it belongs to the call that set the flag in front of it, any other (of a signal handler, or another
# thread) gets its own.
_ENTRY = f"""
{cpython.declarations(*_CALLED)}
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)

define ptr @entry(ptr %self, ptr %arguments, i64 %count) {{
start:
  %array.type = load ptr, ptr @addresses
  %new.array = load ptr, ptr getelementptr (i64, ptr @addresses, i64 1)
  %false = load ptr, ptr getelementptr (i64, ptr @addresses, i64 2)
  %none = load ptr, ptr getelementptr (i64, ptr @addresses, i64 3)
  %table = getelementptr i8, ptr %self, i64 {cpython.BYTES}
  %kernel = load ptr, ptr %table
  %wanted.at = getelementptr i64, ptr %table, i64 1
  %wanted = load i64, ptr %wanted.at
  %made.at = getelementptr i64, ptr %table, i64 2
  %made = load i64, ptr %made.at
  %size.at = getelementptr i64, ptr %table, i64 3
  %size = load i64, ptr %size.at
  %cache.at = getelementptr i64, ptr %table, i64 4
  %cache = load ptr, ptr %cache.at
  %count.at = getelementptr i64, ptr %table, i64 5
  %lists.count = load i64, ptr %count.at
  %first = getelementptr i64, ptr %table, i64 6
  %inputs = alloca ptr, i64 %wanted
  %outputs = alloca ptr, i64 %made
  %counted = icmp eq i64 %count, %wanted
  br i1 %counted, label %take, label %misfit

take:
  %i = phi i64 [ 0, %start ], [ %i.next, %taken ]
  %p = phi ptr [ %first, %start ], [ %p.next, %taken ]
  %all.taken = icmp eq i64 %i, %wanted
  br i1 %all.taken, label %results, label %argument
argument:
  %array.at = getelementptr ptr, ptr %arguments, i64 %i
  %array = load ptr, ptr %array.at
  %type.at = getelementptr i8, ptr %array, i64 {cpython.TYPE}
  %type = load ptr, ptr %type.at
  %is.array = icmp eq ptr %type, %array.type
  br i1 %is.array, label %fields, label %misfit
fields:
  %descr.at = getelementptr i8, ptr %array, i64 {ndarrays.DESCR}
  %descr = load i64, ptr %descr.at
  %descr.wanted = load i64, ptr %p
  %rank.at = getelementptr i8, ptr %array, i64 {ndarrays.RANK}
  %rank.int = load i32, ptr %rank.at
  %rank = zext i32 %rank.int to i64
  %rank.wanted.at = getelementptr i64, ptr %p, i64 1
  %rank.wanted = load i64, ptr %rank.wanted.at
  %flags.at = getelementptr i8, ptr %array, i64 {ndarrays.FLAGS}
  %flags.all = load i32, ptr %flags.at
  %flags = and i32 %flags.all, {ndarrays.CONTIGUOUS_AND_ALIGNED}
  %same.descr = icmp eq i64 %descr, %descr.wanted
  %same.rank = icmp eq i64 %rank, %rank.wanted
  %same.flags = icmp eq i32 %flags, {ndarrays.CONTIGUOUS_AND_ALIGNED}
  %same.two = and i1 %same.descr, %same.rank
  %same = and i1 %same.two, %same.flags
  br i1 %same, label %shape, label %misfit
shape:
  %shape.at = getelementptr i8, ptr %array, i64 {ndarrays.SHAPE}
  %dims = load ptr, ptr %shape.at
  %dims.wanted = getelementptr i64, ptr %p, i64 2
  br label %dimension
dimension:
  %d = phi i64 [ 0, %shape ], [ %d.next, %dimension.checked ]
  %all.checked = icmp eq i64 %d, %rank
  br i1 %all.checked, label %taken, label %dimension.compared
dimension.compared:
  %n.at = getelementptr i64, ptr %dims, i64 %d
  %n = load i64, ptr %n.at
  %n.wanted.at = getelementptr i64, ptr %dims.wanted, i64 %d
  %n.wanted = load i64, ptr %n.wanted.at
  %same.n = icmp eq i64 %n, %n.wanted
  br i1 %same.n, label %dimension.checked, label %misfit
dimension.checked:
  %d.next = add i64 %d, 1
  br label %dimension
taken:
  %data.at = getelementptr i8, ptr %array, i64 {ndarrays.DATA}
  %data = load ptr, ptr %data.at
  %input.at = getelementptr ptr, ptr %inputs, i64 %i
  store ptr %data, ptr %input.at
  %p.next = getelementptr i64, ptr %dims.wanted, i64 %rank
  %i.next = add i64 %i, 1
  br label %take

results:
  %tuple = call ptr @PyTuple_New(i64 %made)
  %no.tuple = icmp eq ptr %tuple, null
  br i1 %no.tuple, label %nothing, label %make
make:
  %k = phi i64 [ 0, %results ], [ %k.next, %keep ]
  %q = phi ptr [ %p, %results ], [ %q.next, %keep ]
  %all.made = icmp eq i64 %k, %made
  br i1 %all.made, label %memory, label %result
result:
  %number.long = load i64, ptr %q
  %number = trunc i64 %number.long to i32
  %out.rank.at = getelementptr i64, ptr %q, i64 1
  %out.rank = load i64, ptr %out.rank.at
  %out.rank.int = trunc i64 %out.rank to i32
  %out.dims = getelementptr i64, ptr %q, i64 2
  %out = call ptr %new.array(ptr %array.type, i32 %out.rank.int, ptr %out.dims, i32 %number, ptr null, ptr null, i32 0,
                             i32 0, ptr null)
  %no.out = icmp eq ptr %out, null
  br i1 %no.out, label %interrupted, label %keep
keep:
  %set = call i32 @PyTuple_SetItem(ptr %tuple, i64 %k, ptr %out)
  %out.data.at = getelementptr i8, ptr %out, i64 {ndarrays.DATA}
  %out.data = load ptr, ptr %out.data.at
  %output.at = getelementptr ptr, ptr %outputs, i64 %k
  store ptr %out.data, ptr %output.at
  %q.next = getelementptr i64, ptr %out.dims, i64 %out.rank
  %k.next = add i64 %k, 1
  br label %make

memory:
  %is.little = icmp ule i64 %size, 16384
  %no.lists = icmp eq i64 %lists.count, 0
  %is.small = and i1 %is.little, %no.lists
  br i1 %is.small, label %small, label %large
small:
  %on.stack = alloca i8, i64 %size, align 64
  br label %run
large:
  %busy = load i64, ptr %cache
  %is.busy = icmp ne i64 %busy, 0
  br i1 %is.busy, label %fresh, label %own
own:
  store i64 1, ptr %cache
  %own.lists = getelementptr i64, ptr %cache, i64 2
  %old.at = getelementptr i64, ptr %cache, i64 1
  %old = load ptr, ptr %old.at
  %has.old = icmp ne ptr %old, null
  br i1 %has.old, label %ready, label %begin
begin:
  %begun = call ptr @PyMem_RawMalloc(i64 %size)
  store ptr %begun, ptr %old.at
  br label %ready
fresh:
  %extra = call ptr @PyMem_RawMalloc(i64 %size)
  %extra.numbers = mul i64 %lists.count, 2
  %extra.lists = alloca i64, i64 %extra.numbers
  %extra.bytes = mul i64 %lists.count, 16
  call void @llvm.memset.p0.i64(ptr %extra.lists, i8 0, i64 %extra.bytes, i1 false)
  br label %ready
ready:
  %found = phi ptr [ %old, %own ], [ %begun, %begin ], [ %extra, %fresh ]
  %found.lists = phi ptr [ %own.lists, %own ], [ %own.lists, %begin ], [ %extra.lists, %fresh ]
  %no.memory = icmp eq ptr %found, null
  br i1 %no.memory, label %lacking, label %aligned
aligned:
  %address = ptrtoint ptr %found to i64
  %up = add i64 %address, 63
  %even = and i64 %up, -64
  %in.heap = inttoptr i64 %even to ptr
  br label %run
run:
  %workspace = phi ptr [ %on.stack, %small ], [ %in.heap, %aligned ]
  %heap = phi ptr [ null, %small ], [ %found, %aligned ]
  %lists = phi ptr [ null, %small ], [ %found.lists, %aligned ]
  %own.heap = phi i1 [ false, %small ], [ %is.busy, %aligned ]
  %status = call i32 %kernel(ptr %inputs, ptr %outputs, ptr %workspace, ptr %lists)
  br i1 %is.small, label %done, label %release
release:
  br i1 %own.heap, label %drop, label %leave
drop:
  call void @PyMem_RawFree(ptr %heap)
  br label %drop.list
drop.list:
  %l = phi i64 [ 0, %drop ], [ %l.next, %drop.data ]
  %all.dropped = icmp eq i64 %l, %lists.count
  br i1 %all.dropped, label %done, label %drop.data
drop.data:
  %l.number = mul i64 %l, 2
  %l.at = getelementptr i64, ptr %lists, i64 %l.number
  %l.data = load ptr, ptr %l.at
  call void @PyMem_RawFree(ptr %l.data)
  %l.next = add i64 %l, 1
  br label %drop.list
leave:
  store i64 0, ptr %cache
  br label %done
done:
  switch i32 %status, label %failed [ i32 0, label %good
                                      i32 2, label %interrupted ]
good:
  ret ptr %tuple
lacking:
  br i1 %is.busy, label %failed, label %unused
unused:
  store i64 0, ptr %cache
  br label %failed
interrupted:
  call void @Py_DecRef(ptr %tuple)
  ret ptr null
failed:
  call void @Py_DecRef(ptr %tuple)
  call void @Py_IncRef(ptr %false)
  ret ptr %false
misfit:
  call void @Py_IncRef(ptr %none)
  ret ptr %none
nothing:
  ret ptr null
}}
"""


# What the entry is tried with: it gives twice the first of its numbers, this itself, and 7; it gives up below zero.
_TRIAL = """
define i32 @trial(ptr %inputs, ptr %outputs, ptr %workspace, ptr %lists) {
  %x.at = load ptr, ptr %inputs
  %x = load double, ptr %x.at
  %is.below = fcmp olt double %x, 0.0
  br i1 %is.below, label %bad, label %good
good:
  %twice.at = load ptr, ptr %outputs
  %twice = fadd double %x, %x
  store double %twice, ptr %twice.at
  %next.at = getelementptr double, ptr %twice.at, i64 1
  store double %x, ptr %next.at
  %seven.place = getelementptr ptr, ptr %outputs, i64 1
  %seven.at = load ptr, ptr %seven.place
  store i32 7, ptr %seven.at
  ret i32 0
bad:
  ret i32 1
}
"""


@functools.cache
def _entry() -> Code:
    objects = [cpython.address(each) for each in (np.ndarray, False, None)]
    return Code(_ENTRY + _TRIAL, [objects[0], ndarrays.maker(), *objects[1:]])


def _table(kernel: int, inputs: Sequence[Type], outputs: Sequence[Type], sizes: tuple[int, int], cache: int) -> bytes:
    """What the entry reads: addresses, counts, sizes; a dtype (or its number), rank and shape for each array."""
    workspace, lists = sizes
    size = workspace + 64 if lists or workspace > 16384 - 64 else max(workspace, 1)
    numbers = [kernel, len(inputs), len(outputs), size, cache, lists]
    for type_ in inputs:
        assert type_.shape is not None
        dtype = cpython.address(np.dtype(type_.dtype.numpy))
        numbers += [dtype, len(type_.shape), *type_.shape]  # type: ignore[list-item]
    for type_ in outputs:
        assert type_.shape is not None
        numbers += [np.dtype(type_.dtype.numpy).num, len(type_.shape), *type_.shape]  # type: ignore[list-item]
    return struct.pack(f"{len(numbers)}q", *numbers)


def callable_of(code: Code, inputs: Sequence[Type], outputs: Sequence[Type], sizes: tuple[int, int],
                kept: Sequence[Any], kernel: str = "kernel") -> Callable[..., Any]:  # fmt: skip
    """A built-in function that calls the kernel of compiled code; ``kept`` lives as long.

    ``sizes``: the bytes of the workspace, and how many lists have memory.
    """
    owner = cpython.Owner((_entry(), code, kept), sizes[1])
    table = _table(code.address(kernel), inputs, outputs, sizes, owner.address)
    return cpython.built_in(_entry().address("entry"), table, owner)


def obstacle() -> str | None:
    """Why code can't be called, tried with a function of two numbers; None if it can."""
    pair, number = Type(float64, (2,)), Type(int32, ())
    run = callable_of(_entry(), [pair], [pair, number], (0, 0), (), "trial")
    x = np.array([1.5, 4.0])
    results = run(x)
    is_right = type(results) is tuple and [each.tolist() for each in results] == [[3.0, 1.5], 7]
    answers = [run(-x), run(x[:1]), run(x.astype(np.float32)), run(np.stack([x, x])[:, 0]), run(2), run()]
    is_right = is_right and answers == [False, None, None, None, None, None]
    return None if is_right else "a first function gave something else than it should"
