#!/usr/bin/env python3
"""strsort's fixed records, parts and checksums in plain Python, compared with the program on random files.

strsort_fixed_reference.py SEED CASES: writes files to the current folder, and fails at the first difference.
"""
import glob, os, random, subprocess, sys, zlib

seed, cases = int(sys.argv[1]), int(sys.argv[2])
draw = random.Random(seed)


def order(records, keys, reverse, stable, unique):
    """keys: (begin, end, reverse), bytes counted from 0."""
    def key_parts(record):
        parts = [(record[a:b], r) for a, b, r in keys]
        return parts or [(record, reverse)]

    def turned(part, r):
        return bytes(255 - byte for byte in part) if r else part

    # Lengths are equal, so that complements of bytes are in the reversed order.
    def by_keys(record):
        return [turned(part, r) for part, r in key_parts(record)]

    whole = not stable and not unique
    result = sorted(records, key=lambda record: (by_keys(record), turned(record, reverse) if whole else b""))
    if unique:
        result = [record for k, record in enumerate(result) if k == 0 or by_keys(result[k - 1]) != by_keys(record)]
    return result


def parts_of(items, count):
    """Each part begins with the first item at or after its share of the bytes."""
    total, at, parts = sum(map(len, items)), 0, [b""] * count
    for item in items:
        part = max(k for k in range(count) if at >= total * k // count)
        parts[part] += item
        at += len(item)
    return parts


def fail(command, why):
    sys.exit(f"seed {seed}: {' '.join(command)}: {why}")


for case in range(cases):
    fixed = draw.random() < 0.7
    letters = draw.choice([b"a", b"ab", b"01\n", bytes(range(256))])
    if fixed:
        size = draw.choice([1, 2, 7, 8, 9, 16, 31, 100])
        count = draw.choice([0, 1, 2, 3, 17, 300, 2000])
        items = [bytes(draw.choices(letters, k=size)) for _ in range(count)]
    else:
        size = 0
        letters = letters.replace(b"\n", b"")
        items = [bytes(draw.choices(letters, k=draw.randrange(12))) + b"\n" for _ in range(draw.choice([0, 1, 5, 400]))]
    cut = draw.randrange(len(items) + 1)
    for name, some in (("first", items[:cut]), ("second", items[cut:])):
        with open(name, "wb") as file:
            file.write(b"".join(some))

    command, keys = ["strsort"], []
    reverse, stable, unique = (draw.random() < chance for chance in (0.3, 0.3, 0.3))
    if fixed:
        command.append(f"--record-bytes={size}")
        for _ in range(draw.randrange(3)):
            first = draw.randint(1, size)
            last = draw.choice([0, draw.randint(1, size + 3)])
            own = draw.random() < 0.4
            keys.append((first - 1, last or size, own or reverse))
            end = draw.choice([",1", ""]) if last == 0 else f",1.{last}"
            command += ["-k", f"1.{first}{end}{'r' if own else ''}"]
    command += ["-r"] * reverse + ["-s"] * stable + ["-u"] * unique
    command += draw.choice([[], ["--parallel=1"], ["-S", "16M"]])
    if fixed:
        want = order(items, keys, reverse, stable, unique)
    else:
        lines = [item[:-1] for item in items]
        want = sorted(set(lines) if unique else lines, reverse=reverse)
        want = [line + b"\n" for line in want]
    how = draw.choice(["stdout", "file", "parts", "parts"])
    if how == "stdout":
        done = subprocess.run(command + ["first", "second"], capture_output=True)
        got = done.stdout
        if done.returncode != 0 or got != b"".join(want):
            fail(command, f"status {done.returncode}, {len(got)} bytes")
        outputs = []
    else:
        count = draw.choice([1, 2, 3, 8]) if how == "parts" else 1
        path = draw.choice(["out.bin", "out"])
        if how == "parts":
            command.append(f"--split-output={count}")
        done = subprocess.run(command + ["first", "second", "-o", path], capture_output=True)
        if done.returncode != 0:
            fail(command, f"status {done.returncode}: {done.stderr}")
        outputs = sorted(glob.glob("out*"))
        got = [open(name, "rb").read() for name in outputs]
        if how == "file":
            good = got == [b"".join(want)]
        elif fixed:
            begins = [len(want) * k // count for k in range(count)] + [len(want)]
            good = got == [b"".join(want[a:b]) for a, b in zip(begins, begins[1:])]
        else:
            good = got == parts_of(want, count)
        if not good:
            fail(command, f"other parts: {[len(part) for part in got]}")
    # The checksums of the inputs and of what was written.
    base = ["strsort", f"--record-bytes={size}"] if fixed else ["strsort"]
    bodies = items if fixed else [item[:-1] for item in items]
    text = subprocess.run(base + ["--checksum", "first", "second"], capture_output=True).stdout.decode()
    if text != f"{'records' if fixed else 'lines'}: {len(items)}\nchecksum: {sum(map(zlib.crc32, bodies)):x}\n":
        fail(base, f"checksum: {text}")
    if outputs:
        check = [word for word in command if not word.startswith("--split") and word not in ("-S", "16M")]
        done = subprocess.run(check + ["-c", "--checksum"] + outputs, capture_output=True)
        if done.returncode != 0:
            fail(check, f"not in order: {done.stderr}")
    for name in outputs:
        os.remove(name)
print(f"{cases} cases, seed {seed}")
