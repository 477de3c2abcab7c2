"""Cleaning a mass-spectrometry run for a search: what the steps of a selection leave. The cells (# %%) open in VS Code, in
Spyder and with jupytext; notebooks.py makes a notebook of them; as a program: python clean_run.py [RUN.mgf or RUN.mzML]"""

# %% The run, as columns.
import pathlib
import sys
import tempfile

import numpy as np
from ordosort import spectra

is_program = "__file__" in globals()  # not a notebook
here = pathlib.Path(__file__ if is_program else "notebook").resolve()
sample = next((up / "datasets/samples/xtandem_yeast.mgf.gz" for up in here.parents if (up / "datasets/samples").is_dir()), None)
path = pathlib.Path(sys.argv[1]) if is_program and len(sys.argv) > 1 else sample  # or the path of yours
folder = pathlib.Path(tempfile.mkdtemp())
run = (spectra.read_mzml if ".mzml" in path.name.lower() else spectra.read_mgf)(path)
print(f"{len(run)} spectra, {len(run.mz):,} peaks")

# %% Peaks in order of m/z, then each step by itself, and all of them.
mz, intensity = spectra.sort(run.mz, run.intensity, run.offsets)
steps = {
    "as they are": {},
    "m/z 100 to 1500": {"min_mz": 100, "max_mz": 1500},
    "1 % of the highest": {"min_relative": 0.01},
    "the highest 50": {"top": 50},
}
steps["all"] = {rule: value for rules in steps.values() for rule, value in rules.items()}
kept = {name: spectra.select(mz, intensity, run.offsets, **rules) for name, rules in steps.items()}
total = intensity.sum()
for name, (_, some, _) in kept.items():
    print(f"{name:20} {len(some):7,} peaks, {100 * some.sum() / total:5.1f} % of the intensity")

# %% What a search reads.
best = spectra.Spectra(
    *kept["all"], run.precursor_mz, run.charge, run.rt_seconds, run.ms_level, run.titles
)
spectra.write_mgf(folder / "clean.mgf", best)
again = spectra.read_mgf(folder / "clean.mgf")
print(f"written: {len(again)} spectra, {len(again.mz):,} peaks")

# %% A plot, if matplotlib is installed: a spectrum before and after.
try:
    from matplotlib import pyplot
except ImportError:
    pyplot = None
if pyplot:
    s = int(np.argmax(np.diff(run.offsets)))
    figure, axes = pyplot.subplots()
    axes.vlines(*[run.peaks(s)[0], 0, run.peaks(s)[1]], color="lightgrey", label="before")
    axes.vlines(*[best.peaks(s)[0], 0, best.peaks(s)[1]], color="black", label="after")
    axes.set(xlabel="m/z", ylabel="intensity", title=(run.titles[s] or f"spectrum {s}")[:50])
    axes.legend()
    figure.savefig(folder / "spectrum.svg")
    print(f"plot: {folder / 'spectrum.svg'}")
