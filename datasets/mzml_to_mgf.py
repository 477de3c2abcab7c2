#!/usr/bin/env python3
"""mzml_to_mgf.py IN.mzML [LEVEL] > OUT.mgf: the spectra of one MS level [2] of an mzML file (no Python package needed).

Every number has as few digits as give its value back, in single precision if it has no more: so nothing is lost or made
up. Arrays may be zlib-compressed. Chromatograms and spectra of other levels are left out.
"""
import base64
import struct
import sys
import xml.etree.ElementTree as xml
import zlib

MS_LEVEL, START_TIME, SELECTED_MZ, PEAK_INTENSITY, CHARGE = (
    "MS:1000511", "MS:1000016", "MS:1000744", "MS:1000042", "MS:1000041")
ZLIB, NOT_COMPRESSED, FLOAT64, MZ, INTENSITY = (
    "MS:1000574", "MS:1000576", "MS:1000523", "MS:1000514", "MS:1000515")
MINUTES = "UO:0000031"


def parameters(element, namespace):
    return {p.get("accession"): p for p in element.iter(namespace + "cvParam")}


def shortest(value):
    single = struct.pack("<f", value)
    if struct.unpack("<f", single)[0] == value:
        value = next(v for v in (float(f"{value:.{digits}g}") for digits in range(1, 10)) if struct.pack("<f", v) == single)
    return repr(value).removesuffix(".0")


def read_array(element, namespace, count):
    """The array's kind (MZ, INTENSITY or neither) and its values as text."""
    known = parameters(element, namespace)
    data = base64.b64decode(element.find(namespace + "binary").text or "")
    if ZLIB in known:
        data = zlib.decompress(data)
    elif NOT_COMPRESSED not in known:
        sys.exit("mzml_to_mgf.py: a compression other than zlib")
    values = struct.unpack(f"<{count}{'d' if FLOAT64 in known else 'f'}", data)
    kind = MZ if MZ in known else INTENSITY if INTENSITY in known else None
    return kind, [shortest(v) for v in values]


def convert(spectrum, namespace, level, out):
    known = parameters(spectrum, namespace)
    if known[MS_LEVEL].get("value") != level:
        return
    print("BEGIN IONS", f"TITLE={spectrum.get('id')}", sep="\n", file=out)
    if START_TIME in known:
        time = float(known[START_TIME].get("value"))
        print(f"RTINSECONDS={time * 60 if known[START_TIME].get('unitAccession') == MINUTES else time:.10g}", file=out)
    if SELECTED_MZ in known:
        intensity = float(known[PEAK_INTENSITY].get("value")) if PEAK_INTENSITY in known else 0
        print("PEPMASS=" + known[SELECTED_MZ].get("value") + (f" {intensity:.10g}" if intensity else ""), file=out)
    if CHARGE in known and known[CHARGE].get("value") != "0":
        print(f"CHARGE={known[CHARGE].get('value')}+", file=out)
    count = int(spectrum.get("defaultArrayLength"))
    arrays = dict(read_array(a, namespace, count) for a in spectrum.iter(namespace + "binaryDataArray"))
    for mz, intensity in zip(arrays.get(MZ, []), arrays.get(INTENSITY, []), strict=True):
        print(mz, intensity, file=out)
    print("END IONS\n", file=out)


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    level = sys.argv[2] if len(sys.argv) == 3 else "2"
    for _, element in xml.iterparse(sys.argv[1]):
        namespace = element.tag[: element.tag.find("}") + 1]
        if element.tag == namespace + "spectrum":
            convert(element, namespace, level, sys.stdout)
            element.clear()


main()
