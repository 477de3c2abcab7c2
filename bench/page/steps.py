"""The list of benchmarks: run.py runs them, and the pages name their commands."""

import re
import shlex
from dataclasses import dataclass


@dataclass(frozen=True)
class Step:
    """One run of one program, which leaves NAME_GPU.json.

    command: variables of the environment, the program, and its arguments. Words in capitals stand for:
    FILE the JSON file; PROGRAMS the folder of the programs; DEVICES the devices of the machine;
    FASTA the files of --fasta, or a generated genome; MATRIX the files of --matrix;
    G the 10^9 floats that nearly fill the GPU's memory; S the 10^9 bytes that fit the host's memory;
    HALF half of S, or four fifths of the GPU's memory if that is less."""

    name: str
    command: str
    minutes: float  # approximate, with an H200 and 16 cores
    gpu: bool = True  # needs a GPU
    host: bool = False  # for machines without a GPU; on others only with --only
    large: bool = False  # needs what few machines have: much memory, or the Python package; only with --only
    own: str = ""  # the files that the user must give: FASTA (--fasta) or MATRIX (--matrix)

    def words(self) -> tuple[dict[str, str], list[str]]:
        """Returns the variables, and the program with its arguments."""
        words = shlex.split(self.command)
        begin = next(i for i, word in enumerate(words) if not re.match(r"[A-Z_]+=", word))
        return dict(word.split("=", 1) for word in words[:begin]), words[begin:]

    @property
    def program(self) -> str:
        return self.words()[1][0]


FILES = "bench/files.py --tools PROGRAMS --devices DEVICES --runs 3"

# Benchmarks of the GPU come first, so that a run that is cut short has measured the GPU.
STEPS = [
    Step("segmented_sort", "segmented_sort --json FILE", 0.35),
    Step("segmented_sort_sweep_pairs", "segmented_sort --sweep --pairs --json FILE", 0.35),
    Step("segmented_sort_sweep_keys", "segmented_sort --sweep --keys --json FILE", 0.35),
    Step("segment_kernels", "segment_kernels --json FILE", 0.15),
    Step("segmented_grid", "segmented_grid --json FILE", 1.7),
    Step("radix_sort", "radix_sort --sizes 16,20,24,26,28 --json FILE", 0.5),
    Step("key_ranges", "key_ranges --json FILE", 0.15),
    Step("key_lengths", "key_ranges --lengths --json FILE", 0.1),
    Step("product_sorts", "product_sorts --json FILE", 0.3),
    Step("array_sort", "array_sort --json FILE", 0.45),
    Step("array_sort_lengths", "array_sort --lengths --json FILE", 0.2),
    Step("array_sort_sweep", "array_sort --sweep --json FILE", 0.45),
    Step("array_sort_capacity", "array_sort --capacity G --json FILE", 0.25),
    Step("array_fit", "array_fit --json FILE", 0.6),
    Step("array_stream", "ORDO_GPU_MEMORY=HALF array_stream --gigabytes S --json FILE", 0.45),
    Step("comparator_sort", "comparator_sort --json FILE", 0.35),
    Step("comparator_radix", "comparator_sort --radix --json FILE", 0.1),
    Step("small_sorts", "small_sorts --json FILE", 0.15),
    Step("string_sort", "string_sort --json FILE", 0.65, gpu=False),
    Step("string_steps", "string_steps --json FILE", 1),
    Step("spgemm", "spgemm_bench --json FILE", 0.65),
    Step("spgemm_collection", "spgemm_bench --collection MATRIX --json FILE", 0.4),
    Step("spgemm_matrices", "spgemm_bench MATRIX --json FILE", 0.5, own="MATRIX"),
    Step("distributed_sort_two", "distributed_sort --gpus 0,1 --json FILE", 0.3, large=True),
    Step("distributed_sort_four", "distributed_sort --gpus 0,1,2,3 --json FILE", 0.3, large=True),
    Step("distributed_sort_four_small", "distributed_sort --gpus 0,1,2,3 --exchange peer_copies --log-keys 30 --log-pairs 29 --json FILE", 0.2, large=True),
    Step("distributed_sort_four_large", "distributed_sort --gpus 0,1,2,3 --exchange peer_copies --log-keys 32 --log-pairs 31 --json FILE", 0.3, large=True),
    Step("machines", "machines FASTA --json FILE", 0.15),
    Step(
        "suffix_array",
        "suffix_array FASTA --runs 5 --patience 3 --divsufsort-limit 70M --made-up random-dna:100M,equal:50M,"
        "fibonacci:63M,genome:250M,genome:1G --json FILE",
        4,
        gpu=False,
    ),
    Step("suffix_array_dna", "suffix_array FASTA --runs 5 --patience 3 --divsufsort-limit 0 --json FILE", 1, own="FASTA"),
    Step("segment_lengths", "segment_lengths FASTA MATRIX --json FILE", 0.5, gpu=False, own="FASTA"),
    Step(
        "suffix_array_3100m",
        "suffix_array --made-up genome:3100M --device gpu --rivals none --runs 3 --json FILE",
        0.6,
        large=True,
    ),
    Step(
        "suffix_array_6200m",
        "ORDO_GPU_MEMORY=71470M suffix_array --made-up genome:6200M --device gpu --rivals none --runs 2 --json FILE",
        0.8,
        large=True,
    ),
    Step("files_genome_64m", f"{FILES} --only sufsort --json FILE", 0.4, gpu=False),
    Step("files_fasta", f"{FILES} --fasta FASTA --json FILE", 0.3, gpu=False, own="FASTA"),
    Step("files", f"{FILES} --only 'strsort|specsort' --json FILE", 2.4, gpu=False),
    Step(
        "files_rows",
        "bench/files.py --tools PROGRAMS --devices cpu --runs 2 --only 'strsort (rows|hosts)' --json FILE",
        1.5,
        gpu=False,
        large=True,
    ),
    Step("files_1000m", f"{FILES} --scale full --only 1000 --json FILE", 1.5, large=True),
    Step("crossing", "bench/crossing.py --tools PROGRAMS --json FILE", 1.5),
    Step("similar_pairs", "bench/spectra/similar_pairs.py --tools PROGRAMS --runs 2 --json FILE", 1.5),
    Step(
        "similar_pairs_rivals",
        "bench/spectra/similar_pairs.py --tools PROGRAMS --devices cpu --threads 2 --runs 1 --only 4, --rivals --json FILE",
        5,
        gpu=False,
        large=True,
    ),
    Step("host_sorts", "host_sorts --sizes 16,20,24 --runs 3 --json FILE", 2.5, gpu=False, host=True),
    Step("host_sorts_2_26", "host_sorts --sizes 26 --runs 3 --json FILE", 4, gpu=False, host=True, large=True),
    Step("host_sorts_one_thread", "host_sorts --threads 1 --sizes 16,20,24 --runs 3 --json FILE", 5, gpu=False, host=True),
    Step("host_segments", "host_segments --json FILE", 2, gpu=False, host=True),
    Step("python_libraries", "bench/python/python_libraries.py --json FILE", 15, gpu=False, large=True),
    Step(
        "files_3100m",
        "bench/files.py --tools PROGRAMS --devices gpu --runs 2 --scale full --only 3100 --json FILE",
        1,
        large=True,
    ),
]
BY_NAME = {step.name: step for step in STEPS}
