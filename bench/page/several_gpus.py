"""Sorts over several GPUs of one host."""

import statistics

from page import Results, Values, milliseconds, table

TWO, FOUR = "distributed_sort_two", ["distributed_sort_four_small", "distributed_sort_four", "distributed_sort_four_large"]
DIVIDE_BYTES_A_MS, LINK_BYTES_A_MS = 3.3e9, 386e6
NUMBERS = {2: "two", 4: "four"}
KINDS = {"peer_copies": "copies", "nccl": "NCCL"}


def values(results: Results) -> Values:
    if not results.has(TWO, *FOUR):
        return {}
    reports = [results.json(name) for name in [TWO, *FOUR]]
    fixed, model = model_of(reports)
    return {
        "fixed": fixed,
        "model": model,
        "two": rows_of(reports[:1]),
        "four": rows_of(reports[1:]),
        "links": ", ".join(f"{report['link_gbs']['all_ways']:.0f}" for report in reports),
        "machine": results.where(reports[0]),
        "commands": results.commands(TWO, *FOUR),
    }


def model_of(reports: list[dict]) -> tuple[str, str]:
    """The fixed times that fit best, in words, and a table of the rows with the error of each."""
    sorts = [
        row
        for report in reports
        for row in report["rows"]
        if row["exchange"] == "peer_copies" and ("random" in row["name"] or "power law" in row["name"])
    ]

    def parts(row: dict) -> tuple[float, float, float]:
        bytes_of_share = row["items"] * row["item_bytes"] / row["gpus"]
        divide = 2 * bytes_of_share / DIVIDE_BYTES_A_MS
        sort = max(0.0, row["local_sort_ms"] - divide)
        exchange = (1 - 1 / row["gpus"]) * bytes_of_share / LINK_BYTES_A_MS
        return divide + max(sort, exchange) + min(sort, exchange) / 8, sort, exchange

    fixed = {
        gpus: statistics.median(row["group_ms"] - parts(row)[0] for row in sorts if row["gpus"] == gpus)
        for gpus in sorted({row["gpus"] for row in sorts})
    }
    body, alone = [], {}
    for row in sorts:
        without, _, exchange = parts(row)
        ms = without + fixed[row["gpus"]]
        body.append(
            [row["name"], str(row["gpus"]), milliseconds(row["local_sort_ms"]), milliseconds(exchange), milliseconds(ms),
             milliseconds(row["group_ms"]), f"{100 * (ms / row['group_ms'] - 1):+.0f} %"]
        )
        if row["name"] not in alone:
            ms = row["gpus"] * row["local_sort_ms"]
            alone[row["name"]] = [row["name"], "1", milliseconds(row["local_sort_ms"]), "", milliseconds(ms),
                                  milliseconds(row["one_ms"]), f"{100 * (ms / row['one_ms'] - 1):+.0f} %"]
    head = ["items in all", "GPUs", "sort of a share", "exchange", "model", "measured", "error"]
    words = " and ".join(f"{ms:.1f} ms for {NUMBERS[gpus]} GPUs" for gpus, ms in fixed.items())
    return words, table(head, [*alone.values(), *body])


def rows_of(reports: list[dict]) -> str:
    body = [
        [
            row["name"],
            KINDS[row["exchange"]],
            milliseconds(row["one_ms"]),
            f"**{milliseconds(row['group_ms'])}**",
            f"{row['times']:.2f}",
            milliseconds(row["local_sort_ms"]),
            f"{row['local_sort_ms'] / row['group_ms']:.2f}",
            f"{row['exchange_gbs']:.0f}",
        ]
        for report in reports
        for row in report["rows"]
    ]
    head = ["items in all", "exchange", "one GPU", "all", "times", "a share on one GPU", "share / all", "GB/s into a GPU"]
    return table(head, body)
