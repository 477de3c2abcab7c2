"""The manual pages of the programs, as they print them, as pages of the site."""

import pathlib
import re
import subprocess

MAN = re.compile(r"^\.S[HS] ", re.M)
FLAG = re.compile(r"\\f[BI](.*?)\\fR")
PAGE = re.compile(r"^\.BR (\S+) \(1\)", re.M)
TOOLS = ("sufsort", "specsort", "strsort")


def plain(text: str) -> str:
    """Returns a text of a manual page without its escapes and macros."""
    text = FLAG.sub(r"\1", re.sub(r"^\.BR? (.*?)( \(1\))?$", r"\1", text, flags=re.M))
    return text.replace(r"\-", "-").replace(r"\e", "\\").replace(r"\&", "").replace(r"\(aq", "'")


def prose(text: str) -> str:
    """Returns a text of a manual page as Markdown."""
    return re.sub(r"([\\`*_<>\[\]|#])", r"\\\1", " ".join(plain(text).split()))


def reference(match: re.Match) -> str:
    """Returns the name of a manual page, as a link if it is one of ours."""
    name = plain(match[1])
    title = name.replace("-", " ", 1)
    return f"[{title}]({name}.md)" if name.split("-")[0] in TOOLS else f"`{title}`"


def section(title: str, body: str) -> str:
    """Returns a section of a manual page as Markdown."""
    if title == "NAME":
        return prose(body.partition(r" \- ")[2]).capitalize() + "."
    if title == "SYNOPSIS":
        calls = (" ".join(plain(call).split()) for call in body.split(".br\n"))
        return "```text\n" + "\n".join(calls) + "\n```"
    if title == "DESCRIPTION":
        return prose(body)
    if title == "SEE ALSO":
        return "See also: " + ", ".join(map(reference, PAGE.finditer(body)))
    before, *entries = body.split(".TP\n")
    lines = [prose(before)] if before.strip() else []
    for entry in entries:
        term, _, text = entry.strip().partition("\n")
        if title == "EXAMPLES":
            lines.append(f"- {prose(term)} `{plain(text)}`")
        elif page := PAGE.match(term):
            lines.append(f"- {reference(page)}: {prose(text)}")
        else:
            lines.append(f"- `{plain(term)}`: {prose(text)}")
    return f"## {title.capitalize()}\n\n" + "\n".join(lines) if lines else ""


def as_markdown(command: str, man: str) -> str:
    """Returns a manual page as Markdown."""
    parts = [part.partition("\n") for part in MAN.split(man)[1:]]
    sections = filter(None, (section(title.strip('"'), body) for title, _, body in parts))
    return "\n\n".join([f"# {command}", *sections]) + "\n"


def manual(programs: pathlib.Path, *command: str) -> str:
    tool, *rest = command
    return subprocess.run([programs / tool, *rest, "--generate=man"], check=True, capture_output=True, text=True).stdout


def write(programs: pathlib.Path, folder: pathlib.Path) -> list:
    """Writes a page for each program and each command of sufsort. Returns the navigation."""
    folder.mkdir(parents=True, exist_ok=True)
    pages = []
    for tool in TOOLS:
        man = manual(programs, tool)
        commands = map(plain, re.findall(rf"^\.BR {tool}\\-(\S+) \(1\)$", man.partition(".SH COMMANDS")[2], re.M))
        for name in ("", *commands):
            command = [tool, name] if name else [tool]
            page = "-".join(command)
            (folder / f"{page}.md").write_text(as_markdown(" ".join(command), manual(programs, *command)))
            pages.append((" ".join(command), f"man/{page}.md"))
    return pages
