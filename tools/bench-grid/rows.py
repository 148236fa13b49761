#!/usr/bin/env python3
"""Benchmarks row programs (softmax, norms, losses, quantisation) of `tx`, torch, torch.compile, QuACK and
Liger.

rows.py compile TX FOLDER [CHIP]   writes and compiles programs; needs no GPU
rows.py measure FOLDER OUT.json [SECONDS]   times them, on a GPU with PyTorch, and QuACK and Liger if installed

The largest array has 0.5 GiB. All competitors of a table row are timed in turn in one process, in a new
random order in each of 21 rounds, because a kernel's time depends on the kernel before it; the figure is
the median. Consecutive launches read different copies of the arrays, because an array that is read again
would hit in the L2 cache. A row with a wrong result is invalid. GB/s count every input array once and every
output array once. Programs have `tile.math = #tile.math<approx>`, because competitors use approximate
instructions; the programs of the first table are also timed with `exact`. Small arrays are timed in CUDA
graphs, in µs: of 20 launches on one array (warm), and of 3 launches on different arrays after other data
filled the cache (cold).
"""

import importlib
import json
import pathlib
import random
import statistics
import subprocess
import sys
import time

BYTES = {"f32": 4, "bf16": 2, "f8E4M3FN": 1, "i8": 1, "i64": 8}
SIZE = 1 << 29
COLUMNS = (256, 1000, 1024, 4096, 8192, 16384, 32768, 65536, 131072, 262144)
ROUNDS = 21
# Number of copies of the arrays. Consecutive launches use different copies.
COPIES = 3
# Number of launches in a CUDA graph with a warm cache.
LAUNCHES = 20
MAPS = {"whole": "(i, j) -> (i, j)", "row": "(i, j) -> (i)", "column": "(i, j) -> (j)", "line": "(i) -> (i)"}


class Program:
    """Host function, built op by op."""

    def __init__(self, rows, columns, element, math, dynamic=False):
        self.rows, self.columns, self.element, self.math = rows, columns, element, math
        self.dynamic = dynamic
        self.arguments, self.types, self.body = [], {}, []

    def memref(self, map, element):
        m, n = ("?", "?") if self.dynamic else (self.rows, self.columns)
        shape = {"whole": f"{m}x{n}", "row": m, "line": m, "column": n}[map]
        return f"memref<{shape}x{element}>"

    def array(self, name, map, element=None):
        self.types[name] = (map, element or self.element)
        self.arguments.append(name)

    def temporary(self, name):
        self.types[name] = ("row", "f32")
        size = "%rows" if self.dynamic else ""
        self.body.append(f"  %{name} = memref.alloc({size}) : {self.memref('row', 'f32')}")

    def type(self, name):
        return self.memref(*self.types[name])

    def op(self, reads, to, lines, line=False):
        """Appends an op whose lines compute %r in f32 from an f32 value %NAME for each input array."""
        names = [*reads, to]
        reduces = self.types[to][0] == "row" and not line
        maps = ["line" if line else self.types[n][0] for n in names]
        maps = ", ".join(f"affine_map<{MAPS[m]}>" for m in maps)
        loops = '["parallel"]' if line else f'["parallel", "{"reduction" if reduces else "parallel"}"]'
        inputs = ", ".join(f"%{n}" for n in reads)
        types = ", ".join(self.type(n) for n in reads)
        blocks = ", ".join(f"%{n}_{i}: {self.types[n][1]}" for i, n in enumerate(names))
        text = [f"  linalg.generic {{indexing_maps = [{maps}], iterator_types = {loops}}}",
                f"    ins({inputs} : {types}) outs(%{to} : {self.type(to)}) {{", f"  ^bb0({blocks}):"]
        for i, n in enumerate(names):
            element = self.types[n][1]
            wide = "old" if i == len(reads) else f"{n}_f"
            if element in ("bf16", "f8E4M3FN"):
                text.append(f"    %{wide} = arith.extf %{n}_{i} : {element} to f32")
            else:
                lines = [l.replace(f"%{wide} ", f"%{n}_{i} ").replace(f"%{wide},", f"%{n}_{i},") for l in lines]
        text += [f"    {l}" for l in lines]
        element = self.types[to][1]
        if element == "f32":
            text.append("    linalg.yield %r : f32")
        else:
            cast = "arith.fptosi" if element == "i8" else "arith.truncf"
            text += [f"    %stored = {cast} %r : f32 to {element}", f"    linalg.yield %stored : {element}"]
        self.body += [*text, "  }"]

    def total(self, kind, reads, to, lines):
        """Appends the sum or the maximum of %e over each row."""
        start, combine = {"sum": ("0.0", "addf"), "max": ("0xFF800000", "maximumf")}[kind]
        self.body += [f"  %start_{to} = arith.constant {start} : f32",
                      f"  linalg.fill ins(%start_{to} : f32) outs(%{to} : {self.type(to)})"]
        self.op(reads, to, [*lines, f"%r = arith.{combine} %old , %e : f32"])

    def text(self):
        arguments = ", ".join(f"%{n}: {self.type(n)}" for n in self.arguments)
        body = "\n".join(self.body)
        if self.dynamic:
            body = f"  %zero = arith.constant 0 : index\n  %rows = memref.dim %A, %zero : {self.type('A')}\n{body}"
        return (f"func.func @program({arguments}) attributes {{tile.math = #tile.math<{self.math}>}} {{\n"
                f"  %count = arith.constant {float(self.columns):e} : f32\n  %eps = arith.constant 1.0e-6 : f32\n"
                f"  %limit = arith.constant {240.0 if 'f8' in str(self.types) else 127.0:e} : f32\n{body}\n  return\n}}\n")


def softmax(p, log=False):
    p.array("A", "whole"), p.array("B", "whole"), p.temporary("m"), p.temporary("s")
    p.total("max", ["A"], "m", ["%z = arith.constant -0.0 : f32", "%e = arith.addf %A_f , %z : f32"])
    exp = ["%d = arith.subf %A_f , %m_f : f32", "%e = math.exp %d : f32"]
    p.total("sum", ["A", "m"], "s", exp)
    last = ["%l = math.log %s_f : f32", "%r = arith.subf %d, %l : f32"] if log else ["%r = arith.divf %e, %s_f : f32"]
    p.op(["A", "m", "s"], "B", [*(exp[:1] if log else exp), *last])


def masked(p):
    p.array("A", "whole"), p.array("M", "column", "f32"), p.array("B", "whole"), p.temporary("m"), p.temporary("s")
    at = ["%x = arith.addf %A_f , %M_f : f32"]
    p.total("max", ["A", "M"], "m", [*at, "%z = arith.constant -0.0 : f32", "%e = arith.addf %x, %z : f32"])
    exp = [*at, "%d = arith.subf %x, %m_f : f32", "%e = math.exp %d : f32"]
    p.total("sum", ["A", "M", "m"], "s", exp)
    p.op(["A", "M", "m", "s"], "B", [*exp, "%r = arith.divf %e, %s_f : f32"])


def rms_norm(p, adds=False):
    p.array("A", "whole")
    if adds:
        p.array("R", "whole")
    p.array("W", "column"), p.array("B", "whole"), p.temporary("s")
    if adds:
        p.op(["A", "R"], "A", ["%r = arith.addf %A_f , %R_f : f32"])
    p.total("sum", ["A"], "s", ["%e = arith.mulf %A_f , %A_f : f32"])
    p.op(["A", "s", "W"], "B", ["%q = arith.divf %s_f , %count : f32", "%v = arith.addf %q, %eps : f32",
                                "%i = math.rsqrt %v : f32", "%n = arith.mulf %A_f , %i : f32", "%r = arith.mulf %n, %W_f : f32"])


def moments(p):
    p.temporary("s"), p.temporary("v")
    p.total("sum", ["A"], "s", ["%z = arith.constant -0.0 : f32", "%e = arith.addf %A_f , %z : f32"])
    centred = ["%a = arith.divf %s_f , %count : f32", "%d = arith.subf %A_f , %a : f32"]
    p.total("sum", ["A", "s"], "v", [*centred, "%e = arith.mulf %d, %d : f32"])
    return centred


def layer_norm(p):
    p.array("A", "whole"), p.array("W", "column"), p.array("C", "column"), p.array("B", "whole")
    centred = moments(p)
    p.op(["A", "s", "v", "W", "C"], "B",
         [*centred, "%b = arith.divf %v_f , %count : f32", "%c = arith.addf %b, %eps : f32", "%i = math.rsqrt %c : f32",
          "%n0 = arith.mulf %d, %i : f32", "%n1 = arith.mulf %n0, %W_f : f32", "%r = arith.addf %n1, %C_f : f32"])


def mean_variance(p):
    p.array("A", "whole"), p.array("N", "row", "f32"), p.array("V", "row", "f32")
    moments(p)
    p.op(["s"], "N", ["%r = arith.divf %s_f , %count : f32"], line=True)
    p.op(["v"], "V", ["%r = arith.divf %v_f , %count : f32"], line=True)


def normalise(p, power):
    p.array("A", "whole"), p.array("B", "whole"), p.temporary("s")
    p.total("sum", ["A"], "s", ["%e = math.absf %A_f : f32" if power == 1 else "%e = arith.mulf %A_f , %A_f : f32"])
    root = [] if power == 1 else ["%t = math.sqrt %s_f : f32"]
    total = "%s_f " if power == 1 else "%t "
    p.op(["A", "s"], "B", [*root, f"%u = arith.maximumf {total}, %eps : f32", "%r = arith.divf %A_f , %u : f32"])


def quantise(p, to):
    p.array("A", "whole"), p.array("B", "whole", to), p.array("S", "row", "f32"), p.temporary("m")
    p.total("max", ["A"], "m", ["%e = math.absf %A_f : f32"])
    p.op(["m"], "S", ["%u = arith.maximumf %m_f , %eps : f32", "%r = arith.divf %u, %limit : f32"], line=True)
    p.op(["A", "S"], "B", ["%q = arith.divf %A_f , %S_f : f32", "%r = math.roundeven %q : f32" if to == "i8" else
                           "%r = arith.minimumf %q, %limit : f32"])


def cosine(p):
    p.array("A", "whole"), p.array("R", "whole"), p.array("L", "row", "f32")
    for name, (x, y) in dict(s=("A", "R"), v=("A", "A"), w=("R", "R")).items():
        p.temporary(name)
        p.total("sum", sorted({x, y}), name, [f"%e = arith.mulf %{x}_f , %{y}_f : f32"])
    p.op(["s", "v", "w"], "L", ["%x = arith.mulf %v_f , %w_f : f32", "%y = math.sqrt %x : f32",
                                "%z = arith.maximumf %y, %eps : f32", "%r = arith.divf %s_f , %z : f32"], line=True)


def cross_entropy(p):
    p.array("A", "whole"), p.array("T", "row", "i64"), p.array("L", "row", "f32"), p.temporary("m"), p.temporary("s")
    p.total("max", ["A"], "m", ["%z = arith.constant -0.0 : f32", "%e = arith.addf %A_f , %z : f32"])
    p.total("sum", ["A", "m"], "s", ["%d = arith.subf %A_f , %m_f : f32", "%e = math.exp %d : f32"])
    widen = [] if p.element == "f32" else [f"%x = arith.extf %y : {p.element} to f32"]
    loaded = "%x" if p.element == "f32" else "%y"
    p.op(["m", "s", "T"], "L", ["%i = linalg.index 0 : index", "%j = arith.index_cast %T_f : i64 to index".replace("%T_f", "%T_2"),
                                f"{loaded} = memref.load %A[%i, %j] : {p.type('A')}", *widen, "%l = math.log %s_f : f32",
                                "%a = arith.addf %m_f , %l : f32", "%r = arith.subf %a, %x : f32"], line=True)


PROGRAMS = {
    "softmax": softmax, "log-softmax": lambda p: softmax(p, log=True), "RMS norm": rms_norm, "layer norm": layer_norm,
    "cross entropy": cross_entropy, "add + RMS norm": lambda p: rms_norm(p, adds=True), "masked softmax": masked,
    "L1 normalise": lambda p: normalise(p, 1), "L2 normalise": lambda p: normalise(p, 2),
    "quantise to i8": lambda p: quantise(p, "i8"), "quantise to f8": lambda p: quantise(p, "f8E4M3FN"),
    "cosine similarity": cosine, "mean and variance": mean_variance,
}
SWEPT = ("softmax", "log-softmax", "RMS norm", "layer norm", "cross entropy")


def cases():
    for kind in PROGRAMS:
        for element in ("f32", "bf16"):
            columns = COLUMNS if kind in SWEPT else (1024, 4096, 16384, *((65535,) if "normalise" in kind else ()))
            for n in columns:
                yield dict(kind=kind, element=element, rows=rows_of(element, n), columns=n)
    for kind in ("softmax", "RMS norm"):
        for element in ("f32", "bf16"):
            for n in (100, 1000, 1024, 4095, 4096, 16384, 131072):
                yield dict(kind=kind, element=element, rows=rows_of(element, n), columns=n, dynamic=True)
    for kind in ("softmax", "RMS norm", "layer norm", "cross entropy"):
        for rows in (1, 8, 64, 512):
            for n in (4096, 8192, 128256):
                yield dict(kind=kind, element="bf16", rows=rows, columns=n, graph=True)


def rows_of(element, columns):
    """Returns the number of rows of an array of `SIZE` bytes."""
    return max(8, SIZE // BYTES[element] // columns // 8 * 8)


def name(case, math):
    form = ["dynamic"] if case.get("dynamic") else []
    return "-".join([case["kind"].replace(" ", "_"), case["element"], f"{case['rows']}x{case['columns']}", *form, math])


def compile_all(tx, folder, chip):
    folder.mkdir(parents=True, exist_ok=True)
    kept = []
    for case in cases():
        case["steps"] = {}
        both = case["kind"] in SWEPT and not case.get("dynamic") and not case.get("graph")
        for math in ("approx", "exact") if both else ("approx",):
            p = Program(case["rows"], case["columns"], case["element"], math, case.get("dynamic", False))
            PROGRAMS[case["kind"]](p)
            path = folder / name(case, math)
            pathlib.Path(f"{path}.mlir").write_text(p.text())
            subprocess.run([tx, "compile", f"{path}.mlir", "--chip", chip, "-o", f"{path}.ptx", "--plan", f"{path}.json"], check=True)
            case["steps"][math] = len(json.loads(pathlib.Path(f"{path}.json").read_text())["steps"])
            case["arguments"] = [(n, *p.types[n]) for n in p.arguments]
        kept.append(case)
    (folder / "cases.json").write_text(json.dumps(kept))


def peers(kind, x, torch, F):
    """Returns a torch function from named arrays to results, in the order of the program's output
    arguments."""
    n = x["A"].shape[1]
    amax = lambda a: a.float().abs().amax(1).clamp(min=1e-6)
    return {
        "softmax": lambda A: F.softmax(A, 1), "log-softmax": lambda A: F.log_softmax(A, 1),
        "RMS norm": lambda A, W: F.rms_norm(A, (n,), W, 1e-6),
        "layer norm": lambda A, W, C: F.layer_norm(A, (n,), W, C, 1e-6),
        "cross entropy": lambda A, T: F.cross_entropy(A.float(), T, reduction="none"),
        "add + RMS norm": lambda A, R, W: (F.rms_norm(A + R, (n,), W, 1e-6), A + R),
        "masked softmax": lambda A, M: F.softmax(A.float() + M, 1).to(A.dtype),
        "L1 normalise": lambda A: F.normalize(A, 1, 1, 1e-6), "L2 normalise": lambda A: F.normalize(A, 2, 1, 1e-6),
        "quantise to i8": lambda A: (A.float() / (amax(A) / 127)[:, None]).round().to(torch.int8),
        "quantise to f8": lambda A: (A.float() / (amax(A) / 240)[:, None]).clamp(max=240).to(torch.float8_e4m3fn),
        "cosine similarity": lambda A, R: F.cosine_similarity(A.float(), R.float(), 1, 1e-6),
        "mean and variance": lambda A: torch.var_mean(A.float(), 1, correction=0)[::-1],
    }[kind]


def library(kind, x, name):
    """Returns the program's function in a library."""
    if name == "quack":
        cross_entropy, rmsnorm, softmax = (importlib.import_module(f"quack.{m}") for m in ("cross_entropy", "rmsnorm", "softmax"))
        weights = {n: x[n].float() for n in ("W", "C") if n in x}
        return {"softmax": lambda: softmax.softmax_fwd(x["A"]),
                "RMS norm": lambda: rmsnorm.rmsnorm_fwd(x["A"], weights["W"], eps=1e-6)[0],
                "layer norm": lambda: rmsnorm.layernorm_fwd(x["A"], weights["W"], weights["C"], 1e-6),
                "cross entropy": lambda: cross_entropy.cross_entropy_fwd(x["A"], x["T"])[0]}.get(kind)
    layer_norm, rms_norm, softmax = (importlib.import_module(f"liger_kernel.ops.{m}") for m in ("layer_norm", "rms_norm", "softmax"))
    return {"softmax": lambda: softmax._softmax_forward(x["A"])[0],
            "RMS norm": lambda: rms_norm.rms_norm_forward(x["A"], x["W"], 1e-6, 0.0, "llama", None)[0],
            "layer norm": lambda: layer_norm.layer_norm_forward(x["A"], x["W"], x["C"], 1e-6)[0]}.get(kind)


def measure(folder, out, seconds):
    import torch
    import torch.nn.functional as F
    from launch import Program as Launch
    torch.manual_seed(0)
    random.seed(0)
    torch._dynamo.config.cache_size_limit = torch._dynamo.config.recompile_limit = 1000
    types = {"f32": torch.float32, "bf16": torch.bfloat16, "i8": torch.int8, "i64": torch.int64, "f8E4M3FN": torch.float8_e4m3fn}

    def alternately(all):
        """Returns the median time in ms of each competitor: a list of one function for each copy."""
        times = {who: [] for who in all}
        order = list(all.items())
        launches = 0
        for round in range(ROUNDS + 2):
            marks = {}
            random.shuffle(order)
            # The host enqueues the launches before the device runs them, so the measurement
            # excludes the launch overhead.
            torch.cuda._sleep(1_000_000)
            for who, runs in order:
                marks[who] = [torch.cuda.Event(enable_timing=True) for _ in range(2)]
                marks[who][0].record()
                runs[launches % COPIES]()
                marks[who][1].record()
                launches += 1
            torch.cuda.synchronize()
            for who, (begin, end) in marks.items():
                times[who] += [begin.elapsed_time(end)] if round >= 2 else []
        return {who: statistics.median(t) for who, t in times.items()}

    def in_graphs(all):
        """Returns the median time in µs of each competitor in a CUDA graph, with a warm and a cold L2 cache."""
        flush = torch.empty(1 << 28, dtype=torch.uint8, device="cuda")
        graphs = {}
        for who, runs in all.items():
            stream = torch.cuda.Stream()
            stream.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(stream):
                for run in runs:
                    run()
            torch.cuda.current_stream().wait_stream(stream)
            for heat, count in (("warm", LAUNCHES), ("cold", COPIES)):
                graphs[who, heat] = torch.cuda.CUDAGraph(), count
                with torch.cuda.graph(graphs[who, heat][0]):
                    for launch in range(count):
                        runs[launch if heat == "cold" else 0]()
        times = {key: [] for key in graphs}
        order = list(graphs.items())
        for round in range(ROUNDS):
            random.shuffle(order)
            for key, (graph, count) in order:
                if key[1] == "cold":
                    flush.zero_()
                else:
                    graph.replay()
                begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
                begin.record()
                graph.replay()
                end.record()
                torch.cuda.synchronize()
                times[key].append(begin.elapsed_time(end) / count * 1e3)
        return {key: statistics.median(t) for key, t in times.items()}

    def bytes_of(case):
        sizes = [x.numel() * x.element_size() for x in arrays]
        return sum(sizes) + (sizes[0] if case["kind"] == "add + RMS norm" else 0)

    def save(row):
        rows.append(row)
        print(json.dumps(row), flush=True)
        out.write_text(json.dumps(dict(device=torch.cuda.get_device_name(), copy=copy, rows=rows)))

    begin, rows = time.time(), []
    pairs = [[torch.empty(SIZE, dtype=torch.uint8, device="cuda") for _ in range(2)] for _ in range(COPIES)]
    copies = [lambda pair=pair: pair[1].copy_(pair[0]) for pair in pairs]
    copy = 2 * SIZE / alternately({"copy": copies})["copy"] / 1e6
    print(torch.cuda.get_device_name(), f"copy {copy:.0f} GB/s", flush=True)
    del pairs, copies
    for case in json.loads((folder / "cases.json").read_text()):
        if time.time() - begin > seconds:
            print("out of time")
            break
        kind, m, n = case["kind"], case["rows"], case["columns"]
        arrays, x = [], {}
        for array, map, element in case["arguments"]:
            shape = {"whole": (m, n), "row": (m,), "column": (n,)}[map]
            if element == "i64":
                value = torch.randint(0, n, shape, device="cuda")
            elif array == "M":
                value = torch.where(torch.rand(shape, device="cuda") < 0.2, -torch.inf, 0.0)
            else:
                value = torch.randn(shape, device="cuda").to(types[element])
            arrays.append(value)
            x[array] = value
        copies = [arrays] + [[value.clone() for value in arrays] for _ in range(COPIES - 1)]
        xs = [dict(zip(x, values)) for values in copies]
        compute = peers(kind, x, torch, F)
        named = compute.__code__.co_varnames[:compute.__code__.co_argcount]
        given = [[x[k] for k in named] for x in xs]
        some = slice(0, 64)
        columns = {array for array, map, _ in case["arguments"] if map == "column"}
        head = [x[k] if k in columns else x[k][some] for k in named]
        want = compute(*[v.double() if v.is_floating_point() and "quantise" not in kind else v for v in head])
        want = list(want) if isinstance(want, tuple) else [want]
        at = case["arguments"].index(next(v for v in case["arguments"] if v[0] in ("B", "L", "N")))
        row = dict(kind=kind, element=case["element"], rows=m, columns=n, dynamic=case.get("dynamic", False))
        all, close = {}, {}
        for math in case["steps"]:
            path = folder / name(case, math)
            ptx, plan = pathlib.Path(f"{path}.ptx").read_bytes() + b"\0", pathlib.Path(f"{path}.json").read_text()
            programs = [Launch(ptx, plan, values) for values in copies]
            row["kernels"] = len(programs[0].launches)
            first = arrays[0].clone() if kind == "add + RMS norm" else None
            programs[0].launch()
            torch.cuda.synchronize()
            off = max(((got[some].double() - w.double()).norm() / w.double().norm()).item()
                      for got, w in zip(arrays[at:at + len(want)], want))
            if first is not None:
                arrays[0].copy_(first)
            who = "tx" if math == "approx" else "exact"
            close[who] = off < {"f32": 1e-4, "bf16": 1e-2}[case["element"]] * (3 if "f8" in kind else 1)
            row[f"{who}_error"] = off
            all[who] = [program.launch for program in programs]
        if kind == "add + RMS norm":
            for named_arrays in xs:
                named_arrays["A"].zero_()
        all["torch"] = [lambda given=g: compute(*given) for g in given]
        torch._dynamo.reset()
        compiled = torch.compile(compute, dynamic=False)
        all["torch.compile"] = [lambda given=g: compiled(*given) for g in given]
        for other in () if case.get("graph") or case.get("dynamic") else ("quack", "liger"):
            try:
                runs = [library(kind, x, other) for x in xs]
                if runs[0] is not None:
                    runs[0]()
                    all[other] = runs
            except Exception as e:
                row[f"{other}_error"] = repr(e)[:100]
        if case.get("graph"):
            row["graph"] = True
            for (who, heat), time_us in in_graphs(all).items():
                row[f"{who} {heat}"] = round(time_us, 2) if close.get(who, True) else None
            save(row)
            continue
        try:
            times = alternately(all)
        except Exception as e:
            print(kind, case["element"], n, repr(e)[:200])
            continue
        size = bytes_of(case)
        for who, ms in times.items():
            row[who] = round(size / ms / 1e6) if close.get(who, True) else None
        best = max(v for k, v in row.items() if k in ("torch", "torch.compile", "quack", "liger") and v)
        row["ratio"] = round(row["tx"] / best, 2) if row["tx"] else None
        save(row)
        del arrays, x, given, head, all, copies, xs, programs


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["compile", tx, folder, *chip]:
            compile_all(tx, pathlib.Path(folder), *(chip or ["sm_90"]))
        case ["measure", folder, out, *seconds]:
            measure(pathlib.Path(folder), pathlib.Path(out), float(*(seconds or ["540"])))
        case _:
            sys.exit(__doc__)
