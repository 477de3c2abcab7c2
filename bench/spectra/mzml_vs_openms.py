#!/usr/bin/env python3
"""mzml_vs_openms.py [--tools BIN] FILE.mzML...: compares specsort's mzML with OpenMS and msconvert (Debian packages topp and
libpwiz-tools; programs that are not installed are left out). Data: /usr/share/doc/openms/examples/BSA/*.mzML of openms-doc.

Checks, for each file as it is and zlib-compressed by msconvert:
 - to MGF: peaks are equal, value by value, to those of msconvert and OpenMS FileConverter, and headers to those of msconvert
 - by intensity and back by m/z: every spectrum has the arrays of the file, each peak its own values, in order
 - the index and the checksum of an indexedmzML are correct; OpenMS FileInfo -v reports the same of the result as of the file;
   msconvert makes the same MGF of it
Prints seconds of specsort and of OpenMS FileFilter -peak_options:sort_peaks: wall clock, and of the processor.
The exit status is 1 if anything differs.
"""
import argparse
import base64
import hashlib
import os
import re
import resource
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as xml
import zlib

os.environ["OPENMS_DISABLE_UPDATE_CHECK"] = "ON"
FORMATS = {"MS:1000521": "f", "MS:1000523": "d", "MS:1000519": "i", "MS:1000522": "q"}
failed = False


def check(name, good):
    global failed
    failed |= not good
    print(f"  {'equal   ' if good else 'DIFFERS '} {name}", flush=True)


def run(*command, quiet=True):
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    wall, after = time.perf_counter() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0 and quiet:
        sys.exit(f"{' '.join(command)}: {done.stdout[-500:]}")
    return done.stdout, wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def spectra(path):
    """Yields (id, arrays) of each spectrum: a plain reader with the standard library alone."""
    for _, one in xml.iterparse(path):
        if one.tag.rpartition("}")[2] != "spectrum":
            continue
        arrays = []
        for array in one.iter():
            if array.tag.rpartition("}")[2] != "binaryDataArray":
                continue
            terms = [p.get("accession") for p in array if p.tag.endswith("cvParam")]
            data = base64.b64decode(next(p for p in array if p.tag.endswith("binary")).text or "")
            if "MS:1000574" in terms:
                data = zlib.decompress(data)
            kind = next(FORMATS[t] for t in terms if t in FORMATS)
            arrays.append(struct.unpack(f"<{len(data) // struct.calcsize(kind)}{kind}", data))
        yield one.get("id"), arrays
        one.clear()


def mgf(path):
    """Yields (header, peaks) of each spectrum. Intensities are in single precision, as in all of these files."""
    single = struct.Struct("f").pack
    header, peaks = None, None
    for line in open(path, encoding="latin-1"):
        line = line.strip()
        if line == "BEGIN IONS":
            header, peaks = {}, []
        elif line == "END IONS":
            yield header, peaks
            header = None
        elif header is not None and line[:1].isdigit():
            mz, intensity = line.split()[:2]
            peaks.append((float(mz), single(float(intensity))))
        elif header is not None and "=" in line:
            key, _, value = line.partition("=")
            header[key] = [float(v) for v in value.split()] if key in ("PEPMASS", "RTINSECONDS") else value


def same_peaks(a, b, digits=None):
    """Compares ten digits of m/z, as msconvert writes it, and all or `digits` digits of the single-precision intensity."""
    value = lambda intensity: struct.unpack("f", intensity)[0]
    alike = lambda p, q: p == q if digits is None else abs(value(p) - value(q)) <= 10 ** (1 - digits) * abs(value(q))
    close = lambda p, q: abs(p[0] - q[0]) <= 1e-9 * q[0] and alike(p[1], q[1])
    a, b = list(a), list(b)
    return len(a) == len(b) and all(len(p) == len(q) and all(map(close, p, q)) for (_, p), (_, q) in zip(a, b))


def index_is_right(path):
    data = open(path, "rb").read()
    if b"<fileChecksum>" not in data:
        return True
    at = data.index(b"<fileChecksum>") + 14
    good = data[at : at + 40].decode() == hashlib.sha1(data[:at]).hexdigest()
    for name, offset in re.findall(rb'<offset idRef="([^"]*)"[^>]*>(\d+)<', data):
        tag = data[int(offset) : data.index(b">", int(offset))]
        good &= tag.startswith((b"<spectrum ", b"<chromatogram ")) and b'id="' + name + b'"' in tag
    at = int(re.search(rb"<indexListOffset>(\d+)<", data)[1])
    return good and data[at : at + 10] == b"<indexList"


def file_info(path):
    text = run("FileInfo", "-in", path, "-v", quiet=False)[0]
    return [line.replace(path, "") for line in text.splitlines() if "took" not in line and "File name" not in line]


def compare(path, tools, work):
    specsort, name = os.path.join(tools, "specsort") if tools else "specsort", os.path.basename(path)[:-5]
    out = lambda end: os.path.join(work, end)
    print(f"{path}: {os.path.getsize(path)} bytes")
    run(specsort, path, "-o", out("ours.mgf"))
    ours = list(mgf(out("ours.mgf")))
    if shutil.which("msconvert"):
        run("msconvert", path, "--mgf", "-o", out("pwiz"))
        theirs = list(mgf(out(f"pwiz/{name}.mgf")))
        check("to MGF: peaks of msconvert", same_peaks(ours, theirs))
        check("to MGF: headers of msconvert", all(all(a[k] == b[k] for k in b) for (a, _), (b, _) in zip(ours, theirs)))
    if shutil.which("FileConverter"):
        run("FileConverter", "-in", path, "-out", out("openms.mgf"))
        check("to MGF: peaks of FileConverter, which writes 7 digits", same_peaks(ours, mgf(out("openms.mgf")), 7))
    run(specsort, path, "--by", "intensity", "--descending", "-o", out("turned.mzML"))
    wall, cpu = run(specsort, out("turned.mzML"), "-o", out("sorted.mzML"))[1:]
    good = peaks = 0
    for (id_a, a), (id_b, b) in zip(spectra(path), spectra(out("sorted.mzML"))):
        good += id_a == id_b and sorted(zip(*a)) == sorted(zip(*b)) and (not b or list(b[0]) == sorted(b[0]))
        peaks += len(b[0]) if b else 0
    check(f"to mzML: {good} spectra, {peaks} peaks in order", good == sum(1 for _ in spectra(path)))
    check("index and checksum", index_is_right(out("turned.mzML")) and index_is_right(out("sorted.mzML")))
    run(specsort, out("sorted.mzML"), "--to", "mgf", "-o", out("again.mgf"))
    check("MGF of the result", open(out("again.mgf")).read() == open(out("ours.mgf")).read())
    if shutil.which("msconvert"):
        run("msconvert", out("sorted.mzML"), "--mgf", "-o", out("pwiz"))
        check("MGF that msconvert makes of the result", same_peaks(mgf(out("pwiz/sorted.mgf")), theirs))
    if shutil.which("FileInfo"):
        check("report of FileInfo -v", file_info(path) == file_info(out("sorted.mzML")))
    size = os.path.getsize(out("turned.mzML")) / 1e6
    print(f"  specsort    {wall:7.2f} s {size / wall:7.1f} MB/s   processor {cpu:7.2f} s {size / cpu:7.1f} MB/s")
    if shutil.which("FileFilter"):
        packed = ["-peak_options:zlib_compression", "true"] if b"MS:1000574" in open(path, "rb").read(100000) else []
        files = ["-in", out("turned.mzML"), "-out", out("filtered.mzML")]
        wall, cpu = run("FileFilter", *files, "-peak_options:sort_peaks", *packed)[1:]
        print(f"  FileFilter  {wall:7.2f} s {size / wall:7.1f} MB/s   processor {cpu:7.2f} s {size / cpu:7.1f} MB/s",
              flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tools", help="the folder of specsort")
    parser.add_argument("files", nargs="+")
    options = parser.parse_args()
    for path in options.files:
        with tempfile.TemporaryDirectory() as work:
            compare(path, options.tools, work)
            if shutil.which("msconvert"):
                run("msconvert", path, "--zlib", "-o", os.path.join(work, "zlib"))
                compare(os.path.join(work, "zlib", os.path.basename(path)), options.tools, work)
    sys.exit(failed)


main()
