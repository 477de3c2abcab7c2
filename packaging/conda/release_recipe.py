#!/usr/bin/env python3
"""release_recipe.py ARCHIVE: prints the conda recipe that builds the source archive of a release, by its URL and hash.

The URL is below HOMEPAGE_URL of CMakeLists.txt, where GitHub keeps the files of a release. While that setting is empty, the host
is address-not-set.invalid: a name that can never exist.
"""

import hashlib
import pathlib
import re
import sys

if len(sys.argv) != 2:
    sys.exit(__doc__.partition("\n")[0])
here = pathlib.Path(__file__).resolve().parent
archive = pathlib.Path(sys.argv[1])
recipe = (here / "recipe.yaml").read_text()
version = re.search(r'^  version: "(.*)"$', recipe, re.M)[1]
address = re.search(r'^ *HOMEPAGE_URL "(.*)"', (here.parents[1] / "CMakeLists.txt").read_text(), re.M)[1]
url = f"{address or 'https://address-not-set.invalid'}/releases/download/v{version}/{archive.name}"
source = f"source:\n  url: {url}\n  sha256: {hashlib.sha256(archive.read_bytes()).hexdigest()}\n"
made, number = re.subn(r"^source:\n  path: \.\./\.\.\n", source, recipe, flags=re.M)
if number != 1:
    sys.exit(f"release_recipe.py: {here}/recipe.yaml: its source is not the folder ../..")
print(made, end="")
