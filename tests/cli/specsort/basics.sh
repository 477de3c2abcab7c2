# specsort: its options, messages and exit statuses.
. "$ORDO_SOURCE/tests/cli/lib.sh"

printf 'COM=head\nBEGIN IONS\nTITLE=one\n3.5 1\n1.5 3 b\n2.5 2\nEND IONS\n\nBEGIN IONS\nTITLE=two\n1 9\n2 8\nEND IONS\n' > in.mgf
printf 'COM=head\nBEGIN IONS\nTITLE=one\n1.5 3 b\n2.5 2\n3.5 1\nEND IONS\n\nBEGIN IONS\nTITLE=two\n1 9\n2 8\nEND IONS\n' > by_mz
printf 'COM=head\nBEGIN IONS\nTITLE=one\n3.5 1\n2.5 2\n1.5 3 b\nEND IONS\n\nBEGIN IONS\nTITLE=two\n2 8\n1 9\nEND IONS\n' > by_intensity
printf 'COM=head\nBEGIN IONS\nTITLE=one\n1.5 3 b\n2.5 2\n3.5 1\nEND IONS\n\nBEGIN IONS\nTITLE=two\n1 9\n2 8\nEND IONS\n' > by_intensity_down

# Orders; by m/z to standard output is what happens by default.
expect 0 specsort in.mgf; cmp out by_mz
expect 0 specsort in.mgf --by mz -o result; cmp result by_mz; [[ ! -s out ]]
expect 0 specsort --by=intensity in.mgf; cmp out by_intensity
expect 0 specsort in.mgf --descending --by intensity; cmp out by_intensity_down
expect 0 specsort by_mz -o result; cmp result by_mz

# Streams, and gzip: in by its bytes, out by its name.
expect 0 specsort - < in.mgf; cmp out by_mz
expect 0 specsort - -o - < in.mgf; cmp out by_mz
gzip -c in.mgf > zipped
expect 0 specsort zipped; cmp out by_mz
expect 0 specsort - -o result.mgf.gz < zipped; gzip -dc result.mgf.gz | cmp - by_mz
expect 0 specsort result.mgf.gz --check
: > empty; expect 0 specsort empty -o result; [[ ! -s result ]] || fail "something from nothing"

# The check: silent, or one line with file and line, title and peak.
expect 0 specsort --check by_mz; [[ ! -s out && ! -s err ]] || fail "a check that passes is not silent"
expect 0 specsort --check --by intensity --descending by_mz
expect 1 specsort --check in.mgf
[[ $(< err) == "specsort: in.mgf:5: disorder: spectrum 1 'one': 1.5 3 b" && ! -s out ]] || fail "check: $(< err)"
expect 1 specsort --check --by intensity - < by_mz
[[ $(< err) == "specsort: standard input:5: disorder: spectrum 1 'one': 2.5 2" ]] || fail "check: $(< err)"
expect 1 specsort --check --descending by_mz --stats report.json
expect_error specsort --check in.mgf -o result
expect_error specsort --check no_such_file

# Strict: one error, which names file and line, and no output. Lenient: warnings.
printf 'BEGIN IONS\r\n2 1\r\n300,5 1\r\n1 1\r\nEND IONS\r\n' > comma.mgf
rm -f result
expect_error specsort comma.mgf -o result
[[ $(< err) == "specsort: decimal comma: comma.mgf:3: '300,5 1'; a point is expected" ]] || fail "error: $(< err)"
[[ ! -e result ]] || fail "output in spite of an error"
expect_error specsort comma.mgf --check
expect 0 specsort comma.mgf --lenient
printf 'BEGIN IONS\r\n1 1\r\n300,5 1\r\n2 1\r\nEND IONS\r\n' | cmp - out
[[ $(< err) == "specsort: warning: decimal comma: comma.mgf:3: '300,5 1'; a point is expected" ]] || fail "warning: $(< err)"
expect 0 specsort comma.mgf --lenient --quiet; [[ ! -s err ]] || fail "--quiet: $(< err)"
for ((i = 0; i < 30; ++i)); do printf 'BEGIN IONS\nnan 1\nEND IONS\n'; done > nan.mgf
expect 0 specsort nan.mgf; cmp out nan.mgf
[[ $(wc -l < err) == 11 ]] || fail "of 30 warnings, not 10 and a count: $(< err)"
[[ $(tail -1 err) == 'specsort: warning: nan.mgf: 20 more warnings' ]] || fail "warnings: $(tail -1 err)"

# What is not MGF is refused, whatever is asked for, and nothing is written.
printf '<?xml version="1.0"?>\n<mzData version="1.05">\n</mzData>\n' > spectra.mzData
{ printf '\377\376'; sed 's/./&\x00/g; s/$/\x00/' in.mgf; } > wide.mgf
printf 'mz,intensity\n100.5,2\n' > peaks.csv
gzip -c in.mgf | gzip -c > twice.mgf.gz
head -c 100000 "$(command -v specsort)" > program
while read -r file kind; do
  for by in mz intensity; do
    expect_error specsort "$file" --by $by -o result
    grep -q "^specsort: not MGF: $file:1: it looks like $kind" err || fail "$file: $(< err)"
    expect_error specsort --check "$file" --by $by
    grep -q "it looks like $kind" err || fail "--check $file: $(< err)"
  done
  [[ ! -e result ]] || fail "output of $file"
done << 'END'
spectra.mzData mzData
wide.mgf UTF-16 text
peaks.csv CSV
twice.mgf.gz gzip data inside gzip
program binary data
END
printf '# nothing\nCOM=a header\n\n1024.6\n' > header
for fine in empty by_mz header; do expect 0 specsort --check "$fine"; done

expect_error specsort
expect_error specsort in.mgf --by charge
expect_error specsort in.mgf -o no/such/folder/result

# Real files: by intensity and back by m/z is what sorting by m/z gives, and they are in that order.
for sample in "$ORDO_SOURCE"/datasets/samples/*.mgf*; do
  expect 0 specsort "$sample" -o sorted
  expect 0 specsort "$sample" --by intensity --descending -o turned
  expect 1 specsort turned --check
  expect 0 specsort turned -o again
  cmp again sorted
  gzip -cdf "$sample" | cmp - sorted
  if have_gpu; then
    for by in mz intensity; do
      expect 0 specsort turned --by "$by" --device cpu -o on_cpu
      expect 0 specsort turned --by "$by" --device gpu -o on_gpu
      cmp on_cpu on_gpu
    done
  fi
done

# Many blocks, by several threads. What by_mz says must hold for every line.
awk 'BEGIN { for (i = 0; i < 1200; ++i) { print "BEGIN IONS\nTITLE=spectrum " i; for (j = 0; j < 1000; ++j)
  printf "%d.%04d %d.5\n", (i * 31 + j * 7919) % 1009 + 100, j, (j * 101) % 997 + 10000000; print "END IONS" } }' > large.mgf
[[ $(stat -c %s large.mgf) -gt 16777216 ]] || fail "the large sample is too small"
expect 1 specsort large.mgf --check
expect 0 specsort large.mgf -o large_by_mz --stats report.json
[[ $(stat -c %s large_by_mz) == $(stat -c %s large.mgf) ]]
expect 0 specsort large_by_mz --check
expect 0 specsort large_by_mz -o again; cmp large_by_mz again
expect 0 specsort large.mgf --by intensity -o large_by_intensity
expect 0 specsort large_by_intensity -o again; cmp large_by_mz again
[[ $(sed -n 's/.*"name": "\(.*\)".*/\1/p' report.json | tr '\n' ' ') == 'read scan sort move write commit ' ]] ||
  fail "phases are not in the order of the work: $(cat report.json)"
no_leftovers
