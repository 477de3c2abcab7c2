# specsort: mzML made of other formats, and the encoding of its arrays.
. "$ORDO_SOURCE/tests/cli/lib.sh"

gzip -dc "$ORDO_SOURCE/datasets/samples/openms_ecoli_25.mzML.gz" > run.mzML
gzip -dc "$ORDO_SOURCE/datasets/samples/massbank_cc0.mgf.gz" > library.mgf
printf 'BEGIN IONS\nTITLE=a "b" <c>\nPEPMASS=500.25 7\nCHARGE=2+ and 3+\nRTINSECONDS=61.5\nSCANS=7\nION_MOBILITY=0.9\nSMILES=C<C&"\n100.123456789 0.1\n99.5 30000000\nEND IONS\nBEGIN IONS\nTITLE=none\nPEPMASS=400\nCHARGE=2-\nEND IONS\n' > small.mgf

# To mzML and back nothing is lost: parameters, and each number; also through a pipe, in an order, and in parts.
expect 0 specsort small.mgf --to mzml; mv out small.mzML
expect 0 specsort small.mzML --to mgf; mv out back.mgf
expect 0 specsort small.mgf; sort out > want; sort back.mgf | cmp - want || fail "back: $(diff <(sort back.mgf) want)"
expect 0 specsort library.mgf -o library.mzML
expect 0 specsort library.mzML -o back.mgf
expect 0 specsort library.mgf -o sorted.mgf
if [[ $(command -v python3) ]]; then
  python3 - << 'END'
def spectra(path):
    now, every = None, []
    for line in open(path):
        line = line.rstrip('\n')
        if line == 'BEGIN IONS':
            now = ({}, [])
        elif line == 'END IONS':
            every.append(now)
        elif now and line[:1].isdigit():
            now[1].append(tuple(map(float, line.split()[:2])))
        elif now and '=' in line:
            key, value = line.split('=', 1)
            if value:
                now[0][key] = value
    return every


before, after = spectra('sorted.mgf'), spectra('back.mgf')
assert len(before) == len(after) == 368, (len(before), len(after))
for (keys, peaks), (made, made_peaks) in zip(before, after):
    assert peaks == made_peaks, (keys, peaks, made_peaks)
    for key, value in keys.items():
        same = made.get(key) == value or key in ('PEPMASS', 'RTINSECONDS') and list(map(float, made[key].split())) == list(map(float, value.split()))
        same = same or key == 'CHARGE' and made.get(key, '').strip('+') == value.strip('+')
        assert same, (key, value, made)
END
fi
# Spectra without a precursor stay, too, with their charges.
printf 'BEGIN IONS\nTITLE=bare\nPEPMASS=0\nCHARGE=2- and 3-\nNAME=b\n100 1\nEND IONS\nBEGIN IONS\nTITLE=empty\nPEPMASS=0\nEND IONS\n' > bare.mgf
expect 0 specsort bare.mgf -o bare.mzML; ! grep -q '<selectedIon>' bare.mzML || fail 'an ion of a spectrum that has none'
expect 0 specsort bare.mzML --to mgf; cmp out bare.mgf
expect 0 specsort bare.mzML --to mzml --charge=-2; [[ $(grep -c '<spectrum ' out) == 1 ]] || fail 'the charge of a spectrum without precursor'
# The SHA-1 of each source file is stated; libraries are no source files by the terms of mzML.
file_sha1() { sha1sum "$1" | cut -d ' ' -f 1; }
expect 0 specsort small.mgf library.mgf -o both.mzML --quiet
for input in small.mgf library.mgf; do
  grep -A 3 "<sourceFile .*name=\"$input\"" both.mzML | grep -q "MS:1000569.*$(file_sha1 $input)" || fail "no SHA-1 of $input"
done
expect 0 specsort library.mgf -o library.msp --quiet; expect 0 specsort library.msp -o msp.mzML --quiet
grep -q "\"SHA-1 of the source file\" value=\"$(file_sha1 library.msp)\"" msp.mzML || fail 'no SHA-1 of a library'
! grep -qi 'sourceFile' msp.mzML || fail 'a library as a source file'
expect 0 specsort - --to mzml < small.mgf; ! grep -q 'MS:1000569' out || fail 'the SHA-1 of a pipe'
sed 's/<precursor>/<precursor spectrumRef="index=0">/' small.mzML > refers.mzML
expect 0 specsort refers.mzML --index=<(echo 2) -o refers_part.mzML --quiet
# As OpenMS's validator has it, by the XSD and by the rules of terms.
if [[ $(command -v FileInfo) ]]; then
  for input in small.mzML bare.mzML both.mzML msp.mzML refers_part.mzML; do
    FileInfo -v -in $input < /dev/null > info 2>&1
    [[ $(grep -c '^Success' info) == 2 ]] || fail "$input: $(grep '^Error' info)"
  done
fi
expect 0 specsort - --to mzml < small.mgf; [[ $(grep -c '<spectrum ' out) == 2 ]] || fail 'a pipe'
expect 0 specsort small.mgf library.mgf --spectra-by pepmass --descending-spectra --split-count 2 -o part.mzML --quiet
[[ $(cat part.*.mzML | grep -c '<spectrum ') == 370 ]] || fail 'parts'
expect 0 specsort part.0001.mzML part.0002.mzML --to mgf --quiet; [[ $(grep -c '^BEGIN IONS' out) == 370 ]] || fail 'of parts'
expect 0 specsort small.mgf --title '[!a]*' --to mzml; ! grep -q '<spectrum ' out || fail 'chosen'
printf '' > empty.mgf; expect 0 specsort empty.mgf --to mzml --quiet; grep -q '<spectrumList count="0"' out || fail "empty: $(< out)"
expect_error specsort run.mzML small.mgf --to=mzml; expect_error specsort small.mgf run.mzML --to=mzml
for in in small.mzML library.mzML part.0001.mzML; do
  expect 0 specsort $in --check; [[ ! -s err ]] || fail "$in: $(< err)"  # index and checksum are right
  if [[ $(command -v xmllint) ]]; then xmllint --noout $in || fail "$in is not well-formed"; fi
done

# Encodings without loss hold the same numbers, in mzML of mzML, and of MGF.
expect 0 specsort run.mzML --to mgf; mv out want.mgf
for bad in zlib,zstd mz32,mz64 mz-linear,mz64 intensity-slof,intensity-pic; do
  expect_error specsort small.mzML --encode "$bad"; grep -q "conflicting values: --encode: '$bad': give one of" err || fail "$(< err)"
done
for how in none zlib zstd mz64,none ZSTD,mz64; do
  expect 0 specsort run.mzML --encode $how -o coded.mzML; expect 0 specsort coded.mzML --check
  expect 0 specsort coded.mzML --to mgf; cmp out want.mgf || fail "$how"
done
expect 0 specsort run.mzML --encode intensity64 -o double.mzML; expect 0 specsort double.mzML --encode intensity32 -o single.mzML
expect 0 specsort single.mzML --to mgf; cmp out want.mgf || fail 'to 64 bits and back'
expect 0 specsort coded.mzML --encode zlib,mz32,intensity32 -o single.mzML
grep -q 'MS:1000521' single.mzML && ! grep -q 'MS:1003780' single.mzML || fail 'other terms'
for how in mz-linear,none mz-linear,zlib mz-linear,zstd,intensity-slof intensity-pic,zstd; do
  for in in run.mzML library.mgf; do
    if [[ $how == *pic* && $in == library.mgf ]]; then continue; fi  # fractions
    expect 0 specsort $in --encode $how --to mzml; mv out pressed.mzML
    expect 0 specsort $in --to mgf --quiet; mv out plain.mgf
    expect 0 specsort pressed.mzML --to mgf --quiet
    awk 'FNR == NR { if (/^[0-9]/) { a[++n] = $1; b[n] = $2 } next }
      /^[0-9]/ { ++k; d = $1 - a[k]; e = ($2 - b[k]) / (b[k] > 1 ? b[k] : 1)
        if (d * d > 1e-10 || e * e > 1e-6 && !pic) { print "peak " k ": " a[k], b[k], $0; exit 1 } }
      END { exit k != n }' pic="$([[ $how == *pic* ]] && echo 1)" plain.mgf out || fail "$how of $in"
  done
done
for bad in x zlib,x mz32,mz-linear intensity-pic,intensity64; do expect_error specsort run.mzML --encode=$bad --to mzml; done
expect_error specsort run.mzML --encode zlib --to mgf; expect_error specsort run.mzML --encode zlib --summary
printf 'BEGIN IONS\nPEPMASS=1\n1 -1\nEND IONS\n' > negative.mgf; expect_error specsort negative.mgf --encode intensity-slof --to mzml -o x.mzML
grep -q "^specsort: cannot write: negative.mgf: the spectrum '': cannot write MS-Numpress: a number is below 0$" err || fail "$(< err)"

# m/z above 2^52, whose integers are rounded to even ones: the differences leave 32 bits.
awk 'BEGIN { print "BEGIN IONS\nPEPMASS=1"; b = 1
  for (i = 0; i < 2100; ++i) { printf "%.0f 1\n", a; c = 2 * b - a + 2147483646; a = b; b = c } print "END IONS" }' > huge.mgf
expect_error specsort huge.mgf --encode mz-linear -o x.mzML
why='its numbers differ by more than 32 bits'
grep -q "^specsort: cannot write: huge.mgf: .*: cannot write MS-Numpress: $why\$" err || fail "$(< err)"
expect 0 specsort huge.mgf -o huge.mzML; expect_error specsort huge.mzML --encode mz-linear -o x.mzML
grep -q "^specsort: cannot write MS-Numpress: huge.mzML:[0-9]*: $why\$" err || fail "$(< err)"
# Terms of a group, which other arrays share, cannot be changed: sums are plain numbers. The output before stays.
expect 0 specsort run.mzML --encode intensity-slof -o slof.mzML
sed 's|<cvParam [^>]*MS:1002314[^>]*>|<referenceableParamGroupRef ref="slof"/>|
  s|.*<sampleList.*|<referenceableParamGroupList count="1"><referenceableParamGroup id="slof">\n\
<cvParam cvRef="MS" accession="MS:1002314" name="x"/></referenceableParamGroup></referenceableParamGroupList>\n&|' \
  slof.mzML > grouped.mzML
expect 0 specsort slof.mzML --to mgf --merge 2; mv out want.mgf
expect 0 specsort grouped.mzML --to mgf --merge 2; cmp out want.mgf
line=$(grep -n -m 1 'referenceableParamGroupRef ref="slof"' grouped.mzML | cut -d : -f 1)
echo before > x.mzML
for how in '--merge=2:has to become plain numbers' '--encode=intensity64:gets another encoding'; do
  expect_error specsort grouped.mzML "${how%%:*}" -o x.mzML
  grep -q "^specsort: cannot write a binary array: grouped.mzML:[0-9]*: it ${how#*:}, but a referenceableParamGroup " err ||
    fail "$how: $(< err)"
  at=$(cut -d : -f 4 err); ((at < line && at > line - 5)) || fail "$how: line $at, where the term is in line $line"
done
[[ $(< x.mzML) == before ]] || fail 'output in spite of an error'; rm x.mzML

# References to spectra that are left out name spectra outside of the document.
first=$(sed -n '/<spectrum /{s/.* id="\([^"]*\)".*/\1/p;q}' run.mzML)
python3 -c 'import re, sys
text = open("run.mzML").read()
second = text.index("<precursor>", text.index("</spectrum>"))
end = text.index(">", second)
open("refers.mzML", "w").write(text[:end] + " spectrumRef=\"" + sys.argv[1] + "\"" + text[end:])' "$first" 2> /dev/null || exit 0
expect 0 specsort refers.mzML --native-id "!$first" -o chosen.mzML
grep -q "externalSpectrumID=\"$first\"" chosen.mzML && ! grep -q 'spectrumRef=' chosen.mzML || fail 'a reference'
expect 0 specsort refers.mzML --native-id "!$first" --spectra-by rt -o ordered.mzML; grep -q "externalSpectrumID=\"$first\"" ordered.mzML || fail 'ordered'
expect 0 specsort refers.mzML --rt 0: -o all.mzML; grep -q "spectrumRef=\"$first\"" all.mzML || fail 'a reference that holds'
no_leftovers
