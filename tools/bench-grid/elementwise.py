#!/usr/bin/env python3
"""Benchmarks element-wise kernels and transposes of `tx`, torch and torch.compile.

elementwise.py compile TX FOLDER [CHIP]   writes and compiles programs; needs no GPU
elementwise.py measure FOLDER OUT.json [SECONDS]   times them, on a GPU with PyTorch

Arrays have 1 GiB. All competitors of a table row are timed alternately in one process; the figure is the
median. A row with a wrong result is invalid. GB/s count every input array once and every output array once.
"""

import json
import pathlib
import statistics
import subprocess
import sys
import time

GIB = 1 << 30
BYTES = {"f32": 4, "bf16": 2, "f16": 2, "i8": 1}
TURNS = 15


def cases():
    for element in BYTES:
        for columns in (4096, 4095):
            rows = GIB // BYTES[element] // 4096
            for kind in ("twice", "row", "column"):
                yield dict(kind=kind, element=element, shape=[rows, columns])
    for columns in (4096, 4095):
        yield dict(kind="widen", element="bf16", shape=[GIB // 4 // 4096, columns])
        yield dict(kind="narrow", element="bf16", shape=[GIB // 4 // 4096, columns])
        for element in ("f32", "bf16"):
            yield dict(kind="chain", element=element, shape=[GIB // BYTES[element] // 2 // 4096, columns])
    for element in ("f32", "bf16"):
        yield dict(kind="transpose", element=element, shape=[16384, 16384], order=[1, 0])
        for order in ([0, 2, 1, 3], [0, 3, 1, 2], [3, 2, 1, 0], [1, 0, 3, 2], [2, 3, 0, 1]):
            yield dict(kind="transpose", element=element, shape=[64, 128, 256, 128], order=order)
        yield dict(kind="transpose", element=element, shape=[16383, 16385], order=[1, 0])
        yield dict(kind="transpose", element=element, shape=[256, 1023, 1025], order=[0, 2, 1])


def name(case):
    order = "-" + "".join(map(str, case["order"])) if "order" in case else ""
    return "-".join([case["kind"], case["element"], "x".join(map(str, case["shape"]))]) + order


def memref(shape, element):
    return f"memref<{'x'.join([*map(str, shape), element])}>"


def program(case):
    kind, shape, element = case["kind"], case["shape"], case["element"]
    if kind == "transpose":
        order = case["order"]
        source, target = memref(shape, element), memref([shape[d] for d in order], element)
        return (f"func.func @program(%A: {source}, %B: {target}) {{\n"
                f"  linalg.transpose ins(%A : {source}) outs(%B : {target}) permutation = {order}\n  return\n}}\n")
    if kind == "chain":
        return chain(shape, element)
    add, multiply = ("arith.addi", "arith.muli") if element == "i8" else ("arith.addf", "arith.mulf")
    full, row, column = memref(shape, element), memref(shape[1:], element), memref(shape[:1], element)
    whole, along, across = "affine_map<(i, j) -> (i, j)>", "affine_map<(i, j) -> (j)>", "affine_map<(i, j) -> (i)>"
    result, steps = element, {
        "twice": [(full, whole)], "row": [(full, whole), (row, along)],
        "column": [(full, whole), (column, across), (row, along)], "widen": [(full, whole)], "narrow": [(full, whole)],
    }[kind]
    body = {
        "twice": f"%r = {add} %x0, %x0 : {element}", "row": f"%r = {add} %x0, %x1 : {element}",
        "column": f"%p = {multiply} %x0, %x1 : {element}\n    %r = {add} %p, %x2 : {element}",
        "widen": "%r = arith.extf %x0 : bf16 to f32", "narrow": "%r = arith.truncf %x0 : f32 to bf16",
    }[kind]
    if kind == "widen":
        result = "f32"
    if kind == "narrow":
        steps, result = [(memref(shape, "f32"), whole)], "bf16"
    elements = ["f32" if kind == "narrow" else element] * len(steps)
    types = [ty for ty, _ in steps]
    target = memref(shape, result)
    arguments = ", ".join(f"%x{i}: {ty}" for i, ty in enumerate(elements))
    return (f"func.func @program({', '.join(f'%A{i}: {ty}' for i, ty in enumerate(types))}, %B: {target}) {{\n"
            f"  linalg.generic {{indexing_maps = [{', '.join([m for _, m in steps] + [whole])}],\n"
            f'    iterator_types = ["parallel", "parallel"]}}\n'
            f"    ins({', '.join(f'%A{i}' for i in range(len(steps)))} : {', '.join(types)}) outs(%B : {target}) {{\n"
            f"  ^bb0({arguments}, %o: {result}):\n    {body}\n    linalg.yield %r : {result}\n  }}\n  return\n}}\n")


def chain(shape, element):
    """b * (2 a + row) + exp(a), as separate ops with temporaries."""
    full, row = memref(shape, element), memref(shape[1:], element)
    whole, along = "affine_map<(i, j) -> (i, j)>", "affine_map<(i, j) -> (j)>"

    def generic(inputs, types, maps, out, body):
        arguments = ", ".join(f"%x{i}: {element}" for i in range(len(inputs)))
        return (f"  linalg.generic {{indexing_maps = [{', '.join([*maps, whole])}],\n"
                f'    iterator_types = ["parallel", "parallel"]}}\n'
                f"    ins({', '.join(inputs)} : {', '.join(types)}) outs({out} : {full}) {{\n"
                f"  ^bb0({arguments}, %o: {element}):\n    {body}\n    linalg.yield %r : {element}\n  }}\n")

    def named(op, *operands):
        *inputs, out = operands
        return (f"  linalg.{op} ins({', '.join(inputs)} : {', '.join([full] * len(inputs))}) "
                f"outs({out} : {full})\n")

    temporaries = ["%S", "%T", "%E", "%U"]
    ops = [
        generic(["%A"], [full], [whole], "%S", f"%two = arith.constant 2.0 : {element}\n    %r = arith.mulf %x0, %two : {element}"),
        generic(["%S", "%R"], [full, row], [whole, along], "%T", f"%r = arith.addf %x0, %x1 : {element}"),
        named("exp", "%A", "%E"), named("mul", "%C", "%T", "%U"), named("add", "%U", "%E", "%B"),
    ]
    return (f"func.func @program(%A: {full}, %C: {full}, %R: {row}, %B: {full}) {{\n"
            + "".join(f"  {t} = memref.alloc() : {full}\n" for t in temporaries) + "".join(ops)
            + "".join(f"  memref.dealloc {t} : {full}\n" for t in temporaries) + "  return\n}\n")


def compile_all(tx, folder, chip):
    folder.mkdir(parents=True, exist_ok=True)
    for case in cases():
        path = folder / f"{name(case)}.mlir"
        path.write_text(program(case))
        command = [tx, "compile", path, "--chip", chip, "-o", path.with_suffix(".ptx"), "--plan", path.with_suffix(".json")]
        subprocess.run(command, check=True)


def measure(folder, out, seconds):
    import torch
    sys.path.insert(0, str(pathlib.Path(__file__).parent))
    from launch import Program

    types = {"f32": torch.float32, "bf16": torch.bfloat16, "f16": torch.float16, "i8": torch.int8}
    functions = {
        "twice": lambda a: a + a, "row": lambda a, r: a + r, "column": lambda a, c, r: a * c + r,
        "widen": lambda a: a.float(), "narrow": lambda a: a.bfloat16(),
        "chain": lambda a, b, r: b * (a * 2 + r) + torch.exp(a),
    }
    begin, rows = time.time(), []
    torch._dynamo.config.cache_size_limit = torch._dynamo.config.recompile_limit = 1000

    def array(shape, ty):
        if ty == torch.int8:
            return torch.randint(-128, 128, shape, dtype=ty, device="cuda")
        return torch.randn(shape, dtype=ty, device="cuda")

    def milliseconds(runs):
        times = {who: [] for who in runs}
        for turn in range(TURNS + 2):
            for who, run in runs.items():
                start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
                start.record()
                run()
                end.record()
                torch.cuda.synchronize()
                if turn >= 2:
                    times[who].append(start.elapsed_time(end))
        return {who: statistics.median(each) for who, each in times.items()}

    x = torch.empty(GIB, dtype=torch.int8, device="cuda")
    y = torch.empty_like(x)
    copy = 2 * GIB / milliseconds({"copy": lambda: y.copy_(x)})["copy"] / 1e6
    del x, y
    print(torch.cuda.get_device_name(), f"copy {copy:.0f} GB/s", flush=True)
    for case in cases():
        if time.time() - begin > seconds:
            print("out of time at", name(case))
            break
        shape, ty = case["shape"], types["f32" if case["kind"] == "narrow" else case["element"]]
        full = array(shape, ty)
        column = [array([shape[0]], ty)] if case["kind"] == "column" else []
        row = [array(shape[1:], ty)] if case["kind"] in ("row", "column", "chain") else []
        other = [array(shape, ty)] if case["kind"] == "chain" else []
        order = case.get("order")
        function = functions.get(case["kind"]) or (lambda a: a.permute(order).contiguous())
        shaped = [full, *other, *(c[:, None] for c in column), *row]
        expected = function(*shaped)
        result = torch.empty_like(expected)
        tx = Program((folder / f"{name(case)}.ptx").read_bytes() + b"\0",
                     (folder / f"{name(case)}.json").read_text(), [full, *other, *column, *row, result])
        torch._dynamo.reset()
        compiled = torch.compile(function, dynamic=False)
        compiled(*shaped)
        tx.launch()
        torch.cuda.synchronize()
        close = dict(rtol=1e-2, atol=1e-2) if case["kind"] in ("column", "chain") else dict(rtol=0, atol=0)
        is_right = torch.allclose(result, expected, **close)
        times = milliseconds({"tx": tx.launch, "torch": lambda: function(*shaped), "compile": lambda: compiled(*shaped)})
        moved = sum(a.numel() * a.element_size() for a in (full, *other, *column, *row, result))
        speeds = {who: round(moved / time_ / 1e6) for who, time_ in times.items()}
        best = max(speeds["torch"], speeds["compile"])
        rows.append(dict(name=name(case), **speeds, ratio=round(speeds["tx"] / best, 3) if is_right else None))
        print(json.dumps(rows[-1]), flush=True)
        del full, other, row, column, shaped, expected, result, tx
        torch.cuda.empty_cache()
    out.write_text(json.dumps(dict(device=torch.cuda.get_device_name(), copy=round(copy), rows=rows), indent=1) + "\n")


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["compile", tx, folder, *chip]:
            compile_all(tx, pathlib.Path(folder), *(chip or ["sm_90"]))
        case ["measure", folder, out, *seconds]:
            measure(pathlib.Path(folder), pathlib.Path(out), float(seconds[0]) if seconds else 500)
        case _:
            sys.exit(__doc__)
