#!/usr/bin/env bash
# docs/site.sh [PROGRAMS]: the documentation as a site, in build/site. The programs in the folder PROGRAMS, or those built last,
# give the manual pages. Needs python3-venv; the first time also PyPI. A link that leads nowhere is an error.
set -euo pipefail
cd "$(dirname "$0")/.."
programs=${1:-$(dirname "$(ls -t build/*/bin/sufsort 2> /dev/null | head -n 1)")}
[[ -x $programs/sufsort ]] || { echo 'site.sh: no programs: build them first, or name their folder' >&2; exit 2; }
venv=build/site_venv pages=build/site_pages
if [[ ! -x $venv/bin/mkdocs ]]; then
  python3 -m venv "$venv"
  "$venv/bin/pip" install --quiet mkdocs==1.6.1 mkdocs-material==9.8.2
fi
rm -rf "$pages" build/site
mkdir -p "$pages"
python3 -B docs/site_pages.py "$programs" "$pages" build/mkdocs.yml
# Without --quiet, which hides the warnings that --strict stops at.
log=$(NO_MKDOCS_2_WARNING=1 "$venv/bin/mkdocs" build --strict --config-file build/mkdocs.yml 2>&1) || { grep -v ^INFO <<< "$log" >&2; exit 1; }
python3 -B docs/site_links.py build/site
echo "build/site/index.html"
