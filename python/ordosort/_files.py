"""Files, by the programs of the package: sufsort, specsort and strsort."""

import os

from . import _programs
from ._ordosort import InputError


def _checked(tool):
    if tool not in _programs.NAMES:
        raise ValueError(f"tool: {tool!r} is none of sufsort, specsort and strsort")
    return tool


def tool_path(tool):
    """Returns the path of a program: the one that pip installed with the package, or else the first one in PATH. `python -m
    ordosort` runs the programs, too, wherever pip has put them.

    >>> import os, ordosort
    >>> os.path.basename(ordosort.tool_path("strsort"))
    'strsort'
    """
    import shutil  # here, for the time that an import of the package takes
    import sysconfig

    _checked(tool)
    found = shutil.which(tool, path=sysconfig.get_path("scripts")) or shutil.which(tool)
    if found is None:
        raise FileNotFoundError(f"{tool}: the program is neither in the folder of pip's programs nor in PATH")
    return found


def run_tool(tool, arguments, *, progress=None):
    """Runs a program to its end. An interrupt (Ctrl-C) ends it, too; output files are then as they were before.

    progress: called with the text of the progress line, as "reading 1.2 of 3.1 GB, 820 MB/s, 2 s left".
    Raises InputError with the message of the program if its status is 2. Otherwise returns the status: 0, or 1 for a check that
    found disorder.

    >>> import ordosort
    >>> ordosort.run_tool("strsort", ["--version"])
    0
    """
    import subprocess

    command = [*_programs.command(_checked(tool)), *(os.fspath(a) if isinstance(a, os.PathLike) else a for a in arguments)]
    if progress is None:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        errors = process.stderr
    else:
        import pty

        shown, end = pty.openpty()
        environment = dict(os.environ, TERM="xterm")
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=end, env=environment
        )
        os.close(end)
        errors = open(shown, "rb", buffering=0)
    lines = []
    try:
        _read_lines(errors, tool, lines, progress)
        status = process.wait()
    except BaseException:
        process.terminate()
        process.wait()
        raise
    finally:
        errors.close()
    if status in (0, 1):
        return status
    if status < 0:
        raise InterruptedError(f"{tool}: ended by signal {-status}")
    message = lines[-1] if lines else f"{tool}: exit status {status}"
    raise InputError(message.removeprefix(f"{tool}: "))


def _read_lines(errors, tool, lines, progress):
    """Collects the lines of messages, and reports the progress lines between them."""
    rest = b""
    while True:
        try:
            part = errors.read(4096) if progress is not None else errors.read()
        except OSError:  # a terminal without its program
            part = b""
        if not part:
            break
        rest += part
        *whole, rest = rest.replace(b"\x1b[K", b"").replace(b"\r\n", b"\n").replace(b"\n", b"\n\r").split(b"\r")
        for piece in whole:
            text = piece.decode("utf-8", "backslashreplace")
            if text.endswith("\n"):
                lines.append(text.strip())
            elif text.strip() and progress is not None:
                progress(text.strip().removeprefix(f"{tool}: "))
    if rest.strip():
        lines.append(rest.decode("utf-8", "backslashreplace").strip())


def sort_file(inputs, output, *, tool=None, options=(), device=None, progress=None):
    """Sorts files into a file, which is written whole or not at all: the lines of texts by `strsort`, the peaks of MGF and mzML
    by `specsort`. Inputs may be compressed and larger than memory; the name of the output decides about its compression.

    inputs: a path, or a list of paths.
    tool: "strsort" or "specsort"; by default specsort for names in .mgf and .mzml, compressed or not.
    options: options of the program, as ["-k2,2n"] or ["--top=150", "--to=mgf"].
    device: as for a Machine: "auto", "cpu", "gpu", "gpu:1".
    progress: called with a line of text as the work goes on.

    >>> import ordosort, pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "list.txt").write_text("pear\\nfig\\n")
    >>> ordosort.sort_file(folder / "list.txt", folder / "sorted.txt")
    >>> (folder / "sorted.txt").read_text()
    'fig\\npear\\n'
    """
    paths = [inputs] if isinstance(inputs, (str, bytes, os.PathLike)) else list(inputs)
    if not paths:
        raise ValueError("inputs: none")
    if tool is None:
        names = [os.path.basename(os.fsdecode(path)).lower().split(".") for path in paths]
        is_spectra = ["mgf" in name[1:] or "mzml" in name[1:] for name in names]
        tool = "specsort" if all(is_spectra) else "strsort"
    if tool not in ("specsort", "strsort"):
        raise ValueError(f"tool: {tool!r} is neither 'specsort' nor 'strsort'")
    flags = [*options] if device is None else [*options, f"--device={device}"]
    run_tool(tool, [*flags, "-o", output, "--", *paths], progress=progress)
