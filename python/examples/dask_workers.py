"""Sorts one array on the workers of a Dask cluster: each takes a part, and gives back a part of the sorted array.

python dask_workers.py [ADDRESS]: of a scheduler; without it, two workers are started on this host.
"""

import sys

import numpy as np
import ordosort
from distributed import Client, Queue, get_client


def sort_part(part, size, rank, job):
    client = get_client()

    # Data goes from worker to worker, and the scheduler's queue names it only.
    def put(to, data):
        Queue(f"{job} {rank} {to}", client=client).put(client.scatter(data, direct=True, hash=False))

    def get(source):
        return Queue(f"{job} {source} {rank}", client=client).get().result()

    return ordosort.sort_share(part, ordosort.Messages(size, rank, put, get))


def sort_on_workers(client, parts, job):
    """Returns the sorted parts, of the same lengths. Each is the task of a worker of its own, since they wait for one another."""
    workers = list(client.scheduler_info()["workers"])
    if len(workers) < len(parts):
        raise ValueError(f"{len(parts)} parts for {len(workers)} workers")
    return client.gather(
        [
            client.submit(sort_part, part, len(parts), rank, job, workers=[workers[rank]], pure=False)
            for rank, part in enumerate(parts)
        ]
    )


def main():
    cluster = {"address": sys.argv[1]} if len(sys.argv) > 1 else {"n_workers": 2, "threads_per_worker": 1}
    with Client(**cluster) as client:
        random = np.random.default_rng(1)
        parts = [random.random(300_000), random.random(200_000)]
        found = np.concatenate(sort_on_workers(client, parts, "example"))
        print("sorted" if (found == np.sort(np.concatenate(parts))).all() else "WRONG")


if __name__ == "__main__":
    main()
