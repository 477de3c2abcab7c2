"""Compiles code of the package for the version of a framework that is here, once, into the user's cache."""

import hashlib
import os
import pathlib
import platform
import shlex
import shutil
import subprocess
import tempfile

_FOLDER = pathlib.Path(__file__).parent / "native"


def _compiler():
    """Returns the command of a C++ compiler, or None."""
    if os.environ.get("CXX"):
        return shlex.split(os.environ["CXX"])
    return next(([name] for name in ("c++", "g++", "clang++") if shutil.which(name)), None)


def _cache():
    """Returns the folder of compiled libraries, which the user alone can write."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    folder = pathlib.Path(base) / "ordosort"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if folder.stat().st_uid not in (0, os.getuid()):
        raise PermissionError(f"{folder}: another user's")
    return folder


def has_compiler():
    """Returns true if there is a C++ compiler."""
    return _compiler() is not None


def library(source, version, include, flags=(), standard=17):
    """Returns the path of the shared library of a source of the package.

    version: the name and version of the framework, for the name of the library.
    include: the folder of the framework's headers.
    flags: further arguments of the compiler, the same for a version.
    standard: the version of C++.
    """
    texts = b"".join(p.read_bytes() for p in sorted(_FOLDER.glob("*.hpp"))) + (_FOLDER / source).read_bytes()
    key = hashlib.sha256(texts + platform.machine().encode()).hexdigest()[:16]
    name = f"{pathlib.Path(source).stem}-{version}-{key}.so"
    try:
        folder = _cache()
    except OSError as error:
        raise RuntimeError(f"ordosort: no folder for compiled code: {error}: set XDG_CACHE_HOME") from error
    path = folder / name
    if path.exists():
        return path
    compiler = _compiler()
    if compiler is None:
        raise RuntimeError(
            f"ordosort: no C++ compiler: {source} is compiled on first use, for {version}: install g++ or clang, or set CXX"
        )
    # Under a name of its own, so that two processes can compile at a time and neither loads half a library.
    with tempfile.TemporaryDirectory(dir=folder, prefix="compile-") as own:
        command = [
            *compiler,
            *(f"-std=c++{standard}", "-O2", "-fPIC", "-shared", "-fvisibility=hidden"),
            *("-isystem", include),
            str(_FOLDER / source),
            *("-o", f"{own}/{name}"),
            *flags,
        ]
        try:
            done = subprocess.run(command, capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL)
        except OSError as error:
            raise RuntimeError(f"ordosort: cannot run the C++ compiler: {compiler[0]}: {error.strerror}") from error
        if done.returncode != 0:
            lines = [line for line in done.stderr.splitlines() if "error" in line] or done.stderr.splitlines()
            why = lines[0] if lines else f"status {done.returncode}"
            raise RuntimeError(f"ordosort: cannot compile {source} for {version}: {shlex.join(command)}: {why}")
        os.replace(f"{own}/{name}", path)
    return path
