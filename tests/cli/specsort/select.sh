# specsort: which peaks stay, against a reference in plain Python; and what --explain says.
. "$ORDO_SOURCE/tests/cli/lib.sh"

reference="$ORDO_SOURCE/tests/reference/specsort_reference.py"
printf 'COM=head\nBEGIN IONS\nTITLE=one\nPEPMASS=2.5\n3.5 1\n1.5 3 b\n2.5 2\nEND IONS\n\nBEGIN IONS\nTITLE=two\n1 9\nEND IONS\n' > in.mgf
printf 'COM=head\nBEGIN IONS\nTITLE=one\nPEPMASS=2.5\n1.5 3 b\n2.5 2\nEND IONS\n\nBEGIN IONS\nTITLE=two\n1 9\nEND IONS\n' > top2

# To a file, a stream, a compressed file, and the input itself.
expect 0 specsort in.mgf --top 2; cmp out top2
expect 0 specsort - --top 2 -o result < in.mgf; cmp result top2
expect 0 specsort in.mgf --top 2 -o result.mgf.gz; gzip -dc result.mgf.gz | cmp - top2
cp in.mgf same.mgf; expect 0 specsort same.mgf --top 2 -o same.mgf; cmp same.mgf top2
{ echo before; specsort in.mgf --top 2; echo after; } > shared
{ echo before; cat top2; echo after; } | cmp - shared
expect 0 specsort in.mgf --top 2 --min-peaks 2
printf 'COM=head\nBEGIN IONS\nTITLE=one\nPEPMASS=2.5\n1.5 3 b\n2.5 2\nEND IONS\n\n' | cmp - out
expect 0 specsort in.mgf --min-peaks 99; printf 'COM=head\n\n' | cmp - out
: > empty; expect 0 specsort empty --top 5 -o result; [[ ! -s result ]] || fail "something from nothing"

# A precursor that is missing is told, unless --quiet.
expect 0 specsort in.mgf --remove-precursor 0.1
[[ $(< err) == "specsort: warning: in.mgf: 1 spectrum lacks the precursor's m/z" ]] || fail "warning: $(< err)"
expect 0 specsort in.mgf --remove-precursor 100ppm --all-charges --quiet; [[ ! -s err ]] || fail "--quiet: $(< err)"

# What makes no sense.
for bad in '--top x' '--top -1' '--top 0' '--preset gicops --top 0' '--per 5' '--top 5 --per 0' '--mz-range 5' '--mz-range :' '--mz-range 5:1' '--mz-range a:b' \
           '--min-relative 2' '--min-relative x' '--min-intensity nan' '--remove-precursor -1' '--remove-precursor 5Th' \
           '--dedupe inf' '--all-charges' '--around 5' '--top 5 --around 0' '--top 5 --around 5 --per 5' '--remove-precursor 5:' \
           '--remove-precursor inf:5' '--remove-precursor 1:2:3' '--preset none' '--preset casanovo@' '--preset casanovo@9' \
           '--preset casanovo@3.0.0' '--preset casanovo@x' '--preset gnps@1' '--preset matchms@0.33' '--min-peaks 1.5' '--check --top 5'; do
  expect_error specsort in.mgf $bad
done
printf 'BEGIN IONS\nPEPMASS=281,2\n1 1\nEND IONS\n' > comma.mgf
expect 0 specsort comma.mgf --top 1
expect_error specsort comma.mgf --remove-precursor 1
[[ $(< err) == "specsort: decimal comma: comma.mgf:2: 'PEPMASS=281,2'; a point is expected" ]] || fail "error: $(< err)"

# The steps that out has, as options.
steps() { sed -n '/^ *[0-9]/ { s/^[ 0-9]*\. //; s/  .*//; p }' out | tr '\n' ' '; }

# The steps, in their order, with a preset's numbers and those that replace them.
expect 0 specsort --explain --preset casanovo --top 100
[[ $(steps) == \
   '--mz-range 50:2500 --remove-precursor 2 --all-charges --min-relative 0.0001 --top 100 --min-peaks 20 --by mz ' ]] ||
  fail "--explain: $(< out)"
grep -q '^Preset casanovo, versions 5.0 to 5.2: Casanovo (Apache 2.0)' out || fail "--explain: $(< out)"
grep -q '^No number is changed' out || fail "--explain does not say what is not done"
expect_error specsort --explain --preset none
expect_error specsort --explain --preset casanovo@9
[[ $(< err) == "specsort: no such version: --preset: 'casanovo@9'; known of casanovo: 5.0 to 5.2, 3.1 to 4.3" ]] || fail "$(< err)"
# 4.3.1 belongs to 4.3; a number of two digits is greater than one.
for version in 3.1 4 4.3.1; do
  expect 0 specsort --explain --preset "casanovo@$version"; grep -q '^Preset casanovo, versions 3.1 to 4.3' out || fail "$version"
done
expect 0 specsort --explain --preset casanovo@5; grep -q '^Preset casanovo, versions 5.0 to 5.2' out || fail "$(< out)"
expect 0 specsort --explain --preset sage@0.14.7; grep -q '^Preset sage, versions 0.6 to 0.14' out || fail "$(< out)"
expect_error specsort --top 5
for preset in casanovo casanovo@4 xtandem gicops sage sage@0.14 instanovo instanovo@1.1 gnps matchms; do
  expect 0 specsort --explain --preset "$preset"
  words=$(steps)
  expect 0 specsort in.mgf --preset "$preset" --quiet; mv out by_name
  expect 0 specsort in.mgf $words --quiet; cmp out by_name
done

# The reference: on the samples, and on what is made at random.
[[ $(command -v python3) ]] || exit 77
for sample in massbank_cc0 openms_ecoli xtandem_yeast; do
  gzip -dc "$ORDO_SOURCE/datasets/samples/$sample.mgf.gz" |
    awk 'NR < 4000 { text = text $0 "\n" } NR < 4000 && /^END IONS/ { printf "%s", text; text = "" }' > "$sample.mgf"
done
python3 "$reference" files massbank_cc0.mgf openms_ecoli.mgf xtandem_yeast.mgf
python3 "$reference" random 1 250
no_leftovers

# Peaks are merged before the limits of intensity, or after them.
printf 'BEGIN IONS\n1 3\n1.5 4\n3 9\n3.2 2\n9 4\nEND IONS\n' > halves.mgf
[[ $(specsort halves.mgf --merge 0.6 --min-intensity 5 | grep '^[0-9]' | tr '\n' ' ') == '3 9 ' ]] || fail 'merged after the limit'
[[ $(specsort halves.mgf --merge 0.6 --min-intensity 5 --merge-first | grep '^[0-9]' | tr '\n' ' ') == '1.5 7 3 11 ' ]] || fail '--merge-first'
[[ $(specsort --explain --min-intensity 5 --merge 0.6 --merge-first | sed -n 's/^ [12]. --\([a-z-]*\).*/\1/p' | tr '\n' ' ') == 'merge min-intensity ' ]] ||
  fail "--explain: $(specsort --explain --min-intensity 5 --merge 0.6 --merge-first)"
[[ $(specsort --summary halves.mgf --merge 0.6 --min-intensity 5 --merge-first) == *'--merge 0.6 --merge-first'* ]] || fail 'the summary of --merge-first'
expect_error specsort halves.mgf --merge-first
