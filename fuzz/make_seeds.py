#!/usr/bin/env python3
"""make_seeds.py FOLDER: writes the first inputs of each fuzz target into FOLDER/TARGET/. They are option bytes, then small files."""
import base64
import bz2
import gzip
import lzma
import pathlib
import struct
import sys
import zlib

folder = pathlib.Path(sys.argv[1])
samples = pathlib.Path(__file__).resolve().parents[1] / "datasets" / "samples"


def seed(target, options, *texts):
    (folder / target).mkdir(parents=True, exist_ok=True)
    for text in texts:
        for option in options:
            data = bytes(option) + text
            (folder / target / f"seed-{zlib.crc32(data):08x}").write_bytes(data)


fasta = b">a first\nGATTACA\nNNacgt\n;comment\n>b\r\nACGTUU-*.\r\n\r\n>\nRYK\n"
seed("fasta", [[0], [1], [3], [7], [14], [17]], fasta, b"", b"ACGT\n", b"@r\nACGT\n+\nIIII\n", (samples / "cholera_iupac.fa").read_bytes()[:600])

fastq = b"@a first\nGATTACA\n+a first\nIIIIII@\n\n@b\r\nNNac\r\n+\r\n+@!I\r\n@\n\n+\n\n"
seed("fastq", [[0], [3], [255]], fastq, b"\xef\xbb\xbf \n" + fastq[:-1], fastq[:30], b"@r\n>CG\n+\nIII\n", b"@r\nAC\n-\nII\n", b"@r\nAC\n+\nI", b"")

lines = b"one\ntwo\n\nthree\r\n\xff\x00last"
numpy = b"\x93NUMPY\x01\x00v\x00" + b"{'descr': '<u2', 'fortran_order': False, 'shape': (2, 3), }".ljust(117) + b"\n" + struct.pack("<6H", 1, 2, 3, 4, 5, 6)
jsonl = b'{"text": "a\\u00e9\\ud83d\\ude00\\n", "n": [1, {"text": null}]}\n\n{"id": 7, "text": "", "meta": {"title": "x"}}\n'
seed("corpus", [[0, 3, 0], [0, 0, 2, 10], [1, 5, 0], [2, 0, 1], [3, 9, 0], [4, 4, 0], [4, 90, 128]], lines, numpy, jsonl)

mgf = b"COM=x\nCHARGE=2+\nBEGIN IONS\nTITLE=t\nPEPMASS=500.5 100\nCHARGE=3+\nRTINSECONDS=7.5\nSCANS=3\n300.5 1\n100.25 20 1+\n200 3\nEND IONS\n\n"
options = [[0, 255, 0], [1, 0, 5], [2, 3, 129], [4, 1, 2], [24, 7, 3], [32, 9, 17], [64, 2, 40], [128, 20, 130]]
seed("mgf", options, mgf * 2, mgf.replace(b"\n", b"\r\n"), b"", (samples / "massbank_cc0.mgf").read_bytes()[:1500], b"100 2 3\n")

whole = gzip.decompress((samples / "openms_ecoli_25.mzML.gz").read_bytes())
begin, end = whole.index(b"<spectrum "), whole.index(b"</spectrumList>")
spectra = [part + b"</spectrum>" for part in whole[begin:end].split(b"</spectrum>")[:-1]]
small = sorted(spectra, key=len)[:2]
document = whole[:begin] + b"\n".join(small) + b"\n</spectrumList></run></mzML></indexedmzML>\n"
arrays = b""
for name, values in ((b"MS:1000514", (300.5, 100.25)), (b"MS:1000515", (1.0, 2.0))):
    raw = struct.pack("<2d", *values)
    for kind, packed in ((b"MS:1000576", raw), (b"MS:1000574", zlib.compress(raw))):
        text = base64.b64encode(packed)
        arrays += (b'<binaryDataArray encodedLength="%d"><cvParam accession="MS:1000523"/><cvParam accession="%s"/>'
                   b'<cvParam accession="%s"/><binary>%s</binary></binaryDataArray>') % (len(text), kind, name, text)
    if name == b"MS:1000514":
        arrays = arrays[:arrays.index(b"</binaryDataArray>") + 18]
tiny = (b'<?xml version="1.0"?><mzML><run><spectrumList count="1"><spectrum index="0" id="scan=1" defaultArrayLength="2">'
        b'<cvParam accession="MS:1000511" value="2"/><binaryDataArrayList count="2">' + arrays
        + b"</binaryDataArrayList></spectrum></spectrumList></run></mzML>")
seed("mzml", [[0, 255, 0], [1, 1, 1], [6, 9, 130], [8, 3, 2], [16, 30, 3], [64, 0, 4], [40, 7, 5]], tiny, document, b"<mzML></mzML>")

network = struct.pack(">4f", 300.5, 1, 100.25, 2)
mzxml = b"""<?xml version="1.0"?><mzXML><msRun><parentFile fileName="a/run.raw"/>
<scan num="1" msLevel="1" peaksCount="0" retentionTime="PT1.5S"><peaks/>
<scan num="2" msLevel="2" peaksCount="2" retentionTime="PT1M2S" polarity="-">
<precursorMz precursorIntensity="7" precursorCharge="2">445.5</precursorMz>
<peaks precision="32" byteOrder="network" contentType="m/z-int" compressionType="none">%s</peaks></scan></scan>
<scan num="3" msLevel="2" peaksCount="2"><precursorMz>9</precursorMz>
<peaks precision="32" compressionType="zlib">%s</peaks></scan></msRun><index/></mzXML>
""" % (base64.b64encode(network), base64.b64encode(zlib.compress(network)))
msp = (b"Name: One\r\nPrecursorMZ: 445.5\r\nPrecursor_type: [M+2H]2+\r\nIon_mode: N\r\nRETENTIONTIME: 1.5\r\nNum Peaks: 2\r\n"
       b'200.5\t10\t"b; 2"\r\n100.25\t20.5\r\n\r\nNAME: PEPTIDE/3_1\nComment: "x" Parent=300.5 Mods=0\nNum peaks: 3\n'
       b"5 1; 4 2; 3 3;\n\nName: None\nNum Peaks: 0\n")
mzspeclib = b"""<mzSpecLib>
MS:1003186|library format version=1.0
<AttributeSet Spectrum=all>
MS:1000511|ms level=2
<Spectrum=1>
MS:1003061|library spectrum name=AAK/2
MS:1000744|selected ion m/z=400.5
MS:1000041|charge state=2
[1]MS:1000894|retention time=1.5
[1]UO:0000000|unit=UO:0000031|minute
MS:1003059|number of peaks=2
<Analyte=1>
MS:1003270|proforma peptidoform ion notation=AAK/2
<Peaks>
300.5\t1\ty2/0.1
100.25\t2
"""
for number, text in enumerate((mzxml, msp, mzspeclib)):
    seed("import", [[number, 0, 255, 0], [number, 6, 9, 130], [number, 56, 3, 2]], text, text[:len(text) // 2])

order = b'"order": "bytes, unsigned; a suffix ends with its record; one that ends is smaller than one that goes on; equal ones by position"'
description = b"""{
  "format": "ordo suffix index",
  "format_version": 1,
  "crc32": "a7db6ed0",
  "version": "0.1.0",
  "residues": 24,
  "width": 32,
  %s,
  "case": "folded to upper",
  "strands": "both",
  "ambiguous": "break",
  "mask": "fold",
  "sample": 1,
  "kmer_length": 2,
  "kmer_letters": "ACGT",
  "arrays": [
    {"name": "seq", "bytes": 24, "crc32": "34acd8d3"},
    {"name": "sa", "bytes": 96, "crc32": "4c36517c"},
    {"name": "lcp", "bytes": 96, "crc32": "1882129f"},
    {"name": "pieces", "bytes": 144, "crc32": "6470c5cb"},
    {"name": "kmers", "bytes": 68, "crc32": "7d6f4c5a"}
  ],
  "records": [
    {"name": "r0", "start": 0, "length": 5},
    {"name": "quote \\" \\u00e9", "start": 10, "length": 9}
  ]
}
""" % order
of_lines = b"""{
  "format": "ordo suffix index",
  "format_version": 1,
  "crc32": "d79d444a",
  "version": "0.1.0",
  "residues": 3,
  "width": 32,
  %s,
  "case": "kept",
  "strands": "forward",
  "ambiguous": "symbol",
  "mask": "keep",
  "sample": 1,
  "input": "jsonl",
  "field": "text",
  "files": [
    {"name": "z.jsonl", "records": 2}
  ],
  "arrays": [
    {"name": "seq", "bytes": 3, "crc32": "352441c2"},
    {"name": "sa", "bytes": 12, "crc32": "1d760e7a"},
    {"name": "starts", "bytes": 16, "crc32": "ae9e4c28"}
  ],
  "records": [
  ]
}
""" % order
seed("description", [[]], description, of_lines)
seed("index", [[k] for k in range(8)], b"", b"\x02\x00\x03\x02\x04\xff\xff\xff\xff", b"\x05\x00\x20\x02\x07" + b"\xff" * 8, b"\x01\x00\x05\x00")

text = b"10 b\n-3,a\n 1e3 JAN\n2K feb\n\n1.5,b.c\nabc\nABC\nfile-1.10.tar\nfile-1.9.tar\n"
orders = [[option, *key] for option in (0, 1, 2, 16, 20, 18, 17) for key in ([],) if option < 16] + [
    [16 + more, kind, where, flags] for more in (0, 1, 2, 4, 12) for kind, where, flags in ((0, 0, 0), (1, 1, 2), (2, 0, 9), (3, 1, 1), (4, 0, 7), (5, 0, 0), (0, 1, 112))]
seed("keys", [order + [0] for order in orders], text, text.replace(b"\n", b"\0"))
seed("gnu_order", orders, text)
# Kinds that GNU sort does not have: natural numbers, durations, dates in two forms, addresses, and a list.
own = [[16, kind, 0, flags, 0] for kind in range(128, 133) for flags in (0, 128)]
seed("keys", own, b"a10b\na9b\n\n1h30m\n90s\n2 days\n1:30:00\n2-12:00:00\n0.5ms\n", b"2026-11-30\n2026-11-30T12:00:00.5Z\n2026-11-30 12:00+01:00\n",
     b"30 Nov 2026 12:00:00.25 +0100\n1 Jan 1970 00:00:00.0 +0000\n", b"10.0.0.1\n10.0.0.0/8\n::1\nfe80::1/64\n::ffff:1.2.3.4\nb\n10\na a\n")

packed = [gzip.compress(fasta, mtime=0), bz2.compress(fasta), lzma.compress(fasta), fasta,
          bytes.fromhex("1f8b08040000000000ff0600424302001b0003000000000000000000"), bytes.fromhex("28b52ffd2004210000616263640a"), b""]
seed("codecs", [[k, part] for k, part in enumerate((0, 255, 3, 7, 1))], *packed)
for words in (["-k1,2nr", "-t", ",", "-o", "out", "in"], ["+1", "-2", "in"], ["--sort=version", "-S", "10%", "--parallel=3"],
              ["--mz-range=1:2", "--top", "3", "--spectra-by=rt", "in"], ["--check=quiet", "--batch-size=4"], ["--help"]):
    seed("options", [[k] for k in range(4)], b"".join(word.encode() + b"\0" for word in words))
