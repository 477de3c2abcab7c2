# A corpus of many files: the file that is cut or malformed is named, a full disk loses nothing, and a search for duplicates
# that is killed at any moment goes on to the same bytes.
. "$ORDO_SOURCE/tests/cli/lib.sh"
. "$ORDO_SOURCE/tests/mounts_lib.sh"
ulimit -c 0

# 100 files of 20 lines. Some sentences come again, in other lines and files, and not at their beginning.
mkdir parts
awk 'BEGIN {
  srand(7)
  for (k = 0; k < 400; ++k) {
    line = ""
    for (n = 0; n < 40; ++n) line = line sprintf("%c%c%c ", 97 + int(26 * rand()), 97 + int(26 * rand()), 97 + int(26 * rand()))
    sentence[k] = line
  }
  for (file = 0; file < 100; ++file)
    for (n = 0; n < 20; ++n) {
      text = ""
      for (k = 0; k < 8; ++k)
        text = text (rand() < 0.3 ? sentence[int(400 * rand())] : sprintf("%d%d%d%d", rand() * 1e9, rand() * 1e9, rand() * 1e9, rand() * 1e9))
      printf "{\"id\":%d,\"text\":\"%s\"}\n", n, text > sprintf("parts/%03d.jsonl", file)
    }
}'
gzip -1 parts/*
build=(sufsort build -q --format jsonl --text-only)
expect 0 "${build[@]}" parts/*.gz -o corpus
find=(sufsort duplicates corpus -l 60 --format text)
"${find[@]}" > want
[[ $(wc -c < want) -lt $(zcat parts/*.gz | wc -c) && $(wc -l < want) == 2000 ]] || fail 'no duplicates'

# One bad file among good ones. The old index stays.
mv parts/057.jsonl.gz whole.gz
head -c $(($(stat -c %s whole.gz) / 2)) whole.gz > parts/057.jsonl.gz
expect_error "${build[@]}" parts/*.gz -o corpus
grep -q 'parts/057\.jsonl\.gz' err || fail "a cut file is not named: $(cat err)"
zcat whole.gz | sed '13s/}$//' | gzip > parts/057.jsonl.gz
expect_error "${build[@]}" parts/*.gz -o corpus
grep -q 'bad JSON: parts/057\.jsonl\.gz:13: ' err || fail "a malformed line is not named: $(cat err)"
zcat whole.gz | sed '20s/"text"/"txt"/' | gzip > parts/057.jsonl.gz
expect_error "${build[@]}" parts/*.gz -o corpus
grep -q 'bad JSON: parts/057\.jsonl\.gz:20: field text: no such field' err || fail "a line without the field is not named: $(cat err)"
expect_error "${find[@]}" -o out.jsonl
grep -q 'changed input: parts/057\.jsonl\.gz:20: ' err || fail "a changed line is not named: $(cat err)"
mv whole.gz parts/057.jsonl.gz
expect 0 sufsort check corpus

# finished FILE: how many of 4096 buckets a file of finished ranges has.
finished() { od -An -tu8 -j24 -N8 "$1" | tr -d ' '; }
# Killed at any moment, again and again, with other numbers of threads, and in much memory or little, which needs the disk.
go_on=("${find[@]}" --resume kept -o clean)
mkdir spill
export TMPDIR=$PWD/spill
kills=0
for ((k = 0; k < 12; ++k)); do
  echo old > clean
  memory=$((k % 2 ? 400000 : 100000000))
  "${go_on[@]}" --threads $((k % 3 + 1)) --memory $memory &
  sleep 0.0$((RANDOM % 10))$((RANDOM % 10))
  kill -s KILL $! 2> /dev/null || :
  status=0; wait $! 2> /dev/null || status=$?
  if [[ $status == 137 ]]; then
    kills=$((kills + 1))
    [[ $(cat clean) == old ]] || cmp clean want
    ((k % 3)) || continue
  fi
  expect 0 "${go_on[@]}"
  cmp clean want
  [[ ! -e kept ]] || fail 'finished ranges stay'
  rm -f .*.tmp
done
((kills > 0)) || fail 'no search was killed'
[[ ! $(ls -A spill) ]] || fail "temporary files stay: $(ls -A spill)"

# Before each change of a name. What is kept is used.
if strace -f -o /dev/null true 2> /dev/null; then
  used=0
  for call in linkat rename; do
    for ((number = 1; ; ++number)); do
      rm -f kept .*.tmp
      echo old > clean
      status=0
      strace -f -o /dev/null -e "trace=$call" -e "inject=$call:signal=SIGKILL:when=$number" "${go_on[@]}" > out 2> err &
      wait $! 2> /dev/null || status=$?
      if [[ $status == 0 ]]; then break; fi
      [[ $(cat clean) == old ]] || cmp clean want
      if [[ -e kept ]]; then
        (($(finished kept) > 0 && $(finished kept) % 512 == 0)) || fail "an unknown range: $(finished kept)"
        if [[ $(finished kept) == 1024 ]]; then
          used=1
          cp kept half
          # With a mark at each position nothing is left.
          python3 - << 'END'
import struct, zlib
data = open('kept', 'rb').read()
marks = b'\xff' * (len(data) - 40)
sums = struct.pack('<II', zlib.crc32(data[24:40]), zlib.crc32(marks))
open('all', 'wb').write(data[:20] + struct.pack('<I', zlib.crc32(sums)) + data[24:40] + marks)
END
          expect 0 "${find[@]}" --resume all -o nothing
          [[ $(grep -c '"text":""' nothing) == 2000 ]] || fail 'finished ranges are not used'
          # Damage, and the search of other copies.
          head -c -1 kept > cut; { head -c -1 kept; printf '\251'; } > altered
          for file in cut altered; do
            expect_error "${find[@]}" --resume $file
            grep -q "no finished ranges: $file: it is damaged" err || fail "damage: $(cat err)"
          done
          expect_error "${find[@]}" --resume kept --keep none
          grep -q 'no finished ranges: kept: it is of another index, or of other options' err || fail "other options: $(cat err)"
        fi
      fi
      expect 0 "${go_on[@]}"
      cmp clean want
    done
  done
  ((used)) || fail 'no search was killed after its second range'
fi

# A full disk: for the text, the finished ranges and the output.
expect 2 "${find[@]}" -o /dev/full
[[ $ORDO_OWN_MOUNTS != none ]] || exit 0
mkdir small
mount -t tmpfs -o size=64K none small
expect_error "${build[@]}" parts/*.gz -o small/corpus
grep -q 'small/corpus.seq: No space left' err || fail "no word of the disk: $(cat err)"
[[ ! $(ls -A small) ]] || fail "left behind: $(ls -A small)"
echo old > small/clean
expect_error "${find[@]}" -o small/clean
grep -q 'small/clean: No space left' err || fail "no word of the disk: $(cat err)"
[[ $(ls -A small) == clean && $(cat small/clean) == old ]] || fail "the old output is gone: $(ls -A small)"
echo old > clean
expect_error "${find[@]}" --resume small/kept -o clean
grep -q 'small/kept: No space left' err || fail "no word of the disk: $(cat err)"
[[ $(ls -A small) == clean && $(cat clean) == old ]] || fail "the old output is gone: $(ls -A small)"
# No room for temporary files: what was finished stays, and the search goes on with more room.
echo old > clean
expect 2 env TMPDIR=small "${go_on[@]}" --memory 400000
grep -q '^sufsort: cannot write: temporary file in small: No space left on device$' err || fail "no word of the disk: $(cat err)"
[[ $(ls -A small) == clean && $(cat clean) == old ]] || fail "the old output is gone: $(ls -A small)"
if [[ -e half ]]; then
  cp half kept
  expect 2 env TMPDIR=small "${go_on[@]}" --memory 400000
  cmp half kept
fi
expect 0 "${go_on[@]}" --memory 400000
cmp clean want
# The output does not fit: the finished ranges stay, and it is written elsewhere.
expect_error "${find[@]}" --resume kept -o small/clean
[[ $(finished kept) == 4096 ]] || fail 'finished ranges are lost'
expect 0 "${go_on[@]}"
cmp clean want
umount small
