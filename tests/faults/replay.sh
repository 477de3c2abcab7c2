# The fuzz targets on their seeds and on random changes of these, which also keeps them compiling. fuzz/run.sh looks for more.
. "$ORDO_SOURCE/tests/cli/lib.sh"

"$ORDO_SOURCE/fuzz/make_seeds.py" seeds
for target in seeds/*; do
  runs=20
  [[ $target != */gnu_order ]] || runs=2  # it starts a process for each
  ordo_replay "${target#seeds/}" $runs "$target"/* > out 2> err || fail "$target: $(tail -c 500 err)"
done
[[ $(ls seeds | wc -l) == 12 ]] || fail "not all targets: $(ls seeds)"
