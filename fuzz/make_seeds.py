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

root = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(root / "tests" / "reference"))
import mzml_documents  # noqa: E402

folder = pathlib.Path(sys.argv[1])
samples = root / "datasets" / "samples"


def seed(target, options, *texts):
    (folder / target).mkdir(parents=True, exist_ok=True)
    for text in texts:
        for option in options:
            data = bytes(option) + text
            (folder / target / f"seed-{zlib.crc32(data):08x}").write_bytes(data)


fasta = b">a first\nGATTACA\nNNacgt\n;comment\n>b\r\nACGTUU-*.\r\n\r\n>\nRYK\n"
seed("fasta", [[0], [1], [3], [7], [14], [17], [135]], fasta, b"", b"ACGT\n", b"@r\nACGT\n+\nIIII\n", gzip.decompress((samples / "cholera_iupac.fa.gz").read_bytes())[:600])

fastq = b"@a first\nGATTACA\n+a first\nIIIIII@\n\n@b\r\nNNac\r\n+\r\n+@!I\r\n@\n\n+\n\n"
seed("fastq", [[0], [3], [255]], fastq, b"\xef\xbb\xbf \n" + fastq[:-1], fastq[:30], b"@r\n>CG\n+\nIII\n", b"@r\nAC\n-\nII\n", b"@r\nAC\n+\nI", b"")

lines = b"one\ntwo\n\nthree\r\n\xff\x00last"
numpy = b"\x93NUMPY\x01\x00v\x00" + b"{'descr': '<u2', 'fortran_order': False, 'shape': (2, 3), }".ljust(117) + b"\n" + struct.pack("<6H", 1, 2, 3, 4, 5, 6)
others = [b"\x93NUMPY\x01\x00v\x00" + (b"{'descr': '%s', 'fortran_order': False, 'shape': (4,), }" % kind).ljust(117) + b"\n" + data
          for kind, data in ((b"|u1", b"\1\2\3\4"), (b"|i1", b"\1\2\3\xff"), (b"<i4", struct.pack("<4i", 1, 2, 3, -4)), (b">u4", struct.pack(">4I", 1, 2, 3, 70000)),
                             (b"<u8", struct.pack("<4Q", 1, 2, 3, 1 << 40)), (b"<i8", struct.pack("<4q", 1, 2, 3, 4)), (b"<i2", struct.pack("<4h", 1, 2, 3, -4)))]
seed("corpus", [[2, 9, 0], [3, 9, 0]], *others)
seed("corpus", [[1, 5, 0]], b"a\x01b\nc\n")
jsonl = b'{"text": "a\\u00e9\\ud83d\\ude00\\n", "n": [1, {"text": null}]}\n\n{"id": 7, "text": "", "meta": {"title": "x"}}\n'
seed("corpus", [[0, 3, 0], [0, 0, 2, 10], [1, 5, 0], [2, 0, 1], [3, 9, 0], [4, 4, 0], [4, 90, 128]], lines, numpy, jsonl)

mgf = b"COM=x\nCHARGE=2+\nBEGIN IONS\nTITLE=t\nPEPMASS=500.5 100\nCHARGE=3+\nRTINSECONDS=7.5\nSCANS=3\n300.5 1\n100.25 20 1+\n200 3\nEND IONS\n\n"
options = [[0, 255, 0], [1, 0, 5], [2, 3, 129], [4, 1, 2], [24, 7, 3], [32, 9, 17], [64, 2, 40], [128, 20, 130]]
with_headers = mgf.replace(b"SCANS=3", b"SCANS=3\nPOLARITY=negative\nMSLEVEL=3\nION_MOBILITY=0.5")
others = (b"\xef\xbb\xbf# about\nUSERNAME=u\n" + mgf, mgf.replace(b"COM=x", b"COM=y"), mgf.replace(b"COM=x\nCHARGE=2+", b"CHARGE=1+"), mgf[:20], b"\n", b"BEGIN IONS")
seed("mgf", options + [[0, 9, 64], [3, 255, 193], [2, 9, 67]], with_headers, with_headers.replace(b"negative", b"+") + mgf[:40], *(mgf + b"\0" + other for other in others))
seed("mgf", options, mgf * 2, mgf.replace(b"\n", b"\r\n"), b"", gzip.decompress((samples / "massbank_cc0.mgf.gz").read_bytes())[:1500], b"100 2 3\n")

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


def zstd_frame(data):
    """Stored, not compressed."""
    return (struct.pack("<IBI", 0xFD2FB528, 0xA0, len(data)) + struct.pack("<I", len(data) << 3 | 1)[:3] + data)


def shuffled(data, width):
    return b"".join(data[k::width] for k in range(width))


def coded_array(kind, terms, data):
    text = base64.b64encode(data)
    terms = b"".join(b'<cvParam cvRef="MS" accession="MS:%d" name="n"/>' % term for term in (*terms, kind))
    return b'<binaryDataArray encodedLength="%d">%s<binary>%s</binary></binaryDataArray>' % (len(text), terms, text)


def coded_spectra():
    """A spectrum for each form of an array."""
    mz, heights = (500.5, 100.25, 300.0, 100.25), (4, 1, 3, 2)
    raw, single, places = struct.pack("<4d", *mz), struct.pack("<4f", *heights), bytes((1, 0, 2, 0))
    values = struct.pack("<3d", 100.25, 500.5, 300.0)
    dictionary = struct.pack("<2Q", 16 + len(values), 3) + shuffled(values, 8) + places
    linear, pic, slof = (mzml_documents.to_numpress(method, mz if method == "linear" else heights, 100.0) for method in ("linear", "pic", "slof"))
    forms = [(1003088, zlib.compress(raw)), (1003089, zlib.compress(raw)), (1003090, zlib.compress(raw)), (1003780, zstd_frame(raw)),
             (1003781, zstd_frame(shuffled(raw, 8))), (1003782, zstd_frame(dictionary)), (1003782, zstd_frame(b"")), (1003783, zstd_frame(linear)),
             (1002312, linear), (1002746, zlib.compress(linear)), (1002313, pic), (1002747, zlib.compress(pic)), (1003784, zstd_frame(pic)),
             (1002314, slof), (1002748, zlib.compress(slof)), (1003785, zstd_frame(slof))]
    for k, (term, data) in enumerate(forms):
        heights_array = coded_array(1000515, (1000521, 1000576), single)
        arrays = coded_array(1000514, (1000523, term), data) + heights_array
        if term in (1002313, 1002747, 1003784, 1002314, 1002748, 1003785):
            arrays = coded_array(1000514, (1000523, 1000574), zlib.compress(raw)) + coded_array(1000515, (1000521, term), data)
        yield (b'<spectrum index="%d" id="scan=%d" defaultArrayLength="4"><cvParam accession="MS:1000511" value="2"/><binaryDataArrayList count="2">%s'
               b"</binaryDataArrayList></spectrum>" % (k, k + 1, arrays))
    integers = (coded_array(1000514, (1000519, 1003089), zlib.compress(struct.pack("<4i", 5, -7, 2, 9)))
                + coded_array(1000515, (1000522, 1003090), zlib.compress(struct.pack("<4q", 4, 3, 2, 1))))
    yield b'<spectrum index="0" id="scan=1" defaultArrayLength="4"><binaryDataArrayList count="2">%s</binaryDataArrayList></spectrum>' % integers


def mzml_of(spectra, head=b""):
    return (b'<?xml version="1.0"?>\n<mzML xmlns="http://psi.hupo.org/ms/mzml" version="1.1.0">%s<run id="r">\n<spectrumList count="%d">\n%s\n</spectrumList></run></mzML>'
            % (head, len(spectra), b"\n".join(spectra)))


of_mzml = [[0, 255, 0], [1, 1, 1], [6, 9, 130], [8, 3, 2], [16, 30, 3], [64, 0, 4], [40, 7, 5], [128, 255, 40], [224, 30, 9]]
forms = list(coded_spectra())
for spectrum in forms:
    seed("mzml", [[12, 9, 1], [128, 255, 40]], mzml_of([spectrum]))
# Documents in the forms that writers choose, alone and two together.
made = [mzml_documents.Maker(number).text() for number in range(400)]
made = [text for text in made if len(text) < 3000]
for k, text in enumerate(made[:24]):
    seed("mzml", [of_mzml[k % len(of_mzml)]], text)
heads = [b'<fileDescription><fileContent>%s</fileContent><sourceFileList count="1"><sourceFile id="s%d" name="a&amp;b.raw" location="l"/></sourceFileList>'
         b'<contact>%s</contact></fileDescription><referenceableParamGroupList count="1"><referenceableParamGroup id="g">%s</referenceableParamGroup>'
         b'</referenceableParamGroupList><softwareList count="1"><software id="w" version="%d">%s</software></softwareList>'
         b'<instrumentConfigurationList count="1"><instrumentConfiguration id="i">%s</instrumentConfiguration></instrumentConfigurationList>'
         b'<dataProcessingList count="1"><dataProcessing id="d"><processingMethod order="0" softwareRef="w">%s</processingMethod></dataProcessing></dataProcessingList>'
         % ((lambda term: (term, k % 2, term, term, k, term, term, term))(b'<cvParam cvRef="MS" accession="MS:100057%d" name="n"/><userParam name="u" value="%d"/>' % (k, k)))
         for k in range(3)]
for k, head in enumerate(heads):
    seed("mzml", [[0, 255, 64 + k], [32, 5, 8 + k]], mzml_of([forms[0]], head) + b"\0" + mzml_of([forms[10]], heads[k - 1]), mzml_of([forms[0]], head) + b"\0" + mzml_of([forms[1]], head))
for k in range(0, 32, 2):
    seed("mzml", [[0, 255, 64]], made[k] + b"\0" + made[k + 1])
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
more_msp = (b"Name: x\nScan: 5\nSpectrum_type: MS2\nCharge: 2\nRetentionTime: 5 s\nIonMode: +\nComments: Parent=5\nNum Peaks: 4\n5 1 4 2\n3 3 4 4\n\n"
            b"Name: y\nMSLevel: 0\nPrecursor_type: [M-H]-\nPrecursorMZ: -1\nNum Peaks: 1\n7 1\n")
more_mzspeclib = b"<mzSpecLib>\n<Spectrum=1>\n" + b"".join(
    b"MS:%d|x=%s\n" % (term, value) for term, value in (
        (1003061, b"t"), (1003208, b"400.5"), (1000827, b"400"), (1003053, b"401"), (1002815, b"0.5"), (1002476, b"3"), (1003085, b"7"), (1003057, b"12"),
        (1000465, b"MS:1000129|negative scan"), (1000130, b""), (1000041, b"2"), (1000633, b"3"), (1003059, b"2"))) + b"<Peaks>\n1\t2\n3\t1\n"
unsorted = mzspeclib.replace(b"100.25\t2", b"100.25\t2\n90.1\t7\n400\t1")
for number, texts in ((1, (more_msp,)), (2, (more_mzspeclib, more_mzspeclib.replace(b"129", b"130"), unsorted))):
    seed("import", [[number, 0, 255, 0], [number, 7, 9, 130], [number, 8, 3, 2]], *texts)
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
varied = [of.replace(old, new) for of in (description, of_lines) for old, new in (
    (b'"sample": 1', b'"sample": 2,\n  "rows": 12'), (b'"input": "jsonl",\n  "field": "text"', b'"input": "bytes",\n  "separator": "0a00"'),
    (b'"input": "jsonl",\n  "field": "text"', b'"input": "u16",\n  "cut": "lengths"'), (b'"kmer_length": 2', b'"fm_sample": 4,\n  "fm_letters": 5,\n  "kmer_length": 2'),
    (b'{"name": "lcp", "bytes": 96', b'{"name": "fm", "bytes": 96'), (b'"width": 32', b'"width": null'), (b'"width": 32', b'"width": true'),
    (b'"width": 32', b'"width": -1'), (b'"width": 32', b'"width": 1.5'), (b'"width": 32', b'"width": 40'), (b'"residues"', b'"unknown"'),
    (b'    {"name": "sa", ', b'    {"name": "bwt", '), (b'"records": 2', b'"records": 3'), (b'"separator": "0a00"', b'"separator": "0g"'),
    (b'"ambiguous": "break"', b'"ambiguous": "symbol"'), (b'"strands": "both"', b'"strands": "forward"'), (b'"start": 10', b'"start": 4'),
    (b', "length": 9', b''), (b'"format": "ordo suffix index"', b'1'), (b'"kmer_letters": "ACGT"', b'"kmer_letters": "AACG"')) if old in of]
seed("description", [[]], description, of_lines, *varied)
seed("index", [[k] for k in (*range(10), *range(130, 140))], b"", b"\x02\x00\x03\x02\x04\xff\xff\xff\xff", b"\x05\x00\x20\x02\x07" + b"\xff" * 8, b"\x01\x00\x05\x00")

text = b"10 b\n-3,a\n 1e3 JAN\n2K feb\n\n1.5,b.c\nabc\nABC\nfile-1.10.tar\nfile-1.9.tar\n"
orders = [[option, *key] for option in (0, 1, 2, 16, 20, 18, 17) for key in ([],) if option < 16] + [
    [16 + more, kind, where, flags] for more in (0, 1, 2, 4, 12) for kind, where, flags in ((0, 0, 0), (1, 1, 2), (2, 0, 9), (3, 1, 1), (4, 0, 7), (5, 0, 0), (0, 1, 112))]
quoted = b'"a,b",10,x#5\n"1""2",9,\n"",b,"c#77 d"\r\nplain,"open\n' + b"1" * 300 + b",#12\n"
seed("keys", [[option, kind, where, flags, 0] for option in (84, 92, 212, 148) for kind, where, flags in ((0, 0, 0), (1, 21, 7), (129, 16, 1), (128, 0, 0), (131, 64, 3))], quoted)
seed("keys", [[16, 128, 0, 0, 0], [16, 130, 128, 128, 0], [16, 127, 0, 0, 0], [64, 0]], b"1" * 300 + b"\n" + b"1" * 299 + b"2\n" + b"9" * 700 + b"\n",
     b"2026-11-30T24:00:00Z\n1700000000\n-5\n12x\n0x1p5000\n")
seed("keys", [order + [0] for order in orders], text, text.replace(b"\n", b"\0"))
seed("gnu_order", orders, text)
# Kinds that GNU sort does not have: natural numbers, durations, dates in two forms, addresses, and a list.
own = [[16, kind, 0, flags, 0] for kind in range(128, 133) for flags in (0, 128)]
seed("keys", own, b"a10b\na9b\n\n1h30m\n90s\n2 days\n1:30:00\n2-12:00:00\n0.5ms\n", b"2026-11-30\n2026-11-30T12:00:00.5Z\n2026-11-30 12:00+01:00\n",
     b"30 Nov 2026 12:00:00.25 +0100\n1 Jan 1970 00:00:00.0 +0000\n", b"10.0.0.1\n10.0.0.0/8\n::1\nfe80::1/64\n::ffff:1.2.3.4\nb\n10\na a\n")

seed("matches", [[k, number, 40] for k, number in ((0, 3), (1, 7), (2, 4), (128, 2), (29, 0))], b"GATTACAGATTACA" * 3, bytes(range(256)), b"\0" * 90 + b"\xff" + b"\1" * 40, b"")
for option in (0, 1, 2, 60):
    seed("threads", [[0, option, *order] for order in orders[:6]], text)
    seed("threads", [[1, option]], b"GATTACAGATTACA" * 4, lines)
    seed("threads", [[2, option]], mgf * 2, mgf[:50])

packed = [gzip.compress(fasta, mtime=0), bz2.compress(fasta), lzma.compress(fasta), fasta,
          bytes.fromhex("1f8b08040000000000ff0600424302001b0003000000000000000000"), bytes.fromhex("28b52ffd2004210000616263640a"), b""]
seed("codecs", [[k, part] for k, part in enumerate((0, 255, 3, 7, 1))], *packed)
for words in (["-k1,2nr", "-t", ",", "-o", "out", "in"], ["+1", "-2", "in"], ["--sort=version", "-S", "10%", "--parallel=3"],
              ["b c", "a", 'q"', '"q"""', '"q""":nr', "a:b:n", "b c/x[0-9]/:n", '"b c"/x/', "none"], ["-u", "--own=1", "--natural-sort", "-t\\t", "--csv"],
              ["--mz-range=1:2", "--top", "3", "--spectra-by=rt", "in"], ["--check=quiet", "--batch-size=4"], ["--help"]):
    seed("options", [[k] for k in range(4)], b"".join(word.encode() + b"\0" for word in words))
