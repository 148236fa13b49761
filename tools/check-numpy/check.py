#!/usr/bin/env python3
"""Runs random reductions with attributes on tensors and on memrefs, and compares them with NumPy.

    python3 tools/check-numpy/check.py --tx target/release/tx --cases 2000 [--commands compile,validate] [--seed S] [--first N] [--jobs 2]

Each case is one reduction, as a function on tensors and as a function on memrefs. It has a kind, an element
type, a shape and attributes (`acc`, `nan`, `determinism`, `schedule`). A route exercises
`tensors-to-memrefs`: a named op, a fused producer or consumer, a reshape, a call, or a result that is
returned twice. `tx run --device DEVICE` runs both functions. Each result is compared with NumPy in float64,
and the two results bit by bit. Both functions also run through the `--commands`: compile, validate,
explain, report, bench, tune. A program may be rejected if its schedule is not supported.

A case depends only on its seed and index. Prints a line for each finding and a summary; exits with 1 if
there are findings.
"""
import argparse
import os
import pathlib
import random
import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import numpy as np

NUMPY = {"f16": "f2", "f32": "f4", "f64": "f8", "i8": "i1", "i16": "i2", "i32": "i4", "i64": "i8"}
WIDER = {"f16": ["f32", "f64"], "f32": ["f32", "f64"], "f64": ["f64"], "i8": ["i8", "i16", "i32", "i64"], "i16": ["i16", "i32"],
         "i32": ["i32", "i64"], "i64": ["i64"]}
INFINITY = {"f16": ("0xFC00", "0x7C00"), "f32": ("0xFF800000", "0x7F800000"), "f64": ("0xFFF0000000000000", "0x7FF0000000000000")}
# The table maps each reduction kind to its float op and its integer op.
KINDS = {"sum": ("arith.addf", "arith.addi"), "prod": ("arith.mulf", "arith.muli"), "max": ("arith.maximumf", "arith.maxsi"),
         "min": ("arith.minimumf", "arith.minsi"), "maxnum": ("arith.maxnumf", None), "minnum": ("arith.minnumf", None),
         "and": (None, "arith.andi"), "or": (None, "arith.ori"), "xor": (None, "arith.xori")}
ROUTES = ["reduce", "generic", "named", "producer", "consumer", "reshape", "call", "twice"]


class Case:
    """Reduction of `[rows, columns]` over one of its dimensions."""

    def __init__(self, seed, index):
        r = random.Random(f"{seed} {index}")
        self.index, self.route = index, r.choice(ROUTES)
        self.kind = "sum" if self.route == "named" else r.choice(list(KINDS))
        floats, integers = KINDS[self.kind]
        self.element = r.choice([e for e in NUMPY if (floats if e[0] == "f" else integers)])
        self.is_float = self.element[0] == "f"
        self.op = floats if self.is_float else integers
        self.rows, self.columns = r.choice([1, 2, 5, 7, 20, 48]), r.choice([1, 3, 7, 20, 33, 100, 300, 1003])
        self.axis = 1 if self.route == "named" else r.choice([0, 1, 1])
        self.dynamic = r.random() < 0.4 and self.route != "reshape"
        self.kept = self.rows if self.axis == 1 else self.columns
        self.length = self.columns if self.axis == 1 else self.rows
        attributes = []
        self.acc = self.nan = None
        if r.random() < 0.5:
            self.acc = r.choice(WIDER[self.element])
            attributes.append(f"acc = {self.acc}")
        if self.is_float and "m" in self.kind and self.kind != "sum" and r.random() < 0.6:
            self.nan = r.choice(["ignore", "propagate"])
            attributes.append(f"nan = #tile.nan<{self.nan}>")
        if r.random() < 0.4:
            attributes.append(f"determinism = #tile.determinism<{r.choice(['any', 'run_to_run', 'batch_invariant'])}>")
        if r.random() < 0.4:
            kept, reduced = f"d{1 - self.axis}", f"d{self.axis}"
            by = r.choice([1, 4, 7, 32])
            attributes.append("schedule = [" + r.choice([
                f'#tile.bind<"{kept}" to block_x>',
                f'#tile.split<"{kept}" by {by}>, #tile.bind<"{kept}.o" to block_x>, #tile.bind<"{kept}.i" to thread_x>',
                f'#tile.bind<"{kept}" to block_x>, #tile.split<"{reduced}" by {by}>, #tile.bind<"{reduced}.i" to thread_x>',
                f'#tile.split<"{reduced}" by {by}>, #tile.rfactor<"{reduced}.i">, #tile.bind<"{reduced}.i" to thread_x>',
            ]) + "]")
        if not attributes:
            self.acc = WIDER[self.element][-1]
            attributes.append(f"acc = {self.acc}")
        self.scheduled = any(a.startswith("schedule") for a in attributes)
        self.attributes = ", ".join(attributes)
        self.numbers(np.random.default_rng([seed, index]), r)

    def numbers(self, n, r):
        shape = (self.rows, self.columns)
        if not self.is_float:
            info = np.iinfo(NUMPY[self.element])
            low, high = (1, 3) if self.kind == "prod" else (info.min, info.max)
            self.a = n.integers(low, high, shape, dtype=NUMPY[self.element], endpoint=True)
            return
        a = n.standard_normal(shape) * (1 if self.kind != "prod" else 0.1) + (1 if self.kind == "prod" else 0)
        a = a.astype(NUMPY[self.element])
        if "m" in self.kind and self.kind != "sum":
            for value in [np.nan, np.inf, -np.inf, -0.0, 0.0]:
                if r.random() < 0.4:
                    a[r.randrange(self.rows), r.randrange(self.columns)] = value
            if r.random() < 0.2:
                (a if self.axis == 1 else a.T)[0] = np.nan
        self.a = a

    # --- programs -----------------------------------------------------------------------------------------------------------
    def start(self):
        e = self.element
        bits = int(e[1:])
        names = {"sum": "0", "prod": "1", "and": "-1", "or": "0", "xor": "0", "max": str(-2 ** (bits - 1)), "min": str(2 ** (bits - 1) - 1)}
        if not self.is_float:
            return names[self.kind]
        low, high = INFINITY[e]
        return {"sum": "0.0", "prod": "1.0"}.get(self.kind, low if self.kind.startswith("max") else high)

    def program(self, form):
        """Returns the text of the function `f` on `tensor`s or `memref`s."""
        e, on_tensors = self.element, form == "tensor"
        two = ["?", "?"] if self.dynamic else [self.rows, self.columns]
        matrix = f"{form}<{two[0]}x{two[1]}x{e}>"
        row = f"{form}<{two[1 - self.axis]}x{e}>"
        lines, maps = [], f"#id = affine_map<(i, j) -> (i, j)>\n#row = affine_map<(i, j) -> ({'ij'[1 - self.axis]})>\n"
        add = lines.append
        add(f"%z = arith.constant {self.start()} : {e}")
        if self.dynamic:
            add(f"%d = arith.constant {1 - self.axis} : index")

        def temporary(name, like, ty, sizes):
            if not on_tensors:
                add(f"{name} = memref.alloc({sizes}) : {ty}")
            else:
                add(f"{name} = tensor.empty({sizes}) : {ty}")

        def size(of):
            if not self.dynamic:
                return ""
            add(f"%n = {form}.dim {of}, %d : {matrix}")
            return "%n"

        source = "%A"
        argument = matrix
        if self.route == "reshape":
            argument = f"{form}<{self.rows * self.columns}x{e}>"
            shape = f"output_shape [{self.rows}, {self.columns}]"
            add(f"%X = {form}.expand_shape %A [[0, 1]] {shape} : {argument} into {matrix}")
            source = "%X"
        if self.route == "producer":
            sizes = ""
            if self.dynamic:
                add("%c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index")
                add(f"%n0 = {form}.dim %A, %c0 : {matrix}\n  %n1 = {form}.dim %A, %c1 : {matrix}")
                sizes = "%n0, %n1"
            if on_tensors:
                add(f"%X = {'arith.addf' if self.is_float else 'arith.addi'} %A, %A : {matrix}")
            else:
                temporary("%X", "%A", matrix, sizes)
                add(f"linalg.add ins(%A, %A : {matrix}, {matrix}) outs(%X : {matrix})")
            source = "%X"
        result = "%R" if on_tensors else ("%T" if self.route == "consumer" else "%R")
        if on_tensors:
            temporary("%e", "%A", row, size(source))
            add(f"%f = linalg.fill ins(%z : {e}) outs(%e : {row}) -> {row}")
            outs, defines, returns = "%f", f"{result} = ", f" -> {row}"
        else:
            if self.route == "consumer":
                temporary("%T", "%A", row, size(source))
            add(f"linalg.fill ins(%z : {e}) outs({result} : {row})")
            outs, defines, returns = result, "", ""
        if self.route == "named":
            vector = f"{form}<{two[1]}x{e}>"
            add(f"{defines}linalg.matvec {{{self.attributes}}} ins({source}, %V : {matrix}, {vector}) outs({outs} : {row}){returns}")
        elif self.route == "generic":
            add(f'{defines}linalg.generic {{indexing_maps = [#id, #row], iterator_types = '
                f'[{", ".join(chr(34) + ("reduction" if d == self.axis else "parallel") + chr(34) for d in range(2))}]}}\n'
                f"      ins({source} : {matrix}) outs({outs} : {row}) attrs = {{{self.attributes}}} {{\n"
                f"  ^bb0(%a: {e}, %o: {e}):\n    %s = {self.op} %o, %a : {e}\n    linalg.yield %s : {e}\n  }}{returns}")
        else:
            add(f"{defines}linalg.reduce {{{self.op}}} ins({source} : {matrix}) outs({outs} : {row}) dimensions = [{self.axis}] "
                f"{{{self.attributes}}}")
        if self.route == "consumer":
            if on_tensors:
                add(f"%S = {'arith.addf' if self.is_float else 'arith.addi'} %R, %R : {row}")
                result = "%S"
            else:
                add(f"linalg.add ins(%T, %T : {row}, {row}) outs(%R : {row})")
        if not on_tensors:
            lines += [f"memref.dealloc {name} : {ty}" for name, ty in [("%X", matrix), ("%T", row)]
                      if any(line.startswith(f"{name} = memref.alloc") for line in lines)]
        if self.route == "twice" and not on_tensors:
            lines.append(f"memref.copy %R, %R2 : {row} to {row}")
        vector = f", %V: {form}<{two[1]}x{e}>" if self.route == "named" else ""
        results = [row] * (2 if self.route == "twice" else 1)
        body = "\n  ".join(lines)
        if on_tensors:
            values = ", ".join([result] * len(results))
            text = (f"func.func @f(%A: {argument}{vector}) -> ({', '.join(results)}) {{\n  {body}\n"
                    f"  return {values} : {', '.join(results)}\n}}\n")
            call = (f"func.func @f(%A: {argument}) -> {row} {{\n  %r = call @g(%A) : ({argument}) -> {row}\n"
                    f"  return %r : {row}\n}}\n")
        else:
            more = f", %R2: {row}" if self.route == "twice" else ""
            text = f"func.func @f(%A: {argument}{vector}, %R: {row}{more}) {{\n  {body}\n  return\n}}\n"
            call = (f"func.func @f(%A: {argument}, %R: {row}) {{\n  call @g(%A, %R) : ({argument}, {row}) -> ()\n  return\n}}\n")
        if self.route == "call":
            text = text.replace("func.func @f(", "func.func private @g(") + call
        return maps + text

    def arrays(self):
        """Returns the arguments; outputs have stale contents."""
        a = self.a.reshape(-1) if self.route == "reshape" else self.a
        vector = [np.full(self.columns, 2, self.a.dtype)] if self.route == "named" else []
        outs = [np.full(self.kept, 77, self.a.dtype)] * (2 if self.route == "twice" else 1)
        return [a, *vector], outs

    # --- reference ----------------------------------------------------------------------------------------------------------
    def wrong(self, got):
        """Returns the reason why a result is wrong; None if it is correct."""
        a = self.a
        with np.errstate(all="ignore"):
            if self.route == "producer":
                a = (a + a).astype(a.dtype)
            if not self.is_float:
                op = {"sum": np.add, "prod": np.multiply, "max": np.maximum, "min": np.minimum, "and": np.bitwise_and,
                      "or": np.bitwise_or, "xor": np.bitwise_xor}[self.kind]
                if self.route == "named":
                    a = (a * a.dtype.type(2)).astype(a.dtype)
                want = op.reduce(a, axis=self.axis, dtype=a.dtype)
                want = (want + want).astype(a.dtype) if self.route == "consumer" else want
                return None if np.array_equal(want, got) else f"{got} instead of {want}"
            b = a.astype("f8") * (2 if self.route == "named" else 1)
            if self.kind in ("sum", "prod"):
                want = (np.sum if self.kind == "sum" else np.prod)(b, axis=self.axis)
                size = np.sum(np.abs(b), axis=self.axis) if self.kind == "sum" else np.abs(want)
                partial = self.acc or ("f32" if self.element == "f16" else self.element)
                eps = np.finfo(NUMPY[partial]).eps * (self.length + 4)
                bound = size * eps + np.abs(want) * np.finfo(a.dtype).eps + float(np.finfo(a.dtype).smallest_subnormal)
                overflows = ~np.isfinite(want.astype(a.dtype)) | (np.abs(want) > float(np.finfo(a.dtype).max) / 2)
            else:
                smallest = self.kind.startswith("min")
                ignores = self.nan == "ignore" or (self.nan is None and self.kind.endswith("num"))
                if ignores:
                    want = (np.fmin if smallest else np.fmax).reduce(b, axis=self.axis)
                else:
                    want = (np.minimum if smallest else np.maximum).reduce(b, axis=self.axis)
                bound, overflows = np.zeros_like(want), np.zeros(want.shape, bool)
            if self.route == "consumer":
                want, bound = want + want, bound * 2
            g = got.astype("f8")
            same = (g == want) | (np.isnan(g) & np.isnan(want)) | (np.abs(g - want) <= bound) | overflows
            # If all elements are NaN and NaN is ignored, the result of combining with the fill value is
            # undefined.
            if self.kind not in ("sum", "prod") and (self.nan == "ignore" or self.kind.endswith("num")):
                same |= np.isnan(b).all(axis=self.axis)
        return None if same.all() else f"{g[~same][:4]} instead of {want[~same][:4]}"


def attempt(case, options, seconds=300):
    """Returns the findings as lines, and the counts of outcomes."""
    found, results, ended = [], {}, Counter()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        inputs, outs = case.arrays()
        files = []
        for i, array in enumerate(inputs + outs):
            np.save(folder / f"{i}.npy", array)
            files += ["--arg", str(folder / f"{i}.npy")]
        for form in ["tensor", "memref"]:
            program = folder / f"{form}.mlir"
            program.write_text(case.program(form))

            def tx(command, *arguments, allowed=(0,)):
                line = [options.tx, command, str(program), *map(str, arguments), "--quiet"]
                try:
                    done = subprocess.run(line, capture_output=True, text=True, timeout=seconds, env=os.environ | {"TX_CACHE": "off"})
                except subprocess.TimeoutExpired:
                    found.append(f"case {case.index}, {form}: {command}: no end in {seconds} s")
                    return None
                if done.returncode not in allowed or "panicked" in done.stderr:
                    first = next((line for line in done.stderr.splitlines() if "error" in line or "panicked" in line), done.stderr[:200])
                    found.append(f"case {case.index}, {form}, {case.route}, {case.attributes}: {command} ends with {done.returncode}: {first}")
                    return None
                return done

            out = [part for i in range(len(outs)) for part in ("--out", f"{len(inputs) + i}={folder}/out{i}.npy")]
            done = tx("run", "--device", options.device, *files, *out, allowed=(0, 1))
            if done is None:
                continue
            if done.returncode == 1:
                reason = next((line for line in done.stderr.splitlines() if "error" in line), done.stderr[:200])
                is_kept = "cannot be kept" in reason and case.scheduled and case.route == "reshape"
                ended["refused" if is_kept else "refused for another reason"] += 1
                if not is_kept:
                    found.append(f"case {case.index}, {form}, {case.route}, {case.attributes}: refused: {reason}")
                continue
            got = [np.load(folder / f"out{i}.npy") for i in range(len(outs))]
            for i, array in enumerate(got):
                if reason := case.wrong(array):
                    found.append(f"case {case.index}, {form}, {case.route}, {case.kind} of {case.element}, {case.attributes}: result {i}: {reason}")
            results[form] = [array.tobytes() for array in got]
            ended["run"] += 1
            launch = ["--device", options.device, *files]
            arguments = {
                "compile": ["--chip", "sm_90", "-o", folder / "f.ptx", "--plan", folder / "f.json"],
                "validate": files,
                "explain": [],
                "report": ["-o", folder / "f.html", *files],
                "bench": launch,
                "tune": [*launch, "--times", "1", "-o", folder / "tuned.mlir"],
            }
            for command in options.commands:
                tx(command, *arguments[command])
                ended[command] += 1
    if len(results) == 2 and results["tensor"] != results["memref"]:
        found.append(f"case {case.index}, {case.route}, {case.kind} of {case.element}, {case.attributes}: other bits on tensors than on memrefs")
    return found, ended


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tx", default="tx")
    parser.add_argument("--cases", type=int, default=100)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--device", default="cpu", help="what programs run on, as for `tx run`")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--commands", type=lambda text: [name for name in text.split(",") if name], default=[])
    parser.add_argument("--show", type=int, help="print the programs of this case, and run nothing")
    options = parser.parse_args()
    if options.show is not None:
        case = Case(options.seed, options.show)
        print(case.program("tensor"), case.program("memref"), sep="\n")
        return 0
    ended, findings = Counter(), 0
    numbers = range(options.first, options.first + options.cases)
    with ThreadPoolExecutor(options.jobs) as pool:
        for found, how in pool.map(lambda i: attempt(Case(options.seed, i), options), numbers):
            ended += how
            findings += len(found)
            for line in found:
                print(line, flush=True)
    print(f"{options.cases} cases: " + ", ".join(f"{count} {name}" for name, count in sorted(ended.items())) + f"; {findings} findings")
    return findings > 0


if __name__ == "__main__":
    sys.exit(main())
