"""Finds where reads come from in a genome, and which part of the genome such reads can tell apart. The cells (# %%) open in VS
Code, in Spyder and with jupytext; notebooks.py makes a notebook of them; as a program: python reads_against_genome.py
[GENOME.fa]"""

# %% The genome, and 100 reads of 40 letters; half of them are from the reverse strand.
import pathlib
import sys
import tempfile

import numpy as np
import ordosort

is_program = "__file__" in globals()  # not a notebook
here = pathlib.Path(__file__ if is_program else "notebook").resolve()
sample = next((up / "datasets/samples/lambda.fa" for up in here.parents if (up / "datasets/samples").is_dir()), None)
genome = pathlib.Path(sys.argv[1]) if is_program and len(sys.argv) > 1 else sample  # or the path of yours
folder = pathlib.Path(tempfile.mkdtemp())
index = ordosort.Index.build(genome, folder / "genome", lcp=True, bwt=True)
text = index.array("seq")
print(f"{index.names[0]} and others: {len(index):,} letters")

random = np.random.default_rng(1)
length = 40
origins = random.integers(0, len(text) - length, 100)
reads = [bytes(text[at : at + length]) for at in origins]
complement = bytes.maketrans(b"ACGT", b"TGCA")
reads[::2] = [read.translate(complement)[::-1] for read in reads[::2]]

# %% One index holds both strands: each read occurs at least once, and mostly nowhere else.
both = ordosort.Index.build(genome, folder / "both", options=["--strands=both"])
counts = both.count(reads)
print(f"reads found: {np.count_nonzero(counts)} of {len(reads)}, once: {np.count_nonzero(counts == 1)}")
hits = [both.locate(read) for read in reads]
print(f"on the reverse strand: {sum(bool(hit.reverse[0]) for hit in hits)}")

# %% How long must a read be to occur once? The part of the positions from which it does, for several lengths.
lengths = np.array([8, 10, 12, 14, 16, 20, 24, 32, 48])
unique = np.array([np.mean(index.unique(int(n)) == 1) for n in lengths])
for n, part in zip(lengths, unique):
    print(f"{n:3} letters: {100 * part:5.1f} % of the positions are unique")

# %% The longest repeats.
repeats = index.repeats(15)
order = np.argsort(-repeats.length.astype(np.int64), kind="stable")[:5]
for r in order:
    print(f"{repeats.length[r]} letters, {repeats.count[r]} times, first at {repeats.at.offset[repeats.first[r]]}")

# %% A plot, if matplotlib is installed.
try:
    from matplotlib import pyplot
except ImportError:
    pyplot = None
if pyplot:
    figure, axes = pyplot.subplots()
    axes.plot(lengths, 100 * unique, marker="o")
    axes.set(xlabel="length of a read", ylabel="unique positions, %", title=index.names[0])
    figure.savefig(folder / "unique.svg")
    print(f"plot: {folder / 'unique.svg'}")
