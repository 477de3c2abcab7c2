# Compressed text, as the programs of each compression write it: whole, in members, by a pipe; cut, with a byte changed, with
# something after; and what the tools write, read by those programs.
. "$ORDO_SOURCE/tests/cli/lib.sh"

compressions=(gz bgz bz2 xz zst)
pack() { # COMPRESSION: standard input, packed
  case $1 in
    gz) gzip -nc ;;
    bgz) bgzip -c ;;
    bz2) bzip2 -c ;;
    xz) xz -c ;;
    zst) zstd -qc ;;
  esac
}
unpack() { # COMPRESSION: standard input, unpacked, where all of it is right
  case $1 in
    gz) gzip -dc ;;
    bgz) bgzip -dc | cat ;;
    bz2) bzip2 -dc ;;
    xz) xz -dc ;;
    zst) zstd -qdc ;;
  esac
}
# same TOOL FORM...: each file gives what the plain one gives, by its name and as standard input.
same() {
  local tool=$1 form
  shift
  for form in "$@"; do
    expect 0 work "$tool" "$form" unpacked
    cmp "$(result "$tool" plain)" "$(result "$tool" unpacked)" || fail "$tool: $form"
    expect 0 work "$tool" - unpacked < "$form"
    cmp "$(result "$tool" plain)" "$(result "$tool" unpacked)" || fail "$tool: standard input: $form"
    expect 0 work "$tool" - unpacked < <(cat "$form")
    cmp "$(result "$tool" plain)" "$(result "$tool" unpacked)" || fail "$tool: a pipe: $form"
  done
}
# refused TOOL FILE...: an error that names the file, and no output.
refused() {
  local tool=$1 file
  shift
  for file in "$@"; do
    expect_error work "$tool" "$file" from_bad
    grep -q "$file" err || fail "$tool: the file is not named: $(cat err)"
    [[ ! -e $(result "$tool" from_bad) ]] || fail "$tool: output from $file"
  done
}

head -c 1000 /dev/zero > zeros
for tool in "${tools[@]}"; do
  sample "$tool" 8 > in
  expect 0 work "$tool" in plain
  for how in "${compressions[@]}"; do
    pack $how < in > in.$how
    cp in.$how without_the_name
    { head -c 50 in | pack $how; pack $how < /dev/null; tail -c +51 in | pack $how; } > members.$how
    same "$tool" in.$how without_the_name members.$how
    size=$(stat -c %s in.$how)
    for ((cut = 0; cut < size; cut += cut < 12 ? 3 : 41)); do
      head -c "$cut" in.$how > cut.$how
      refused "$tool" cut.$how
    done
    head -c $((size - 1)) in.$how > cut.$how
    { cat in.$how; echo garbage; } > garbage.$how
    { cat in.$how zeros; echo garbage; } > padded_garbage.$how
    { head -c $((size / 2)) in.$how; tail -c +$((size / 2 + 2)) in.$how; } > lost.$how  # a byte
    refused "$tool" cut.$how garbage.$how padded_garbage.$how lost.$how
    { cat in.$how zeros; } > padded.$how
    case $how in
      gz | bgz | xz) same "$tool" padded.$how ;;  # they fill up blocks of tapes and disks
      *) refused "$tool" padded.$how ;;
    esac
    # Out by the name; the input may be the output.
    if [[ $tool != sufsort ]]; then
      upper=made.$(tr a-z A-Z <<< $how)
      for name in made.$how "$upper"; do
        expect 0 work "$tool" in "$name"
        unpack $how < "$name" | cmp - plain || fail "$tool: $name"
      done
      expect 0 work "$tool" made.$how made.$how
      unpack $how < made.$how | cmp - plain
    fi
  done
  gzip -dc < in.bgz | cmp - in

  # BGZF's end marker ends it, whatever follows.
  { head -c 50 in | bgzip -c; tail -c +51 in | gzip -nc; } > bgzf_then_gzip
  { head -c 50 in | gzip -nc; tail -c +51 in | bgzip -c; } > gzip_then_bgzf
  cat bgzf_then_gzip zeros > padded
  same "$tool" bgzf_then_gzip gzip_then_bgzf padded
  size=$(stat -c %s in.bgz)
  head -c $((size - 28)) in.bgz > unmarked.bgz  # all gzip members whole
  cat unmarked.bgz in.gz > unmarked_then_gzip
  cat unmarked.bgz zeros > unmarked_padded
  refused "$tool" unmarked.bgz unmarked_then_gzip unmarked_padded
  # One after the other, not of one kind.
  cat in.gz in.xz > gz_then_xz
  cat in.zst in.bz2 > zst_then_bz2
  refused "$tool" gz_then_xz zst_then_bz2
  no_leftovers
done

# Other ways to write them.
xz --block-size=70 -c in > blocks.xz
xz -9e --check=sha256 -c in > best.xz
zstd -q --no-check -19 -c in > unchecked.zst
zstd -q --long=27 -c in > long.zst
{ printf '\x50\x2a\x4d\x18\x04\0\0\0size'; zstd -qc in; } > skippable.zst
bzip2 -1 -c in > fast.bz2
bgzip -l 0 -c in > stored.bgz 2> err || cp in.bgz stored.bgz  # not every bgzip has levels
same strsort blocks.xz best.xz unchecked.zst long.zst skippable.zst fast.bz2 stored.bgz
xz --lzma2=preset=0,dict=128MiB -c in > large.xz
refused strsort large.xz
grep -q '100 MiB' err || fail "no word on memory: $(cat err)"

# Text that begins as bzip2 does is text.
printf 'BZh9 is how it begins\nBZh0\n' > text
LC_ALL=C sort text > want
strsort text | cmp - want

# Megabytes: of several blocks, jobs and buffers, by any number of threads.
{ head -c 250000 /dev/urandom | base64; awk 'BEGIN { for (i = 0; i < 60000; ++i) print "a line that comes again" }'; } > large
LC_ALL=C sort large > want
for how in "${compressions[@]}"; do
  pack $how < large > large.$how
  for threads in 1 $([[ $how != *gz ]] || echo 3); do
    expect 0 strsort --threads $threads large.$how -o made.$how
    unpack $how < made.$how | cmp - want || fail "$how by $threads threads"
    [[ $threads == 1 ]] || cmp made.$how before.$how || fail "$how: other bytes by $threads threads"
    mv made.$how before.$how
  done
  [[ $how != bgz ]] || cmp before.bgz before.gz || fail 'a .gz is not BGZF'
  strsort - < <(cat large.$how) | cmp - want || fail "$how through a pipe"
  # A write that fails leaves what was there.
  echo old > kept.$how
  (ulimit -f 100; trap '' XFSZ; expect_error strsort large -o kept.$how)
  [[ $(cat kept.$how) == old ]] || fail "$how: a failed write replaced the file"
  grep -q 'cannot write: kept' err || fail "$how: $(cat err)"
done
no_leftovers

# Without htslib, one thread reads and writes BGZF. A library of its name that has nothing stands for that.
if command -v cc > /dev/null; then
  mkdir without
  echo 'int nothing;' | cc -shared -x c - -o "without/$(cd /; ls /usr/lib/*/libhts.so.[0-9] 2> /dev/null | head -n 1 | sed 's,.*/,,')"
  LD_LIBRARY_PATH=$PWD/without expect 0 strsort --threads 3 large.bgz -o made
  LC_ALL=C sort large | cmp - made
  LD_LIBRARY_PATH=$PWD/without expect 0 strsort --threads 3 large -o made.gz
  strsort large -o want.gz
  cmp made.gz want.gz
  no_leftovers
fi
