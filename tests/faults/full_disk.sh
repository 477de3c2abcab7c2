# A disk that has no room for the output: found when the output's size is known or when it is written, and nothing is left.
. "$ORDO_SOURCE/tests/cli/lib.sh"
. "$ORDO_SOURCE/tests/mounts_lib.sh"
[[ $ORDO_OWN_MOUNTS != none ]] || exit 77
mkdir small
mount -t tmpfs -o size=1M none small
for tool in "${tools[@]}"; do
  sample "$tool" 200000 > in
  (($(wc -c < in) > (2 << 20))) || fail "$tool: too small an input"
  file=$(result "$tool" small/kept)
  echo old > "$file"
  for input in in -; do
    if [[ $input == - ]]; then
      work "$tool" "$input" small/kept < <(cat in) > out 2> err && status=0 || status=$?
    else
      work "$tool" "$input" small/kept > out 2> err && status=0 || status=$?
    fi
    [[ $status == 2 ]] || fail "$tool: a full disk: status $status"
    complaint "$tool"
    grep -q 'No space left' err || fail "$tool: no word of the disk: $(cat err)"
    [[ $(cat "$file") == old ]] || fail "$tool: the old output is gone"
    [[ $(ls -A small) == "$(basename "$file")" ]] || fail "$tool: left behind: $(ls -A small)"
  done
  if [[ $tool != sufsort ]]; then  # to standard output
    { echo first; "$tool" in 2> err && status=0 || status=$?; } > small/direct
    [[ $status == 2 && $(cat small/direct) == first ]] || fail "$tool > a full disk: status $status"
    complaint "$tool"
    rm small/direct
  fi
  # Room enough is room enough.
  if [[ $tool == strsort ]]; then
    head -c 900000 in > fits
    expect 0 strsort fits -o small/kept
    LC_ALL=C sort fits | cmp - small/kept
  fi
  # For what a selection leaves no room is made in advance: it may fit where the input would not.
  if [[ $tool == specsort ]]; then
    echo old > "$file"
    for input in in -; do
      expect_error specsort "$input" --top 2 -o "$file" < in
      grep -q 'No space left' err || fail "$tool: no word of the disk: $(cat err)"
      [[ $(cat "$file") == old && $(ls -A small) == kept ]] || fail "$tool: left behind: $(ls -A small)"
    done
    expect 0 specsort in --min-peaks 4 -o "$file"
    [[ $(stat -c %s "$file") == 200000 ]] || fail "$tool: spectra are left: $(stat -c %s "$file")"
  fi
  # An index fits, but not with its k-mers: there is none.
  if [[ $tool == sufsort ]]; then
    rm "$file"
    sample sufsort 2000 > fewer
    expect_error sufsort build fewer -o small/index --kmer-table 10 --force-kmer-table
    grep -q 'small/index.kmers: No space left' err || fail "no word of the k-mers: $(cat err)"
    [[ ! $(ls -A small) ]] || fail "an index without its k-mers: $(ls -A small)"
    expect 0 sufsort build fewer -o small/index --kmer-table 3
    expect 0 sufsort check small/index
    rm small/index.*
    continue
  fi
  rm "$file"
done

# In place where the disk has no room beside the file: by way of TMPDIR, and not at all where that is full, too.
mkdir elsewhere tiny
mount -t tmpfs -o size=8M none elsewhere
mount -t tmpfs -o size=64k none tiny
for tool in specsort strsort; do
  if [[ $tool == specsort ]]; then sample $tool 9000 > in; else sample $tool 200000 > all; head -c 700000 all > in; fi
  (($(wc -c < in) > 550000 && $(wc -c < in) < 1000000)) || fail "$tool: $(wc -c < in) bytes do not suit the disk"
  work $tool in sorted
  cp in small/file
  inode=$(stat -c %i small/file)
  TMPDIR=$PWD/elsewhere expect 0 work $tool small/file small/file
  cmp small/file sorted
  [[ $(stat -c %i small/file) == "$inode" && $(ls -A small elsewhere) == $'elsewhere:\n\nsmall:\nfile' ]] ||
    fail "$tool: in place: $(ls -A small elsewhere)"
  for folder in tiny small; do
    cp in small/file
    TMPDIR=$PWD/$folder expect_error work $tool small/file small/file
    grep -q 'No space left' err || fail "$tool: no word of the disk: $(cat err)"
    cmp small/file in
    [[ $(ls -A small tiny) == $'small:\nfile\n\ntiny:' ]] || fail "$tool: left behind: $(ls -A small tiny)"
  done
  # More than the disk has: the old content stays.
  cat in in > twice
  cp in small/file
  TMPDIR=$PWD/elsewhere expect_error work $tool twice small/file
  cmp small/file in
  rm small/file
done
# Found while it is written, as of a result whose size is not known before.
head -c 700000 all > in
cp in small/file.gz
gzip -1 < in > packed
head -c 330000 /dev/urandom > small/filler
TMPDIR=$PWD/elsewhere expect 0 strsort packed -o small/file.gz
gzip -dc small/file.gz | cmp - <(LC_ALL=C sort in)
[[ ! $(ls -A elsewhere) ]] || fail "left behind: $(ls -A elsewhere)"
rm small/*

# An index over another one, on a disk with room for either but not for both: an error, and the old one stays. TMPDIR has room, but
# from there the files could only be copied over the old ones, one by one.
letters() { awk -v seed="$1" -v n="$2" 'BEGIN { srand(seed); print ">r" seed; for (i = 0; i < n; ++i) printf "%s", substr("ACGT", 1 + int(4 * rand()), 1); print "" }'; }
letters 1 60000 > some.fa; letters 2 160000 > more.fa
expect 0 sufsort build more.fa -o more
# stays COMMAND...: on the full disk the command fails, and the files of the disk are those of before.
stays() {
  (cd small && md5sum -- *) > before
  TMPDIR=$PWD/elsewhere expect_error "$@"
  grep -q 'No space left' err || fail "no word of the disk: $*: $(cat err)"
  (cd small && md5sum -- *) | diff before - || fail "the old files are not what they were: $*"
  [[ $(ls -A small elsewhere) == "$(printf 'elsewhere:\n\nsmall:\n'; cut -c 35- before)" ]] || fail "left behind: $(ls -A small elsewhere)"
}
expect 0 sufsort build some.fa -o small/i
for command in 'build more.fa -o small/i' 'build more.fa -o small/i --lcp --bwt' 'add small/i more.fa' 'merge small/i more -o small/i' \
  'kmers small/i --length 9 --force-kmer-table'; do
  # shellcheck disable=SC2086
  stays sufsort $command
  expect 0 sufsort check small/i
done
rm small/*
for aligner in bwa bwa-mem2 minibwa; do
  expect 0 sufsort aligner-index --for=$aligner some.fa -o small/b
  stays sufsort aligner-index --for=$aligner <(for ((k = 0; k < 8; ++k)); do cat more.fa; done) -o small/b
  rm small/*
done
