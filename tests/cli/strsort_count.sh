# strsort --count, --by-count and --head beside sort, uniq -c and head.
. "$ORDO_SOURCE/tests/cli/lib.sh"
export LC_ALL=C

devices=(cpu)
if have_gpu; then devices+=(gpu); fi

# counted FILE OPTION...: whole lines, counted and in falling order of the count, all and the first of them.
counted() {
  local file=$1 zero=() device n
  shift
  if [[ " $* " == *" -z "* ]]; then zero=(-z); fi
  sort "$@" "$file" | uniq -c "${zero[@]}" > want
  sort -rn "${zero[@]}" want > want.by
  sort "$@" "$file" > want.all
  sort -u "$@" "$file" > want.unique
  ours() { strsort --device "$device" "$@" | cmp - "$wanted" || fail "$file, $device: $*"; }
  for device in "${devices[@]}"; do
    wanted=want ours --count "$@" "$file"
    wanted=want ours --count -m "$@" want.all
    wanted=want.by ours --by-count "$@" "$file"
    wanted=want.by ours --by-count -m "$@" want.all
    for n in 0 3 99999999; do
      head "${zero[@]}" -n "$n" want > want.n
      wanted=want.n ours --count --head="$n" "$@" "$file"
      head "${zero[@]}" -n "$n" want.by > want.n
      wanted=want.n ours --count --by-count --head="$n" "$@" "$file"
      head "${zero[@]}" -n "$n" want.all > want.n
      wanted=want.n ours --head="$n" "$@" "$file"
      wanted=want.n ours -m --head="$n" "$@" want.all
      head "${zero[@]}" -n "$n" want.unique > want.n
      wanted=want.n ours -u --head="$n" "$@" "$file"
    done
  done
}

lines() { awk -v n="$1" -v of="$2" 'BEGIN { srand(n); for (i = 0; i < n; ++i) { x = rand(); print int(x * x * of), "line" } }'; }
lines 20000 3000 > text
printf 'last line without an end, \200 0' >> text
counted text
counted text -r
: > text
counted text
printf '\n' > text
counted text
printf 'a' > text
counted text
printf 'b\n\nb\n\n\nc' > text
counted text -r
printf 'the same%.0s\n' {1..30000} > text
counted text
lines 5000 300 | tr '\n' '\0' > text
printf 'x\ny\0' >> text
counted text -z
counted text -z -r

# More than 16 MB: runs on the disk, of lines that repeat and of lines that do not.
few() { awk 'BEGIN { srand(4); for (i = 0; i < 400000; ++i) printf "host%d.example.com/%d\n", int(rand() ^ 3 * 9000), i % 3 }'; }
few > text
sort text | uniq -c > want
sort -rn want > want.by
strsort -S16M --count text | cmp - want || fail 'from the disk'
strsort -S16M --by-count text | cmp - want.by || fail 'by count, from the disk'
strsort -S16M --by-count --head=7 text | cmp - <(head -n 7 want.by) || fail 'by count, the first ones, from the disk'
strsort -S16M --head=7 text | cmp - <(sort text | head -n 7) || fail 'the first ones, from the disk'
strsort -S16M -u --head=7 text | cmp - <(sort -u text | head -n 7) || fail 'the first distinct ones, from the disk'
strsort -S16M --compress-program=gzip --count --head=7 text | cmp - <(head -n 7 want) || fail 'the first ones, from gzip'
strsort -S16M --compress-program=gzip --by-count text | cmp - want.by || fail 'by count, from gzip'
awk '{ print $0 NR }' text > distinct
sort distinct | uniq -c > want
sort -rn want > want.by
strsort -S16M --count distinct | cmp - want || fail 'distinct, from the disk'
strsort -S16M --by-count distinct | cmp - want.by || fail 'distinct, by count, from the disk'

# Keys: each by its first line.
awk 'BEGIN { srand(5); for (i = 0; i < 9000; ++i) printf "%s %d %d\n", substr("aAbB", 1 + rand() * 4, 1), rand() * 40, i }' > text
keyed() {
  sort -u "$@" text > first
  sort -s "$@" text > all
  # What sort -u keeps begins the row of lines that it stands for.
  awk 'FNR == NR { first[$0] = 1; next } first[$0] { if (n) printf "%7d %s\n", n, line; n = 0; line = $0 } { ++n }
       END { printf "%7d %s\n", n, line }' first all > want
  sort -rn want > want.by
  for device in "${devices[@]}"; do
    strsort --device "$device" --count "$@" text | cmp - want || fail "--count $*"
    strsort --device "$device" --by-count "$@" text | cmp - want.by || fail "--by-count $*"
    strsort --device "$device" --by-count --head=3 "$@" text | cmp - <(head -n 3 want.by) || fail "--by-count --head=3 $*"
    strsort --device "$device" --count -u --head=3 "$@" text | cmp - <(head -n 3 want) || fail "--count -u --head=3 $*"
  done
}
keyed -k1,1
keyed -k2,2n
keyed -f -k1,1
keyed -k1,1r -k2,2n
keyed -s -k1,1
keyed -r -k2,2

# To a file, compressed, from a pipe, in the place of the input.
cut -d' ' -f1,2 text > in
sort in | uniq -c > want
strsort --count -o made in && cmp made want
strsort --count -o made.gz < in && gzip -dc made.gz | cmp - want
strsort --count in -o in && cmp in want
strsort --head=2 in -o in && cmp in <(sort want | head -n 2)
[[ $(strsort --head=2 < in | wc -l) == 2 ]]
no_leftovers

# --debug shows the first lines' keys.
strsort --debug --head=1 -k1,1 in 2> err | head -n 2 > out
[[ $(wc -l < out) == 2 ]] || fail 'no key underlined'

# What cannot be.
expect_error strsort -c --count in
grep -qx "strsort: options '-c --count' are incompatible" err || fail "$(< err)"
expect_error strsort -C --by-count in
expect_error strsort --debug --count in
expect_error strsort --head in
expect_error strsort --head=x in
sort want > sorted
expect 0 strsort -c --head=1 sorted
if [[ -e /dev/full ]]; then
  got=0
  strsort --count text > /dev/full 2> err || got=$?
  [[ $got == 2 ]] || fail 'a full disk'
  complaint strsort
fi
