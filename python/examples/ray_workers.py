"""Sorts one array on the workers of a Ray cluster: each takes a part, and gives back a part of the sorted array.

python ray_workers.py [ADDRESS]: of a cluster, such as auto; without it, Ray is started on this host.
"""

import asyncio
import collections
import sys

import numpy as np
import ordosort
import ray


@ray.remote(num_cpus=0)
class Post:
    """Names the data that one worker has for another. The data itself goes from store to store."""

    def __init__(self):
        self._waiting = collections.defaultdict(asyncio.Queue)

    async def put(self, source, to, reference):
        await self._waiting[source, to].put(reference)

    async def get(self, source, to):
        return await self._waiting[source, to].get()


@ray.remote
def sort_part(part, size, rank, post):
    def put(to, data):
        ray.get(post.put.remote(rank, to, [ray.put(data)]))  # in a list, so that it is passed as a reference

    def get(source):
        return ray.get(ray.get(post.get.remote(source, rank))[0])

    return ordosort.sort_share(np.array(part), ordosort.Messages(size, rank, put, get))


def sort_on_workers(parts):
    """Returns the sorted parts, of the same lengths. There must be a free CPU for each, since they wait for one another."""
    post = Post.remote()
    return ray.get([sort_part.remote(part, len(parts), rank, post) for rank, part in enumerate(parts)])


def main():
    ray.init(*sys.argv[1:2], **({} if len(sys.argv) > 1 else {"num_cpus": 2}), log_to_driver=False)
    random = np.random.default_rng(1)
    parts = [random.random(300_000), random.random(200_000)]
    found = np.concatenate(sort_on_workers(parts))
    print("sorted" if (found == np.sort(np.concatenate(parts))).all() else "WRONG")


if __name__ == "__main__":
    main()
