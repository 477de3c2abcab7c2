"""Files, by the programs of the package: sufsort, specsort and strsort."""

import contextlib
import errno
import os
import threading

from . import _programs
from ._ordosort import InputError


@contextlib.contextmanager
def replaced(path):
    """Opens a file that takes the place of `path` when the block ends, and never if it fails. Until then it has no name, where
    the file system has such files: a process that is killed leaves nothing."""
    import tempfile

    path = os.fsdecode(path)
    folder, name = os.path.dirname(path) or ".", os.path.basename(path)
    temporary = None
    try:
        os.stat("/proc/self/fd")
        handle = os.open(folder, os.O_TMPFILE | os.O_RDWR | os.O_CLOEXEC, 0o666)
    except OSError:
        handle, temporary = tempfile.mkstemp(prefix="." + name + ".", dir=folder)
    try:
        with open(handle, "w+b") as file:
            yield file
            file.flush()
            if temporary is None:
                temporary = tempfile.mktemp(prefix="." + name + ".", dir=folder)
                at = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)  # with it the call is linkat, which follows the link
                try:
                    os.link(f"/proc/self/fd/{file.fileno()}", os.path.basename(temporary), dst_dir_fd=at)
                finally:
                    os.close(at)
            else:
                mask = os.umask(0)
                os.umask(mask)
                os.fchmod(file.fileno(), 0o666 & ~mask)
        os.replace(temporary, path)
    except BaseException as error:
        if temporary is not None:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(temporary)
        if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG) and error.filename is None:
            error.filename = path
        raise


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
    return run_fed(tool, arguments, progress=progress)


def run_fed(tool, arguments, feed=None, *, progress=None, folder=None):
    """Runs a program as run_tool does.

    feed: called in another thread with a function that writes bytes to the standard input of the program; None: it gets none.
    folder: where the program runs."""
    import subprocess

    stdin = subprocess.DEVNULL if feed is None else subprocess.PIPE
    command = [*_programs.command(_checked(tool)), *(os.fspath(a) if isinstance(a, os.PathLike) else a for a in arguments)]
    if progress is None:
        process = subprocess.Popen(
            command, stdin=stdin, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, bufsize=0, cwd=folder
        )
        errors = process.stderr
    else:
        import pty

        shown, end = pty.openpty()
        environment = dict(os.environ, TERM="xterm")
        process = subprocess.Popen(
            command, stdin=stdin, stdout=subprocess.DEVNULL, stderr=end, env=environment, bufsize=0, cwd=folder
        )
        os.close(end)
        errors = open(shown, "rb", buffering=0)
    lines, feeder = [], None if feed is None else _Feeder(process, feed)
    try:
        _read_lines(errors, tool, lines, progress)
        status = process.wait()
    except BaseException:
        process.terminate()
        process.wait()
        raise
    finally:
        errors.close()
        if feeder is not None:
            feeder.join()
    if feeder is not None and feeder.failure is not None:
        raise feeder.failure
    if status in (0, 1):
        return status
    if status < 0:
        raise InterruptedError(f"{tool}: ended by signal {-status}")
    message = lines[-1] if lines else f"{tool}: exit status {status}"
    raise InputError(message.removeprefix(f"{tool}: "))


class _Feeder(threading.Thread):
    """A thread that writes the standard input of a process, and ends the process if that fails."""

    def __init__(self, process, feed):
        super().__init__(daemon=True)
        self._process, self._feed, self.failure = process, feed, None
        self.start()

    def run(self):
        try:
            self._feed(self._write)
            self._process.stdin.close()
        except BrokenPipeError:  # the process has ended, and says why
            self._process.stdin.close()
        except BaseException as failure:
            self.failure = failure
            self._process.kill()  # before it takes what it got for all
            self._process.stdin.close()

    def _write(self, data):
        rest = memoryview(data).cast("B")
        while rest:
            rest = rest[self._process.stdin.write(rest) :]


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
