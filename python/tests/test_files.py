"""Files, by the programs."""

import gzip
import os
import random
import signal
import threading
import time

import pytest

import ordosort


def test_lines(tmp_path):
    lines = [str(random.Random(1).random()) for _ in range(1000)] + ["b", "a"]
    (tmp_path / "in.txt").write_text("".join(line + "\n" for line in lines))
    ordosort.sort_file(tmp_path / "in.txt", tmp_path / "out.txt")
    assert (tmp_path / "out.txt").read_text() == "".join(line + "\n" for line in sorted(lines))
    ordosort.sort_file([tmp_path / "in.txt"] * 2, str(tmp_path / "out.txt.gz"), options=["-u", "-r"], device="cpu")
    expected = "".join(line + "\n" for line in sorted(set(lines), reverse=True))
    assert gzip.open(tmp_path / "out.txt.gz", "rt").read() == expected


def test_spectra(tmp_path):
    (tmp_path / "a.mgf").write_text("BEGIN IONS\n2 1\n1 5\nEND IONS\n")
    ordosort.sort_file(tmp_path / "a.mgf", tmp_path / "b.mgf")
    assert (tmp_path / "b.mgf").read_text() == "BEGIN IONS\n1 5\n2 1\nEND IONS\n"


def test_errors(tmp_path):
    with pytest.raises(ordosort.InputError) as failure:
        ordosort.sort_file(tmp_path / "none.txt", tmp_path / "out.txt")
    assert "none.txt" in str(failure.value)
    assert not (tmp_path / "out.txt").exists()
    with pytest.raises(ordosort.InputError):
        ordosort.sort_file(tmp_path / "none.txt", tmp_path / "out.txt", progress=print)
    (tmp_path / "a.mgf").write_text("BEGIN IONS\nnonsense\n")
    with pytest.raises(ordosort.InputError):
        ordosort.sort_file(tmp_path / "a.mgf", tmp_path / "b.mgf")
    for call in [
        lambda: ordosort.sort_file([], "x"),
        lambda: ordosort.sort_file("a", "b", tool="sort"),
        lambda: ordosort.tool_path("ls"),
    ]:
        with pytest.raises(ValueError):
            call()


def test_progress(tmp_path):
    numbers = random.Random(2)
    (tmp_path / "in.txt").write_text("".join(f"{numbers.random()}\n" for _ in range(100000)))
    seen = []
    ordosort.sort_file(tmp_path / "in.txt", tmp_path / "out.txt", progress=seen.append)
    assert seen and all(text.strip() == text and "\x1b" not in text for text in seen)
    assert not any(text.startswith("strsort") for text in seen)


@pytest.mark.skipif(threading.current_thread() is not threading.main_thread(), reason="signals reach the main thread")
def test_interrupt(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "out.txt").write_text("before")
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background starts with SIGINT ignored
    threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    begin = time.monotonic()
    try:
        with pytest.raises(KeyboardInterrupt):
            ordosort.sort_file(tmp_path / "pipe", tmp_path / "out.txt")  # nobody writes to the pipe
    finally:
        signal.signal(signal.SIGINT, before)
    assert time.monotonic() - begin < 10
    assert (tmp_path / "out.txt").read_text() == "before"
