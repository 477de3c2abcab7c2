# The Python package beside NumPy, with the module that the build made.
build=$(dirname "${PATH%%:*}")  # the tools come first in PATH
compgen -G "$build/python/_ordosort*.so" > /dev/null || {
  echo 'skipped: the build has no module; tools/test.sh makes it if python3 has venv and headers, and pip can install numpy, pytest and nanobind'; exit 77; }
mkdir package
cp -r "$ORDO_SOURCE/python/ordosort" package/
cp "$build"/python/_ordosort*.so package/ordosort/
python=$(sed -n 's/^Python_EXECUTABLE:[A-Z]*=//p' "$build/CMakeCache.txt")
python=${python:-python3}
"$python" -c 'import numpy, pytest' 2> log || { echo "skipped: $python has no numpy or no pytest"; exit 77; }
PYTHONPATH=$PWD/package PYTHONDONTWRITEBYTECODE=1 "$python" -m pytest -q -p no:cacheprovider "$ORDO_SOURCE/python/tests"
