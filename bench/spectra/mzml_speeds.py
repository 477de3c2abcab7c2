#!/usr/bin/env python3
"""mzml_speeds.py [--tools BIN] [--runs N] [--threads N] [--copies N] FILE.mzML...: times specsort beside OpenMS, msconvert and
pyteomics (Debian packages topp and libpwiz-tools, and pip; what is not installed is left out) in four tasks:
 - the spectra of MS level 2, to mzML
 - the 100 highest peaks of each spectrum, to mzML
 - all spectra of MS level 2 to MGF
 - their 100 highest peaks to MGF
Inputs: the first FILE; all FILEs, N times over, as one document (plain); the same in zlib. File to file. The programs take
turns; medians of wall-clock and of processor seconds (user and system), the most memory, and the spectra and peaks of outputs.
Data: /usr/share/doc/openms/examples/BSA/*.mzML of openms-doc.
"""
import argparse
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

os.environ["OPENMS_DISABLE_UPDATE_CHECK"] = "ON"

ONE_RUN = 10  # seconds; what takes longer runs once

# The work of a program that converts by pyteomics.
PYTEOMICS = """
import sys, numpy
from pyteomics import mgf, mzml
source, target, top = sys.argv[1], sys.argv[2], int(sys.argv[3])
def spectra():
    with mzml.MzML(source, use_index=False) as run:
        for one in run:
            if one['ms level'] < 2: continue
            mz, heights = one['m/z array'], one['intensity array']
            if top and len(mz) > top:
                kept = numpy.sort(numpy.argpartition(-heights, top - 1)[:top])
                mz, heights = mz[kept], heights[kept]
            ion = one['precursorList']['precursor'][0]['selectedIonList']['selectedIon'][0]
            about = {'title': one['id'], 'pepmass': (ion['selected ion m/z'], ion.get('peak intensity', 0))}
            if 'charge state' in ion: about['charge'] = int(ion['charge state'])
            yield {'m/z array': mz, 'intensity array': heights, 'params': about}
mgf.write(spectra(), target, file_mode='w')
"""


def timed(*commands):
    """Returns wall-clock seconds, processor seconds and the most bytes of memory of commands that run one after the other."""
    begin, processor, memory = time.perf_counter(), 0, 0
    for command in commands:
        with tempfile.TemporaryFile() as said:
            child = subprocess.Popen(command, stdout=said, stderr=subprocess.STDOUT)
            _, status, used = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
            if status != 0:
                said.seek(0)
                sys.exit(f"{' '.join(command)}: {said.read()[-500:].decode('utf-8', 'replace')}")
        processor += used.ru_utime + used.ru_stime
        memory = max(memory, used.ru_maxrss * 1024)
    return time.perf_counter() - begin, processor, memory


def contents(path):
    """Returns the numbers of spectra and of peaks of a file, as its headers and lines state them."""
    spectra = peaks = 0
    with open(path, "rb") as file:
        if path.endswith(".mgf"):
            for line in file:
                spectra += line.startswith(b"BEGIN IONS")
                peaks += line[:1].isdigit()
        else:
            for line in file:
                for tag in re.findall(rb"<spectrum [^>]*>", line):
                    spectra += 1
                    peaks += int(re.search(rb'defaultArrayLength="(\d+)"', tag)[1])
    return spectra, peaks


def programs(tools, threads, path, work):
    """Returns the tasks: a name, and the output and commands of each program that can do it."""
    specsort = [os.path.join(tools, "specsort") if tools else "specsort", path, "--quiet", f"--threads={threads}"]
    out = lambda name: os.path.join(work, name)
    zlib = b"MS:1000574" in open(path, "rb").read(1 << 20)

    def ours(ending, *options):
        return out(f"ours.{ending}"), [[*specsort, *options, "-o", out(f"ours.{ending}")]]

    def openms(ending, *commands):
        made, last = [], path
        for k, (program, *options) in enumerate(commands):
            to = out(f"openms{k}.{'mzML' if k + 1 < len(commands) else ending}")
            made.append([program, "-threads", str(threads), "-in", last, "-out", to, *options])
            last = to
        return last, made

    def pwiz(ending, *options):
        how = ["--mgf"] if ending == "mgf" else ["--mzML", *(["--zlib"] if zlib else [])]
        return out(f"pwiz.{ending}"), [["msconvert", path, *how, "-o", work, "--outfile", f"pwiz.{ending}", *options]]

    def python(top):
        return out("pyteomics.mgf"), [[sys.executable, "-c", PYTEOMICS, path, out("pyteomics.mgf"), str(top)]]

    packed = ["-peak_options:zlib_compression", "true"] if zlib else []
    highest = ["SpectraFilterNLargest", "-algorithm:n", "100"]
    most_intense = ["--filter", "threshold count 100 most-intense"]
    level = ["--filter", "msLevel 2"]
    return [("MS level 2, to mzML",
             {"specsort": ours("mzML", "--ms-level=2"), "msconvert": pwiz("mzML", *level),
              "OpenMS": openms("mzML", ["FileFilter", "-peak_options:level", "2", *packed])}),
            ("100 highest peaks, to mzML" + (" (OpenMS: uncompressed)" if zlib else ""),
             {"specsort": ours("mzML", "--top=100"), "msconvert": pwiz("mzML", *most_intense),
              "OpenMS": openms("mzML", highest)}),
            ("MS level 2, to MGF",
             {"specsort": ours("mgf"), "msconvert": pwiz("mgf", *level), "OpenMS": openms("mgf", ["FileConverter"]),
              "pyteomics": python(0)}),
            ("MS level 2, 100 highest peaks, to MGF",
             {"specsort": ours("mgf", "--top=100"), "msconvert": pwiz("mgf", *level, *most_intense),
              "OpenMS": openms("mgf", highest, ["FileConverter"]), "pyteomics": python(100)})]


def has(program):
    if program == "pyteomics":
        # psims is what pyteomics reads mzML with.
        needed = [sys.executable, "-c", "import pyteomics, psims, numpy, lxml"]
        return subprocess.run(needed, stderr=subprocess.DEVNULL, check=False).returncode == 0
    return shutil.which({"OpenMS": "FileFilter"}.get(program, program)) is not None


def measure(name, path, options):
    print(f"{name}: {os.path.getsize(path) / 1e6:.1f} MB, {contents(path)[0]:,} spectra, {contents(path)[1]:,} peaks")
    with tempfile.TemporaryDirectory(dir=options.work) as work:
        for task, commands in programs(options.tools, options.threads, path, work):
            commands = {program: how for program, how in commands.items() if program == "specsort" or has(program)}
            times = {program: [] for program in commands}
            for _ in range(options.runs):
                for program, (_, made) in commands.items():
                    if not times[program] or times[program][0][0] < ONE_RUN:
                        times[program].append(timed(*made))
            print(f"  {task}")
            middle = lambda program, k: statistics.median(one[k] for one in times[program])
            for program, (output, _) in commands.items():
                wall, processor, memory = (middle(program, k) for k in range(3))
                print(f"    {program:<10}{wall:8.2f} s wall{wall / middle('specsort', 0):7.1f} x"
                      f"{processor:8.2f} s processor{processor / middle('specsort', 1):7.1f} x{memory / 1e6:8.0f} MB"
                      f"{os.path.getsize(path) / 1e6 / wall:8.0f} MB/s  {'%d spectra, %d peaks' % contents(output)}",
                      flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tools", help="the folder of specsort")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--copies", type=int, default=5)
    parser.add_argument("--work", help="the folder of temporary files")
    parser.add_argument("files", nargs="+")
    options = parser.parse_args()
    specsort = os.path.join(options.tools, "specsort") if options.tools else "specsort"
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    with tempfile.TemporaryDirectory(dir=options.work) as folder:
        large = os.path.join(folder, "large.mzML")
        timed([specsort, *options.files * options.copies, "--quiet", "-o", large])
        measure(os.path.basename(options.files[0]), options.files[0], options)
        measure(f"{options.copies} times {len(options.files)} files", large, options)
        if shutil.which("msconvert"):
            timed(["msconvert", large, "--zlib", "-o", folder, "--outfile", "packed.mzML"])
            os.unlink(large)
            measure("the same in zlib", os.path.join(folder, "packed.mzML"), options)
    print(f"load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
