# Corpora in shards: folders of JSONL, a clean file for each, and indexes of infini-gram with metadata.
. "$ORDO_SOURCE/tests/cli/lib.sh"
want() { [[ $1 == "$2" ]] || fail "$3: '$1' instead of '$2'"; }

# A folder stands for the JSONL below it, in the order of names.
mkdir -p web/b .hidden web/.git
printf '{"id": 1, "text": "to be or not"}\n\n{"text": "\\u0074o be or\\u00e9", "n": 1.50}\n' > web/b/2.jsonl
printf '{"text": "to be or not"}\n' | gzip > web/b/1.json.gz
printf '{"text": "or not to be"}\r\n{"text": "x"}' | zstd -q > web/c.jsonl.zst
: > web/empty.ndjson
printf '{"info": 1}' > web/dataset_info.json
printf '{"text": "hidden"}\n' | tee web/.hidden.jsonl > web/.git/x.jsonl
expect 0 sufsort build web -o w --text-only
want "$(sed -n 's/.*"name": "\(web[^"]*\)".*/\1/p' w.json | xargs)" 'web/b/1.json.gz web/b/2.jsonl web/c.jsonl.zst web/empty.ndjson' 'the files of a folder'
mkdir none
expect_error sufsort build none -o n --text-only
want "$(cat err)" 'sufsort: cannot read: none: it is a folder without JSONL: name its files' 'a folder without shards'
# A link that leads nowhere is no folder with one shard less.
mkdir links; echo '{"text": "a"}' > links/a.jsonl; ln -s gone links/b.jsonl; mkdir links/d.jsonl
expect_error sufsort build links -o n --text-only
want "$(cat err)" 'sufsort: cannot read: links/b.jsonl: No such file or directory' 'a link to nothing'
ln -sf b.jsonl links/b.jsonl
expect_error sufsort build links -o n --text-only
want "$(cat err)" 'sufsort: cannot read: links/b.jsonl: Too many levels of symbolic links' 'a link to itself'
rm links/b.jsonl; mkdir links/a; ln -s ../a.jsonl links/a/c.jsonl
expect 0 sufsort build links -o n --text-only; rm n.*

# A file for each, with its compression, of the same lines as one output of all.
expect 0 sufsort duplicates w -l 5 --format text --out-dir clean
printf 'web/b/1.json.gz\t1\t12\t0\nweb/b/2.jsonl\t3\t22\t20\nweb/c.jsonl.zst\t2\t13\t11\nweb/empty.ndjson\t0\t0\t0\n' > list
cmp out list || fail "the list of files: $(cat out)"
(cd clean && find . -type f | LC_ALL=C sort | xargs) > found
want "$(cat found)" './web/b/1.json.gz ./web/b/2.jsonl ./web/c.jsonl.zst ./web/empty.ndjson' 'the tree'
expect 0 sufsort duplicates w -l 5 --format text -o all
{ gzip -dc clean/web/b/1.json.gz; cat clean/web/b/2.jsonl; zstd -dcq clean/web/c.jsonl.zst; cat clean/web/empty.ndjson; } | cmp - all || fail 'texts of files'
expect 0 sufsort duplicates w -l 5 --format annotated --column ranges --out-dir noted -o noted.tsv
cmp noted.tsv list || fail 'the list of annotated files'
want "$(tail -n 1 noted/web/b/2.jsonl)" '{"text": "\u0074o be or\u00e9", "n": 1.50,"ranges":[[0,8]]}' 'annotated JSON'

# Wrong calls, and folders that cannot be written.
expect_error sufsort duplicates w -l 5 --out-dir x
grep -q 'only they are written for each file' err || fail "$(cat err)"
(cd web && sufsort build b/2.jsonl ../web/c.jsonl.zst -o ../up --text-only) 2> err || fail "$(cat err)"
(cd web && expect_error sufsort duplicates ../up -l 5 --format text --out-dir x) || exit 1
(cd web && sufsort duplicates ../up -l 5 --format text --out-dir x 2> ../err; [[ $? == 2 ]]) || fail 'a name above the folder'
grep -q 'not below a folder: ../web/c.jsonl.zst' err || fail "$(cat err)"
expect_error sufsort duplicates w -l 5 --format text --out-dir .
grep -q 'cannot write: ./web/b/1.json.gz: the index w.json was made of it' err || fail "$(cat err)"
: > file
expect_error sufsort duplicates w -l 5 --format text --out-dir file
grep -q 'cannot make the folder: file' err || fail "$(cat err)"
expect 0 sufsort build web/c.jsonl.zst ./web//c.jsonl.zst -o both --text-only
expect_error sufsort duplicates both -l 5 --format text --out-dir clean2
want "$(cat err)" 'sufsort: two inputs of one name: clean2/web/c.jsonl.zst: --out-dir: both would become this file' 'one place'
[[ ! -e clean2 ]] || fail 'a folder without files, after an error'
printf 'lines\n' > l.txt
expect 0 sufsort build l.txt -o l --format lines --text-only
expect_error sufsort duplicates l -l 5 --format text --out-dir x
want "$(cat err)" 'sufsort: no JSONL: l.json: --out-dir is for JSONL' 'lines'
cp -r web kept && printf '{"text": "to be"}\n' > web/b/2.jsonl
expect_error sufsort duplicates w -l 5 --format text --out-dir clean2
grep -q 'changed input: web/b/2.jsonl' err || fail "$(cat err)"
[[ ! -e clean2 ]] || fail 'a folder without files, after an error'
rm -r web && mv kept web

# Metadata of infini-gram: the path, the line and the other fields, as they are written.
expect 0 sufsort export w --format infini-gram --metadata -o grams
cat > metadata << 'END'
{"path": "web/b/1.json.gz", "linenum": 0, "metadata": {}}
{"path": "web/b/2.jsonl", "linenum": 0, "metadata": {"id": 1}}
{"path": "web/b/2.jsonl", "linenum": 1, "metadata": {}}
{"path": "web/b/2.jsonl", "linenum": 2, "metadata": {"n": 1.50}}
{"path": "web/c.jsonl.zst", "linenum": 0, "metadata": {}}
{"path": "web/c.jsonl.zst", "linenum": 1, "metadata": {}}
END
cmp metadata grams/metadata.0 || fail "metadata: $(cat grams/metadata.0)"
offsets() { python3 -c 'import sys; at = 0
for line in open(sys.argv[1], "rb"): print(at); at += len(line)' "$1" | xargs; }
want "$(od -An -tu8 -v grams/metaoff.0 | xargs)" "$(offsets metadata)" 'where metadata begins'
expect 0 sufsort export w --format infini-gram --metadata --shard-size 13 -o parts
cat parts/metadata.? | cmp - metadata || fail 'metadata of shards'
for part in parts/metadata.?; do
  want "$(od -An -tu8 -v "${part/metadata/metaoff}" | xargs)" "$(offsets "$part")" "where metadata begins in $part"
  want "$(stat -c %s "${part/metadata/metaoff}")" "$(stat -c %s "${part/metadata/offset}")" "documents of $part"
done
expect_error sufsort export w --format infini-gram -o grams
grep -q 'the folder holds metadata' err || fail "$(cat err)"
expect_error sufsort export w --format sdsl --metadata -o x
expect 0 sufsort export l --format infini-gram --metadata -o lines
want "$(cat lines/metadata.0)" '{"path": "l.txt", "linenum": 0, "metadata": {}}' 'metadata of lines'
printf '{"text": "to be"}\n' > web/b/2.jsonl
expect_error sufsort export w --format infini-gram --metadata -o grams2
grep -q 'changed input: web/b/2.jsonl:1: the line has another string' err || fail "$(cat err)"
[[ ! -e grams2 ]] || fail 'a folder of a failed export'
rm -r web && cp -r clean/web web
echo '{"text": "a"}' > n.jsonl; cp n.jsonl few.jsonl; echo '{"text": "b"}' >> n.jsonl; cp n.jsonl all.jsonl
expect 0 sufsort build n.jsonl -o n --text-only
expect 0 sufsort build - -o pipe --format jsonl --text-only < n.jsonl
expect_error sufsort export pipe --format infini-gram --metadata -o grams2
want "$(cat err)" 'sufsort: cannot read again: pipe.json: the index is of standard input' 'standard input'
for lines in few.jsonl /dev/null; do
  cp $lines n.jsonl
  expect_error sufsort export n --format infini-gram --metadata -o grams2
  grep -q '^sufsort: changed input: n.jsonl: it has \(0 lines\|1 line\), and 2 when it was indexed as n.json$' err || fail "$(cat err)"
done
cat all.jsonl few.jsonl > n.jsonl
expect_error sufsort export n --format infini-gram --metadata -o grams2
grep -q '^sufsort: changed input: n.jsonl: it has more lines than the 2 when it was indexed as n.json$' err || fail "$(cat err)"
mv all.jsonl n.jsonl
if [[ $(id -u) != 0 ]]; then  # a folder of which a part cannot be read
  mkdir -p locked/in; cp few.jsonl locked; chmod a-rx locked/in
  expect_error sufsort build locked -o part --text-only
  grep -q '^sufsort: cannot read: locked/in: Permission denied$' err || fail "$(cat err)"
  chmod u+rx locked/in; [[ ! -e part.json ]] || fail 'an index of a part'
fi
# Folders that cannot be made.
ln -s nowhere dangling; : > file
for folder in no/such dangling file/x file; do
  expect_error sufsort export n --format infini-gram -o $folder
  grep -q "^sufsort: cannot write: $folder: " err || fail "$(cat err)"
done
[[ ! -e grams2 && ! -e no && ! -e nowhere && ! -s file ]] || fail "left behind: $(ls -A)"

# Several indexes make one, whose shards are those of each alone.
printf '{"meta": {"t": "a", "z": [1]}, "k": "v"}\n' > m.jsonl
expect 0 sufsort build m.jsonl -o m --field meta.t --text-only
expect 0 sufsort export m l m --format infini-gram --metadata -o three
want "$(ls three | xargs)" "$(echo {metadata,metaoff,offset,table,tokenized}.{0,1,2})" 'shards of three indexes'
expect 0 sufsort export m --format infini-gram --metadata -o one
for name in metadata metaoff offset table tokenized; do cmp one/$name.0 three/$name.2 || fail "$name of the third index"; done
cmp lines/table.0 three/table.1 || fail 'the table of the second index'
want "$(cat one/metadata.0)" '{"path": "m.jsonl", "linenum": 0, "metadata": {"meta": {"z": [1]}, "k": "v"}}' 'a nested string'
expect_error sufsort export m l --format raw32 -o x
grep -q 'several indexes: l' err || fail "$(cat err)"
printf '\1\0' > t.u16
expect 0 sufsort build t.u16 -o t --text-only
expect_error sufsort export m t --format infini-gram -o x
grep -q 'another kind of text: t.json' err || fail "$(cat err)"
no_leftovers
