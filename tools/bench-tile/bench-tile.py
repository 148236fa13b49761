#!/usr/bin/env python3
"""Times block-level reductions of `tx`, CUB and TIRx's algorithms on the GPU.

Writes a Markdown table of cycles per reduction and checks every result. Needs Python 3 with NumPy, `tx`
(next to this script or --tx), nvcc with CUB, and an NVIDIA GPU. With --device cpu, runs only the kernels of
`tx`, for a few rounds, and checks their results. Exit status 0: all correct; 1: a result is wrong; 2: the
benchmark could not run; 3: results are correct, but something did not compile or run.
"""

import argparse
import concurrent.futures
import datetime
import functools
import math
import os
import pathlib
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass

try:
    import numpy
except ImportError:
    sys.exit("bench-tile: this needs NumPy (Debian: apt-get install python3-numpy)")

HERE = pathlib.Path(__file__).resolve().parent

# The table maps each MLIR type to its C++ type and its NumPy type.
TYPES = {"f32": ("float", "f4"), "f16": ("__half", "f2"), "i32": ("int", "i4")}
KINDS = ["sum", "max", "argmax"]
# Numbers of threads in reductions of one value per thread. The first entry is a warp, and the
# others are blocks.
ONES = [32, 128, 256, 512, 1024]
# Each entry contains the shape of a tile, its reduced axes, and the block sizes.
TILES = [
    ((4, 8), (1,), (32,)),
    ((32, 32), (1,), (32, 128, 256)),
    ((32, 32), (0,), (32, 128, 256)),
    ((1, 4096), (1,), (128, 256)),
    ((64, 64), (1,), (128, 256)),
    ((8, 16, 2, 22), (-2, -1), (128, 256)),
]
# Implementations of a tile reduction with CUB. The table shows only the fastest of them.
CUB_TILE = {"cub-warp": "w", "cub-block": "b", "thread": "t"}
# Maximum time in seconds between two lines of output. After this time, the benchmark assumes that
# the kernel hangs.
SILENCE = 20


@dataclass(frozen=True)
class Row:
    """Row of the table: the reduction and its number of threads."""

    type: str
    kind: str
    threads: int
    shape: tuple = ()  # empty: one value per thread
    axes: tuple = ()

    @property
    def place(self):
        """Returns the name without type and kind."""
        if not self.shape:
            return f"one-{self.threads}"
        shape = "x".join(map(str, self.shape))
        return f"tile-{shape}-axis{'_'.join(str(a % len(self.shape)) for a in self.axes)}-t{self.threads}"

    @property
    def name(self):
        return f"{self.place}-{self.type}-{self.kind}"

    @property
    def folded(self):
        """Returns the shape as outer × reduced × inner. The reduced dimensions must be adjacent."""
        axes = sorted(a % len(self.shape) for a in self.axes)
        return (
            math.prod(self.shape[: axes[0]]),
            math.prod(self.shape[axes[0] : axes[-1] + 1]),
            math.prod(self.shape[axes[-1] + 1 :]),
        )

    @property
    def kept(self):
        axes = {a % len(self.shape) for a in self.axes}
        return tuple(n for i, n in enumerate(self.shape) if i not in axes)

    @property
    def elements(self):
        return math.prod(self.shape) if self.shape else 1

    @property
    def rounds(self):
        """Returns a small and a large number of rounds: one odd and one even, as inputs may alternate."""
        return (129, 2178) if self.shape else (257, 4354)


def all_rows():
    for kind in KINDS:
        for threads in ONES:
            for element in TYPES:
                yield Row(element, kind, threads)
        for shape, axes, blocks in TILES:
            for threads in blocks:
                for element in TYPES:
                    yield Row(element, kind, threads, shape, axes)


# Programs


def memref(shape, element, shared=False):
    return f"memref<{''.join(f'{n}x' for n in shape)}{element}{', #shared' if shared else ''}>"


def position(line, shape, name):
    """Returns ops that compute the indices of an element in a shape from its linear index."""
    stride = 1
    for i, extent in reversed(list(enumerate(shape))):
        yield f"    {name}_s{i} = arith.constant {stride} : index\n"
        yield f"    {name}_n{i} = arith.constant {extent} : index\n"
        yield f"    {name}_q{i} = arith.divui {line}, {name}_s{i} : index\n"
        yield f"    {name}{i} = arith.remui {name}_q{i}, {name}_n{i} : index\n"
        stride *= extent


def program(row):
    """Returns the kernel. Like bench.cu, it executes `n` rounds, each of which depends on the previous
    results.

    Tiles are indexed by row and column instead of a linear view, as in typical programs. The compiler can
    then determine which thread accesses which element.
    """
    e, t, kind = row.type, row.threads, row.kind
    arg = kind == "argmax"
    per_thread, indices = memref((t,), e), memref((t,), "i32")
    compare = "arith.cmpi sgt" if e == "i32" else "arith.cmpf ogt"
    attributions = prologue = ""
    if not row.shape:
        scope = "warp" if t == 32 else "cta"
        carried = f"%v = %x, %last = %x, %sum = %none) -> ({e}, {e}, i32)"
        reduce = (
            f"%r, %j = tile.all_reduce argmax %v, %id scope({scope}) : {e}, i32 -> {e}, i32"
            if arg
            else f"%r = tile.all_reduce {kind} %v scope({scope}) : {e} -> {e}"
        )
        store = ""
        next_value = "%w, "
        results = "%end:3"
        last, total = "%end#1", "%end#2"
    else:
        tile, into, into_i = memref(row.shape, e, True), memref(row.kept, e, True), memref(row.kept, "i32", True)
        count = math.prod(row.kept)
        attributions = f"\n      workgroup(%T: {tile}, %R: {into}{f', %J: {into_i}' if arg else ''})"
        dims, sizes = ", ".join(map(str, range(len(row.shape)))), ", ".join(map(str, row.shape))
        prologue = f"""\
    %from = memref.expand_shape %A [[{dims}]] output_shape [{sizes}]
        : {memref((row.elements,), e)} into {memref(row.shape, e)}
    tile.copy %from to %T scope(cta) : {memref(row.shape, e)} to {tile}
    %count = arith.constant {count} : index
    %highest = arith.constant {t - 1} : index
    %mirror = arith.subi %highest, %t : index
    %k = arith.remui %mirror, %count : index
"""
        prologue += "".join(position("%mirror", row.shape, "%d")) + "".join(position("%k", row.kept, "%k"))
        here, there = ([f"%{n}{i}" for i in range(len(s))] for n, s in (("d", row.shape), ("k", row.kept)))
        carried = f"%last = %x, %sum = %none) -> ({e}, i32)"
        axes = ", ".join(map(str, row.axes))
        reduce = f"tile.reduce {kind} %T into %R{', %J' if arg else ''} axes [{axes}] scope(cta)\n"
        reduce += f"          : {tile} into {into}{f', {into_i}' if arg else ''}\n"
        reduce += f"      %r = memref.load %R[{', '.join(there)}] : {into}"
        if arg:
            reduce += f"\n      %j = memref.load %J[{', '.join(there)}] : {into_i}"
        store = f"      memref.store %w, %T[{', '.join(here)}] : {tile}\n"
        next_value = ""
        results = "%end:2"
        last, total = "%end#0", "%end#1"
    more = "%sum2 = arith.addi %sum, %j : i32" if arg else "%sum2 = arith.constant 0 : i32"
    types = f"{e}, {e}, i32" if next_value else f"{e}, i32"
    return f"""\
#shared = #gpu.address_space<workgroup>
gpu.module @kernels {{
  gpu.func @bench(%A: {memref((row.elements,), e)}, %a: {per_thread}, %b: {per_thread},
                  %V: {per_thread}, %I: {indices}, %n: index){attributions}
      kernel attributes {{known_block_size = array<i32: {t}, 1, 1>}} {{
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %none = arith.constant 0 : i32
    %zero = arith.constant {'0' if e == 'i32' else '0.0'} : {e}
    %t = gpu.thread_id x
    %id = arith.index_cast %t : index to i32
    %x = memref.load %a[%t] : {per_thread}
    %y = memref.load %b[%t] : {per_thread}
{prologue}    {results} = scf.for %i = %c0 to %n step %c1 iter_args({carried} {{
      {reduce}
      {more}
      %positive = {compare}, %r, %zero : {e}
      %w = arith.select %positive, %x, %y : {e}
{store}      scf.yield {next_value}%r, %sum2 : {types}
    }}
    memref.store {last}, %V[%t] : {per_thread}
    memref.store {total}, %I[%t] : {indices}
    gpu.return
  }}
}}
"""


# Data and expected results


def data(row):
    """Returns the tile, and two values for each thread, as small integers.

    Sums are exact in f16 in any order, so that results can be compared bit by bit. The values make the sign
    of a result change from round to round.
    """
    random = numpy.random.default_rng(sum(map(ord, row.name)))
    length = row.folded[1] if row.shape else row.threads
    if row.kind == "sum":
        limit = max(1, min(50, 2048 // length))

        def balanced(n, total):
            half = random.integers(-limit, limit + 1, n // 2)
            values = numpy.stack([half, -half], axis=1).ravel()
            values[0] += total
            return values

        if row.shape:
            tile = random.integers(-limit, limit + 1, row.elements)
            x, y = (random.integers(0, limit + 1, row.threads) * sign for sign in (-1, 1))
            high, low = tile.copy(), tile.copy()
            high[: row.threads] = numpy.maximum(high[: row.threads], y[::-1])
            low[: row.threads] = numpy.minimum(low[: row.threads], x[::-1])
            for bound in (high, -low):
                assert numpy.maximum(bound, 0).reshape(row.folded).sum(1).max() <= 2048
        else:
            tile = numpy.zeros(1, "i8")
            x, y = balanced(row.threads, -1), balanced(row.threads, 1)
            y[0] = x[0] + 2
            y[1] += 1 - y.sum()
            assert max(numpy.maximum(v, 0).sum() for v in (x, -x, y, -y)) <= 2048
    else:
        tile = random.integers(-50, 0, row.elements)
        x = random.integers(-50, 0, row.threads)
        y = random.integers(-50, 50, row.threads)
        y[0] = 7
    return tuple(v.astype("i4") for v in (tile, x, y))


def reference(row, rounds, inputs, first=False):
    """Returns the last result of each thread, and the sum of all its argmax indices.

    With `first`, only thread 0 receives results; the other threads keep their initial values.
    """
    tile, x, y = inputs
    sums = numpy.zeros(row.threads, "i4")
    shape = row.folded if row.shape else (1, row.threads, 1)
    if row.shape:
        # Thread `t` overwrites element `threads - 1 - t`.
        values = tile.copy()
        changed = values[: row.threads][::-1]
    else:
        values = x.copy()
        changed = values[:1] if first else values
    k = numpy.arange(row.threads)[::-1] % (shape[0] * shape[2])
    view = values.reshape(shape)
    for _ in range(rounds):
        if row.kind == "argmax":
            # The lowest index among equal elements, as in NumPy.
            index = view.argmax(1)
            r = numpy.take_along_axis(view, index[:, None], 1).ravel()[k]
            sums += index.ravel().astype("i4")[k]
        else:
            r = (view.sum(1, dtype="i4") if row.kind == "sum" else view.max(1)).ravel()[k]
        changed[:] = numpy.where(r > 0, x, y)[: len(changed)]
    return r, sums


# Building


def prepare(row, tx, chip, folder):
    """Compiles a row's kernel and writes its data. Returns the compile error or None."""
    source = folder / f"{row.name}.mlir"
    source.write_text(program(row))
    inputs = data(row)
    element = TYPES[row.type][1]
    parts = [v.astype(element) for v in inputs]
    for first in (False, True):
        for rounds in row.rounds:
            values, sums = reference(row, rounds, inputs, first and not row.shape)
            parts += [values.astype(element), sums]
    (folder / f"{row.name}.bin").write_bytes(b"".join(part.tobytes() for part in parts))
    command = [tx, "compile", source, "--chip", chip, "-o", folder / f"{row.name}.ptx"]
    return trouble(command)


def trouble(command, limit=300):
    """Runs a command. Returns the first line of its error message or None."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit)
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    if done.returncode == 0:
        return None
    lines = (done.stderr + done.stdout).strip().splitlines() or ["no message"]
    line = next((line for line in lines if "error" in line), lines[0])
    return f"exit status {done.returncode}: {line.strip()}"


def build_program(nvcc, folder, chip, rows):
    """Compiles bench.cu and links the parts that compile. Returns the program or None, and the errors."""
    places = {row.place: row for row in rows}
    lines = []
    for place, row in places.items():
        if row.shape:
            outer, length, inner = row.folded
            lines.append(f'TILE("{place}", {outer}, {length}, {inner}, {row.threads})\n')
        else:
            lines.append(f'ONE("{place}", {row.threads})\n')
    (folder / "rows.inc").write_text("".join(lines))
    base = [nvcc, "-O3", "-std=c++17", f"-arch={chip}", f"-I{folder}"]
    jobs = {"main": []}
    for element in sorted({row.type for row in rows}):
        for kind in sorted({row.kind for row in rows}):
            jobs[f"{element}-{kind}"] = [
                f"-DELEMENT={TYPES[element][0]}",
                f'-DTYPE="{element}"',
                f"-DKIND={KINDS.index(kind)}",
                f'-DKIND_NAME="{kind}"',
            ]

    def build(job):
        return trouble(base + jobs[job] + ["-c", HERE / "bench.cu", "-o", folder / f"{job}.o"])

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        wrong = {job: why for job, why in zip(jobs, pool.map(build, jobs)) if why}
    if "main" in wrong:
        return None, wrong
    objects = [folder / f"{job}.o" for job in jobs if job not in wrong]
    why = trouble([nvcc, f"-arch={chip}", *objects, "-ldl", "-o", folder / "bench"])
    if why:
        return None, {"link": why}
    return folder / "bench", wrong


# Measuring


@dataclass
class Timing:
    median: float
    low: float
    high: float


class Results:
    def __init__(self):
        self.device = "?"
        self.multiprocessors = 0
        self.driver = 0
        self.cub = "?"
        self.clocks = []
        self.latency = {}  # (row, way): Timing
        self.throughput = {}
        self.resident = {}
        self.trouble = {}  # (row, way): text
        self.checked = 0

    def line(self, text):
        """Parses a line of the program's output."""
        words = text.rstrip("\n").split("\t")
        what = words[0]
        if what == "device":
            self.device, self.multiprocessors, self.driver = words[1], int(words[2]), int(words[3])
            self.cub = words[4]
        elif what == "result":
            self.checked += 1
            if words[3] != "ok":
                self.trouble[words[1], words[2]] = words[3]
        elif what == "clock":
            self.clocks.append(float(words[2]))
        elif what in ("latency", "throughput"):
            key = words[1], words[2]
            getattr(self, what)[key] = Timing(*map(float, words[3:6]))
            self.resident[key] = int(words[6])


def measure(program, folder, rows, results):
    """Runs the program; after a fault, runs it again without the failed kernel. Returns the error or None."""
    todo = list(rows)
    skip = {row.name: set() for row in rows}
    listing = folder / "rows.txt"
    for _ in range(40):
        lines = []
        for row in todo:
            size = numpy.dtype(TYPES[row.type][1]).itemsize
            words = [row.name, row.elements, row.threads, size, *row.rounds, *skip[row.name]]
            lines.append(" ".join(map(str, words)) + "\n")
        listing.write_text("".join(lines))
        process = subprocess.Popen([program, folder, listing], stdout=subprocess.PIPE, bufsize=0)
        at, why, pending, ended, silent = None, "", b"", False, False
        while True:
            if not select.select([process.stdout], [], [], SILENCE)[0]:
                process.kill()
                silent = True
                break
            chunk = os.read(process.stdout.fileno(), 1 << 16)
            if not chunk:
                break
            *whole, pending = (pending + chunk).split(b"\n")
            for line in (line.decode(errors="replace") for line in whole):
                words = line.split("\t")
                if words[0] == "begin":
                    at = words[1], words[2]
                elif words[0] == "done":
                    todo = [row for row in todo if row.name != words[1]]
                    progress(len(rows) - len(todo), len(rows))
                elif words[0] == "fault":
                    why = words[1]
                elif words[0] == "end":
                    ended = True
                results.line(line)
        status = process.wait()
        if ended and status == 0:
            return None
        why = why or (f"no end after {SILENCE} s" if silent else f"exit status {status}")
        if at is None or at[1] in skip.get(at[0], {at[1]}):
            return why
        print(f"\nbench-tile: {at[0]}, {at[1]}: {why}", file=sys.stderr)
        results.trouble[at] = f"failed: {why}"
        skip[at[0]].add(at[1])
    return "too many faults"


def progress(done, of):
    if sys.stderr.isatty() or done % 27 == 0 or done == of:
        print(f"\r{done} of {of} rows", end="", file=sys.stderr, flush=True)
    if done == of:
        print(file=sys.stderr)


# Chosen variants


def chosen(row, tx, folder):
    """Returns the variant that `tx explain` reports; None if the command is unavailable."""
    try:
        done = subprocess.run(
            [tx, "explain", folder / f"{row.name}.mlir"], capture_output=True, text=True, timeout=60
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    if done.returncode != 0:
        return None
    found = re.search(r"variant [`'\"](\w+)[`'\"]|(\w+) \(priority -?\d+\):.*chosen", done.stdout + done.stderr)
    return found and (found[1] or found[2])


# The table


def cell(results, table, row, way):
    key = row.name, way
    if key in table:
        return f"{table[key].median:.0f}"
    text = results.trouble.get(key)
    if text is None:
        return ""
    return "**WRONG**" if text.startswith("WRONG") else "failed"


def best(table, row, ways):
    """Returns the fastest of some implementations, or None."""
    there = [way for way in ways if (row.name, way) in table]
    return min(there, key=lambda way: table[row.name, way].median, default=None)


def spread(table, row, ways):
    """Returns half of the 10th-to-90th percentile range in %, the maximum over the implementations of a
    row."""
    shares = [
        (t.high - t.low) / 2 / t.median
        for t in (table.get((row.name, way)) for way in ways)
        if t and t.median > 0
    ]
    return f"{100 * max(shares):.1f}" if shares else ""


def ratio(table, row, others):
    """Returns the time of the fastest of some implementations, divided by the time of tx."""
    way = best(table, row, others)
    if way is None or (row.name, "tx") not in table:
        return None
    ours = table[row.name, "tx"].median
    return table[row.name, way].median / ours if ours > 0 else None


def show(value):
    return "" if value is None else f"{value:.2f}"


def section(results, table, rows, tiles, variants):
    if tiles:
        head = ["tile", "axes", "threads", "type", "kind", "tx", "TIRx", "CUB", "CUB's way", "TIRx/tx", "CUB/tx", "±%"]
        if variants:
            head.append("variant")
    else:
        head = ["threads", "type", "kind", "tx", "TIRx", "CUB, all", "CUB, first", "TIRx/tx", "CUB/tx", "±%"]
    texts = ("type", "kind", "tile", "axes", "CUB's way", "variant")
    lines = [head, ["---" if name in texts else "--:" for name in head]]
    for row in rows:
        value = functools.partial(cell, results, table, row)
        ours = [value("tx"), value("tirx")]
        if tiles:
            ways = list(CUB_TILE)
            way = best(table, row, ways)
            bad = [w for w in ways if (row.name, w) in results.trouble]
            cub = value(way) if way else (value(bad[0]) if bad else "")
            tried = "".join(CUB_TILE[w] for w in ways if (row.name, w) in table and w != way)
            how = (CUB_TILE[way] + (f" (of {CUB_TILE[way]}{tried})" if tried else "")) if way else ""
            if way and bad:
                how += "; " + ", ".join(f"{CUB_TILE[w]} {value(w)}" for w in bad)
            words = ["×".join(map(str, row.shape)), " ".join(map(str, row.axes)), row.threads, row.type, row.kind]
            words += [*ours, cub, how, show(ratio(table, row, ["tirx"])), show(ratio(table, row, ways))]
            words.append(spread(table, row, ["tx", "tirx"] + ([way] if way else [])))
            if variants:
                words.append(variants.get(row.name) or "")
        else:
            words = [row.threads, row.type, row.kind, *ours, value("cub-all"), value("cub-first")]
            words += [show(ratio(table, row, ["tirx"])), show(ratio(table, row, ["cub-all"]))]
            words.append(spread(table, row, ["tx", "tirx", "cub-all", "cub-first"]))
        lines.append(list(map(str, words)))
    return "".join("| " + " | ".join(words) + " |\n" for words in lines)


def mean(values):
    values = [value for value in values if value]
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None


def summary(results, rows):
    """Returns the geometric means of the ratios, and the rows in which tx is slower."""
    lines = "| benchmark | kind | rows | TIRx/tx | CUB/tx | rows where tx is slower |\n|---|---|--:|--:|--:|--:|\n"
    slower = []
    for table, mode in ((results.latency, "latency"), (results.throughput, "throughput")):
        for tiles in (False, True):
            cub = list(CUB_TILE) if tiles else ["cub-all"]
            for kind in KINDS:
                some = [row for row in rows if bool(row.shape) == tiles and row.kind == kind]
                measured = [row for row in some if (row.name, "tx") in table]
                # Differences below 3 % are noise.
                lost = [r for r in measured if (ratio(table, r, ["tirx", *cub]) or 1) < 0.97]
                slower += [(ratio(table, r, ["tirx", *cub]), mode, r, best(table, r, ["tirx", *cub])) for r in lost]
                means = [show(mean([ratio(table, r, ways) for r in measured])) for ways in (["tirx"], cub)]
                what = "tiles" if tiles else "one value per thread"
                words = [f"{what}, {mode}", kind, len(measured), *means, len(lost)]
                if some:
                    lines += "| " + " | ".join(map(str, words)) + " |\n"
    if slower:
        lines += "\nRows where `tx` is slower, the slowest first:\n\n"
        for share, mode, row, way in sorted(slower, key=lambda entry: entry[0]):
            lines += f"- `{row.name}`, {mode}: {way} takes {share:.2f} of the time\n"
    return lines


METHOD = """\
The unit is SM clock cycles per reduction, including the loop around the reduction, which is the same for all
programs. Each reduction of a kernel needs the result of the previous reduction. The time per reduction is the
difference between kernels with many and with few reductions, measured by CUDA events. A kernel that counts
cycles measures the clock rate before and after each row.

* **Latency**: one block on the whole GPU; median of {latency} runs.
* **Throughput**: the maximum number of resident blocks on every SM; median of {throughput} runs.
* **±%**: half of the distance between the 10th and the 90th percentile, the largest of the row.
* **Check**: every result is compared with NumPy's bits; the inputs are small integers.

The programs run alternately:

* **tx** runs `tile.all_reduce` or `tile.reduce` with compiler-inserted barriers. Every thread reads the
  result. f16 sums accumulate in f32. `tx compile` writes PTX, which the driver assembles.
* **TIRx**: the algorithms of TVM's tile language, written in CUDA from their description. TIRx uses shuffles
  in a warp, and two barriers and a scratch buffer in a block. For tiles, at most 32 threads per result use
  shuffles under `__activemask()`, followed by a barrier of the block or warp. Two scratch buffers are used in
  turn, because no barrier precedes the first write. TIRx accumulates in the element type and has no `argmax`.
* **CUB** {cub}: `WarpReduce` or `BlockReduce`, with `ArgMax` on key-value pairs for `argmax`. f16 sums
  accumulate in f32.
* **CUB, all**: every thread reads the result, as in tx and TIRx, by a shuffle or by shared memory and a
  barrier. **CUB, first**: only thread 0 reads the result.
* **CUB on tiles**: the fastest of **w** (a warp, or a power of two of lanes for shorter rows, per result),
  **b** (a block per result, if rows are as long as the block) and **t** (a thread per result). Each thread
  first combines every *k*-th element.

One iteration on a tile reduces into shared memory, passes a barrier, reads a result in each thread,
overwrites an element of the tile, and passes another barrier. Empty cells mean that the program does not
support the shape.
"""


def report(results, rows, variants, build_trouble, took):
    text = "# Reductions inside a block\n\n"
    text += f"{results.device}, {results.multiprocessors} multiprocessors"
    if results.clocks:
        text += f", {min(results.clocks):.0f}–{max(results.clocks):.0f} MHz"
    text += f"; driver for CUDA {results.driver // 1000}.{results.driver % 1000 // 10}; "
    text += f"{datetime.date.today().isoformat()}; {took:.0f} s.\n\n"
    text += METHOD.format(latency=15, throughput=7, cub=results.cub)
    text += "\n## Summary\n\nGeometric means of the time of the other program divided by the time of `tx`. `tx` is faster where a mean is\nabove 1.\n\n"
    text += summary(results, rows)
    for tiles in (False, True):
        for table, mode in ((results.latency, "latency"), (results.throughput, "throughput")):
            some = [row for row in rows if bool(row.shape) == tiles]
            if some:
                text += f"\n## {'Tiles in shared memory' if tiles else 'One value per thread'}: {mode}\n\n"
                text += section(results, table, some, tiles, variants)
    failures = [f"- bench.cu, {job}: {why}\n" for job, why in sorted(build_trouble.items())]
    failures += [f"- {row}, {way}: {why}\n" for (row, way), why in sorted(results.trouble.items())]
    if failures:
        text += "\n## Wrong results and failures\n\n" + "".join(failures)
    return text




def run_on_cpu(row, tx, folder):
    """Runs a kernel on the CPU for a few rounds, with all barriers and shuffles. Returns the error or
    None."""
    source = folder / f"{row.name}.mlir"
    source.write_text(program(row))
    inputs = data(row)
    element = TYPES[row.type][1]
    arrays = [v.astype(element) for v in inputs]
    arrays += [numpy.full(row.threads, 77, element), numpy.full(row.threads, 77, "i4")]
    for rounds in (2, 3):
        command = [tx, "run", source, "--device", "cpu"]
        for i, array in enumerate(arrays):
            path = folder / f"{row.name}.{i}.npy"
            numpy.save(path, array)
            command += ["--arg", path]
        outs = [folder / f"{row.name}.out{i}.npy" for i in (3, 4)]
        command += ["--arg", str(rounds)]
        for i, out in zip((3, 4), outs):
            command += ["--out", f"{i}={out}"]
        why = trouble(command)
        if why:
            return why
        values, sums = reference(row, rounds, inputs)
        got = [numpy.load(out) for out in outs]
        for name, have, want in (("values", got[0], values.astype(element)), ("indices", got[1], sums)):
            if have.tobytes() != want.tobytes():
                return f"WRONG {name} after {rounds} rounds: {have[:4]}…, expected {want[:4]}…"
    return None


def check_on_cpu(rows, tx, folder):
    wrong = failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for row, why in zip(rows, pool.map(lambda row: run_on_cpu(row, tx, folder), rows)):
            # Exit status 1 of tx means that tx rejected the program, not that a result is wrong.
            wrong += bool(why) and not why.startswith("exit status 1:")
            failed += bool(why)
            print(f"{'ok    ' if not why else 'FAILED'} {row.name}{f': {why}' if why else ''}", flush=True)
    print(f"bench-tile: {len(rows)} kernels on the CPU, {failed} failed")
    return 1 if wrong else 3 if failed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=pathlib.Path, default="table.md", help="output file (default: table.md)")
    parser.add_argument("--tx", type=pathlib.Path, default=HERE / "tx", help="path of tx (default: next to this script)")
    parser.add_argument("--nvcc", help="path of nvcc (default: from PATH, or /usr/local/cuda/bin)")
    parser.add_argument("--chip", default="sm_90", help="target chip (default: sm_90)")
    parser.add_argument("--device", choices=["cuda", "cpu"], default="cuda", help="cpu: only check the results of tx")
    parser.add_argument("--filter", default="", help="run only rows whose names match this regular expression")
    parser.add_argument("--keep", type=pathlib.Path, help="directory in which programs, PTX and data are kept")
    options = parser.parse_args()
    rows = [row for row in all_rows() if re.search(options.filter, row.name)]
    if not rows:
        print(f"bench-tile: no row has a name that matches {options.filter!r}", file=sys.stderr)
        return 2
    tx = options.tx.resolve()
    if not tx.exists():
        print(f"bench-tile: no {tx}; see --tx", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        folder = folder.resolve()
        if options.device == "cpu":
            return check_on_cpu(rows, tx, folder)
        return bench(rows, tx, folder, options)


def bench(rows, tx, folder, options):
    start = time.monotonic()
    nvcc = options.nvcc or shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
    results = Results()
    with concurrent.futures.ProcessPoolExecutor(os.cpu_count()) as pool:
        # The jobs must be submitted before any thread starts, because the process pool forks this
        # process.
        prepared = pool.map(prepare, rows, *([value] * len(rows) for value in (tx, options.chip, folder)))
        program, build_trouble = build_program(nvcc, folder, options.chip, rows)
        for row, why in zip(rows, prepared):
            if why:
                results.trouble[row.name, "tx"] = f"does not compile: {why}"
    print(f"bench-tile: built in {time.monotonic() - start:.0f} s", file=sys.stderr, flush=True)
    for job, why in build_trouble.items():
        print(f"bench-tile: bench.cu, {job}: {why}", file=sys.stderr)
    if program is None:
        return 2
    variants = {}
    if chosen(rows[-1], tx, folder):
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            tiles = [row for row in rows if row.shape]
            variants = dict(zip([row.name for row in tiles], pool.map(lambda row: chosen(row, tx, folder), tiles)))
    why = measure(program, folder, rows, results)
    table = report(results, rows, variants, build_trouble, time.monotonic() - start)
    if why:
        table += f"\nThe run stopped early: {why}\n"
    options.out.write_text(table)
    wrong = sum(text.startswith("WRONG") for text in results.trouble.values())
    print(table)
    print(
        f"bench-tile: {len(results.latency)} ways timed in {len(rows)} rows, {wrong} WRONG, "
        f"{len(results.trouble) - wrong + len(build_trouble)} failed"
        f"{f', stopped early: {why}' if why else ''}; {options.out} ({time.monotonic() - start:.0f} s)"
    )
    return 1 if wrong else 3 if results.trouble or build_trouble or why else 0


if __name__ == "__main__":
    sys.exit(main())
