#!/usr/bin/env python3
"""Writes the FMD of ropebwt3 build -d of a small file of FASTA: fmd_index.py IN.fa OUT.fmd

Sorts all suffixes, and encodes the BWT as bits in a list: slow, and plain."""
import struct
import sys

BLOCK = 8  # words; a file of more than 2^23 words has one unused word in each 2^23


def records_of(path):
    records = []
    for line in open(path, encoding="latin-1"):
        line = line.rstrip("\r\n")
        if line.startswith(">"):
            records.append("")
        elif line:
            records[-1] += line
    return records


def bwt_of(records):
    strands = []
    for letters in records:
        codes = [{"A": 1, "C": 2, "G": 3, "T": 4}.get(c.upper(), 5) for c in letters]
        strands += [codes, [5 - c if c < 5 else 5 for c in reversed(codes)]]
    suffixes = [(strand[p:] + [0], k, p) for k, strand in enumerate(strands) for p in range(len(strand) + 1)]
    # The end of a record is smaller than all letters; equal suffixes come in the order of their records.
    suffixes.sort()
    return [strands[k][p - 1] if p else 0 for _, k, p in suffixes]


def delta(number):
    bits = number.bit_length()
    length = bits.bit_length()
    return "0" * (length - 1) + format(bits, "b") + format(number, "b")[1:]


def encode(bwt):
    blocks, code, inside = [(b"\0" * 16, "", [0] * 6)], "", [0] * 6
    room = 64 * (BLOCK - 2)

    def header(counts):
        total = sum(counts)
        kind = 0 if total < 0x4000 else 1 if total < 0x40000000 else 2
        data = struct.pack("<7" + "HIQ"[kind], total, *counts)
        data += b"\0" * (-len(data) % 8)
        first = struct.unpack("<Q", data[:8])[0] | kind << 62
        return struct.pack("<Q", first) + data[8:]

    def close():
        nonlocal code, inside, room
        head = header(inside)
        blocks[-1] = (blocks[-1][0], code, inside)
        blocks.append((head, "", None))
        code, inside, room = "", [0] * 6, 64 * BLOCK - 8 * len(head)

    i = 0
    while i < len(bwt):
        end = i
        while end < len(bwt) and bwt[end] == bwt[i]:
            end += 1
        word = delta(end - i) + format(bwt[i], "03b")
        if len(code) + len(word) >= room:  # the last bit of a block is never used
            close()
        code += word
        inside[bwt[i]] += end - i
        i = end
    close()
    return blocks


def main():
    bwt = bwt_of(records_of(sys.argv[1]))
    blocks = encode(bwt)
    data = b""
    for number, (head, code, _) in enumerate(blocks):
        words = head
        if number + 1 < len(blocks):
            words += b"".join(struct.pack("<Q", int(code[k:k + 64].ljust(64, "0"), 2)) for k in range(0, len(code), 64))
            words = words.ljust(8 * BLOCK, b"\0")
        data += words
    n_words = len(data) // 8
    average = len(bwt) // (n_words // BLOCK + 1)
    shift = average.bit_length() - 1 + 4
    n_frames = (len(bwt) + (1 << shift) - 1 >> shift) + 1
    frames = [[0] * 7 for _ in range(n_frames)]
    before = [0] * 6
    for number, (_, _, inside) in enumerate(blocks[:-1], 1):
        before = [a + b for a, b in zip(before, inside)]
        frame = sum(before) // (1 << shift) + 1  # the first multiple of 2^shift rows that is greater
        if frame < n_frames:
            frames[frame] = [number * BLOCK] + before
    for frame in range(1, n_frames):
        if frames[frame][0] == 0:
            frames[frame] = frames[frame - 1]
    counts = [bwt.count(c) for c in range(6)]
    with open(sys.argv[2], "wb") as out:
        out.write(b"RLD\3" + struct.pack("<IQQQ6Q", 6 << 16 | 3, 0, len(data), n_frames, *counts) + data)
        for frame in frames:
            out.write(struct.pack("<7Q", *frame))


main()
