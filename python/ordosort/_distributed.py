"""Sorts of one array whose parts lie on several devices or in several processes."""

from . import _machines
from . import _ordosort as core
from ._libraries import library_of
from ._sorts import _checked, _flags

_PART = 1 << 30  # bytes of a message: MPI counts in 32 bits


class _Communicator:
    """A communicator of sort_share, over one of mpi4py."""

    def __init__(self, comm):
        from mpi4py import MPI  # type: ignore

        self._comm, self._bytes = comm, MPI.BYTE
        self._wait_all = MPI.Request.Waitall
        self.size, self.rank = comm.Get_size(), comm.Get_rank()

    def _pieces(self, data):
        return [[data[at : at + _PART], self._bytes] for at in range(0, len(data), _PART)]

    def broadcast(self, data, root):
        for piece in self._pieces(data):
            self._comm.Bcast(piece, root)

    def all_gather(self, own, all):
        if len(own) <= _PART:
            self._comm.Allgather([own, self._bytes], [all, self._bytes])
            return
        for member in range(self.size):
            part = all[member * len(own) : (member + 1) * len(own)]
            if member == self.rank:
                part[:] = own
            self.broadcast(part, member)

    def all_to_all(self, sends, receives):
        requests = [self._comm.Irecv(piece, source) for source, data in enumerate(receives) for piece in self._pieces(data)]
        requests += [self._comm.Isend(piece, to) for to, data in enumerate(sends) for piece in self._pieces(data)]
        self._wait_all(requests)

    def barrier(self):
        self._comm.Barrier()


class Messages:
    """The messages by which sort_share works in a cluster, such as one of Dask or Ray.

    size, rank: the number of members, and the number of this one, from 0 on.
    put(to, data): sends bytes to a member, and does not wait for it.
    get(source): waits for the next bytes from a member, in the order in which it sent them, and returns them.

    A number of bytes of any size is one message. Examples for both libraries are in python/examples.
    """

    def __init__(self, size, rank, put, get):
        self.size, self.rank, self._put, self._get = size, rank, put, get

    def _others(self):
        return [member for member in range(self.size) if member != self.rank]

    def broadcast(self, data, root):
        if self.rank != root:
            data[:] = self._get(root)
            return
        for member in self._others():
            self._put(member, bytes(data))

    def all_gather(self, own, all):
        for member in self._others():
            self._put(member, bytes(own))
        for member in range(self.size):
            part = all[member * len(own) : (member + 1) * len(own)]
            part[:] = own if member == self.rank else self._get(member)

    def all_to_all(self, sends, receives):
        for member in self._others():
            self._put(member, bytes(sends[member]))
        for member in self._others():
            receives[member][:] = self._get(member)

    def barrier(self):
        for member in self._others():
            self._put(member, b"")
        for member in self._others():
            self._get(member)


def _verbs_of(comm):
    if hasattr(comm, "all_to_all"):
        return comm
    if not hasattr(comm, "Get_rank"):
        raise TypeError("comm: neither a communicator of mpi4py nor an object with its verbs")
    return _Communicator(comm)


def _share(a):
    """Returns the library of a share and the array."""
    library, a = _checked(a, "share")
    if len(a.shape) != 1:
        raise ValueError(f"share: {len(a.shape)} dimensions, where it has one")
    return library, a


def _copied_values(values):
    library, values = library_of(values, "values")
    return library.copy(values)


def sort_share(share, comm, values=None, *, descending=False, total_order=False, machine=None):
    """Sorts an array that is shared by processes, and returns this process's part of the sorted array.

    Collective: every process of `comm` calls it, with arrays of one dtype. Each gets as many items as it gave. The parts, one
    after the other by rank, are what sort returns for the whole. Stable across processes: equal keys keep the order of ranks.

    share: the items of this process, of one dimension, on the host or on a GPU. Any length, also 0.
    comm: a communicator of mpi4py; or Messages; or another object with size, rank, and the methods broadcast(data, root),
        all_gather(own, all), all_to_all(sends, receives) and barrier(), whose arguments are memoryviews of bytes, or lists of
        `size` of them.
    values: an array as long as `share`, moved with it. The result is then a pair.
    machine: an ordosort.Machine; by default the module's. Members that are threads of one process need one each, because calls on
        one machine take turns.

    An exception of a verb reaches the caller. Other members then wait for this one: end them.

    >>> import numpy as np, ordosort
    >>> from mpi4py import MPI                                                # doctest: +SKIP
    >>> part = ordosort.sort_share(np.random.rand(10**6), MPI.COMM_WORLD)     # doctest: +SKIP
    """
    flags = _flags(None, descending, total_order)
    library, share = _share(share)
    keys = library.copy(share)
    moved = None if values is None else _copied_values(values)
    core.sort_share(_machines.chosen(machine), _verbs_of(comm), keys, moved, flags, library.stream(keys))
    return keys if values is None else (keys, moved)


def sort_shares(shares, values=None, *, descending=False, total_order=False, machine=None):
    """Sorts an array whose parts are given as a list, and returns the parts of the sorted array, of the same lengths.

    Parts on the host are sorted by threads together. Parts in the memory of GPUs are sorted by these GPUs, which exchange items
    directly where they can: one part for each GPU, or several. Stable.

    shares: arrays of one dtype and one dimension, of any length: all on the host, or all on GPUs.
    values: a list of arrays as long as the shares, moved with them. The result is then a pair of lists.

    >>> import numpy as np, ordosort
    >>> ordosort.sort_shares([np.array([5, 3]), np.array([4]), np.array([1, 2, 0])])
    [array([0, 1]), array([2]), array([3, 4, 5])]
    """
    flags = _flags(None, descending, total_order)
    checked = [_share(share) for share in shares]
    values = None if values is None else list(values)
    if not checked:
        raise ValueError("shares: there are none")
    if values is not None and len(values) != len(checked):
        raise ValueError(f"values: {len(values)} arrays for {len(checked)} shares")
    keys = [library.copy(share) for library, share in checked]
    moved = None if values is None else [_copied_values(one) for one in values]
    streams = [library.stream(one) for (library, _), one in zip(checked, keys)]
    core.sort_shares(_machines.chosen(machine), keys, moved, flags, streams)
    return keys if values is None else (keys, moved)
