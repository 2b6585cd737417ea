"""The largest elements."""

from __future__ import annotations

from ....ir import records
from ....ir.graph import Node
from ....ir.op import lowers
from ..emit.arrays import Expression, Ints, Load
from ..emit.emitter import NotLowered, type_of
from ..emit.lowering import Lowering
from ..supported import ENGINE

# What is found is kept in order by insertion, which takes long for more elements than this.
_MOST = 128
# Looks through a row, and keeps the best so far in order; of equals the first comes first.
_FUNCTION = """define internal void NAME(ptr %row, ptr %values, ptr %places, i64 %n, i64 %k) {
start:
  %last = sub i64 %k, 1
  %lowest.at = getelementptr KIND, ptr %values, i64 %last
  br label %element
element:
  %i = phi i64 [ 0, %start ], [ %i.next, %next ]
  %x.at = getelementptr KIND, ptr %row, i64 %i
  %x = load KIND, ptr %x.at
  %fills = icmp ult i64 %i, %k
  br i1 %fills, label %insert, label %compare
compare:
  %lowest = load KIND, ptr %lowest.at
FIRST
  br i1 %wins, label %insert, label %next
insert:
  %free = phi i64 [ %i, %element ], [ %last, %compare ]
  br label %shift
shift:
  %j = phi i64 [ %free, %insert ], [ %before, %move ]
  %is.first = icmp eq i64 %j, 0
  br i1 %is.first, label %put, label %look
look:
  %before = sub i64 %j, 1
  %other.at = getelementptr KIND, ptr %values, i64 %before
  %other = load KIND, ptr %other.at
SECOND
  br i1 %wins.here, label %move, label %put
move:
  %to = getelementptr KIND, ptr %values, i64 %j
  store KIND %other, ptr %to
  %its.place.at = getelementptr PLACE, ptr %places, i64 %before
  %its.place = load PLACE, ptr %its.place.at
  %place.to = getelementptr PLACE, ptr %places, i64 %j
  store PLACE %its.place, ptr %place.to
  br label %shift
put:
  %target = getelementptr KIND, ptr %values, i64 %j
  store KIND %x, ptr %target
  %place.target = getelementptr PLACE, ptr %places, i64 %j
CUT  store PLACE NUMBER, ptr %place.target
  br label %next
next:
  %i.next = add nuw i64 %i, 1
  %done = icmp eq i64 %i.next, %n
  br i1 %done, label %end, label %element
end:
  ret void
}"""
# Whether %x comes before %y, in the register %wins; NaN comes before all.
_NUMBERS = "  %wins{here} = icmp {sign}gt {kind} %x, {y}"
_FLOATS = """  %greater{here} = fcmp ogt {kind} %x, {y}
  %is.nan{here} = fcmp uno {kind} %x, %x
  %is.no.nan{here} = fcmp ord {kind} {y}, {y}
  %nan.wins{here} = and i1 %is.nan{here}, %is.no.nan{here}
  %wins{here} = or i1 %greater{here}, %nan.wins{here}"""


@lowers(ENGINE, records.top_k)
def _top_k(lowering: Lowering, node: Node, inputs: list[Expression]) -> list[Expression]:
    e, k = lowering.e, node.attributes["k"]
    if k > _MOST:
        raise NotLowered(f"the {k} largest elements")
    types = lowering.infer(node, inputs)
    values, places = (lowering.new_buffer(type_.dtype, lowering.static_shape(type_)) for type_ in types)
    if values.size == 0:
        return [values, places]
    x = lowering.materialised(inputs[0], ordered=True)
    *batch, n = x.shape
    lowering.work += x.size
    heads = [_head(each, tuple(batch)) for each in (x, values, places)]
    loops = lowering.loops(tuple(batch), heads)
    loops.open()
    pointers = ", ".join(f"ptr {loops.address(head)}" for head in heads)
    e.do(f"call void {_function(lowering, x, places)}({pointers}, i64 {n}, i64 {k})")
    loops.close()
    return [values, places]


def _head(x: Load, batch: Ints) -> Load:
    """The first elements along the last axis."""
    return x.walk([*[(i, 1, 0) for i in range(len(batch))], (None, 0, 0)], batch)


def _function(lowering: Lowering, x: Load, places: Load) -> str:
    kind, place = type_of(x.dtype), type_of(places.dtype)
    kind = "i8" if kind == "i1" else kind
    name, beats = f"@top_{x.dtype.name}_{place}", _FLOATS if x.dtype.kind == "f" else _NUMBERS
    sign = "s" if x.dtype.kind == "i" else "u"
    parts = {
        "NAME": name, "KIND": kind, "PLACE": place,
        "FIRST": beats.format(here="", kind=kind, y="%lowest", sign=sign),
        "SECOND": beats.format(here=".here", kind=kind, y="%other", sign=sign),
        "CUT": "" if place == "i64" else f"  %i.cut = trunc i64 %i to {place}\n",
        "NUMBER": "%i" if place == "i64" else "%i.cut",
    }  # fmt: skip
    text = _FUNCTION
    for word, part in parts.items():
        text = text.replace(word, part)
    return lowering.e.declare(name, text)
