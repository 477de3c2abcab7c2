#!/usr/bin/env python3
"""Fails one call of the CUDA driver after another in the tools' main jobs on a GPU, and checks how the tools end.

every_cuda_call.py BIN LIBRARY [--only TEXT] [--kinds memory,call] [--every N] [--runs N] [--parallel N] [--table FILE]

LIBRARY is the libcuda.so.1 built from fail_cuda.cpp; it takes the driver's place. The jobs and what must hold are those of
every_call.py. `memory` are the calls that ask for memory, which find none: one, or all from it on. `call` are all calls: one
fails, or the GPU is lost from it on. With --runs each job runs so often only, with faults drawn at random.
"""
import ctypes
import re
import sys

import every_call

KINDS = ["memory", "call"]
# CUDA_ERROR_OUT_OF_MEMORY; CUDA_ERROR_UNKNOWN; CUDA_ERROR_LAUNCH_FAILED, after which a process can use the GPU no more.
FAULTS = {"memory": [":2", "+:2"], "call": [":999", "+:719"]}


def real_driver():
    """The file of the system's driver."""
    try:
        ctypes.CDLL("libcuda.so.1")
    except OSError as error:
        sys.exit(f"every_cuda_call.py: no driver: {error}")
    with open("/proc/self/maps", encoding="utf-8") as maps:
        for line in maps:
            if found := re.search(r"(/\S*/libcuda\.so\S*)", line):
                return found[1]
    sys.exit("every_cuda_call.py: the driver is loaded from no file")


class GpuBench(every_call.Bench):
    device = "gpu"

    def __init__(self, tools, library, folder):
        super().__init__(tools, library, folder)
        self.driver = real_driver()

    def in_front(self):
        return {"LD_LIBRARY_PATH": str(self.preloaded.parent), "ORDO_DRIVER": self.driver}


if __name__ == "__main__":
    every_call.main(__doc__, GpuBench, KINDS, FAULTS)
