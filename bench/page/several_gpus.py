"""Sorts over several GPUs of one host."""

from page import Results, Values, milliseconds, table

TWO, FOUR = "distributed_sort_two", ["distributed_sort_four_small", "distributed_sort_four", "distributed_sort_four_large"]
KINDS = {"peer_copies": "copies", "nccl": "NCCL"}


def values(results: Results) -> Values:
    if not results.has(TWO, *FOUR):
        return {}
    reports = [results.json(name) for name in [TWO, *FOUR]]
    return {
        "two": rows_of(reports[:1]),
        "four": rows_of(reports[1:]),
        "links": ", ".join(f"{report['link_gbs']['all_ways']:.0f}" for report in reports),
        "machine": results.where(reports[0]),
        "commands": results.commands(TWO, *FOUR),
    }


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
