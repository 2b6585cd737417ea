"""Matrix products as loops over blocks of the result that stay in vector registers.

For each block of some rows and columns the loop over the inner axis loads a row of the second matrix as vectors, and
adds it to each row of the block, multiplied with an element of the first matrix (an outer product in each turn, as in
K. Goto and R. van de Geijn, "Anatomy of High-Performance Matrix Multiplication", 2008). Nothing is packed, which BLAS
spends its time on when matrices are small. Products with a vector read each element of the matrix once, in the order
in which they lie: a row as a factor adds up some rows of the matrix at a time; a column is multiplied with some rows
at a time, each with sums in registers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from ....base.dtypes import DType
from ..emit.emitter import Emitter, type_of
from ..foreign.machine import vector_registers

_MOST_VECTORS = 8


class Product(NamedTuple):
    """A product ``(rows, inner) @ (inner, columns)``, with the strides of its matrices in elements.

    The columns of the second matrix and of the result are one after the other.

    ``outer``: more inner axes, each as its length and its strides in both matrices: a convolution is a product whose
    inner axis is that of all elements of a window. ``adds``: the product is added to what is in its place.
    """

    dtype: DType
    rows: int
    inner: int
    columns: int
    first: tuple[int, int]
    second: int
    result: int
    outer: tuple[tuple[int, int, int], ...] = ()
    adds: bool = False


def multiply(e: Emitter, product: Product, pointers: Sequence[str]) -> None:
    """Write a call of a function that multiplies two matrices, and puts the result in the place of a third.

    ``pointers``: registers with the addresses of the first elements of the three.
    """
    parameters = dict.fromkeys(pointers, "ptr")
    with e.function(parameters, noinline=True):
        names = [f"%p{list(parameters).index(pointer)}" for pointer in pointers]
        _Kernel(e, product, names).write()


class _Kernel:
    def __init__(self, e: Emitter, product: Product, pointers: Sequence[str]) -> None:
        self._e, self._product = e, product
        self._first, self._second, self._result = pointers
        self._kind = type_of(product.dtype)
        registers, size = vector_registers()
        self._lanes = max(size // product.dtype.numpy.itemsize, 1)
        self._registers = registers - 4  # for a row of the second matrix, and an element of the first
        self._most_rows = registers * 3 // 8

    def write(self) -> None:
        """Write all of it, in the way that fits."""
        product = self._product
        if product.outer or product.adds:
            self._blocks()
        elif product.columns == 1 and product.first[1] == 1:
            self._dot_products()
        elif product.rows == 1:
            self._sum_of_rows()
        else:
            self._blocks()

    def _blocks(self) -> None:
        """Columns outside, so that those of the second matrix stay in the cache for all rows."""
        product, lanes = self._product, self._lanes
        blocks = _divided(product.rows, self._most_rows)
        vectors = min(max(self._registers // blocks[0][1], 1), _MOST_VECTORS)
        width = vectors * lanes
        full = product.columns // width
        parts = self._parts(product.columns - full * width)
        for column in self._turns(0, full, width):
            self._rows(blocks, column, [lanes] * vectors)
        if parts:
            self._rows(blocks, str(full * width), parts)

    def _parts(self, size: int) -> list[int]:
        """The lengths of vectors that have so many elements together."""
        return [self._lanes] * (size // self._lanes) + [size % self._lanes] * (size % self._lanes > 0)

    # A vector with a matrix

    def _sum_of_rows(self) -> None:
        product = self._product
        rows = self._most_rows
        full = product.inner // rows
        self._add_rows("0", min(rows, product.inner), True)
        for k in self._turns(rows, full - 1, rows) if full else ():
            self._add_rows(k, rows, False)
        if full and product.inner % rows:
            self._add_rows(str(full * rows), product.inner % rows, False)

    def _add_rows(self, k: str, rows: int, is_first: bool) -> None:
        """Add some rows of the matrix, each multiplied with an element of the vector, to the result."""
        product, lanes = self._product, self._lanes
        start = self._at(self._first, self._times(k, product.first[1]))
        elements = [self._load(self._kind, self._at(start, str(i * product.first[1]))) for i in range(rows)]
        matrix = self._at(self._second, self._times(k, product.second))
        full = product.columns // lanes
        ends = [(str(full * lanes), product.columns % lanes)] if product.columns % lanes else []
        for column in self._turns(0, full, lanes):
            self._add_columns(column, lanes, elements, matrix, is_first)
        for column, rest in ends:
            self._add_columns(column, rest, elements, matrix, is_first)

    def _add_columns(self, column: str, lanes: int, elements: Sequence[str], matrix: str, is_first: bool) -> None:
        kind, target, start = f"<{lanes} x {self._kind}>", self._at(self._result, column), self._at(matrix, column)
        total = "zeroinitializer" if is_first else self._load(kind, target)
        for i, element in enumerate(elements):
            row = self._load(kind, self._at(start, str(i * self._product.second)))
            total = self._e.let(self._multiply_add(lanes, self._splat(lanes, element), row, total))
        self._store(kind, total, target)

    def _dot_products(self) -> None:
        start = 0
        for count, rows in _divided(self._product.rows, _MOST_VECTORS):
            for row in self._turns(start, count, rows):
                self._dots(row, rows)
            start += count * rows

    def _dots(self, row: str, rows: int) -> None:
        """The products of some rows with a column, of which each lane of a vector sums up its own part."""
        e, product, lanes = self._e, self._product, self._lanes
        matrix = self._at(self._first, self._times(row, product.first[0]))
        full = product.inner // lanes
        kind = f"<{lanes} x {self._kind}>"
        sums, totals = ([e.name() for _ in range(rows)] for _ in range(2))
        carried = [(kind, "zeroinitializer", *pair) for pair in zip(sums, totals, strict=True)]
        for k in self._turns(0, full, lanes, carried):
            for i, text in enumerate(self._row_products(matrix, k, lanes, rows, sums)):
                e.do(f"{totals[i]} = {text}")
        ends = [[self._sum(lanes, total) for total in totals]] if full else []
        rest = product.inner % lanes
        if rest:
            texts = self._row_products(matrix, str(full * lanes), rest, rows, ["zeroinitializer"] * rows)
            ends.append([self._sum(rest, e.let(text)) for text in texts])
        place = self._at(self._result, self._times(row, product.result))
        for i, parts in enumerate(zip(*ends, strict=True)):
            total = parts[0] if len(parts) == 1 else e.arithmetic("add", product.dtype, *parts)
            self._store(self._kind, total, self._at(place, str(i * product.result)))

    def _row_products(self, matrix: str, k: str, lanes: int, rows: int, sums: Sequence[str]) -> Iterator[str]:
        kind, start = f"<{lanes} x {self._kind}>", self._at(matrix, k)
        vector = self._column(k, lanes)
        for i in range(rows):
            row = self._load(kind, self._at(start, str(i * self._product.first[0])))
            yield self._multiply_add(lanes, row, vector, sums[i])

    def _column(self, k: str, lanes: int) -> str:
        """So many elements of the second matrix, which is a column, as a vector."""
        e, step, kind = self._e, self._product.second, f"<{lanes} x {self._kind}>"
        start = self._at(self._second, self._times(k, step))
        if step == 1:
            return self._load(kind, start)
        vector = "poison"
        for i in range(lanes):
            element = self._load(self._kind, self._at(start, str(i * step)))
            vector = e.let(f"insertelement {kind} {vector}, {self._kind} {element}, i32 {i}")
        return vector

    def _sum(self, lanes: int, vector: str) -> str:
        """The sum of the elements of a vector."""
        e, is_float = self._e, self._product.dtype.kind == "f"
        kind = f"<{lanes} x {self._kind}>"
        suffix = f"v{lanes}{'f' if is_float else 'i'}{self._product.dtype.numpy.itemsize * 8}"
        name = f"@llvm.vector.reduce.{'fadd' if is_float else 'add'}.{suffix}"
        given = [f"{self._kind} {self._e.number(0, self._product.dtype)}"] * is_float + [f"{kind} {vector}"]
        types = [self._kind] * is_float + [kind]
        e.declare(name, f"declare {self._kind} {name}({', '.join(types)})")
        return e.let(f"call {'reassoc ' * is_float}{self._kind} {name}({', '.join(given)})")

    # A matrix with a matrix

    def _rows(self, blocks: Sequence[tuple[int, int]], column: str, parts: Sequence[int]) -> None:
        start = 0
        for count, rows in blocks:
            for row in self._turns(start, count, rows):
                self._block(row, rows, column, parts)
            start += count * rows

    def _block(self, row: str, rows: int, column: str, parts: Sequence[int]) -> None:
        """The elements of some rows and columns; the columns as vectors of some lengths."""
        product, kinds = self._product, [f"<{lanes} x {self._kind}>" for lanes in parts]
        starts = [sum(parts[:j]) for j in range(len(parts))]
        place = self._at(self._result, self._e.let(f"add i64 {self._times(row, product.result)}, {column}"))
        places = [self._at(place, str(i * product.result + start)) for i in range(rows) for start in starts]
        pairs = list(zip(kinds * rows, places, strict=True))
        first = [self._load(*pair) if product.adds else "zeroinitializer" for pair in pairs]
        totals = [self._e.name() for _ in pairs]

        def add(pointers: Sequence[str], sums: Sequence[str]) -> None:
            elements, line = pointers
            vectors = [self._load(kind, self._at(line, str(start))) for kind, start in zip(kinds, starts, strict=True)]
            for i in range(rows):
                element = self._load(self._kind, self._at(elements, str(i * product.first[0])))
                for j, lanes in enumerate(parts):
                    n = i * len(parts) + j
                    text = self._multiply_add(lanes, self._splat(lanes, element), vectors[j], sums[n])
                    self._e.do(f"{totals[n]} = {text}")

        start = [self._at(self._first, self._times(row, product.first[0])), self._at(self._second, column)]
        nest = [*product.outer, (product.inner, product.first[1], product.second)]
        self._over(nest, start, [*zip(kinds * rows, first, totals, strict=True)], add)
        for (kind, target), total in zip(pairs, totals, strict=True):
            self._store(kind, total, target)

    def _over(
        self, nest: Sequence[tuple[int, int, int]], pointers: Sequence[str], carried: Sequence[tuple[str, str, str]],
        body: Callable[[Sequence[str], Sequence[str]], None]
    ) -> None:  # fmt: skip
        """Loops over inner axes, the outermost first; ``carried``: types, first values and last ones of the sums."""
        (count, *steps), *inside = nest
        sums = [self._e.name() for _ in carried]
        phis = [(kind, first, now, last) for (kind, first, last), now in zip(carried, sums, strict=True)]
        for k in self._turns(0, count, 1, phis):
            here = [self._at(each, self._times(k, step)) for each, step in zip(pointers, steps, strict=True)]
            if inside:
                self._over(inside, here, [(kind, now, last) for kind, _, now, last in phis], body)
            else:
                body(here, sums)

    # Both

    def _turns(
        self, start: int, count: int, step: int, carried: Sequence[tuple[str, str, str, str]] = ()
    ) -> Iterator[str]:
        """A loop, in which the register of its counter is given; a single turn is no loop if it carries nothing.

        ``carried``: the types of numbers and what they are at first, with their registers in a turn and after it.
        """
        if count == 0:
            return
        if count == 1 and not carried:
            yield str(start)
            return
        e = self._e
        head, after, before = e.new_label("turn"), e.new_label("end"), e.label
        e.jump(head)
        e.begin(head)
        index, following = e.name(), e.name()
        e.do(f"{index} = phi i64 [ {start}, %{before} ], [ {following}, %{head}.next ]")
        for kind, first, now, then in carried:
            e.do(f"{now} = phi {kind} [ {first}, %{before} ], [ {then}, %{head}.next ]")
        yield index
        e.jump(f"{head}.next")
        e.begin(f"{head}.next")
        e.do(f"{following} = add nuw nsw i64 {index}, {step}")
        e.branch(e.let(f"icmp eq i64 {following}, {start + count * step}"), after, head, e.AS_IT_IS)
        e.begin(after)

    def _times(self, index: str, stride: int) -> str:
        return index if stride == 1 else self._e.let(f"mul nsw i64 {index}, {stride}")

    def _at(self, pointer: str, offset: str) -> str:
        return pointer if offset == "0" else self._e.let(f"getelementptr {self._kind}, ptr {pointer}, i64 {offset}")

    def _load(self, kind: str, pointer: str) -> str:
        return self._e.let(f"load {kind}, ptr {pointer}, align {self._product.dtype.numpy.itemsize}")

    def _store(self, kind: str, register: str, pointer: str) -> None:
        self._e.do(f"store {kind} {register}, ptr {pointer}, align {self._product.dtype.numpy.itemsize}")

    def _splat(self, lanes: int, element: str) -> str:
        """A vector of an element alone."""
        kind = f"<{lanes} x {self._kind}>"
        one = self._e.let(f"insertelement {kind} poison, {self._kind} {element}, i32 0")
        return self._e.let(f"shufflevector {kind} {one}, {kind} poison, <{lanes} x i32> zeroinitializer")

    def _multiply_add(self, lanes: int, factor: str, vector: str, total: str) -> str:
        """The instruction for ``factor * vector + total`` of vectors."""
        e, kind = self._e, f"<{lanes} x {self._kind}>"
        if self._product.dtype.kind != "f":
            return f"add {kind} {e.let(f'mul {kind} {factor}, {vector}')}, {total}"
        name = f"@llvm.fmuladd.v{lanes}f{self._product.dtype.numpy.itemsize * 8}"
        e.declare(name, f"declare {kind} {name}({kind}, {kind}, {kind})")
        return f"call {kind} {name}({kind} {factor}, {kind} {vector}, {kind} {total})"


def _divided(size: int, most: int) -> list[tuple[int, int]]:
    """Blocks of as equal sizes as can be: how many there are of each size, the larger first."""
    count = -(-size // most)
    small, larger = divmod(size, count)
    return [(n, each) for n, each in ((larger, small + 1), (count - larger, small)) if n]
