"""How `ai.vectors` becomes machine code: a thin writer of LLVM instructions on vectors of float32."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from llvmlite import ir  # type: ignore[import-untyped]  # it publishes no types
from numba import types
from numba.extending import intrinsic

FLOAT, INT = ir.FloatType(), ir.IntType(64)
_LANE = ir.IntType(32)

Compiling: TypeAlias = Any
"""What Numba and LLVM pass around while they compile; they publish no types for it."""


Body = Callable[[Compiling, Compiling], Compiling]


class Writer:
    """Writes one function's machine code: `arguments` are arrays' data pointers, or numbers as they are."""

    def __init__(self, context: Compiling, builder: Compiling, kinds: Compiling, arguments: Compiling) -> None:
        self.b = builder
        self.arguments = [
            context.make_array(kind)(context, builder, value).data if isinstance(kind, types.Array) else value
            for kind, value in zip(kinds, arguments, strict=True)
        ]

    def zeros(self, lanes: int) -> Compiling:
        """That many zeros."""
        return ir.Constant(ir.VectorType(FLOAT, lanes), [0.0] * lanes)

    def place(self, data: Compiling, index: Compiling, lanes: int) -> Compiling:
        """Where so many lanes lie from `index` on."""
        return self.b.bitcast(self.b.gep(data, [index]), ir.VectorType(FLOAT, lanes).as_pointer())

    def load(self, data: Compiling, index: Compiling, lanes: int) -> Compiling:
        """So many lanes from `index` on."""
        return self.b.load(self.place(data, index, lanes), align=4)

    def store(self, value: Compiling, data: Compiling, index: Compiling) -> None:
        """Writes a vector's lanes from `index` on."""
        self.b.store(value, self.place(data, index, value.type.count), align=4)

    def number(self, data: Compiling, index: Compiling) -> Compiling:
        """One element."""
        return self.b.load(self.b.gep(data, [index]))

    def spread(self, value: Compiling, lanes: int) -> Compiling:
        """The same number in every lane."""
        none = ir.Constant(ir.VectorType(FLOAT, lanes), ir.Undefined)
        first = self.b.insert_element(none, value, _LANE(0))
        return self.b.shuffle_vector(first, none, ir.Constant(ir.VectorType(_LANE, lanes), [0] * lanes))

    def row(self, number: Compiling, lanes: int) -> Compiling:
        """Where a row of so many lanes begins."""
        return self.b.mul(number, INT(lanes))

    def tree_sum(self, value: Compiling) -> Compiling:
        """The sum of all lanes, halves added to each other (vectors.tree_sum)."""
        while value.type.count > 1:
            half = value.type.count // 2
            halves = [
                self.b.shuffle_vector(value, value, ir.Constant(ir.VectorType(_LANE, half), list(range(k, k + half))))
                for k in (0, half)
            ]
            value = self.b.fadd(*halves)
        return self.b.extract_element(value, _LANE(0))

    def above_zero(self, value: Compiling) -> Compiling:
        """Which lanes are above zero."""
        return self.b.fcmp_ordered(">", value, self.zeros(value.type.count))

    def relu(self, value: Compiling) -> Compiling:
        """The lanes above zero, others zero."""
        return self.b.select(self.above_zero(value), value, self.zeros(value.type.count))

    def positive(self, data: Compiling, start: int) -> Compiling:
        """Which of 64 values from `start` on are above zero, as bits."""
        bits = []
        for part in (start, start + 32):
            above = self.above_zero(self.load(data, INT(part), 32))
            bits.append(self.b.zext(self.b.bitcast(above, _LANE), INT))
        return self.b.or_(bits[0], self.b.shl(bits[1], INT(32)))

    def count(self, start: Compiling, stop: Compiling, carried: Compiling, body: Body) -> Compiling:
        """`for k in range(start, stop): carried = body(k, carried)`; answers what is carried at the end."""

        def step(k: Compiling, carried: Compiling) -> Compiling:
            return self.b.add(k, INT(1)), body(k, carried)

        return self._loop(start, carried, lambda k: self.b.icmp_signed("<", k, stop), step)

    def each_bit(self, bits: Compiling, start: int, carried: Compiling, body: Body) -> Compiling:
        """`carried = body(start + place, carried)` for the place of every set bit, ascending."""

        def step(left: Compiling, carried: Compiling) -> Compiling:
            place = self.b.add(self.b.cttz(left, ir.Constant(ir.IntType(1), 1)), INT(start))
            return self.b.and_(left, self.b.sub(left, INT(1))), body(place, carried)

        return self._loop(bits, carried, lambda left: self.b.icmp_signed("!=", left, INT(0)), step)

    def _loop(
        self, number: Compiling, carried: Compiling, goes_on: Callable[[Compiling], Compiling], step: Callable[..., Any]
    ) -> Compiling:
        b = self.b
        before, head = b.block, b.append_basic_block("head")
        inside, done = b.append_basic_block("inside"), b.append_basic_block("done")
        b.branch(head)
        b.position_at_end(head)
        numbers, values = b.phi(INT), b.phi(carried.type)
        numbers.add_incoming(number, before)
        values.add_incoming(carried, before)
        b.cbranch(goes_on(numbers), inside, done)
        b.position_at_end(inside)
        next_number, next_value = step(numbers, values)
        numbers.add_incoming(next_number, b.block)
        values.add_incoming(next_value, b.block)
        b.branch(head)
        b.position_at_end(done)
        return values


def code_of(write: Callable[[Writer], Any], answers: Compiling = types.void) -> Compiling:
    """What `write` writes, as a function for kernels; it takes one tuple of arrays, int64 and float32 numbers."""

    @intrinsic
    def call(_typing: Compiling, arguments: Compiling) -> Compiling:
        taken = types.Tuple([_plain(kind) for kind in arguments])  # type: ignore[no-untyped-call]

        def generate(context: Compiling, builder: Compiling, _signature: Compiling, values: Compiling) -> Compiling:
            numbers = [builder.extract_value(values[0], place) for place in range(len(taken))]
            answer = write(Writer(context, builder, taken, numbers))
            return context.get_dummy_value() if answer is None else answer

        return answers(taken), generate

    return call


def _plain(kind: Compiling) -> Compiling:
    if isinstance(kind, types.Integer):
        return types.int64
    return types.float32 if isinstance(kind, types.Float) else kind
