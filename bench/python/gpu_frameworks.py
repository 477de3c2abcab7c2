#!/usr/bin/env python3
"""Checks and measures ordosort.jax, ordosort.torch, CuPy and spgemm on a GPU: python bench/python/gpu_frameworks.py [PART...]

Parts: jax, torch, cupy, spgemm, tests; by default all whose framework is here. Each runs in a process of its own, because JAX
takes most of the GPU's memory. `tests` runs the tests of the package that reach a GPU. Prints one JSON object: for each part
the checks that failed, and seconds of a call (the median, the shortest and the longest). Exit status 1: something failed.

A part measures first, then checks. It leaves out the checks that it does not come to in time, and names them.

--log-size=N  measures 2^N items (30)
--seconds=S   the time of a part (240)
--cpu         runs the same program on the CPU, to try it: with --log-size=16
"""

import argparse
import functools
import importlib.util
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time
import traceback

TESTS = pathlib.Path(__file__).resolve().parents[2] / "python" / "tests"
PARTS = ("jax", "torch", "cupy", "spgemm", "tests")


class Report:
    """What a part found, in a file that always has the newest state."""

    def __init__(self, part, path, seconds):
        self.result = {"part": part, "checks": 0, "failed": {}, "seconds": {}, "facts": {}, "left_out": []}
        self.path, self.end = path, time.monotonic() + seconds

    def write(self):
        with open(self.path + ".new", "w") as file:
            json.dump(self.result, file)
        os.replace(self.path + ".new", self.path)

    def check(self, name, f, *arguments):
        """Calls f, which raises an exception if a result is wrong."""
        if time.monotonic() > self.end:
            self.result["left_out"].append(name)
            return
        self.result["checks"] += 1
        try:
            f(*arguments)
        except Exception:
            self.result["failed"][name] = traceback.format_exc(limit=-3)[-1500:]
        self.write()

    def time(self, name, f, wait, runs=7):
        """Measures f until the device is done."""
        try:
            times = []
            for _ in range(runs + 2):
                wait(None)
                begin = time.perf_counter()
                wait(f())
                times.append(time.perf_counter() - begin)
            times = times[2:]
            self.result["seconds"][name] = [float(f"{t:.6g}") for t in (statistics.median(times), min(times), max(times))]
        except Exception:
            self.result["failed"][name] = traceback.format_exc(limit=-3)[-1500:]
        self.write()

    def overhead(self, name, f, wait, calls=500):
        """Measures microseconds of a call that is queued behind others: the shortest of seven rounds."""
        try:
            wait(f())
            best = float("inf")
            for _ in range(7):
                wait(None)
                begin = time.perf_counter()
                for _ in range(calls):
                    result = f()
                queued = time.perf_counter() - begin
                wait(result)
                best = min(best, queued / calls * 1e6)
            self.result["facts"][f"{name}, us a call"] = round(best, 2)
        except Exception:
            self.result["failed"][name] = traceback.format_exc(limit=-3)[-1500:]
        self.write()


def expect(condition, words="wrong"):
    if not condition:
        raise AssertionError(words)


def with_parameters(report, module, name):
    """Calls a test of a module with each of its parameters."""
    import itertools

    test = getattr(module, name)
    marks = [mark for mark in getattr(test, "pytestmark", []) if mark.name == "parametrize"]
    names = [mark.args[0].split(",") for mark in marks]
    for values in itertools.product(*(mark.args[1] for mark in marks)):
        given = {}
        for keys, value in zip(names, values):
            given.update(zip(keys, value if len(keys) > 1 else [value]))
        report.check(f"{name} {list(map(str, values))}"[:150], functools.partial(test, **given))


def of_jax(report, log_size, cpu):
    import jax
    import jax.numpy as jnp
    import test_jax as tests

    import ordosort.jax as oj

    report.result["facts"]["device"] = str(jax.devices()[0])
    report.result["facts"]["version"] = jax.__version__
    expect(cpu or jax.default_backend() == "gpu", f"JAX works on {jax.default_backend()}")
    def wait(result):
        if result is not None:
            jax.block_until_ready(result)

    # The overhead of a call: of a whole program, and of one sort more within a program.
    small = jnp.asarray(jax.random.bits(jax.random.key(1), (1024,), "uint32"))
    programs = {
        "ordosort argsort 1024": jax.jit(oj.argsort),
        "jnp argsort 1024": jax.jit(jnp.argsort),
        "x + 1, 1024": jax.jit(lambda x: x + 1),
    }
    for name, program in programs.items():
        report.overhead(name, lambda: program(small), wait)
    for name, sort in (("ordosort", oj.sort), ("jnp", jnp.sort)):
        chains = {}
        for length in (10, 50):

            def chain(x):
                for _ in range(length):
                    x = sort(x) ^ 0x5555
                return x

            program = jax.jit(chain)
            wait(program(small))
            begin = time.perf_counter()
            for _ in range(50):
                result = program(small)
            wait(result)
            chains[length] = (time.perf_counter() - begin) / 50
        report.result["facts"][f"{name} sort 1024 within a program, us"] = round((chains[50] - chains[10]) / 40 * 1e6, 2)

    def check_order(keys, index):
        taken = keys[index]
        expect(bool((taken[1:] >= taken[:-1]).all()), "not sorted")
        expect(bool(jnp.zeros(keys.shape, bool).at[index].set(True).all()), "no permutation")

    for log in sorted({min(log_size, 20), min(log_size, 26), log_size}):
        n = 1 << log
        for dtype in ("int64", "float32"):
            bits = jax.random.bits(jax.random.key(2), (n,), "uint64" if dtype == "int64" else "uint32")
            keys = wait_for(jax, jax.lax.bitcast_convert_type(bits, dtype))
            del bits
            if dtype == "int64":
                report.check(f"order of 2^{log}", lambda: check_order(keys, jax.jit(oj.argsort)(keys)))
            for name, sorts in (("ordosort", oj), ("jnp", jnp)):
                runs = 7 if name == "ordosort" else 3
                for call in ("argsort", "sort"):
                    program = jax.jit(getattr(sorts, call))
                    report.time(f"{name} {call} {dtype} 2^{log}", lambda: program(keys), wait, runs)
            del keys
    rows = jax.random.normal(jax.random.key(3), (max(1 << (log_size - 10), 4), 256), jnp.float32)
    offsets = jnp.arange(0, rows.size + 1, 256)
    for name, call in (
        ("ordosort segmented_sort of rows of 256", lambda x: oj.segmented_sort(x.ravel(), offsets)),
        ("ordosort sort of rows of 256", oj.sort),
        ("jnp sort of rows of 256", jnp.sort),
        ("ordosort top_k 8 of rows of 256", lambda x: oj.top_k(x, 8)),
        ("lax top_k 8 of rows of 256", lambda x: jax.lax.top_k(x, 8)),
    ):
        program = jax.jit(call)  # of an argument: XLA would compute the result of a constant while it compiles
        report.time(name, lambda: program(rows), wait)
    keys = jax.random.bits(jax.random.key(4), (1 << min(log_size, 26),), "uint64")
    report.check("profile", profile_of_jax, report, jax, jax.jit(oj.argsort), keys)
    for name in ("test_types", "test_shapes", "test_segments", "test_transformations"):
        with_parameters(report, tests, name)
    for name in (
        "test_beside_jnp_sort",
        "test_small_segments",
        "test_vmap_of_offsets",
        "test_gradient_of_missing_items",
        "test_integers_on_the_way_of_a_gradient",
        "test_input_stays",
        "test_inside_loops",
        "test_threads",
        "test_exported",
    ):
        report.check(name, getattr(tests, name))


def wait_for(jax, array):
    return jax.block_until_ready(array)


def profile_of_jax(report, jax, program, keys):
    """Adds the kernels of one call, with their microseconds."""
    import collections
    import gzip

    jax.block_until_ready(program(keys))
    with tempfile.TemporaryDirectory() as folder:
        with jax.profiler.trace(folder):
            jax.block_until_ready(program(keys))
        times = collections.Counter()
        for path in pathlib.Path(folder).rglob("*.trace.json.gz"):
            events = json.loads(gzip.decompress(path.read_bytes()))["traceEvents"]
            devices = {e["pid"] for e in events if e.get("name") == "process_name" and "/device:" in str(e.get("args"))}
            for e in events:
                if e.get("ph") == "X" and e.get("pid") in devices:
                    times[e["name"][:90]] += e.get("dur", 0)
    report.result["facts"]["kernels of an argsort of JAX, us"] = dict(times.most_common(12))


def of_torch(report, log_size, cpu):
    import torch

    device = "cpu" if cpu else "cuda"
    torch.set_default_device(device)
    import test_torch as tests

    import ordosort.torch as ot

    report.result["facts"]["device"] = "cpu" if cpu else torch.cuda.get_device_name()
    report.result["facts"]["compiled operators"] = list(ot._compiled)
    report.result["facts"]["version"] = torch.__version__
    def wait(_):
        if not cpu:
            torch.cuda.synchronize()

    small = torch.randint(0, 2**31, (1024,), dtype=torch.int32)
    compiled = torch.compile(ot.argsort)
    for name, call in (
        ("ordosort argsort 1024", lambda: ot.argsort(small)),
        ("ordosort argsort 1024, compiled", lambda: compiled(small)),
        ("torch argsort 1024", lambda: torch.argsort(small, stable=True)),
        ("x + 1, 1024", lambda: small + 1),
    ):
        report.overhead(name, call, wait)

    def captured(call, keys, again):
        """Checks a call in a CUDA graph that is replayed for other keys."""
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            call(keys)
        torch.cuda.current_stream().wait_stream(side)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            result = call(keys)
        keys.copy_(again)
        graph.replay()
        torch.cuda.synchronize()
        return graph, result

    def check_graph(n, dtype):
        keys, again = (torch.randn(n, device=device).mul(1000).to(dtype) for _ in range(2))
        graph, result = captured(ot.argsort, keys, again)
        expect(torch.equal(result, torch.argsort(again, stable=True)), "of a graph")
        if n == 1024:
            report.overhead(f"ordosort argsort {n} {dtype}, in a graph", graph.replay, wait)
        offsets = torch.arange(0, n + 1, 64)
        graph, result = captured(lambda x: ot.segmented_argsort(x, offsets), keys.clone(), again)
        expected = torch.argsort(again.reshape(-1, 64), stable=True) + offsets[:-1, None]
        expect(torch.equal(result, expected.flatten()), "segments of a graph")
        graph, result = captured(lambda x: ot.top_k(x.reshape(-1, 64), 5).indices, keys.clone(), again)
        expect(torch.equal(result, torch.argsort(again.reshape(-1, 64), descending=True, stable=True)[:, :5]), "top_k")

    if not cpu:
        for n in (1024, 65_536, 4_194_304):
            for dtype in (torch.int64, torch.float32):
                report.check(f"CUDA graph of {n} {dtype}", check_graph, n, dtype)

        def reduced():
            torch._dynamo.reset()
            program = torch.compile(lambda x: ot.argsort(x * 2) + 1, mode="reduce-overhead")
            for _ in range(5):
                x = torch.randn(5000)
                expect(torch.equal(program(x).clone(), torch.argsort(x * 2, stable=True) + 1))
            report.overhead("ordosort argsort 5000, reduce-overhead", lambda: program(x), wait)

        report.check("reduce-overhead", reduced)

        def on_streams():
            streams = [torch.cuda.Stream() for _ in range(4)]
            inputs, results = [], []
            for i in range(40):
                stream = streams[i % 4]
                stream.wait_stream(torch.cuda.current_stream())
                with torch.cuda.stream(stream):
                    inputs.append(torch.randn(100_000 + i))
                    results.append(ot.argsort(inputs[-1]))
            torch.cuda.synchronize()
            for x, index in zip(inputs, results):
                expect(torch.equal(index, torch.argsort(x, stable=True)), "of a stream")

        report.check("streams", on_streams)
        report.check("in threads on streams", in_threads, torch, ot)
        report.check("layouts and gradients", of_layouts, torch, ot)
        report.check("no memory", without_memory, torch, ot)
        report.check("another GPU", on_another_gpu, torch, ot)

    for log in sorted({min(log_size, 20), min(log_size, 26), log_size}):
        for dtype in (torch.int64, torch.float32):
            n = 1 << log
            if dtype == torch.int64:
                keys = torch.randint(-(2**63), 2**63 - 1, (n,), dtype=dtype)
            else:
                keys = torch.randn(n, dtype=dtype)

            def check_order():
                index = ot.argsort(keys)
                taken = keys[index]
                expect(bool((taken[1:] >= taken[:-1]).all()), "not sorted")
                del taken
                expect(bool(torch.zeros(n, dtype=torch.bool).index_fill_(0, index, True).all()), "no permutation")

            report.check(f"order of 2^{log} {dtype}", check_order)
            report.time(f"ordosort argsort {dtype} 2^{log}", lambda: ot.argsort(keys), wait)
            report.time(f"ordosort argsort {dtype} 2^{log}, compiled", lambda: compiled(keys), wait)
            report.time(f"torch argsort {dtype} 2^{log}", lambda: torch.argsort(keys, stable=True), wait, 3)
            del keys
            if not cpu:
                torch.cuda.empty_cache()
    rows = torch.randn(max(1 << (log_size - 10), 4), 256)
    offsets = torch.arange(0, rows.numel() + 1, 256)
    for name, call in (
        ("ordosort segmented_argsort of rows of 256", lambda: ot.segmented_argsort(rows.flatten(), offsets)),
        ("ordosort argsort of rows of 256", lambda: ot.argsort(rows)),
        ("torch argsort of rows of 256", lambda: torch.argsort(rows, stable=True)),
        ("ordosort top_k 8 of rows of 256", lambda: ot.top_k(rows, 8)),
        ("torch topk 8 of rows of 256", lambda: torch.topk(rows, 8)),
    ):
        report.time(name, call, wait)

    def profile():
        keys = torch.randint(-(2**63), 2**63 - 1, (1 << min(log_size, 26),), dtype=torch.int64)
        activities = [torch.profiler.ProfilerActivity.CPU if cpu else torch.profiler.ProfilerActivity.CUDA]
        with torch.profiler.profile(activities=activities) as profiler:
            ot.argsort(keys)
            wait(None)
        times = {e.key[:90]: e.self_cpu_time_total if cpu else e.self_device_time_total for e in profiler.key_averages()}
        kernels = sorted(times.items(), key=lambda item: -item[1])[:12]
        report.result["facts"]["kernels of an argsort of PyTorch, us"] = dict(kernels)

    report.check("profile", profile)
    for name in ("test_beside_torch", "test_segments", "test_gradients", "test_operators", "test_compiled"):
        with_parameters(report, tests, name)
    for name in ("test_small_segments", "test_vmap", "test_sizes_that_depend_on_data", "test_export", "test_threads"):
        report.check(name, getattr(tests, name))


def in_threads(torch, ot):
    """Checks that threads on streams of their own do not wait for one another's memory."""
    import concurrent.futures

    def sort_on_stream(seed):
        with torch.device("cuda"), torch.cuda.stream(torch.cuda.Stream()):
            for n in (1000, 70_000, 300_000):
                x = torch.randint(-(2**40), 2**40, (n + seed,))
                expect(torch.equal(ot.argsort(x), torch.argsort(x, stable=True)), f"of thread {seed}")
                expect(torch.equal(ot.top_k(x, 9).values, torch.topk(x, 9).values), f"top_k of thread {seed}")

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        for done in [pool.submit(sort_on_stream, seed) for seed in range(24)]:
            done.result()


def of_layouts(torch, ot):
    """Checks views of every kind, and gradients through them."""
    keys = torch.randn(60, 40)
    for view in (keys.T, keys[::3, 1::2], keys[0].expand(3, 40), keys[7:, 3:], keys.flatten()[1:], keys[:, :0], keys[:0]):
        expect(torch.equal(ot.argsort(view), torch.argsort(view, stable=True)), str(view.shape))
    results = []
    for sort in (lambda x: ot.sort(x, dim=0).values, lambda x: torch.sort(x, dim=0, stable=True).values):
        x = keys.clone().requires_grad_()
        (sort(x.T * 2) * torch.arange(60)).sum().backward()
        results.append(x.grad)
    expect(torch.equal(*results), "gradients")


def without_memory(torch, ot):
    """Checks that a lack of memory is PyTorch's error, and that calls after it work."""
    keys = torch.randint(0, 2**62, (1 << 24,))
    ot.argsort(keys[:1000])
    torch.cuda.empty_cache()
    total = torch.cuda.get_device_properties(keys.device).total_memory
    torch.cuda.set_per_process_memory_fraction((torch.cuda.memory_reserved() + (150 << 20)) / total)  # for positions alone
    try:
        ot.argsort(keys)
        raise AssertionError("no error")
    except torch.cuda.OutOfMemoryError:
        pass
    finally:
        torch.cuda.set_per_process_memory_fraction(1.0)
    expect(torch.equal(ot.argsort(keys), torch.argsort(keys, stable=True)), "after the error")


def on_another_gpu(torch, ot):
    """Checks keys of a GPU that is not the current one. Does nothing where there is one GPU."""
    if torch.cuda.device_count() < 2:
        return
    x = torch.randn(100_000, device="cuda:1")
    for n in (3, 5000, 100_000):
        expect(torch.equal(ot.argsort(x[:n]), torch.argsort(x[:n], stable=True)), f"{n} keys")
    expect(torch.cuda.current_device() == 0, "the current GPU is another one")


def of_cupy(report, log_size, _):
    import cupy
    import numpy as np

    import ordosort

    report.result["facts"]["version"] = cupy.__version__

    def wait(_):
        cupy.cuda.Device().synchronize()

    def beside_numpy(dtype, shape, axis):
        random = np.random.default_rng(1)
        host = (random.random(shape) * 50 - (0 if np.dtype(dtype).kind == "u" else 25)).astype(dtype)
        keys = cupy.asarray(host)
        index = np.argsort(host, axis=axis, kind="stable")
        np.testing.assert_array_equal(ordosort.argsort(keys, axis=axis).get(), index)
        np.testing.assert_array_equal(ordosort.sort(keys, axis=axis).get(), np.sort(host, axis=axis))

    types = ("bool", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8")
    for dtype in types:
        for shape, axis in (((0,), 0), ((1,), 0), ((30_001,), 0), ((70, 90), 0), ((70, 90), 1)):
            report.check(f"{dtype} {shape} {axis}", beside_numpy, dtype, shape, axis)

    def others():
        random = np.random.default_rng(2)
        host = random.integers(0, 50, 20_000)
        keys = cupy.asarray(host)
        values, indices = ordosort.top_k(keys, 30)
        expected = np.argsort(-host, kind="stable")[:30]
        np.testing.assert_array_equal(indices.get(), expected)
        np.testing.assert_array_equal(values.get(), host[expected])
        moved = ordosort.sort_pairs(keys, cupy.arange(20_000))[1].get()
        np.testing.assert_array_equal(moved, np.argsort(host, kind="stable"))
        second = random.integers(0, 50, 20_000)
        rows = ordosort.argsort_rows([keys, cupy.asarray(second)]).get()
        np.testing.assert_array_equal(rows, np.lexsort((second, host)))
        offsets = cupy.arange(0, 20_001, 100)
        segments = ordosort.segmented_sort(keys, offsets).get().reshape(-1, 100)
        np.testing.assert_array_equal(segments, np.sort(host.reshape(-1, 100)))

    report.check("other calls", others)
    for log in sorted({min(log_size, 20), min(log_size, 26), log_size}):
        for dtype in (cupy.int64, cupy.float32):
            keys = cupy.random.default_rng(3).integers(0, 2**31, 1 << log, dtype=cupy.int64).astype(dtype)
            name = f"{cupy.dtype(dtype).name} 2^{log}"
            report.time(f"ordosort sort {name}", lambda: ordosort.sort(keys), wait)
            report.time(f"cupy sort {name}", lambda: cupy.sort(keys), wait, 3)
            report.time(f"ordosort argsort {name}", lambda: ordosort.argsort(keys), wait)
            report.time(f"cupy argsort {name}", lambda: cupy.argsort(keys), wait, 3)
            del keys
            ordosort.default_machine().trim()
            cupy.get_default_memory_pool().free_all_blocks()
    small = cupy.arange(1024, dtype=cupy.int32)
    report.overhead("ordosort argsort 1024", lambda: ordosort.argsort(small), wait)
    report.overhead("cupy argsort 1024", lambda: cupy.argsort(small), wait)


def of_spgemm(report, log_size, _):
    import cupy
    import numpy as np
    import scipy.sparse
    from cupyx.scipy.sparse import csr_matrix

    import ordosort

    def wait(_):
        cupy.cuda.Device().synchronize()

    def beside_scipy(rows, inner, columns, density, dtype):
        a, b = (
            scipy.sparse.random(m, n, density, "csr", dtype, np.random.default_rng(m))
            for m, n in ((rows, inner), (inner, columns))
        )
        expected = a @ b
        expected.sort_indices()
        result = ordosort.spgemm(csr_matrix(a), csr_matrix(b))
        expect(type(result) is csr_matrix and result.dtype == dtype, "kind of the result")
        np.testing.assert_array_equal(result.indptr.get(), expected.indptr)
        np.testing.assert_array_equal(result.indices.get(), expected.indices)
        np.testing.assert_allclose(result.data.get(), expected.data, rtol=1e-4 if dtype == np.float32 else 1e-10)

    for dtype in (np.float32, np.float64):
        cases = (1, 1, 1, 1.0), (300, 200, 250, 0.03), (5000, 7000, 3000, 0.002), (100, 100, 100, 0.0), (3, 5000, 4000, 0.5)
        for case in cases:
            report.check(f"{case} {dtype.__name__}", beside_scipy, *case, dtype)
    n = 1 << min(log_size, 20)
    for dtype in (np.float32, np.float64):
        rng = cupy.random.default_rng(1)
        indices = rng.integers(0, n, 8 * n, dtype=cupy.int32).reshape(n, 8)
        indices.sort(axis=1)
        indptr = cupy.arange(0, 8 * n + 1, 8, dtype=cupy.int32)
        a = csr_matrix((rng.random(8 * n, dtype), indices.ravel(), indptr), shape=(n, n))
        a.sum_duplicates()
        name = f"{n} rows of 8, {np.dtype(dtype).name}"
        report.time(f"ordosort {name}", lambda: ordosort.spgemm(a, a), wait)
        report.time(f"cupy {name}", lambda: a @ a, wait, 3)


def of_tests(report, _, __):
    """Runs the tests of the package that use a GPU where there is one."""
    files = ("test_jax.py", "test_torch.py", "test_devices.py", "test_sparse.py", "test_operators.py")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *(str(TESTS / name) for name in files)],
        capture_output=True,
        text=True,
    )
    report.result["facts"]["pytest"] = done.stdout.splitlines()[-1:] or done.stderr[-500:]
    report.check("pytest", expect, done.returncode == 0, done.stdout[-3000:])


def main():
    parser = argparse.ArgumentParser(description="Checks and measures ordosort within frameworks on a GPU.")
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], metavar="PART")
    parser.add_argument("--log-size", type=int, default=30, metavar="N")
    parser.add_argument("--seconds", type=int, default=240, metavar="S")
    parser.add_argument("--cpu", action="store_true")
    parser.add_argument("--inner", metavar="FILE", help=argparse.SUPPRESS)
    given = parser.parse_args()
    sys.path.insert(0, str(TESTS))
    if given.inner:
        report = Report(given.parts[0], given.inner, given.seconds)
        report.check("part", globals()[f"of_{given.parts[0]}"], report, given.log_size, given.cpu)
        return 0
    needs = {"jax": "jax", "torch": "torch", "cupy": "cupy", "spgemm": "cupy", "tests": "pytest"}
    parts = given.parts or [part for part in PARTS if importlib.util.find_spec(needs[part])]
    environment = dict(os.environ, XLA_PYTHON_CLIENT_MEM_FRACTION=".92", PYTHONUNBUFFERED="1")
    environment["JAX_ENABLE_X64"] = "1"
    if given.cpu:
        environment["JAX_PLATFORMS"] = "cpu"
    results, failed = {}, False
    folder = tempfile.mkdtemp()
    for part in parts:
        options = [f"--inner={folder}/{part}.json", f"--log-size={given.log_size}", f"--seconds={given.seconds}"]
        environment["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false" if part == "tests" else "true"
        begin, ended, text = time.perf_counter(), 0, ""
        try:
            done = subprocess.run(
                [sys.executable, __file__, *options, *(["--cpu"] if given.cpu else []), part],
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
                env=environment,
                timeout=given.seconds + 60,  # of one long call
            )
            ended, text = done.returncode, done.stdout
        except subprocess.TimeoutExpired as error:
            ended, text = "too late", (error.stdout or b"").decode(errors="replace")
        path = pathlib.Path(folder, f"{part}.json")
        result = json.loads(path.read_text()) if path.exists() else {"failed": {"part": "no result"}}
        if ended != 0:
            result["failed"]["process"] = f"{ended}: {text[-2000:]}"
        result["wall"] = round(time.perf_counter() - begin, 1)
        results[part] = result
        failed = failed or bool(result["failed"])
        print(f"{part}: {'failed' if result['failed'] else 'right'} in {result['wall']} s", file=sys.stderr, flush=True)
    print(json.dumps(results, indent=1))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
