"""The programs sufsort, specsort and strsort, which are in the module."""

import os
import sys

NAMES = ("sufsort", "specsort", "strsort")


def command(name):
    """Returns the words of a command that runs a program in a process of its own, with the module of this package and nothing else
    of Python's packages."""
    return [sys.executable, "-I", "-S", os.path.abspath(__file__), name]


def run(name, arguments):
    """Runs a program, and ends the process with its exit status."""
    from ordosort import _ordosort as core

    status = core.run_program(name, [os.fsencode(argument) for argument in arguments])
    os._exit(status)  # the program has written everything; what is left is Python's own


def sufsort():
    run("sufsort", sys.argv[1:])


def specsort():
    run("specsort", sys.argv[1:])


def strsort():
    run("strsort", sys.argv[1:])


if __name__ == "__main__":
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    run(sys.argv[1], sys.argv[2:])
