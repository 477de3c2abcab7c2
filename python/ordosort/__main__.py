"""Runs a program of the package: python -m ordosort strsort lines.txt"""

import sys

from . import _programs


def main():
    if len(sys.argv) < 2 or sys.argv[1] not in _programs.NAMES:
        sys.exit(f"usage: python -m ordosort {{{','.join(_programs.NAMES)}}} ...")
    if sys.argv[1] == "specsort" and _programs.writes_columns(sys.argv[2:]):
        from . import spectra

        sys.exit(spectra.main(sys.argv[2:]))
    _programs.run(sys.argv[1], sys.argv[2:])


if __name__ == "__main__":
    main()
