#!/usr/bin/env python3
"""Benchmarks grid-level reductions of `tx`, CUB, PyTorch and Triton on the same inputs, in one run.

    bench-grid.py --tx ./tx --out FOLDER [--only TEXT] [--inductor]

Needs nvcc, PyTorch and Triton. Each time is the median of 15 runs after three warm-up runs; programs below
100 µs run in a CUDA graph. GB/s count the bytes read and written. Sums are compared with float64, other
results exactly. Writes FOLDER/results.json, FOLDER/table.md and, with matplotlib, FOLDER/plot.svg and
FOLDER/plot.png; prints the table.
"""

import argparse
import ctypes
import functools
import importlib.util
import itertools
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import torch

from launch import Program

HERE = pathlib.Path(__file__).resolve().parent
GIB = 1 << 30
TYPES = {
    "f32": torch.float32, "f64": torch.float64, "f16": torch.float16, "bf16": torch.bfloat16,
    "i32": torch.int32, "i8": torch.int8, "i64": torch.int64,
}
# Number of copies of a large input, and the minimum size of a large input in bytes. Consecutive
# launches read different copies. If all launches read the same input of 1 GiB, up to 5 % of the
# loads would hit in the L2 cache (H200, evict-first loads).
COPIES, LARGE = 3, 64 << 20
SIZES = {name: torch.empty(0, dtype=kind).element_size() for name, kind in TYPES.items()}
# Relative tolerance of a result of each type. It covers the rounding error of the type.
TOLERANCE = {"f32": 1e-5, "f64": 1e-12, "f16": 1e-3, "bf16": 8e-3, "i32": 0, "i8": 0}


# Custom combiners. Each entry contains the number of results, and the MLIR text after the axes.
WRITTEN = {
    # Mean and variance by Welford's algorithm.
    "welford": (2, """
    identity [0.0 : f32, 0.0 : f32, 0.0 : f32] combiner {
  ^bb0(%ma: f32, %sa: f32, %na: f32, %mb: f32, %sb: f32, %nb: f32):
    %one = arith.constant 1.0 : f32
    %n = arith.addf %na, %nb : f32
    %some = arith.maximumf %n, %one : f32
    %delta = arith.subf %mb, %ma : f32
    %share = arith.divf %nb, %some : f32
    %step = arith.mulf %delta, %share : f32
    %m = arith.addf %ma, %step : f32
    %cross = arith.mulf %na, %step : f32
    %square = arith.mulf %delta, %cross : f32
    %both = arith.addf %sa, %sb : f32
    %s = arith.addf %both, %square : f32
    tile.yield %m, %s, %n : f32, f32, f32
  } element {
  ^bb0(%x: f32, %i: index, %j: index):
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    tile.yield %x, %zero, %one : f32, f32, f32
  } epilogue {
  ^bb0(%m: f32, %s: f32, %n: f32, %i: index):
    %v = arith.divf %s, %n : f32
    tile.yield %m, %v : f32, f32
  }"""),
    # The log-sum-exp combiner scales its sum by the running maximum. The difference of two equal
    # infinities is NaN, which `minnumf` replaces by 0.
    "logsumexp": (1, """
    identity [0xFF800000 : f32, 0.0 : f32] combiner {
  ^bb0(%ma: f32, %sa: f32, %mb: f32, %sb: f32):
    %zero = arith.constant 0.0 : f32
    %m = arith.maximumf %ma, %mb : f32
    %d = arith.subf %ma, %mb : f32
    %distance = math.absf %d : f32
    %below = arith.negf %distance : f32
    %smaller = arith.minnumf %below, %zero : f32
    %e = math.exp %smaller : f32
    %a_is_larger = arith.cmpf ogt, %ma, %mb : f32
    %of_larger = arith.select %a_is_larger, %sa, %sb : f32
    %of_smaller = arith.select %a_is_larger, %sb, %sa : f32
    %s = math.fma %of_smaller, %e, %of_larger : f32
    tile.yield %m, %s : f32, f32
  } element {
  ^bb0(%x: f32, %i: index, %j: index):
    %one = arith.constant 1.0 : f32
    tile.yield %x, %one : f32, f32
  } epilogue {
  ^bb0(%m: f32, %s: f32, %i: index):
    %l = math.log %s : f32
    %r = arith.addf %m, %l : f32
    tile.yield %r : f32
  }"""),
    # Sum of squares with a custom combiner.
    "squares": (1, """
    identity [-0.0 : f32] combiner {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tile.yield %s : f32
  } element {
  ^bb0(%x: f32, %i: index, %j: index):
    %s = arith.mulf %x, %x : f32
    tile.yield %s : f32
  }"""),
}


class Case:
    """Reduction of an array, as MLIR text and as PyTorch calls."""

    def __init__(self, group, shape, axes, kind="sum", type="f32", free=(0,), target=None, determinism=None):
        self.group, self.shape, self.axes, self.kind, self.type = group, shape, axes, kind, type
        self.free, self.target, self.determinism = free, target, determinism
        self.kept = [n for d, n in enumerate(shape) if d not in axes]

    @property
    def name(self):
        dimensions = "x".join("?" + str(n) if d in self.free else str(n) for d, n in enumerate(self.shape))
        how = f", {self.determinism}" if self.determinism else ""
        return f"{self.kind} {dimensions}x{self.type} over {','.join(map(str, self.axes))}{how}"

    def text(self):
        sizes = ["?" if d in self.free else str(n) for d, n in enumerate(self.shape)]
        memref = lambda parts, type: f"memref<{''.join(part + 'x' for part in parts)}{type}>"
        source = memref(sizes, self.type)
        kept = [part for d, part in enumerate(sizes) if d not in self.axes]
        count, written = WRITTEN.get(self.kind, (1, ""))
        results = [memref(kept, self.type)] * count + ([memref(kept, "i64")] if self.kind == "argmax" else [])
        names = ["%B", "%C"][: len(results)]
        how = f"{{determinism = #tile.determinism<{self.determinism}>}} " if self.determinism else ""
        arguments = ", ".join(f"{name}: {type}" for name, type in zip(["%A", *names], [source, *results]))
        return (
            f"func.func @f({arguments}) {{\n"
            f"  tile.reduce {'custom' if written else self.kind} %A into {', '.join(names)} axes {self.axes} scope(grid){written}\n"
            f"    {how}: {source} into {', '.join(results)}\n  return\n}}\n"
        )

    def outputs(self):
        count, _ = WRITTEN.get(self.kind, (1, ""))
        all = [torch.zeros(self.kept, dtype=TYPES[self.type], device="cuda") for _ in range(count)]
        return all + ([torch.full(self.kept, -1, dtype=torch.int64, device="cuda")] if self.kind == "argmax" else [])

    def torch(self, x):
        if self.kind == "argmax":
            return x.argmax(self.axes[0])
        if self.kind == "max":
            return x.amax(self.axes)
        if self.kind == "welford":
            return torch.var_mean(x, self.axes, correction=0)
        if self.kind == "logsumexp":
            return x.logsumexp(self.axes)
        if self.kind == "squares":
            return torch.linalg.vector_norm(x, 2, self.axes)
        return x.sum(self.axes, dtype=x.dtype)

    def reference(self, x):
        if self.kind == "argmax":
            return [x.amax(self.axes), x.argmax(self.axes[0])]
        if self.kind == "max":
            return [x.amax(self.axes)]
        if self.kind == "welford":
            return list(reversed(torch.var_mean(x.double(), self.axes, correction=0)))
        if self.kind == "logsumexp":
            return [x.double().logsumexp(self.axes)]
        if self.kind == "squares":
            return [torch.linalg.vector_norm(x, 2, self.axes, dtype=torch.float64) ** 2]
        if x.dtype.is_floating_point:
            return [x.sum(self.axes, dtype=torch.float64)]
        return [x.sum(self.axes, dtype=torch.int64).to(x.dtype)]

    def is_right(self, found, wanted, x):
        if self.kind == "argmax":
            # If several elements are equal to the maximum, other libraries may return the index of
            # any of them.
            there = x.gather(self.axes[0], found[1].unsqueeze(self.axes[0])).squeeze(self.axes[0])
            return torch.equal(found[0], wanted[0]) and torch.equal(there, wanted[0])
        if self.kind in WRITTEN:
            return all(torch.allclose(f.double(), w, rtol=1e-4, atol=1e-4) for f, w in zip(found, wanted))
        if not wanted[0].dtype.is_floating_point or self.kind != "sum":
            return all(torch.equal(f, w) for f, w in zip(found, wanted))
        # The magnitude of a sum of n random numbers is about sqrt(n).
        scale = max(wanted[0].abs().max().item(), (x.numel() / wanted[0].numel()) ** 0.5)
        return (found[0].double() - wanted[0]).abs().max().item() / scale <= TOLERANCE[self.type]

    def bytes(self):
        out = SIZES[self.type] * WRITTEN.get(self.kind, (1, ""))[0] + (8 if self.kind == "argmax" else 0)
        return math.prod(self.shape) * SIZES[self.type] + math.prod(self.kept) * out


def cases():
    def rows(group, columns, target=None, **more):
        size = SIZES[more.get("type", "f32")]
        return Case(group, [GIB // (columns * size), columns], [1], target=target, **more)

    for k in range(12, 31, 2):
        yield Case("full sums", [1 << k], [0], target=0.96 if k >= 28 else None)
    for n, target in [(8, 0.93), (32, 0.93), (33, 0.92), (100, 0.97), (101, 0.92)] + [
        (n, 0.97) for n in (128, 512, 1000, 1001, 1023, 1024, 4096, 4099, 16384, 65536)
    ]:
        yield rows("row sums", n, target)
    for n in (1 << 20, 1 << 24):
        m = GIB // (4 * n)
        yield Case("row sums", [m, n], [1], target=0.96, free=())
    for n in (8, 32, 100, 256, 1001, 1024, 2000, 4096, 65536):
        yield rows("row sums, dynamic columns", n, None, free=(0, 1))
    for n in (1 << 20, 1 << 24, 1 << 28):
        yield Case("row sums, dynamic columns", [GIB // (4 * n), n], [1], free=(0, 1))
    for more in [{"kind": k} for k in ("argmax", "welford", "logsumexp")] + [{"type": t} for t in ("f16", "i8", "f64")]:
        for n in (8, 32, 100, 1000, 1024, 4096):
            yield rows("other rows, dynamic columns", n, None, free=(0, 1), **more)
    for m, n in ((65536, 4096), (1 << 20, 256), (1024, 1 << 18), (1 << 24, 16), (256, 1 << 20)):
        yield Case("column sums", [m, n], [0], target=0.92 if n == 16 else 0.95)
    yield Case("column sums", [268435, 1000], [0])
    yield Case("column sums", [268167, 1001], [0])
    for m, n in ((65536, 4096), (1 << 20, 256), (1024, 1 << 18), (1 << 24, 16)):
        yield Case("column sums, dynamic columns", [m, n], [0], free=(0, 1))
    yield Case("middle axes", [64, 4096, 1024], [1], target=0.95)
    yield Case("middle axes", [4096, 64, 1024], [1], target=0.95)
    for axes in ([0, 1], [0, 2], [1, 2]):
        yield Case("all axes but one", [1024, 256, 1024], axes)
    for type in ("f16", "bf16", "f64", "i32", "i8"):
        yield Case("types", [GIB // SIZES[type]], [0], type=type, target=0.93)
        for n in (32, 128, 1001, 1024, 4096, 65536):
            yield rows("types", n, 0.93, type=type)
    for n in (32, 100, 1001, 1024, 4096, 65536):
        yield rows("kinds", n, 0.97 if n >= 100 else 0.93, kind="max")
        yield rows("kinds", n, 0.93, kind="argmax")
    for kind, target in (("squares", 0.97), ("welford", 0.93), ("logsumexp", 0.93)):
        for n in (100, 1001, 1024, 4096, 65536):
            yield rows("region combiners", n, target, kind=kind)
    for determinism in ("run_to_run", "batch_invariant", "any"):
        for m, n in ((1 << 18, 1 << 10), (1 << 8, 1 << 20)):
            yield Case("determinism", [m, n], [1], determinism=determinism, free=())
        yield Case("determinism", [1 << 28], [0], determinism=determinism, free=())


def median(times):
    return sorted(times)[len(times) // 2]


def timed(turns, runs=15, warm=3):
    """Returns the seconds of a run on the device. `turns` holds one function per copy of the input, so that
    no run hits in the cache."""
    turns = itertools.cycle(turns)
    run = lambda: next(turns)()
    for _ in range(warm):
        run()
    events = [[torch.cuda.Event(enable_timing=True) for _ in range(2)] for _ in range(runs)]
    for begin, end in events:
        begin.record()
        run()
        end.record()
    torch.cuda.synchronize()
    seconds = median([begin.elapsed_time(end) for begin, end in events]) / 1e3
    if seconds > 100e-6:
        return seconds
    # For shorter run times, the launch overhead would dominate the measurement. A CUDA graph
    # excludes this overhead for all competitors.
    many, graph = 20, torch.cuda.CUDAGraph()
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        run()
    torch.cuda.synchronize()
    with torch.cuda.graph(graph):
        for _ in range(many):
            run()
    for begin, end in events:
        begin.record()
        graph.replay()
        end.record()
    torch.cuda.synchronize()
    return median([begin.elapsed_time(end) for begin, end in events]) / 1e3 / many


class Peers:
    """CUB, and the read bandwidth of the device, from peers.cu."""

    def __init__(self, folder):
        library = folder / "peers.so"
        subprocess.run(
            ["nvcc", "-O3", "-std=c++17", "-arch=native", "-shared", "-Xcompiler=-fPIC", "-o", library, HERE / "peers.cu"],
            check=True,
        )
        self._library = ctypes.CDLL(str(library))

    def ceiling(self, copies):
        out = torch.zeros(4, dtype=torch.int32, device="cuda")
        bytes = copies[0].numel() * copies[0].element_size()
        best = 0
        for vectors in (1, 2, 4, 8):
            for threads in (128, 256, 512, 1024):
                def run(data):
                    stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
                    pointers = [ctypes.c_void_p(t.data_ptr()) for t in (data, out)]
                    status = self._library.peer_read(vectors, threads, pointers[0], ctypes.c_longlong(bytes), pointers[1], stream)
                    if status:
                        raise RuntimeError(f"the runtime says {status}")
                best = max(best, bytes / timed([functools.partial(run, data) for data in copies]))
        return best

    def cub(self, case, x, out):
        """Returns a function that launches CUB's reduction of rows; None for unsupported cases."""
        inner = len(case.axes) == 1 and case.axes[0] == len(case.shape) - 1
        if not inner or case.kind == "argmax" or (case.kind == "max" and case.type != "f32"):
            return None
        rows, columns = math.prod(case.kept), case.shape[-1]
        needed = ctypes.c_size_t(0)

        def call(temp):
            stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
            status = self._library.peer_cub(
                case.type.encode(), case.kind.encode(), temp, ctypes.byref(needed), ctypes.c_void_p(x.data_ptr()),
                ctypes.c_void_p(out.data_ptr()), ctypes.c_longlong(rows), ctypes.c_longlong(columns), stream,
            )
            if status:
                raise RuntimeError(f"CUB says {status}")

        call(None)
        temp = torch.empty(max(1, needed.value), dtype=torch.uint8, device="cuda")
        return lambda: call(ctypes.c_void_p(temp.data_ptr()))


def triton_rows(case, xs, out):
    """Returns the seconds of the fastest Triton kernel for rows."""
    import triton
    import triton.language as tl

    from triton_rows import rows_kernel

    rows, columns = xs[0].shape
    best = None
    width = min(triton.next_power_of_2(columns), 4096)
    for tile in (1024, 2048, 4096, 8192):
        for warps in (4, 8):
            together = max(1, tile // width)
            run = lambda x: rows_kernel[(triton.cdiv(rows, together),)](
                x, out, rows, columns, together, width, case.kind == "max", num_warps=warps
            )
            seconds = timed([functools.partial(run, x) for x in xs], runs=7, warm=3)
            best = min(best or seconds, seconds)
    return best


def measure(case, copies, peers, options, folder):
    path = folder / "case.mlir"
    path.write_text(case.text())
    ptx, plan = folder / "case.ptx", folder / "case.json"
    subprocess.run(
        [options.tx, "compile", path, "--chip", options.chip, "-o", ptx, "--plan", plan], check=True, stdin=subprocess.DEVNULL
    )
    xs = [copy[: math.prod(case.shape)].view(case.shape) for copy in copies]
    # An input that fits in the cache needs no copies: it stays in the cache between launches, for
    # all competitors.
    xs = xs if xs[0].numel() * xs[0].element_size() >= LARGE else xs[:1]
    wanted = case.reference(xs[0])
    found = case.outputs()
    programs = [Program(ptx.read_bytes(), plan.read_text(), [x, *found]) for x in xs]
    result = {"group": case.group, "name": case.name, "bytes": case.bytes(), "target": case.target, "wrong": []}

    def note(who, seconds, found=None):
        result[who] = seconds
        if found is not None and not case.is_right(found, wanted, xs[0]):
            result["wrong"].append(who)

    note("tx", timed([program.launch for program in programs]), found)
    result["kernels"] = len(programs[0].launches)
    out = torch.zeros(case.kept, dtype=TYPES[case.type], device="cuda")
    has_peers = case.kind not in WRITTEN and not case.determinism
    cub = [peers.cub(case, x, out) for x in xs] if has_peers else [None]
    if cub[0]:
        note("cub", timed(cub), [out])
    note("torch", timed([functools.partial(case.torch, x) for x in xs]))
    is_rows = case.axes == [1] and len(case.shape) == 2 and case.kind != "argmax" and has_peers
    if is_rows and case.type in ("f32", "f16", "bf16"):
        out.zero_()
        note("triton", triton_rows(case, xs, out), [out])
    if options.inductor and case.group.startswith(("full sums", "row sums", "column sums")) and math.prod(case.shape) >= 1 << 20:
        torch._dynamo.reset()
        compiled = torch.compile(case.torch, dynamic=False)
        note("inductor", timed([functools.partial(compiled, x) for x in xs]))
    return result


def compile_times(options, folder):
    """Returns median compile times of a row sum in milliseconds: `tx` to PTX in a new process and in a
    running one, and Triton to a cubin in this process. Every compilation uses a new column count, except
    `tx` in a running process, which caches no program."""
    import triton

    from triton_rows import rows_kernel

    def tx(columns, times=1):
        path = folder / "case.mlir"
        path.write_text(Case("", [1 << 18, columns], [1], free=(0,) if columns else (0, 1)).text())
        command = [options.tx, "compile", path, "--chip", options.chip, "-o", folder / "case.ptx", "--times", str(times)]
        done = subprocess.run(command, check=True, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        return float(next(line.split()[1] for line in done.stderr.splitlines() if line.startswith("total")))

    def with_triton(columns):
        begin = time.perf_counter()
        rows_kernel.warmup(torch.float32, torch.float32, 1 << 18, columns, 1, 1024, False, grid=(1,), num_warps=4)
        return (time.perf_counter() - begin) * 1e3

    with tempfile.TemporaryDirectory() as cache:
        os.environ["TRITON_CACHE_DIR"] = cache
        with_triton(1024)
        columns = [1000 + 4 * i for i in range(9)]
        known, cold = median([tx(n) for n in columns]), median([with_triton(n) for n in columns])
    unknown = median([tx(0) for _ in columns])
    kept, kept_unknown = tx(1024, times=50), tx(0, times=20)
    return (
        f"Compile time of a row sum in a running process: `tx` {kept:.1f} ms, or {kept_unknown:.1f} ms with dynamic columns; "
        f"Triton {triton.__version__} {cold:.1f} ms, {cold / kept:.1f} times as long. Compile time in a new process: `tx` {known:.1f} ms, "
        f"or {unknown:.1f} ms with dynamic columns.\n"
    )


def table(results, ceiling, device):
    who = ["cub", "torch", "inductor", "triton"]
    lines = [
        f"{device}, ceiling {ceiling / 1e9:.0f} GB/s. Bandwidth in GB/s of bytes read and written; times below 30 µs in µs.",
        "",
    ]
    for group in dict.fromkeys(r["group"] for r in results):
        lines += [f"| {group} | tx | share | target | time / best peer's | CUB | torch | Inductor | Triton |", "|---|--:|--:|--:|--:|--:|--:|--:|--:|"]
        for r in results:
            if r["group"] != group:
                continue
            small = r["tx"] < 30e-6
            show = lambda s: "" if s is None else f"{s * 1e6:.1f} µs" if small else f"{r['bytes'] / s / 1e9:.0f}"
            best = min((r[p] for p in who if r.get(p)), default=None)
            target = "" if r["target"] is None else f"{r['target']:.2f}"
            share = "" if small else f"{r['bytes'] / r['tx'] / ceiling:.3f}"
            wrong = "".join(f", {w} wrong" for w in r["wrong"])
            cells = [r["name"] + wrong, show(r["tx"]), share, target, f"{r['tx'] / best:.2f}" if best else ""]
            lines.append("| " + " | ".join(cells + [show(r.get(p)) for p in who]) + " |")
        lines.append("")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tx", default=str(HERE / "tx"), help="path of `tx`")
    parser.add_argument("--out", default="bench-grid", help="output directory")
    parser.add_argument("--only", default="", help="run only cases whose group or name contains this text")
    parser.add_argument("--inductor", action="store_true", help="also run torch.compile, which takes seconds per case")
    options = parser.parse_args()
    out = pathlib.Path(options.out)
    out.mkdir(parents=True, exist_ok=True)
    major, minor = torch.cuda.get_device_capability()
    options.chip = f"sm_{major}{minor}"
    torch.manual_seed(1)
    results, failed = [], []
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        # The benchmark measures compile times first, because `torch.compile` starts processes that
        # stay busy.
        compiling = compile_times(options, folder)
        peers = Peers(folder)
        chosen = [c for c in cases() if options.only in c.group or options.only in c.name]
        chosen.sort(key=lambda c: list(TYPES).index(c.type))
        copies, type = [], None
        gibibyte = lambda: [torch.randn(GIB // 4, device="cuda") for _ in range(COPIES)]
        ceilings = [peers.ceiling(gibibyte())]
        for case in chosen:
            if type != case.type or copies[0].numel() < math.prod(case.shape):
                type, count = case.type, max(GIB // SIZES[case.type], math.prod(case.shape))
                copies = []
                kind = TYPES[type]
                data = torch.randn(count, device="cuda", dtype=kind) if kind.is_floating_point else torch.randint(
                    -100, 100, (count,), device="cuda", dtype=kind
                )
                copies = [data] + [data.clone() for _ in range(COPIES - 1)]
                del data
            try:
                results.append(measure(case, copies, peers, options, folder))
            except (RuntimeError, subprocess.CalledProcessError) as error:
                failed.append(f"{case.name}: {error}")
                print(failed[-1], file=sys.stderr, flush=True)
                continue
            print(f"{case.name}: {results[-1]['tx'] * 1e6:.1f} µs", file=sys.stderr, flush=True)
        copies = []
        ceilings.append(peers.ceiling(gibibyte()))
    order = {c.name: i for i, c in enumerate(cases())}
    results.sort(key=lambda r: order[r["name"]])
    text = "\n".join([table(results, max(ceilings), torch.cuda.get_device_name()), compiling])
    versions = {"torch": torch.__version__, "cuda": torch.version.cuda}
    (out / "results.json").write_text(json.dumps({"ceilings": ceilings, "versions": versions, "results": results}, indent=1))
    (out / "table.md").write_text(text)
    print(text)
    if importlib.util.find_spec("matplotlib"):
        from plot import draw

        draw(out)
    else:
        print("bench-grid: no plot, for want of matplotlib", file=sys.stderr)
    wrong = [r["name"] for r in results if "tx" in r["wrong"]]
    if wrong or failed:
        sys.exit("\n".join(["bench-grid: not all is well"] + [f"{name}: tx is wrong" for name in wrong] + failed))


if __name__ == "__main__":
    main()
