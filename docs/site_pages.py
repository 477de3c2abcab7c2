#!/usr/bin/env python3
"""site_pages.py PROGRAMS FOLDER CONFIG: writes the pages of the site into FOLDER, and MkDocs' configuration for them.

The pages are README.md, the other documents at the root, docs/ and the guide of the Python package, with their links; a manual
page for each program and command of the folder PROGRAMS; and a page for each public header.
"""

import os
import pathlib
import re
import shutil
import sys

import api_pages
import option_pages

CODE = re.compile(r"(^```.*?^```)", re.M | re.S)


def source_pages() -> dict[str, str]:
    """Returns the page of the site for each document of the repository."""
    pages = {"README.md": "index.md", "datasets/README.md": "datasets.md", "python/README.md": "python.md"}
    pages |= {str(page): page.name.lower() for page in pathlib.Path(".").glob("*.md") if page.name != "README.md"}
    return pages | {str(page): str(page).removeprefix("docs/") for page in pathlib.Path("docs").rglob("*.md")}


def copy_with_links(page: str, pages: dict[str, str], to: pathlib.Path) -> None:
    """Copies a document, whose links then lead to pages of the site, or to files that are copied, too."""
    folder, name = pathlib.Path(page).parent, pages[page]

    def link(match: re.Match) -> str:
        target, hash, anchor = match[1].partition("#")
        if not target or re.match("[a-z]+:", target):
            return match[0]
        path = os.path.normpath(folder / target)
        new = pages.get(path)
        if not new:
            new = os.path.join("files", path) if not path.startswith("docs/") else path.removeprefix("docs/")
            (to / new).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, to / new)
        return f"]({os.path.relpath(new, os.path.dirname(name) or '.')}{hash}{anchor})"

    parts = CODE.split(pathlib.Path(page).read_text())  # every other part is code
    parts[::2] = [re.sub(r"\]\(([^)\s]+)\)", link, part) for part in parts[::2]]
    (to / name).parent.mkdir(parents=True, exist_ok=True)
    (to / name).write_text("".join(parts))


def navigation(entries: list, depth: int) -> str:
    """Returns lines of YAML for entries (title, page) and (title, entries)."""
    lines = ""
    for title, what in entries:
        lines += f"{' ' * depth}- {title}: {what if isinstance(what, str) else ''}\n"
        lines += "" if isinstance(what, str) else navigation(what, depth + 4)
    return lines


def main() -> None:
    programs, to, config = map(pathlib.Path, sys.argv[1:])
    pages = source_pages()
    headers = api_pages.write(to / "api")  # the page of each header
    links = pages | {f"include/{header}": f"api/{page}" for header, page in headers.items()}
    for page in pages:
        copy_with_links(page, links, to)
    shutil.copy("docs/site.css", to)
    made = {"man": option_pages.write(programs, to / "man"), "api": api_pages.groups(headers)}
    text = re.sub(r": build/", ": ", pathlib.Path("mkdocs.yml").read_text())  # its folders are relative to its own
    for folder, entries in made.items():
        text, number = re.subn(
            rf"^( *)(- [^:\n]*:) {folder}\b.*\n", lambda m: f"{m[1]}{m[2]}\n{navigation(entries, len(m[1]) + 4)}", text, flags=re.M
        )
        if number != 1:
            sys.exit(f"mkdocs.yml: no place for the pages of {folder}")
    config.write_text(text)


if __name__ == "__main__":
    main()
