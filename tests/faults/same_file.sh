# The output may be the input: by name, by another name for it, by a symbolic and by a hard link.
. "$ORDO_SOURCE/tests/cli/lib.sh"

for tool in specsort strsort; do
  sample "$tool" 5000 > original
  work "$tool" original sorted
  ! cmp -s original sorted || fail "$tool: the sample is in order already"

  cp original f; expect 0 work "$tool" f f; cmp f sorted
  cp original f; expect 0 work "$tool" ./f "$PWD/f"; cmp f sorted

  cp original f; ln -sf f link
  expect 0 work "$tool" f link
  cmp f sorted; [[ -L link ]] || fail "$tool: a symbolic link was replaced"
  cp original f
  expect 0 work "$tool" link f
  cmp f sorted; [[ -L link ]] || fail "$tool: a symbolic link was replaced"

  cp original f; ln -f f hard
  expect 0 work "$tool" f hard
  cmp hard sorted; cmp f original

  # Read through stdin while it is written.
  cp original f; expect 0 work "$tool" - f < f; cmp f sorted

  chmod 640 f; expect 0 work "$tool" original f
  [[ $(stat -c %a f) == 640 ]] || fail "$tool: the mode of the replaced file is lost"
  no_leftovers
done

sample sufsort 500 > in.fa
sufsort build in.fa -o index
cp in.fa again.seq
expect 0 sufsort build again.seq -o again
cmp index.sa again.sa
cmp index.seq again.seq
no_leftovers
