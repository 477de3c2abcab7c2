#!/bin/sh
# dist_info.sh FOLDER: writes the description of the Python package into FOLDER, by which pip and importlib.metadata know it.
set -eu
version=$(dpkg-parsechangelog -S Version)
version=${version%-*}
info=$1/ordosort-$version.dist-info
mkdir -p "$info"
cat > "$info/METADATA" << END
Metadata-Version: 2.1
Name: ordosort
Version: $version
Summary: $(sed -n 's/^description = "\(.*\)"$/\1/p' pyproject.toml)
Requires-Python: $(sed -n 's/^requires-python = "\(.*\)"$/\1/p' pyproject.toml)
Requires-Dist: numpy
END
echo Debian > "$info/INSTALLER"
