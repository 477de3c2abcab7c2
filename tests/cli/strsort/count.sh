# strsort --count, --by-count and --head beside sort, uniq -c and head.
. "$ORDO_SOURCE/tests/cli/lib.sh"
export LC_ALL=C

devices=(cpu)
if have_gpu; then devices+=(gpu); fi

# written WANTED ARGUMENT...: strsort writes what the file holds. Texts, ends of lines and counts in all their combinations are
# for the unit tests ([count]); here a few of each kind, as each command takes a while to start on a GPU.
written() { strsort "${@:2}" | cmp - "$1" || fail "strsort ${*:2}"; }
# counted FILE OPTION...: whole lines, counted, in falling order of the count, and the first of them.
counted() {
  local file=$1 zero=() first='head -n 3'
  shift
  if [[ " $* " == *" -z "* ]]; then zero=(-z) first+=' -z'; fi
  sort "$@" "$file" > sorted
  uniq -c "${zero[@]}" sorted > want
  sort -rn "${zero[@]}" want > want.by
  written want --count "$@" "$file"
  written <($first want.by) --count --by-count --head=3 "$@" "$file"
  written want --count -m "$@" sorted
  written <($first sorted) -m --head=3 "$@" sorted
  written <(sort -u "$@" "$file" | $first) -u --head=3 "$@" "$file"
}

lines() { awk -v n="$1" -v of="$2" 'BEGIN { srand(n); for (i = 0; i < n; ++i) { x = rand(); print int(x * x * of), "line" } }'; }
lines 20000 3000 > text
printf 'last line without an end, \200 0' >> text
for device in "${devices[@]}"; do ORDO_DEVICE=$device counted text -r; done
written want.by --by-count text
written want --count --head=99999999 -r text
written /dev/null --count --head=0 text
: > text
counted text
printf 'b\n\nb\n\n\nc' > text
counted text
{ lines 5000 300 | tr '\n' '\0'; printf 'x\ny\0'; } > text
counted text -z -r

# More than 16 MB: runs on the disk, of lines that repeat and of lines that do not.
awk 'BEGIN { srand(4); for (i = 0; i < 400000; ++i) printf "host%d.example.com/%d\n", int(rand() ^ 3 * 9000), i % 3 }' > text
sort text | uniq -c > want
sort -rn want > want.by
written want -S16M --count text
written <(head -n 7 want.by) -S16M --by-count --head=7 text
written <(sort -u text | head -n 7) -S16M -u --head=7 text
written <(head -n 7 want) -S16M --compress-program=gzip --count --head=7 text
written want.by -S16M --compress-program=gzip --by-count text
awk '{ print $0 NR }' text > distinct
sort distinct | uniq -c | sort -rn > want.by
written want.by -S16M --by-count distinct

# Keys: each by its first line.
awk 'BEGIN { srand(5); for (i = 0; i < 9000; ++i) printf "%s %d %d\n", substr("aAbB", 1 + rand() * 4, 1), rand() * 40, i }' > text
keyed() {
  sort -u "$@" text > first
  sort -s "$@" text > all
  # What sort -u keeps begins the row of lines that it stands for.
  awk 'FNR == NR { first[$0] = 1; next } first[$0] { if (n) printf "%7d %s\n", n, line; n = 0; line = $0 } { ++n }
       END { printf "%7d %s\n", n, line }' first all > want
  written <(head -n 3 want) --count -u --head=3 "$@" text
  written <(sort -rn want) --by-count "$@" text
}
keyed -f -k1,1
keyed -k1,1r -k2,2n
keyed -s -k1,1
for device in "${devices[@]}"; do ORDO_DEVICE=$device keyed -r -k2,2; done

# An estimate of the number of lines that --count writes: of lines, keys, records, in a locale; the same in every way.
near() {  # EXACT OPTION...: within 2 %, which is five standard errors
  local want=$1 got
  shift
  got=$(strsort --distinct-estimate "$@")
  ((want - want / 50 <= got && got <= want + want / 50)) || fail "$got of $want distinct: $*"
  [[ $got == "$(strsort --distinct-estimate --threads=1 "$@")" ]] || fail "another estimate with one thread: $*"
}
awk 'BEGIN { srand(6); for (i = 0; i < 60000; ++i) printf "%s%d,%d\n", i % 2 ? "w" : "W", rand() * 9000, rand() * 70000 }' > text
near "$(sort -u text | wc -l)" text
for keys in '-t, -k1,1' '-t, -k1,1f' '-t, -k2,2n -k1.1,1.1' '-k /\d+/n'; do
  # shellcheck disable=SC2086
  near "$(strsort -u $keys text | wc -l)" $keys text
done
near "$(strsort -u --csv --header=0 -k2,2 text | wc -l)" --csv --header=0 -k2,2 text
if locale -a | grep -qix en_US.utf8; then near "$(sort -t, -u -k1,1 text | wc -l)" --locale=en_US.UTF-8 -t, -k1,1 text; fi
[[ $(strsort --distinct-estimate /dev/null) == 0 && $(printf 'a\na' | strsort --distinct-estimate) == 1 ]]
strsort --distinct-estimate text -o made && near "$(< made)" text
for options in -c -m --count --by-count --debug --head=1; do
  expect_error strsort --distinct-estimate $options text
  grep -q 'are incompatible$' err || fail "$(< err)"
done

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
