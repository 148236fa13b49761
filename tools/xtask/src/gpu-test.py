#!/usr/bin/env python3
"""Runs every case of this folder through `tx run` and compares the results.

A case is a program, its arguments and the expected contents of one of them after the run
(cases/manifest.json lists them). Needs Python 3 and NumPy. Exit status 0: all right; 1: some are
not; 2: it could not be tried.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import time

try:
    import numpy
except ImportError:
    sys.exit("gpu-test: this needs NumPy (Debian: apt-get install python3-numpy)")

HERE = pathlib.Path(__file__).resolve().parent


def compare(case, before, got, expected):
    """What is wrong with a result, or None."""
    if got.shape != expected.shape or got.dtype != expected.dtype:
        return f"got {got.dtype}{list(got.shape)}, expected {expected.dtype}{list(expected.shape)}"
    inside = numpy.zeros(got.shape, dtype=bool)
    inside[tuple(slice(start, start + extent) for start, extent in case["region"])] = True
    touched = ~inside & (got.view(f"u{got.itemsize}") != before.view(f"u{got.itemsize}"))
    if touched.any():
        return f"wrote outside its region, at {numpy.argwhere(touched)[0].tolist()}"
    wide, reference = got.astype("f8"), expected.astype("f8")
    close = numpy.abs(wide - reference) <= case["atol"] + case["rtol"] * numpy.abs(reference)
    wrong = numpy.argwhere(inside & ~close)
    if len(wrong):
        at = tuple(wrong[0])
        return f"{len(wrong)} wrong, the first at {list(map(int, at))}: {got[at]}, expected {expected[at]}"
    return None


def run(case, device, folder):
    """What is wrong with a case, or None."""
    home = HERE / "cases" / case["folder"]
    out = folder / "out.npy"
    out.unlink(missing_ok=True)
    command = [HERE / "tx", "run", home / "program.mlir", "--device", device]
    for name in case["args"]:
        command += ["--arg", home / name]
    command += ["--out", f"{case['output']}={out}"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    except subprocess.TimeoutExpired:
        return "no end after 120 s"
    if done.returncode != 0:
        return f"tx run: exit status {done.returncode}\n{done.stderr.rstrip()}"
    before = numpy.load(home / case["args"][case["output"]])
    return compare(case, before, numpy.load(out), numpy.load(home / "expected.npy"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="cuda", help="as for tx run (default: cuda)")
    parser.add_argument("--filter", default="", help="only cases whose id contains this")
    options = parser.parse_args()
    manifest = json.loads((HERE / "cases" / "manifest.json").read_text())
    cases = [case for case in manifest["cases"] if options.filter in case["id"]]
    if not cases:
        print(f"gpu-test: no case has {options.filter!r} in its id", file=sys.stderr)
        return 2
    failed = 0
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        for case in cases:
            trouble = run(case, options.device, pathlib.Path(folder))
            failed += trouble is not None
            print(f"{'ok   ' if trouble is None else 'WRONG'} {case['id']}", flush=True)
            if trouble is not None:
                print("      " + trouble.replace("\n", "\n      "), flush=True)
    verdict = "all right" if not failed else f"{failed} WRONG"
    seconds = time.monotonic() - start
    print(f"gpu-test: {len(cases)} cases on {options.device}: {verdict} ({seconds:.1f} s)")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
