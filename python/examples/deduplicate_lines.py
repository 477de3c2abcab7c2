"""Lines without duplicates, how often each occurs, and long passages that occur twice. The cells (# %%) open in VS Code, in
Spyder and with jupytext; notebooks.py makes a notebook of them; as a program: python deduplicate_lines.py [LINES]"""

# %% Lines, here the hosts of URLs.
import gzip
import pathlib
import sys
import tempfile

import numpy as np
import ordosort

is_program = "__file__" in globals()  # not a notebook
here = pathlib.Path(__file__ if is_program else "notebook").resolve()
sample = next((up / "datasets/samples/urls.txt.gz" for up in here.parents if (up / "datasets/samples").is_dir()), None)
path = pathlib.Path(sys.argv[1]) if is_program and len(sys.argv) > 1 else sample  # or the path of yours
folder = pathlib.Path(tempfile.mkdtemp())
with (gzip.open if path.suffix == ".gz" else open)(path, "rb") as file:
    lines = file.read().splitlines()
hosts = [line.split(b"/")[2] for line in lines if line.count(b"/") >= 2]
print(f"{len(lines):,} lines, {len(hosts):,} hosts")

# %% In memory: equal lines are neighbours of each other in the sorted order.
ordered = ordosort.sort_strings(hosts)
first = np.array([i == 0 or ordered[i] != ordered[i - 1] for i in range(len(ordered))])
begins = np.flatnonzero(first)
counts = np.diff(np.append(begins, len(ordered)))
order = ordosort.argsort(counts, descending=True)
print(f"{len(counts):,} different hosts")
for i in order[:5]:
    print(f"{counts[i]:6} {ordered[begins[i]].decode(errors='replace')}")

# %% The same from file to file, for files larger than memory.
(folder / "hosts.txt").write_bytes(b"\n".join(hosts) + b"\n")
ordosort.sort_file(folder / "hosts.txt", folder / "counted.txt", tool="strsort", options=["--by-count"])
print((folder / "counted.txt").read_text(errors="replace").splitlines()[0].split())

# %% Passages: each line is a record, and the LCP array says how many letters a place shares with the next one in the order.
some = lines[:2000]
built = ordosort.suffix_array(some, lcp=True)
longest = int(np.argmax(built.lcp))
at, shared = int(built.sa[longest]), int(built.lcp[longest])
print(f"the longest passage that occurs twice has {shared} letters:")
print(b"".join(some)[at : at + shared].decode(errors="replace"))

# %% A plot, if matplotlib is installed.
try:
    from matplotlib import pyplot
except ImportError:
    pyplot = None
if pyplot:
    figure, axes = pyplot.subplots()
    axes.loglog(np.arange(1, len(counts) + 1), ordosort.sort(counts, descending=True))
    axes.set(xlabel="rank of the host", ylabel="lines", title=path.name)
    figure.savefig(folder / "hosts.svg")
    print(f"plot: {folder / 'hosts.svg'}")
