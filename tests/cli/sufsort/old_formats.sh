# Indexes, FM indexes and files of --resume of each released version are read as that version read them; those of a version to
# come are refused with advice. tests/formats/make.sh makes tests/formats/VERSION.tar.gz.
. "$ORDO_SOURCE/tests/cli/lib.sh"

export ORDO_DEVICE=cpu
versions=0
for archive in "$ORDO_SOURCE"/tests/formats/*.tar.gz; do
  tar -xzf "$archive"
  version=$(basename "$archive" .tar.gz)
  versions=$((versions + 1))
  (
    cd "$version"
    cp finished before
    for ((n = 1; n <= $(wc -l < commands); ++n)); do
      command=$(sed -n "${n}p" commands)
      # Advice is as welcome as the result; anything else is not.
      status=0
      eval "$command" > out 2> err || status=$?
      if [[ $status == 2 ]]; then
        complaint sufsort
        grep -q 'version' err || fail "$version: $command: $(cat err)"
      else
        [[ $status == 0 ]] || fail "$version: $command: status $status: $(cat err)"
        cmp out "printed.$n" || fail "$version: $command"
      fi
    done
    # An index of it can be merged with one of now, and a file can be added.
    sufsort add -q dna protein.fa && sufsort check dna > out || fail "$version: add: $(cat err)"
  )
done
((versions > 0)) || fail 'no old files'

# Version 0.1.0 is read, to the byte.
cd 0.1.0
tar -xzf "$ORDO_SOURCE/tests/formats/0.1.0.tar.gz" --strip-components=1
for ((n = 1; n <= $(wc -l < commands); ++n)); do
  expect 0 eval "$(sed -n "${n}p" commands)"
  cmp out "printed.$n"
done

# A later version.
tar -xzf "$ORDO_SOURCE/tests/formats/0.1.0.tar.gz" --strip-components=1
sed -i 's/"format_version": 1/"format_version": 2/' dna.json
expect_error sufsort locate dna GATT
grep -q 'dna.json: format version 2, expected 1: build the index again, or use the version of Ordo that wrote it' err ||
  fail "$(cat err)"
printf 'ordo fm9' | dd of=wide.fm conv=notrunc status=none
expect_error sufsort locate wide GATT --fm
grep -q 'wide.fm: another version of Ordo wrote it: build the index again' err || fail "$(cat err)"
printf 9 | dd of=finished bs=1 seek=15 conv=notrunc status=none
expect_error sufsort duplicates lines --min-length 30 --resume finished
grep -q 'finished: another version of Ordo wrote the file: remove it' err || fail "$(cat err)"
