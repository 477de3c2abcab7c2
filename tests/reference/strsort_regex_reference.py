#!/usr/bin/env python3
"""strsort -k /REGEX/ beside Python's re, on random expressions and lines.

strsort_regex_reference.py SEED CASES: writes files to the current folder, and fails at the first difference.
"""
import random, re, subprocess, sys, warnings

try:
    from re import _parser as parser
except ImportError:  # before Python 3.11
    import sre_parse as parser

warnings.simplefilter("ignore")
seed, cases = int(sys.argv[1]), int(sys.argv[2])
draw = random.Random(seed)

ATOMS = ["a", "b", "ab", "1", "/", "-", ",", " ", ".", r"\.", r"\d", r"\w", r"\s", r"\S", r"\b", "[ab]", "[^a]", "[0-9]", "[^0-9,]", r"\x00",
         r"\xe9", "[\\x80-\\xff]", "^", "$", "(?=a)", "(?!1)", "(?<=b)"]
REPEATS = ["*", "+", "?", "{2}", "{1,3}", "*?", "+?", "??"]


def expression(depth):
    """An expression. What is repeated never matches empty text: there Python and Perl differ in what groups hold."""
    made = ""
    for _ in range(draw.randrange(1, 4)):
        kind = draw.randrange(8)
        if depth == 0 or kind < 5:
            atom = draw.choice(ATOMS)
        elif kind < 6:
            atom = "(?:" + "|".join(expression(depth - 1) for _ in range(draw.randrange(1, 4))) + ")"
        else:
            atom = "(" + "|".join(expression(depth - 1) for _ in range(draw.randrange(1, 3))) + ")"
        if draw.random() < 0.4 and parser.parse(atom).getwidth()[0] > 0:
            atom = (atom if len(atom) == 1 or atom[0] in "([" else f"(?:{atom})") + draw.choice(REPEATS)
        made += atom
    return made


def line():
    words = ["a", "b", "ab", "1", "12", "/", "-", ",", " ", "  ", ".", "é", "\x00", "\xff", "x", '"']
    return "".join(draw.choice(words) for _ in range(draw.randrange(12))).encode("latin-1")


def found(pattern, piece):
    match = pattern.search(piece)
    if not match:
        return b""
    return (match[1] if pattern.groups else match[0]) or b""


def decimal(text):
    """The value of -n, as an integer of small parts."""
    sign, whole, part = re.match(rb"[ \t\n]*(-?)([0-9]*)(?:\.([0-9]*))?", text).groups()
    value = int(((whole or b"0") + (part or b"").ljust(20, b"0")).decode())
    return -value if sign else value


def run(arguments, data):
    done = subprocess.run(["strsort", *arguments], input=data, capture_output=True)
    if done.returncode != 0:
        sys.exit(f"seed {seed}: {arguments}: {done.stderr!r}")
    return done.stdout


def check(got, want, what):
    if got != want:
        sys.exit(f"seed {seed}: {what}\n got {got!r}\nwant {want!r}")


case = 0
while case < cases:
    text = expression(2)
    try:
        pattern = re.compile(text.encode("latin-1"))
    except (re.error, OverflowError):
        continue
    case += 1
    lines = [line() for _ in range(draw.choice([1, 5, 60]))]
    numeric, reverse, ranged = (draw.random() < 0.3 for _ in range(3))
    options = "n" * numeric + "r" * reverse
    value = decimal if numeric else bytes

    # Lines, or the second field of each.
    def piece(line):
        return (line.split(b",") + [b"", b""])[1] if ranged else line

    arguments = ["-s", *(["-t,"] if ranged else []), "-k", ("2,2" if ranged else "") + f"/{text}/{options}"]
    want = sorted(lines, key=lambda line: value(found(pattern, piece(line))), reverse=reverse)
    if reverse:  # equal lines keep their order
        want = sorted(lines[::-1], key=lambda line: value(found(pattern, piece(line))))[::-1]
    data = b"".join(line + b"\n" for line in lines)
    got = run(arguments, data)
    check(got, b"".join(line + b"\n" for line in want), f"case {case}: {arguments} of {data!r}")
    check(run([*arguments, "-m"], got), got, f"case {case}: {arguments} -m")
    # Distinct keys, of which the first line is written.
    firsts = {}
    for one in lines:
        firsts.setdefault(value(found(pattern, piece(one))), one)
    check(run([*arguments, "-u"], data), b"".join(firsts[key] + b"\n" for key in sorted(firsts, reverse=reverse)), f"case {case}: {arguments} -u")

    # A column of a CSV file, without its quotes.
    rows = [[one.decode("latin-1").replace("\0", ""), "z"] for one in lines]
    written = []
    for row in rows:
        written.append('"' + row[0].replace('"', '""') + '",z\n')
    want = sorted(range(len(rows)), key=lambda k: found(pattern, rows[k][0].encode("latin-1")))
    got = run(["--csv", "-s", "-k", f"x/{text}/"], ("x,y\n" + "".join(written)).encode("latin-1"))
    check(got, ("x,y\n" + "".join(written[k] for k in want)).encode("latin-1"), f"case {case}: --csv -k x/{text}/ of {written!r}")
