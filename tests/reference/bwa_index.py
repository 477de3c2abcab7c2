#!/usr/bin/env python3
"""bwa_index.py FASTA PREFIX: the files of `bwa index` 0.7.17 and of `bwa-mem2 index` 2.2, by the definition, for small references."""
import struct
import sys


def records(path):
    name, comment, letters = None, "", []
    for line in open(path, newline="\n"):
        line = line.rstrip("\n").removesuffix("\r")
        if line.startswith(">"):
            if name is not None:
                yield name, comment, "".join(letters)
            header = line[1:]
            blank = next((i for i, c in enumerate(header) if c.isspace()), len(header))
            name, comment, letters = header[:blank], header[blank + 1:], []
        else:
            letters.append(line)
    if name is not None:
        yield name, comment, "".join(letters)


def main(path, prefix):
    state = (11 << 16) + 0x330E
    forward, names, holes = [], [], []
    for name, comment, letters in records(path):
        begin, last, ours = len(forward), "", 0
        for letter in letters:
            code = "ACGT".find(letter.upper())
            if code < 0:
                if letter == last:
                    holes[-1][1] += 1
                else:
                    holes.append([len(forward), 1, letter])
                    ours += 1
                state = (state * 0x5DEECE66D + 0xB) % 2**48
                code = (state >> 17) & 3
            last = letter
            forward.append(code)
        names.append((name, comment or "(null)", begin, len(letters), ours))
    n = len(forward)
    with open(prefix + ".ann", "w") as to:
        print(n, len(names), 11, file=to)
        for name, comment, begin, size, ours in names:
            print(f"0 {name} {comment}\n{begin} {size} {ours}", file=to)
    with open(prefix + ".amb", "w") as to:
        print(n, len(names), len(holes), file=to)
        for hole in holes:
            print(*hole, file=to)
    packed = bytearray(n // 4 + 1)
    for i, code in enumerate(forward):
        packed[i // 4] |= code << 2 * (3 - i % 4)
    open(prefix + ".pac", "wb").write(packed + bytes([n % 4]))

    text = bytes(forward + [3 - code for code in reversed(forward)])
    sa = sorted(range(len(text) + 1), key=lambda p: text[p:])
    primary = sa.index(0)
    bwt = [text[p - 1] for p in sa if p != 0]
    ends = [sum(code <= c for code in text) for c in range(4)]
    head = struct.pack("<5Q", primary, *ends)
    with open(prefix + ".bwt", "wb") as to:
        to.write(head)
        for begin in range(0, len(bwt), 128):
            to.write(struct.pack("<4Q", *(bwt[:begin].count(c) for c in range(4))))
            block = bwt[begin:begin + 128]
            for i in range(0, len(block), 16):
                to.write(struct.pack("<I", sum(code << 2 * (15 - k) for k, code in enumerate(block[i:i + 16]))))
        to.write(struct.pack("<4Q", *(bwt.count(c) for c in range(4))))
    with open(prefix + ".sa", "wb") as to:
        to.write(head + struct.pack("<2Q", 32, len(text)))
        for row in range(32, len(text) + 1, 32):
            to.write(struct.pack("<Q", sa[row]))

    open(prefix + ".0123", "wb").write(text)
    rows = [text[p - 1] if p != 0 else 4 for p in sa]
    with open(prefix + ".bwt.2bit.64", "wb") as to:
        to.write(struct.pack("<6Q", len(rows), 0, *ends))
        for begin in range(0, len(rows), 64):
            to.write(struct.pack("<4Q", *(rows[:begin].count(c) for c in range(4))))
            block = rows[begin:begin + 64]
            to.write(struct.pack("<4Q", *(sum((letter == c) << 63 - k for k, letter in enumerate(block)) for c in range(4))))
        to.write(bytes(p >> 32 for p in sa[::8]))
        to.write(struct.pack(f"<{len(sa[::8])}I", *sa[::8]))
        to.write(struct.pack("<Q", primary))


main(*sys.argv[1:])
