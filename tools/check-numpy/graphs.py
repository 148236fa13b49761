#!/usr/bin/env python3
"""Runs random programs of several ops on tensors or on memrefs, and compares them with NumPy.

    python3 tools/check-numpy/graphs.py --tx target/release/tx --cases 2000 [--seed S] [--first N] [--jobs 2] [--keep FOLDER]

Each case is one function with static or dynamic sizes. It mixes in-place updates, `linalg.generic` ops with
several outputs, reductions, dense constants, splats, reshapes, row slices and elements read by
`tensor.extract`. A reshaped memref is a view: an update of the view also updates its source. Values are
chosen so that each result is exact in its type for any combination order; some inputs hold NaN, infinities
and zeros of both signs. The arguments are compared after the run too. Tensor arguments without
`bufferization.writable = false` are exempt, because they may be updated.

A case depends only on its seed and index. Prints a line for each wrong result, crash and rejection, and a
summary. Exits with 1 if a result was wrong or a run crashed.
"""
import argparse
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import numpy as np

NUMPY = {"f16": "f2", "f32": "f4", "f64": "f8", "i8": "i1", "i32": "i4", "i64": "i8"}
# Largest integer up to which a type represents all integers exactly.
EXACT = {"f16": 2**11, "f32": 2**24, "f64": 2**53}
SPECIAL = [np.nan, np.inf, -np.inf, -0.0, 0.0]


class Value:
    """Tensor or memref: its name, dimensions ("R", "C", "RC", "1"), elements, and a bound on its finite
    elements."""

    def __init__(self, name, dims, array, bound, base=None):
        self.name, self.dims, self.array, self.bound = name, dims, array, bound
        # Values with the same base share memory.
        self.base = base or name


class Case:
    def __init__(self, seed, index):
        self.r = r = random.Random(f"graphs {seed} {index}")
        self.index, self.n = index, np.random.default_rng([seed, index])
        self.form = r.choice(["tensor", "memref"])
        self.on_tensors = self.form == "tensor"
        self.element = r.choice(["f32", "f32", "f32", "f64", "f16", "i32", "i64", "i8"])
        self.is_float = self.element[0] == "f"
        self.type = np.dtype(NUMPY[self.element])
        rows, columns = r.choice([1, 2, 5, 7, 20, 33, 100]), r.choice([1, 3, 7, 20, 33, 100, 257])
        if r.random() < 0.05:
            rows, columns = r.choice([(3, 1003), (1003, 3), (1, 1003), (1003, 1)])
        self.sizes = {"R": rows, "C": columns, "RC": rows * columns, "1": 1}
        kind = r.choice(["static", "static", "rows", "columns", "both"])
        self.dynamic = {"R": kind in ("rows", "both"), "C": kind in ("columns", "both"), "RC": kind != "static", "1": False}
        self.lines, self.globals, self.maps, self.allocated, self.count = [], [], {}, [], 0
        self.kinds = Counter()
        # Without this attribute, a function on tensors may update its arguments.
        self.is_pure = self.on_tensors and r.random() < 0.5
        self.build()

    # --- text ---------------------------------------------------------------------------------------------------------------
    def ty(self, dims, element=None):
        sizes = "".join(("?" if self.dynamic[d] else str(self.sizes[d])) + "x" for d in dims)
        return f"{self.form}<{sizes}{element or self.element}>"

    def name(self):
        self.count += 1
        return f"%v{self.count}"

    def dynamic_sizes(self, dims):
        return ", ".join(f"%{d}" for d in dims if self.dynamic[d])

    def literal(self, number):
        return f"{float(number):e}" if self.is_float else str(int(number))

    def empty(self, dims):
        """Emits an allocation; returns its name."""
        name = self.name()
        op = "tensor.empty" if self.on_tensors else "memref.alloc"
        self.lines.append(f"{name} = {op}({self.dynamic_sizes(dims)}) : {self.ty(dims)}")
        if not self.on_tensors:
            self.allocated.append((name, self.ty(dims)))
        return name

    def shape(self, dims):
        return tuple(self.sizes[d] for d in dims)

    # --- numbers ------------------------------------------------------------------------------------------------------------
    def fits(self, bound):
        return not self.is_float or bound < EXACT[self.element]

    def small(self, dims):
        return self.n.integers(-4, 5, self.shape(dims)).astype(self.type)

    def keep(self, dims, array, bound, name=None, base=None):
        value = Value(name or self.name(), dims, array, bound, base)
        self.values.append(value)
        return value

    # --- ops ----------------------------------------------------------------------------------------------------------------
    def build(self):
        r = self.r
        self.values, self.arguments, self.results = [], [], []
        for position, dims in enumerate([("R", "C"), r.choice([("R", "C"), ("R",), ("C",), ("RC",)]), r.choice([("R",), ("C",), ("R", "C")])]):
            array = self.small(dims)
            if self.is_float and r.random() < 0.15:
                flat = array.reshape(-1)
                for _ in range(r.choice([1, 1, 3])):
                    flat[r.randrange(flat.size)] = r.choice(SPECIAL)
            value = self.keep(dims, array, 4, f"%A{position}")
            self.arguments.append(value)
        self.before = [value.array.copy() for value in self.arguments]
        for d, axis in (("R", 0), ("C", 1)):
            self.lines.append(f"%i{axis} = arith.constant {axis} : index")
            self.lines.append(f"%{d} = {self.form}.dim %A0, %i{axis} : {self.ty(('R', 'C'))}")
        if self.dynamic["RC"]:
            self.lines.append("%RC = arith.muli %R, %C : index")
        steps = [self.elementwise] * 4 + [self.in_place] * 4 + [self.several] * 4 + [self.reduce] * 3
        steps += [self.constant] * 2 + [self.splat] * 2 + [self.reshape] * 4 + [self.slice] + ([self.extract] * 2 if self.on_tensors else [])
        made = 0
        self.scalars = []
        for _ in range(40):
            step = r.choice(steps)
            if step():
                self.kinds[step.__name__] += 1
                made += 1
            if made >= self.limit:
                break
        self.finish()

    @property
    def limit(self):
        return 3 + self.index % 6

    def pick(self, dims=None, among=None):
        values = [v for v in (self.values if among is None else among) if dims is None or v.dims == dims]
        # Prefer recent values, so that ops form chains.
        return self.r.choice(values[-4:] if self.r.random() < 0.6 else values) if values else None

    def constant(self):
        dims = [d for d in [("R", "C"), ("R",), ("C",), ("RC",)] if not any(self.dynamic[x] for x in d) and np.prod(self.shape(d)) <= 2000]
        if not dims:
            return False
        dims = self.r.choice(dims)
        array = self.small(dims)
        text = re.sub(r"-?\d+", lambda m: self.literal(int(m[0])), str(array.astype("i8").tolist()))
        name = self.name()
        if self.on_tensors:
            self.lines.append(f"{name} = arith.constant dense<{text}> : {self.ty(dims)}")
        else:
            symbol = f"@g{name[1:]}"
            self.globals.append(f"memref.global \"private\" constant {symbol} : {self.ty(dims)} = dense<{text}>")
            self.lines.append(f"{name} = memref.get_global {symbol} : {self.ty(dims)}")
        # A constant memref is never updated; the base "constant" marks it.
        self.keep(dims, array, 4, name, "constant")
        return True

    def splat(self):
        dims = self.r.choice([("R", "C"), ("R",), ("C",), ("RC",), ()])
        number = self.r.choice([-3, -1, 0, 1, 2])
        array = np.full(self.shape(dims), number, self.type)
        name = self.name()
        if self.on_tensors and not any(self.dynamic[d] for d in dims) and self.r.random() < 0.5:
            self.lines.append(f"{name} = arith.constant dense<{self.literal(number)}> : {self.ty(dims)}")
        elif self.on_tensors and self.r.random() < 0.5:
            self.lines.append(f"{name}c = arith.constant {self.literal(number)} : {self.element}")
            sizes = f"[{self.dynamic_sizes(dims)}]" if self.dynamic_sizes(dims) else ""
            self.lines.append(f"{name} = tensor.splat {name}c{sizes} : {self.ty(dims)}")
        else:
            out = self.empty(dims)
            self.lines.append(f"{name}c = arith.constant {self.literal(number)} : {self.element}")
            result = f"{name} = " if self.on_tensors else ""
            arrow = f" -> {self.ty(dims)}" if self.on_tensors else ""
            self.lines.append(f"{result}linalg.fill ins({name}c : {self.element}) outs({out} : {self.ty(dims)}){arrow}")
            name = name if self.on_tensors else out
        self.keep(dims, array, abs(number), name)
        return True

    def reshape(self):
        value = self.pick()
        name, form = self.name(), self.form
        if value.dims == ("R", "C"):
            dims, op = ("RC",), f"{form}.collapse_shape {value.name} [[0, 1]] : {self.ty(value.dims)} into {self.ty(('RC',))}"
        elif value.dims == ("RC",) or (len(value.dims) == 1 and self.r.random() < 0.8):
            dims = ("R", "C") if value.dims == ("RC",) else self.r.choice([(value.dims[0], "1"), ("1", value.dims[0])])
            sizes = ", ".join(f"%{d}" if self.dynamic[d] else str(self.sizes[d]) for d in dims)
            op = f"{form}.expand_shape {value.name} [[0, 1]] output_shape [{sizes}] : {self.ty(value.dims)} into {self.ty(dims)}"
        elif len(value.dims) == 2 and "1" in value.dims:
            dims = tuple(d for d in value.dims if d != "1")
            op = f"{form}.collapse_shape {value.name} [[0, 1]] : {self.ty(value.dims)} into {self.ty(dims)}"
        else:
            return False
        self.lines.append(f"{name} = {op}")
        array = value.array.reshape(self.shape(dims))
        self.keep(dims, array.copy() if self.on_tensors else array, value.bound, name, value.base)
        return True

    def slice(self):
        """Emits a copy of a matrix in which slices replace one row or column."""
        if not self.on_tensors:
            return False
        matrix, row = self.pick(("R", "C")), self.pick(("C",))
        if matrix is None or row is None:
            return False
        at, name = self.r.randrange(self.sizes["R"]), self.name()
        size = "%C" if self.dynamic["C"] else str(self.sizes["C"])
        self.lines.append(f"{name} = tensor.insert_slice {row.name} into {matrix.name}[{at}, 0] [1, {size}] [1, 1] : "
                          f"{self.ty(('C',))} into {self.ty(('R', 'C'))}")
        array = matrix.array.copy()
        array[at] = row.array
        self.keep(("R", "C"), array, max(matrix.bound, row.bound), name)
        return True

    def extract(self):
        value = self.pick()
        at = [self.r.randrange(self.sizes[d]) for d in value.dims]
        name = self.name()
        for axis, position in enumerate(at):
            self.lines.append(f"{name}i{axis} = arith.constant {position} : index")
        places = ", ".join(f"{name}i{axis}" for axis in range(len(at)))
        self.lines.append(f"{name} = tensor.extract {value.name}[{places}] : {self.ty(value.dims)}")
        self.scalars.append((name, value.array[tuple(at)], value.bound))
        return True

    def body(self, operands, loops, how_many):
        """Returns the lines of a body and its yielded values: names, arrays over the loops, bounds.
        `operands` are such triples."""
        r, lines, known = self.r, [], list(operands)
        shape = self.shape(loops)
        if self.scalars and r.random() < 0.4:
            name, number, bound = r.choice(self.scalars)
            known.append((name, np.full(shape, number, self.type), bound))
        if loops and r.random() < 0.2 and self.element not in ("i8", "f16"):
            axis, x = r.randrange(len(loops)), f"%x{r.randrange(10**6)}"
            lines.append(f"{x} = linalg.index {axis} : index")
            lines.append(f"{x}w = arith.index_cast {x} : index to i64")
            cast = {"i64": None, "i32": "arith.trunci", "f32": "arith.sitofp", "f64": "arith.sitofp"}[self.element]
            if cast:
                lines.append(f"{x}n = {cast} {x}w : i64 to {self.element}")
            index = np.broadcast_to(np.arange(shape[axis]).reshape([-1 if a == axis else 1 for a in range(len(shape))]), shape)
            known.append((f"{x}n" if cast else f"{x}w", index.astype(self.type), max(1, shape[axis])))
        floats = [("arith.addf", lambda a, b: a + b), ("arith.subf", lambda a, b: a - b), ("arith.mulf", lambda a, b: a * b),
                  ("arith.maximumf", np.maximum), ("arith.minimumf", np.minimum), ("select", None), ("math.absf", None), ("arith.negf", None)]
        integers = [("arith.addi", lambda a, b: a + b), ("arith.subi", lambda a, b: a - b), ("arith.muli", lambda a, b: a * b),
                    ("arith.maxsi", np.maximum), ("arith.minsi", np.minimum), ("select", None), ("arith.xori", np.bitwise_xor),
                    ("arith.andi", np.bitwise_and)]
        made, wanted = [], r.randint(how_many, how_many + 2)
        for _ in range(20):
            if len(made) >= wanted:
                break
            op, compute = r.choice(floats if self.is_float else integers)
            (a, x, p), (b, y, q) = r.choice(known[-5:]), r.choice(known)
            bound = p * q if "mul" in op else p + q if op[6:9] in ("add", "sub") else max(p, q)
            if not self.fits(bound):
                continue
            name = f"%b{len(lines)}_{len(made)}"
            with np.errstate(all="ignore"):
                if op == "select":
                    compare = "arith.cmpf ogt" if self.is_float else "arith.cmpi sgt"
                    lines.append(f"{name}c = {compare}, {a}, {b} : {self.element}")
                    lines.append(f"{name} = arith.select {name}c, {b}, {a} : {self.element}")
                    array = np.where(x > y, y, x)
                elif compute is None:
                    lines.append(f"{name} = {op} {a} : {self.element}")
                    array, bound = (np.abs(x) if op == "math.absf" else -x), p
                else:
                    lines.append(f"{name} = {op} {a}, {b} : {self.element}")
                    array = compute(x, y)
            made.append((name, array.astype(self.type), bound))
            known.append(made[-1])
        yields = [r.choice(made) if made and r.random() < 0.8 else r.choice(known) for _ in range(how_many)]
        if made:
            yields[0] = made[-1]
        return lines, yields

    def over(self, value, loops):
        """Returns the map and the elements of a value over the loops; None if a dimension is not a loop."""
        results = []
        for d in value.dims:
            if d == "1":
                results.append("0")
            elif d in loops:
                results.append("ij"[loops.index(d)])
            else:
                return None
        indices = ", ".join("ij"[: len(loops)])
        array = value.array
        if "1" in value.dims:
            array = array.reshape([self.sizes[d] for d in value.dims if d != "1"])
        named = [d for d in value.dims if d != "1"]
        if len(named) == 1 and len(loops) == 2:
            array = array[:, None] if named[0] == loops[0] else array[None, :]
        full = np.broadcast_to(array, self.shape(loops))
        return f"affine_map<({indices}) -> ({', '.join(results)})>", full

    def generic(self, loops, outs, reads_old, reduced=None):
        """Emits one `linalg.generic`. `outs` holds pairs of a value to update (or None) and its dimensions.
        A reduction along the loop `reduced` applies to outputs without this dimension."""
        r = self.r
        written = {value.base for value, _ in outs if value is not None}
        fitting = [v for v in self.values if self.over(v, loops) is not None]
        if not self.on_tensors:
            # An op may read its output only at the index that it writes, and only if it has no
            # reduction loop.
            fitting = [v for v in fitting if v.base not in written or (reduced is None and v.dims == loops)]
        if not fitting:
            return False
        ins = [self.pick(among=fitting) for _ in range(r.choice([1, 1, 2, 3]))]
        # An operand must determine the size of every loop.
        if not {d for v in ins for d in v.dims} | {d for _, dims in outs for d in dims} >= set(loops):
            whole = [v for v in fitting if set(v.dims) >= set(loops)]
            if not whole:
                return False
            ins[0] = self.pick(among=whole)
        operands, maps = [], []
        for position, value in enumerate(ins):
            text, array = self.over(value, loops)
            maps.append(text)
            operands.append((f"%in{position}", array, value.bound))
        olds = []
        for position, (value, dims) in enumerate(outs):
            if value is None:
                continue
            text, array = self.over(value, loops)
            if reads_old and (reduced is None or reduced in dims):
                olds.append((f"%out{position}", array, value.bound))
        lines, yields = self.body(operands + olds, loops, len(outs))
        results, combined = [], []
        indices = ", ".join("ij"[: len(loops)])
        for position, ((value, dims), (name, array, bound)) in enumerate(zip(outs, yields)):
            maps.append(f"affine_map<({indices}) -> ({', '.join('ij'[loops.index(d)] for d in dims)})>")
            if reduced is None or reduced in dims:
                results.append((name, array.copy(), bound))
                continue
            axis = loops.index(reduced)
            start = value.array
            op = r.choice(["add", "max", "min"])
            if op == "add" and not self.fits(bound * self.sizes[reduced] + value.bound):
                op = "max"
            text = {"add": "arith.addf", "max": "arith.maximumf", "min": "arith.minimumf"} if self.is_float else {
                "add": "arith.addi", "max": "arith.maxsi", "min": "arith.minsi"}
            flipped = r.random() < 0.5
            pair = f"%out{position}, {name}" if flipped else f"{name}, %out{position}"
            lines.append(f"%r{position} = {text[op]} {pair} : {self.element}")
            with np.errstate(all="ignore"):
                if op == "add":
                    # f64 sums represent all exact f16 sums exactly.
                    wide = np.float64 if self.is_float else self.type
                    array = (array.astype(wide).sum(axis=axis, dtype=wide) + start.astype(wide)).astype(self.type)
                    bound = bound * self.sizes[reduced] + value.bound
                else:
                    f = np.maximum if op == "max" else np.minimum
                    array, bound = f(f.reduce(array, axis=axis), start), max(bound, value.bound)
            results.append((f"%r{position}", array, bound))
        names = [value.name if value is not None else self.empty(dims) for value, dims in outs]
        kinds = ", ".join(f'"{"reduction" if d == reduced else "parallel"}"' for d in loops)
        in_types, out_types = [self.ty(v.dims) for v in ins], [self.ty(dims) for _, dims in outs]
        arguments = ", ".join([f"%in{i}: {self.element}" for i in range(len(ins))] + [f"%out{i}: {self.element}" for i in range(len(outs))])
        result = self.name()
        prefix = f"{result}{f':{len(outs)}' if len(outs) > 1 else ''} = " if self.on_tensors else ""
        arrow = (f" -> ({', '.join(out_types)})" if len(outs) > 1 else f" -> {out_types[0]}") if self.on_tensors else ""
        inner = "\n    ".join([*lines, f"linalg.yield {', '.join(x[0] for x in results)} : {', '.join([self.element] * len(outs))}"])
        self.lines.append(f"{prefix}linalg.generic {{indexing_maps = [{', '.join(maps)}], iterator_types = [{kinds}]}}\n"
                          f"      ins({', '.join(v.name for v in ins)} : {', '.join(in_types)}) "
                          f"outs({', '.join(names)} : {', '.join(out_types)}) {{\n  ^bb0({arguments}):\n    {inner}\n  }}{arrow}")
        for position, ((value, dims), (_, array, bound)) in enumerate(zip(outs, results)):
            if self.on_tensors:
                self.keep(dims, array, bound, f"{result}#{position}" if len(outs) > 1 else result)
            elif value is None:
                self.keep(dims, array, bound, names[position])
            else:
                value.array[...] = array
                for other in self.values:
                    if other.base == value.base:
                        other.bound = max(other.bound, bound)
        return True

    def writable(self, dims, taken=()):
        return [v for v in self.values if v.dims == dims and (self.on_tensors or v.base != "constant") and v.base not in taken]

    def elementwise(self):
        loops = self.r.choice([("R", "C"), ("R", "C"), ("R",), ("C",), ("RC",)])
        return self.generic(loops, [(None, loops)], False)

    def in_place(self):
        loops = self.r.choice([("R", "C"), ("R", "C"), ("R",), ("C",), ("RC",)])
        value = self.pick(among=self.writable(loops))
        return value is not None and self.generic(loops, [(value, loops)], self.r.random() < 0.8)

    def several(self):
        """Emits an op with several outputs: of equal shape, or rows and reductions of them."""
        r = self.r
        if r.random() < 0.5:
            loops, outs, taken = r.choice([("R", "C"), ("R",), ("C",)]), [], set()
            for _ in range(r.choice([2, 2, 3])):
                value = self.pick(among=self.writable(loops, taken)) if r.random() < 0.5 else None
                if value is not None:
                    taken.add(value.base)
                outs.append((value, loops))
            return self.generic(loops, outs, r.random() < 0.7)
        loops, reduced = ("R", "C"), r.choice(["R", "C", "C"])
        short, outs, taken = tuple(d for d in loops if d != reduced), [], set()
        for _ in range(r.choice([2, 2, 3])):
            # The compiler rejects an output that a reduction loop indexes, so few test programs
            # contain such an output.
            dims = short if r.random() < 0.98 else loops
            value = self.pick(among=self.writable(dims, taken))
            if dims == short and value is None:
                return False
            if dims == loops and r.random() < 0.5:
                value = None
            if value is not None:
                taken.add(value.base)
            outs.append((value, dims))
        return self.generic(loops, outs, r.random() < 0.5, reduced)

    def reduce(self):
        loops, reduced = ("R", "C"), self.r.choice(["R", "C", "C"])
        short = tuple(d for d in loops if d != reduced)
        value = self.pick(among=self.writable(short))
        if value is None:
            return False
        return self.generic(loops, [(value, short)], False, reduced)

    def finish(self):
        """Chooses results; on memrefs, copies values to outputs."""
        r = self.r
        if self.on_tensors:
            self.results = [self.pick() for _ in range(r.choice([1, 2, 3]))]
            return
        for position in range(r.choice([1, 2])):
            value = self.pick()
            out = Value(f"%O{position}", value.dims, value.array.copy(), value.bound)
            self.lines.append(f"memref.copy {value.name}, {out.name} : {self.ty(value.dims)} to {self.ty(value.dims)}")
            self.results.append(out)
        self.lines += [f"memref.dealloc {name} : {ty}" for name, ty in self.allocated]

    def program(self):
        pure = " {bufferization.writable = false}" if self.is_pure else ""
        parameters = [f"{v.name}: {self.ty(v.dims)}{pure}" for v in self.arguments]
        types = ", ".join(self.ty(v.dims) for v in self.results)
        if self.on_tensors:
            head, last = f"({', '.join(parameters)}) -> ({types})", f"return {', '.join(v.name for v in self.results)} : {types}"
        else:
            parameters += [f"{v.name}: {self.ty(v.dims)}" for v in self.results]
            head, last = f"({', '.join(parameters)})", "return"
        body = "\n  ".join([*self.lines, last])
        return "".join(f"{line}\n" for line in self.globals) + f"func.func @f{head} {{\n  {body}\n}}\n"

    def arrays(self):
        """Returns the contents of each argument before and after the run."""
        outs = [np.full(v.array.shape, 77, self.type) for v in self.results]
        return self.before + outs, [v.array for v in self.arguments + self.results]


def attempt(case, options, seconds=120):
    """Returns the outcome of a case, and a message."""
    text = case.program()
    about = f"case {case.index}, {case.form} of {case.element}"
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "f.mlir").write_text(text)
        line = [options.tx, "run", str(folder / "f.mlir"), "--device", options.device, "--quiet"]
        before, after = case.arrays()
        for i, array in enumerate(before):
            np.save(folder / f"{i}.npy", array)
            line += ["--arg", str(folder / f"{i}.npy"), "--out", f"{i}={folder}/out{i}.npy"]
        try:
            done = subprocess.run(line, capture_output=True, text=True, timeout=seconds, env=os.environ | {"TX_CACHE": "off"})
        except subprocess.TimeoutExpired:
            return "crashed", f"{about}: no end in {seconds} s", ""
        reason = next((l for l in done.stderr.splitlines() if "error" in l or "panicked" in l), done.stderr[:200])
        reason = reason.replace(str(folder), "")
        if done.returncode == 1 and "panicked" not in done.stderr:
            return "refused", f"{about}: refused: {reason}", reason
        if done.returncode != 0:
            return "crashed", f"{about}: ends with {done.returncode}: {reason}", reason
        for i, want in enumerate(after):
            if case.on_tensors and not case.is_pure and i < len(case.arguments):
                continue
            got = np.load(folder / f"out{i}.npy")
            same = (got == want) | ((got != got) & (want != want))
            if not same.all():
                at = tuple(int(x) for x in np.argwhere(~same)[0])
                what = "argument" if i < len(case.arguments) else "result"
                number = i if i < len(case.arguments) else i - len(case.arguments)
                return "wrong", f"{about}: {what} {number} at {at}: {got[at]} instead of {want[at]}, {int((~same).sum())} of {same.size}", ""
    return "right", "", ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tx", default="tx")
    parser.add_argument("--cases", type=int, default=100)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--device", default="cpu", help="what programs run on, as for `tx run`")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep", type=pathlib.Path, help="write programs of findings and refusals to this folder")
    parser.add_argument("--show", type=int, help="print the program of this case, and run nothing")
    options = parser.parse_args()
    if options.show is not None:
        print(Case(options.seed, options.show).program(), end="")
        return 0
    if options.keep:
        options.keep.mkdir(parents=True, exist_ok=True)
    ended, steps, refusals = Counter(), Counter(), Counter()

    def one(number):
        case = Case(options.seed, number)
        return case, *attempt(case, options)

    with ThreadPoolExecutor(options.jobs) as pool:
        for case, how, told, reason in pool.map(one, range(options.first, options.first + options.cases)):
            ended[how] += 1
            steps += case.kinds
            if how != "right":
                print(told, flush=True)
                if options.keep:
                    (options.keep / f"{how}-{case.index}.mlir").write_text(case.program())
            if how == "refused":
                refusals[re.sub(r"^.*?error(\[\w+\])?", r"error\1", re.sub(r"\d+", "N", reason))[:120]] += 1
    for reason, count in refusals.most_common():
        print(f"{count} refused: {reason}")
    print("ops: " + ", ".join(f"{count} {name}" for name, count in steps.most_common()))
    print(f"{options.cases} cases: " + ", ".join(f"{count} {name}" for name, count in sorted(ended.items())))
    return ended["wrong"] + ended["crashed"] > 0


if __name__ == "__main__":
    sys.exit(main())
