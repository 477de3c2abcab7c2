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
export PYTHONPATH=$PWD/package PYTHONDONTWRITEBYTECODE=1
test=("$python" -m pytest -q -p no:cacheprovider)
"${test[@]}" -k 'not notebooks' "$ORDO_SOURCE/python/tests"

# Notebooks start a Python of their own each, and plot: once for each change of what they use.
examples=$ORDO_SOURCE/python/tests/test_examples.py
"$ORDO_SOURCE/tests/if_changed.sh" "$build/Testing/passed/notebooks" "$build"/python/_ordosort*.so \
  "$ORDO_SOURCE"/python/{ordosort,examples} "$examples" "$ORDO_SOURCE/datasets/samples" -- \
  "${test[@]}" -k notebooks "$examples" || [[ $? == 77 ]]
