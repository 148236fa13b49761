#!/usr/bin/env python3
"""Compares `tx` with PyTorch on arrays of 0.5 GiB and more. `tx validate` skips kernels for such sizes,
because they take too long without a GPU.

    check-large.py [--tx ./tx]

Sizes leave remainders, arrays are misaligned, and sizes are static or dynamic. Batch-invariant results of a
row must have equal bits for any number of rows. Needs PyTorch and 8 GiB of GPU memory. Exit status 0: all
correct; 1: some results are wrong.
"""

import argparse
import importlib.util
import math
import pathlib
import subprocess
import sys
import tempfile

import torch

from launch import Program

HERE = pathlib.Path(__file__).resolve().parent
HALF_GIBIBYTE = 1 << 29

_spec = importlib.util.spec_from_file_location("bench_grid", HERE / "bench-grid.py")
bench = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(bench)


def numbers(type, count):
    kind = bench.TYPES[type]
    if kind.is_floating_point:
        # Sums of 10^9 elements must stay within the range of f16.
        return torch.randn(count, device="cuda", dtype=kind) / 8
    return torch.randint(-100, 100, (count,), device="cuda", dtype=kind)


class Checks:
    def __init__(self, tx, folder):
        self.tx, self.folder = tx, folder
        major, minor = torch.cuda.get_device_capability()
        self.chip = f"sm_{major}{minor}"
        self.count, self.wrong = 0, 0

    def note(self, is_right, what):
        self.count += 1
        self.wrong += not is_right
        print("ok   " if is_right else "WRONG", what, flush=True)

    def run(self, case, data, offset=0):
        """Launches a case twice and checks the results of both launches; returns those of the second."""
        path, ptx, plan = (self.folder / f"case.{end}" for end in ("mlir", "ptx", "json"))
        path.write_text(case.text())
        command = [self.tx, "compile", path, "--chip", self.chip, "--cache", "off", "-o", ptx, "--plan", plan]
        subprocess.run(command, check=True, stdin=subprocess.DEVNULL)
        x = data[offset : offset + math.prod(case.shape)].view(case.shape)
        found, wanted = case.outputs(), case.reference(x)
        program = Program(ptx.read_bytes(), plan.read_text(), [x, *found])
        is_right = True
        for _ in range(2):
            program.launch()
            torch.cuda.synchronize()
            is_right = is_right and case.is_right(found, wanted, x)
        name = f"{case.name}, from element {offset} on"
        self.note(is_right, name if is_right else f"{name}: {found}, expected {wanted}")
        return found


def whole_arrays(checks):
    for type, size in bench.SIZES.items():
        if type == "i64":
            continue
        half = HALF_GIBIBYTE // size
        data = numbers(type, 2 * half + 100)
        known, unknown = (), (0,)
        lengths = [(half, unknown), (half + 1, unknown), (half + 12345, unknown), (2 * half - 1, unknown), (half + 3, known), (2 * half + 7, known)]
        for n, free in lengths:
            for offset in (0, 1, 3):
                checks.run(bench.Case("", [n], [0], type=type, free=free), data, offset)


def few_rows(checks):
    for type in ("f32", "i32"):
        half = HALF_GIBIBYTE // bench.SIZES[type]
        data = numbers(type, half + (1 << 16))
        for rows in (2, 3, 7, 17, 256, 1000, 5000):
            for kind in ("sum", "max", "argmax"):
                for offset in (0, 1):
                    checks.run(bench.Case("", [rows, half // rows + 9], [1], kind=kind, type=type, free=()), data, offset)


def batch_invariant_rows(checks):
    data = numbers("f32", 100 << 20)
    for n in (262144, 300000, 300001, 1 << 20):
        case = lambda rows, free=(): bench.Case("", [rows, n], [1], free=free, determinism="batch_invariant")
        [whole] = checks.run(case(100), data)
        others = [checks.run(case(rows), data)[0] for rows in (1, 2, 5)] + [checks.run(case(100, (0,)), data)[0]]
        same = all(torch.equal(rows, whole[: len(rows)]) for rows in others)
        checks.note(same, f"rows of {n} have the same bits, however many there are")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tx", default=str(HERE / "tx"), help="the compiler")
    options = parser.parse_args()
    torch.manual_seed(1)
    with tempfile.TemporaryDirectory() as folder:
        checks = Checks(options.tx, pathlib.Path(folder))
        whole_arrays(checks)
        few_rows(checks)
        batch_invariant_rows(checks)
    print(f"check-large: {checks.count} checks, {checks.wrong} wrong")
    sys.exit(1 if checks.wrong else 0)


if __name__ == "__main__":
    main()
