"""ordosort.torch beside torch. Needs PyTorch; inductor and the compiled kernels need a C++ compiler, too."""

import concurrent.futures
import multiprocessing
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

import ordosort.torch as ot

INTEGERS = [torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64]
UNSIGNED = [torch.uint16, torch.uint32, torch.uint64]  # which PyTorch itself cannot sort
FLOATS = [torch.float16, torch.bfloat16, torch.float32, torch.float64]


def check_same(a, b):
    """The same shape, type and items, with the same signs of zeros."""
    assert a.shape == b.shape and a.dtype == b.dtype
    if a.dtype in UNSIGNED:
        a, b = a.to(torch.int64), b.to(torch.int64)
    if a.is_floating_point():
        assert torch.equal(a.signbit()[~a.isnan()], b.signbit()[~b.isnan()])
    assert torch.equal(a, b) if not a.is_floating_point() else torch.allclose(a, b, 0, 0, equal_nan=True)


def random_keys(dtype, shape):
    """Keys with many ties; NaNs and negative zeros among them."""
    torch.manual_seed(1)
    keys = torch.randint(0, 2 if dtype == torch.bool else 60, shape)
    keys = (keys - 30 if dtype.is_signed else keys).to(dtype)
    if dtype.is_floating_point:
        keys[torch.rand(shape) < 0.1] = torch.nan
        keys[torch.rand(shape) < 0.1] = -0.0
    return keys


@pytest.mark.parametrize("dtype", INTEGERS + UNSIGNED + FLOATS)
@pytest.mark.parametrize("shape", [(), (0,), (1,), (2,), (30_003,), (5, 0), (0, 5), (7, 90), (3, 4, 50)])
def test_beside_torch(dtype, shape):
    keys = random_keys(dtype, shape)
    known = keys.to(torch.int64) if dtype in UNSIGNED else keys
    for dim in range(max(keys.dim(), 1)):
        for descending in [False, True]:
            values, indices = torch.sort(known, dim=dim, descending=descending, stable=True)
            result = ot.sort(keys, dim, descending)
            check_same(result.indices, indices)
            check_same(result.values, values.to(dtype))
            check_same(ot.argsort(keys, dim - max(keys.dim(), 1), descending), indices)
            if keys.dim() == 0:
                continue
            for k in {0, min(3, keys.shape[dim]), keys.shape[dim]}:
                best = ot.top_k(keys, k, dim, largest=descending)
                check_same(best.indices, indices.narrow(dim, 0, k))
                check_same(best.values, values.narrow(dim, 0, k).to(dtype))


def test_layouts():
    keys = random_keys(torch.float32, (60, 40))
    check_same(ot.argsort(keys.T), torch.argsort(keys.T, stable=True))
    check_same(ot.argsort(keys[::3, 1::2]), torch.argsort(keys[::3, 1::2], stable=True))
    check_same(ot.argsort(keys[0].expand(3, 40)), torch.argsort(keys[0].expand(3, 40), stable=True))
    data = bytearray(bytes(1) + bytes(range(80, 0, -1)))
    keys = torch.frombuffer(data, dtype=torch.int16, offset=1)  # unaligned
    check_same(ot.argsort(keys), torch.argsort(keys.clone(), stable=True))
    offsets = torch.tensor([0, 99, 7, 99, 40])[::2]
    check_same(ot.segmented_argsort(keys, offsets), ot.segmented_argsort(keys.clone(), offsets.clone()))


@pytest.mark.parametrize("dtype", [torch.int8, torch.bfloat16, torch.float64, torch.uint32])
@pytest.mark.parametrize("offset_type", [torch.int32, torch.int64, torch.uint32, torch.uint64])
def test_segments(dtype, offset_type):
    n, k = 900, 4
    keys = random_keys(dtype, (n,))
    known = keys.to(torch.int64) if dtype == torch.uint32 else keys
    inner = torch.randint(7, n - 5, (60,)).sort().values
    bounds = torch.cat([torch.tensor([7]), inner, torch.tensor([n - 5])])  # what is outside stays
    for descending in [False, True]:
        order, best = torch.arange(n), torch.full((61, k), -1)
        for s, (begin, end) in enumerate(zip(bounds[:-1].tolist(), bounds[1:].tolist())):
            order[begin:end] = begin + torch.argsort(known[begin:end], descending=descending, stable=True)
            best[s, : end - begin] = order[begin:end][:k]
        offsets = bounds.to(offset_type)
        check_same(ot.segmented_argsort(keys, offsets, descending), order)
        values, indices = ot.segmented_sort(keys, offsets, descending)
        check_same(indices, order)
        check_same(values, known[order].to(dtype))
        values, indices = ot.segmented_top_k(keys, offsets, k, largest=descending)
        check_same(indices, best)
        check_same(values, torch.where(best < 0, 0, known[best.clamp(min=0)]).to(dtype))


def test_small_segments():
    none = torch.zeros(0)
    for offsets in [torch.tensor([0]), torch.tensor([0, 0, 0])]:
        assert ot.segmented_sort(none, offsets).values.shape == (0,)
        values, indices = ot.segmented_top_k(none, offsets, 2)
        assert indices.tolist() == [[-1, -1]] * (len(offsets) - 1) and values.shape == indices.shape
    assert ot.segmented_sort(torch.tensor([2, 1]), torch.tensor([0])).values.tolist() == [2, 1]
    assert ot.segmented_top_k(torch.tensor([2, 1]), torch.tensor([0, 2]), 0).indices.shape == (1, 0)


OFFSETS = torch.tensor([0, 10, 11, 40])


def segmented(x):
    return ot.segmented_sort(x, OFFSETS).values


def segmented_torch(x):
    return torch.cat([x[:10].sort().values, x[10:11], x[11:].sort().values])


PAIRS = [
    (lambda x: ot.sort(x).values, lambda x: torch.sort(x).values),
    (lambda x: ot.sort(x, descending=True).values, lambda x: torch.sort(x, descending=True).values),
    (lambda x: ot.top_k(x, 9).values, lambda x: torch.topk(x, 9).values),
    (segmented, segmented_torch),
    (
        lambda x: ot.segmented_top_k(x, OFFSETS, 2).values.flatten(),
        lambda x: torch.cat([x[:10].topk(2).values, x[10:11], x.new_zeros(1), x[11:].topk(2).values]),
    ),
]


@pytest.mark.parametrize("f,g", PAIRS)
def test_gradients(f, g):
    torch.manual_seed(2)
    a = torch.randn(6, 40, dtype=torch.float64)

    def loss(h):
        return lambda x: (torch.arange(h(x).numel()) * h(x) ** 3).sum()

    x, y = a[0].clone().requires_grad_(), a[0].clone().requires_grad_()
    loss(f)(x).backward()
    loss(g)(y).backward()
    assert torch.equal(x.grad, y.grad)
    assert torch.autograd.gradcheck(f, x) and torch.autograd.gradgradcheck(f, x)
    check_same(torch.func.vmap(f)(a), torch.stack([g(row) for row in a]))
    check_same(torch.func.vmap(f, in_dims=1)(a.T), torch.stack([g(row) for row in a]))
    assert torch.equal(torch.func.grad(loss(f))(a[0]), y.grad)
    gradients = torch.stack([torch.func.grad(loss(g))(row) for row in a])
    assert torch.equal(torch.func.vmap(torch.func.grad(loss(f)))(a), gradients)
    assert torch.equal(torch.func.jvp(f, (a[0],), (a[1],))[1], torch.func.jvp(g, (a[0],), (a[1],))[1])
    assert torch.equal(torch.func.hessian(loss(f))(a[0]), torch.func.hessian(loss(g))(a[0]))


def test_vmap():
    torch.manual_seed(3)
    a, offsets = torch.randn(4, 30), torch.randint(0, 30, (4, 6)).sort().values
    for f in (ot.segmented_argsort, lambda x, o: ot.segmented_top_k(x, o, 3).indices):
        check_same(torch.func.vmap(f)(a, offsets), torch.stack([f(x, o) for x, o in zip(a, offsets)]))
        check_same(torch.func.vmap(f, (0, None))(a, offsets[0]), torch.stack([f(x, offsets[0]) for x in a]))
        check_same(torch.func.vmap(f, (None, 0))(a[0], offsets), torch.stack([f(a[0], o) for o in offsets]))
    check_same(torch.func.vmap(ot.argsort)(a[0]), torch.zeros(30, dtype=torch.int64))  # of scalars
    check_same(torch.func.vmap(torch.func.vmap(ot.argsort))(a.reshape(2, 2, 30)), torch.argsort(a).reshape(2, 2, 30))


OPERATORS = [
    ("argsort", (torch.randn(5, 7),)),
    ("argsort", (torch.randn(9, requires_grad=True), True)),
    ("argsort", (torch.randn(7, 5).T,)),
    ("argsort", (torch.tensor(2),)),
    ("top_k", (torch.randn(5, 7), 3)),
    ("top_k", (torch.arange(9), 0, False)),
    ("segmented_argsort", (torch.randn(10), torch.tensor([0, 4, 10]))),
    ("segmented_argsort", (torch.randn(2, 10), torch.tensor([[0, 4, 10], [1, 2, 3]]), True)),
    ("segmented_top_k", (torch.randn(10), torch.tensor([0, 4, 10], dtype=torch.int32), 5)),
    ("segmented_top_k", (torch.randn(2, 10), torch.tensor([[0, 4, 10], [1, 2, 3]]), 2, False)),
]


@pytest.mark.parametrize("name,given", OPERATORS)
def test_operators(name, given):
    results = torch.library.opcheck(getattr(torch.ops.ordosort, name).default, given)
    assert set(results.values()) == {"SUCCESS"}


def model(x, offsets):
    sorted_twice = ot.sort(x * 2).values.cumsum(-1) + ot.segmented_sort(x, offsets).values
    return sorted_twice, ot.top_k(x, 3), ot.segmented_top_k(x, offsets, 2)


@pytest.mark.parametrize("dynamic", [None, True])
@pytest.mark.parametrize("backend", ["eager", "aot_eager", "inductor"])
def test_compiled(backend, dynamic):
    if backend == "inductor" and not shutil.which("c++"):
        pytest.skip("no C++ compiler, which inductor needs")
    torch._dynamo.reset()
    compiled = torch.compile(model, fullgraph=True, backend=backend, dynamic=dynamic)
    for n in (100, 120, 70):
        x = torch.randn(n, dtype=torch.float64, requires_grad=True)
        y = x.detach().clone().requires_grad_()
        offsets = torch.tensor([0, n // 3, n])
        got, want = compiled(x, offsets), model(y, offsets)
        (got[0].sum() + got[1].values.sum() + got[2].values.sum()).backward()
        (want[0].sum() + want[1].values.sum() + want[2].values.sum()).backward()
        assert torch.allclose(got[0], want[0]) and torch.allclose(x.grad, y.grad)
        for a, b in zip((*got[1], *got[2]), (*want[1], *want[2])):
            check_same(a.detach(), b.detach())
    assert torch._dynamo.explain(model)(torch.randn(10), torch.tensor([0, 10])).graph_break_count == 0


def test_sizes_that_depend_on_data():
    torch._dynamo.reset()
    with torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True):

        def of_positive(x):
            return ot.sort(x[x > 0]).values, ot.top_k(x[x > 0], 2).indices

        compiled = torch.compile(of_positive, fullgraph=True, backend="aot_eager")
        values, indices = compiled(torch.tensor([3.0, -1.0, 2.0, 1.0]))
        assert values.tolist() == [1, 2, 3] and indices.tolist() == [0, 1]
        with pytest.raises(RuntimeError):
            compiled(torch.tensor([3.0, -1.0]))


def test_export():
    class Sorter(torch.nn.Module):
        def forward(self, x):
            return ot.sort(x, descending=True)

    x = torch.randn(50)
    program = torch.export.export(Sorter(), (x,))
    check_same(program.module()(x)[1], torch.argsort(x, descending=True))


def test_threads():
    keys = [torch.randint(0, 99, (20_000,)) for _ in range(16)]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for a, index in zip(keys, pool.map(ot.argsort, keys)):
            check_same(index, torch.argsort(a, stable=True))


class Rows(torch.utils.data.Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, i):
        return ot.argsort(torch.arange(1000, 0, -1) + i)


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="no fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork.*:DeprecationWarning")
def test_workers_of_a_loader():
    ot.argsort(torch.arange(100_000))  # the parent has a machine
    for batch in torch.utils.data.DataLoader(Rows(), batch_size=4, num_workers=2, multiprocessing_context="fork"):
        check_same(batch, torch.arange(999, -1, -1).expand(4, 1000))


WITHOUT_COMPILER = """
import ordosort._native
ordosort._native._compiler = lambda: None
import torch, ordosort.torch as ot, pytest
assert ot._compiled == ()
keys, offsets = torch.tensor([3.0, float("nan"), 1.0, 2.0]), torch.tensor([0, 2, 4])
assert ot.argsort(keys).tolist() == [2, 3, 0, 1] and ot.top_k(keys, 1).indices.tolist() == [1]
assert ot.segmented_argsort(keys, offsets).tolist() == [0, 1, 2, 3]
assert ot.segmented_top_k(keys, offsets, 1).indices.tolist() == [[1], [3]]
with pytest.raises(ValueError, match="bad segments"):
    ot.segmented_sort(keys, torch.tensor([0, 9]))
"""


def test_without_a_compiler(tmp_path):
    folder = str(pathlib.Path(ot.__file__).parents[1])
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join([folder, os.environ.get("PYTHONPATH", "")]))
    environment["XDG_CACHE_HOME"] = str(tmp_path)
    command = [sys.executable, "-W", "error::RuntimeWarning", "-c", WITHOUT_COMPILER]
    subprocess.run(command, check=True, env=environment)
    if shutil.which("c++"):
        failing = WITHOUT_COMPILER.replace("lambda: None", "lambda: ['false']")
        done = subprocess.run([sys.executable, "-c", failing], check=True, env=environment, capture_output=True, text=True)
        assert "cannot compile torch_kernels.cpp" in done.stderr and "take longer" in done.stderr


@pytest.mark.skipif(not shutil.which("c++"), reason="no C++ compiler")
def test_compiled_kernels():
    assert ot._compiled[0] == "CPU"


def test_errors():
    keys = torch.arange(5)
    with pytest.raises(TypeError, match="(torch.complex64|ComplexFloat): keys are"):
        ot.sort(keys.to(torch.cfloat))
    with pytest.raises(IndexError, match="[Dd]imension out of range"):
        ot.argsort(keys, 1)
    for k, words in [(-1, "k: -1"), (6, "k: 6 of 5 items")]:
        with pytest.raises(ValueError, match=words):
            ot.top_k(keys, k)
    with pytest.raises(ValueError, match="no dimensions"):
        ot.top_k(torch.tensor(3), 1)
    with pytest.raises(ValueError, match="k: -1"):
        ot.segmented_top_k(keys, torch.tensor([0, 5]), -1)
    with pytest.raises(ValueError, match="keys: 2 dimensions"):
        ot.segmented_sort(keys.reshape(1, 5), torch.tensor([0, 5]))
    with pytest.raises(ValueError, match="offsets: none"):
        ot.segmented_sort(keys, torch.zeros(0, dtype=torch.int64))
    with pytest.raises(TypeError, match="offsets: (torch.float32|Float)"):
        ot.segmented_sort(keys, torch.tensor([0.0, 5.0]))
    with pytest.raises(ValueError, match="offsets: on meta"):
        ot.segmented_sort(keys, torch.zeros(2, dtype=torch.int64, device="meta"))
    for offsets in ([0, 4, 3, 5], [0, 9], [-1, 5]):
        for f in (ot.segmented_sort, lambda x, o: ot.segmented_top_k(x, o, 2)):
            with pytest.raises(ValueError, match="bad segments: segment"):
                f(keys, torch.tensor(offsets))
    with pytest.raises(ValueError, match="offsets"):
        torch.ops.ordosort.segmented_argsort(torch.ones(2, 5), torch.zeros(3, 2, dtype=torch.int64))
    with pytest.raises(ValueError, match="k: 6"):
        torch.ops.ordosort.top_k(keys, 6)
    with pytest.raises(TypeError, match="keys are bools"):
        torch.ops.ordosort.argsort(keys.to(torch.cfloat))
