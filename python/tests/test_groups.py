"""Sorts of arrays in parts, beside the sort of the whole."""

import queue
import shutil
import subprocess
import sys
import threading

import numpy as np
import pytest

import ordosort

from test_sorts import TYPES, keys_of

LENGTHS = [(5, 0, 1000), (0, 0), (3000, 2999, 1, 4096), (7,)]


def parts_of(whole, lengths):
    return [part.copy() for part in np.split(whole, np.cumsum(lengths)[:-1])]


def together(shares, values, **options):
    """Calls sort_share in a thread for each share."""
    size, results = len(shares), [None] * len(shares)
    waiting = [[queue.Queue() for _ in shares] for _ in shares]  # by source and member

    def work(rank):
        moved = None if values is None else values[rank]
        machine = ordosort.Machine("cpu", threads=1)
        members = ordosort.Messages(
            size, rank, lambda to, data: waiting[rank][to].put(data), lambda source: waiting[source][rank].get(timeout=60)
        )
        results[rank] = ordosort.sort_share(shares[rank], members, moved, machine=machine, **options)

    threads = [threading.Thread(target=work, args=(rank,)) for rank in range(size)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results if values is None else tuple(map(list, zip(*results)))


def bits(arrays):
    """The bytes of arrays: equal values may differ in them."""
    return [one.tobytes() for one in arrays]


@pytest.mark.parametrize("sort", [ordosort.sort_shares, together])
@pytest.mark.parametrize("lengths", LENGTHS)
@pytest.mark.parametrize("dtype", TYPES)
def test_shares(sort, dtype, lengths):
    whole = keys_of(dtype, sum(lengths))
    index = np.arange(len(whole), dtype=np.int64)
    shares, values = parts_of(whole, lengths), parts_of(index, lengths)
    for options in {}, {"descending": True}, {"total_order": True}:
        expected = ordosort.sort(whole, **options)
        found = sort(shares, None, **options)
        np.testing.assert_array_equal(np.concatenate(found), expected)
        assert [len(part) for part in found] == list(lengths)
        keys, moved = sort(shares, values, **options)
        expected_keys, order = ordosort.sort_pairs(whole, index, **options)
        assert bits(moved) == bits(parts_of(order, lengths))
        assert bits(keys) == bits(parts_of(expected_keys, lengths))
    assert bits(shares) == bits(parts_of(whole, lengths))


def test_wrong_shares():
    with pytest.raises(ValueError, match="there are none"):
        ordosort.sort_shares([])
    with pytest.raises(ValueError, match="2 arrays for 1 shares"):
        ordosort.sort_shares([np.arange(3)], [np.arange(3), np.arange(3)])
    with pytest.raises(ValueError, match="length 2 for 3 keys"):
        ordosort.sort_shares([np.arange(3), np.arange(3)], [np.arange(2), np.arange(3)])
    with pytest.raises(ValueError, match="other types"):
        ordosort.sort_shares([np.arange(3), np.arange(3.0)])
    with pytest.raises(ValueError, match="2 dimensions"):
        ordosort.sort_shares([np.zeros((2, 3))])
    with pytest.raises(ValueError, match="host's memory"):
        ordosort.sort_shares([np.arange(3)], machine=ordosort.Machine("gpu"))
    with pytest.raises(TypeError, match="comm"):
        ordosort.sort_share(np.arange(3), None)


def test_exceptions_of_verbs():
    def lost(source):
        raise KeyError("lost")

    with pytest.raises(KeyError, match="lost"):
        ordosort.sort_share(np.arange(3), ordosort.Messages(2, 0, lambda to, data: None, lost))
    with pytest.raises(ValueError):  # too few bytes
        ordosort.sort_share(np.arange(3), ordosort.Messages(2, 0, lambda to, data: None, lambda source: b"x"))


def test_all_machines():
    machines = ordosort.Machine.all()
    assert [machine.device for machine in machines] == [f"gpu:{gpu['index']}" for gpu in ordosort.gpus()] or ["cpu"]


def test_mpi4py(tmp_path):
    pytest.importorskip("mpi4py")
    if not shutil.which("mpirun"):
        pytest.skip("no mpirun")
    script = tmp_path / "job.py"
    script.write_text(
        "import numpy as np, ordosort\n"
        "from mpi4py import MPI\n"
        "comm = MPI.COMM_WORLD\n"
        "shares = [np.random.default_rng(rank).integers(0, 99, 1000 * rank) for rank in range(comm.size)]\n"
        "part, old = ordosort.sort_share(shares[comm.rank], comm, np.arange(1000 * comm.rank) + 10**6 * comm.rank)\n"
        "found, old = comm.gather(part), comm.gather(old)\n"
        "if comm.rank == 0:\n"
        "    whole, old = np.concatenate(shares), np.concatenate(old)\n"
        "    assert [len(x) for x in found] == [len(x) for x in shares]\n"
        "    assert (np.concatenate(found) == np.sort(whole)).all()\n"
        "    first = np.cumsum([0] + [len(x) for x in shares])\n"
        "    assert (first[old // 10**6] + old % 10**6 == np.argsort(whole, kind='stable')).all()\n"
        "    print('right')\n"
    )
    done = subprocess.run(
        ["mpirun", "--oversubscribe", "--allow-run-as-root", "-n", "3", sys.executable, str(script)],
        capture_output=True, text=True, timeout=120,
    )
    assert done.stdout == "right\n", done.stderr
