#!/usr/bin/env bash
# lint.sh [FOLDER]: lints the modules with nf-core, as it would in nf-core/modules. Makes a repository of that shape in FOLDER (a
# temporary one). Needs nf-core of PyPI, Nextflow, and the network: nf-core looks up the conda packages and the images of a module,
# and clones nf-core/modules unless it has done that before.
set -euo pipefail
modules=$(readlink -e "$(dirname "$0")/modules")
folder=${1-}
if [[ ! $folder ]]; then
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
fi
mkdir -p "$folder/modules/nf-core"
cp -r "$modules/." "$folder/modules/nf-core/"
printf 'repository_type: modules\norg_path: nf-core\n' > "$folder/.nf-core.yml"
cd "$folder"
git init -q
git add -A
git -c user.name=lint -c user.email=lint@packages.invalid commit -q -m modules
nf-core modules lint --dir . --all --plain-text
