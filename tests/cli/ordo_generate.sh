# The generator's command line, and its bytes.
. "$ORDO_SOURCE/tests/cli/lib.sh"

generate() { ordo_generate "$@"; }
for command in '' genome uniform homopolymer fibonacci spectra strings shuffle; do
  expect 0 generate $command --help
  grep -qi usage out || fail "ordo_generate $command --help: no usage"
done

genome=(genome --length 20k --seed 5 --soft-mask)
expect 0 generate "${genome[@]}"
mv out first
[[ $(grep -c 'planted: ' err) == 8 ]] || fail 'the planted repeats are not told'
[[ $(sha256sum < first) == 89eb8398b7068412c4faf7699c908e153a1666c9ca41c6bdd738d2607571e550* ]] ||
  fail 'not the bytes of other machines'
expect 0 generate "${genome[@]}" -o second --quiet
[[ ! -s out && ! -s err ]] || fail 'not quiet'
cmp first second
expect 0 generate genome --length 20k --seed 6 -o third
! cmp -s first third || fail 'another seed, the same genome'

expect 0 generate fibonacci --length 13 --letters ab --plain
[[ $(cat out) == abaababaabaab ]] || fail "fibonacci: $(cat out)"
expect 0 generate homopolymer --length 5 --letter T --width 3
[[ $(tail -n +2 out) == $'TTT\nTT' ]] || fail "homopolymer: $(cat out)"
expect 0 generate uniform --length 1k --letters ABC
[[ $(tail -n +2 out | tr -d 'ABC\n' | wc -c) == 0 && $(tail -n +2 out | tr -d '\n' | wc -c) == 1000 ]] || fail uniform
expect 0 generate spectra --count 7 --preset gnps --order random
[[ $(grep -c '^BEGIN IONS$' out) == 7 && $(grep -c '^END IONS$' out) == 7 ]] || fail spectra
expect 0 generate strings --set words --scale 0.0001
[[ $(wc -l < out) == 1000 ]] || fail strings
mv out words
expect 0 generate shuffle words
! cmp -s words out || fail 'shuffle: the same order'
cmp <(LC_ALL=C sort words) <(LC_ALL=C sort out)
generate shuffle < words | cmp - out

complain() { expect 2 generate "$@"; [[ ! -s out ]] || fail "output in spite of an error: $*"; complaint ordo_generate; }
expect 2 generate
[[ ! -s out ]] && grep -q '^  genome  ' err || fail 'no list of the commands'
complain poem
complain genome
complain genome --length 10
complain genome --length many
complain uniform --length 10 --letters ''
complain uniform --length 10 --width 0
complain fibonacci --length 10 --letters abc
complain spectra --preset orbitrap
complain spectra --order size
complain strings --set poems
complain strings --set words --scale -1
complain shuffle no-such-file
complain uniform --length 10 -o no-such-folder/file
expect 2 eval 'generate uniform --length 10m > /dev/full'
