"""The programs sufsort, specsort and strsort, which are in the module."""

import os
import sys

NAMES = ("sufsort", "specsort", "strsort")


def command(name):
    """Returns the words of a command that runs a program in a process of its own. It loads the module of this package, wherever
    that is, and nothing else of Python's packages."""
    from ordosort import _ordosort as core

    if not sys.executable:
        raise RuntimeError(f"{name}: sys.executable names no Python to run it")
    return [sys.executable, "-I", "-S", os.path.abspath(__file__), os.path.abspath(core.__file__), name]


def run(name, arguments, core=None):
    """Runs a program, and ends the process with its exit status."""
    if core is None:
        from ordosort import _ordosort as core

    status = core.run_program(name, [os.fsencode(argument) for argument in arguments])
    os._exit(status)  # the program has written everything; what is left is Python's own


def sufsort():
    run("sufsort", sys.argv[1:])


def writes_columns(arguments):
    """Returns whether a command line of specsort writes Parquet or Arrow IPC, which pyarrow does."""
    words = [word.lower() for word in arguments]
    pairs = [f"{option}={value}" for option, value in zip(words, words[1:]) if option in ("--to", "--output", "-o")]
    formats = [word[5:] for word in words + pairs if word.startswith("--to=")]
    outputs = [word for word in words + pairs if word.startswith(("--output=", "-o"))]
    if formats:
        return formats[-1] in ("parquet", "arrow")
    return any(word.endswith((".parquet", ".arrow", ".feather")) for word in outputs)


def specsort():
    if writes_columns(sys.argv[1:]):
        from ordosort import spectra

        sys.exit(spectra.main(sys.argv[1:]))
    run("specsort", sys.argv[1:])


def strsort():
    run("strsort", sys.argv[1:])


if __name__ == "__main__":
    from importlib.util import module_from_spec, spec_from_file_location

    _spec = spec_from_file_location("_ordosort", sys.argv[1])
    assert _spec is not None and _spec.loader is not None
    _module = module_from_spec(_spec)
    _spec.loader.exec_module(_module)
    run(sys.argv[2], sys.argv[3:], _module)
