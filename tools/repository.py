#!/usr/bin/env python3
"""repository.py [--check] [--root FOLDER]: the address of the repository, everywhere.

HOMEPAGE_URL in CMakeLists.txt is the one setting; empty, no file states an address. Without --check this writes the address into
CITATION.cff, pyproject.toml, debian/control, debian/copyright, debian/watch, mkdocs.yml, the conda recipe and the README. With
--check it writes nothing: exit status 1 if one of them differs, or if any file of the project names an address that is not the
setting's.
"""

import argparse
import pathlib
import re
import subprocess
import sys
from dataclasses import dataclass

SETTING = re.compile(r'^ *HOMEPAGE_URL "(.*)"\)?$', re.M)
ADDRESS = re.compile(r"https://[\w.-]+(?:/[\w~-][\w.~-]*)+")


@dataclass
class Place:
    """Lines of a file that state the address."""

    file: str
    after: str  # the lines follow each match of this
    lines: str
    stated: str  # matches the lines, whatever address they state


SUBSTITUTION = "[[tool.hatch.metadata.hooks.fancy-pypi-readme.substitutions]]\n"
PLACES = [
    Place("CITATION.cff", r"^license: .*\n", 'repository-code: "{}"\n', r"^repository-code: .*\n"),
    Place(
        "pyproject.toml",
        r"^dynamic = .*\n\n",
        '[project.urls]\nRepository = "{0}"\nIssues = "{0}/issues"\nChangelog = "{0}/blob/HEAD/CHANGELOG.md"\n\n',
        r"^\[project\.urls\]\n(?:[^\[\n].*\n)*\n",
    ),
    Place(  # links of the description
        "pyproject.toml",
        r'^path = "python/README\.md"\n\n',
        f"{SUBSTITUTION}pattern = '\\]\\(\\.\\./'\nreplacement = ']({{0}}/blob/v$HFPR_VERSION/'\n\n"
        f"{SUBSTITUTION}pattern = '\\]\\((?!https:|#)'\nreplacement = ']({{0}}/blob/v$HFPR_VERSION/python/'\n\n",
        rf"^{re.escape(SUBSTITUTION)}pattern = .*\nreplacement = '\]\(https:.*\n\n",
    ),
    Place(
        "debian/control",
        r"^Rules-Requires-Root: no\n",
        "Homepage: {0}\nVcs-Browser: {0}\nVcs-Git: {0}.git\n",
        r"^(?:Homepage|Vcs-\w+): .*\n",
    ),
    Place("debian/copyright", r"^Upstream-Name: .*\n", "Source: {}\n", r"^Source: .*\n"),
    Place("mkdocs.yml", r"^site_name: .*\n", "repo_url: {}\n", r"^repo_url: .*\n"),
    Place(
        "packaging/conda/recipe.yaml",
        r"^      license_file: .*\n",
        "      homepage: {0}\n      repository: {0}\n",
        r"^      (?:homepage|repository): .*\n",
    ),
    Place("README.md", r"^## Install\n\n.*\n\n```sh\n", "git clone {}.git ordo && cd ordo\n", r"^git clone .*\n"),
]
WATCH = """# Releases are the tags vVERSION.
version=4
opts="mode=git, pgpmode=none" \\
 {}.git refs/tags/v@ANY_VERSION@
"""

# A place on the net that would be this project's: a path that ends with its name, or a host that begins with it.
NAME = r"ordo(?:sort)?(?:\.git)?(?![\w-])"
OWN = re.compile(rf"(?:(?:https?|ssh|git)://|git@)[^\s\"'`<>()\[\]{{}}]*?[/:.@]{NAME}[^\s\"'`<>()\[\]{{}}]*|https?://ordo(?:sort)?(?:-[\w-]*)?\.[\w./-]+")
ANY = re.compile(r"(?:https?|ssh|git)://[^\s\"'`<>)\]]+")
NOWHERE = re.compile(r"(?:\w+://|git@)[\w.-]+\.invalid(?![\w.-])")  # in tests
FORMATS = ("https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/",)
OTHERS = {"debian/copyright"}  # which names the sources of samples, too
BINARY = {".gz", ".zst", ".png", ".npy", ".xz", ".bz2", ".so", ".a", ".o", ".pyc"}
LEFT_OUT = {".git", "build", "dist", "datasets", "__pycache__", "results"}


def fail(message: str) -> None:
    print(f"repository.py: {message}", file=sys.stderr)
    sys.exit(2)


def with_address(text: str, place: Place, address: str) -> str:
    """Returns a file with the lines that state the address, or without them."""
    text = re.sub(place.stated, "", text, flags=re.M)
    lines = place.lines.format(address) if address else ""
    text, number = re.subn(place.after, lambda match: match[0] + lines, text, flags=re.M)
    if number == 0:
        fail(f"{place.file}: no line like {place.after}")
    return text


def files_of(root: pathlib.Path) -> list[pathlib.Path]:
    """Returns the text files of the project: those of git, or all of them in a copy without git."""
    names = []
    if (root / ".git").exists():
        command = ["git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        try:
            names = subprocess.run(command, capture_output=True, text=True).stdout.split("\0")
        except FileNotFoundError:  # a clone, and no git
            pass
    paths = [root / name for name in names if name] or list(root.rglob("*"))
    return [
        path
        for path in sorted(paths)
        if not LEFT_OUT & set(path.relative_to(root).parts) and path.suffix not in BINARY and path.is_file()
    ]


def invented(root: pathlib.Path, address: str) -> list[str]:
    """Returns the addresses that are not the setting's."""
    found = []
    strict = {place.file for place in PLACES} - OTHERS
    for path in files_of(root):
        name = str(path.relative_to(root))
        pattern = ANY if name in strict or name.startswith(".github/") else OWN
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
            for one in pattern.findall(line):
                is_ours = address and re.match(re.escape(address) + r"(?![\w~-])", one)
                if not is_ours and not NOWHERE.match(one) and not one.startswith(FORMATS):
                    found.append(f"{name}:{number}: {one}")
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing; exit status 1 if a file differs")
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    options = parser.parse_args()
    settings = SETTING.findall((options.root / "CMakeLists.txt").read_text())
    if len(settings) != 1:
        fail("CMakeLists.txt: HOMEPAGE_URL: expected once, on a line of its own")
    address = settings[0]
    if address and (not ADDRESS.fullmatch(address) or address.endswith(".git")):
        fail(f"CMakeLists.txt: HOMEPAGE_URL: {address}: expected https://HOST/PATH without .git or a slash at its end")
    wrong = []
    for place in PLACES:
        file = options.root / place.file
        text = file.read_text()
        made = with_address(text, place, address)
        if made == text:
            continue
        if options.check:
            wrong.append(f"{place.file}: does not state {address or 'no address'}: run tools/repository.py")
        else:
            file.write_text(made)
    watch = options.root / "debian/watch"
    made = WATCH.format(address) if address else None
    if (watch.read_text() if watch.exists() else None) != made:
        if options.check:
            wrong.append("debian/watch: is not that of the address: run tools/repository.py")
        elif made:
            watch.write_text(made)
        else:
            watch.unlink()
    if options.check:
        wrong += [f"{one}: an address that is not HOMEPAGE_URL of CMakeLists.txt" for one in invented(options.root, address)]
    print(*wrong, sep="\n", end="\n" if wrong else "")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
