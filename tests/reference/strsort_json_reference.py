#!/usr/bin/env python3
"""strsort --jsonl in plain Python, compared with the program on random files; and its keys with empty values, lengths and the
first lines of --unique-keep-order.

strsort_json_reference.py SEED CASES: writes files to the current folder, and fails at the first difference.
"""
import decimal, fractions, json, random, re, subprocess, sys

seed, cases = int(sys.argv[1]), int(sys.argv[2])
draw = random.Random(seed)
decimal.getcontext().prec = 10000


class literal(str):
    """A number as it is written."""


def number(text):
    sign, whole, part = re.match(r"[ \t\n]*(-?)([0-9]*)(?:\.([0-9]*))?", text).groups()
    value = fractions.Fraction(int((whole or "0") + (part or "")), 10 ** len(part or ""))
    return -value if sign else value


def value_at(value, path):
    for name in path:
        if isinstance(value, dict):
            value = value.get(name)
        elif isinstance(value, list):
            value = value[int(name)] if re.fullmatch("0|[1-9][0-9]*", name) and int(name) < len(value) else None
        else:
            return None
    return value


def text_of(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, literal):
        return format(decimal.Decimal(value), "f") if re.search("[eE]", value) else str(value)
    return value


def key_of(line, path, words):
    value = value_at(json.loads(line, parse_int=literal, parse_float=literal), path) if line.strip() else None
    text = None if value is None else text_of(value)
    empty = text is None or ("last" in words and not text.strip(" \t\n"))
    if empty:
        return None
    if "n" in words:
        return number(text)
    if "length" in words:
        return len(text.encode())
    return text.encode()


def compare(a, b, keys):
    for path, words in keys:
        x, y = key_of(a, path, words), key_of(b, path, words)
        reverse = "r" in words
        if (x is None) != (y is None):
            first = -1 if x is None else 1
            return -first if "last" in words or reverse else first
        if x is not None and x != y:
            return (-1 if x < y else 1) * (-1 if reverse else 1)
    return 0


def some_number():
    made = draw.choice(["", "-"]) + str(draw.choice([0, 7, 10, 123, 9007199254740993, 10 ** 25 + draw.randrange(3)]))
    made += draw.choice(["", "", ".5", ".50", ".125"])
    return made if draw.random() < 0.6 or re.fullmatch("-?0[.0]*", made) else made + draw.choice("eE") + draw.choice(["2", "+3", "-4", "0"])


def some_value(depth=0):
    kind = draw.randrange(9)
    if kind == 0:
        return "null"
    if kind == 1:
        return draw.choice(["true", "false"])
    if kind in (2, 3):
        return some_number()
    if kind == 4 and depth < 2:
        return some_object(depth + 1)
    if kind == 5 and depth < 2:
        return "[" + ", ".join(some_value(depth + 1) for _ in range(draw.randrange(4))) + "]"
    return json.dumps("".join(draw.choice(["a", "B", "é", "\n", "\"", " ", "7", "😀", "\\"]) for _ in range(draw.randrange(4))),
                      ensure_ascii=draw.random() < 0.5)


def some_object(depth=0):
    names = ["a", "b", "a.b", "é", "c d", "a"]
    return "{" + ",".join(f"{json.dumps(draw.choice(names), ensure_ascii=draw.random() < 0.5)}{draw.choice([':', ' : '])}{some_value(depth)}"
                          for _ in range(draw.randrange(5))) + "}"


def run(*arguments):
    result = subprocess.run(["strsort", *arguments], capture_output=True)
    assert result.returncode == 0, (arguments, result.stderr)
    return result.stdout.decode().split("\n")[:-1]


paths = {"a": ["a"], "b": ["b"], "a.b": ["a", "b"], '"a.b"': ["a.b"], "a.0": ["a", "0"], "a.1.b": ["a", "1", "b"], "é": ["é"], '"c d".a': ["c d", "a"]}
for case in range(cases):
    lines = [some_object() if draw.random() < 0.95 else draw.choice(["", " "]) for _ in range(draw.randrange(1, 40))]
    with open("in.jsonl", "w") as out:
        out.write("".join(line + "\n" for line in lines))
    keys, arguments = [], []
    for _ in range(draw.randrange(1, 4)):
        name = draw.choice(list(paths))
        words = draw.choice([[], ["n"], ["length"]]) + draw.choice([[], ["r"]]) + draw.choice([[], ["last"]])
        draw.shuffle(words)
        keys.append((paths[name], words))
        arguments += ["-k", name + (":" + ",".join(words) if words else "")]
    # The text of lists and objects is as it is written, which Python does not keep.
    if any(isinstance(value_at(json.loads(line, parse_int=literal, parse_float=literal), path), (dict, list))
           for line in lines if line.strip() for path, _ in keys):
        continue
    import functools
    stable = sorted(lines, key=functools.cmp_to_key(lambda a, b: compare(a, b, keys)))
    whole = sorted(lines, key=functools.cmp_to_key(lambda a, b: compare(a, b, keys) or (a.encode() > b.encode()) - (a.encode() < b.encode())))
    first = []
    for line in lines:
        if not any(compare(line, other, keys) == 0 for other in first):
            first.append(line)
    groups = []
    for line in stable:
        if groups and compare(groups[-1][0], line, keys) == 0:
            groups[-1].append(line)
        else:
            groups.append([line])
    counted = [f"{len(g):7} {g[0]}" for g in groups]
    for options, want in ((["-s"], stable), ([], whole), (["-u"], [g[0] for g in groups]), (["--unique-keep-order"], first),
                          (["--count"], counted)):
        found = run("--jsonl", *options, *arguments, "in.jsonl")
        assert found == want, (case, options, arguments, found, want)
    by_count = run("--jsonl", "--by-count", *arguments, "in.jsonl")
    assert sorted(by_count) == sorted(counted) and [int(l.split()[0]) for l in by_count] == sorted((len(g) for g in groups), reverse=True), by_count
print(f"{cases} cases agree")
