#!/usr/bin/env python3
"""strsort's header lines, CSV and own orders in plain Python, compared with the program on random files.

strsort_records_reference.py SEED CASES: writes files to the current folder, and fails at the first difference.
"""
import csv, datetime, fractions, functools, ipaddress, random, re, subprocess, sys

seed, cases = int(sys.argv[1]), int(sys.argv[2])
draw = random.Random(seed)


def number(text):
    sign, whole, part = re.match(r"[ \t\n]*(-?)([0-9]*)(?:\.([0-9]*))?", text).groups()
    part = part or ""
    value = fractions.Fraction(int((whole or "0") + part), 10 ** len(part))
    return -value if sign else value


def natural(text):
    """Digits compare as numbers, at the place of the digit 0."""
    return [(ord("0"), int(word)) if word.isdigit() else (ord(word), -1) for word in re.findall(r"[0-9]+|[^0-9]", text)]


def address(text):
    words = text.split()
    try:
        base, _, prefix = words[0].partition("/")
        port = None
        in_brackets = re.fullmatch(r"\[([^]]*:[^]]*)\](?::(.*))?", words[0])
        with_port = re.fullmatch(r"([^:/]*\.[^:/]*):([^/]*)", words[0])
        if in_brackets or with_port:
            base, port = (in_brackets or with_port).groups()
            _ = ""
        ip = ipaddress.ip_address(base)
        if (_ and not re.fullmatch("[0-9]{1,3}", prefix)) or (port is not None and not re.fullmatch("[0-9]{1,5}", port)):
            return (0,)
        length = int(prefix) if _ else ip.max_prefixlen
        zone = (getattr(ip, "scope_id", None) or "").encode()
        if length > ip.max_prefixlen or int(port or 0) > 65535:
            return (0,)
        return (ip.version, int(ip), length, zone, -1 if port is None else int(port))
    except (ValueError, IndexError):
        return (0,)


def date(text):
    """A date at the beginning of a text."""
    for end in range(len(text), 0, -1):
        try:
            return (1, datetime.datetime.strptime(text[:end], "%d/%m/%Y %H:%M"))
        except ValueError:
            pass
    return (0,)


UNITS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400, "min": 60, "mins": 60, "ms": fractions.Fraction(1, 1000), "days": 86400, "w": 604800}


def clock(text):
    """[DAYS-]H:M:S or M:S at the beginning of a text."""
    part = re.compile("[:-]([0-9]+)")
    found = re.match("[0-9]+", text)
    parts, at, days = [int(found[0])], found.end(), None
    if text[at] == "-":
        found = part.match(text, at)
        if not found:
            return (0,)
        days, parts, at = parts[0], [int(found[1])], found.end()
    while len(parts) < 3 and text[at:at + 1] == ":":
        found = part.match(text, at)
        if not found:
            return (0,)
        parts.append(int(found[1]))
        at = found.end()
    if days is not None:
        parts += [0] * (3 - len(parts))
    seconds = functools.reduce(lambda sum, part: sum * 60 + part, parts) + (days or 0) * 86400
    fraction = re.compile(r"\.[0-9]*").match(text, at)
    return (1, seconds + fractions.Fraction("0" + fraction[0] + "0") if fraction else seconds)


def duration(text):
    """Numbers with units, up to what is none, or a clock."""
    sign, text = re.match(r"[ \t]*([-+]?)[ \t]*(.*)", text, re.S).groups()
    if re.match("[0-9]+[:-]", text):
        total = clock(text)
    else:
        total = (0,)
        while True:
            found = re.match(r"[ \t]*([0-9]*)(\.[0-9]*)?[ \t]*([A-Za-z]*)", text)
            whole, point, unit = found.groups()
            if not (whole or (point or ".") != ".") or unit not in UNITS:
                break
            value = fractions.Fraction((whole or "0") + (point or "") + ("0" if point else "")) * UNITS[unit]
            total = (1, value + (total[1] if total[0] else 0))
            text = text[found.end():]
    return (1, -total[1]) if sign == "-" and total[0] else total


LISTED = ["chr1", "chr2", "chr10", "chrX", ""]


def listed(text):
    return (0, LISTED.index(text)) if text in LISTED else (1, text.encode("latin-1"))


TYPES = {"": lambda text: text.encode("latin-1"), "n": number, "f": lambda text: text.upper().encode("latin-1"), "natural": natural,
         "ip": address, "human-time": duration, "date": date, "order-file": listed}
PIECES = {"": ["a", "b", "Ab", "é", "\x01", " ", "10", "-"], "n": ["-", ".", "0", "1", "9", "12", " "],
          "natural": ["a", "0", "00", "7", "12", ".", "-", "~", "\x02"], "f": list("aAbB"),
          "ip": ["1.2.3.4", "10.0.0.", "0", "1", "::", "fe80::", "/8", "/24", "/129", " ", "ff", "%e0", ":80", "[", "]", "[::1]", "]:443"],
          "human-time": ["1", "2", "10", "h", "m", "s", "d", "ms", ":", "30", ".5", "-", " days", "min", "w"],
          "date": ["01", "31", "/", "12/", "02/", "2026 ", "2024 ", "10:", "00", "29/02/2024 00:00", "29/02/2023 00:00"],
          "order-file": ["chr1", "chr2", "chr10", "chrX", "chrM", "zeta", ""]}


def field(kind):
    return "".join(draw.choice(PIECES[kind]) for _ in range(draw.randrange(5) if kind != "order-file" else 1))


def quoted(text, separator):
    """A field as a program may write it: in quotes if it must be, and sometimes else."""
    if any(c in text for c in separator + '"\n\r') or draw.random() < 0.2:
        return '"' + text.replace('"', '""') + '"'
    return text


def table(kinds, separator, rows):
    """Returns the bytes of each record."""
    records = []
    for _ in range(rows):
        values = []
        for kind in kinds:
            text = field(kind)
            if kind == "":
                text += draw.choice(["", "", '"', separator, "\n", "\r\n", '""x', separator + '"'])
                if draw.random() < 0.5:
                    text = text[::-1]
            values.append(quoted(text, separator))
        # A quote inside of a field without quotes, and bytes behind a quote that closes.
        if draw.random() < 0.05:
            values[0] = draw.choice(['a"b', '"a"b', '"a""b"c"'])
        if draw.random() < 0.1:
            values = values[:draw.randrange(len(values)) + 1]
        records.append((separator.join(values) + draw.choice(["\n", "\n", "\r\n"])).encode("latin-1"))
    return records


def parsed(data, separator):
    """Returns the records of a text as their bytes and fields, by Python's csv module."""
    taken = []

    def lines():
        for line in data.decode("latin-1").split("\n"):
            taken.append(line + "\n")
            yield line + "\n"

    records = []
    reader = csv.reader(lines(), delimiter=separator)
    for row in reader:
        records.append(("".join(taken).encode("latin-1"), row))
        taken.clear()
    return records[:-1]  # what split() finds behind the last newline


def compare(a, b):
    return (a > b) - (a < b)


def run(arguments, stdin=None):
    done = subprocess.run(["strsort", *arguments], stdin=stdin, capture_output=True)
    return done.returncode, done.stdout, done.stderr


def check(got, want, what):
    if got != want:
        sys.exit(f"seed {seed}: {what}\n got {got!r}\nwant {want!r}")


with open("order", "w") as file:
    file.write("".join(name + ("\t5" if name else "") + "\n" for name in LISTED))

for case in range(cases):
    separator = draw.choice([",", ",", ";", "\t", "|"])
    kinds = [draw.choice(list(TYPES)) for _ in range(3)]
    header = [name + str(k) for k, name in enumerate(draw.sample(["id", "a b", "x" + separator, 'q"', "n\nl"], 3))]
    head = (separator.join(quoted(name, separator) for name in header) + "\n").encode("latin-1")
    has_header = draw.random() < 0.8
    files = []
    for k in range(draw.randrange(1, 4)):
        records = table(kinds, separator, draw.choice([0, 1, 5, 40]))
        data = (head if has_header else b"") + b"".join(records)
        if draw.random() < 0.3 and data.endswith(b"\n") and not data.endswith(b"\r\n"):
            data = data[:-1]
        with open(f"in{k}", "wb") as file:
            file.write(data)
        if data and not data.endswith(b"\n"):
            data += b"\n"
        files.append(parsed(data, separator)[has_header:])

    keys, options = [], ["--csv" if separator == "," else f"--csv={separator}"]
    if not has_header:
        options.append("--header=0")
    for _ in range(draw.randrange(1, 3)):
        column = draw.randrange(3)
        kind, reverse = kinds[column], draw.random() < 0.3
        keys.append((column, TYPES[kind], reverse))
        words = ":" + kind + (",r" if reverse else "") if kind else ":r" if reverse else ""
        names_it = has_header and draw.random() < 0.6
        options += ["-k", (header[column] if names_it else f"{column + 1},{column + 1}") + words]
    if any(value == date for _, value, _ in keys):
        options.append("--date=%d/%m/%Y %H:%M")
    if any(value == listed for _, value, _ in keys):
        options.append("--order-file=order")
    stable, unique = draw.random() < 0.4, draw.random() < 0.2

    def by_keys(a, b):
        for column, value, reverse in keys:
            x, y = (value(r[1][column]) if column < len(r[1]) else value("") for r in (a, b))
            if x != y:
                return compare(y, x) if reverse else compare(x, y)
        return 0

    def order(a, b):
        return by_keys(a, b) or (0 if stable or unique else compare(a[0][:-1], b[0][:-1]))

    def dropped(records):
        kept = []
        for record in records:
            if not (kept and by_keys(kept[-1], record) == 0):
                kept.append(record)
        return kept

    names = [f"in{k}" for k in range(len(files))]
    if stable:
        options.append("-s")
    shown = " ".join(repr(o) for o in options)
    want = sorted((r for f in files for r in f), key=functools.cmp_to_key(order))
    if unique:
        options.append("-u")
        want = dropped(want)
    start = head if has_header else b""
    limit = draw.choice([None, None, 0, 1, 3])
    extra = [] if limit is None else [f"--head={limit}"]
    for memory in ([], ["-S16M"]):
        check(run(options + extra + memory + names), (0, start + b"".join(r[0] for r in want[:limit]), b""), f"case {case}: {shown} {extra}")
    # The runs of a merge, and a check.
    for k, file in enumerate(files):
        done = sorted(file, key=functools.cmp_to_key(order))
        with open(f"sorted{k}", "wb") as out:
            out.write(start + b"".join(r[0] for r in done))
        in_order = all(order(a, b) < (0 if unique else 1) for a, b in zip(file, file[1:]))
        check(run(options + ["-C", f"in{k}"])[0], 0 if in_order else 1, f"case {case}: {shown} -C in{k}")
    check(run(options + extra + ["-m"] + [f"sorted{k}" for k in range(len(files))]),
          (0, start + b"".join(r[0] for r in want[:limit]), b""), f"case {case}: {shown} -m")
    if not unique:
        # Lines are counted by their keys, and the first of them is written.
        counted = sorted((r for f in files for r in f), key=functools.cmp_to_key(by_keys))
        groups = []
        for record in counted:
            if groups and by_keys(groups[-1][0], record) == 0:
                groups[-1][1] += 1
            else:
                groups.append([record, 1])
        check(run(options + ["--count"] + names), (0, start + b"".join(b"%7d %s" % (n, r[0]) for r, n in groups), b""),
              f"case {case}: {shown} --count")
