"""The benchmarks that make the page: what run.py runs, and the commands that the page names."""

import shlex
from dataclasses import dataclass


@dataclass(frozen=True)
class Step:
    """One run of one program, which leaves NAME_CARD.json.

    command: FILE stands for that file, PROGRAMS for the folder of programs, FASTA for the files that --fasta names, or else a
    genome that is made, G for the 10^9 floats that nearly fill the card, DEVICES for the machines there are."""

    name: str
    command: str
    minutes: float  # about, with an H200 and 16 cores: a guess, until run.py has told what it took
    gpu: bool = True  # is of no use without one
    large: bool = False  # needs more than a common host has: only when asked for by name
    own_fasta: bool = False  # only with --fasta

    @property
    def program(self) -> str:
        return shlex.split(self.command)[0]


FILES = "tools/bench/files.py --tools PROGRAMS --devices DEVICES --runs 3"

STEPS = [
    Step("segmented_sort", "segmented_sort --json FILE", 2),
    Step("segmented_sort_sweep_pairs", "segmented_sort --sweep --pairs --json FILE", 4),
    Step("segmented_sort_sweep_keys", "segmented_sort --sweep --keys --json FILE", 4),
    Step("radix_sort", "radix_sort --sizes 16,20,24,26,28 --json FILE", 5),
    Step("array_sort", "array_sort --json FILE", 2),
    Step("array_sort_capacity", "array_sort --capacity G --json FILE", 1),
    Step("array_stream", "array_stream --gigabytes 80 --json FILE", 1, large=True),
    Step("comparator_sort", "comparator_sort --json FILE", 3),
    Step("string_sort", "string_sort --json FILE", 4, gpu=False),
    Step("spgemm", "spgemm_bench --json FILE", 3),
    Step("machines", "machines FASTA --json FILE", 1),
    Step(
        "suffix_array",
        "suffix_array FASTA --made-up random-dna:100M,equal:50M,fibonacci:63M,genome:1G --json FILE",
        6,
        gpu=False,
    ),
    Step(
        "suffix_array_3100m",
        "suffix_array --made-up genome:3100M --device gpu --rivals none --json FILE",
        1,
        large=True,
    ),
    Step("host_sorts", "host_sorts --json FILE", 6, gpu=False),
    Step("host_segments", "host_segments --json FILE", 2, gpu=False),
    Step("files", f"{FILES} --only 'strsort|specsort' --json FILE", 5, gpu=False),
    Step("files_genome_64m", f"{FILES} --only sufsort --json FILE", 1, gpu=False),
    Step("files_fasta", f"{FILES} --fasta FASTA --json FILE", 1, gpu=False, own_fasta=True),
    Step(
        "files_3100m",
        "tools/bench/files.py --tools PROGRAMS --devices gpu --runs 2 --scale full --only 3100 --json FILE",
        5,
        large=True,
    ),
]
BY_NAME = {step.name: step for step in STEPS}
