#!/usr/bin/env python3
"""Measures sorts of ordosort beside NumPy, pandas, pyarrow, polars and PyTorch, of 10 to 10^7 items, on one thread:
python bench/python/python_libraries.py [--json FILE] [--max-size N] [--without-avx512]. Needs ordosort; other libraries that are not
installed are left out.

Compares the results, and prints microseconds of a call: the median of as many calls as take half a second, from three to 99.
--without-avx512 forbids NumPy these instructions, which half of the processors in use do not have.
"""

import argparse
import importlib
import json
import os
import statistics
import sys
import time

os.environ.update(OMP_NUM_THREADS="1", POLARS_MAX_THREADS="1", ARROW_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
AVX512 = "AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL AVX512_SPR"


def library(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def measured(call):
    """Returns microseconds of a call."""
    begin = time.perf_counter()
    call()
    once = time.perf_counter() - begin
    inner = max(1, min(2000, int(2e-4 / max(once, 1e-7))))  # calls between two looks at the clock
    rounds = max(3, min(99, int(0.5 / max(once * inner, 1e-7))))
    times = []
    for _ in range(rounds):
        begin = time.perf_counter()
        for _ in range(inner):
            call()
        times.append((time.perf_counter() - begin) / inner)
    return statistics.median(times) * 1e6


def main():
    parser = argparse.ArgumentParser(description="Measures sorts of ordosort beside other libraries, on one thread.")
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--max-size", type=int, default=10_000_000, metavar="N")
    parser.add_argument("--without-avx512", action="store_true")
    given = parser.parse_args()
    if given.without_avx512 and "NPY_DISABLE_CPU_FEATURES" not in os.environ:
        os.environ["NPY_DISABLE_CPU_FEATURES"] = AVX512
        os.execv(sys.executable, [sys.executable, *sys.argv])

    import numpy as np

    import ordosort

    pandas, pyarrow, polars, torch = map(library, ("pandas", "pyarrow", "polars", "torch"))
    if pyarrow:
        import pyarrow.compute as compute

        pyarrow.set_cpu_count(1)
    if torch:
        torch.set_num_threads(1)
    one = ordosort.Machine("cpu", threads=1)
    ordosort.set_default_machine(one)

    def calls_of_numbers(keys):
        """Returns for each operation the calls of the libraries, the first of which is ours."""
        arrow = pyarrow and pyarrow.array(keys)
        series, tensor = polars and polars.Series(keys), torch and torch.from_numpy(keys.copy())
        frame = pandas and pandas.Series(keys)
        second = np.random.default_rng(2).integers(0, 100, len(keys))
        return {
            "sort": {
                "ordosort": lambda: ordosort.sort(keys),
                "numpy": lambda: np.sort(keys),
                "numpy stable": lambda: np.sort(keys, kind="stable"),
                "pandas": frame is not None and (lambda: frame.sort_values()),
                "polars": series is not None and (lambda: series.sort()),
                "torch": tensor is not None and (lambda: torch.sort(tensor)),
            },
            "argsort": {
                "ordosort": lambda: ordosort.argsort(keys),
                "numpy": lambda: np.argsort(keys),
                "numpy stable": lambda: np.argsort(keys, kind="stable"),
                "pyarrow": arrow is not None and (lambda: compute.sort_indices(arrow)),
                "polars": series is not None and (lambda: series.arg_sort()),
                "torch": tensor is not None and (lambda: torch.argsort(tensor, stable=True)),
            },
            "unique": {
                "ordosort": lambda: ordosort.unique(keys),
                "numpy": lambda: np.unique(keys),
                "pandas": frame is not None and (lambda: frame.unique()),
                "pyarrow": arrow is not None and (lambda: compute.unique(arrow)),
                "polars": series is not None and (lambda: series.unique()),
                "torch": tensor is not None and (lambda: torch.unique(tensor)),
            },
            "order of two columns": {
                "ordosort": lambda: ordosort.argsort_rows([second, keys]),
                "numpy": lambda: np.lexsort((keys, second)),
                "pyarrow": arrow is not None
                and (
                    lambda table=pyarrow.table({"a": second, "b": arrow}): compute.sort_indices(
                        table, [("a", "ascending"), ("b", "ascending")]
                    )
                ),
                "polars": series is not None
                and (lambda frame=polars.DataFrame({"a": second, "b": keys}): frame.select(polars.arg_sort_by(["a", "b"]))),
            },
            "top 10": {
                "ordosort": lambda: ordosort.top_k(keys, 10),
                "numpy": lambda: np.sort(keys[np.argpartition(keys, len(keys) - 10)[-10:]]),
                "pyarrow": arrow is not None and (lambda: compute.top_k_unstable(arrow, 10)),
                "polars": series is not None and (lambda: series.top_k(10)),
                "torch": tensor is not None and (lambda: torch.topk(tensor, 10)),
            },
        }

    def calls_of_strings(words):
        unicode, arrow = np.array(words), pyarrow and pyarrow.array(words)
        series = polars and polars.Series(words)
        return {
            "sort of a list of str": {
                "ordosort": lambda: ordosort.sort_strings(words),
                "sorted": lambda: sorted(words),
            },
            "sort of NumPy U": {
                "ordosort": lambda: ordosort.sort_strings(unicode),
                "numpy": lambda: np.sort(unicode),
            },
            "sort of Arrow strings": {
                "ordosort": arrow is not None and (lambda: ordosort.sort_strings(arrow)),
                "pyarrow": arrow is not None and (lambda: arrow.take(compute.sort_indices(arrow))),
                "polars": series is not None and (lambda: series.sort()),
            },
        }

    rows = []

    def measure(kind, size, operations):
        for operation, calls in operations.items():
            times = {name: round(measured(call), 2) for name, call in calls.items() if call}
            if "ordosort" not in times:
                continue
            rows.append({"operation": operation, "items": kind, "size": size, "microseconds": times})
            others = "  ".join(f"{name} {t:.4g} ({t / times['ordosort']:.2f})" for name, t in times.items() if name != "ordosort")
            print(f"{operation:22} {kind:8} {size:9}  ordosort {times['ordosort']:.4g}  {others}", flush=True)

    sizes = [10**e for e in range(1, 8) if 10**e <= given.max_size]
    for size in sizes:
        rng = np.random.default_rng(1)
        for kind, keys in (
            ("int64", rng.integers(-(2**62), 2**62, size)),
            ("int32", rng.integers(-(2**31), 2**31, size, dtype=np.int32)),
            ("float64", rng.normal(size=size)),
        ):
            if not np.array_equal(ordosort.sort(keys), np.sort(keys)):
                raise SystemExit(f"sort of {kind}: the results differ")
            if not np.array_equal(ordosort.argsort(keys), np.argsort(keys, kind="stable")):
                raise SystemExit(f"argsort of {kind}: the results differ")
            measure(kind, size, calls_of_numbers(keys))
        if size <= 1_000_000:
            words = [f"{x:x}" for x in rng.integers(0, 2**40, size).tolist()]
            if ordosort.sort_strings(words) != sorted(words):
                raise SystemExit("sort of strings: the results differ")
            measure("str", size, calls_of_strings(words))
    versions = {m.__name__: m.__version__ for m in (np, pandas, pyarrow, polars, torch) if m}
    if given.json:
        with open(given.json, "w") as file:
            json.dump({"versions": versions, "avx512": not given.without_avx512, "rows": rows}, file, indent=1)
    print("versions:", versions)


if __name__ == "__main__":
    main()
