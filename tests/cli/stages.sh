# The stages of tools/test.sh: each test is of one, and a test that is skipped while nothing has changed runs after each change.
. "$ORDO_SOURCE/tests/cli/lib.sh"

if_changed() { "$ORDO_SOURCE/tests/if_changed.sh" "$@"; }
mkdir sources; : > log
echo one > sources/a
echo 'echo ran >> log; [[ ! -e wrong ]]' > test
ran() {  # STATUS RUNS: the next call ends so, after so many runs in all
  local status=0
  if_changed state/passed sources test -- "${command[@]}" > out 2>&1 || status=$?
  [[ $status == "$1" && $(wc -l < log) == "$2" ]] || fail "status $status, $(wc -l < log) runs, not $*: $(< out)"
}
command=(bash test)
touch wrong
ran 1 1  # a failure does not count as a pass
ran 1 2
rm wrong
ran 0 3
ran 77 3
grep -q '^skipped: ' out || fail "skipped without a word: $(< out)"
echo two > sources/a; ran 0 4; ran 77 4
echo one > sources/b; ran 0 5; ran 77 5
mv sources/b sources/c; ran 0 6; ran 77 6
rm sources/c; ran 0 7; ran 77 7
command=(bash test x); ran 0 8; ran 77 8
# A change whose test fails stays one, even if it is taken back.
touch wrong; echo three > sources/a; ran 1 9
rm wrong; echo two > sources/a; ran 0 10; ran 77 10
rm -r state; ran 0 11
mv sources elsewhere; ran 1 11  # nothing to compare
for call in 'state/passed sources' 'state/passed -- true' 'state/passed sources --' ''; do
  # shellcheck disable=SC2086
  ! if_changed $call > out 2>&1 || fail "accepted: if_changed.sh $call"
done

for option in -h --help; do
  expect 0 "$ORDO_SOURCE/tools/test.sh" "$option"
  grep -q '^Stages, in this order: ' out || fail "test.sh $option: $(< out)"
done
expect 2 "$ORDO_SOURCE/tools/test.sh" --nonsense

# A build says which programs it made, beside the folder. Here nothing is built: what it calls does what a success leaves.
mkdir -p tree/tools fakes
cp "$ORDO_SOURCE/tools/build.sh" tree/tools
printf '#!/bin/sh\necho installed\n' > fakes/dpkg-query
printf '#!/bin/sh\nexit 0\n' > fakes/cmake
printf '#!/bin/sh\ncd "$2" && mkdir -p bin && for f in strsort specsort sufsort ordo_test; do cp "$0" bin/$f; done\n' > fakes/ninja
chmod +x fakes/*
built() {  # PROGRAMS ARGUMENT...
  local programs=$1
  shift
  PATH=$PWD/fakes:$PATH ORDO_PYTHON=OFF expect 0 tree/tools/build.sh "$@"
  [[ $(tail -n 1 err) == "built $programs" ]] || fail "build.sh $*: $(< err)"
}
built 'build/release/bin/sufsort build/release/bin/specsort build/release/bin/strsort'
[[ $(< out) == build/release ]] || fail "build.sh prints $(< out)"
built build/dev/bin/ordo_test --preset dev ordo_test ordo_pages

build=$(dirname "$(dirname "$(command -v strsort)")")
if [[ -f $build/CTestTestfile.cmake ]] && command -v ctest > /dev/null; then
  ctest --test-dir "$build" --show-only=json-v1 > tests.json
  python3 - tests.json "$("$ORDO_SOURCE/tools/test.sh" --help)" << 'END'
import itertools, json, re, sys

tests = json.load(open(sys.argv[1]))["tests"]
order = re.search(r"in this order: build, ([a-z, ]+)[.]", sys.argv[2])[1].split(", ")
stages = {}
for test in tests:
    properties = {one["name"]: one["value"] for one in test["properties"]}
    labels = properties.get("LABELS", [])
    assert len(labels) == 1 and labels[0] in order, f"{test['name']}: of the stages {labels}"
    stages.setdefault(labels[0], []).append(properties["COST"])
assert len(tests) > 50 and len(stages) >= 4, f"{len(tests)} tests of {sorted(stages)}"
for before, after in itertools.pairwise([stages[stage] for stage in order if stage in stages]):
    assert min(before) > max(after), f"the order of the stages: {stages}"
END
fi
