"""ordosort.jax beside jnp. Needs JAX, and a C++ compiler for the first run."""

import concurrent.futures
import os
import shutil
import subprocess
import sys

import numpy as np
import pytest

jax = pytest.importorskip("jax", reason="JAX is not installed")
if not shutil.which("c++"):
    pytest.skip("no C++ compiler, which the first sort needs", allow_module_level=True)

import jax.numpy as jnp

import ordosort.jax as oj

jax.config.update("jax_enable_x64", True)

INTEGERS = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float16", "bfloat16", "float32", "float64"]


def check_same(a, b, zeros_sorted=False):
    """The same shape, type and items. Zeros have the same signs, unless they are sorted by them."""
    assert a.shape == b.shape and a.dtype == b.dtype
    a, b = (np.asarray(x).astype("f8") if x.dtype.name in FLOATS else np.asarray(x) for x in (a, b))
    np.testing.assert_array_equal(a, b)
    if a.dtype == np.float64 and not zeros_sorted:
        np.testing.assert_array_equal(np.signbit(a[a == 0]), np.signbit(b[b == 0]))


def random_keys(rng, dtype, shape):
    """Keys with many ties; NaNs and negative zeros among them."""
    keys = rng.integers(0, 2 if dtype == "bool" else 60, shape)
    if dtype in FLOATS:
        keys = np.where(rng.random(shape) < 0.1, np.nan, keys - 30.0)
        keys = np.where(rng.random(shape) < 0.1, -0.0, keys)
    elif dtype.startswith("int"):
        keys = keys - 30
    return jnp.asarray(keys).astype(dtype)


def in_both_directions(f):
    """Returns f for both directions in one program, because most of the time goes to compiling."""
    return jax.jit(lambda a, axis: [f(a, axis, descending) for descending in (False, True)], static_argnums=1)


@in_both_directions
def ours(a, axis, descending):
    k = min(a.shape[axis], 3)
    return oj.argsort(a, axis, descending=descending), oj.sort(a, axis, descending=descending), oj.top_k(
        a, k, axis, largest=descending
    )


@in_both_directions
def theirs(a, axis, descending):
    index = jnp.argsort(a, axis, stable=True, descending=descending)
    return index, jnp.take_along_axis(a, index, axis)


def check_beside_jnp(dtype, shape, axis):
    keys = random_keys(np.random.default_rng(1), dtype, shape)
    for (index, values, (best, first)), (want, items) in zip(ours(keys, axis), theirs(keys, axis)):
        check_same(index, want)
        check_same(values, items, zeros_sorted=True)
        k = best.shape[axis]
        check_same(first, jax.lax.slice_in_dim(want, 0, k, axis=axis))
        check_same(best, jax.lax.slice_in_dim(items, 0, k, axis=axis))


@pytest.mark.parametrize("dtype", INTEGERS + FLOATS)
def test_types(dtype):
    check_beside_jnp(dtype, (7, 90), 1)


SHAPES = [((0,), 0), ((1,), 0), ((5, 0), 0), ((5, 0), 1), ((30_000,), 0), ((3, 4, 5), 1), ((7, 90), -2)]


@pytest.mark.parametrize("shape,axis", SHAPES)
def test_shapes(shape, axis):
    check_beside_jnp("float32", shape, axis)


def test_beside_jnp_sort():
    keys = random_keys(np.random.default_rng(2), "float32", (9, 999))
    for descending in [False, True]:
        check_same(oj.sort(keys, descending=descending), jnp.sort(keys, descending=descending), zeros_sorted=True)
    check_same(oj.sort(jnp.array([0.0, -0.0, 0.0])), jnp.array([-0.0, 0.0, 0.0]))
    numbers = jnp.nan_to_num(keys) + 0.0
    for top, lax in zip(oj.top_k(numbers, 5), jax.lax.top_k(numbers, 5)):
        check_same(top.astype(lax.dtype), lax)


@pytest.mark.parametrize(
    "dtype,offset_type",
    [("int8", "int16"), ("uint32", "int32"), ("bfloat16", "uint32"), ("float64", "int64"), ("int64", "uint64")],
)
def test_segments(dtype, offset_type):
    rng = np.random.default_rng(3)
    n, k = 900, 4
    keys = random_keys(rng, dtype, n)
    bounds = np.concatenate([[7], np.sort(rng.integers(7, n - 5, 60)), [n - 5]])  # what is outside stays
    offsets = jnp.asarray(bounds, offset_type)
    order, best = [np.arange(n), np.arange(n)], np.full((2, 61, k), -1)
    for direction, places in enumerate(theirs(keys, 0)):
        place = np.argsort(np.asarray(places[0]))  # of each key in the whole
        for s, (begin, end) in enumerate(zip(bounds[:-1], bounds[1:])):
            order[direction][begin:end] = begin + np.argsort(place[begin:end])
            best[direction, s, : min(k, end - begin)] = order[direction][begin:end][:k]
    for descending in [False, True]:
        want, first = jnp.asarray(order[descending]), jnp.asarray(best[int(descending)])
        check_same(oj.segmented_argsort(keys, offsets, descending=descending), want)
        check_same(oj.segmented_sort(keys, offsets, descending=descending), keys[want])
        values, index = oj.segmented_top_k(keys, offsets, k, largest=descending)
        check_same(index, first)
        check_same(values, jnp.where(first < 0, 0, keys[first]).astype(dtype))


def test_small_segments():
    none = jnp.zeros(0)
    for offsets in [jnp.array([0]), jnp.array([0, 0, 0])]:
        assert oj.segmented_sort(none, offsets).shape == (0,)
        assert oj.segmented_top_k(none, offsets, 2)[1].tolist() == [[-1, -1]] * (offsets.size - 1)
    assert oj.segmented_sort(jnp.array([2, 1]), jnp.array([0])).tolist() == [2, 1]
    assert oj.segmented_top_k(jnp.array([2, 1]), jnp.array([0, 2]), 0)[0].shape == (1, 0)


def test_without_64_bits():
    program = (
        "import jax, jax.numpy as jnp, numpy as np, ordosort.jax as oj\n"
        "a = np.array([3, 1, 2], np.int64)\n"
        "assert oj.sort(a).dtype == jnp.int32 and oj.argsort(a).dtype == jnp.int32\n"
        "assert oj.segmented_top_k(a, [0, 3], 1)[1].dtype == jnp.int32\n"
        "assert jax.jit(oj.argsort)(a).tolist() == [1, 2, 0]\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env=dict(os.environ, JAX_ENABLE_X64="0")
    )
    assert done.returncode == 0, done.stderr


def segmented(x):
    return oj.segmented_sort(x, jnp.array([0, 10, 11, 40]))


def segmented_jnp(x):
    return jnp.concatenate([jnp.sort(x[:10]), x[10:11], jnp.sort(x[11:])])


PAIRS = [
    (oj.sort, jnp.sort),
    (lambda x: oj.sort(x, descending=True), lambda x: jnp.sort(x, descending=True)),
    (lambda x: oj.top_k(x, 9)[0], lambda x: jax.lax.top_k(x, 9)[0]),
    (segmented, segmented_jnp),
]


@pytest.mark.parametrize("f,g", PAIRS)
def test_transformations(f, g):
    a = jnp.asarray(np.random.default_rng(4).permutation(240).reshape(6, 40) - 120.0)  # whose powers are exact
    tangent = a[::-1]

    def loss(h):
        return lambda x: jnp.sum(jnp.arange(h(x).size) * h(x) ** 3)

    check_same(jax.jit(f)(a[0]), g(a[0]))
    check_same(jax.vmap(f)(a), jax.vmap(g)(a))
    check_same(jax.jit(jax.vmap(jax.vmap(f)))(a.reshape(2, 3, 40)), jax.vmap(jax.vmap(g))(a.reshape(2, 3, 40)))
    check_same(jax.vmap(f, in_axes=1)(a.T), jax.vmap(g)(a))
    check_same(jax.grad(loss(f))(a[0]), jax.grad(loss(g))(a[0]))
    check_same(jax.jit(jax.vmap(jax.grad(loss(f))))(a), jax.vmap(jax.grad(loss(g)))(a))
    check_same(jax.jvp(f, (a[0],), (tangent[0],))[1], jax.jvp(g, (a[0],), (tangent[0],))[1])
    check_same(jax.hessian(loss(f))(a[0]), jax.hessian(loss(g))(a[0]))


def test_vmap_of_offsets():
    rng = np.random.default_rng(5)
    a = jnp.asarray(rng.normal(size=(4, 30)))
    offsets = jnp.asarray(np.sort(rng.integers(0, 30, (4, 6))))
    for f in (oj.segmented_argsort, lambda x, o: oj.segmented_top_k(x, o, 3)[1]):
        check_same(jax.vmap(f)(a, offsets), jnp.stack([f(x, o) for x, o in zip(a, offsets)]))
        check_same(jax.vmap(f, (0, None))(a, offsets[0]), jnp.stack([f(x, offsets[0]) for x in a]))
        check_same(jax.vmap(f, (None, 0))(a[0], offsets), jnp.stack([f(a[0], o) for o in offsets]))


def test_gradient_of_missing_items():
    def total(x):
        return jnp.sum(oj.segmented_top_k(x, jnp.array([0, 1, 3]), 2)[0] * jnp.array([[2.0, 100.0], [3.0, 5.0]]))

    assert jax.grad(total)(jnp.array([4.0, 6.0, 7.0])).tolist() == [2, 5, 3]


def test_integers_on_the_way_of_a_gradient():
    x = jnp.array([3.2, 1.1, 2.7])

    def total(f):
        return lambda x: jnp.sum(f(jnp.round(x).astype(int)) * x)

    best = (lambda x: oj.top_k(x, 3)[0], lambda x: jax.lax.top_k(x, 3)[0])
    for f, g in [(oj.sort, jnp.sort), (oj.argsort, jnp.argsort), best]:
        check_same(jax.grad(total(f))(x), jax.grad(total(g))(x))


def test_exported():
    export = pytest.importorskip("jax.export", reason="jax.export cannot be imported")

    check = export.DisabledSafetyCheck.custom_call("ordosort_sort")
    shape = jax.ShapeDtypeStruct(export.symbolic_shape("n"), jnp.float32)
    program = export.export(jax.jit(oj.sort), disabled_checks=[check])(shape)
    for n in (1, 5):
        check_same(program.call(jnp.arange(n, 0, -1, jnp.float32)), jnp.arange(1, n + 1, dtype=jnp.float32))


def test_input_stays():
    keys = jnp.asarray(np.random.default_rng(6).normal(size=1000))
    before = np.array(keys)
    oj.sort(keys)
    jax.jit(lambda x: (oj.sort(x), x + 1))(keys)
    check_same(keys, jnp.asarray(before))
    given = jnp.asarray(before)
    check_same(jax.jit(oj.sort, donate_argnums=0)(given), jnp.sort(keys))


def test_inside_loops():
    keys = jnp.asarray(np.random.default_rng(7).integers(0, 99, 500))
    check_same(jax.lax.fori_loop(0, 3, lambda i, x: oj.sort(-x), keys), jnp.sort(-keys))
    check_same(jax.lax.cond(True, oj.sort, lambda x: x, keys), jnp.sort(keys))


def test_shard_map():
    program = (
        "import jax, jax.numpy as jnp, numpy as np, ordosort.jax as oj\n"
        "from jax.sharding import Mesh, NamedSharding, PartitionSpec as P\n"
        "mesh, spec = Mesh(jax.devices(), ('b',)), P('b', None)\n"
        "rows = jax.device_put(np.random.default_rng(1).normal(size=(8, 100)), NamedSharding(mesh, spec))\n"
        "if not hasattr(jax, 'shard_map'):  # JAX 0.6\n"
        "    from jax.experimental.shard_map import shard_map; jax.shard_map = shard_map\n"
        "f = jax.jit(jax.shard_map(oj.sort, mesh=mesh, in_specs=spec, out_specs=spec))\n"
        "assert len(jax.devices()) == 2 and (f(rows) == jnp.sort(rows, 1)).all() and f(rows).sharding.spec == spec\n"
        "assert 'all-gather' not in f.lower(rows).compile().as_text()\n"
    )
    environment = dict(os.environ, XLA_FLAGS="--xla_force_host_platform_device_count=2", JAX_PLATFORMS="cpu")
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr


def test_threads():
    rng = np.random.default_rng(8)
    keys = [jnp.asarray(rng.integers(0, 99, 20_000)) for _ in range(16)]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for a, index in zip(keys, pool.map(oj.argsort, keys)):
            check_same(index, jnp.argsort(a, stable=True))


def test_errors():
    keys = jnp.arange(5)
    with pytest.raises(TypeError, match="dtype complex128: keys are"):
        oj.sort(keys.astype(complex))
    with pytest.raises(TypeError, match="dtype float8_e4m3fn"):
        oj.argsort(keys.astype(jnp.float8_e4m3fn))
    with pytest.raises(ValueError, match="a: no dimensions"):
        oj.sort(3)
    with pytest.raises(TypeError, match="cannot be interpreted as an integer"):
        oj.sort(keys, None)
    with pytest.raises(ValueError, match="axis 2 is out of bounds"):
        oj.argsort(keys, 2)
    for k in [-1, 6]:
        with pytest.raises(ValueError, match=f"k: {k} of 5 items"):
            oj.top_k(keys, k)
    with pytest.raises(ValueError, match="k: -1"):
        oj.segmented_top_k(keys, [0, 5], -1)
    with pytest.raises(ValueError, match="keys: 2 dimensions"):
        oj.segmented_sort(keys.reshape(1, 5), jnp.array([0, 5]))
    with pytest.raises(ValueError, match="offsets: none"):
        oj.segmented_sort(keys, jnp.zeros(0, int))
    with pytest.raises(TypeError, match="offsets: dtype float64"):
        oj.segmented_sort(keys, jnp.array([0.0, 5.0]))
    for offsets in ([0, 4, 3, 5], [0, 9], [-1, 5]) if jax.default_backend() == "cpu" else ():
        for f in (oj.segmented_sort, lambda x, o: oj.segmented_top_k(x, o, 2)):
            with pytest.raises(jax.errors.JaxRuntimeError, match="INVALID_ARGUMENT: bad segments: segment"):
                jax.block_until_ready(f(keys, jnp.array(offsets)))
    assert oj.segmented_sort(keys, jnp.array([0, 5])).tolist() == [0, 1, 2, 3, 4]  # after errors
