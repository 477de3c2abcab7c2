#!/usr/bin/env bash
# docs/site.sh [PROGRAMS]: the documentation as a site, in build/site. The programs in the folder PROGRAMS, or those built last,
# give the pages of options. Needs python3-venv; the first time also PyPI.
set -euo pipefail
cd "$(dirname "$0")/.."
programs=${1:-$(dirname "$(ls -t build/*/bin/sufsort 2> /dev/null | head -n 1)")}
[[ -x $programs/sufsort ]] || { echo 'site.sh: no programs: build them first, or name their folder' >&2; exit 2; }
venv=build/site_venv pages=build/site_pages
if [[ ! -x $venv/bin/mkdocs ]]; then
  python3 -m venv "$venv"
  "$venv/bin/pip" install --quiet mkdocs==1.6.1 mkdocs-material==9.8.2
fi

# MkDocs takes the pages of one folder: README.md, the other documents at the root, and docs/. Links follow.
rm -rf "$pages"
mkdir -p "$pages"
python3 - "$pages" << 'END'
import os, pathlib, re, shutil, sys
to = pathlib.Path(sys.argv[1])
pages = {"README.md": "index.md", "datasets/README.md": "datasets.md", "python/README.md": "python.md"}
pages |= {str(page): page.name.lower() for page in pathlib.Path(".").glob("*.md") if page.name != "README.md"}
pages |= {str(page): str(page).removeprefix("docs/") for page in pathlib.Path("docs").rglob("*.md")}
for page, name in pages.items():
    folder = pathlib.Path(page).parent

    def link(match):
        target, hash, anchor = match[1].partition("#")
        path = os.path.normpath(folder / target)
        if not target or re.match("[a-z]+:", target):
            return match[0]
        new = pages.get(path)
        if not new:  # a file of the repository: taken along
            new = os.path.join("files", path) if not path.startswith("docs/") else path.removeprefix("docs/")
            (to / new).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, to / new)
        return f"]({os.path.relpath(new, os.path.dirname(name) or '.')}{hash}{anchor})"

    parts = re.split(r"(^```.*?^```)", pathlib.Path(page).read_text(), flags=re.M | re.S)  # every other part is code
    parts[::2] = [re.sub(r"\]\(([^)\s]+)\)", link, part) for part in parts[::2]]
    (to / name).parent.mkdir(parents=True, exist_ok=True)
    (to / name).write_text("".join(parts))
shutil.copy("docs/site.css", to)
END
python3 docs/api_pages.py "$pages"
python3 docs/option_pages.py "$programs" "$pages/options.md"
# The configuration with a page for each header in the navigation. Its folders are relative to its own.
python3 - "$pages/api/index.md" << 'END'
import pathlib, re, sys
headers = re.findall(r"^- \[`<(.*)>`\]\((.*)\)$", pathlib.Path(sys.argv[1]).read_text(), re.M)
lines = "".join(f"          - {name}: api/{page}\n" for name, page in headers)
text = re.sub(r": build/", ": ", pathlib.Path("mkdocs.yml").read_text())
text = re.sub(r"( +- Public headers:) (api/index\.md).*\n", rf"\1\n          - Overview: \2\n{lines}", text)
pathlib.Path("build/mkdocs.yml").write_text(text)
END
# Without --quiet, which hides the warnings that --strict stops at.
log=$(NO_MKDOCS_2_WARNING=1 "$venv/bin/mkdocs" build --strict --config-file build/mkdocs.yml 2>&1) || { grep -v ^INFO <<< "$log" >&2; exit 1; }
echo "build/site/index.html"
