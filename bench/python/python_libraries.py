#!/usr/bin/env python3
"""Measures sorts of ordosort beside NumPy, pandas, pyarrow, polars and PyTorch, of 10 to 10^7 items, on one thread:
python bench/python/python_libraries.py [--json FILE] [--max-size N] [--before FOLDER]. Needs ordosort; other libraries that are
not installed are left out.

Compares the results, and prints microseconds of a call: the median CPU time of as many calls as take a quarter of a second,
from three to 99. NumPy's sorts are measured with each of the instructions that it has here (NPY_DISABLE_CPU_FEATURES), because
half of the processors in use lack AVX-512. With --before, ordosort is measured a second time, as the folder has it.
"""

import argparse
import gc
import importlib
import json
import os
import pathlib
import platform
import re
import statistics
import subprocess
import sys
import time

os.environ.update(OMP_NUM_THREADS="1", POLARS_MAX_THREADS="1", ARROW_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
KINDS = ("int64", "int32", "float64")
OF_ALL_KINDS = ("sort", "argsort")  # other operations are measured of int64 and float64
LEVELS = {"AVX-512": r"X86_V4|AVX512", "AVX2": r"X86_V3|AVX2|FMA3"}  # the names of NumPy's features, by version


def library(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def features(numpy):
    """Returns the sets of instructions beyond the least that NumPy uses here, or none if it does not say."""
    return numpy.show_config("dicts").get("SIMD Extensions", {}).get("found", [])


def level_of(numpy):
    """Returns the name of the instructions that NumPy sorts with."""
    return next((level for level, names in LEVELS.items() if any(re.match(names, f) for f in features(numpy))), "baseline")


def measured(call):
    """Returns microseconds of CPU time of a call."""
    clock = time.process_time
    begin = clock()
    call()
    once = clock() - begin
    inner = max(1, min(2000, int(2e-4 / max(once, 1e-7))))  # calls between two looks at the clock
    rounds = max(3, min(99, int(0.25 / max(once * inner, 1e-7))))
    times = []
    gc.disable()
    for _ in range(rounds):
        begin = clock()
        for _ in range(inner):
            call()
        times.append((clock() - begin) / inner)
    gc.enable()
    return round(statistics.median(times) * 1e6, 3)


def numbers_of(np, kind, size):
    rng = np.random.default_rng(1)
    if kind == "int32":
        return rng.integers(-(2**31), 2**31, size, dtype=np.int32)
    return rng.integers(-(2**62), 2**62, size) if kind == "int64" else rng.normal(size=size)


def calls_of_numpy(np, keys):
    """Returns the calls of NumPy for each operation on numbers."""
    second = np.random.default_rng(2).integers(0, 100, len(keys))
    return {
        "sort": {"": lambda: np.sort(keys), " stable": lambda: np.sort(keys, kind="stable")},
        "argsort": {"": lambda: np.argsort(keys), " stable": lambda: np.argsort(keys, kind="stable")},
        "unique": {"": lambda: np.unique(keys)},
        "order of two columns": {"": lambda: np.lexsort((keys, second))},
        "top 10": {"": lambda: np.sort(keys[np.argpartition(keys, len(keys) - 10)[-10:]])},
        "partition": {"": lambda: np.partition(keys, len(keys) // 2)},
    }


def operations_of(kind, calls):
    return {name: call for name, call in calls.items() if kind != "int32" or name in OF_ALL_KINDS}


def sizes_to(most):
    return [10**e for e in range(1, 8) if 10**e <= most]


def times_of_numpy(np, most):
    """Returns the times of NumPy alone, as a list of operation, kind, size and times by the names of the calls."""
    return [
        (name, kind, size, {f"numpy{which}": measured(call) for which, call in calls.items()})
        for size in sizes_to(most)
        for kind in KINDS
        for name, calls in operations_of(kind, calls_of_numpy(np, numbers_of(np, kind, size))).items()
    ]


def times_of_others(np, most):
    """Returns the times of NumPy with fewer instructions than it has here, by their name."""
    found, times = features(np), {}
    for disabled, level in (("AVX-512",), "AVX2"), (("AVX-512", "AVX2"), "baseline"):
        names = [f for f in found if any(re.match(LEVELS[one], f) for one in disabled)]
        if level == level_of(np) or not names:
            continue
        environment = dict(os.environ, NPY_DISABLE_CPU_FEATURES=" ".join(names))
        command = [sys.executable, __file__, "--only-numpy", "--max-size", str(most)]
        own = json.loads(subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True).stdout)
        if own["level"] == level:  # else the variable does nothing, or the instructions are the least here
            times[level] = own["times"]
    return times


def times_before(folder, most):
    """Returns the times of ordosort in a folder, as a list of operation, kind, size and time."""
    environment = dict(os.environ, PYTHONPATH=folder)
    command = [sys.executable, __file__, "--only-ordosort", "--max-size", str(most)]
    return json.loads(subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True).stdout)


def processor():
    found = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())
    return found[1] if found else platform.machine()


def main():
    parser = argparse.ArgumentParser(description="Measures sorts of ordosort beside other libraries, on one thread.")
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--max-size", type=int, default=10_000_000, metavar="N")
    parser.add_argument("--before", metavar="FOLDER", help="a folder with an older package ordosort")
    parser.add_argument("--only-numpy", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--only-ordosort", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    import numpy as np

    if given.only_numpy:
        print(json.dumps({"level": level_of(np), "times": times_of_numpy(np, given.max_size)}))
        return

    import ordosort

    pandas, pyarrow, polars, torch = map(library, ("pandas", "pyarrow", "polars", "torch"))
    if pyarrow:
        import pyarrow.compute as compute

        pyarrow.set_cpu_count(1)
    if torch:
        torch.set_num_threads(1)
    ordosort.set_default_machine(ordosort.Machine("cpu", threads=1))

    def calls_of_numbers(keys):
        """Returns for each operation the calls of the libraries, the first of which is ours."""
        arrow = pyarrow and pyarrow.array(keys)
        series, tensor = polars and polars.Series(keys), torch and torch.from_numpy(keys.copy())
        frame = pandas and pandas.Series(keys)
        second = np.random.default_rng(2).integers(0, 100, len(keys))
        two, both = pyarrow and pyarrow.table({"a": second, "b": arrow}), polars and polars.DataFrame({"a": second, "b": keys})
        calls = {
            "sort": {
                "ordosort": lambda: ordosort.sort(keys),
                "pandas": pandas and (lambda: frame.sort_values()),
                "polars": polars and (lambda: series.sort()),
                "torch": torch and (lambda: torch.sort(tensor)),
            },
            "argsort": {
                "ordosort": lambda: ordosort.argsort(keys),
                "pyarrow": pyarrow and (lambda: compute.sort_indices(arrow)),
                "polars": polars and (lambda: series.arg_sort()),
                "torch": torch and (lambda: torch.argsort(tensor, stable=True)),
            },
            "unique": {
                "ordosort": lambda: ordosort.unique(keys),
                "pandas": pandas and (lambda: frame.unique()),
                "pyarrow": pyarrow and (lambda: compute.unique(arrow)),
                "polars": polars and (lambda: series.unique()),
                "torch": torch and (lambda: torch.unique(tensor)),
            },
            "order of two columns": {
                "ordosort": lambda: ordosort.argsort_rows([second, keys]),
                "pyarrow": pyarrow and (lambda: compute.sort_indices(two, [("a", "ascending"), ("b", "ascending")])),
                "polars": polars and (lambda: both.select(polars.arg_sort_by(["a", "b"]))),
            },
            "top 10": {
                "ordosort": lambda: ordosort.top_k(keys, 10),
                "pyarrow": pyarrow and (lambda: compute.top_k_unstable(arrow, 10)),
                "polars": polars and (lambda: series.top_k(10)),
                "torch": torch and (lambda: torch.topk(tensor, 10)),
            },
            "partition": {
                "ordosort": lambda: ordosort.partition(keys, len(keys) // 2),
                "torch": torch and (lambda: torch.kthvalue(tensor, len(keys) // 2)),
            },
        }
        for name, own in calls_of_numpy(np, keys).items():
            calls[name].update({f"numpy{which}": call for which, call in own.items()})
        return calls

    def calls_of_strings(words):
        unicode, arrow = np.array(words), pyarrow and pyarrow.array(words)
        series = polars and polars.Series(words)
        return {
            "sort of a list of str": {
                "ordosort": lambda: ordosort.sort_strings(words),
                "sorted": lambda: sorted(words),
            },
            "sort of NumPy's U": {
                "ordosort": lambda: ordosort.sort_strings(unicode),
                "numpy": lambda: np.sort(unicode),
            },
            "sort of Arrow's strings": {
                "ordosort": pyarrow and (lambda: ordosort.sort_strings(arrow)),
                "pyarrow": pyarrow and (lambda: arrow.take(compute.sort_indices(arrow))),
                "polars": polars and (lambda: series.sort()),
            },
        }

    def calls_of_tables(size):
        """Returns the calls for records, and for times of which a tenth are null."""
        rng = np.random.default_rng(3)
        records = np.zeros(size, [("a", "i4"), ("b", "f8")])
        records["a"], records["b"] = rng.integers(0, 100, size), rng.normal(size=size)
        times, missing = rng.integers(0, 2**60, size).view("M8[ns]"), rng.random(size) < 0.1
        arrow = pyarrow and pyarrow.array(times, mask=missing)
        series = polars and polars.Series(times).set(polars.Series(missing), None)
        frame = pandas and pandas.Series(np.where(missing, np.datetime64("NaT"), times))
        return {
            "positions of records": {
                "ordosort": lambda: ordosort.argsort(records),
                "numpy": size <= 100_000 and (lambda: np.argsort(records, order=("a", "b"))),
            },
            "positions of times with nulls": {
                "ordosort": pyarrow and (lambda: ordosort.argsort(arrow)),
                "pandas": pandas and (lambda: frame.argsort()),
                "pyarrow": pyarrow and (lambda: compute.sort_indices(arrow)),
                "polars": polars and (lambda: series.arg_sort()),
            },
        }

    rows = []

    def measure(kind, size, operations):
        for operation, calls in operations.items():
            if not calls["ordosort"]:
                continue
            if given.only_ordosort:
                try:
                    rows.append((operation, kind, size, measured(calls["ordosort"])))
                except (AttributeError, TypeError) as error:  # an older version lacks it
                    print(f"{operation} of {kind}: {error}", file=sys.stderr)
                continue
            times = {name: measured(call) for name, call in calls.items() if call}
            rows.append({"operation": operation, "items": kind, "size": size, "microseconds": times})
            ours = times["ordosort"]
            others = "  ".join(f"{name} {t:.4g} ({t / ours:.2f})" for name, t in times.items() if name != "ordosort")
            print(f"{operation:22} {kind:8} {size:9}  ordosort {ours:.4g}  {others}", flush=True)

    load = [os.getloadavg()[0]]
    for size in sizes_to(given.max_size):
        for kind in KINDS:
            keys = numbers_of(np, kind, size)
            if not np.array_equal(ordosort.sort(keys), np.sort(keys)):
                raise SystemExit(f"sort of {kind}: the results differ")
            if not np.array_equal(ordosort.argsort(keys), np.argsort(keys, kind="stable")):
                raise SystemExit(f"argsort of {kind}: the results differ")
            measure(kind, size, operations_of(kind, calls_of_numbers(keys)))
        if size <= 1_000_000:
            words = [f"{x:x}" for x in np.random.default_rng(1).integers(0, 2**40, size).tolist()]
            if ordosort.sort_strings(words) != sorted(words):
                raise SystemExit("sort of strings: the results differ")
            measure("str", size, calls_of_strings(words))
            measure("columns", size, calls_of_tables(size))
        load.append(os.getloadavg()[0])
    if given.only_ordosort:
        print(json.dumps(rows))
        return
    level = level_of(np)
    for operation, kind, size, time_before in times_before(given.before, given.max_size) if given.before else []:
        row = next(r for r in rows if (r["operation"], r["items"], r["size"]) == (operation, kind, size))
        row["before"] = time_before
    for other, times in times_of_others(np, given.max_size).items():
        for operation, kind, size, own in times:
            row = next(r for r in rows if (r["operation"], r["items"], r["size"]) == (operation, kind, size))
            row["microseconds"].update({f"{name} {other}": t for name, t in own.items()})
        load.append(os.getloadavg()[0])
    versions = {m.__name__: m.__version__ for m in (np, pandas, pyarrow, polars, torch) if m}
    report = {
        "machine": {"processor": processor(), "threads": 1, "cores": os.cpu_count(), "load": [round(x, 1) for x in load]},
        "numpy": level,
        "versions": versions | {"python": platform.python_version()},
    }
    if given.json:
        lines = ",\n".join("  " + json.dumps(row) for row in rows)
        head = json.dumps(report, indent=1)[:-2]
        pathlib.Path(given.json).write_text(f'{head},\n "rows": [\n{lines}\n ]\n}}\n')
    print(f"NumPy's instructions: {level}; versions: {report['versions']}")


if __name__ == "__main__":
    main()
