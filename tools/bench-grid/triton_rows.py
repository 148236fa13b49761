"""Triton kernel for rows, in a file of its own: Triton reads the source of a kernel from its file."""

import triton
import triton.language as tl


@triton.jit
def rows_kernel(x, y, rows, columns: tl.constexpr, TOGETHER: tl.constexpr, WIDTH: tl.constexpr, MAXIMUM: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * TOGETHER + tl.arange(0, TOGETHER)
    if MAXIMUM:
        total = tl.full([TOGETHER, WIDTH], float("-inf"), tl.float32)
    else:
        total = tl.zeros([TOGETHER, WIDTH], tl.float32)
    for begin in range(0, columns, WIDTH):
        column = begin + tl.arange(0, WIDTH)
        inside = (row[:, None] < rows) & (column[None, :] < columns)
        loaded = tl.load(x + row[:, None] * columns + column[None, :], mask=inside, other=float("-inf") if MAXIMUM else 0.0)
        if MAXIMUM:
            total = tl.maximum(total, loaded.to(tl.float32))
        else:
            total += loaded.to(tl.float32)
    if MAXIMUM:
        tl.store(y + row, tl.max(total, 1), mask=row < rows)
    else:
        tl.store(y + row, tl.sum(total, 1), mask=row < rows)
