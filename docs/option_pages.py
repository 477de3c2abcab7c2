#!/usr/bin/env python3
"""option_pages.py PROGRAMS FILE: writes a page with all options of the tools, from the manual pages that the programs in the
folder PROGRAMS print."""

import pathlib
import re
import subprocess
import sys

MAN = re.compile(r"^\.S[HS] ", re.M)
FLAG = re.compile(r"\\f[BI](.*?)\\fR")


def plain(text: str) -> str:
    """Returns a text of a manual page without its escapes and macros."""
    text = FLAG.sub(r"\1", re.sub(r"^\.BR? (.*?)( \(1\))?$", r"\1", text, flags=re.M))
    return text.replace(r"\-", "-").replace(r"\e", "\\").replace(r"\&", "").replace(r"\(aq", "'")


def prose(text: str) -> str:
    """Returns a text of a manual page as Markdown."""
    return re.sub(r"([\\`*_<>\[\]|#])", r"\\\1", " ".join(plain(text).split()))


def section(title: str, body: str) -> str:
    """Returns a section of a manual page as Markdown."""
    if title == "NAME":
        return ""
    if title == "SYNOPSIS":
        calls = (" ".join(plain(call).split()) for call in body.split(".br\n"))
        return "```text\n" + "\n".join(calls) + "\n```"
    if title == "DESCRIPTION":
        return prose(body)
    before, *entries = body.split(".TP\n")
    lines = [prose(before)] if before.strip() else []
    for entry in entries:
        term, _, text = entry.strip().partition("\n")
        if title == "EXAMPLES":
            lines.append(f"- {prose(term)} `{plain(text)}`")
        else:
            lines.append(f"- `{plain(term)}`: {prose(text)}")
    return f"**{title.capitalize()}**\n\n" + "\n".join(lines) if lines else ""


def as_markdown(command: str, man: str) -> str:
    """Returns a manual page as Markdown."""
    parts = [part.partition("\n") for part in MAN.split(man)[1:]]
    return "\n\n".join([f"## {command}", *filter(None, (section(title.strip('"'), body) for title, _, body in parts))])


def manual(programs: pathlib.Path, *command: str) -> str:
    tool, *rest = command
    return subprocess.run([programs / tool, *rest, "--generate=man"], check=True, capture_output=True, text=True).stdout


def main() -> None:
    programs, file = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    page = [
        "# All options",
        "These are the manual pages of the programs. `man sufsort-build` and `sufsort build --help` show them, too.",
    ]
    for tool in ("sufsort", "specsort", "strsort"):
        man = manual(programs, tool)
        page.append(as_markdown(tool, man))
        for name in map(plain, re.findall(rf"^\.BR {tool}\\-(\S+) \(1\)$", man.partition(".SH COMMANDS")[2], re.M)):
            page.append(as_markdown(f"{tool} {name}", manual(programs, tool, name)))
    file.write_text("\n\n".join(page) + "\n")


if __name__ == "__main__":
    main()
