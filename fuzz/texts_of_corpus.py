#!/usr/bin/env python3
"""texts_of_corpus.py mgf|mzml FROM TO: writes the documents in the inputs of a fuzz target, without the bytes of options before them,
as files of their format.

  fuzz/texts_of_corpus.py mzml build/fuzz/corpus/mzml texts && tests/reference/sweep_files.py texts

compares what specsort makes of each with what pyteomics reads.
"""
import pathlib
import sys

OPTION_BYTES = 3

if len(sys.argv) != 4 or sys.argv[1] not in ("mgf", "mzml"):
    sys.exit(__doc__)
kind, to = sys.argv[1], pathlib.Path(sys.argv[3])
to.mkdir(parents=True, exist_ok=True)
for number, path in enumerate(sorted(pathlib.Path(sys.argv[2]).iterdir())):
    for part, text in enumerate(path.read_bytes()[OPTION_BYTES:].split(b"\0")[:2]):
        if text:
            (to / f"{number}-{part}.{kind}").write_bytes(text)
