#!/usr/bin/env python3
"""Runs every case of this directory with `tx run` and compares the results.

A case is a program, its arguments, and the expected contents of some arguments after the run. The lists are
cases/manifest.json, conformance/manifest.json and programs/manifest.json. Needs Python 3 and NumPy. Exit
status 0: all correct; 1: some results are wrong; 2: the cases could not run.
"""

import argparse
import concurrent.futures
import json
import os
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
SUITES = ("cases", "conformance", "programs")


def numbers(array, kind):
    """Returns the elements as f64. bf16 files hold 16-bit words, because NumPy has no bf16."""
    if kind == "bf16":
        return (array.astype("u4") << 16).view("f4").astype("f8")
    return array.astype("f8")


def compare(output, before, got, expected):
    """Returns the difference between a result and its expected value, or None."""
    if got.shape != expected.shape or got.dtype != expected.dtype:
        return f"got {got.dtype}{list(got.shape)}, expected {expected.dtype}{list(expected.shape)}"
    inside = numpy.zeros(got.shape, dtype=bool)
    inside[tuple(slice(start, start + extent) for start, extent in output["region"])] = True
    words = f"u{got.itemsize}"
    touched = ~inside & (got.view(words) != before.view(words))
    if touched.any():
        return f"wrote outside its region, at {numpy.argwhere(touched)[0].tolist()}"
    wide, reference = numbers(got, output["type"]), numbers(expected, output["type"])
    with numpy.errstate(invalid="ignore"):
        # Infinities are compared by equality, because the difference of two equal infinities is
        # NaN. A NaN in the result is an error.
        difference = numpy.abs(wide - reference)
        close = difference <= output["atol"] + output["rtol"] * numpy.abs(reference)
    wrong = numpy.argwhere(inside & ~(close | (wide == reference)))
    if len(wrong):
        at = tuple(wrong[0])
        return f"{len(wrong)} wrong, the first at {list(map(int, at))}: {wide[at]}, expected {reference[at]}"
    return None


def compare_exact(output, home, got, expected):
    """Returns the difference of a result that is compared bit by bit (all NaNs are equal), or None.
    Elements with a tolerance above 0 are compared within it."""
    if got.shape != expected.shape or got.dtype != expected.dtype:
        return f"got {got.dtype}{list(got.shape)}, expected {expected.dtype}{list(expected.shape)}"
    words = f"u{got.itemsize}"
    same = numpy.atleast_1d(got).view(words) == numpy.atleast_1d(expected).view(words)
    right = same.reshape(got.shape)
    wide, reference = numbers(got, output["type"]), numbers(expected, output["type"])
    if output["type"] in ("f16", "bf16", "f32", "f64"):
        right |= numpy.isnan(wide) & numpy.isnan(reference)
    if "tolerance" in output:
        tolerance = numpy.load(home / output["tolerance"])
        with numpy.errstate(invalid="ignore"):
            right |= (tolerance > 0) & (numpy.abs(wide - reference) <= tolerance)
    wrong = numpy.argwhere(~right)
    if len(wrong):
        at = tuple(wrong[0])
        place = list(map(int, at))
        return f"{output['label']}: {len(wrong)} wrong, the first at {place}: {wide[at]}, expected {reference[at]}"
    return None


def words(case, options, folder):
    """Returns the arguments of `tx run` for a case, and the file of each result."""
    home = case["home"]
    results = {output["argument"]: folder / f"out{output['argument']}.npy" for output in case["outputs"]}
    words = [f"{home}/program.mlir", "--device", options.device]
    if "chip" in case and options.device == "cpu":
        words += ["--chip", case["chip"]]
    if "entry" in case:
        words += ["--entry", case["entry"]]
    for spec in case["args"]:
        # An argument is either a file, optionally with a type, or a number.
        words += ["--arg", f"{home}/{spec}" if ".npy" in spec else spec]
    for argument, file in results.items():
        file.unlink(missing_ok=True)
        words += ["--out", f"{argument}={file}"]
    if options.graph:
        words.append("--graph")
    return words, results


def execute(command, options, seconds):
    """Runs `tx`, with a sanitizer if requested; None after a timeout."""
    command = [str(HERE / "tx"), *command]
    if options.sanitizer:
        # A separate exit status distinguishes errors that the sanitizer finds from errors that tx
        # reports.
        tool = ["compute-sanitizer", "--tool", options.sanitizer, "--error-exitcode", "99"]
        command = tool + command
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        return None


def judge(case, results):
    """Returns the first wrong result of a case, or None."""
    home = case["home"]
    for output in case["outputs"]:
        argument = output["argument"]
        got = numpy.load(results[argument])
        if output.get("compare") == "exact":
            trouble = compare_exact(output, home, got, numpy.load(home / output["expected"]))
            if trouble is not None:
                return trouble
            continue
        before = numpy.load(home / case["args"][argument].split(":")[0])
        expected = numpy.load(home / output["expected"])
        trouble = compare(output, before, got, expected)
        if trouble is not None:
            return f"argument {argument}: {trouble}"
    return None


def run(case, options, folder):
    """Returns the error of a case, or None."""
    command, results = words(case, options, folder)
    done = execute(["run", *command], options, 300)
    if done is None:
        return "no end after 300 s"
    if done.returncode != 0:
        said = (done.stdout if options.sanitizer else "") + done.stderr
        return f"exit status {done.returncode}\n{said.rstrip()}"
    return judge(case, results)


def run_batch(cases, options, folder):
    """Returns the error of each case, or None. The cases share a process, because opening a GPU takes
    longer than a case. A failed case runs again in its own process, which decides."""
    runs = []
    for number, case in enumerate(cases):
        own = folder / str(number)
        own.mkdir()
        runs.append((case, own, *words(case, options, own)))
    lines = folder / "runs.jsonl"
    lines.write_text("".join(json.dumps(command) + "\n" for _, _, command, _ in runs))
    done = execute(["batch", str(lines)], options, 600)
    if done is None or done.returncode != 0:
        return [run(case, options, own) for case, own, _, _ in runs]
    return [judge(case, results) for case, _, _, results in runs]


def capability():
    """Returns the compute capability of the first GPU, times ten."""
    query = ["nvidia-smi", "--query-gpu=compute_cap", "--format=csv,noheader"]
    done = subprocess.run(query, capture_output=True, text=True, check=True)
    return int(done.stdout.split()[0].replace(".", ""))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="cuda", help="as for tx run (default: cuda)")
    parser.add_argument("--filter", default="", help="only cases whose id contains this")
    parser.add_argument("--every", type=int, default=1, help="only every N-th case")
    parser.add_argument("--jobs", type=int, default=max(1, (os.cpu_count() or 2) - 1), help="cases at a time")
    parser.add_argument("--batch", type=int, default=16, help="cases in one process (default: 16)")
    parser.add_argument("--sanitizer", metavar="TOOL", help="run under compute-sanitizer: memcheck, racecheck, synccheck or initcheck")
    parser.add_argument("--graph", action="store_true", help="launch every case through a CUDA graph")
    options = parser.parse_args()
    cases = []
    for suite in SUITES:
        manifest = json.loads((HERE / suite / "manifest.json").read_text())
        for case in manifest["cases"]:
            cases.append({**case, "home": HERE / suite / case["folder"]})
    cases = [case for case in cases if options.filter in case["id"]][:: options.every]
    if not cases:
        print(f"gpu-test: no case has {options.filter!r} in its id", file=sys.stderr)
        return 2
    beyond = []
    if options.device != "cpu":
        chip = capability()
        needs = lambda case: int(case.get("chip", "sm_0").removeprefix("sm_").rstrip("af"))
        beyond = [case for case in cases if needs(case) > chip]
        cases = [case for case in cases if needs(case) <= chip]
    failed = 0
    start = time.monotonic()

    def attempt(batch):
        with tempfile.TemporaryDirectory() as folder:
            return batch, run_batch(batch, options, pathlib.Path(folder))

    batches = [cases[at : at + options.batch] for at in range(0, len(cases), options.batch)]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for batch, troubles in pool.map(attempt, batches):
            for case, trouble in zip(batch, troubles):
                failed += trouble is not None
                print(f"{'ok   ' if trouble is None else 'WRONG'} {case['id']}", flush=True)
                if trouble is not None:
                    print("      " + trouble.replace("\n", "\n      "), flush=True)
    verdict = "all right" if not failed else f"{failed} WRONG"
    seconds = time.monotonic() - start
    under = " through graphs" if options.graph else ""
    under += f" under {options.sanitizer}" if options.sanitizer else ""
    print(f"gpu-test: {len(cases)} cases on {options.device}{under}: {verdict} ({seconds:.1f} s)")
    if beyond:
        print(f"gpu-test: {len(beyond)} more cases are for newer chips and were not run")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
