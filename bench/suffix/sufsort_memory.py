#!/usr/bin/env python3
"""Measures the peak memory and the CPU time of each command of sufsort, and prints a table of Markdown.

sufsort_memory.py BIN FOLDER [LENGTH]: the programs, a folder for some 60 bytes a letter, and the letters of a made-up genome (20m).
Resident memory counts the pages of mapped files that were read, which the system takes back when others need them.
"""
import os
import random
import subprocess
import sys


def main():
    programs, folder = sys.argv[1], sys.argv[2]
    length = sys.argv[3] if len(sys.argv) > 3 else "20m"
    os.makedirs(folder, exist_ok=True)
    os.chdir(folder)
    sufsort = os.path.join(programs, "sufsort")
    generate = [os.path.join(programs, "ordo_generate"), "genome", "-q", f"--length={length}"]
    subprocess.run([*generate, "-o", "g.fa"], check=True)
    # In a process of its own: the peak of a child counts what its parent held when it was forked.
    subprocess.run([sys.executable, __file__, "--queries"], check=True)
    commands = [
        ("build", "build g.fa -o sa"),
        ("build --lcp --bwt", "build g.fa -o g --lcp --bwt"),
        ("build --bwt --without-sa", "build g.fa -o bwt --bwt --without-sa"),
        ("build --fm --without-sa", "build g.fa -o fm --fm --without-sa"),
        ("build --kmer-table=auto", "build g.fa -o k --kmer-table=auto"),
        ("build more.fa", "build more.fa -o more"),
        ("merge", "merge sa more -o both"),
        ("add", "add sa more.fa"),
        ("check, with LCP and BWT", "check g"),
        ("check, FM index only", "check fm"),
        ("count, one pattern", "count g ACGTTGCATTGCATTGCATT"),
        ("count, 100,000 patterns", "count g --file=q.txt"),
        ("count --fm, one pattern", "count fm ACGTTGCATTGCATTGCATT"),
        ("count --fm, 100,000 patterns", "count fm --file=q.txt"),
        ("locate, 100,000 patterns", "locate g --file=q.txt"),
        ("locate --fm, 100,000 patterns", "locate fm --file=q.txt"),
        ("mem -l 31 --super-maximal, 100,000 reads", "mem g q.fa -l 31 --super-maximal"),
        ("mem --fm -l 31 --super-maximal, 100,000 reads", "mem fm q.fa -l 31 --super-maximal"),
        ("ms, 100,000 reads", "ms g q.fa"),
        ("repeats -l 500", "repeats g -l 500"),
        ("unique -k 31", "unique g -k 31"),
        ("unique -k 31 --mismatches=1", "unique g -k 31 --mismatches=1"),
        ("unique --minimal", "unique g --minimal"),
        ("unique --minimal --circular=all", "unique g --minimal --circular=all"),
        ("spectrum -k 31", "spectrum g -k 31"),
        ("kmers", "kmers g --length 10 --force-kmer-table"),
        ("export --format=sdsl", "export g --format=sdsl -o g.sdsl"),
    ] + [(f"aligner-index --for={name}", f"aligner-index --for={name} g.fa -o al-{name}")
         for name in ("bwa", "bwa-mem2", "minibwa", "bowtie", "ropebwt3", "star")]
    letters = 0
    print("| command | memory, MiB | bytes a letter | CPU s |\n|---|---|---|---|", flush=True)
    for name, command in commands:
        with open("out", "wb") as out:
            child = subprocess.Popen([sufsort, *command.split(), "--quiet"], stdout=out)
            _, status, used = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode != 0:
            sys.exit(f"failed: {command}: status {child.returncode}")
        letters = letters or os.path.getsize("sa.seq")
        print(f"| `{name}` | {used.ru_maxrss / 1024:.0f} | {used.ru_maxrss * 1024 / letters:.1f} "
              f"| {used.ru_utime + used.ru_stime:.1f} |", flush=True)


def write_queries():
    """Writes 100,000 reads of 20 to 150 letters, half of them with an error, and a tenth of the genome as other records."""
    rng = random.Random(1)
    with open("g.fa", "r", encoding="ascii") as file:
        file.readline()
        genome = file.read().replace("\n", "")
    made = []
    while len(made) < 100000:
        begin, size = rng.randrange(len(genome) - 150), rng.randrange(20, 151)
        read = genome[begin:begin + size]
        if "N" in read:
            continue
        if len(made) % 2:
            at = rng.randrange(size)
            read = read[:at] + rng.choice("ACGT") + read[at + 1:]
        made.append(read)
    with open("q.txt", "w", encoding="ascii") as file:
        file.write("\n".join(made) + "\n")
    with open("q.fa", "w", encoding="ascii") as file:
        file.writelines(f">{i}\n{read}\n" for i, read in enumerate(made))
    with open("more.fa", "w", encoding="ascii") as file:
        file.write(f">more\n{genome[:len(genome) // 10]}\n")


if __name__ == "__main__":
    if sys.argv[1:] == ["--queries"]:
        write_queries()
    else:
        main()
