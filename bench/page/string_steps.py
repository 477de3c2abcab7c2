"""Deshpande, Narayanan: the steps of their sort, tables II to VII and figures 3 and 4, for the page of the string sort."""

import papers
from page import Figure, Results, Values, milliseconds, table
from plot import Axis, Series

STEPS = ("sort_ms", "scan_ms", "kernel_ms")
ALPHA = 2.5  # of the paper's equation 1


def values(results: Results) -> Values:
    rows = results.rows("string_steps")
    found = key_lengths(results)
    if not rows:
        return found
    sets = {name: row for name, row in rows.items() if "fixed" in row}
    ratios = [(f"{name} beside Thrust", "Thrust", row["Thrust"]["total_ms"] / row["Ordo"]["total_ms"]) for name, row in sets.items()]
    results.compare(ratios, "beside Thrust", of_paper=True)
    return found | {
        "table_2": split(sets),
        "table_3": singletons(sets),
        "table_4": adaptive(sets),
        "table_5": expected(results, sets),
        "table_6": primitives(sets),
        "table_7": twice(results, rows),
        "figure_4": ties(rows),
        "davidson": davidson(sets),
        "steps_machine": results.where(results.json("string_steps")),
    }


def figures(results: Results, own: list[float]) -> list[Figure]:
    """@param own  best rival / Ordo of the sets"""
    sets = [row for row in results.rows("string_steps").values() if "fixed" in row]
    thrust = [row["Thrust"]["total_ms"] / row["Ordo"]["total_ms"] for row in sets]
    method = [row["adaptive"]["total_ms"] / row["Ordo"]["total_ms"] for row in sets]
    lengths = [row["ms"]["CUB"] / row["ms"]["Ordo"] for row in results.rows("key_lengths").values()]
    steps = ("string_steps",)
    return [
        Figure("Figure 3", "time of a sort by the length of the key", "Figure 3: length of the key", ("key_lengths",), lengths),
        Figure("Table I", "the sets", "Tables I and VIII: the ten sets", ("string_sort",)),
        Figure("Table II", "split by step, beside Thrust", "Table II: steps", steps, thrust),
        Figure("Table III", "elimination of singletons", "Table III: singletons", steps, method),
        Figure("Table IV", "segment numbers of adaptive size", "Table IV: adaptive segment numbers", steps, method),
        Figure("Table V", "expected and achieved time", "Table V: expected and achieved", steps),
        Figure("Table VI", "share of primitives", "Table VI: share of primitives", steps),
        Figure("Table VII", "two GPUs, and pc-filelist twice", "Table VII: file lists twice", steps),
        Figure("Table VIII", "beside sorts on a CPU", "Tables I and VIII: the ten sets", ("string_sort",), own),
        Figure("Table VIII, Burstsort", "the sorts on a CPU then", why_not="tlx stands in, today's fastest"),
        Figure("Figure 4", "common prefixes thinned and repeated", "Figure 4: ties", steps),
        Figure("Section IV-D", "1 million and 10 million strings", "Davidson's figures", steps),
        Figure("Section IV-D, Davidson et al.", "their code", why_not="CUDPP has no version for today's CUDA"),
    ]


def device_ms(one: dict) -> float:
    return sum(one[step] for step in STEPS)


def split(sets: dict[str, dict]) -> str:
    body = []
    for name, row in sets.items():
        now, thrust, own = row["adaptive"], row["Thrust"]["total_ms"], row["Ordo"]["total_ms"]
        (paper_thrust, paper_own), (_, rounds, *steps) = papers.STRING_TABLES[name][1], papers.STRING_STEPS[name]
        body.append(
            [name, f"{paper_thrust:,}", str(rounds), " + ".join(map(str, steps)), f"{paper_own:,}"]
            + [milliseconds(thrust), str(now["rounds"]), " + ".join(milliseconds(now[step]) for step in STEPS)]
            + [milliseconds(now["total_ms"]), f"{device_ms(now) / now['sort_ms']:.1f}", f"**{milliseconds(own)}**"]
            + [f"{thrust / own:.1f}", f"{now['total_ms'] / own:.1f}"]
        )
    head = ["set", "Thrust, 2013", "rounds", "sort + scans + kernels", "total, 2013", "Thrust", "rounds", "sort + scans + kernels"]
    return table([*head, "total", "alpha", "Ordo", "Thrust / Ordo", "total / Ordo"], body)


def singletons(sets: dict[str, dict]) -> str:
    body = []
    for name, row in sets.items():
        eliminated, all_stay = device_ms(row["fixed"]), device_ms(row["fixed, all"])
        with_without = papers.STRING_SINGLETONS.get(name)
        live = row["adaptive"]["live"]
        shares = [f"{100 * count / live[0]:.3g}" for count in live[:6]] + ["..."] * (len(live) > 6)
        body.append(
            [name, f"{with_without[1] / with_without[0]:.1f}" if with_without else ""]
            + [milliseconds(eliminated), milliseconds(all_stay), f"{all_stay / eliminated:.1f}", " ".join(shares)]
        )
    head = ["set", "gain, 2013", "eliminated", "all stay", "gain", "strings left at the start of each round, %"]
    return table(head, body)


def adaptive(sets: dict[str, dict]) -> str:
    body = []
    for name, row in sets.items():
        old_rounds, old_ms, new_rounds, new_ms = papers.STRING_ADAPTIVE[name]
        fixed, now = row["fixed"], row["adaptive"]
        body.append(
            [name, f"{old_rounds} and {new_rounds}", f"{old_ms / new_ms:.1f}", f"{fixed['rounds']} and {now['rounds']}"]
            + [milliseconds(device_ms(fixed)), milliseconds(device_ms(now)), f"{device_ms(fixed) / device_ms(now):.1f}"]
        )
    return table(["set", "rounds, 2013", "gain, 2013", "rounds", "four bytes", "adaptive", "gain"], body)


def expected(results: Results, sets: dict[str, dict]) -> str:
    lengths = results.rows("key_lengths")
    if "8 bytes" not in lengths:
        return ""
    of_pair = lengths["8 bytes"]["ms"]["CUB"] / lengths["8 bytes"]["items"]
    body = []
    for name, row in sets.items():
        now = row["adaptive"]
        body.append(
            [name, *(f"{ms:,}" for ms in papers.STRING_EXPECTED[name]), milliseconds(device_ms(now))]
            + [milliseconds(ALPHA * of_pair * row["strings"] * now["rounds"]), milliseconds(row["Ordo"]["total_ms"])]
        )
    return table(["set", "achieved, 2013", "expected, 2013", "achieved", "expected", "Ordo, with transfers"], body)


def primitives(sets: dict[str, dict]) -> str:
    body = []
    for name, row in sets.items():
        now = row["adaptive"]
        share = 100 * (now["sort_ms"] + now["scan_ms"]) / device_ms(now)
        body.append([name, f"{papers.STRING_PRIMITIVES[name]}", f"{share:.0f}"])
    return table(["set", "2013, %", "now, %"], body)


def twice(results: Results, rows: dict[str, dict]) -> str:
    body = []
    for name in ("artificial-4", "url", "genome", "filelist", "filelist twice"):
        if name not in rows:
            continue
        _, times, kepler, _ = papers.STRING_TABLES.get(name, (None, (None, None), papers.STRING_TWICE_K20C, None))
        row = rows[name]
        body.append(
            [name, f"{times[1]:,}" if times[1] else "", f"{kepler:,}" if kepler else ""]
            + [milliseconds(row["adaptive"]["total_ms"]), f"**{milliseconds(row['Ordo']['total_ms'])}**"]
        )
    return table(["set", "GTX 580", "K20c", "the method today", "Ordo"], body)


def ties(rows: dict[str, dict]) -> str:
    body = []
    for name, then in papers.STRING_TIES.items():
        base = name.split()[0]
        if name in rows and base in rows:
            ratios = [rows[name][who]["total_ms"] / rows[base][who]["total_ms"] for who in ("adaptive", "Ordo")]
            body.append([name, f"{then:.2f}", *(f"{x:.2f}" for x in ratios), milliseconds(rows[name]["Ordo"]["total_ms"])])
    return table(["set", "2013", "the method today", "Ordo", "Ordo, ms"], body)


def davidson(sets: dict[str, dict]) -> str:
    then = {"random": ("1 million random strings", 27, 12), "words": ("10 million words", 2100, 154)}
    body = [
        [title, f"{theirs:,}", str(own), milliseconds(device_ms(sets[name]["adaptive"])), milliseconds(sets[name]["Ordo"]["total_ms"])]
        for name, (title, theirs, own) in then.items()
        if name in sets
    ]
    head = ["strings", "Davidson et al., 2013", "the paper's", "the method today", "Ordo, with transfers"]
    return table(head, body)


def key_lengths(results: Results) -> Values:
    """Returns figure 3: nanoseconds for a byte of a million keys, as time over the length of the key."""
    rows = list(results.rows("key_lengths").values())
    if not rows:
        return {}
    series = [
        Series(who, [(row["bytes"], 1e6 * row["ms"][who] / row["items"] / row["bytes"]) for row in rows], who != "Ordo")
        for who in ("Ordo", "CUB")
    ]
    plot = results.plot(
        "key_lengths",
        "Deshpande and Narayanan, Figure 3: time for a byte of the key",
        Axis("bytes of the key", ticks=list(range(1, 17))),
        Axis("picoseconds for a byte of a pair", low=0),
        series,
    )
    results.compare([(row["name"], "CUB", row["ms"]["CUB"] / row["ms"]["Ordo"]) for row in rows], "length of the key", of_paper=True)
    return {"key_lengths_plot": plot, "key_lengths_items": f"{rows[0]['items'] / 1e6:g}"}
